/** Finds moves by what has gone and what has come: strings with the same source text, and files that were renamed. */
import { append } from "../group-by.ts";
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import { maxSimilarLength, TextIndex, toTextQuery } from "../memory/text-index.ts";
import { isFileName, type FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { StringFile } from "../strings/string-file.ts";

type Files = ReadonlyMap<FileName, Pick<StringFile, "texts">>;

/** Strings with one source text of which some have gone and some have come: which one became which is unknown. */
export interface AmbiguousMove {
  readonly text: string;
  readonly from: readonly StringAddress[];
  readonly to: readonly StringAddress[];
}

export interface DetectedMoves {
  readonly moves: readonly Move[];
  readonly ambiguous: readonly AmbiguousMove[];
}

/**
 * Finds the strings that were moved from one state of some files to another. A file that has gone and one that has come are
 * the same if at least half of the first one's strings are in the second as they were, and in no other file that has come
 * so many: their keys are paired by name. All other strings are paired by text, where exactly one has gone and one has
 * come with it; then those whose keys are their texts by similar texts. Empty texts tell nothing.
 */
export async function detectMoves(before: Files, after: Files): Promise<DetectedMoves> {
  const moves: Move[] = [];
  const paired = new AddressMap<true>();
  for (const [from, to] of await renamedFiles(before, after)) {
    await pause();
    for (const key of before.get(from)?.texts.keys() ?? []) {
      if (after.get(to)?.texts.has(key) !== true) continue;
      const move = { from: { file: from, key }, to: { file: to, key } };
      moves.push(move);
      paired.set(move.from, true).set(move.to, true);
    }
  }
  const gone = await onlyIn(before, after, paired);
  if (gone.size === 0) return { moves, ambiguous: [] };
  const come = await onlyIn(after, before, paired);
  const ambiguous: AmbiguousMove[] = [];
  for (const [text, from] of gone) {
    if (isStepDone()) await pause();
    const to = come.get(text);
    if (to === undefined) continue;
    const [one, another] = from;
    const [place, other] = to;
    if (one !== undefined && place !== undefined && another === undefined && other === undefined)
      moves.push({ from: one, to: place });
    else ambiguous.push({ text, from, to });
  }
  moves.push(...(await mendedTexts(gone, come)));
  return { moves, ambiguous };
}

/**
 * Strings whose keys are their texts, and whose texts were mended: of one file and context, similar, and similar to no
 * other that has gone or come.
 */
async function mendedTexts(
  gone: ReadonlyMap<string, readonly StringAddress[]>,
  come: ReadonlyMap<string, readonly StringAddress[]>,
): Promise<readonly Move[]> {
  const [left, arrived] = [byPlace(gone, come), byPlace(come, gone)];
  const moves: Move[] = [];
  for (const [place, from] of left) {
    const to = arrived.get(place);
    if (to === undefined) continue;
    const [ofFrom, ofTo] = [await TextIndex.of(textsIn(from)), await TextIndex.of(textsIn(to))];
    for (const [text, key] of from) {
      // Each looks through an index, which takes much longer than comparing two texts.
      await pause();
      const [found, ...others] = ofTo.find(toTextQuery(text));
      if (found === undefined || others.length > 0) continue;
      if (ofFrom.find(toTextQuery(found.text)).length !== 1) continue;
      const [file = ""] = place.split("\0");
      const toKey = to.get(found.text);
      if (isFileName(file) && toKey !== undefined)
        moves.push({ from: { file, key }, to: { file, key: toKey } });
    }
  }
  return moves;
}

function textsIn(keys: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(keys.keys(), (text) => [text, text]));
}

/** The keys of strings whose keys end with their texts, by text, for each file and beginning of the key. */
function byPlace(
  strings: ReadonlyMap<string, readonly StringAddress[]>,
  others: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const places = new Map<string, Map<string, string>>();
  for (const [text, addresses] of strings) {
    if (others.has(text) || text.length > maxSimilarLength) continue;
    for (const { file, key } of addresses) {
      if (!key.endsWith(text)) continue;
      const place = `${file}\0${key.slice(0, -text.length)}`;
      const own = places.get(place) ?? new Map<string, string>();
      places.set(place, own.set(text, key));
    }
  }
  return places;
}

/** The strings that only one of two states has, by their texts. */
async function onlyIn(
  one: Files,
  other: Files,
  paired: AddressMap<true>,
): Promise<ReadonlyMap<string, readonly StringAddress[]>> {
  const found = new Map<string, StringAddress[]>();
  for (const [file, { texts }] of one) {
    await pause();
    const others = other.get(file)?.texts;
    if (others === texts) continue;
    for (const [key, text] of texts) {
      const place = { file, key };
      if (text === "" || others?.has(key) === true || paired.has(place)) continue;
      append(found, text, place);
    }
  }
  return found;
}

/** A string that more new files than this contain does not tell which of them is the renamed file. */
const maxAlike = 16;

/** Pairs of a file that has gone and the new file that it became; each file is in at most one pair. */
async function renamedFiles(
  before: Files,
  after: Files,
): Promise<readonly (readonly [FileName, FileName])[]> {
  const gone = [...before].filter(([file, { texts }]) => texts.size > 0 && isMissing(after, file));
  const come = [...after].filter(([file, { texts }]) => texts.size > 0 && isMissing(before, file));
  if (gone.length === 0 || come.length === 0) return [];
  const holders = new Map<string, FileName[]>();
  for (const [file, { texts }] of come) {
    await pause();
    for (const entry of texts) append(holders, entry.join("\0"), file);
  }
  const claims = new Map<FileName, Best<FileName>>();
  const found: [FileName, FileName][] = [];
  for (const [file, { texts }] of gone) {
    await pause();
    const scores = new Map<FileName, number>();
    for (const entry of texts) {
      const files = holders.get(entry.join("\0")) ?? [];
      if (files.length > maxAlike) continue;
      for (const other of files) scores.set(other, (scores.get(other) ?? 0) + 1);
    }
    let best: Best<FileName> | undefined;
    for (const [other, score] of scores) {
      best = better(best, { of: other, score });
      claims.set(other, better(claims.get(other), { of: file, score }));
    }
    if (best?.of !== undefined && best.score * 2 >= texts.size) found.push([file, best.of]);
  }
  return found.filter(([from, to]) => claims.get(to)?.of === from);
}

function isMissing(files: Files, file: FileName): boolean {
  return (files.get(file)?.texts.size ?? 0) === 0;
}

/** The one with the highest score; undefined if two share it. */
interface Best<T> {
  readonly of: T | undefined;
  readonly score: number;
}

function better<T>(best: Best<T> | undefined, next: Best<T>): Best<T> {
  if (best === undefined || next.score > best.score) return next;
  return next.score === best.score ? { of: undefined, score: best.score } : best;
}
