import { describe, expect, it } from "vitest";
import type { SyntaxName } from "../../../src/domain/checks/syntax-names.ts";
import { FileChecker, type LocatedFinding } from "../../../src/domain/plans/check-content.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { formatRulesOf } from "../../../src/formats/held/format-rules.ts";
import { contentOf, fileNamed, hiveOf } from "../../helpers/hive.ts";

describe("the texts of a list", () => {
  async function checksOf(syntax: SyntaxName, source: readonly string[], texts: readonly string[]) {
    const settings = {
      ...hiveOf({}).settings,
      checks: { level: "warn" as const, syntax: [{ files: "*", syntax }] },
    };
    const checker = new FileChecker(
      { rulesOf: formatRulesOf, settings },
      fileNamed("a.json"),
      contentOf({ files: source }),
    );
    const own = new Map(texts.map((text, i) => [`files.${i}`, text]));
    const all: LocatedFinding[] = [];
    const alone: LocatedFinding[] = [];
    await checker.checkAll(toLocale("ja").code, own, (found) => all.push(found));
    for (const [key, text] of own)
      checker.check({ locale: toLocale("ja").code, key }, text, (found) => alone.push(found));
    expect(alone).toEqual(all);
    return all.map(({ key, check, severity }) => `${key} ${check} ${severity}`);
  }

  it.each<[string, SyntaxName, readonly string[], readonly string[], readonly string[]]>([
    ["its one form", "brace", ["One file", "{n} files"], ["{n} 個"], []],
    ["its one form", "qt", ["One file", "%n files"], ["%n 個"], []],
    ["its one form", "printf", ["One file", "%d files"], ["%d 個"], []],
    ["its one form", "i18next", ["One file", "{{n}} files"], ["{{n}} 個"], []],
    [
      "an argument of neither",
      "brace",
      ["One file", "{n} files"],
      ["{m} 個"],
      ["files.0 argument-extra error"],
    ],
    [
      "an argument of the first",
      "brace",
      ["{n} file", "Done"],
      ["x", "{n}"],
      ["files.0 argument-missing warning", "files.1 argument-extra error"],
    ],
    ["no plural", "brace", ["One", "{n}", "c"], ["{n}"], ["files.0 argument-extra error"]],
    ["its one form of three", "printf", ["plik", "%d pliki", "%d plików"], ["%d 個"], []],
    ["its one form of three", "brace", ["plik", "{n} pliki", "{n} plików"], ["{n} 個"], []],
    ["its one form of three", "i18next", ["plik", "{{n}} pliki", "{{n}} plików"], ["{{n}} 個"], []],
    ["two of its four forms", "printf", ["0", "1", "%d few", "%d many"], ["%d 個", "%d 個"], []],
    ["two of its six forms", "brace", ["a", "b", "c", "d", "{n} e", "{n} f"], ["{n}", "{n}"], []],
    [
      "the arguments of another text",
      "brace",
      ["One", "Two", "{name} left"],
      ["{name}"],
      ["files.0 argument-extra error"],
    ],
    [
      "arguments of a list that is too long",
      "brace",
      ["a", "b", "c", "d", "e", "{n} f", "{n} g"],
      ["{n}"],
      ["files.0 argument-extra error"],
    ],
    ["numbers for texts", "printf", ["1", "2.5", "1e3"], ["1", "2,5", "1000"], []],
    ["numbers for texts", "brace", ["10", "20"], ["dix", "20"], []],
    ["numbers for texts", "icu", ["-1", "50 %", "0"], ["−1", "50 %", "0"], []],
    ["numbers for texts", "laravel", ["12:30", "1:2"], ["12.30", "1:2"], []],
  ])("may be a plural, of which a translation has %s in %s", async (_, syntax, source, texts, found) => {
    expect(await checksOf(syntax, source, texts)).toEqual(found);
  });
});

it.each([
  ["a.po", ["ends error"]],
  ["a.POT", ["ends error"]],
  ["a.json", []],
])("line breaks at the ends of texts are checked in %s: %j", async (name, found) => {
  const { settings } = hiveOf({});
  const locale = toLocale("fr").code;
  const checker = new FileChecker(
    { rulesOf: formatRulesOf, settings, withHints: false },
    fileNamed(name),
    contentOf({ a: "Hi\n" }),
  );
  const checks: string[] = [];
  const take = ({ check, severity }: LocatedFinding) => checks.push(`${check} ${severity}`);
  await checker.checkAll(locale, new Map([["a", "Salut"]]), take);
  checker.check({ locale, key: "a" }, "Salut", take);
  expect(checks).toEqual([...found, ...found]);
});

it.each([
  ["{ -brand } öffnen", []],
  ['{ -brand(case: "dative") } öffnen', []],
  ["{ other } öffnen", []],
  ['"{ -quoted }" oder { -quoted } öffnen', []],
  ['"{ -marke }" öffnen', ["argument-extra error"]],
  ["{ other.title } öffnen", []],
  ["{ -elsewhere } öffnen", []],
  ['{ NUMBER($n) } öffnen { "{ x }" }', []],
  ["{ -marke } öffnen", ["argument-extra error"]],
  ["{ anderes } öffnen", ["argument-extra error"]],
  ["{ anderes.title } öffnen", ["argument-extra error"]],
  ["{ $n ->\n  [one] { -marke }\n *[other] { -brand }\n}", ["argument-extra error"]],
])("a reference of Fluent to what does not exist is found in %j: %j", async (text, found) => {
  const { settings } = hiveOf({});
  const locale = toLocale("de").code;
  const source = {
    open: "Open { -brand } { $n }",
    "-brand": "Skep",
    other: "Other",
    far: '{ -elsewhere } "{ -quoted }"',
  };
  const checker = new FileChecker(
    { rulesOf: formatRulesOf, settings },
    fileNamed("a.ftl"),
    contentOf(source),
  );
  const checks: string[] = [];
  const take = ({ check, severity }: LocatedFinding) =>
    severity === "error" && checks.push(`${check} ${severity}`);
  await checker.checkAll(locale, new Map([["open", text]]), take);
  checker.check({ locale, key: "open" }, text, take);
  expect(checks).toEqual([...found, ...found]);
});

it.each([
  ["messages.xlf", String.raw`\frac{x}{100} and {a|b}`, []],
  ["messages.xliff", "a {", []],
  ["messages.xlf", "{n, plural, other {#} {", ["syntax error"]],
  ["messages.json", "a {", ["syntax error"]],
] as const)("braces of a source text are faults where the app reads them: %s, %j", (name, source, found) => {
  const { settings } = hiveOf({});
  const checks = { level: "warn" as const, syntax: [{ files: "*", syntax: "icu" as const }] };
  const options = { rulesOf: formatRulesOf, settings: { ...settings, checks } };
  const checker = new FileChecker(options, fileNamed(name), contentOf({ a: source }));
  const all: string[] = [];
  checker.check({ locale: settings.sourceLocale.code, key: "a" }, source, ({ check, severity }) =>
    all.push(`${check} ${severity}`),
  );
  expect(all).toEqual(found);
});
