/** Applies changes of keys to source files and their translations. */
import { groupBy, grouped } from "../group-by.ts";
import { translationsAt } from "../strings/content-diff.ts";
import { addKeys, project, removeKeys, replaceTexts, translationFile } from "../strings/group-edit.ts";
import { keepsShape } from "../strings/group-shape.ts";
import { restoreOrder } from "../strings/group-order.ts";
import type { FileWrite, HiveContent, KeyChange } from "../strings/hive-content.ts";
import type { AddressMap } from "../move.ts";
import type { ThreeContents } from "../moves/alignment.ts";
import { findClashes, type FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import type { Steps } from "../steps.ts";
import {
  emptyFile,
  noTexts,
  fromGroup,
  isList,
  sameGroup,
  translatableTexts,
  type Group,
  type StringFile,
  type Texts,
} from "../strings/string-file.ts";

/** The difference from one content of a Hive to another, and the content to which it is applied. */
export interface Difference extends ThreeContents {
  /** Places at which nothing may be changed. */
  readonly blocked?: AddressMap<true>;
}

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
 * @param changes of source strings, from `from` to `to`.
 */
export function* changedFiles(
  { now, from, to }: Difference,
  changes: readonly KeyChange[],
  mayApply: (change: KeyChange) => boolean,
): Steps<ChangedFiles> {
  const blocked: KeyChange[] = [];
  const files = new Map<FileName, StringFile | undefined>();
  const byFile = yield* grouped(changes, ({ file }) => file);
  for (const [file, all] of byFile) {
    yield;
    const applied: KeyChange[] = [];
    for (const change of all) (mayApply(change) ? applied : blocked).push(change);
    if (applied.length === 0) continue;
    const present = now.source.get(file);
    const target = to.source.get(file);
    const isWhole = applied.length === all.length && sameFile(present, from.source.get(file));
    yield;
    files.set(file, isWhole ? target : yield* edited(present, target, applied));
  }
  for (const [file, start] of from.source) {
    const target = to.source.get(file);
    if (target === undefined || target === start || byFile.has(file)) continue;
    yield;
    if (sameFile(target, start)) continue;
    if (sameFile(now.source.get(file), start)) files.set(file, target);
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

function sameFile(a: StringFile | undefined, b: StringFile | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameGroup(a.group, b.group);
}

/**
 * A file with some changes made; undefined when no key is left. New keys stand behind those they follow in `target`.
 */
function* edited(
  present: StringFile | undefined,
  target: StringFile | undefined,
  changes: readonly KeyChange[],
): Steps<StringFile | undefined> {
  const gone = new Set<string>();
  const replaced = new Map<string, string>();
  const added = new Map<string, string>();
  for (const { change, key, after = "" } of changes) {
    if (change === "deleted") gone.add(key);
    else (change === "updated" ? replaced : added).set(key, after);
  }
  let group: Group = present?.group ?? (target !== undefined && isList(target.group) ? [] : {});
  if (gone.size > 0) group = removeKeys(group, (key) => gone.has(key));
  if (replaced.size > 0) group = replaceTexts(group, replaced);
  if (added.size > 0 && target !== undefined) {
    const isNew = (key: string): boolean => added.has(key);
    const ranks = new Map<string, number>();
    for (const key of target.texts.keys()) ranks.set(key, ranks.size);
    yield;
    const grown = addKeys(group, project(target, added) ?? [], isNew);
    yield;
    group = restoreOrder(grown, { isBack: isNew, rankOf: (key) => ranks.get(key) });
  }
  yield;
  const file = fromGroup(group);
  return file.texts.size === 0 ? undefined : file;
}

/**
 * The writes of translation files whose texts change, or whose source file changes its shape.
 * @param files the source files that change in any way; undefined for a file that is removed.
 * @param changes with all translations that go with their source strings; those of source strings are ignored.
 * @param orphans what happens to a text that was stored without a source string when its string comes. An import keeps it:
 * it may have been the source text before another locale became the source.
 */
export function* translationWrites(
  now: HiveContent,
  files: ReadonlyMap<FileName, StringFile | undefined>,
  changes: readonly KeyChange[],
  orphans: "kept" | "dropped" = "dropped",
): Steps<readonly FileWrite[]> {
  const writes: FileWrite[] = [];
  const byFile = yield* grouped(changes, ({ file }) => file);
  for (const file of new Set([...files.keys(), ...byFile.keys()])) {
    const byLocale = groupBy(byFile.get(file) ?? [], ({ locale }) => locale);
    const before = now.source.get(file);
    const shape = files.has(file) ? files.get(file) : before;
    const keys = translatableTexts(shape);
    // Computed only if a locale has the file, and once for all locales.
    let isKept: boolean | undefined;
    let added: readonly string[] | undefined;
    for (const { code } of now.settings.targetLocales) {
      const stored = now.translations.get(code)?.get(file);
      const own = byLocale.get(code) ?? [];
      if (stored === undefined && own.length === 0) continue;
      yield;
      isKept ??= shape === before || keepsShape(before ?? emptyFile, shape ?? emptyFile);
      added ??= shape === before ? [] : keysWithout(keys, translatableTexts(before));
      const hasOrphans =
        orphans === "dropped" && stored !== undefined && added.some((key) => stored.has(key));
      if (own.length === 0 && isKept && !hasOrphans) continue;
      const present = orphans === "kept" ? (stored ?? noTexts) : translationsAt(now, code, file);
      const texts = filtered(present, (key) => keys.has(key));
      for (const { key, after } of own) {
        if (after === undefined) texts.delete(key);
        else texts.set(key, after);
      }
      yield;
      const content = translationFile(shape, texts);
      const isChanged = own.length > 0 || hasOrphans;
      if (isChanged || !sameFile(translationFile(before, present), content))
        writes.push({ locale: code, file, content });
    }
  }
  return writes;
}

/** The keys of some texts that others do not have. */
export function keysWithout(texts: Texts, others: Texts): readonly string[] {
  const keys: string[] = [];
  for (const key of texts.keys()) {
    if (!others.has(key)) keys.push(key);
  }
  return keys;
}
