/** Applies changes of keys to source files. */
import { groupBy } from "../group-by.ts";
import { addKeys, editTexts, project } from "../strings/group-edit.ts";
import { restoreOrder } from "../strings/group-order.ts";
import type { KeyChange } from "../strings/hive-content.ts";
import type { Difference } from "../moves/alignment.ts";
import { findClashes, type FileName } from "../names.ts";
import type { Steps } from "../steps.ts";
import { fromGroup, isList, isSameFile, type Group, type StringFile } from "../strings/string-file.ts";

export interface ChangedFiles {
  /** The files that change; undefined for a file that is removed. */
  readonly after: ReadonlyMap<FileName, StringFile | undefined>;
  /** The changes that were not made. */
  readonly blocked: readonly KeyChange[];
  /** The new files that were left out, each with a present file beside which it cannot lie. */
  readonly clashes: ReadonlyMap<FileName, FileName>;
}

/**
 * Applies the changes of source strings that may be made. A new file that clashes with present ones is left out. A file in
 * which only the order, the nesting or the empty groups differ gets these if it is still what the difference started
 * from.
 * @param changes of source strings, from the base to their side.
 */
export function* changedFiles(
  { ours: { content: now }, base: { content: from }, theirs: { content: to } }: Difference,
  changes: readonly KeyChange[],
  mayApply: (change: KeyChange) => boolean,
): Steps<ChangedFiles> {
  const blocked: KeyChange[] = [];
  const files = new Map<FileName, StringFile | undefined>();
  const byFile = groupBy(changes, ({ file }) => file);
  for (const [file, all] of byFile) {
    yield;
    const applied: KeyChange[] = [];
    for (const change of all) (mayApply(change) ? applied : blocked).push(change);
    if (applied.length === 0) continue;
    const present = now.source.get(file);
    const target = to.source.get(file);
    const isWhole = applied.length === all.length && isSameFile(present, from.source.get(file));
    files.set(file, isWhole ? target : withChanges(present, target, applied));
  }
  for (const [file, start] of from.source) {
    const target = to.source.get(file);
    if (target === undefined || target === start || byFile.has(file)) continue;
    yield;
    if (isSameFile(target, start)) continue;
    if (isSameFile(now.source.get(file), start)) files.set(file, target);
  }

  const names = new Set(now.source.keys());
  const added = new Set<FileName>();
  for (const [file, content] of files) {
    if (content === undefined) names.delete(file);
    else if (!names.has(file)) added.add(file);
  }
  const clashes = new Map<FileName, FileName>();
  for (const { file, other } of findClashes([...names, ...added], added)) {
    if (!files.delete(file)) continue;
    clashes.set(file, other);
    for (const change of byFile.get(file) ?? []) if (change.change === "created") blocked.push(change);
  }
  return { after: files, blocked, clashes };
}

/**
 * A file with some changes made; undefined when no key is left. New keys stand behind those they follow in `target`.
 */
export function withChanges(
  present: StringFile | undefined,
  target: StringFile | undefined,
  changes: readonly KeyChange[],
): StringFile | undefined {
  const gone = new Set<string>();
  const replaced = new Map<string, string>();
  const added = new Map<string, string>();
  for (const { change, key, after = "" } of changes) {
    if (change === "deleted") gone.add(key);
    else (change === "updated" ? replaced : added).set(key, after);
  }
  let group: Group = present?.group ?? (target !== undefined && isList(target.group) ? [] : {});
  if (gone.size + replaced.size > 0)
    group = editTexts(group, (key, text) => (gone.has(key) ? undefined : (replaced.get(key) ?? text)));
  if (added.size > 0 && target !== undefined) {
    const isNew = (key: string): boolean => added.has(key);
    const ranks = new Map<string, number>();
    for (const key of target.texts.keys()) ranks.set(key, ranks.size);
    const grown = addKeys(group, project(target, added) ?? [], isNew);
    group = restoreOrder(grown, { isBack: isNew, rankOf: (key) => ranks.get(key) });
  }
  const file = fromGroup(group);
  return file.texts.size === 0 ? undefined : file;
}
