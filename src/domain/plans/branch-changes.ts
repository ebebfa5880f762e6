/** What a branch changed since it parted from main, key by key, and which of these changes conflict with main. */
import type { HiveSettings } from "../hives/hive-settings.ts";
import { addressOf } from "../strings/content-diff.ts";
import type { KeyChange } from "../strings/hive-content.ts";
import type { StringAddress } from "../move.ts";
import type { Steps } from "../steps.ts";
import { mergeKeys } from "./merge.ts";
import { changedMembers, mergeNotes, type NotedContent } from "../notes/merge-notes.ts";
import type { MergeConflict } from "./merge-source.ts";
import type { MergeContents } from "./merge-translations.ts";

/**
 * A change of one key by a branch; `confirmed` is a stale translation that was found to be right still, `approved` one
 * that waited for a review, `moved` a string that has another place, `note` a change of the team's note. All changes of a moved string have its new place.
 */
export interface BranchChange extends Omit<KeyChange, "change"> {
  readonly change: KeyChange["change"] | "confirmed" | "approved" | "moved" | "note";
  /** The member of a note that was changed. */
  readonly member?: string;
  /** Where a moved string was. */
  readonly from?: StringAddress;
  /** What main has in the way of this change. */
  readonly conflict?: MergeConflict;
}

/**
 * The changes of the other side of a merge: source strings first, then translations locale by locale, then notes.
 * Those in locales that our side does not have are left out.
 */
export function* listBranchChanges(contents: MergeContents): Steps<readonly BranchChange[]> {
  const { settings } = contents.ours.content;
  const [base, theirs] = [withSettings(contents.base, settings), withSettings(contents.theirs, settings)];
  const present = { ...contents, base, theirs };
  const keys = yield* mergeKeys(present, undefined);
  const first = { app: "theirs", team: "ours" } as const;
  const inNotes = mergeNotes(present, keys.aligned, first).conflicts;
  const conflicts = new Map([...keys.conflicts, ...inNotes].map((one) => [nameOf(one), one]));
  // A merge into the base changes exactly what the other side changed.
  const moves = { inOurs: [], inTheirs: contents.moves?.inTheirs ?? [] };
  const sides = { base, ours: base, theirs, moves };
  const { source, translations, ours, aligned } = yield* mergeKeys(sides, undefined);
  const listed: BranchChange[] = [];
  function list<T>(some: readonly T[], toChange: (one: T) => BranchChange): void {
    for (const one of some) {
      const change = toChange(one);
      const conflict = conflicts.get(nameOf(change));
      listed.push(conflict === undefined ? change : { ...change, conflict });
    }
  }
  const locale = settings.sourceLocale.code;
  list(ours.moves, ({ from, to: { file, key } }) => ({
    change: "moved",
    locale,
    file,
    key,
    from,
  }));
  for (const changes of [source.changes, ours.lost, translations.changes]) {
    list(changes, (change) => change);
  }
  list(translations.confirmed, (change) => ({ ...change, change: "confirmed" }));
  list(translations.approved, (change) => ({ ...change, change: "approved" }));
  list(changedMembers(sides, aligned), (change) => ({ change: "note", locale, ...change }));
  return listed;
}

/** Tells a text, and each member of its note, from all others. */
function nameOf(change: Pick<BranchChange, "locale" | "file" | "key" | "member">): string {
  return `${addressOf(change)}\0${change.member ?? ""}`;
}

function withSettings(side: NotedContent, settings: HiveSettings): NotedContent {
  return { ...side, content: { ...side.content, settings } };
}
