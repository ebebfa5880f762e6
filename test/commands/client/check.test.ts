/** `skep check`: what would break the app, in its own files and in a Hive. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { skep } from "../../helpers/process.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { realFolder } from "../../helpers/storage.ts";

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["locales/{locale}.json"], settings: "source: en\n" });
  app.write({
    "locales/en.json": '{\n  "hi": "Hi {{name}}",\n  "bye": "Bye"\n}\n',
    "locales/fr.json": '{\n  "bye": "Salut",\n  "hi": "Salut {{nom}}"\n}\n',
    "locales/de.json": '{\n  "hi": "Hallo"\n}\n',
  });
});

const error =
  "locales/fr.json:3: error argument-extra: fr, hi: {{nom}} is not in the source text, which has {{name}}";

function xliff(attributes: string, content: string): string {
  return `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en"><body>
    <trans-unit id="hi" ${attributes}>${content}</trans-unit>
  </body></file></xliff>`;
}

function xliff2(attributes: string, target: string): string {
  return `<xliff version="2.1" srcLang="en" xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:2.0">
  <file id="app"><slr:profiles generalProfile="xliff:codepoints"/>
    <unit id="hi" ${attributes}><segment><source>Hi</source>${target}</segment></unit>
  </file></xliff>`;
}

describe("skep check in an app's tree", () => {
  it("names file, line, key and fault, and exits with 3", async () => {
    const { code, stdout } = await app.run("check");
    expect(code).toBe(3);
    expect(stdout.split("\n")).toEqual([
      "locales/de.json:2: warning argument-missing: de, hi: {{name}} of the source text is missing",
      error,
      "5 texts checked: 1 error, 1 warning.",
      "",
    ]);
  });

  it("names the line of each of many equal texts", async () => {
    const keys = Array.from({ length: 600 }, (_, i) => `k${i}`);
    const file = (text: string): string =>
      `{\n${keys.map((key) => `  "${key}": "${text}"`).join(",\n")}\n}\n`;
    app.write({ "locales/en.json": file("Hi {{name}}"), "locales/fr.json": file("Salut {{nom}}") });
    const { stdout } = await app.run("check", "--locale", "fr", "--json");
    const lines = JSON.parse(stdout).findings.map((one: { readonly line: number }) => one.line);
    expect(lines).toEqual(keys.map((_, i) => i + 2));
  });

  it("passes with warnings only, unless --fail-on warning is set", async () => {
    expect((await app.run("check", "--locale", "de")).code).toBe(0);
    expect((await app.run("check", "--locale", "de", "--fail-on", "warning")).code).toBe(3);
  });

  it("finds hints with --hints", async () => {
    app.write({ "locales/de.json": '{"bye": "Tschüss "}' });
    expect((await app.run("check", "--locale", "de")).stdout).not.toContain("ends");
    const { code, stdout } = await app.run("check", "--locale", "de", "--hints");
    expect([code, stdout]).toEqual([0, expect.stringContaining("hint ends: de, bye")]);
  });

  it("finds what is translated otherwise elsewhere in its file with --hints", async () => {
    app.write({
      "locales/en.json": '{\n"a": "Open",\n"b": "Open"\n}\n',
      "locales/de.json": '{\n"a": "Offen",\n"b": "Öffnen"\n}\n',
    });
    expect((await app.run("check", "--locale", "de")).stdout).not.toContain("inconsistent");
    expect((await app.run("check", "--locale", "de", "--hints")).stdout).toContain(
      "locales/de.json:3: hint inconsistent: de, b: differs from the translation of a, which has the same source text",
    );
  });

  it("takes the syntax of files from skep.yaml", async () => {
    app.write({
      "skep.yaml":
        "source: en\nchecks:\n  syntax:\n    - { files: '*.json', syntax: none }\nfiles:\n  - locales/{locale}.json\n",
    });
    expect((await app.run("check")).code).toBe(0);
    app.write({
      "skep.yaml":
        "source: en\nchecks:\n  syntax:\n    - { files: '*.json', syntax: xml }\nfiles:\n  - locales/{locale}.json\n",
    });
    expect(await app.run("check")).toMatchObject({ code: 2, stderr: expect.stringContaining("skep.yaml:4") });
  });

  it.each([
    ["use-escaping: true\n", ["quoted", "single"]],
    ["use-escaping: false\n", []],
    ["arb-dir: lib/l10n\n", []],
  ])("takes apostrophes of ARB files as l10n.yaml with %j has them", async (settings, found) => {
    app = await makeApp({ patterns: ["lib/{locale}.arb"], settings: "source: en\n" });
    app.write({
      "l10n.yaml": settings,
      "lib/en.arb": JSON.stringify({ quoted: "Open {a}", single: "Hi {a}", none: "''" }),
      "lib/fr.arb": JSON.stringify({ quoted: "Ouvrir '{a}'", single: "L'{a}", none: "''" }),
    });
    const { stdout } = await app.run("check", "--json");
    const keys = JSON.parse(stdout).findings.map((one: { readonly key: string }) => one.key);
    expect(keys).toEqual(found);
  });

  it.each([
    ["xlf", "xliff", true],
    ["lang", "xliff", true],
    ["xml", "xliff", true],
    ["lang", "ini", false],
    ["xlf", "ini", false],
  ])("takes what a file can hold from its format: .%s as %s", async (ending, format, isRefused) => {
    const file = (target: string): string =>
      format === "ini"
        ? `hi = "${target === "" ? "&lt;b&gt;Hi" : "<b>Salut"}"\n`
        : xliff("", `<source>&lt;b&gt;Hi</source>${target}`);
    app = await makeApp({ patterns: [], settings: "source: en\n" });
    app.write({
      "skep.yaml": `source: en\nfiles:\n  - { path: "l/{locale}.${ending}", format: ${format} }\n`,
      [`l/en.${ending}`]: file(""),
      [`l/fr.${ending}`]: file("<target><g id='1'>Salut</g></target>"),
    });
    const { stdout } = await app.run("check", "--json");
    const checks = JSON.parse(stdout).findings.map((one: { readonly check: string }) => one.check);
    expect(checks.includes("format")).toBe(isRefused);
  });

  it("takes the syntax of gettext's messages from their flags", async () => {
    const po = (texts: readonly (readonly [flag: string, id: string, text: string])[]): string =>
      texts.map(([flag, id, text]) => `#, ${flag}\nmsgid "${id}"\nmsgstr "${text}"\n`).join("\n");
    const texts = [
      ["python-brace-format", "Hi {name}", "Salut {nom}"],
      ["kde-format", "%1 of %2", "%2"],
      ["csharp-format", "Hi {0}", "Salut {1}"],
      ["ruby-format", "Hi %{name}", "Salut %{nom}"],
      ["java-format", "It is {0}", "C'est {0}"],
      ["no-c-format", "50% save", "50 %s"],
      ["c-format", "%s", "%d"],
    ] as const;
    app = await makeApp({ patterns: ["po/{locale}.po"], settings: "source: en\n" });
    const header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n';
    app.write({
      "po/en.po": header + po(texts.map(([flag, id]) => [flag, id, ""])),
      "po/fr.po": header + po(texts),
    });
    const { stdout } = await app.run("check", "--json");
    const found = JSON.parse(stdout).findings.map((one: { readonly key: string }) => one.key);
    expect(found).toEqual(texts.flatMap(([flag, id]) => (flag === "no-c-format" ? [] : [id])));
  });

  it("prints annotations, SARIF and JSON", async () => {
    const github = await app.run("check", "--format", "github");
    expect(github.stdout).toContain(
      "::error file=locales/fr.json,line=3,title=argument-extra::fr, hi: {{nom}} is not in the source text",
    );
    const { runs } = JSON.parse((await app.run("check", "--format", "sarif")).stdout);
    expect(runs[0].results[1]).toMatchObject({
      ruleId: "argument-extra",
      level: "error",
      locations: [
        { physicalLocation: { artifactLocation: { uri: "locales/fr.json" }, region: { startLine: 3 } } },
      ],
    });
    expect(JSON.parse((await app.run("check", "--json")).stdout)).toMatchObject({
      errors: 1,
      warnings: 1,
      texts: 5,
    });
  });

  it.each<[string, string, string]>([
    ["arb", '{\n  "hi": "Hi",\n  "@hi": { "x-maxLength": 4 }\n}\n', '{\n  "hi": "Bonjour"\n}\n'],
    ["po", '#, max-length:4\nmsgid "hi"\nmsgstr "Hi"\n', 'msgid "hi"\nmsgstr "Bonjour"\n'],
    [
      "xlf",
      xliff('maxwidth="4" size-unit="char"', "<source>Hi</source>"),
      xliff("", "<source>Hi</source><target>Bonjour</target>"),
    ],
    ["xlf", xliff2('slr:sizeRestriction="4"', ""), xliff2("", "<target>Bonjour</target>")],
    ["xlf", xliff2('slr:sizeRestriction="1,4"', ""), xliff2("", "<target>Bonjour</target>")],
  ])(
    "warns of translations that are longer than the app's %s files allow, as a Hive does",
    async (ending, en, fr) => {
      app.write({
        "skep.yaml": `source: en\nfiles:\n  - locales/{locale}.${ending}\n`,
        [`locales/en.${ending}`]: en,
        [`locales/fr.${ending}`]: fr,
      });
      const { code, stdout } = await app.run("check");
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(
          "warning length: fr, hi: has 7 characters, and may have at most 4 characters",
        ),
      ]);
    },
  );

  it("needs a source locale", async () => {
    app.write({ "skep.yaml": "files:\n  - locales/{locale}.json\n" });
    expect(await app.run("check")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--source-locale"),
    });
    expect((await app.run("check", "--source-locale", "en")).code).toBe(3);
  });
});

it("skep check --hive lists the findings of a Hive", async () => {
  await app.sync({ "en.json": { hi: "Hi {{name}}" } });
  await app.translate("fr", { "en.json": { hi: "Salut {{nom}}" } });
  const { code, stdout } = await app.run("check", "--hive", "web");
  expect(code).toBe(3);
  expect(stdout).toContain("en.json: error argument-extra: fr, hi: {{nom}}");
  expect((await app.run("check", "--hive", "web", "--locale", "pt_BR")).code).toBe(0);
});

it("skep push, pull and status show findings in changed texts", async () => {
  await app.run("push");
  const pushed = await app.run("push", "--translations");
  const line = "en.json: error argument-extra: fr, hi: {{nom}} is not in the source text, which has {{name}}";
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining(line)]);
  expect((await app.run("push", "--translations")).stderr).not.toContain("argument-extra");
  app.write({ "locales/fr.json": "{}\n" });
  const pulled = await app.run("pull");
  expect([pulled.code, pulled.stderr]).toEqual([0, expect.stringContaining(line)]);
  expect((await app.run("pull")).stderr).not.toContain("argument-extra");
  const { stdout } = await app.run("status");
  expect(stdout).toContain("1 failing in fr, 2 missing in pt_BR; files as in the Hive.\n");
  expect(stdout).toMatch(/^fr +100 % +1 failing$/m);
});

it("skep check --hive needs no settings file, and takes a branch", async () => {
  await app.sync({ "en.json": { hi: "Hi {{name}}" } });
  await app.translate("fr", { "en.json": { hi: "Salut {{nom}}" } });
  const token = join(realFolder(), "token");
  writeFileSync(token, app.token);
  const flags = ["check", "--server", app.url, "--hive", "web", "--token-file", token];
  expect(await skep(...flags)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("argument-extra"),
  });
  expect(await skep(...flags, "--branch", "nope")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("nope"),
  });
});

describe("skep check --hive --accept", () => {
  it("accepts a false alarm", async () => {
    await app.sync({ "en.json": { "nav.hi": "Hi {{name}}" } });
    await app.translate("fr", { "en.json": { "nav.hi": "Salut {{nom}}" } });
    const accept = ["--hive", "web", "--accept", "en.json:nav.hi", "--check", "argument-extra"];
    expect(await app.run("check", ...accept)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--locale"),
    });
    const accepted = await app.run("check", ...accept, "--locale", "fr");
    expect([accepted.code, accepted.stdout]).toEqual([
      0,
      "fr: argument-extra is accepted in en.json:nav.hi until one of the texts changes.\n",
    ]);
    expect((await app.run("check", "--hive", "web")).stdout).not.toContain("argument-extra");
    expect((await app.run("check", ...accept, "--locale", "pt_BR")).code).toBe(1);
  });

  it.each(["nothing", ":key"])("requires a file and a key, and refuses %s", async (text) => {
    expect((await app.run("check", "--hive", "web", "--accept", text)).code).toBe(2);
  });
});

it("skep import lists findings before it sends anything", async () => {
  await app.run("push");
  app.write({ "back.csv": "file,key,source,translation\nen.json,hi,Hi {{name}},Salut {{nom}}\n" });
  const { code, stderr } = await app.run("import", "fr", join(app.folder, "back.csv"), "--dry-run");
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining("en.json: error argument-extra: fr, hi: {{nom}}"),
  ]);
});

it("a push that the Hive refuses names the refused text and the reason", async () => {
  await app.manage("PATCH", "", { checks: { level: "refuse" } });
  const { code, stderr } = await app.run("push", "--translations");
  const why = "fr, en.json, hi: {{nom}} is not in the source text, which has {{name}}";
  const line = `skep: The Hive web refuses what would break the app: ${why}. skep check lists all in the files here.\n`;
  expect([code, stderr]).toEqual([1, expect.stringContaining(line)]);
});

describe("more findings than a command names", () => {
  const texts = (text: string): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`key${i}`, text])));

  it.each([
    ["push", ["--translations"]],
    ["push --dry-run", ["--translations", "--dry-run"]],
    ["push into a branch", ["--translations", "--branch", "feature"]],
  ])("are listed by the command that a %s names", async (_, args) => {
    app.write({ "locales/en.json": texts("Hi {{name}}"), "locales/fr.json": texts("Salut {{nom}}") });
    await app.run("push");
    const { code, stderr } = await app.run("push", ...args);
    expect(code).toBe(0);
    const told = /^2 more findings: skep (.*) lists all\.$/m.exec(stderr)?.[1]?.split(" ");
    const [command = "", ...flags] = told ?? [];
    const { stdout } = await app.run(command, ...flags, "--locale", "fr");
    expect(stdout.match(/argument-extra/g)).toHaveLength(12);
  });
});
