import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HiveContent, SourceFiles } from "../../../src/domain/strings/hive-content.ts";
import { localeNamed } from "../../../src/domain/hives/hive-settings.ts";
import {
  planTranslationImport,
  type OverwriteStrategy,
} from "../../../src/domain/plans/translation-import.ts";
import { exportNames } from "../../../src/domain/export/export-names.ts";
import { fileName, stringFile, text } from "../../helpers/arbitraries.ts";
import { applied, exportAllLocales, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { planSourceImport } from "../../../src/domain/plans/source-import.ts";
import { maxKeyBytes } from "../../../src/domain/strings/string-file.ts";
import { toTranslationFiles } from "../../../src/domain/strings/payload.ts";
import { exportLocale } from "../../helpers/domain.ts";
import { forAll } from "../../helpers/runs.ts";

async function plan(hive: HiveContent, files: unknown, strategy: OverwriteStrategy = "skip", code = "fr") {
  const locale = localeNamed(hive.settings, code);
  if (locale === undefined) throw new Error("no such locale");
  return await planTranslationImport(hive, {
    locale,
    files: await toTranslationFiles(files),
    overwriteStrategy: strategy,
  });
}

/** What became of the texts: `file key=text`, in order. */
async function accepted(hive: HiveContent, files: unknown, code = "fr"): Promise<string[]> {
  return (await plan(hive, files, "overwrite", code)).changes.map(
    ({ file, key, after }) => `${file} ${key}=${after}`,
  );
}

const hive = hiveOf({
  source: "en=en_US",
  locales: ["fr", "pt-BR=pt_BR"],
  files: {
    "auth.php": { failed: "Failed", nav: { home: "Home" }, days: ["Mon", "Tue"] },
    "auth.json": { title: "Title" },
    "en.json": { Hello: "Hello", "auth.php.failed": "bare wins" },
    "admin/menu.php": { x: "X" },
  },
  translations: { fr: { "auth.php": { failed: "Échec" } } },
});

describe("a translation import", () => {
  it("creates, and leaves what is there", async () => {
    const { counts, writes } = await plan(hive, {
      "auth.php": { failed: "Raté", nav: { home: "Accueil" }, nope: "?" },
    });
    expect(counts).toEqual({ created: 1, updated: 0, skipped: 1, unknown: 1 });
    expect(writes[0]?.content?.group).toEqual({ failed: "Échec", nav: { home: "Accueil" } });
  });

  it("replaces what is there when told to, but counts the same text as skipped", async () => {
    expect((await plan(hive, { "auth.php": { failed: "Raté" } }, "overwrite")).counts).toMatchObject({
      updated: 1,
      skipped: 0,
    });
    const same = await plan(hive, { "auth.php": { failed: "Échec" } }, "overwrite");
    expect(same.counts).toEqual({ created: 0, updated: 0, skipped: 1, unknown: 0 });
    expect(same.writes).toEqual([]);
  });

  it("takes an empty text or null for no translation, and never erases one", async () => {
    const { counts, writes } = await plan(
      hive,
      { "auth.php": { failed: "", nav: { home: null }, nope: "" } },
      "overwrite",
    );
    expect(counts).toEqual({ created: 0, updated: 0, skipped: 2, unknown: 1 });
    expect(writes).toEqual([]);
  });

  it("keeps the source's shape, with gaps in lists as objects", async () => {
    const { writes } = await plan(hive, { "auth.php": { days: { 1: "Mardi" } } });
    expect(JSON.stringify(writes[0]?.content?.group)).toBe('{"failed":"Échec","days":{"1":"Mardi"}}');
    const full = await plan(applied(hive, { counts: {}, writes, changes: [] }), {
      "auth.php": { "days.0": "Lundi" },
    });
    expect(JSON.stringify(full.writes[0]?.content?.group)).toBe(
      '{"failed":"Échec","days":["Lundi","Mardi"]}',
    );
  });

  it("accepts [] for nothing", async () => {
    expect((await plan(hive, [])).counts).toEqual({ created: 0, updated: 0, skipped: 0, unknown: 0 });
    expect((await plan(hive, { "auth.php": { nav: [] }, "x.php": [] })).writes).toEqual([]);
  });
});

describe("the file that a name means", () => {
  it.each<[string, unknown, string[]]>([
    ["a source file of that name", { "auth.json": { title: "T" } }, ["auth.json title=T"]],
    ["an exported name on a clash", { "auth.php.json": { failed: "F" } }, ["auth.php failed=F"]],
    ["the name of a stored file", { "admin/menu.php.json": { x: "Y" } }, ["admin/menu.php x=Y"]],
    ["a stored name below the code", { "fr/admin/menu.php.json": { x: "Y" } }, ["admin/menu.php x=Y"]],
    ["a stored name from a clone's root", { "locales/fr/en.json.json": { Hello: "H" } }, ["en.json Hello=H"]],
    ["no stored name below another code", { "locales/de/admin/menu.php.json": { x: "Y" } }, []],
    ["an exported name in the other format", { "admin/menu.json": { x: "Y" } }, ["admin/menu.php x=Y"]],
    ["an exported name below the locale's code", { "fr/auth.php": { failed: "F" } }, ["auth.php failed=F"]],
    [
      "an exported name below the code in another case",
      { "FR/admin/menu.json": { x: "Y" } },
      ["admin/menu.php x=Y"],
    ],
    ["the request's locale", { "fr.json": { Hello: "Salut" } }, ["en.json Hello=Salut"]],
    ["the source locale's canonical code", { "en.json": { Hello: "Salut" } }, ["en.json Hello=Salut"]],
    ["the source locale's custom code", { "en_US.json": { Hello: "Salut" } }, ["en.json Hello=Salut"]],
    [
      "nothing",
      { "nope.php": { failed: "F" }, "de.json": { Hello: "H" }, "../x": { a: "b" }, "": { a: "b" } },
      [],
    ],
    ["nothing below another locale's code", { "de/auth.php": { failed: "F" } }, []],
  ])("is found: %s", async (_, files, expected) => expect(await accepted(hive, files)).toEqual(expected));

  it("is found by the custom code of the request's locale", async () => {
    expect(
      await accepted(hive, { "pt_BR.json": { Hello: "Olá" }, "pt_BR/auth.php": { failed: "F" } }, "pt-br"),
    ).toEqual(["auth.php failed=F", "en.json Hello=Olá"]);
    expect(await accepted(hive, { "pt-BR.json": { Hello: "Olá" } }, "pt_BR")).toEqual(["en.json Hello=Olá"]);
  });

  describe("of a Hive whose files have the code of the source locale in their names", () => {
    const coded = hiveOf({
      source: "en=en_US",
      locales: ["fr", "pt-BR=pt_BR"],
      files: {
        "en/common.json": { k: "1" },
        "en/auth.php": { k: "2" },
        "lang/en_US.json": { k: "3" },
        "app.en.json": { k: "4" },
        "app_en.properties": { k: "5" },
        "twice/en/x.json": { k: "6" },
        "twice/en_US/x.json": { k: "7" },
        "open.json": { k: "8" },
      },
    });

    it.each([
      ["fr", "fr/common.json", "en/common.json"],
      ["fr", "FR/common.json", "en/common.json"],
      ["fr", "fr/auth.php", "en/auth.php"],
      ["fr", "fr/auth.json", "en/auth.php"],
      ["fr", "lang/fr.json", "lang/en_US.json"],
      ["fr", "app.fr.json", "app.en.json"],
      ["fr", "app_fr.properties", "app_en.properties"],
      ["pt-BR", "pt_BR/common.json", "en/common.json"],
      ["pt-BR", "app_pt-BR.properties", "app_en.properties"],
      ["fr", "en/common.json", "en/common.json"],
      ["fr", "de/common.json", undefined],
      ["fr", "pt_BR/common.json", undefined],
      ["fr", "twice/fr/x.json", undefined],
      ["fr", "opfr.json", undefined],
      ["fr", "common.json", undefined],
    ])("a name for %s is found: %s is %s", async (code, name, file) => {
      const taken = await accepted(coded, { [name]: { k: "T" } }, code);
      expect(taken).toEqual(file === undefined ? [] : [`${file} k=T`]);
    });
  });

  it("an unknown file name is never an error", async () => {
    expect((await plan(hive, { "\u0000": { a: "x", b: { c: "y" } } })).counts).toMatchObject({ unknown: 2 });
  });
});

describe("a key as long as one may be", () => {
  const longest = "k".repeat(maxKeyBytes);
  const plural = `${"p".repeat(maxKeyBytes - "_other".length)}_other`;
  const named = "n".repeat(196);
  const long = hiveOf({
    locales: ["fr"],
    files: {
      "auth.php": { [longest]: "1" },
      [`${named}/a.php`]: { [longest]: "2", [plural]: "3" },
      [`${named}/a.json`]: { [longest.slice(1)]: "4" },
    },
  });

  it.each(["flat", "nested"] as const)("comes back from a %s export of all locales", async (shape) => {
    const texts = {
      "auth.php": { [longest]: "un" },
      [`${named}/a.php`]: { [longest]: "deux", [plural]: "trois" },
    };
    const { writes } = await plan(long, texts);
    const filled = applied(long, { counts: {}, writes, changes: [] });
    const files = await exportAllLocales(filled, "json", shape);
    const sent = { "fr.json": JSON.parse(files.get("fr.json") ?? "") };
    const { counts } = await plan(filled, sent);
    expect(counts).toEqual({ created: 0, updated: 0, skipped: 3, unknown: 0 });
  });

  it("is the longest that is stored", async () => {
    const { counts, writes } = await plan(long, {
      [`${named}/a.php`]: { [`${longest}x`]: "x", [plural.replace("_other", "_manyyy")]: "x" },
    });
    expect([counts.unknown, writes]).toEqual([2, []]);
    const tooLong = "k".repeat(maxKeyBytes + 257);
    await expect(plan(long, { "auth.php": { [tooLong]: "x" } })).rejects.toThrow("is longer than 4352 bytes");
  });
});

describe("a name that an export and a clone give to different files", () => {
  const two = hiveOf({ files: { a: { k: "1" }, "a.json": { k: "2" } } });

  it("means the Hive's own file first", async () => {
    expect(await accepted(two, { "a.json": { k: "T" } })).toEqual(["a.json k=T"]);
    const renamed = hiveOf({ files: { "b.php": { k: "1" }, b: { k: "2" }, "b.json": { k: "3" } } });
    const exported = await exportLocale(renamed, renamed.settings.targetLocales[0] ?? expect.fail(), "json");
    for (const [name] of exported) {
      const [first = ""] = await accepted(renamed, { [name]: { k: "T" } });
      const own = exportNames([...renamed.source.keys()], ".json");
      expect(own.get(fileNamed(first.split(" ")[0] ?? ""))).toBe(name);
    }
  });
});

describe("keys that are not taken", () => {
  it("are reported, with the string that a skipped one means", async () => {
    const done = await plan(hive, {
      "fr.json": { "auth.php.nav.home": "" },
      "auth.php": { failed: "x", nope: "?" },
    });
    expect(done.skipped).toEqual([
      { file: "auth.php", key: "failed", text: "Échec" },
      { file: "auth.php", key: "nav.home", text: undefined },
    ]);
    expect(done.counts).toMatchObject({ skipped: 2, unknown: 1 });
  });
});

describe("the keys of an export of all locales", () => {
  it("find their strings in any file, nested or flat, where the name is a locale's", async () => {
    expect(
      await accepted(hive, { "fr.json": { admin: {}, "admin/menu.x": "Y", auth: { json: { title: "T" } } } }),
    ).toEqual(["admin/menu.php x=Y", "auth.json title=T"]);
  });

  it("are tried after the own keys of a file that is named, and are shared under the locale's name", async () => {
    const key = { "auth.php.failed": "B" };
    expect(await accepted(hive, { "en.json": key })).toEqual(["en.json auth.php.failed=B"]);
    expect(await accepted(hive, { "fr.json": key })).toEqual([
      "en.json auth.php.failed=B",
      "auth.php failed=B",
    ]);
    expect(await accepted(hive, { "fr.json": key, "auth.php": { failed: "A" } })).toEqual([
      "auth.php failed=A",
      "en.json auth.php.failed=B",
    ]);
  });

  it("work in a Hive without a file named after a locale", async () => {
    const laravel = hiveOf({ files: { "auth.php": { failed: "F" } } });
    expect(await accepted(laravel, { "fr.json": { "auth.failed": "Raté", failed: "no" } })).toEqual([
      "auth.php failed=Raté",
    ]);
  });

  it("give a text to all strings that share a key", async () => {
    const shared = hiveOf({
      files: { "en.json": { "a.x": "1" }, "a.php": { x: "2" }, "b.json": { y: "3" } },
    });
    const done = await plan(shared, { "fr.json": { a: { x: "T" }, "b.y": "U" } });
    expect(done.counts).toEqual({ created: 2, updated: 0, skipped: 0, unknown: 0 });
    expect(done.changes.map(({ file, key }) => `${file} ${key}`)).toEqual([
      "en.json a.x",
      "b.json y",
      "a.php x",
    ]);
    const stems = hiveOf({
      files: { "a.php": { "json.x": "1" }, a: { "php.json.x": "2" }, "a.json": { x: "3" } },
    });
    const both = await plan(stems, { "fr.json": { "a.php.json.x": "T" } });
    expect(both.counts).toEqual({ created: 1, updated: 0, skipped: 0, unknown: 0 });
    expect(both.changes).toHaveLength(2);
  });
});

describe("very many files", () => {
  it("named after the source locale are distinguished by their extensions, each looked up once", async () => {
    const many = (name: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${name}.x${i}`, { k: String(i) }]));
    const { counts } = await plan(hiveOf({ files: many("en") }), many("fr"));
    expect(counts).toEqual({ created: 300, updated: 0, skipped: 0, unknown: 0 });
  });

  it("each give their own text to their own string, though all share a key", async () => {
    const two = hiveOf({ files: { "en.json": { k: "K" }, "en.php": { k: "K" }, "a.b": { x: "X" } } });
    const done = await plan(two, { "fr.json": { k: "J" }, "fr.php": { k: "P" } });
    expect(done.changes.map(({ file, after }) => `${file}=${after}`)).toEqual(["en.json=J", "en.php=P"]);
  });
});

describe("two texts for one string", () => {
  it("are settled by the better name, and the other is skipped", async () => {
    const files = {
      "fr.json": { "auth.php.nav.home": "C" },
      "auth.php.json": { nav: { home: "B" } },
      "auth.php": { nav: { home: "A" } },
    };
    const done = await plan(hive, files, "overwrite");
    expect(done.counts).toEqual({ created: 1, updated: 0, skipped: 2, unknown: 0 });
    expect(done.changes.map(({ after }) => after)).toEqual(["A"]);
    expect((await plan(applied(hive, done), files, "overwrite")).writes).toEqual([]);
  });
});

describe("any translation import", () => {
  const files = fc
    .dictionary(fileName, stringFile, { maxKeys: 3 })
    .map((named) => new Map(Object.entries(named).map(([name, file]) => [fileNamed(name), file])));
  const name = fc.oneof(
    fileName,
    fc.constantFrom("fr.json", "auth.php.json", "fr/auth.php", "admin/menu.json"),
  );
  const payload = fc
    .dictionary(
      name,
      fc.dictionary(fc.constantFrom("a", "b", "a.b", "0", "auth.a", "auth.php.a", "menu.a"), text),
    )
    .map(
      (named) =>
        new Map(Object.entries(named).map(([file, texts]) => [file, new Map(Object.entries(texts))])),
    );
  const strategy = fc.constantFrom<OverwriteStrategy>("skip", "overwrite");

  async function started(source: SourceFiles): Promise<HiveContent> {
    const empty = hiveOf({ locales: ["fr"] });
    return applied(
      empty,
      await planSourceImport(empty, { files: source, mode: "import", conflictStrategy: "keep" }),
    );
  }

  it("counts every text once and changes nothing the second time", async () => {
    await forAll(
      150,
      files,
      payload,
      payload,
      strategy,
      strategy,
      async (source, first, second, one, two) => {
        const empty = await started(source);
        const locale = empty.settings.targetLocales[0];
        if (locale === undefined) throw new Error("no locale");
        const before = applied(
          empty,
          await planTranslationImport(empty, { locale, files: first, overwriteStrategy: one }),
        );
        const request = { locale, files: second, overwriteStrategy: two };
        const done = await planTranslationImport(before, request);
        const { created, updated, skipped, unknown } = done.counts;
        const leaves = [...second.values()].reduce((sum, texts) => sum + texts.size, 0);
        expect(created + updated + skipped + unknown).toBe(leaves);
        if (two === "skip") expect(updated).toBe(0);
        const again = await planTranslationImport(applied(before, done), request);
        expect(again.writes).toEqual([]);
        expect(again.counts).toEqual({
          created: 0,
          updated: 0,
          skipped: created + updated + skipped,
          unknown,
        });
      },
    );
  });

  it("takes back every export of its locale and changes nothing", async () => {
    await forAll(75, files, payload, async (source, texts) => {
      const empty = await started(source);
      const locale = empty.settings.targetLocales[0];
      if (locale === undefined) throw new Error("no locale");
      const filled = applied(
        empty,
        await planTranslationImport(empty, { locale, files: texts, overwriteStrategy: "skip" }),
      );
      const exported = [...(await exportLocale(filled, locale, "json"))];
      const bundled = [...(await exportAllLocales(filled, "json"))].filter(([file]) => file === "fr.json");
      for (const files of [exported, bundled]) {
        const sent = Object.fromEntries(files.map(([file, content]) => [file, JSON.parse(content)]));
        const back = await planTranslationImport(filled, {
          locale,
          files: await toTranslationFiles(sent),
          overwriteStrategy: "skip",
        });
        expect(back.counts.unknown).toBe(0);
        if (files === exported) {
          expect(back.writes).toEqual([]);
          // Into an empty Hive it brings everything back.
          const anew = applied(
            empty,
            await planTranslationImport(empty, {
              locale,
              files: await toTranslationFiles(sent),
              overwriteStrategy: "skip",
            }),
          );
          expect([...(await exportLocale(anew, locale, "json"))]).toEqual(exported);
        }
      }
    });
  });
});
