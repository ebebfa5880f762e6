/** Texts that a file cannot hold: a pull leaves them out by name, and writes all others of their locale. */
import { describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../../helpers/app-tree.ts";

const unit = (id: string, source: string, target?: string): string =>
  `<trans-unit id="${id}"><source>${source}</source>${target === undefined ? "" : `<target>${target}</target>`}</trans-unit>\n`;
const xliff = (language: string, ...units: readonly string[]): string =>
  `<xliff version="1.2"><file original="a" source-language="en"${language}><body>\n${units.join("")}</body></file></xliff>\n`;
const escaped = "&lt;b&gt;Hi&lt;/b&gt;";
const french = xliff(
  ' target-language="fr"',
  unit("a", escaped, "&lt;b&gt;Bon&lt;/b&gt;"),
  unit("b", "Bye", "Adieu"),
);
const path = "l/fr/a.xlf";

async function appWith(translations: object): Promise<AppTree> {
  const app = await makeApp({ patterns: ["l/{locale}/*.xlf"] });
  app.write({ "l/en/a.xlf": xliff("", unit("a", escaped), unit("b", "Bye")), [path]: french });
  expect(await app.run("push")).toMatchObject({ code: 0 });
  for (const locale of ["fr", "pt_BR"]) await app.translate(locale, { "a.xlf": translations });
  return app;
}

const reason =
  "the text has <b> as markup, which its source text does not have; in a text, < is written &lt;";

describe("a text that a file cannot hold", () => {
  it("is left out of a pull and named, and all others are written", async () => {
    const app = await appWith({ a: "<b>Salut</b>", b: "Au revoir" });
    const { code, stdout, stderr } = await app.run("pull");
    expect(stderr.split("\n").filter((line) => line.includes("fr"))).toEqual([
      `skep: ${path}: the fr text of a is not written: ${reason}`,
    ]);
    expect(stderr).toContain("skep: 2 texts that the files cannot hold: they were left out.\n");
    expect(stdout).toContain(`${path}: 1 updated\n`);
    expect(code).toBe(1);
    expect(app.read(path)).toBe(french.replace("Adieu", "Au revoir"));
    expect(app.read("l/pt_BR/a.xlf")).toBe(xliff(' target-language="pt-BR"', unit("b", "Bye", "Au revoir")));
    // It is named until the Hive has another one.
    expect(await app.run("pull")).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
    await app.translate("fr", { "a.xlf": { a: "&lt;b>Salut&lt;/b>" } });
    expect(await app.run("pull", "--locale", "fr")).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining(reason),
    });
    expect(app.read(path)).toContain("<target>&lt;b&gt;Salut&lt;/b&gt;</target>");
  });

  it("is in the report of a machine, and named by a dry run and a diff", async () => {
    const app = await appWith({ a: "<b>Salut</b>", b: "Au revoir" });
    const { code, stdout } = await app.run("pull", "--json", "--dry-run", "--locale", "fr");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).files).toMatchObject([{ path, unheld: [{ key: "a", reason }] }]);
    expect(app.read(path)).toBe(french);
    expect((await app.run("diff", "--locale", "fr")).stderr).toContain(`${path}: the fr text of a`);
  });

  it("makes no file of its own", async () => {
    const app = await appWith({ a: "<!-- x -->" });
    const { code, stderr } = await app.run("pull", "--locale", "pt_BR");
    expect([code, stderr]).toEqual([1, expect.stringContaining("l/pt_BR/a.xlf: the pt_BR text of a")]);
    expect(app.has("l/pt_BR")).toBe(false);
  });

  it("makes a strict pull write nothing", async () => {
    const app = await appWith({ a: "<b>Salut</b>", b: "Au revoir" });
    const { code, stderr } = await app.run("pull", "--strict");
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot hold: nothing was done.\n")]);
    expect(app.read(path)).toBe(french);
    expect(app.has("l/pt_BR")).toBe(false);
  });
});

/** By the ending of the file: the source file, the translations that it cannot hold, and that it can. */
const files: Readonly<Record<string, readonly [source: string, wrong: object, right: object]>> = {
  resx: [
    '<root><data name="a"><value>A</value></data><data name="b"><value>B</value></data></root>',
    { a: "a\u000B" },
    { b: "<b>b</b>" },
  ],
  xml: [
    '<resources>\n<string name="a"><b>A</b></string>\n<string name="b">B</string>\n</resources>\n',
    { a: "<b>a</b> < 1" },
    { b: "b < 1" },
  ],
  po: ['msgid ""\nmsgstr ""\n\nmsgid "a"\nmsgstr ""\n\nmsgid "b"\nmsgstr ""\n', { a: "a\n" }, { b: "b" }],
  stringsdict: [
    '<plist version="1.0"><dict><key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>Left: %#@n@</string><key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>%d</string></dict></dict></dict></plist>',
    { "a.n.other": "a\u000B" },
    { "a.NSStringLocalizedFormatKey": "%#@n@" },
  ],
};

describe.each(Object.entries(files))("a .%s file", (ending, [source, wrong, right]) => {
  it("has the texts that it can hold, new and after a change, and not the others", async () => {
    const name = `a.${ending}`;
    const app = await makeApp({ patterns: [`l/{locale}/*.${ending}`], locales: ["fr"] });
    app.write({ [`l/en/${name}`]: source });
    expect(await app.run("push")).toMatchObject({ code: 0 });
    for (const suffix of ["", "2"]) {
      const changed = Object.entries(right).map(([key, text]) => [key, `${text}${suffix}`]);
      await app.translate("fr", { [name]: { ...wrong, ...Object.fromEntries(changed) } });
      const { code, stderr } = await app.run("pull");
      const [key] = Object.keys(wrong);
      expect(stderr).toContain(`l/fr/${name}: the fr text of ${key} is not written: `);
      expect([code, stderr.match(/is not written/g)?.length]).toEqual([1, 1]);
      expect((await app.run("pull")).stdout).toContain("0 files changed");
    }
  });
});
