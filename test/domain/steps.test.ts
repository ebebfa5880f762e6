import { describe, expect, it } from "vitest";
import { exportBundled, exportLocale, exportWhole } from "../../src/domain/export/export.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import { detectMoves } from "../../src/domain/moves/detection.ts";
import { moveContent, translationMovesOf } from "../../src/domain/moves/moved-content.ts";
import { faultyChanges, FileChecker } from "../../src/domain/plans/check-content.ts";
import type { FileName } from "../../src/domain/names.ts";
import { planMerge, listBranchChanges } from "../../src/domain/plans/merge.ts";
import { planSourceImport } from "../../src/domain/plans/source-import.ts";
import { planTranslationImport } from "../../src/domain/plans/translation-import.ts";
import { planTranslationRemoval } from "../../src/domain/plans/translation-removal.ts";
import { planUndo } from "../../src/domain/plans/undo.ts";
import { reviewWrites } from "../../src/domain/review/review.ts";
import { finish, type Steps } from "../../src/domain/steps.ts";
import { diffContent } from "../../src/domain/strings/content-diff.ts";
import { localeStats } from "../../src/domain/strings/locale-stats.ts";
import { skipNonTextValues } from "../../src/domain/strings/non-text-values.ts";
import { toSourceFiles, toTranslationFiles } from "../../src/domain/strings/payload.ts";
import { formatGroup, readFlatFile } from "../../src/domain/strings/string-file.ts";
import { staleOf, updateStaleMarkers } from "../../src/domain/strings/stale.ts";
import { foldSource, searchStrings, foldTranslation } from "../../src/domain/strings/string-search.ts";
import { listUntranslated } from "../../src/domain/strings/untranslated.ts";
import { fileNamed, hiveOf } from "../helpers/hive.ts";

it("checks of what a write changes pause among the changes", () => {
  const { settings, source } = hiveOf({ files: { "a.json": { a: "A" } } });
  const change = {
    change: "updated",
    locale: settings.sourceLocale.code,
    file: fileNamed("a.json"),
    key: "a",
  } as const;
  const changes = Array.from({ length: 5_000 }, (_, i) => ({ ...change, before: "A", after: `{{a}} ${i}` }));
  const checkerOf = (file: FileName) => new FileChecker({ settings }, file, source.get(file));
  const pauses = [...faultyChanges(changes, checkerOf)].length;
  expect(pauses).toBeGreaterThanOrEqual(4);
});

describe("work on many files pauses for each file", () => {
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
  const translated = finish(toTranslationFiles(texts(" other")));
  const change = finish(
    planSourceImport(before, { files: after.source, mode: "import", conflictStrategy: "keep" }),
  );
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

  it.each<[string, () => Steps<unknown>]>([
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
    ["a merge", () => planMerge(sides, undefined)],
    ["a list of the changes of a branch", () => listBranchChanges(sides)],
    ["a difference", () => diffContent(before, after)],
    ["detection of moves", () => detectMoves(before.source, moved.source)],
    ["moves", () => moveContent(sides.base, moves)],
    ["statistics", () => localeStats(before, none, fr)],
    ["stale translations", () => staleOf(before, marked, fr)],
    [
      "untranslated texts",
      () => listUntranslated(before, none, fr, { offset: 0, limit: 1, states: new Set(["missing"]) }),
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
      () => {
        const { writes } = finish(
          planTranslationImport(before, { locale: fr, files: translated, overwriteStrategy: "overwrite" }),
        );
        const markers = { markers: new Map([[fr.code, new Map()]]), stale: none };
        const translationMoves = translationMovesOf(before.source, []);
        const given = { translationMoves, given: undefined, confirmed: [], writer: () => "Ann" };
        return reviewWrites(before, markers, { ...given, writes });
      },
    ],
  ])("%s", (_, work) => {
    expect(pausesOf(work())).toBeGreaterThanOrEqual(count);
  });
});

function pausesOf(steps: Steps<unknown>): number {
  let pauses = 0;
  while (steps.next().done !== true) pauses++;
  return pauses;
}

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

  it.each<[string, (hive: Sized) => Steps<unknown>]>([
    ["stale translations", ({ content, markers }) => staleOf(content, markers, fr)],
    ["statistics", ({ content, markers }) => localeStats(content, markers, fr)],
    [
      "untranslated texts",
      ({ content, markers }) =>
        listUntranslated(content, markers, fr, { offset: 0, limit: 1, states: new Set(["stale"]) }),
    ],
    ["an undo", ({ confirmed, ...theirs }) => planUndo({ ours: confirmed, base: confirmed, theirs })],
  ])("%s", (_, work) => {
    expect(pausesOf(work(sized(9_000)))).toBeGreaterThanOrEqual(pausesOf(work(sized(1))) + 8);
  });
});

it("a stored file is prepared, parsed and checked in three steps", () => {
  expect(pausesOf(readFlatFile(formatGroup({ a: "A" })))).toBe(2);
});
