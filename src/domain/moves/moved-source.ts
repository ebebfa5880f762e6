/** Source files after moves of their strings. */
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import { fromGroup, isList, type StringFile } from "../strings/string-file.ts";
import { compareBytes } from "../text.ts";
import { KeyTree, respelled, spelledLeaves, type SpelledLeaf, type Spelling } from "./key-tree.ts";

/** A string that comes to a file. */
interface Arrival {
  readonly text: string;
  readonly spelling: Spelling;
}

/**
 * Source files after moves. A string that stays in its group, or goes to one around it or a new one there, keeps its
 * place in the order of the file. In any other group, and in another file, it comes last.
 * @param moves from strings that there are, to places that are free or become so.
 */
export function* movedSource(source: SourceFiles, moves: readonly Move[]): Steps<SourceFiles> {
  const leaving = new AddressMap<StringAddress>();
  const arriving = new AddressMap<StringAddress>();
  for (const { from, to } of moves) {
    if (isStepDone()) yield;
    leaving.set(from, to);
    arriving.set(to, from);
  }
  const leaves = new Map<FileName, ReadonlyMap<string, SpelledLeaf>>();
  function leavesOf(file: FileName): ReadonlyMap<string, SpelledLeaf> {
    const known = leaves.get(file);
    if (known !== undefined) return known;
    const found = new Map<string, SpelledLeaf>();
    for (const leaf of spelledLeaves(source.get(file)?.group ?? {})) {
      // An empty group may have the key of a text that is spelled in another way; no key contains a NUL.
      found.set(typeof leaf.node === "string" ? leaf.key : `\0${leaf.key}`, leaf);
    }
    leaves.set(file, found);
    return found;
  }

  const after = new Map(source);
  for (const file of new Set([...leaving.files, ...arriving.files])) {
    yield;
    const present = source.get(file);
    const whole = wholeFile(file, { source, leaving, arriving });
    const left = whole ?? (yield* rebuilt(file, present, { leaving, arriving, leavesOf }));
    if (left === undefined) after.delete(file);
    else after.set(file, left);
  }
  const hasNew = [...after.keys()].some((file) => !source.has(file));
  return hasNew ? new Map([...after].toSorted(([a], [b]) => compareBytes(a, b))) : after;
}

interface Moving {
  readonly leaving: AddressMap<StringAddress>;
  readonly arriving: AddressMap<StringAddress>;
}

/** The file that takes this one's place with all its keys as they are, if one does. */
function wholeFile(
  file: FileName,
  { source, leaving, arriving }: Moving & { readonly source: SourceFiles },
): StringFile | undefined {
  const arrivals = arriving.of(file);
  const [first] = arrivals.values();
  const origin = first && source.get(first.file);
  if (first === undefined || origin?.texts.size !== arrivals.size) return undefined;
  if ((source.get(file)?.texts.size ?? 0) !== leaving.of(file).size) return undefined;
  for (const [key, from] of arrivals) if (from.key !== key || from.file !== first.file) return undefined;
  return origin;
}

type LeavesOf = (file: FileName) => ReadonlyMap<string, SpelledLeaf>;

function* rebuilt(
  file: FileName,
  present: StringFile | undefined,
  { leaving, arriving, leavesOf }: Moving & { readonly leavesOf: LeavesOf },
): Steps<StringFile | undefined> {
  const gone = leaving.of(file);
  const leaves = [...leavesOf(file).values()];
  yield;
  const staying = leaves.filter((leaf) => !isAmong(leaf, gone));
  const places = groupPlaces(leaves, gone);
  const behind = new Map<number, Arrival[]>();
  for (const [key, from] of arriving.of(file)) {
    if (isStepDone()) yield;
    const leaf = leavesOf(from.file).get(from.key);
    if (leaf === undefined || typeof leaf.node !== "string") continue;
    const spelling = respelled(leaf, { from: from.key, to: key, target: present?.group ?? {} });
    const at = placeFor(spelling, from.file === file ? leaf : undefined, places);
    const some = behind.get(at) ?? [];
    some.push({ text: leaf.node, spelling });
    behind.set(at, some);
  }
  if (staying.length === 0 && behind.size === 0) return undefined;

  const tree = new KeyTree(present !== undefined && isList(present.group));
  const put = (at: number): void => {
    for (const { spelling, text } of behind.get(at) ?? []) tree.add(spelling, text);
  };
  put(-1);
  for (const [i, leaf] of leaves.entries()) {
    if (isStepDone()) yield;
    if (!isAmong(leaf, gone)) tree.add(leaf, leaf.node);
    put(i);
  }
  const group = tree.end();
  yield;
  const after = fromGroup(group);
  return after.texts.size === 0 ? undefined : after;
}

/** Whether a leaf is one of some texts. */
function isAmong({ key, node }: SpelledLeaf, texts: ReadonlyMap<string, unknown>): boolean {
  return typeof node === "string" && texts.has(key);
}

interface GroupPlaces {
  /** The number of each text. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The number of the last leaf that stays in a group, by the names of the group. */
  readonly lasts: ReadonlyMap<string, number>;
}

function groupPlaces(leaves: readonly SpelledLeaf[], gone: ReadonlyMap<string, unknown>): GroupPlaces {
  const numbers = new Map<string, number>();
  const lasts = new Map<string, number>();
  for (const [i, leaf] of leaves.entries()) {
    const { key, names, node } = leaf;
    if (typeof node === "string") numbers.set(key, i);
    if (isAmong(leaf, gone)) continue;
    for (let depth = 0; depth < names.length; depth++) lasts.set(pathOf(names, depth), i);
  }
  return { numbers, lasts };
}

/** The first of some names as one text, since no name contains a NUL. */
function pathOf(names: readonly string[], depth: number): string {
  return `${depth}\0${names.slice(0, depth).join("\0")}`;
}

/** The number of the leaf behind which a string is put. @param before its leaf, if it was in this file. */
function placeFor(
  { names }: Spelling,
  before: SpelledLeaf | undefined,
  { numbers, lasts }: GroupPlaces,
): number {
  let depth = names.length - 1;
  while (depth > 0 && !lasts.has(pathOf(names, depth))) depth--;
  const path = pathOf(names, depth);
  const isAround =
    before !== undefined && depth < before.names.length && pathOf(before.names, depth) === path;
  return (isAround ? numbers.get(before.key) : lasts.get(path)) ?? -1;
}
