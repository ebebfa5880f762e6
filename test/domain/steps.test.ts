import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { alignTexts } from "../../src/domain/strings/aligned-texts.ts";
import { bundleLines } from "../../src/domain/export/bundle-lines.ts";
import { exportBundled, exportLocale } from "../../src/domain/export/export.ts";
import { bundleKeys } from "../../src/domain/export/export-names.ts";
import type { HiveContent } from "../../src/domain/strings/hive-content.ts";
import { toSourceFiles, toTranslationFiles } from "../../src/domain/strings/payload.ts";
import { planSourceImport } from "../../src/domain/plans/source-import.ts";
import { localeStats } from "../../src/domain/strings/locale-stats.ts";
import { findPluralForms } from "../../src/domain/strings/plural-forms.ts";
import { LocalePlurals } from "../../src/domain/strings/plural-rules.ts";
import { updateStaleMarkers } from "../../src/domain/strings/stale.ts";
import { finish, sorted, type Steps } from "../../src/domain/steps.ts";
import { formatGroup } from "../../src/domain/strings/string-file.ts";
import { planTranslationImport } from "../../src/domain/plans/translation-import.ts";
import { planUndo } from "../../src/domain/plans/undo.ts";
import { hiveOf } from "../helpers/hive.ts";

describe("sorting in steps", () => {
  it("sorting in steps equals a plain sort, for any number of texts", () => {
    expect(finish(sorted([]))).toEqual([]);
    const many = Array.from({ length: 5_000 }, (_, i) => `k${(i * 7919) % 5_000}`);
    expect(finish(sorted(many))).toEqual(many.toSorted());
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        expect(finish(sorted(texts))).toEqual(texts.toSorted());
      }),
    );
  });
});

describe("what is done for every key pauses all along", () => {
  const count = 20_000;
  const texts = (suffix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`g.k${i}`, `text ${i}${suffix}`]));
  const files = (suffix: string) => finish(toSourceFiles({ "a.json": texts(suffix) }));
  const base = hiveOf({ locales: ["fr"] });
  const [fr] = base.settings.targetLocales;
  if (fr === undefined) throw new Error("no locale");
  const translated = finish(toTranslationFiles({ "a.json": texts(" fr") }));
  const hive = (suffix: string): HiveContent => {
    const source = files(suffix);
    const [[name, file] = []] = source;
    const own = translated.get("a.json");
    if (name === undefined || file === undefined || own === undefined) throw new Error("no file");
    const french = new Map([[name, finish(alignTexts(own, file.texts))]]);
    return { ...base, source, translations: new Map([[fr.code, french]]) };
  };
  const before = hive("");
  const forms = new Map(
    Array.from({ length: count }, (_, i) => [`g.k${i >> 1}_${i % 2 === 0 ? "one" : "other"}`, "text"]),
  );
  const plural = { ...base, source: finish(toSourceFiles({ "a.json": Object.fromEntries(forms) })) };
  const noMarkers = { before: new Map(), after: new Map(), now: new Map() };
  const changed = { files: files(" new"), mode: "import", conflictStrategy: "keep" } as const;
  const { changes, writes } = finish(planSourceImport(before, changed));
  const [written] = writes;

  it.each<[string, () => Steps<unknown>]>([
    ["reading a payload", () => toSourceFiles({ "a.json": texts("") })],
    ["finding plural strings", () => findPluralForms(forms, Infinity)],
    ["counting plural strings", () => localeStats(plural, new Map(), fr)],
    ["an import of new strings", () => planSourceImport(base, changed)],
    ["an import that changes all", () => planSourceImport(before, changed)],
    ["clearing", () => planSourceImport(before, { ...changed, conflictStrategy: "clear" })],
    ["markers", () => updateStaleMarkers(before, new Map(), { changes, writes })],
    [
      "an import of translations",
      () => planTranslationImport(base, { locale: fr, files: translated, overwriteStrategy: "skip" }),
    ],
    ["an undo", () => planUndo({ before, after: hive(" new"), now: hive(" new"), markers: noMarkers })],
    ["writing a file", () => formatGroup(written?.content?.group ?? {})],
    ["an export", () => exportLocale(before, fr, "json")],
    ["a nested export", () => exportLocale(before, fr, "json", { shape: "nested" })],
    ["a PHP export", () => exportLocale(before, fr, "php")],
    ["lines for all locales", () => bundleLines(before)],
    ["one of all locales", () => exportBundled(before, fr, { format: "json" }, () => bundleLines(before))],
    [
      "a nested one of all locales",
      () => exportBundled(before, fr, { format: "json", shape: "nested" }, () => bundleLines(before)),
    ],
    ["keys of all locales", () => bundleKeys(before)],
  ])("the work for every key pauses all along: %s", (_, work) => {
    let pauses = 0;
    for (const steps = work(); steps.next().done !== true;) pauses++;
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(count / 1_100));
  });

  it("markers are updated with pauses among the changes", () => {
    let reads = 0;
    let most = 0;
    const watched = new Proxy(changes, {
      get(target, name) {
        reads++;
        return Reflect.get(target, name);
      },
    });
    for (const steps = updateStaleMarkers(before, new Map(), { changes: watched, writes }); ; reads = 0) {
      const { done } = steps.next();
      most = Math.max(most, reads);
      if (done === true) break;
    }
    // Twice for each: the element, and whether there is another one.
    expect(most).toBeGreaterThan(1_000);
    expect(most).toBeLessThanOrEqual(2_300);
  });

  it("lines for all locales are encoded many at a time", () => {
    const encode = vi.spyOn(TextEncoder.prototype, "encode");
    finish(bundleLines(before));
    const calls = encode.mock.calls.length;
    vi.restoreAllMocks();
    expect(calls).toBeLessThan(count / 100);
  });

  it("counting stale translations pauses among them", () => {
    const old = new Map(Object.keys(texts("")).map((key) => [key, "old"]));
    const markers = new Map([[fr.code, new Map([...before.source.keys()].map((file) => [file, old]))]]);
    const requires = vi.spyOn(LocalePlurals.prototype, "requires");
    let counted = 0;
    let most = 0;
    for (const steps = localeStats(before, markers, fr); steps.next().done !== true;) {
      most = Math.max(most, requires.mock.calls.length - counted);
      counted = requires.mock.calls.length;
    }
    vi.restoreAllMocks();
    expect(counted).toBeGreaterThan(count / 2);
    expect(most).toBeLessThanOrEqual(1_100);
  });
});
