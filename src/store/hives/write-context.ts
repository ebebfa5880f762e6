/** What one write is told by its caller: who asks, what must hold before it, and how far it may go. */
import type { Idempotency, RequestMetadata } from "../../domain/commits/commit-message.ts";
import { parseCommitMessage } from "../../domain/commits/commit-record.ts";
import { invalid, SkepError } from "../../domain/errors.ts";
import type { Oid, TeamName } from "../../domain/names.ts";
import type { RevisionStore } from "../history/revision-store.ts";

/** A caller with a token. */
export interface WriteCaller {
  readonly team: TeamName;
  /**
   * Asked once under the lock, before anything is read: the body may have taken minutes to arrive, and the lock too.
   * @throws SkepError `unauthenticated` or `forbidden` when the caller may no longer do what they were let in for.
   */
  readonly reauthorise: () => Promise<unknown>;
}

/** What must hold before a write, whatever is written. */
export interface WritePreconditions {
  /** Where HEAD must be. */
  readonly expectedHead?: Oid | undefined;
  /** What tells the request from others, where it is to be done once. */
  readonly idempotency?: Idempotency | undefined;
}

export interface WriteContext extends WritePreconditions {
  /** Who asks and what they say about it; the plan adds what the commit does. */
  readonly metadata: RequestMetadata;
  /** Undefined for a command, which asks nobody. */
  readonly caller?: WriteCaller | undefined;
  /** Whether the change is only planned, at HEAD as it is: that takes no locks and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** How many source strings may be deleted; what the Hive has set, if undefined. */
  readonly maxDeletions?: number | undefined;
}

/** For how long the same request is answered from its commit, in seconds. */
const idempotencySeconds = 86_400;

/**
 * Checks the preconditions of a write. A request that was done is found before HEAD is looked at, which it moved itself.
 * @param head where HEAD is.
 * @param now in seconds since 1970.
 * @throws SkepError `done-before` for a request that made a commit within a day, `invalid` on `Idempotency-Key` when
 * its body was another, `precondition-failed` when HEAD is elsewhere.
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

async function requireNew(
  { key, body }: Idempotency,
  revisions: RevisionStore,
  head: Oid,
  now: number,
): Promise<void> {
  const made = await revisions.findByIdempotencyKey(head, key, now - idempotencySeconds);
  if (made === undefined) return;
  if (made.idempotency?.body !== body) {
    throw invalid("Idempotency-Key", "was used for a request with another body within the last day", {
      publicCode: "idempotency_key_reused",
    });
  }
  const { message } = await revisions.history.written(made.oid);
  const { counts } = parseCommitMessage(message, true);
  throw new SkepError("done-before", "This request was done before.", { commit: made.oid, counts });
}
