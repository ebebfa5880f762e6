/** Source files with the changes of a commit taken back. */
import { invalid } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import { addKeys, project, removeKeys, replaceTexts } from "../strings/group-edit.ts";
import { restoreOrder } from "../strings/group-order.ts";
import type { HiveContent, KeyChange } from "../strings/hive-content.ts";
import { findClashes, type FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import {
  fileProblem,
  fromGroup,
  isList,
  sameGroup,
  type Group,
  type StringFile,
} from "../strings/string-file.ts";

/** A Hive as it is now, as a commit left it, and as that commit's parent had left it. */
export interface UndoContents {
  readonly now: HiveContent;
  readonly before: HiveContent;
  readonly after: HiveContent;
}

export interface UndoneFiles {
  /** The files that change; undefined where one goes. */
  readonly after: ReadonlyMap<FileName, StringFile | undefined>;
  /** The changes that stay. */
  readonly blocked: readonly KeyChange[];
}

/**
 * Takes back a commit's changes of source strings, those that may be taken back. A file that would come back and
 * cannot lie beside those of now stays away. A file of which only the order, the nesting or the empty groups changed
 * gets those back while it is as the commit left it.
 * @throws SkepError `invalid` on `commit` when a file would hold more than a file may.
 */
export function* undoneFiles(
  { now, before, after }: UndoContents,
  changes: readonly KeyChange[],
  mayTakeBack: (change: KeyChange) => boolean,
): Steps<UndoneFiles> {
  const blocked: KeyChange[] = [];
  const files = new Map<FileName, StringFile | undefined>();
  const byFile = groupBy(changes, ({ file }) => file);
  for (const [file, all] of byFile) {
    const taken: KeyChange[] = [];
    for (const change of all) {
      if (isStepDone()) yield;
      (mayTakeBack(change) ? taken : blocked).push(change);
    }
    if (taken.length === 0) continue;
    const present = now.source.get(file);
    const former = before.source.get(file);
    const isWhole = taken.length === all.length && (yield* sameFile(present, after.source.get(file)));
    const undone = isWhole ? former : yield* edited(present, former, taken);
    const problem = undone && fileProblem(undone);
    if (problem !== undefined) throw invalid("commit", `cannot be undone: ${file} ${problem}`);
    files.set(file, undone);
  }
  for (const [file, left] of after.source) {
    const former = before.source.get(file);
    if (former === undefined || byFile.has(file) || (yield* sameFile(former, left))) continue;
    if (yield* sameFile(now.source.get(file), left)) files.set(file, former);
  }

  const names = new Set(now.source.keys());
  const added = new Set<FileName>();
  for (const [file, content] of files) {
    if (content === undefined) names.delete(file);
    else if (!names.has(file)) added.add(file);
  }
  for (const { file } of findClashes([...names, ...added], added)) {
    if (!files.delete(file)) continue;
    for (const change of byFile.get(file) ?? []) if (change.change === "deleted") blocked.push(change);
  }
  return { after: files, blocked };
}

function* sameFile(a: StringFile | undefined, b: StringFile | undefined): Steps<boolean> {
  return a === undefined || b === undefined ? a === b : yield* sameGroup(a.group, b.group);
}

/** A file that has gone on since, with some changes taken back; undefined when no key is left. */
function* edited(
  present: StringFile | undefined,
  former: StringFile | undefined,
  changes: readonly KeyChange[],
): Steps<StringFile | undefined> {
  const gone = new Set<string>();
  const replaced = new Map<string, string>();
  const restored = new Map<string, string>();
  for (const { change, key, before = "" } of changes) {
    if (isStepDone()) yield;
    if (change === "created") gone.add(key);
    else (change === "updated" ? replaced : restored).set(key, before);
  }
  let group: Group = present?.group ?? (former !== undefined && isList(former.group) ? [] : {});
  if (gone.size > 0) group = yield* removeKeys(group, (key) => gone.has(key));
  if (replaced.size > 0) group = yield* replaceTexts(group, replaced);
  if (restored.size > 0 && former !== undefined) {
    const isBack = (key: string): boolean => restored.has(key);
    const ranks = new Map(Array.from(former.texts.keys(), (key, rank) => [key, rank]));
    const added = yield* addKeys(group, (yield* project(former, restored)) ?? [], isBack);
    group = yield* restoreOrder(added, { isBack, rankOf: (key) => ranks.get(key) });
  }
  const file = yield* fromGroup(group);
  return file.texts.size === 0 ? undefined : file;
}
