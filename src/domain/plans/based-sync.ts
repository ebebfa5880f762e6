/**
 * A sync of files that were made from an earlier state of the Hive, its base: only what the files changed since their
 * base is taken from them.
 */
import { diffContent } from "../strings/content-diff.ts";
import type { HiveContent, KeyChange, SourceFiles } from "../strings/hive-content.ts";
import type { FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import type { Steps } from "../steps.ts";
import type { Difference, Sides } from "../moves/alignment.ts";
import type { MarkedContent } from "../strings/stale.ts";
import { emptyFile } from "../strings/string-file.ts";
import { changedFiles } from "./difference-files.ts";

export interface BasedFiles {
  /** What a sync sends to bring the Hive to its state with the changes. */
  readonly files: SourceFiles;
  /** The changes whose strings have changed differently since the base, or whose files cannot lie beside others. */
  readonly conflicts: readonly KeyChange[];
}

/**
 * The difference that files make to their base, and the Hive to which it is to be applied.
 * @param base the Hive as it was when the files were made; its translations are not used.
 * @param files the sent files; other files of the Hive stay as they are.
 */
export function sinceBase(now: MarkedContent, base: HiveContent, files: SourceFiles): Sides<MarkedContent> {
  const sourceOnly = (source: SourceFiles): MarkedContent => ({
    content: { ...now.content, source, translations: new Map() },
    markers: new Map(),
  });
  return {
    ours: now,
    base: sourceOnly(filtered(base.source, (file) => files.has(file))),
    theirs: sourceOnly(filtered(files, (_, { texts }) => texts.size > 0)),
  };
}

/**
 * Applies a difference of source files as far as the Hive does not have it already. Strings that others have added since
 * the base stay, and so do their changes of strings that the files did not change.
 */
export function* applySourceDifference(contents: Difference): Steps<BasedFiles> {
  const { ours, base, theirs, blocked } = contents;
  const holds = (file: FileName, key: string): string | undefined =>
    ours.content.source.get(file)?.texts.get(key);
  const all = yield* diffContent(base.content, theirs.content);
  const changes = all.filter(({ file, key, after }) => holds(file, key) !== after);
  const changed = yield* changedFiles(
    contents,
    changes,
    ({ file, key, before }) => blocked?.has({ file, key }) !== true && holds(file, key) === before,
  );
  return {
    files: new Map(Array.from(changed.after, ([file, content]) => [file, content ?? emptyFile])),
    conflicts: changed.blocked,
  };
}
