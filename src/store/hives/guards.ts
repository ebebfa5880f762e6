/** What the caller of a write wants kept to, whatever is written. */
import type { NamedRequest } from "../../domain/commits/commit-message.ts";
import { parseCommitMessage } from "../../domain/commits/commit-record.ts";
import { invalid, SkepError } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { RevisionStore } from "../history/revision-store.ts";

export interface Guards {
  /** Asked before the others: what they tell is for those who may still do what they were let in for. */
  readonly confirm?: () => Promise<void>;
  /** The request, where it is to be done once. */
  readonly request?: NamedRequest | undefined;
  /** Where HEAD must be. */
  readonly expected?: Oid | undefined;
  /** Whether changes are only planned. */
  readonly isPreview?: boolean;
}

/** How long a request is known again, in seconds. */
const rememberedSeconds = 86_400;

/**
 * Checks what can be checked before a change is planned. A request that was done is found before HEAD is looked at,
 * which it moved itself.
 * @param head where HEAD is.
 * @param now in seconds since 1970.
 * @throws SkepError `done-before` for a request that made a commit within a day, `invalid` on `Idempotency-Key` when
 * its body was another, `precondition-failed` when HEAD is elsewhere; what `confirm` throws.
 */
export async function checkGuards(
  { confirm, request, expected, isPreview }: Guards,
  revisions: RevisionStore,
  head: Oid,
  now: number,
): Promise<void> {
  await confirm?.();
  if (request !== undefined && isPreview !== true) await requireNew(request, revisions, head, now);
  if (expected === undefined || expected === head) return;
  throw new SkepError("precondition-failed", `If-Match: this Hive is at ${head}.`, { commit: head });
}

async function requireNew(
  request: NamedRequest,
  revisions: RevisionStore,
  head: Oid,
  now: number,
): Promise<void> {
  const made = await revisions.findByIdempotencyKey(head, request.key, now - rememberedSeconds);
  if (made === undefined) return;
  if (made.request?.body !== request.body) {
    throw invalid("Idempotency-Key", "was used for a request with another body within the last day");
  }
  const { message } = await revisions.history.written(made.oid);
  const { counts } = parseCommitMessage(message, true);
  throw new SkepError("done-before", "This request was done before.", { commit: made.oid, counts });
}
