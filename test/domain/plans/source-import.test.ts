import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countStrings, type HiveContent } from "../../../src/domain/strings/hive-content.ts";
import { planSourceImport, type SourceImport } from "../../../src/domain/plans/source-import.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";
import { fileName, stringFile, text } from "../../helpers/arbitraries.ts";
import { applied, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { planTranslationImport } from "../../../src/domain/plans/translation-import.ts";
import { toSourceFiles } from "../../../src/domain/strings/payload.ts";
import { forAll } from "../../helpers/runs.ts";

async function plan(
  hive: HiveContent,
  files: unknown,
  mode: SourceImport["mode"] = "import",
  conflictStrategy: SourceImport["conflictStrategy"] = "keep",
) {
  return await planSourceImport(hive, { files: await toSourceFiles(files), mode, conflictStrategy });
}

function blobs(hive: HiveContent, locale = "en"): Record<string, unknown> {
  if (locale === "en")
    return Object.fromEntries(Array.from(hive.source, ([name, { group }]) => [name, group]));
  const files =
    hive.translations.get(toLocale(locale).code) ?? new Map<string, ReadonlyMap<string, string>>();
  return Object.fromEntries(Array.from(files, ([name, texts]) => [name, Object.fromEntries(texts)]));
}

const translated = hiveOf({
  files: { "auth.php": { failed: "Failed", nav: { home: "Home", out: "Out" } }, "b.php": { x: "X" } },
  translations: {
    fr: { "auth.php": { failed: "Échec", "nav.home": "Accueil" }, "b.php": { x: "XX" } },
    de: { "auth.php": { failed: "Fehler" } },
  },
  locales: ["fr", "de"],
});

describe("an import", () => {
  it("creates, updates, counts the same, and leaves the rest", async () => {
    const { counts, writes, changes } = await plan(translated, {
      "auth.php": { failed: "No", nav: { home: "Home" }, new: "N" },
    });
    expect(counts).toEqual({ created: 1, updated: 1, unchanged: 1, deleted: 0, translationsCleared: 0 });
    expect(writes.map(({ locale, file }) => `${locale}/${file}`)).toEqual(["en/auth.php"]);
    expect(writes[0]?.content?.group).toEqual({ failed: "No", nav: { home: "Home", out: "Out" }, new: "N" });
    expect(changes).toEqual([
      { change: "created", locale: "en", file: "auth.php", key: "new", after: "N" },
      { change: "updated", locale: "en", file: "auth.php", key: "failed", before: "Failed", after: "No" },
    ]);
  });

  it("clears translations of changed texts in every locale when told to", async () => {
    const { counts, writes, changes } = await plan(
      translated,
      { "auth.php": { failed: "No" } },
      "import",
      "clear",
    );
    expect(counts).toMatchObject({ updated: 1, translationsCleared: 2 });
    expect(changes.filter(({ change }) => change === "cleared")).toEqual([
      { change: "cleared", locale: "fr", file: "auth.php", key: "failed", before: "Échec" },
      { change: "cleared", locale: "de", file: "auth.php", key: "failed", before: "Fehler" },
    ]);
    expect(writes.find(({ locale }) => locale === "de")?.content).toBeUndefined();
    expect(blobs(applied(translated, { counts, writes, changes }), "fr")["auth.php"]).toEqual({
      "nav.home": "Accueil",
    });
  });

  it("writes nothing when nothing changes, whatever the spelling", async () => {
    expect(await plan(translated, { "auth.php": { "nav.home": "Home" } })).toEqual({
      counts: { created: 0, updated: 0, unchanged: 1, deleted: 0, translationsCleared: 0 },
      writes: [],
      changes: [],
    });
    expect((await plan(translated, {})).writes).toEqual([]);
    expect((await plan(translated, [])).writes).toEqual([]);
    expect((await plan(translated, { "new.php": [], "other.php": { attributes: {} } })).writes).toEqual([]);
  });

  it("keeps an empty group that comes with the first keys, and adds one that comes later", async () => {
    const first = await plan(hiveOf({}), { "v.php": { required: "R", attributes: [] } });
    const hive = applied(hiveOf({}), first);
    expect(blobs(hive)).toEqual({ "v.php": { required: "R", attributes: [] } });
    const later = await plan(hive, { "v.php": { custom: {} } });
    expect(later.counts).toMatchObject({ created: 0, updated: 0 });
    expect(later.writes[0]?.content?.group).toEqual({ required: "R", attributes: [], custom: {} });
  });

  it("moves the translations along when a group is dissolved", async () => {
    const { writes } = await plan(translated, { "auth.php": { nav: "Navigation" } });
    expect(JSON.stringify(writes.find(({ locale }) => locale === "fr")?.content?.group)).toBe(
      '{"failed":"Échec","nav.home":"Accueil"}',
    );
    expect(writes.some(({ locale }) => locale === "de")).toBe(false);
  });

  it("refuses file names that clash with those of the Hive, and names both", async () => {
    await expect(plan(translated, { "Auth.php": { a: "x" } })).rejects.toThrow(
      /files\.Auth\.php: .*auth\.php only by case/,
    );
    await expect(plan(translated, { "auth.php.json/x.php": { a: "x" } })).rejects.toThrow(
      "cannot be stored beside",
    );
    await plan(translated, { "Auth.php": {} });
  });

  it("keeps translations that were stored before their source string", async () => {
    const orphan = hiveOf({ translations: { fr: { "new.php": { a: "A?" } } } });
    const after = applied(orphan, await plan(orphan, { "new.php": { a: "x" } }));
    expect([...after.source.keys()]).toEqual(["new.php"]);
    expect(blobs(after, "fr")).toEqual(blobs(orphan, "fr"));
  });
});

describe("very many strings", () => {
  const numbered = (n: number, value: (i: number) => unknown) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, value(i)]));

  it("are imported and removed in one request", async () => {
    const files = { "a.php": numbered(50_000, () => "x") };
    expect((await plan(hiveOf({}), files)).counts.created).toBe(50_000);
    expect((await plan(hiveOf({ files }), { "a.php": {} }, "sync")).counts.deleted).toBe(50_000);
  });

  it("an import cannot grow a file past what can be read again", async () => {
    const long = (letter: string) => ({ "a.php": { [letter.repeat(4_000)]: numbered(4_500, () => "x") } });
    const hive = hiveOf({ files: long("p") });
    await expect(plan(hive, long("q"))).rejects.toThrow(/^files\.a\.php: flattens to keys of more than/);
    await plan(hive, long("q"), "sync");
  });
});

describe("a sync", () => {
  it("deletes what a named file does not have, with its translations, and leaves other files", async () => {
    const { counts, writes, changes } = await plan(
      translated,
      { "auth.php": { nav: { out: "Out" } } },
      "sync",
    );
    expect(counts).toEqual({ created: 0, updated: 0, unchanged: 1, deleted: 2, translationsCleared: 0 });
    const after = applied(translated, { counts, writes, changes });
    expect(blobs(after)).toEqual({ "auth.php": { nav: { out: "Out" } }, "b.php": { x: "X" } });
    expect(blobs(after, "fr")).toEqual({ "b.php": { x: "XX" } });
    expect(
      changes.filter(({ locale }) => locale === "fr").map(({ change, key }) => `${change} ${key}`),
    ).toEqual(["deleted failed", "deleted nav.home"]);
  });

  it("removes a file that has no keys, and its translations", async () => {
    for (const empty of [{}, [], { attributes: [] }]) {
      const done = await plan(translated, { "b.php": empty }, "sync");
      expect(done.counts).toMatchObject({ deleted: 1 });
      expect(blobs(applied(translated, done))).not.toHaveProperty("b.php");
      expect(blobs(applied(translated, done), "fr")).not.toHaveProperty("b.php");
    }
    expect((await plan(translated, { "none.php": {} }, "sync")).writes).toEqual([]);
  });

  it("takes the payload's order and shape as a change with zero counts, and translations follow", async () => {
    const done = await plan(
      translated,
      { "auth.php": { "nav.home": "Home", nav: { out: "Out" }, failed: "Failed" } },
      "sync",
    );
    expect(done.counts).toEqual({ created: 0, updated: 0, unchanged: 3, deleted: 0, translationsCleared: 0 });
    expect(done.changes).toEqual([]);
    const texts = done.writes.map(({ locale, content }) => `${locale} ${JSON.stringify(content?.group)}`);
    expect(texts).toEqual([
      'en {"nav.home":"Home","nav":{"out":"Out"},"failed":"Failed"}',
      'fr {"nav.home":"Accueil","failed":"Échec"}',
    ]);
  });

  it("can swap a file for one that would clash with it", async () => {
    const done = await plan(translated, { "b.php": {}, "B.php": { x: "X" } }, "sync");
    expect(Object.keys(blobs(applied(translated, done)))).toEqual(["B.php", "auth.php"]);
    const folder = await plan(translated, { "b.php": [], "b.php.json/c": { x: "X" } }, "sync");
    expect(Object.keys(blobs(applied(translated, folder)))).toEqual(["auth.php", "b.php.json/c"]);
  });
});

describe("any import or sync", () => {
  const files = fc
    .dictionary(fileName, stringFile, { maxKeys: 3 })
    .map((named) => new Map(Object.entries(named)));
  const request = fc.record({
    files: files.map((map) => new Map(Array.from(map, ([name, file]) => [fileNamed(name), file]))),
    mode: fc.constantFrom("import" as const, "sync" as const),
    conflictStrategy: fc.constantFrom("keep" as const, "clear" as const),
  });
  const translations = fc.dictionary(
    fileName,
    fc.dictionary(
      fc.constantFrom("a", "b", "a.b", "0", "1", "a_one", "a_few", "a_many", "a.many", "one", "a_other"),
      text,
    ),
  );

  it("counts every string, is the same after a restart, and changes nothing the second time", async () => {
    await forAll(150, request, request, translations, async (first, second, texts) => {
      const empty = hiveOf({ locales: ["ru"] });
      const started = applied(empty, await planSourceImport(empty, first));
      const sent = new Map(
        Object.entries(texts).map(([name, keys]) => [name, new Map(Object.entries(keys))]),
      );
      const hive = applied(
        started,
        await planTranslationImport(started, {
          locale: toLocale("ru"),
          files: sent,
          overwriteStrategy: "skip",
        }),
      );

      const done = await planSourceImport(hive, second);
      const { created, updated, unchanged, deleted } = done.counts;
      const total = [...second.files.values()].reduce((sum, file) => sum + file.texts.size, 0);
      expect(created + updated + unchanged).toBe(total);

      const after = applied(hive, done);
      expect(countStrings(after.source)).toBe(countStrings(hive.source) + created - deleted);
      for (const [file, { texts: wanted }] of second.files) {
        for (const [key, value] of wanted) expect(after.source.get(file)?.texts.get(key)).toBe(value);
        if (second.mode === "sync") expect(after.source.get(file)?.texts.size ?? 0).toBe(wanted.size);
      }
      for (const file of hive.source.keys()) {
        if (!second.files.has(file)) expect(after.source.get(file)).toBe(hive.source.get(file));
      }
      for (const [file, kept] of after.translations.get(toLocale("ru").code) ?? []) {
        const keys = translatableTexts(after.source.get(file));
        for (const key of kept.keys()) expect(keys.has(key)).toBe(true);
      }

      const again = await planSourceImport(after, second);
      expect(again.writes).toEqual([]);
      expect(again.counts).toMatchObject({ created: 0, updated: 0, deleted: 0, translationsCleared: 0 });
    });
  });
});
