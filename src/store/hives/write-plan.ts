/** The result of planning a change of a Hive, and of committing it. */
import type { GivenReviews } from "../../domain/review/review.ts";
import type { KeyChange, TextAddress } from "../../domain/strings/hive-content.ts";
import type { StringCounts } from "../../domain/plans/deletions.ts";
import type { RejectedKeys } from "../../domain/plans/unknown-keys.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { TextFault } from "../../domain/errors.ts";
import type { Notes } from "../../domain/notes/note.ts";
import type { Move } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import type { Steps } from "../../domain/steps.ts";
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import type { HiveChange } from "./hive-commit.ts";
import type { AcceptanceDifference } from "../content/accepted-findings.ts";
import type { PictureChange } from "../content/stored-pictures.ts";
import type { Snapshot } from "../content/snapshot.ts";

/** A planned change: its result, and the commit to make, if any. */
export interface WritePlan<T> {
  readonly result: T;
  readonly change?: HiveChange<ChangeMetadata>;
  /** Where a limit holds for them. */
  readonly strings?: StringCounts;
  /** The changes of keys, for previews. */
  readonly changes?: readonly KeyChange[];
  /** Keys of a translation import that are not taken, for previews. */
  readonly rejectedKeys?: () => Steps<RejectedKeys>;
  /** The moves of source strings, for previews. */
  readonly moves?: readonly Move[];
  /** What a merge or an undo brings to accepted findings. */
  readonly acceptances?: AcceptanceDifference;
  /** What becomes of notes beside moving with their strings. A commit is made for them only if the plan has a change. */
  readonly notes?: (notes: Notes) => Notes;
  /** The markers of reviews that a merge, an undo, an approval or a rejection gives; see {@link reviewWrites}. */
  readonly reviews?: GivenReviews;
  /** Stale translations that are confirmed. */
  readonly confirmed?: readonly TextAddress[];
  /** What becomes of pictures beside following their strings. A commit is made for them only if the plan has a change. */
  readonly pictures?: PictureChange;
}

/** Plans a change of a Hive at HEAD. It may be called again, so it must not have side effects. */
export type Planner<T> = (snapshot: Snapshot) => WritePlan<T> | Promise<WritePlan<T>>;

/** What a change would do, and the settings of the Hive. */
export interface Preview {
  readonly changes: readonly KeyChange[];
  /** Keys of the request that are not taken; undefined where a request has no such keys. */
  readonly rejectedKeys: RejectedKeys | undefined;
  /** The moves of source strings; undefined where a request can make none. */
  readonly moves: readonly Move[] | undefined;
  readonly settings: HiveSettings;
}

/** The result of a plan, and the commit at HEAD after it: a new one if there was a change. */
export interface CommitResult<T> {
  readonly result: T;
  readonly commit: Oid;
  /** Undefined where nothing was found. */
  readonly findings?: WriteFindings;
  /** Present when the change was only planned. */
  readonly preview?: Preview;
}

/** What checks find in the texts that a change adds or changes. */
export interface WriteFindings {
  /** The first of them. */
  readonly listed: readonly TextFault[];
  readonly total: number;
}

/** A plan whose texts were checked. */
export type CheckedPlan<T> = WritePlan<T> & { readonly findings?: WriteFindings };

/** A branch that a commit makes. */
export interface NewBranch {
  /** The commit that it begins at. */
  readonly from: Oid;
  /** How many branches there may be. */
  readonly limit: number;
}
