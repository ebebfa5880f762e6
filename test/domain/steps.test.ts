import { describe, expect, it, vi } from "vitest";
import { exportBundled, exportLocale, exportWhole } from "../../src/domain/export/export.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import { detectMoves } from "../../src/domain/moves/detection.ts";
import { moveContent, translationMovesOf } from "../../src/domain/moves/moved-content.ts";
import { faultyChanges, FileChecker } from "../../src/domain/plans/check-content.ts";
import type { FileName } from "../../src/domain/names.ts";
import { Settlement } from "../../src/domain/plans/settlement.ts";
import { planMerge, listBranchChanges } from "../../src/domain/plans/merge.ts";
import { planSourceImport } from "../../src/domain/plans/source-import.ts";
import { planTranslationImport } from "../../src/domain/plans/translation-import.ts";
import { planTranslationRemoval } from "../../src/domain/plans/translation-removal.ts";
import { planUndo } from "../../src/domain/plans/undo.ts";
import { reviewWrites } from "../../src/domain/review/review.ts";
import { diffContent } from "../../src/domain/strings/content-diff.ts";
import { localeStats } from "../../src/domain/queries/locale-stats.ts";
import { skipNonTextValues } from "../../src/domain/strings/non-text-values.ts";
import { toSourceFiles, toTranslationFiles } from "../../src/domain/strings/payload.ts";
import { formatGroup, readFlatFile } from "../../src/domain/strings/string-file.ts";
import { differingKeys, StoredFile } from "../../src/domain/strings/stored-text.ts";
import { updateStaleMarkers } from "../../src/domain/strings/stale.ts";
import { foldSource, searchStrings, foldTranslation } from "../../src/domain/queries/string-search.ts";
import { listUntranslated } from "../../src/domain/queries/untranslated.ts";
import { formatRulesOf } from "../../src/formats/held/format-rules.ts";
import { fileNamed, hiveOf } from "../helpers/hive.ts";

/** How often work gives way to others, which looks at the clock. */
async function pausesOf(work: () => unknown): Promise<number> {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  try {
    await work();
    return clock.mock.calls.length;
  } finally {
    clock.mockRestore();
  }
}

it("checks of what a write changes pause among the changes", async () => {
  const { settings, source } = hiveOf({ files: { "a.json": { a: "A" } } });
  const change = {
    change: "updated",
    locale: settings.sourceLocale.code,
    file: fileNamed("a.json"),
    key: "a",
  } as const;
  const changes = Array.from({ length: 5_000 }, (_, i) => ({ ...change, before: "A", after: `{{a}} ${i}` }));
  const checkerOf = (file: FileName) =>
    new FileChecker({ rulesOf: formatRulesOf, settings }, file, source.get(file));
  expect(await pausesOf(() => faultyChanges(changes, checkerOf))).toBeGreaterThanOrEqual(4);
});

describe("work on many files pauses for each file", async () => {
  const count = 30;
  const names = Array.from({ length: count }, (_, i) => `f${i}.json`);
  const texts = (suffix: string) =>
    Object.fromEntries(names.map((name) => [name, { a: `A ${name}${suffix}`, b: `B ${name}` }]));
  const fr = toLocale("fr");
  const hive = (suffix: string) =>
    hiveOf({ locales: ["fr"], files: texts(suffix), translations: { fr: texts(" fr") } });
  const [before, after] = [hive(""), hive(" new")];
  const moved = {
    ...after,
    source: new Map([...after.source].map(([name, file]) => [fileNamed(`x${name}`), file])),
  };
  const marked = new Map([
    [fr.code, new Map(names.map((name) => [fileNamed(name), new Map([["a", "old"]])]))],
  ]);
  const none = new Map();
  const translated = await toTranslationFiles(texts(" other"));
  const change = await planSourceImport(before, {
    files: after.source,
    mode: "import",
    conflictStrategy: "keep",
  });
  const sides = {
    base: { content: before, markers: none },
    ours: { content: before, markers: none },
    theirs: { content: after, markers: none },
  };
  const moves = names.map((name) => ({
    from: { file: fileNamed(name), key: "a" },
    to: { file: fileNamed(name), key: "c" },
  }));
  const folded = {
    ofSource: foldSource,
    ofTranslation: (strings: Parameters<typeof foldSource>[0], own: ReadonlyMap<string, string>) =>
      foldTranslation(foldSource(strings), own),
  };
  const removal = { locale: fr, files: new Map(names.map((name) => [name, ["a"]])) };

  it.each<[string, () => Promise<unknown>]>([
    ["reading a source payload", () => toSourceFiles(texts(""))],
    ["reading a translation payload", () => toTranslationFiles(texts(""))],
    ["removing leaves", () => skipNonTextValues(texts(""), "source")],
    [
      "an import",
      () => planSourceImport(before, { files: after.source, mode: "import", conflictStrategy: "keep" }),
    ],
    [
      "a sync",
      () => planSourceImport(before, { files: after.source, mode: "sync", conflictStrategy: "clear" }),
    ],
    [
      "an import of translations",
      () => planTranslationImport(before, { locale: fr, files: translated, overwriteStrategy: "overwrite" }),
    ],
    ["a removal of translations", () => planTranslationRemoval(before, removal)],
    ["markers", () => updateStaleMarkers(before, marked, change)],
    ["an undo", () => planUndo({ ours: sides.theirs, base: sides.theirs, theirs: sides.base })],
    ["a merge", () => planMerge(sides, new Settlement())],
    ["a list of the changes of a branch", () => listBranchChanges(sides)],
    ["a difference", () => diffContent(before, after)],
    ["detection of moves", () => detectMoves(before.source, moved.source)],
    ["moves", () => moveContent(sides.base, moves)],
    ["statistics", () => localeStats(before, fr, {})],
    [
      "untranslated texts",
      () => listUntranslated(before, fr, {}, { offset: 0, limit: 1, states: new Set(["missing"]) }),
    ],
    [
      "a search",
      () => searchStrings(before, none, { offset: 0, limit: 1, text: "x", locales: [fr.code] }, folded),
    ],
    ["an export", () => exportLocale(before, fr, "json")],
    ["a PHP export of all locales", () => exportBundled(before, fr, { format: "php" })],
    ["one flat file", () => exportWhole(before, fr, "flat")],
    ["one nested file", () => exportWhole(before, fr, "nested")],
    [
      "markers of reviews",
      async () => {
        const request = { locale: fr, files: translated, overwriteStrategy: "overwrite" } as const;
        const { writes } = await planTranslationImport(before, request);
        const beside = { reviews: new Map([[fr.code, new Map()]]), stale: none };
        const translationMoves = translationMovesOf(before.source, []);
        const given = { translationMoves, given: undefined, confirmed: [], markers: [], writer: () => "Ann" };
        return reviewWrites(before, beside, { ...given, writes });
      },
    ],
  ])("%s", async (_, work) => {
    expect(await pausesOf(work)).toBeGreaterThanOrEqual(count);
  });
});

describe("work on one file pauses more often if the file is large", () => {
  const fr = toLocale("fr");
  const name = fileNamed("a.json");
  const sized = (strings: number) => {
    const texts = Object.fromEntries(Array.from({ length: strings }, (_, i) => [`key${i}`, `Text ${i}`]));
    const content = hiveOf({
      locales: ["fr"],
      files: { [name]: texts },
      translations: { fr: { [name]: texts } },
    });
    const old = new Map(Object.keys(texts).map((key) => [key, "old"]));
    const markers = new Map([[fr.code, new Map([[name, old]])]]);
    return { content, markers, confirmed: { content, markers: new Map() } };
  };
  type Sized = ReturnType<typeof sized>;
  const storedFile = ({ source }: Sized["content"]): StoredFile =>
    new StoredFile(Buffer.from(formatGroup(source.get(name)?.group ?? {})));

  it.each<[string, (hive: Sized) => Promise<unknown>]>([
    ["statistics", ({ content, markers }) => localeStats(content, fr, { markers })],
    [
      "untranslated texts",
      ({ content, markers }) =>
        listUntranslated(content, fr, { markers }, { offset: 0, limit: 1, states: new Set(["stale"]) }),
    ],
    [
      "markers",
      ({ content, markers }) => {
        const changes = [...(content.source.get(name)?.texts.keys() ?? [])].map(
          (key) =>
            ({ change: "updated", locale: fr.code, file: name, key, before: "old", after: "new" }) as const,
        );
        return updateStaleMarkers(content, markers, { changes, writes: [] });
      },
    ],
    ["a comparison of versions", ({ content }) => differingKeys(undefined, storedFile(content))],
    ["an undo", ({ confirmed, ...theirs }) => planUndo({ ours: confirmed, base: confirmed, theirs })],
  ])("%s", async (_, work) => {
    const [large, small] = [sized(9_000), sized(1)];
    expect(await pausesOf(() => work(large))).toBeGreaterThanOrEqual((await pausesOf(() => work(small))) + 8);
  });
});

it("a stored file is prepared, parsed and checked in three steps", async () => {
  expect(await pausesOf(() => readFlatFile(formatGroup({ a: "A" })))).toBe(2);
});
