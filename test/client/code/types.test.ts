/** `skep types`, held to the libraries' own types by the compiler: right code compiles, and each marked line does not. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { root } from "../../docs/pages.ts";
import { skepWithin } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

let app: string;
beforeEach(() => {
  app = realFolder();
});

function write(files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}

const settings = (...patterns: readonly string[]): string =>
  `source: en\nfiles:\n${patterns.map((pattern) => `  - "${pattern}"\n`).join("")}`;
const types = (...flags: readonly string[]) => skepWithin(app, {}, "types", ...flags);

/** The lines of a file at which the compiler finds a fault, beside the written types and the library. */
async function faultyLines(
  code: string,
): Promise<{ readonly lines: readonly number[]; readonly said: string }> {
  write({ "package.json": { type: "module" }, "app.ts": code });
  mkdirSync(join(app, "node_modules/@formatjs"), { recursive: true });
  for (const name of ["i18next", "vue-i18n", "@formatjs/intl"])
    symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--pretty", "false", "--module", "nodenext", "--target", "es2023"];
  const args = [tsc, ...flags, "--skipLibCheck", "--types", "", "app.ts", "texts.d.ts"];
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: app, encoding: "utf8" }, (_, stdout) => resolve(stdout));
  });
  const lines = Array.from(said.matchAll(/^app\.ts\((\d+),/gm), ([, line]) => Number(line));
  const others = said.split("\n").filter((line) => /^\S/.test(line) && !line.startsWith("app.ts("));
  expect(others).toEqual([]);
  return { lines: [...new Set(lines)], said };
}

/** The lines that have the mark of a mistake. */
const marked = (code: string): readonly number[] =>
  code.split("\n").flatMap((line, i) => (line.endsWith("// wrong") ? [i + 1] : []));

const cases: Readonly<
  Record<string, { files: Record<string, string | object>; flags?: readonly string[]; code: string }>
> = {
  i18next: {
    files: {
      "skep.yaml": settings("public/{locale}/**/*.json"),
      "public/en/common.json": {
        title: "Title",
        hello: "Hello {{ name }}, {{- raw}}",
        price: "{{amount, number(minimumFractionDigits: 2)}}",
        item_one: "{{count}} item",
        item_other: "{{count}} items",
        nested: { 'odd "key" \u2028': "x", list: ["a {{b}}", "c"], again: "{{name}} {{name}} $t(title)" },
      },
      "public/en/admin/menu.json": { open: "Open" },
    },
    flags: ["--namespace", "common"],
    code: `import i18next from "i18next";
const { t } = i18next;
const texts: string[] = [
  t("title"),
  t("hello", { name: "Ada", raw: "<b>" }),
  t("price", { amount: 3 }),
  t("item", { count: 3 }),
  t("nested.again", { name: "Ada" }),
  t("admin/menu:open"),
];
t("titel"); // wrong
t("hello"); // wrong
t("hello", { name: "Ada" }); // wrong
t("price", { amount: "three" }); // wrong
t("nested.agian", { name: "Ada" }); // wrong
t("admin/menu:close"); // wrong
console.log(texts);
`,
  },
  "i18next, one file": {
    files: {
      "skep.yaml": settings("src/locales/{locale}.json"),
      "src/locales/en.json": { title: "Title {{name}}" },
    },
    code: `import { t } from "i18next";
t("title", { name: "Ada" });
t("title"); // wrong
t("titles", { name: "Ada" }); // wrong
`,
  },
  FormatJS: {
    files: {
      "skep.yaml": settings("lang/{locale}.json"),
      "lang/en.json": {
        "app.title": "Title",
        "app.hello":
          "Hello {name}, you have {count, plural, one {# letter} other {# letters of {count, number}}}",
        "app.when": "{day, date, long} '{not an argument}'",
        "app.rich": "Read <a>the {what, select, terms {terms} other {text}}</a>",
      },
    },
    code: `import { createIntl } from "@formatjs/intl";
const intl = createIntl({ locale: "en", messages: {} as never });
const texts: unknown[] = [
  intl.formatMessage({ id: "app.title" }),
  intl.formatMessage({ id: "app.hello" }, { name: "Ada", count: 3 }),
  intl.formatMessage({ id: "app.when" }, { day: new Date() }),
  intl.formatMessage({ id: "app.rich" }, { a: (parts) => parts.join(""), what: "terms" }),
];
intl.formatMessage({ id: "app.titel" }); // wrong
intl.formatMessage({ id: "app.hello" }); // wrong
intl.formatMessage({ id: "app.hello" }, { name: "Ada" }); // wrong
intl.formatMessage({ id: "app.hello" }, { name: "Ada", count: "three" }); // wrong
intl.formatMessage({ id: "app.rich" }, { what: "terms" }); // wrong
console.log(texts);
`,
  },
  "vue-i18n": {
    files: {
      "skep.yaml": settings("src/locales/{locale}.json"),
      "src/locales/en.json": {
        title: "Title",
        greeting: { hello: "Hello {name}, {'@'} @:title" },
        list: "{0} and {1}",
        cars: "no cars | one car | {count} cars",
        gifts: "one gift of {who} | {n} gifts of {who}",
      },
    },
    code: `import { useI18n, type DefineLocaleMessage } from "vue-i18n";
import type { Translate } from "./texts.d.ts";
const t = useI18n().t as Translate;
const schema: DefineLocaleMessage["greeting"]["hello"] = "Bonjour";
const texts: string[] = [
  t("title"),
  t("greeting.hello", { name: "Ada" }),
  t("greeting.hello", { name: "Ada" }, { locale: "fr" }),
  t("list", ["a", "b"]),
  t("cars", 3),
  t("gifts", { who: "Ada" }, 3),
];
t("titel"); // wrong
t("greeting.hello"); // wrong
t("greeting.hello", { nmae: "Ada" }); // wrong
t("list", ["a"]); // wrong
t("cars"); // wrong
t("gifts", 3); // wrong
console.log(texts, schema);
`,
  },
};

describe("the types of an app's texts", () => {
  it.each(Object.keys(cases))("hold code of %s to its keys and arguments", async (name) => {
    const { files = {}, flags = [], code = "" } = cases[name] ?? {};
    write(files);
    expect(await types("--out", "texts.d.ts", ...flags)).toMatchObject({ code: 0, stderr: "" });
    const { lines, said } = await faultyLines(code);
    expect(lines, said).toEqual(marked(code));
    expect(lines.length).toBeGreaterThan(1);
  });

  it("are the same however often they are written, and however the texts are worded", async () => {
    write(cases.i18next?.files ?? {});
    const first = await types();
    expect(first).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining('"item_one": "{{count}}"'),
    });
    const path = join(app, "public/en/common.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("Hello", "Good day"));
    expect(await types()).toEqual(first);
  });

  it("--check exits with 1 where the file differs, and writes nothing", async () => {
    write(cases.FormatJS?.files ?? {});
    const check = ["--out", "texts.d.ts", "--check"];
    expect(await types(...check)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("texts.d.ts: differs"),
    });
    expect(await types("--out", "texts.d.ts")).toMatchObject({
      code: 0,
      stdout: "texts.d.ts: 4 texts for formatjs, written.\n",
    });
    const written = readFileSync(join(app, "texts.d.ts"), "utf8");
    expect((await types(...check)).code).toBe(0);
    // A checkout may have other line endings.
    write({ "texts.d.ts": written.replaceAll("\n", "\r\n") });
    expect(await types(...check)).toMatchObject({ code: 0, stdout: expect.stringContaining("unchanged") });
    write({ "lang/en.json": { more: "More {what}" } });
    expect((await types(...check, "--json")).code).toBe(1);
    expect(readFileSync(join(app, "texts.d.ts"), "utf8")).toBe(written.replaceAll("\n", "\r\n"));
    expect(await types("--check")).toMatchObject({ code: 2, stderr: "skep: --check needs --out.\n" });
  });

  it("name the place of a text that is no message, and need a library that the texts show or a flag names", async () => {
    write({ "skep.yaml": settings("{locale}.json"), "en.json": { a: "plain", b: "Hello {name" } });
    expect(await types("--for", "formatjs")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/en\.json:3: "b": an argument is not closed/),
    });
    expect(await types()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--for i18next|formatjs|vue-i18n"),
    });
    // vue-i18n shows such a text as it is.
    expect(await types("--for", "vue-i18n")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"b": [];'),
    });
    expect(await types("--for", "i18next", "--namespace", "nope")).toMatchObject({ code: 2 });
    expect(await types("--for", "i18next", "--out", "missing/texts.d.ts")).toMatchObject({
      code: 1,
      stderr: "skep: missing/texts.d.ts: cannot be written.\n",
    });
  });

  it("are of the files' default namespace, or of the one that is given", async () => {
    write({ "skep.yaml": settings("{locale}/*.json"), "en/a.json": { x: "{{y}}" }, "en/b.json": { x: "x" } });
    expect((await types()).stdout).toContain('defaultNS: "a";');
    expect((await types("--namespace", "b")).stdout).toContain('defaultNS: "b";');
    write({ "en/translation.json": { x: "x" } });
    expect((await types()).stdout).toContain('defaultNS: "translation";');
  });
});
