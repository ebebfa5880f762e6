/** Plans moves that a caller asks for: of strings, of groups of strings, and of whole files. */
import { append } from "../group-by.ts";
import { Issues } from "../errors.ts";
import { isSameAddress, AddressMap, type Move, type StringAddress } from "../move.ts";
import { moveContent, type MovedContent } from "../moves/moved-content.ts";
import { fileNameProblem, findClashes, isFileName, type FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import { countStrings, type SourceFiles } from "../strings/hive-content.ts";
import type { ContentWithMarkers } from "../strings/stale.ts";
import { groupsOf } from "../strings/flattened-keys.ts";
import { childOf, fileProblem, isList, keyProblem, type Group } from "../strings/string-file.ts";
import { excerpt } from "../text.ts";

/** One end of a move as a caller gives it: a string or a group of a file, or without a key the file as a whole. */
export interface NamedPlace {
  readonly file: string;
  readonly key?: string;
}

export interface NamedMove {
  readonly from: NamedPlace;
  readonly to: NamedPlace;
}

/** A move of one string, and the number of the move that asks for it. */
interface NumberedMove extends Move {
  readonly index: number;
}

/**
 * Plans moves. All are made at once, so `from` means the Hive before any of them, and strings may change places. A key
 * that is no string but a group stands for all strings of the group.
 * @returns with the moves of single strings, in the order of the request and of their files.
 * @throws SkepError `invalid` on `moves[<index>].from` or `.to`, naming every move that cannot be made: when there is no
 * such string, when a string stays where it is or is moved twice, when its new place is taken, when it is or would be an
 * element of a list; and on a file that cannot be stored.
 */
export async function planMoves(
  hive: ContentWithMarkers,
  named: readonly NamedMove[],
): Promise<MovedContent> {
  const { source } = hive.content;
  const issues = new Issues();
  const moves = await expanded(source, named, issues);
  issues.throwIfAny();
  checkPlaces(source, moves, issues);
  issues.throwIfAny();
  const moved = await moveContent(
    hive,
    moves.map(({ from, to }): Move => ({ from, to })),
  );
  checkFiles(source, moved.content.source, moves, issues);
  issues.throwIfAny();
  return moved;
}

async function expanded(
  source: SourceFiles,
  named: readonly NamedMove[],
  issues: Issues,
): Promise<readonly NumberedMove[]> {
  const groups = await keysOfGroups(source, named);
  const total = countStrings(source);
  const moves: NumberedMove[] = [];
  for (const [index, { from, to }] of named.entries()) {
    if (isStepDone()) await pause();
    // Some string is moved twice, which is found later.
    if (moves.length > total) break;
    const problem = fileNameProblem(to.file) ?? (to.key === undefined ? undefined : keyProblem(to.key));
    if (problem !== undefined) {
      const part = fileNameProblem(to.file) === undefined ? "key" : "file";
      issues.add(`moves[${index}].to.${part}`, problem);
      continue;
    }
    const file = isFileName(from.file) ? source.get(from.file) : undefined;
    if (!isFileName(from.file) || !isFileName(to.file) || file === undefined) {
      issues.add(`moves[${index}].from.file`, `there is no file "${excerpt(from.file, 255)}"`);
      continue;
    }
    if ((from.key === undefined) !== (to.key === undefined)) {
      issues.add(`moves[${index}]`, "must have a key in both from and to, or in neither");
      continue;
    }
    const isOne = from.key !== undefined && file.texts.has(from.key);
    const prefix = from.key === undefined ? "" : `${from.key}.`;
    const keys = isOne
      ? [from.key]
      : from.key === undefined
        ? file.texts.keys()
        : groups.get({ file: from.file, key: from.key });
    if (keys === undefined) {
      issues.add(
        `moves[${index}].from.key`,
        `${excerpt(from.file, 255)} has no key "${excerpt(from.key ?? "")}"`,
      );
      continue;
    }
    if (from.key !== undefined && isElement(file.group, from.key)) {
      issues.add(`moves[${index}].from.key`, "is an element of a list; a list can only be moved as a whole");
      continue;
    }
    const present = source.get(to.file);
    if (to.key !== undefined && present !== undefined && isElement(present.group, to.key)) {
      issues.add(
        `moves[${index}].to.key`,
        "would be an element of a list; a list can only be moved as a whole",
      );
      continue;
    }
    for (const key of keys) {
      const name = to.key === undefined ? key : isOne ? to.key : `${to.key}.${key.slice(prefix.length)}`;
      const long = isOne ? undefined : keyProblem(name);
      if (long !== undefined) issues.add(`moves[${index}].to.key`, `as ${excerpt(name)} ${long}`);
      moves.push({ index, from: { file: from.file, key }, to: { file: to.file, key: name } });
    }
  }
  return moves;
}

/** The keys of the groups that moves name, each file looked through once. */
async function keysOfGroups(source: SourceFiles, named: readonly NamedMove[]): Promise<AddressMap<string[]>> {
  const wanted = new Map<FileName, Set<string>>();
  for (const { from } of named) {
    const { file, key } = from;
    if (key === undefined || !isFileName(file) || source.get(file)?.texts.has(key) !== false) continue;
    wanted.set(file, (wanted.get(file) ?? new Set<string>()).add(key));
  }
  const groups = new AddressMap<string[]>();
  for (const [file, names] of wanted) {
    await pause();
    for (const key of source.get(file)?.texts.keys() ?? []) {
      for (const name of groupsOf(key)) if (names.has(name)) append(groups, { file, key: name }, key);
    }
  }
  return groups;
}

/** Whether a key, of a string or a group, is or would be an element of a list, however the file nests it. */
function isElement(group: Group, key: string): boolean {
  if (isList(group)) return true;
  for (const name of groupsOf(key)) {
    const inner = childOf(group, name);
    if (typeof inner !== "object") continue;
    const rest = key.slice(name.length + 1);
    if (isList(inner) ? !rest.includes(".") || !isInside(inner, rest) : isElement(inner, rest)) return true;
  }
  return false;
}

/** Whether a key goes into an element of a list that is a group. */
function isInside(list: Group, key: string): boolean {
  const dot = key.indexOf(".");
  const element = childOf(list, key.slice(0, dot));
  return typeof element === "object" && !isElement(element, key.slice(dot + 1));
}

function nameOf({ file, key }: StringAddress): string {
  return `${excerpt(file, 255)}: ${excerpt(key)}`;
}

/** Adds an issue for each move whose string stays, is moved twice, or has no free place to go to. */
function checkPlaces(source: SourceFiles, moves: readonly NumberedMove[], issues: Issues): void {
  const leaving = new AddressMap<number>();
  const arriving = new AddressMap<number>();
  for (const { index, from, to } of moves) {
    const first = leaving.get(from);
    const other = arriving.get(to);
    if (isSameAddress(from, to))
      issues.add(`moves[${index}].to`, () => `${nameOf(to)} is where it is already`);
    else if (first !== undefined)
      issues.add(`moves[${index}].from`, () => `${nameOf(from)} is moved by moves[${first}] already`);
    else if (other !== undefined)
      issues.add(`moves[${index}].to`, () => `${nameOf(to)} is where moves[${other}] moves to already`);
    leaving.set(from, first ?? index);
    arriving.set(to, other ?? index);
  }
  for (const { index, to } of moves) {
    if (leaving.has(to) || source.get(to.file)?.texts.has(to.key) !== true) continue;
    issues.add(`moves[${index}].to`, () => `${nameOf(to)} exists`);
  }
}

/** Adds an issue for each file that cannot be stored as the moves leave it. */
function checkFiles(
  before: SourceFiles,
  after: SourceFiles,
  moves: readonly NumberedMove[],
  issues: Issues,
): void {
  const firstTo = (file: FileName): string =>
    `moves[${moves.find(({ to }) => to.file === file)?.index ?? 0}].to.file`;
  const added = new Set([...after.keys()].filter((file) => !before.has(file)));
  for (const { file, problem } of findClashes(after.keys(), added))
    issues.add(firstTo(file), `${file} ${problem}`);
  for (const [file, content] of after) {
    const problem = content === before.get(file) ? undefined : fileProblem(content);
    if (problem !== undefined) issues.add(firstTo(file), `${file} ${problem}`);
  }
}
