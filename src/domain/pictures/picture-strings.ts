/** The strings of pictures: they are found by patterns, which follow moves; a picture without strings goes. */
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import type { AlignedSides } from "../moves/alignment.ts";
import type { Side, Sides } from "../sides.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import { translatableTexts } from "../strings/string-file.ts";
import {
  addressText,
  formatPicture,
  pictureLimits,
  toAddress,
  type Picture,
  type Pictures,
} from "./picture.ts";
import { starMatcher } from "./star-pattern.ts";

const noPictures: Pictures = new Map();

function splitPattern(pattern: string): readonly [file: string, key: string] {
  const colon = pattern.indexOf(":");
  return [pattern.slice(0, colon), pattern.slice(colon + 1)];
}

/** Makes a function that tells whether a pattern such as `auth.json:login.*` is of a string. */
function stringMatcher(pattern: string): (at: StringAddress) => boolean {
  const [files, keys] = splitPattern(pattern).map(starMatcher);
  return ({ file, key }) => files?.(file) === true && keys?.(key) === true;
}

/** As many characters as are matched in the time of one short item. */
const charactersPerStep = 256;

/** Counts the match of a pattern with a key; see {@link isStepDone}. */
function isMatchStepDone(key: string): boolean {
  return isStepDone(1 + Math.floor(key.length / charactersPerStep));
}

/**
 * Makes a function that gives the hashes of the pictures that show a string. A Hive may have thousands of patterns, each of
 * which is matched with the string, so that it gives way between them.
 */
export function pictureFinder(pictures: Pictures): (at: StringAddress) => Promise<readonly string[]> {
  const exact = new Map<string, Set<string>>();
  const others: { readonly matches: (at: StringAddress) => boolean; readonly hash: string }[] = [];
  for (const { hash, strings } of pictures.values()) {
    for (const pattern of strings) {
      if (pattern.includes("*")) others.push({ matches: stringMatcher(pattern), hash });
      else exact.set(pattern, (exact.get(pattern) ?? new Set()).add(hash));
    }
  }
  return async (at) => {
    const found = new Set(exact.get(addressText(at)));
    for (const { matches, hash } of others) {
      if (isMatchStepDone(at.key)) await pause();
      if (!found.has(hash) && matches(at)) found.add(hash);
    }
    return [...found];
  };
}

/** Whether a pattern such as `auth.json:login.*` matches a string of the source. */
export async function hasString(pattern: string, source: SourceFiles): Promise<boolean> {
  const [files, keys] = splitPattern(pattern);
  const [ofFile, ofKey] = [starMatcher(files), starMatcher(keys)];
  for (const [file, strings] of source) {
    if (isStepDone()) await pause();
    if (!ofFile(file)) continue;
    const texts = translatableTexts(strings);
    if (texts.has(keys)) return true;
    if (!keys.includes("*")) continue;
    for (const key of texts.keys()) {
      if (isMatchStepDone(key)) await pause();
      if (ofKey(key)) return true;
    }
  }
  return false;
}

/** Pictures with the patterns and boxes that have a string alone; those without any string are left out. */
export async function placedPictures(pictures: Pictures, source: SourceFiles): Promise<Pictures> {
  const placed = new Map<string, Picture>();
  for (const [hash, picture] of pictures) {
    const strings: string[] = [];
    for (const pattern of picture.strings) if (await hasString(pattern, source)) strings.push(pattern);
    if (strings.length === 0) continue;
    const boxes = picture.boxes.filter(({ string }) => {
      const at = toAddress(string);
      return at !== undefined && translatableTexts(source.get(at.file)).has(at.key);
    });
    const isSame = strings.length === picture.strings.length && boxes.length === picture.boxes.length;
    placed.set(hash, isSame ? picture : { ...picture, strings, boxes });
  }
  return placed;
}

/**
 * Pictures after moves of their strings. A pattern with stars that strings have left gets others beside it for these: the same
 * one for another file, one for their group where that was renamed, or one for each string. It goes with its last string.
 * @param source the source texts after the moves.
 */
export async function movedPictures(
  pictures: Pictures,
  moves: readonly Move[],
  source: SourceFiles,
): Promise<Pictures> {
  if (moves.length === 0 || pictures.size === 0) return pictures;
  const movedTo = new AddressMap<StringAddress>();
  for (const { from, to } of moves) movedTo.set(from, to);
  const route = (text: string): string => {
    const at = toAddress(text);
    const to = at && movedTo.get(at);
    return to === undefined ? text : addressText(to);
  };
  const moved = new Map<string, Picture>();
  for (const [hash, picture] of pictures) {
    const strings = new Set<string>();
    const added = new Set<string>();
    for (const pattern of picture.strings) {
      const { isLeft, patterns } = await patternsAfter(pattern, moves, source);
      if (!isLeft) strings.add(route(pattern));
      for (const one of patterns) added.add(one);
    }
    for (const one of added) if (strings.size < pictureLimits.patterns) strings.add(one);
    const boxes = picture.boxes.map((box) => ({ ...box, string: route(box.string) }));
    moved.set(hash, { ...picture, strings: [...strings], boxes });
  }
  return moved;
}

interface PatternsAfter {
  /** Whether its strings have moved elsewhere, all of them. */
  readonly isLeft: boolean;
  /** Those for the strings that have left it. */
  readonly patterns: readonly string[];
}

/** What moves make of a pattern. */
async function patternsAfter(
  pattern: string,
  moves: readonly Move[],
  source: SourceFiles,
): Promise<PatternsAfter> {
  const leaving: Move[] = [];
  if (!pattern.includes("*")) return { isLeft: false, patterns: [] };
  const matches = stringMatcher(pattern);
  for (const move of moves) {
    if (isMatchStepDone(move.from.key)) await pause();
    if (matches(move.from) && !matches(move.to)) leaving.push(move);
  }
  if (leaving.length === 0) return { isLeft: false, patterns: [] };
  const isLeft = !(await hasString(pattern, source));
  const [files, keys] = splitPattern(pattern);
  const [ofFile, ofKey] = [starMatcher(files), starMatcher(keys)];
  const groups = new Map<string, Set<string>>();
  const patterns: string[] = [];
  const single = new Set<string>();
  for (const { from, to } of leaving) {
    if (isMatchStepDone(to.key)) await pause();
    if (ofKey(to.key)) patterns.push(`${to.file}:${keys}`);
    else {
      single.add(addressText(to));
      for (const group of renamedGroups(keys, from.key, to.key)) {
        const name = `${ofFile(to.file) ? files : to.file}:${group}`;
        groups.set(name, (groups.get(name) ?? new Set()).add(addressText(to)));
      }
    }
  }
  const largest = [...groups].toSorted(([, one], [, other]) => other.size - one.size);
  for (const [group, members] of largest.slice(0, pictureLimits.patterns)) {
    const left = [...members].filter((string) => single.has(string));
    // Of a group that stays, a single string that has left it is no other group.
    if (left.length === 0 || (left.length === 1 && !isLeft)) continue;
    if (!(await hasOnly(group, members, source))) continue;
    patterns.push(group);
    for (const string of left) single.delete(string);
  }
  return { isLeft, patterns: [...patterns, ...single] };
}

/**
 * The patterns of keys that a renamed group may have: `signin.*` for `login.*`, after `login.title` became `signin.title`. What
 * the stars stood for is the same, and either the beginning or the end is another.
 */
function renamedGroups(keys: string, from: string, to: string): readonly string[] {
  const [first, last] = [keys.indexOf("*"), keys.lastIndexOf("*") + 1];
  if (first === -1) return [];
  const rest = from.slice(first);
  const beginning = from.slice(0, from.length - (keys.length - last));
  const groups = [
    ...(rest !== "" && to.endsWith(rest) ? [to.slice(0, to.length - rest.length) + keys.slice(first)] : []),
    ...(beginning !== "" && to.startsWith(beginning)
      ? [keys.slice(0, last) + to.slice(beginning.length)]
      : []),
  ];
  // All keys are no group.
  return groups.filter((group) => /[^*]/.test(group));
}

/** Whether a pattern matches no strings but these. */
async function hasOnly(pattern: string, strings: ReadonlySet<string>, source: SourceFiles): Promise<boolean> {
  const [files, keys] = splitPattern(pattern);
  const [ofFile, ofKey] = [starMatcher(files), starMatcher(keys)];
  for (const [file, content] of source) {
    if (isStepDone()) await pause();
    if (!ofFile(file)) continue;
    for (const key of translatableTexts(content).keys()) {
      if (isMatchStepDone(key)) await pause();
      if (ofKey(key) && !strings.has(addressText({ file, key }))) return false;
    }
  }
  return true;
}

/** Whether two pictures are stored as the same bytes; also if both are missing. */
export function isSamePicture(a: Picture | undefined, b: Picture | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && formatPicture(a) === formatPicture(b));
}

function isSameBox(one: Picture["boxes"][number], other: Picture["boxes"][number]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A picture with the strings of another upload of the same image. */
export function united(one: Picture, { strings, boxes }: Pick<Picture, "strings" | "boxes">): Picture {
  const known = new Set(one.boxes.map((box) => JSON.stringify(box)));
  const more = boxes.filter((box) => !known.has(JSON.stringify(box)));
  return { ...one, strings: [...new Set([...one.strings, ...strings])], boxes: [...one.boxes, ...more] };
}

/**
 * Merges pictures, whose strings have the same names on all sides. What one side alone changed is taken; of a picture that both
 * changed the strings of both stay, and one that is changed on one side is not deleted by the other. A string that comes from
 * one side as a whole is shown where it is there, and one that is no more by no picture.
 * @param contents `theirs` has what `base` has where it says nothing.
 * @param whole the side from which all that belongs to a string comes.
 */
export async function mergePictures(
  contents: Sides<{ readonly pictures?: Pictures }>,
  aligned: AlignedSides,
  whole: AddressMap<Side>,
): Promise<Pictures> {
  const sides = (["ours", "base", "theirs"] as const).map((side) => {
    const { pictures = noPictures } = contents[side];
    const { moves, content } = aligned[side];
    return movedPictures(pictures, moves, content.source);
  });
  const [ours = noPictures, base = noPictures, theirs = noPictures] = await Promise.all(sides);
  const merged = new Map(ours);
  if (contents.theirs.pictures === undefined) return merged;
  for (const hash of new Set([...base.keys(), ...theirs.keys()])) {
    const [now, from, to] = [ours.get(hash), base.get(hash), theirs.get(hash)];
    if (isSamePicture(from, to)) continue;
    if (to === undefined) {
      if (isSamePicture(now, from)) merged.delete(hash);
    } else merged.set(hash, now === undefined || isSamePicture(now, from) ? to : united(now, to));
  }
  for (const [side, pictures] of [
    ["ours", ours],
    ["theirs", theirs],
  ] as const) {
    for (const [hash, picture] of pictures) {
      const present = merged.get(hash);
      if (present === picture) continue;
      const own = await ofStrings(picture, side, whole);
      if (own.strings.length > 0) merged.set(hash, present === undefined ? own : united(present, own));
    }
  }
  for (const [hash, picture] of [...whole.files].length === 0 ? [] : merged) {
    await pause();
    const left = withoutOthers(picture, { ours: ours.get(hash), theirs: theirs.get(hash) }, whole);
    if (left.strings.length === 0) merged.delete(hash);
    else merged.set(hash, left);
  }
  return merged;
}

/** A picture without the patterns and boxes of strings that come from a side which does not show them here. */
function withoutOthers(
  picture: Picture,
  sides: Readonly<Record<Side, Picture | undefined>>,
  whole: AddressMap<Side>,
): Picture {
  const sideOf = (string: string): Side | undefined => {
    const at = toAddress(string);
    return at && whole.get(at);
  };
  const strings = picture.strings.filter((pattern) => {
    const side = pattern.includes("*") ? undefined : sideOf(pattern);
    return side === undefined || sides[side]?.strings.includes(pattern) === true;
  });
  const boxes = picture.boxes.filter((box) => {
    const side = sideOf(box.string);
    return side === undefined || sides[side]?.boxes.some((own) => isSameBox(own, box)) === true;
  });
  const isSame = strings.length === picture.strings.length && boxes.length === picture.boxes.length;
  return isSame ? picture : { ...picture, strings, boxes };
}

/**
 * A picture with those of its patterns and boxes that are of strings which come from its side: the other one may have
 * lost them.
 */
async function ofStrings(picture: Picture, side: Side, whole: AddressMap<Side>): Promise<Picture> {
  const strings: string[] = [];
  for (const pattern of picture.strings) {
    const isOwn = pattern.includes("*") ? await hasOf(pattern, side, whole) : isOf(pattern, side, whole);
    if (isOwn) strings.push(pattern);
  }
  const boxes = picture.boxes.filter(({ string }) => isOf(string, side, whole));
  return { ...picture, strings, boxes };
}

/** Whether a string comes from a side. */
function isOf(string: string, side: Side, whole: AddressMap<Side>): boolean {
  const at = toAddress(string);
  return at !== undefined && whole.get(at) === side;
}

/** Whether a pattern with stars matches a string that comes from a side. */
async function hasOf(pattern: string, side: Side, whole: AddressMap<Side>): Promise<boolean> {
  const matches = stringMatcher(pattern);
  for (const file of whole.files) {
    for (const [key, from] of whole.of(file)) {
      if (isMatchStepDone(key)) await pause();
      if (from === side && matches({ file, key })) return true;
    }
  }
  return false;
}
