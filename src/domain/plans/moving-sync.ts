/** Plans a sync that detects moves: strings that get another key or another file keep their translations. */
import { Issues } from "../errors.ts";
import { AddressMap, type Move } from "../move.ts";
import { alignMoves } from "../moves/alignment.ts";
import { detectMoves, type AmbiguousMove } from "../moves/detection.ts";
import { lastWrites, moveContent, type MovedContent } from "../moves/moved-content.ts";
import { checkClashes } from "../names.ts";
import { filtered } from "../filtered.ts";
import type { Steps } from "../steps.ts";
import {
  countStrings,
  type HiveContent,
  type KeyChange,
  type Plan,
  type SourceFiles,
} from "../strings/hive-content.ts";
import { applySourceDifference, sinceBase } from "./based-sync.ts";
import { planSourceImport, type SourceCounts, type SourceImport } from "./source-import.ts";

export interface MovingCounts extends SourceCounts {
  /** Source strings that were moved. One whose text has changed too is also counted as updated, others nowhere else. */
  readonly moved: number;
  /** Source texts whose strings may have been moved, while nothing tells which of them where. */
  readonly ambiguous: number;
}

/** The planned sync; its `changes` have the new names of the strings. */
export interface MovingSyncPlan extends Plan<MovingCounts> {
  readonly ambiguous: readonly AmbiguousMove[];
  /** The moves, and what they alone do. */
  readonly moved: MovedContent;
}

/**
 * Plans a sync in which strings that have gone and come again elsewhere are moved; see {@link detectMoves}. A move is no
 * deletion.
 * @throws SkepError as {@link planSourceImport}.
 */
export function* planMovingSync(hive: HiveContent, request: SourceImport): Steps<MovingSyncPlan> {
  const present = filtered(hive.source, (file) => request.files.has(file));
  const { moves, ambiguous } = yield* detectMoves(present, request.files);
  const moved = yield* moveContent(hive, moves);
  return yield* syncOf(hive, { sent: request, sync: request }, { moved, ambiguous });
}

/** A sync of files that were made from an earlier state of the Hive. */
export interface BasedMovingSync {
  readonly base: HiveContent;
  /** Where strings have been moved to since the base. */
  readonly movedSince: readonly Move[];
  readonly request: SourceImport;
}

/**
 * The same for files with a base: the moves are those that the files made since their base. A string is found where it
 * was moved to meanwhile.
 * @returns no plan where there are conflicts, among them moves of strings that are no more or whose new place is taken.
 */
export function* planMovingSyncSince(
  hive: HiveContent,
  { base, movedSince, request }: BasedMovingSync,
): Steps<{ readonly conflicts: readonly KeyChange[]; readonly plan?: MovingSyncPlan }> {
  const contents = sinceBase(hive, base, request.files);
  const { moves, ambiguous } = yield* detectMoves(contents.from.source, request.files);
  const aligned = yield* alignMoves(contents, { inNow: movedSince, inTo: moves });
  const { files, conflicts } = yield* applySourceDifference(aligned);
  if (conflicts.length > 0) return { conflicts };
  const sync = { ...request, files };
  const plan = yield* syncOf(hive, { sent: request, sync }, { moved: aligned.moved, ambiguous });
  return { conflicts, plan };
}

function* syncOf(
  hive: HiveContent,
  { sent, sync }: { readonly sent: SourceImport; readonly sync: SourceImport },
  { moved, ambiguous }: Pick<MovingSyncPlan, "moved" | "ambiguous">,
): Steps<MovingSyncPlan> {
  const plan = yield* planSourceImport(moved.content, sync);
  const writes = lastWrites(moved.writes, plan.writes);
  checkNewFiles(hive, plan.writes, moved.content.source);
  const updated = new AddressMap<true>();
  for (const one of plan.changes) {
    if (one.change === "updated" && one.locale === hive.settings.sourceLocale.code) updated.set(one, true);
  }
  const { moves } = moved;
  const same = moves.filter(({ to }) => !updated.has(to)).length;
  const unchanged = countStrings(sent.files) - plan.counts.created - plan.counts.updated - same;
  const counts = { ...plan.counts, unchanged, moved: moves.length, ambiguous: ambiguous.length };
  return { counts, writes, changes: [...moved.lost, ...plan.changes], ambiguous, moved };
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
