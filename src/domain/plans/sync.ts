/** Plans imports and syncs of source files: with a base or without, and with moves or without. */
import { Issues } from "../errors.ts";
import { AddressMap, type Move } from "../move.ts";
import { alignMoves, type Difference } from "../moves/alignment.ts";
import type { Sides } from "../sides.ts";
import { detectMoves, type AmbiguousMove } from "../moves/detection.ts";
import { lastWriteWins, moveContent } from "../moves/moved-content.ts";
import { checkClashes, type FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import {
  countStrings,
  type HiveContent,
  type KeyChange,
  type Plan,
  type SourceFiles,
  sourceWrites,
} from "../strings/hive-content.ts";
import { pause } from "../../slices.ts";
import { updateStaleMarkers, type ContentWithMarkers } from "../strings/stale.ts";
import { planSourceImport, type SourceCounts, type SourceImport } from "./source-import.ts";
import { diffContent } from "../strings/content-diff.ts";
import { diffTexts } from "../strings/text-diff.ts";
import { emptyFile, noTexts } from "../strings/string-file.ts";
import { changedFiles } from "./difference.ts";
import type { FollowedMoves } from "../notes/note-changes.ts";
import type { ValueWrite } from "../sidecars/sidecar.ts";

export interface SyncCounts extends SourceCounts {
  /**
   * Source strings that were moved, where moves are detected. One whose text has changed too is also counted as updated,
   * others nowhere else.
   */
  readonly moved?: number;
  /** Source texts whose strings may have been moved, while nothing tells which of them where. */
  readonly ambiguous?: number;
}

/** The planned sync; its `changes` have the new names of the strings. */
export interface SyncPlan extends Plan<SyncCounts> {
  readonly staleMarkers: readonly ValueWrite<string>[];
  readonly ambiguous?: readonly AmbiguousMove[];
  /** Undefined where moves are not detected. */
  readonly moves?: readonly Move[];
  /** Where the strings of files that have a base are after it, and those of the base. */
  readonly followed?: FollowedMoves;
  /**
   * In how many strings the source files of the Hive then differ from the sent ones: an import keeps strings that were not
   * sent, and a sync with a base keeps what others have changed.
   */
  readonly differing: number;
}

/** An import or a sync of source files. */
export interface Sync {
  readonly request: SourceImport;
  /** The earlier state of the Hive that the files were made from, and where strings have been moved to since. */
  readonly base?: { readonly content: HiveContent; readonly movedSince: readonly Move[] };
  /** Whether strings that have gone and come again elsewhere are moved; see {@link detectMoves}. */
  readonly detectsMoves?: boolean;
}

/**
 * Plans an import or a sync of source files; of files with a base, what they changed since. A move is no deletion, and a
 * string is found where it was moved to meanwhile.
 * @returns no plan where there are conflicts, among them moves of strings that are no more or whose new place is taken.
 * @throws SkepError as {@link planSourceImport}.
 */
export async function planSync(
  marked: ContentWithMarkers,
  { request, base, detectsMoves = false }: Sync,
): Promise<{ readonly conflicts: readonly KeyChange[]; readonly plan?: SyncPlan }> {
  const hive = marked.content;
  const contents = base && sinceBase(marked, base.content, request.files);
  const before = contents?.base.content.source ?? filtered(hive.source, (file) => request.files.has(file));
  const detected = detectsMoves ? await detectMoves(before, request.files) : { moves: [], ambiguous: [] };
  const { moves: inTheirs, ambiguous } = detected;
  const aligned = contents && (await alignMoves(contents, { inOurs: base?.movedSince ?? [], inTheirs }));
  const { files, conflicts } = aligned
    ? await applySourceDifference(aligned)
    : { files: request.files, conflicts: [] };
  if (conflicts.length > 0) return { conflicts };
  const moved = aligned?.ours ?? (await moveContent(marked, inTheirs));
  const { moves } = moved;
  const plan = await planSourceImport(moved.content, { ...request, files });
  checkNewFiles(hive, plan.writes, moved.content.source);
  const { code } = hive.settings.sourceLocale;
  const updated = new AddressMap<true>();
  for (const one of moves.length > 0 ? plan.changes : [])
    if (one.change === "updated" && one.locale === code) updated.set(one, true);
  const same = moves.filter(({ to }) => !updated.has(to)).length;
  const unchanged = countStrings(request.files) - plan.counts.created - plan.counts.updated - same;
  const counted = { moved: moves.length, ambiguous: ambiguous.length };
  const staleMarkers = await updateStaleMarkers(moved.content, moved.markers, plan);
  const writes = lastWriteWins(moved.writes, plan.writes);
  const isAsSent = request.mode === "sync" && base === undefined;
  return {
    conflicts,
    plan: {
      counts: { ...plan.counts, unchanged, ...(detectsMoves && counted) },
      writes,
      differing: isAsSent ? 0 : await countDiffering(hive, writes, request.files),
      staleMarkers: lastWriteWins(moved.staleMarkers, staleMarkers),
      changes: [...moved.lost, ...plan.changes],
      ...(detectsMoves && { moves, ambiguous }),
      ...(aligned && { followed: { base: aligned.base.addresses, theirs: aligned.theirs.addresses } }),
    },
  };
}

/** In how many strings the Hive, after some writes, differs from the sent files. Files that are not sent do not count. */
async function countDiffering(
  hive: HiveContent,
  writes: SyncPlan["writes"],
  sent: SourceFiles,
): Promise<number> {
  const written = sourceWrites(hive.settings, writes);
  let count = 0;
  for (const [file, { texts }] of sent) {
    await pause();
    const now = written.has(file) ? written.get(file) : hive.source.get(file);
    count += diffTexts(texts, now?.texts ?? noTexts).length;
  }
  return count;
}

/** @throws SkepError `invalid` when a file that is new cannot lie beside others. */
function checkNewFiles(hive: HiveContent, writes: Plan<unknown>["writes"], moved: SourceFiles): void {
  if ([...moved.keys()].every((file) => hive.source.has(file))) return;
  const names = new Set(moved.keys());
  for (const { locale, file, content } of writes) {
    if (locale === hive.settings.sourceLocale.code && content === undefined) names.delete(file);
  }
  const issues = new Issues();
  checkClashes(names, new Set([...names].filter((file) => !hive.source.has(file))), issues);
  issues.throwIfAny();
}

interface BasedFiles {
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
function sinceBase(
  now: ContentWithMarkers,
  base: HiveContent,
  files: SourceFiles,
): Sides<ContentWithMarkers> {
  const sourceOnly = (source: SourceFiles): ContentWithMarkers => ({
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
async function applySourceDifference(contents: Difference): Promise<BasedFiles> {
  const { ours, base, theirs, blocked } = contents;
  const holds = (file: FileName, key: string): string | undefined =>
    ours.content.source.get(file)?.texts.get(key);
  const all = await diffContent(base.content, theirs.content);
  const changes = all.filter(({ file, key, after }) => holds(file, key) !== after);
  const changed = await changedFiles(
    contents,
    changes,
    ({ file, key, before }) => blocked?.has({ file, key }) !== true && holds(file, key) === before,
  );
  return {
    files: new Map(Array.from(changed.after, ([file, content]) => [file, content ?? emptyFile])),
    conflicts: changed.blocked,
  };
}
