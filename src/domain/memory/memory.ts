/** Translation memory: how texts that are equal or similar to a text were translated. */
import { groupBy } from "../group-by.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import type { FileName, HiveSlug, Oid } from "../names.ts";
import { reviewAt } from "../review/review.ts";
import { isStepDone, pause } from "../../slices.ts";
import { translationAt } from "../strings/content-diff.ts";
import { translatedFromAt, type ContentWithMarkers } from "../strings/stale.ts";
import type { Texts } from "../strings/string-file.ts";
import type { FoundText, TextIndex, TextQuery } from "./text-index.ts";

/** A translation of a text that is equal or similar to another. */
export interface MemoryHit extends StringAddress {
  readonly hive: HiveSlug;
  readonly source: string;
  readonly text: string;
  /** 100 for an equal source text, 60 to 99 for a similar one. */
  readonly score: number;
  /** Whether the translation does not wait for a review. */
  readonly approved: boolean;
  /** Whether the string has another source text now, or is no more. */
  readonly former: boolean;
}

/** A source text that a string had earlier. */
export interface FormerText extends StringAddress {
  readonly text: string;
  /** The last commit that has it, and the one that replaced it. */
  readonly commit: Oid;
  readonly replacedBy: Oid;
  /** All source texts of the file that were replaced together with it, itself included. */
  readonly together: Texts;
  /** The same text of the same string at earlier times, newest first: for translations that it had then. */
  readonly earlier?: readonly FormerText[];
}

export type FormerTranslation = Pick<MemoryHit, "text" | "approved">;

export interface IndexedFile {
  readonly hive: HiveSlug;
  readonly file: FileName;
  /** Whether these are the texts for which stale translations were made. */
  readonly former: boolean;
  readonly index: TextIndex;
}

/** The index of texts that strings of a Hive had earlier, in which positions in a list stand for keys. */
export interface IndexedHistory {
  readonly hive: HiveSlug;
  readonly entries: readonly FormerText[];
  readonly former: true;
  readonly index: TextIndex;
}

type Candidate = FoundText & (Omit<IndexedFile, "index"> | Omit<IndexedHistory, "index">);

export interface FormerCandidate extends Pick<MemoryHit, "hive" | "score"> {
  readonly entry: FormerText;
}

/** For how many texts translations are looked up, the most similar ones first. */
const maxCandidates = 1_000;

/** Ranks equal texts before similar ones, then present texts before former ones, then higher scores before lower ones. */
function rankOf({ former, score }: Pick<MemoryHit, "former" | "score">): number {
  return (score === 100 ? 2_000 : 0) + (former ? 0 : 1_000) + score;
}

/** The texts of some files that are equal or similar to a text, in lists of the same rank, the highest first. */
export async function similarTexts(
  files: readonly (IndexedFile | IndexedHistory)[],
  query: TextQuery,
  signal?: AbortSignal,
): Promise<Iterable<readonly Candidate[]>> {
  const found: Candidate[] = [];
  for (const { index, ...file } of files) {
    await pause(signal);
    for (const text of index.find(query)) found.push({ ...file, ...text });
  }
  found.sort((a, b) => rankOf(b) - rankOf(a));
  return groupBy(found.slice(0, maxCandidates), rankOf).values();
}

/** The hits of candidates that are translated into a locale. Candidates from the history are left out. */
export async function translationsInto(
  locale: LocaleCode,
  marked: ContentWithMarkers,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<readonly MemoryHit[]> {
  const hits: MemoryHit[] = [];
  for (const candidate of candidates) {
    if ("entries" in candidate) continue;
    const { hive, file, former, text: source, score, keys } = candidate;
    const given = new Set<string>();
    for (const key of keys) {
      if (isStepDone()) await pause(signal);
      const at = { file, key };
      const text = translationAt(marked.content, locale, file, key);
      // A stale translation is one of its former source text alone.
      if (text === undefined || translatedFromAt(marked, locale, at) !== source) continue;
      const approved = reviewAt(marked, locale, at) === undefined;
      // Of many equal strings with one translation, one is enough.
      const same = `${approved} ${text}`;
      if (given.has(same)) continue;
      given.add(same);
      hits.push({ hive, file, key, source, text, score, approved, former });
    }
  }
  return hits;
}

/** The candidates that come from the history of Hives. */
export function formerCandidates(candidates: readonly Candidate[]): readonly FormerCandidate[] {
  return candidates.flatMap((candidate) => {
    if (!("entries" in candidate)) return [];
    const { hive, score, entries, keys } = candidate;
    return keys.flatMap((position) => {
      const entry = entries[Number(position)];
      return entry === undefined ? [] : [{ hive, score, entry }];
    });
  });
}

/**
 * The best hits, by their rank, then approved ones before waiting ones, then hits of the Hive itself, and then in the order
 * of Hives, files and keys. Of hits with the same texts only the first one is given.
 */
export function bestHits(hits: readonly MemoryHit[], own: HiveSlug, limit: number): readonly MemoryHit[] {
  const sorted = hits.toSorted(
    (a, b) =>
      rankOf(b) - rankOf(a) ||
      Number(b.approved) - Number(a.approved) ||
      Number(b.hive === own) - Number(a.hive === own) ||
      compare(a.hive, b.hive) ||
      compare(a.file, b.file),
  );
  const best = new Map<string, MemoryHit>();
  for (const hit of sorted) {
    if (best.size === limit) break;
    const texts = JSON.stringify([hit.source, hit.text]);
    if (!best.has(texts)) best.set(texts, hit);
  }
  return [...best.values()];
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
