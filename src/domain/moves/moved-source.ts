/** The source files of a Hive after moves of strings. */
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import { addKeys, editTexts, nest, withoutEmptied, type SpelledText } from "../strings/group-edit.ts";
import { restoreOrder } from "../strings/group-order.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import {
  fromGroup,
  isList,
  type StringFile,
  childOf,
  isEmptyGroup,
  maxDepth,
  type Group,
  type Node,
} from "../strings/string-file.ts";
import { compareBytes } from "../text.ts";

/**
 * Source files after moves. A string that stays in its group, or goes to one around it or a new one there, keeps its
 * place in the order of the file. In any other group, and in another file, it comes last.
 * @param moves from strings that there are, to places that are free or become so.
 */
export async function movedSource(source: SourceFiles, moves: readonly Move[]): Promise<SourceFiles> {
  const leaving = new AddressMap<StringAddress>();
  const arriving = new AddressMap<StringAddress>();
  for (const { from, to } of moves) {
    if (isStepDone()) await pause();
    leaving.set(from, to);
    arriving.set(to, from);
  }
  const spellings = new Map<FileName, ReadonlyMap<string, Spelling>>();
  function spellingsOf(file: FileName): ReadonlyMap<string, Spelling> {
    const found = spellings.get(file) ?? spellingsIn(source.get(file)?.group ?? {});
    spellings.set(file, found);
    return found;
  }

  const after = new Map(source);
  for (const file of new Set([...leaving.files, ...arriving.files])) {
    await pause();
    const moving = { source, leaving, arriving, spellingsOf };
    const left = wholeFile(file, moving) ?? (await rebuilt(file, moving));
    if (left === undefined) after.delete(file);
    else after.set(file, left);
  }
  const hasNew = [...after.keys()].some((file) => !source.has(file));
  return hasNew ? new Map([...after].toSorted(([a], [b]) => compareBytes(a, b))) : after;
}

interface Moving {
  readonly source: SourceFiles;
  readonly leaving: AddressMap<StringAddress>;
  readonly arriving: AddressMap<StringAddress>;
  readonly spellingsOf: (file: FileName) => ReadonlyMap<string, Spelling>;
}

/** The file that takes this one's place with all its keys as they are, if one does. */
function wholeFile(file: FileName, { source, leaving, arriving }: Moving): StringFile | undefined {
  const arrivals = arriving.of(file);
  const [first] = arrivals.values();
  const origin = first && source.get(first.file);
  if (first === undefined || origin?.texts.size !== arrivals.size) return undefined;
  if ((source.get(file)?.texts.size ?? 0) !== leaving.of(file).size) return undefined;
  for (const [key, from] of arrivals) if (from.key !== key || from.file !== first.file) return undefined;
  return origin;
}

async function rebuilt(
  file: FileName,
  { source, leaving, arriving, spellingsOf }: Moving,
): Promise<StringFile | undefined> {
  const gone = leaving.of(file);
  const arrivals = arriving.of(file);
  const present = source.get(file);
  const group = present?.group ?? {};
  const spelled = spellingsOf(file);
  const ranks = new Map(Array.from(spelled.keys(), (key, i) => [key, i]));
  const groups = new Set<string>();
  for (const [key, { names }] of spelled)
    if (!gone.has(key)) for (let depth = 1; depth < names.length; depth++) groups.add(pathOf(names, depth));
  await pause();
  const texts = new Map<string, string>();
  const added: (SpelledText & { readonly rank: number })[] = [];
  const ranksAfter = new Map(ranks);
  for (const [key, from] of arrivals) {
    if (isStepDone()) await pause();
    const before = spellingsOf(from.file).get(from.key);
    const text = source.get(from.file)?.texts.get(from.key);
    if (before === undefined || text === undefined) continue;
    texts.set(key, text);
    const spelling = respelled(before, { from: from.key, to: key, target: group });
    const isKept = from.file === file && isAround(before, spelling, groups);
    const rank = (isKept ? ranks.get(from.key) : undefined) ?? ranks.size + texts.size;
    ranksAfter.set(key, rank);
    if (!ranks.has(key)) added.push({ ...spelling, text, rank });
  }
  const payload = nest(added.toSorted((a, b) => a.rank - b.rank));
  await pause();
  const edit = (key: string, text: string) => texts.get(key) ?? (gone.has(key) ? undefined : text);
  const edited = present === undefined && isList(payload) ? [] : editTexts(group, edit, "", true);
  const grown = addKeys(edited, payload, (key) => texts.has(key));
  await pause();
  const left = withoutEmptied(grown, group);
  await pause();
  const order = { isBack: (key: string) => texts.has(key), rankOf: (key: string) => ranksAfter.get(key) };
  const ordered = restoreOrder(left, order);
  await pause();
  const after = fromGroup(ordered);
  return after.texts.size === 0 ? undefined : after;
}

/** Whether the innermost group with texts that a string comes to is one that it was in. */
function isAround(before: Spelling, { names }: Spelling, groups: ReadonlySet<string>): boolean {
  let depth = names.length - 1;
  while (depth > 0 && !groups.has(pathOf(names, depth))) depth--;
  return depth < before.names.length && pathOf(before.names, depth) === pathOf(names, depth);
}

/** The first of some names as one text, since no name contains a NUL. */
function pathOf(names: readonly string[], depth: number): string {
  return names.slice(0, depth).join("\0");
}

/** How a file spells a key: the names of its groups and its own, and which of the groups are lists. */
interface Spelling {
  readonly names: readonly string[];
  /** For each name, whether the group that holds it is a list. */
  readonly inList: readonly boolean[];
}

/** The spellings of a group's texts by their keys, in its order. @param above what leads to the group. */
function spellingsIn(
  group: Group,
  above: Spelling & { readonly prefix: string } = { prefix: "", names: [], inList: [] },
  found = new Map<string, Spelling>(),
): ReadonlyMap<string, Spelling> {
  const inList = [...above.inList, isList(group)];
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    const key = above.prefix + name;
    const names = [...above.names, name];
    if (typeof node === "string") found.set(key, { names, inList });
    else if (node !== undefined) spellingsIn(node, { prefix: `${key}.`, names, inList }, found);
  }
  return found;
}

/** How many of the names lead through groups that are there. */
function depthIn(group: Group, names: readonly string[]): number {
  let current: Node | undefined = group;
  for (const [i, name] of names.entries()) {
    current = typeof current === "object" ? childOf(current, name) : undefined;
    if (typeof current !== "object" || isEmptyGroup(current)) return i;
  }
  return names.length;
}

/**
 * How a string is spelled under another key. Names of the old spelling with which the new key ends are kept. The rest goes
 * into groups that the file has already; what remains is nested, or one dotted name if the old spelling was dotted.
 * @param target the file that it comes to, as it is before.
 */
function respelled(
  { names, inList }: Spelling,
  { from, to, target }: { readonly from: string; readonly to: string; readonly target: Group },
): Spelling {
  let kept = 0;
  let rest: string | undefined = to;
  while (rest !== undefined && kept < names.length) {
    const name: string = names[names.length - 1 - kept] ?? "";
    if (rest === name) rest = undefined;
    else if (rest.endsWith(`.${name}`)) rest = rest.slice(0, -name.length - 1);
    else break;
    kept++;
  }
  const stay = names.slice(names.length - kept);
  const wereInList = inList.slice(inList.length - kept);
  // The first name that stays may come into another group.
  if (rest === undefined && from === to) return { names, inList };
  const changed = rest === undefined ? [] : toNames(rest, names.slice(0, names.length - kept), target);
  const all = [...changed, ...stay];
  if (all.length > maxDepth) return { names: [to], inList: [isList(target)] };
  // Groups above it that stay are lists where they were.
  const stayInList = changed.map(
    (_, i) => inList[i] === true && changed.slice(0, i).every((name, j) => name === names[j]),
  );
  return { names: all, inList: [...stayInList, ...wereInList] };
}

function toNames(key: string, were: readonly string[], target: Group): readonly string[] {
  const parts = key.split(".");
  const depth = Math.min(depthIn(target, parts), parts.length - 1);
  const isDotted = were.some((name) => name.includes("."));
  return isDotted ? [...parts.slice(0, depth), parts.slice(depth).join(".")] : parts;
}
