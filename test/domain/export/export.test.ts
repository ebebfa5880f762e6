import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bundlePrefixes, exportNames } from "../../../src/domain/export/export-names.ts";
import type { HiveContent } from "../../../src/domain/strings/hive-content.ts";
import type { FormatName, Shape } from "../../../src/domain/export/formats/formats.ts";
import { localeNamed } from "../../../src/domain/hives/hive-settings.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { isFileName, foldCase } from "../../../src/domain/names.ts";
import { formatGroup, type StringFile, type Texts } from "../../../src/domain/strings/string-file.ts";
import { compareBytes } from "../../../src/domain/text.ts";
import { fileName, someTexts, stringFile } from "../../helpers/arbitraries.ts";
import { contentOf, exportAllLocales, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { readPhpArray } from "../../helpers/php.ts";
import { packTexts } from "../../../src/domain/strings/packed-texts.ts";
import { exportLocale } from "../../helpers/domain.ts";
import { planTranslationImport } from "../../../src/domain/plans/translation-import.ts";
import { toTranslationFiles } from "../../../src/domain/strings/payload.ts";
import { forAll, forAllSync } from "../../helpers/runs.ts";

async function exported(
  hive: HiveContent,
  code: string,
  format: FormatName,
  shape?: Shape,
): Promise<Record<string, string>> {
  const locale = localeNamed(hive.settings, code);
  if (locale === undefined) throw new Error("no such locale");
  return Object.fromEntries(await exportLocale(hive, locale, format, { shape }));
}

/** A Hive of one file, with those translations into French. */
function filledHive(content: StringFile, texts: Texts): HiveContent {
  const file = fileNamed("a.php");
  const { settings } = hiveOf({ locales: ["fr"] });
  const [french] = settings.targetLocales;
  if (french === undefined) throw new Error("no locale");
  const translations = new Map([[french.code, new Map([[file, texts]])]]);
  return { settings, source: new Map([[file, content]]), translations };
}

function names(files: readonly string[], extension: string): Record<string, string> {
  return Object.fromEntries(exportNames(files.map(fileNamed), extension));
}

describe("the names of exported files", () => {
  it.each<[string[], string, Record<string, string>]>([
    [["auth.php", "en.json"], ".json", { "auth.php": "auth.json", "en.json": "en.json" }],
    [["auth.php", "en.json"], ".php", { "auth.php": "auth.php", "en.json": "en.php" }],
    [["auth.json", "auth.php"], ".json", { "auth.json": "auth.json", "auth.php": "auth.php.json" }],
    [
      ["a.json", "a.php", "a.php.json"],
      ".json",
      { "a.json": "a.json", "a.php": "a.php.json.json", "a.php.json": "a.php.json" },
    ],
    [["a.php", "a.yaml"], ".json", { "a.php": "a.json", "a.yaml": "a.yaml.json" }],
    [["admin/menu.php", "menu"], ".json", { "admin/menu.php": "admin/menu.json", menu: "menu.json" }],
    [["Auth.php", "auth.json"], ".json", { "Auth.php": "Auth.php.json", "auth.json": "auth.json" }],
  ])("of %j with %s", (files, extension, expected) => expect(names(files, extension)).toEqual(expected));

  it("are all different, even where case does not count, and can lie beside each other", () => {
    const part = fc.constantFrom("a", "A", "a.php", "a.json", "b.php", "a.php.json", "a.json.php");
    const name = fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join("/"));
    forAllSync(
      75,
      fc.uniqueArray(name, { selector: foldCase, maxLength: 8 }),
      fc.constantFrom(".json", ".php"),
      (made, extension) => {
        const files = made.filter(isFileName).toSorted(compareBytes);
        const given = exportNames(files, extension);
        const folded = [...given.values()].map(foldCase);
        expect(new Set(folded).size).toBe(files.length);
        for (const file of files) {
          expect(given.get(file)).toMatch(new RegExp(`\\${extension}$`));
          if (file.endsWith(extension)) expect(given.get(file)).toBe(file);
        }
      },
    );
  });
});

describe("the keys of an export of all locales", () => {
  function prefixes(files: readonly string[], source = "en"): Record<string, string> {
    const hive = hiveOf({ source, files: Object.fromEntries(files.map((name) => [name, { k: "x" }])) });
    return Object.fromEntries(bundlePrefixes(hive).map(({ file, prefix }) => [file, prefix]));
  }

  it.each<[string[], string, Record<string, string>]>([
    [["en.json"], "en", { "en.json": "" }],
    [["auth.php", "en.json", "en.php"], "en", { "en.json": "", "en.php": "", "auth.php": "auth." }],
    [
      ["pt_BR.json", "pt-br.php", "x.php"],
      "pt-BR=pt_BR",
      { "pt_BR.json": "", "pt-br.php": "", "x.php": "x." },
    ],
    [["messages.json"], "en", { "messages.json": "" }],
    [["messages.yaml"], "en", { "messages.yaml": "" }],
    [["auth.php"], "en", { "auth.php": "auth." }],
    [
      ["auth.json", "auth.php", "b.php"],
      "en",
      { "auth.json": "auth.json.", "auth.php": "auth.php.", "b.php": "b." },
    ],
    [["admin/menu.php", "menu.php"], "en", { "admin/menu.php": "admin/menu.", "menu.php": "menu." }],
  ])("of %j in %s", (files, source, expected) => expect(prefixes(files, source)).toEqual(expected));
});

const hive = hiveOf({
  source: "en=en_US",
  locales: ["fr", "pt-BR=pt_BR"],
  files: {
    "auth.php": { failed: "Failed", nav: { home: "Home" }, days: ["Mon", "Tue", "Wed"], attributes: [] },
    "en.json": { "Hello. You?": "Hello. You?" },
    "z.php": { z: "Z" },
  },
  translations: {
    fr: { "auth.php": { failed: "Échec", "days.0": "lun", "days.2": "mer", orphan: "?" } },
    "pt-BR": { "en.json": { "Hello. You?": "Olá" } },
  },
});

describe("an export of one locale", () => {
  it("has every file, and in each only what is translated, flat and in file order", async () => {
    expect(await exported(hive, "fr", "json")).toEqual({
      "auth.json": '{\n  "failed": "Échec",\n  "days.0": "lun",\n  "days.2": "mer"\n}\n',
      "en.json": "{}\n",
      "z.json": "{}\n",
    });
  });

  it("is nested in PHP, with explicit keys where a list has gaps", async () => {
    expect(await exported(hive, "fr", "php")).toEqual({
      "auth.php":
        "<?php\n\nreturn [\n    'failed' => 'Échec',\n    'days' => [\n        0 => 'lun',\n        2 => 'mer',\n    ],\n];\n",
      "en.php": "<?php\n\nreturn [];\n",
      "z.php": "<?php\n\nreturn [];\n",
    });
  });

  it("writes a list that is complete from its start without keys, as PHP itself does", async () => {
    const days = hiveOf({
      locales: ["fr"],
      files: { "a.php": { days: ["Mon", "Tue", ["x"]] } },
      translations: { fr: { "a.php": { "days.0": "lun", "days.1": "mar" } } },
    });
    expect((await exported(days, "fr", "php"))["a.php"]).toBe(
      "<?php\n\nreturn [\n    'days' => [\n        'lun',\n        'mar',\n    ],\n];\n",
    );
  });

  it("an export of the source locale has its own texts, and its empty groups", async () => {
    expect((await exported(hive, "en_US", "json"))["auth.json"]).toContain('"days.1": "Tue"');
    expect(readPhpArray((await exported(hive, "en", "php"))["auth.php"] ?? "")).toEqual({
      failed: "Failed",
      nav: { home: "Home" },
      days: ["Mon", "Tue", "Wed"],
      attributes: [],
    });
  });
});

describe("nested JSON", () => {
  it("has the nesting of the source, with index keys where a list has gaps", async () => {
    const source = await exported(hive, "en", "json", "nested");
    expect(source["auth.json"]).toBe(formatGroup(hive.source.get(fileNamed("auth.php"))?.group ?? {}));
    expect(await exported(hive, "fr", "json", "nested")).toEqual({
      "auth.json": '{\n  "failed": "Échec",\n  "days": {\n    "0": "lun",\n    "2": "mer"\n  }\n}\n',
      "en.json": "{}\n",
      "z.json": "{}\n",
    });
    const keys = { a: "leaf", "a.b": "and parent", "Hello. You?": "dots" };
    const literal = await exported(hiveOf({ files: { "k.json": keys } }), "en", "json", "nested");
    expect(JSON.parse(literal["k.json"] ?? "")).toEqual(keys);
  });

  it("keeps a list in which nothing but empty source texts is missing, in PHP too, and goes back in", async () => {
    const months = { months: ["", "January", ["", [[]]], ["", "x"], "May"], gap: ["", "a", "b"] };
    const translated = { "months.1": "janvier", "months.3.1": "y", "months.4": "mai", "gap.2": "c" };
    const translations = { fr: { "a.php": translated } };
    const dates = hiveOf({ files: { "a.php": months }, translations });
    const expected = { months: ["", "janvier", [], ["", "y"], "mai"], gap: { "2": "c" } };
    const nested = JSON.parse((await exported(dates, "fr", "json", "nested"))["a.json"] ?? "");
    expect(nested).toEqual(expected);
    const code = (await exported(dates, "fr", "php"))["a.php"] ?? "";
    expect(readPhpArray(code)).toEqual(expected);
    expect(code).not.toContain("0 =>");
    const files = await toTranslationFiles({ "a.json": nested });
    const locale = toLocale("fr");
    const plan = await planTranslationImport(dates, { locale, files, overwriteStrategy: "overwrite" });
    expect(plan.counts).toEqual({ created: 0, updated: 0, skipped: 6, unknown: 0 });
  });

  it("is an empty object for a list that is not translated", async () => {
    const days = hiveOf({ files: { "days.json": ["Mon", "Tue"] } });
    expect(await exported(days, "fr", "json", "nested")).toEqual({ "days.json": "{}\n" });
    expect(await exported(days, "en", "json", "nested")).toEqual({
      "days.json": '[\n  "Mon",\n  "Tue"\n]\n',
    });
  });

  it("nested JSON, flattened again, is the flat export, for any content and translation", async () => {
    const example = stringFile.chain((content) => fc.tuple(fc.constant(content), someTexts(content)));
    await forAll(75, example, async ([content, texts]) => {
      const filled = filledHive(content, texts);
      for (const locale of ["en", "fr"]) {
        const nested = JSON.parse((await exported(filled, locale, "json", "nested"))["a.json"] ?? "");
        // An empty text in a translation is no text: it only holds a place in a list.
        const flattened = [...contentOf(nested).texts].filter(([, text]) => locale === "en" || text !== "");
        const flatly = contentOf(JSON.parse((await exported(filled, locale, "json"))["a.json"] ?? "")).texts;
        expect(new Map(flattened.toSorted())).toEqual(new Map([...flatly].toSorted()));
      }
    });
  });
});

describe("an export of all locales", () => {
  it("is one JSON file per locale, named by its code, also for the source locale", async () => {
    expect(Object.fromEntries(await exportAllLocales(hive, "json"))).toEqual({
      "en_US.json": `${JSON.stringify(
        {
          "auth.failed": "Failed",
          "auth.nav.home": "Home",
          "auth.days.0": "Mon",
          "auth.days.1": "Tue",
          "auth.days.2": "Wed",
          "Hello. You?": "Hello. You?",
          "z.z": "Z",
        },
        null,
        2,
      )}\n`,
      "fr.json": '{\n  "auth.failed": "Échec",\n  "auth.days.0": "lun",\n  "auth.days.2": "mer"\n}\n',
      "pt_BR.json": '{\n  "Hello. You?": "Olá"\n}\n',
    });
  });

  it("nested has the stems of files as the first level, and bare files at the root", async () => {
    const menus = hiveOf({
      locales: ["fr"],
      files: {
        "admin/menu.php": { x: { y: "Y" } },
        "auth.php": { nav: { home: "Home" }, days: ["Mon", "Tue", "Wed"] },
        "en.json": { Hello: "Hello", auth: { title: "Title" }, menu: "Menu" },
        "menu.php": { a: { b: "B" } },
        "__proto__.php": { p: "P" },
      },
      translations: {
        fr: { "auth.php": { "days.0": "lun", "days.2": "mer" }, "en.json": { "auth.title": "T" } },
      },
    });
    const files = await exportAllLocales(menus, "json", "nested");
    expect(files.get("en.json")).toBe(
      `${JSON.stringify(
        {
          Hello: "Hello",
          auth: { title: "Title", nav: { home: "Home" }, days: ["Mon", "Tue", "Wed"] },
          menu: "Menu",
          ["__proto__"]: { p: "P" },
          "admin/menu": { x: { y: "Y" } },
          "menu.a.b": "B",
        },
        null,
        2,
      )}\n`,
    );
    expect(JSON.parse(files.get("fr.json") ?? "")).toEqual({
      auth: { title: "T", days: { 0: "lun", 2: "mer" } },
    });
    expect((await exportAllLocales(hiveOf({}), "json", "nested")).get("fr.json")).toBe("{}\n");
  });

  it("nested flattens to the flat one, and goes back in, for any content and translation", async () => {
    const translated = stringFile.chain((file) => fc.tuple(fc.constant(file), someTexts(file)));
    const named = fc.oneof(
      fileName,
      fc.constantFrom("a.php", "a.json", "a.b.php", "a.b", "en.json", "en.php"),
    );
    const files = fc.uniqueArray(fc.tuple(named, translated), { selector: ([name]) => name, maxLength: 4 });
    const { settings } = hiveOf({ locales: ["fr"] });
    await forAll(150, files, async (unsorted) => {
      const entries = unsorted
        .map(([name, content]) => [fileNamed(name), content] as const)
        .toSorted(([a], [b]) => compareBytes(a, b));
      const source = new Map(entries.map(([name, [file]]) => [name, file]));
      const french = new Map(entries.map(([name, [file, texts]]) => [name, packTexts(texts, file.texts)]));
      const translations = new Map(settings.targetLocales.map(({ code }) => [code, french]));
      const any: HiveContent = { settings, source, translations };
      const flat = await exportAllLocales(any, "json");
      const nested = await exportAllLocales(any, "json", "nested");
      expect([...nested.keys()]).toEqual([...flat.keys()]);
      for (const [name, content] of nested) {
        const texts = (text: string) => new Map([...contentOf(JSON.parse(text)).texts].toSorted());
        expect(texts(content)).toEqual(texts(flat.get(name) ?? ""));
      }
      const [locale = expect.fail()] = settings.targetLocales;
      const sent = await toTranslationFiles({ "fr.json": JSON.parse(nested.get("fr.json") ?? "") });
      const back = await planTranslationImport(any, { locale, files: sent, overwriteStrategy: "skip" });
      expect(back.counts.unknown).toBe(0);
    });
  });

  it("to PHP has a folder per locale", async () => {
    const files = await exportAllLocales(hive, "php");
    expect([...files.keys()]).toEqual(
      ["en_US", "fr", "pt_BR"].flatMap((code) =>
        ["auth.php", "en.php", "z.php"].map((file) => `${code}/${file}`),
      ),
    );
    expect(files.get("pt_BR/en.php")).toBe("<?php\n\nreturn [\n    'Hello. You?' => 'Olá',\n];\n");
  });

  it("gives a shared key to the bare string, then to the earlier file, among those that are translated", async () => {
    const shared = hiveOf({
      files: { "a.php": { x: "from a" }, "en.json": { "a.x": "bare" } },
      locales: ["fr", "de"],
      translations: { fr: { "a.php": { x: "A" }, "en.json": { "a.x": "B" } }, de: { "a.php": { x: "A" } } },
    });
    const files = await exportAllLocales(shared, "json");
    expect(JSON.parse(files.get("en.json") ?? "")).toEqual({ "a.x": "bare" });
    expect(JSON.parse(files.get("fr.json") ?? "")).toEqual({ "a.x": "B" });
    expect(JSON.parse(files.get("de.json") ?? "")).toEqual({ "a.x": "A" });
  });

  it("decides on a shared key whatever the order of the files", async () => {
    const bareFirst = hiveOf({ files: { "en.json": { "z.x": "bare" }, "z.php": { x: "from z" } } });
    expect((await exportAllLocales(bareFirst, "json")).get("en.json")).toBe('{\n  "z.x": "bare"\n}\n');
    const neither = hiveOf({ files: { "a.b.php": { c: "earlier" }, "a.php": { b: { c: "later" } } } });
    expect((await exportAllLocales(neither, "json")).get("en.json")).toBe('{\n  "a.b.c": "earlier"\n}\n');
  });

  it("has integer-like keys first, whichever file they are from", async () => {
    const codes = hiveOf({
      files: { "auth.php": { x: "X" }, "en.json": { b: "B", 404: "none", 30: "far" } },
    });
    expect((await exportAllLocales(codes, "json")).get("en.json")).toBe(
      '{\n  "30": "far",\n  "404": "none",\n  "auth.x": "X",\n  "b": "B"\n}\n',
    );
  });

  it("is written as JSON.stringify does, flat and nested, for any content", async () => {
    const files = fc.uniqueArray(fc.tuple(fileName, stringFile), {
      selector: ([name]) => name,
      maxLength: 3,
    });
    const { settings } = hiveOf({});
    await forAll(150, files, fc.constantFrom("flat" as const, "nested" as const), async (entries, shape) => {
      const hive: HiveContent = { settings, source: new Map(entries), translations: new Map() };
      for (const content of (await exportAllLocales(hive, "json", shape)).values())
        expect(content).toBe(`${JSON.stringify(JSON.parse(content), null, 2)}\n`);
    });
  });
});

describe("PHP", () => {
  const file = async (content: unknown): Promise<string> =>
    (await exported(hiveOf({ files: { "a.php": content } }), "en", "php"))["a.php"] ?? "";

  it("writes a backslash before every backslash and quote, and nothing else", async () => {
    expect(await file({ "it's": "\\'; system('id'); //" })).toContain(
      String.raw`'it\'s' => '\\\'; system(\'id\'); //',`,
    );
    expect(await file({ a: "?> <?php $x {$y} \n \r\n #" })).toContain("'a' => '?> <?php $x {$y} \n \r\n #',");
  });

  it("writes index names as integers and all others as strings", async () => {
    expect(await file({ 404: "a", "01": "b", "-1": "c", "1.5": "d", "": "e" })).toBe(
      "<?php\n\nreturn [\n    404 => 'a',\n    '01' => 'b',\n    '-1' => 'c',\n    '1.5' => 'd',\n    '' => 'e',\n];\n",
    );
  });

  it("is read back as the same array by a PHP parser, for any content and translation", async () => {
    const example = stringFile.chain((content) => fc.tuple(fc.constant(content), someTexts(content)));
    await forAll(75, example, async ([content, translated]) => {
      const filled = filledHive(content, translated);
      for (const [locale, expected] of [
        ["en", content.texts],
        ["fr", translated],
      ] as const) {
        const php = readPhpArray((await exported(filled, locale, "php"))["a.php"] ?? "");
        const texts = [...flat(php)].filter(([, text]) => locale === "en" || text !== "");
        expect(new Map(texts)).toEqual(new Map([...expected].toSorted()));
      }
    });
  });
});

/** Texts by flattened key, sorted; PHP turns `'5'` into `5`, which is the same key here. */
function flat(value: unknown, prefix = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "string") found.set(prefix + name, inner);
      else flat(inner, `${prefix}${name}.`, found);
    }
  }
  return new Map([...found].toSorted());
}
