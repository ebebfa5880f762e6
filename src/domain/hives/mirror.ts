/** Mirrors: what is known of each, and when it is pushed to next. */
import type { MirrorUrl } from "./mirror-url.ts";
import type { Oid } from "../names.ts";

/** A remote that a Hive is pushed to. */
export interface Mirror {
  readonly url: MirrorUrl;
  /** ISO 8601, UTC. One that was removed and added again is another mirror. */
  readonly added: string;
}

/** What a Hive would push: main and its tags. */
export interface PushableRefs {
  readonly main: Oid;
  /** A hash of main and all tags: another one means that there is something to push. */
  readonly digest: string;
}

/** How a push ended. `stopped`: it was told to, and nothing is known of it. */
export type PushOutcome =
  | { readonly kind: "pushed" | "stopped" }
  | { readonly kind: FailureKind; readonly error: string };

/** `rejected`: the remote has something else, and trying again would not change that. */
export const failureKinds = ["failed", "rejected", "no-git"] as const;
export type FailureKind = (typeof failureKinds)[number];

export interface PushFailure {
  readonly kind: FailureKind;
  /** One line without credentials. */
  readonly error: string;
  /** The digest that could not be pushed. */
  readonly refs: string;
  readonly at: string;
  /** How many in a row. */
  readonly attempts: number;
  readonly retryAt: string;
}

/** What is remembered of one mirror over restarts; times are ISO 8601, UTC. */
export interface MirrorState {
  readonly mirror: Mirror;
  /** The last push that succeeded. */
  readonly pushed?: { readonly commit: Oid; readonly refs: string; readonly at: string };
  /** The last push, if it failed. */
  readonly failure?: PushFailure;
}

/** `waiting`: there is something to push, and nothing against it. */
export type MirrorStatus = "pushed" | "waiting" | FailureKind;

const firstRetryMs = 2_000;
const longestRetryMs = 30 * 60_000;

/**
 * How long to wait after so many failures in a row: doubled each time, up to half an hour, and between half of that
 * and all of it, so that many mirrors of one host do not come back all at once.
 * @param random from 0 to 1.
 */
export function retryDelay(attempts: number, random: number): number {
  const longest = Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs);
  return Math.round(longest * (0.5 + random / 2));
}

/** The state after a push. @param now in milliseconds since 1970; random from 0 to 1. */
export function afterPush(
  before: MirrorState,
  refs: PushableRefs,
  outcome: Exclude<PushOutcome, { kind: "stopped" }>,
  { now, random }: { readonly now: number; readonly random: number },
): MirrorState {
  const { mirror, pushed, failure } = before;
  const at = new Date(now).toISOString();
  if (!("error" in outcome)) return { mirror, pushed: { commit: refs.main, refs: refs.digest, at } };
  const attempts = (failure?.attempts ?? 0) + 1;
  const retryAt = new Date(now + retryDelay(attempts, random)).toISOString();
  const { kind, error } = outcome;
  return {
    mirror,
    ...(pushed === undefined ? {} : { pushed }),
    failure: { kind, error, refs: refs.digest, at, attempts, retryAt },
  };
}

/** How a mirror stands to what the Hive is now. */
export function statusOf({ pushed, failure }: MirrorState, { digest }: PushableRefs): MirrorStatus {
  if (failure === undefined) return pushed?.refs === digest ? "pushed" : "waiting";
  return failure.kind === "rejected" && failure.refs !== digest ? "waiting" : failure.kind;
}

/**
 * When a mirror is to be pushed to, in milliseconds since 1970; undefined while there is no reason.
 * @param quietAt when the Hive is taken to have come to rest after its last change.
 */
export function dueAt(
  state: MirrorState,
  refs: PushableRefs,
  { quietAt, now }: { readonly quietAt: number; readonly now: number },
): number | undefined {
  const status = statusOf(state, refs);
  if (status === "pushed" || status === "rejected") return undefined;
  if (status === "waiting" || state.failure === undefined) return quietAt;
  const retryAt = Date.parse(state.failure.retryAt);
  // A clock that was set back must not put a mirror off for longer than any failure would.
  return retryAt - now > longestRetryMs ? now : retryAt;
}
