import { expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import type { FileName } from "../../../src/domain/names.ts";
import type { ContentWithMarkers } from "../../../src/domain/strings/stale.ts";
import type { Side } from "../../../src/domain/sides.ts";
import { fromGroup, type StringFile } from "../../../src/domain/strings/string-file.ts";
import type { HiveSettings } from "../../../src/domain/hives/hive-settings.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { emptyState, written } from "../../helpers/states.ts";
import { Settlement, type Resolution, type Taken } from "../../../src/domain/plans/settlement.ts";
import { planMerge } from "../../../src/domain/plans/merge.ts";
import { numbers, runs, seed } from "../../helpers/runs.ts";

/** A Hive as two plain maps: `file key` → source text, and `locale file key` → translation and what it was made for. */
interface Model {
  readonly source: ReadonlyMap<string, string>;
  readonly translations: ReadonlyMap<string, string>;
}

const locales = ["de", "fr"];
const files = ["a.json", "b.json"];
const keys = ["x", "y", "g.z"];
const places = files.flatMap((file) => keys.map((key) => `${file} ${key}`));
const settings: HiveSettings = {
  name: "test",
  sourceLocale: toLocale("en"),
  targetLocales: locales.map((code) => toLocale(code)),
};
const cell = (text: string, translatedFrom: string): string => `${text} for ${translatedFrom}`;

/** The model after some random requests. */
function after({ source, translations }: Model, next: (below: number) => number): Model {
  const texts = new Map(source);
  const cells = new Map(translations);
  for (let requests = next(4); requests >= 0; requests--) {
    const place = places[next(places.length)] ?? "";
    const translated = `${locales[next(locales.length)]} ${place}`;
    const here = texts.get(place);
    const kind = next(6);
    if (kind === 0) {
      texts.delete(place);
      for (const locale of locales) cells.delete(`${locale} ${place}`);
    } else if (kind <= 2) texts.set(place, `s${next(3)}`);
    else if (kind === 3) cells.delete(translated);
    else if (here !== undefined && kind === 4) cells.set(translated, cell(`t${next(3)}`, here));
    else if (here !== undefined && cells.has(translated)) {
      cells.set(translated, cell(cells.get(translated)?.split(" ")[0] ?? "", here));
    }
  }
  return { source: texts, translations: cells };
}

function contentOf({ source, translations }: Model): ContentWithMarkers {
  const grouped = (texts: ReadonlyMap<string, string>, prefix: string): Map<FileName, StringFile> => {
    const found = new Map<FileName, StringFile>();
    for (const file of files) {
      const flat = keys.flatMap((key): [string, string][] => {
        const text = texts.get(`${prefix}${file} ${key}`);
        return text === undefined ? [] : [[key, text]];
      });
      if (flat.length > 0) found.set(fileNamed(file), fromGroup(Object.fromEntries(flat)));
    }
    return found;
  };
  const byLocale = (texts: ReadonlyMap<string, string>) =>
    new Map(
      settings.targetLocales.map(({ code }) => [
        code,
        new Map(Array.from(grouped(texts, `${code} `), ([file, found]) => [file, found.texts])),
      ]),
    );
  const texts = new Map<string, string>();
  const markers = new Map<string, string>();
  for (const [place, both] of translations) {
    const [text = "", translatedFrom = ""] = both.split(" for ");
    texts.set(place, text);
    if (source.get(place.slice(place.indexOf(" ") + 1)) !== translatedFrom)
      markers.set(place, translatedFrom);
  }
  return {
    content: { settings, source: grouped(source, ""), translations: byLocale(texts) },
    markers: byLocale(markers),
  };
}

function modelOf({ content, markers }: ContentWithMarkers): Model {
  const source = new Map<string, string>();
  const translations = new Map<string, string>();
  for (const [file, { texts }] of content.source) {
    for (const [key, text] of texts) source.set(`${file} ${key}`, text);
  }
  for (const [locale, byFile] of content.translations) {
    for (const [file, texts] of byFile) {
      for (const [key, text] of texts) {
        const translatedFrom = markers.get(locale)?.get(file)?.get(key) ?? source.get(`${file} ${key}`) ?? "";
        translations.set(`${locale} ${file} ${key}`, cell(text, translatedFrom));
      }
    }
  }
  return { source, translations };
}

interface Sides {
  readonly base: Model;
  readonly ours: Model;
  readonly theirs: Model;
}

/** What is taken in a conflict: a side, or a text of neither. */
type Settle = (place: string) => Taken;

/** A merge of each key by itself. */
function mergedPlainly(
  { base, ours, theirs }: Sides,
  settle: Settle,
): { merged: Model; conflicts: string[] } {
  const conflicts: string[] = [];
  const source = new Map<string, string>();
  const translations = new Map<string, string>();
  for (const place of places) {
    const [was, mine, other] = [base, ours, theirs].map((side) => side.source.get(place));
    const isConflict = mine !== was && other !== was && mine !== other;
    if (isConflict) conflicts.push(`en ${place}`);
    const taken = settle(`en ${place}`);
    const sideOf = (): Side => {
      if (typeof taken === "string") return taken;
      if (taken.text === mine || taken.text === other) return taken.text === mine ? "ours" : "theirs";
      // With a text of neither side, the translations are those of the side that has the string.
      return mine === undefined ? "theirs" : "ours";
    };
    const settled = typeof taken === "object" ? taken.text : taken === "ours" ? mine : other;
    const text = isConflict ? settled : mine === was ? other : mine;
    if (text !== undefined) source.set(place, text);
    const isWhole = isConflict && (mine === undefined || other === undefined);
    for (const locale of locales) {
      const at = `${locale} ${place}`;
      const [before, here, there] = [base, ours, theirs].map((side) => side.translations.get(at));
      let result = here === before ? there : here;
      if (isWhole) result = sideOf() === "ours" ? here : there;
      else if (text !== undefined && here !== before && there !== before && here !== there) {
        const [hereText, thereText] = [here, there].map((one) => one?.split(" ")[0]);
        if (hereText !== thereText) {
          conflicts.push(at);
          const own = settle(at);
          if (typeof own === "string") result = own === "ours" ? here : there;
          else if (own.text === hereText || own.text === thereText)
            result = own.text === hereText ? here : there;
          else result = cell(own.text, text);
        } else if (there?.endsWith(` for ${text}`) === true) result = there;
      }
      if (text !== undefined && result !== undefined) translations.set(at, result);
    }
  }
  return { merged: { source, translations }, conflicts };
}

const sorted = ({ source, translations }: Model, conflicts: readonly string[]) => [
  [...source].toSorted(),
  [...translations].toSorted(),
  conflicts.toSorted(),
];

/** A side, a text that a side may have, or one that none has. */
function takenAt(place: string, next: (below: number) => number): Taken {
  const own = `${place.startsWith("en ") ? "s" : "t"}${next(4)}`;
  return ([{ text: own }, "ours", "theirs"] as const)[next(3)] ?? "ours";
}

function toResolution([place, take]: readonly [string, Taken]): Resolution {
  const [code = "", name = "", key = ""] = place.split(" ");
  return { locale: toLocale(code).code, file: fileNamed(name), key, take };
}

it("a merge of any two random histories gives what a plain model gives, with the same conflicts, for one side and each for itself", async () => {
  const firstSeed = seed();
  for (let i = 0; i < runs(2_000); i++) {
    const next = numbers(firstSeed + i);
    const base = after(after({ source: new Map(), translations: new Map() }, next), next);
    const sides = { base, ours: after(base, next), theirs: after(base, next) };
    const winner: Side = next(2) === 0 ? "ours" : "theirs";
    const found = next(2) === 0 ? [] : mergedPlainly(sides, () => "ours").conflicts;
    const resolutions = new Map(
      found.flatMap((place) => (next(4) === 0 ? [] : [[place, takenAt(place, next)]])),
    );
    const settle: Settle = (place) => resolutions.get(place) ?? winner;
    const [from, ours, theirs] = [contentOf(base), contentOf(sides.ours), contentOf(sides.theirs)];
    const settlement = new Settlement(winner, Array.from(resolutions, toResolution));
    const plan = await planMerge({ base: from, ours, theirs }, settlement);
    const problems = await settlement.problems(() => Promise.resolve([]));
    const start = { ...emptyState, hive: ours.content, markers: ours.markers };
    const { hive, markers } = written(start, plan, plan.staleMarkers);
    const conflicts = plan.conflicts.map(({ locale, file, key }) => `${locale} ${file} ${key}`);
    const result = sorted(modelOf({ content: hive, markers }), conflicts);
    const { merged, conflicts: expected } = mergedPlainly(sides, settle);
    // Comparing texts is much faster than `expect`, which then shows the difference.
    const isAsExpected = JSON.stringify(result) === JSON.stringify(sorted(merged, expected));
    if (isAsExpected && problems.length === 0) continue;
    const of = { seed: firstSeed + i, winner, resolutions };
    expect({ ...of, problems, result }).toEqual({ ...of, problems: [], result: sorted(merged, expected) });
  }
});
