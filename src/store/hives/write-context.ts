/** The context of one write: its caller, its preconditions and its limits. */
import {
  type Idempotency,
  type RequestMetadata,
  type ChangeMetadata,
  parseCommitMessage,
} from "../../domain/commits/commit-message.ts";
import { failure, invalid, SkepError, type TextFault } from "../../domain/errors.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { LockScope } from "../../disk/held-lock.ts";
import type { ReviewRule } from "../../domain/access/token.ts";
import type { Oid, TeamName } from "../../domain/names.ts";
import type { HiveChange } from "./hive-commit.ts";
import { localesFolder } from "../content/locale-files.ts";
import type { RevisionStore } from "../history/revision-store.ts";
import type { GivenReviews } from "../../domain/review/review.ts";
import type { KeyChange, TextAddress } from "../../domain/strings/hive-content.ts";
import type { ChangeBeside } from "../../domain/plans/changes-beside.ts";
import type { StringCounts } from "../../domain/plans/quota.ts";
import type { RejectedKeys } from "../../domain/plans/unknown-keys.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { ValueChange } from "../../domain/sidecars/sidecar.ts";
import type { Move } from "../../domain/move.ts";
import type { PictureChange } from "../content/stored-pictures.ts";
import type { Snapshot } from "../content/snapshot.ts";

/** The writer of a change: a caller with a token, or the {@link operator}. */
export interface WriteCaller {
  /** Undefined for the operator, who may change the Hives of all teams. */
  readonly team: TeamName | undefined;
  /** The settings by which the caller may write; undefined where it may be any. */
  readonly scope?: LockScope;
  /** The target locales that may be written to; undefined for no such limit. */
  readonly locales?: readonly LocaleCode[];
  /** Whether the caller may not let findings pass; undefined for no such limit. */
  readonly checks?: "strict";
  /** Whether translations that the caller writes wait for a review; undefined where their origin decides. */
  readonly review?: ReviewRule;
  /** Whether the caller may delete the comments of others. */
  readonly moderates?: boolean;
  /**
   * Called once under the lock, before anything is read: the body and the lock may have taken minutes to arrive.
   * @throws SkepError `unauthenticated` or `forbidden` when the caller's rights were revoked meanwhile.
   */
  readonly reauthorise: () => Promise<unknown>;
}

/** Who writes, as comments and markers of reviews name them: a person, a token, or an author without one. */
export function speakerOf({ person, token, author }: RequestMetadata): string {
  return person ?? token ?? author.name;
}

/** The operator of the storage, who runs commands on its machine and needs no authorisation. */
export const operator: WriteCaller = { team: undefined, reauthorise: () => Promise.resolve() };

export interface WritePreconditions {
  readonly expectedHead?: Oid;
  /** Identifies the request, if it must not be done twice. */
  readonly idempotency?: Idempotency;
}

export interface WriteContext extends WritePreconditions {
  /** The author, and the caller's fields of the commit such as its message; the plan adds the rest. */
  readonly metadata: RequestMetadata;
  readonly caller: WriteCaller;
  /** Whether the change is only planned at the current HEAD, without locks, and nothing is written. */
  readonly dryRun?: boolean;
  /** Whether texts with errors are let through where the Hive refuses them. */
  readonly allowFindings?: boolean;
  /** How many source strings may be deleted; the Hive's own limit if undefined. */
  readonly maxDeletions?: number;
}

/**
 * Checks a write by a caller whose token is limited to some locales: it may only change files of these.
 * @param change undefined for a write without a commit, such as a tag.
 * @throws SkepError `forbidden`.
 */
export function checkLocales(
  { caller: { locales } }: WriteContext,
  change: HiveChange<unknown> | undefined,
): void {
  if (locales === undefined) return;
  const { writes = [], values = [], texts, pictures, settings, quarantined } = change ?? {};
  const isWithin =
    [...writes, ...values].every(({ locale }) => locales.includes(locale)) &&
    [...(quarantined?.files.keys() ?? [])].every((path) =>
      locales.some((code) => path.startsWith(`${localesFolder}/${code}/`)),
    );
  if (change !== undefined && settings === undefined && (texts ?? pictures) === undefined && isWithin) return;
  throw failure("forbidden", `This token may only change translations into ${locales.join(", ")}.`, {
    publicCode: "limited_token",
  });
}

/** How long a repeated request is answered from its commit, in seconds. */
const idempotencySeconds = 86_400;

/**
 * Checks the preconditions of a write. A repeated request is detected before HEAD is compared, because its first run has
 * moved HEAD.
 * @param head the commit of HEAD.
 * @param now in seconds since 1970.
 * @throws SkepError `done-before` for a request that made a commit within a day, `invalid` on `Idempotency-Key` when
 * its body was different, `precondition-failed` when HEAD is at another commit.
 */
export async function checkPreconditions(
  { idempotency, expectedHead }: WritePreconditions,
  revisions: RevisionStore,
  head: Oid,
  now: number,
): Promise<void> {
  if (idempotency !== undefined) await requireNew(idempotency, revisions, head, now);
  if (expectedHead === undefined || expectedHead === head) return;
  throw new SkepError("precondition-failed", `If-Match: this Hive is at ${head}.`, { commit: head });
}

/**
 * @param head a commit whose first parents are searched for the request.
 * @throws SkepError as {@link checkPreconditions} about a repeated request.
 */
export async function requireNew(
  { key, body }: Idempotency,
  revisions: RevisionStore,
  head: Oid,
  now: number,
): Promise<void> {
  const since = now - idempotencySeconds;
  const earlier = (await revisions.graph.firstParents(head)).findLast(
    ({ idempotency, time }) => idempotency?.key === key && time >= since,
  );
  if (earlier === undefined) return;
  if (earlier.idempotency?.body !== body) {
    throw invalid("Idempotency-Key", "was used for a request with another body within the last day", {
      publicCode: "idempotency_key_reused",
    });
  }
  const { message } = await revisions.history.readCommit(earlier.oid);
  const { counts } = parseCommitMessage(message, true);
  throw new SkepError("done-before", "This request was done before.", { commit: earlier.oid, counts });
}

/** A planned change: its result, and the commit to make, if any. */
export interface WritePlan<T> {
  readonly result: T;
  readonly change?: HiveChange<ChangeMetadata>;
  /** How many source strings it creates and deletes, where limits are to be checked. */
  readonly strings?: StringCounts;
  readonly changes?: readonly KeyChange[];
  /** Finds out what changes beside the texts, for previews of merges and undos. */
  readonly beside?: () => Promise<readonly ChangeBeside[]>;
  /** Keys of a translation import that are not taken, for previews. */
  readonly rejectedKeys?: () => Promise<RejectedKeys>;
  readonly moves?: readonly Move[];
  /**
   * Changes of values, after these have moved with their strings. They need a `change`, which may be empty, to be
   * committed.
   */
  readonly values?: readonly ValueChange[];
  /** Whether the notes change by questions and answers alone, which also callers give who are limited to some locales. */
  readonly isDiscussion?: boolean;
  /** The markers of reviews that a merge, an undo, an approval or a rejection gives; see {@link reviewWrites}. */
  readonly reviews?: GivenReviews;
  readonly confirmed?: readonly TextAddress[];
  /** Changes pictures, after these have followed their strings. They need a `change`, as values do. */
  readonly pictures?: PictureChange;
}

/** Plans a change of a Hive at HEAD. It may be called again, so it must not have side effects. */
export type Planner<T> = (snapshot: Snapshot) => WritePlan<T> | Promise<WritePlan<T>>;

/** The result of a dry run: the planned changes, and the settings of the Hive. */
export interface Preview {
  readonly changes: readonly KeyChange[];
  /** What would change beside the texts; undefined where a request does not tell it. */
  readonly beside: readonly ChangeBeside[] | undefined;
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
  /** Whether everything was as wanted already: the commit is the one that HEAD was at. */
  readonly isUnchanged?: boolean;
  /** How many translations that it wrote or confirmed wait for a review from then on; undefined where nothing was written. */
  readonly waiting?: number;
  /** Undefined where nothing was found. */
  readonly findings?: WriteFindings;
  readonly preview?: Preview;
}

/** The findings of checks in the texts that a change adds or changes. */
export interface WriteFindings {
  readonly listed: readonly TextFault[];
  readonly total: number;
}

export interface NewBranch {
  readonly from: Oid;
  readonly limit: number;
}
