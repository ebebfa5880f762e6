/** Finds moves by what has gone and what has come: strings with the same source text, and files that were renamed. */
import { append } from "../group-by.ts";
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import { maxSimilarLength, TextIndex, toTextQuery } from "../memory/text-index.ts";
import type { FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import { pluralCategories } from "../strings/plural-forms.ts";
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
 * come with it, or the forms of one plural string each; then those whose keys are made of their texts by similar texts.
 * Empty texts tell nothing.
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
    else {
      const forms = pairedForms(from, to);
      if (forms === undefined) ambiguous.push({ text, from, to });
      else for (const move of forms) moves.push(move);
    }
  }
  return { moves: moves.concat(await mendedTexts(gone, come)), ambiguous };
}

/** With which keys of the forms of a plural string end. */
const form = new RegExp(`(?<=[._])(?:${pluralCategories.join("|")})$`);

/** Pairs the forms of a plural string, which have the same text, with those of another one. */
function pairedForms(
  from: readonly StringAddress[],
  to: readonly StringAddress[],
): readonly Move[] | undefined {
  const [gone, come] = [formsIn(from), formsIn(to)];
  if (gone === undefined || come?.size !== gone.size) return undefined;
  const moves = Array.from(gone, ([category, address]) => {
    const place = come.get(category);
    return place === undefined ? undefined : { from: address, to: place };
  });
  return moves.every((move) => move !== undefined) ? moves : undefined;
}

/** Strings by their plural categories; undefined unless they are forms of one plural string. */
function formsIn(strings: readonly StringAddress[]): ReadonlyMap<string, StringAddress> | undefined {
  const forms = new Map<string, StringAddress>();
  const plurals = new Set<string>();
  for (const address of strings) {
    const [category] = form.exec(address.key) ?? [];
    if (category === undefined || forms.has(category)) return undefined;
    forms.set(category, address);
    plurals.add(`${address.file}\0${address.key.slice(0, -category.length)}`);
    if (plurals.size > 1) return undefined;
  }
  return forms;
}

/** Strings by their texts, which only one of two states has. */
type Strings = ReadonlyMap<string, readonly StringAddress[]>;

/**
 * How many pairs of texts are compared at most, all together, which takes some seconds: where more than about 8,000 texts have
 * changed at once, those that are left are not looked at.
 */
const maxCompared = 64_000_000;

/**
 * Strings whose keys are made of their texts, and whose texts were mended: of one file and context, similar, and similar to
 * no other that has gone or come. The forms of a plural are one string: the form that is in the key takes the others along.
 */
async function mendedTexts(gone: Strings, come: Strings): Promise<readonly Move[]> {
  const [left, arrived] = [byPlace(gone, come), byPlace(come, gone)];
  const found = new AddressMap<StringAddress>();
  let compared = 0;
  for (const [id, { file, keys: from }] of left) {
    const to = arrived.get(id)?.keys;
    if (to === undefined || compared + from.size * to.size > maxCompared) continue;
    compared += from.size * to.size;
    const [ofFrom, ofTo] = [await TextIndex.of(textsIn(from)), await TextIndex.of(textsIn(to))];
    for (const [text, key] of from) {
      // Each looks through an index, which takes much longer than comparing two texts.
      await pause();
      const [first, ...others] = ofTo.find(toTextQuery(text));
      if (first === undefined || others.length > 0) continue;
      if (ofFrom.find(toTextQuery(first.text)).length !== 1) continue;
      const toKey = to.get(first.text);
      if (toKey !== undefined) found.set({ file, key }, { file, key: toKey });
    }
  }
  addForms(found, keysOf(gone, come), keysOf(come, gone));
  return Array.from(found.files).flatMap((file) =>
    Array.from(found.of(file), ([key, to]) => ({ from: { file, key }, to })),
  );
}

/** Adds the other forms of plurals of which one form was found. */
function addForms(found: AddressMap<StringAddress>, gone: AddressMap<true>, come: AddressMap<true>): void {
  const taken = new AddressMap<true>();
  for (const file of found.files) for (const to of found.of(file).values()) taken.set(to, true);
  for (const file of found.files) {
    for (const [key, to] of found.of(file)) {
      const own = form.exec(key)?.[0];
      if (own === undefined || form.exec(to.key)?.[0] !== own) continue;
      for (const category of pluralCategories) {
        const from = { file, key: key.slice(0, -own.length) + category };
        const place = { file: to.file, key: to.key.slice(0, -own.length) + category };
        if (!gone.has(from) || !come.has(place) || found.has(from) || taken.has(place)) continue;
        found.set(from, place);
        taken.set(place, true);
      }
    }
  }
}

/** The strings of one state whose texts the other has not: those have their counterparts. */
function keysOf(strings: Strings, others: Strings): AddressMap<true> {
  const keys = new AddressMap<true>();
  for (const [text, addresses] of strings)
    if (!others.has(text)) for (const address of addresses) keys.set(address, true);
  return keys;
}

function textsIn(keys: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(keys.keys(), (text) => [text, text]));
}

/** Strings of one file and context. */
interface Place {
  readonly file: FileName;
  /** Their keys by their texts. */
  readonly keys: Map<string, string>;
}

/** What may stand behind the text in a key: what tells messages of Qt apart, and the form of a plural. */
const behindText = new RegExp(`^(?:\u0004[^]*?)?(?:\\.(?:${pluralCategories.join("|")}))?$`);

/** What Angular makes of a text, where it has no name. */
const hash = /^(?:\d{16,20}|[0-9a-f]{40})$/;

/** The strings whose keys are made of their texts, for each file and what the keys have beside these. */
function byPlace(strings: Strings, others: Strings): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const [text, addresses] of strings) {
    if (others.has(text) || text.length > maxSimilarLength) continue;
    for (const { file, key } of addresses) {
      const context = contextOf(key, text);
      if (context === undefined) continue;
      const id = `${file}\0${context}`;
      const place: Place = places.get(id) ?? { file, keys: new Map() };
      place.keys.set(text, key);
      places.set(id, place);
    }
  }
  return places;
}

/** What a key has beside its text; undefined where it is not made of that. */
function contextOf(key: string, text: string): string | undefined {
  if (hash.test(key)) return "";
  const at = key.lastIndexOf(text);
  const behind = key.slice(at + text.length);
  return at === -1 || !behindText.test(behind) ? undefined : `${key.slice(0, at)}\0${behind}`;
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
