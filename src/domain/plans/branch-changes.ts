/** What a branch changed since it parted from main, key by key, and which of these changes conflict with main. */
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { KeyChange } from "../strings/hive-content.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { mergeKeys } from "./merge.ts";
import type { MergeConflict } from "./merge-source.ts";
import type { MarkedContent, MergeContents } from "./merge-translations.ts";

/** A change of one key by a branch; `confirmed` is a stale translation that was found to be right still. */
export interface BranchChange extends Omit<KeyChange, "change"> {
  readonly change: KeyChange["change"] | "confirmed";
  /** What main has in the way of this change. */
  readonly conflict?: MergeConflict;
}

/**
 * The changes of the other side of a merge: source strings first, then translations locale by locale. Those in locales
 * that our side does not have are left out.
 */
export function* listBranchChanges(contents: MergeContents): Steps<readonly BranchChange[]> {
  const { settings } = contents.ours.content;
  const [base, theirs] = [withSettings(contents.base, settings), withSettings(contents.theirs, settings)];
  const conflicts = new Map<string, MergeConflict>();
  for (const conflict of (yield* mergeKeys({ ...contents, base, theirs }, undefined)).conflicts) {
    if (isStepDone()) yield;
    conflicts.set(placeOf(conflict), conflict);
  }
  // A merge into the base changes exactly what the other side changed.
  const { source, translations } = yield* mergeKeys({ base, ours: base, theirs }, undefined);
  const listed: BranchChange[] = [];
  function* list(some: readonly KeyChange[], kind?: "confirmed"): Steps<void> {
    for (const change of some) {
      if (isStepDone()) yield;
      const conflict = conflicts.get(placeOf(change));
      listed.push({
        ...change,
        change: kind ?? change.change,
        ...(conflict === undefined ? {} : { conflict }),
      });
    }
  }
  yield* list(source.changes);
  yield* list(translations.changes);
  yield* list(translations.confirmed, "confirmed");
  return listed;
}

function placeOf({ locale, file, key }: Pick<KeyChange, "locale" | "file" | "key">): string {
  return `${locale}\0${file}\0${key}`;
}

function withSettings({ content, markers }: MarkedContent, settings: HiveSettings): MarkedContent {
  return { content: { ...content, settings }, markers };
}
