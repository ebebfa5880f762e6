/** Translation memory: how texts that are equal or similar to a text were translated. */
import { groupBy } from "../group-by.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import type { FileName, HiveSlug } from "../names.ts";
import { reviewAt } from "../review/review.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { translationAt } from "../strings/content-diff.ts";
import { translatedFromAt, type MarkedContent } from "../strings/stale.ts";
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
  /** Whether the string has another source text now: the translation is stale. */
  readonly former: boolean;
}

/** The index of one file of a Hive. */
export interface IndexedFile {
  readonly hive: HiveSlug;
  readonly file: FileName;
  /** Whether these are the texts for which stale translations were made. */
  readonly former: boolean;
  readonly index: TextIndex;
}

/** A text of a Hive that is equal or similar to another. */
interface Candidate extends FoundText, Omit<IndexedFile, "index"> {}

/** For how many texts translations are looked up, the most similar ones first. */
const maxCandidates = 1_000;

/**
 * The texts of some files that are equal or similar to a text, in lists of those with the same score: present ones before
 * former ones, then by score.
 */
export function* similarTexts(
  files: readonly IndexedFile[],
  query: TextQuery,
): Steps<Iterable<readonly Candidate[]>> {
  const found: Candidate[] = [];
  for (const { index, ...file } of files) {
    yield;
    for (const text of index.find(query)) found.push({ ...file, ...text });
  }
  const rankOf = ({ former, score }: Candidate): number => (former ? score : 1_000 + score);
  found.sort((a, b) => rankOf(b) - rankOf(a));
  return groupBy(found.slice(0, maxCandidates), rankOf).values();
}

/** The translations of some texts of one Hive into a locale. */
export function* translationsInto(
  locale: LocaleCode,
  marked: MarkedContent,
  candidates: readonly Candidate[],
): Steps<readonly MemoryHit[]> {
  const hits: MemoryHit[] = [];
  for (const { hive, file, former, text: source, score, keys } of candidates) {
    const given = new Set<string>();
    for (const key of keys) {
      if (isStepDone()) yield;
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

/**
 * The best hits: present ones before former ones, then by score, then approved ones before waiting ones, then those of
 * the Hive itself, and in the order of Hives, files and keys. Of hits with the same texts only the first one is given.
 */
export function bestHits(hits: readonly MemoryHit[], own: HiveSlug, limit: number): readonly MemoryHit[] {
  const sorted = hits.toSorted(
    (a, b) =>
      Number(a.former) - Number(b.former) ||
      b.score - a.score ||
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
