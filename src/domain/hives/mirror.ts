/** The states of mirrors, and when each is pushed to next. */
import { z } from "zod";
import { isMirrorUrl } from "./mirror-url.ts";
import { branchName, hash, oid, positive, textThat, time } from "./stored-fields.ts";
import type { Decoded } from "../json-codec.ts";
import type { BranchName } from "../commits/branch-name.ts";
import type { Oid } from "../names.ts";

/** A remote repository that a Hive is pushed to. */
export const storedMirror = z.strictObject({
  // An address that was written into the file by hand must be safe to pass to git, too.
  url: textThat(isMirrorUrl),
  /** A mirror that was removed and added again is a different one. */
  added: time,
  /** Whether it gets all branches instead of main only. */
  branches: z
    .boolean()
    .transform((isAll) => isAll || undefined)
    .optional(),
});
export type Mirror = Decoded<z.output<typeof storedMirror>>;

export interface MirrorOptions {
  /** All branches, and not main alone. */
  readonly branches?: boolean;
}

/** The refs of a Hive that can be pushed: main, its tags, and its other branches. */
export interface PushableRefs {
  readonly main: Oid;
  /** A hash of main and all tags: if it changes, every mirror has something to get. */
  readonly digest: string;
  /** A hash of all tags and all branches. */
  readonly digestWithBranches: string;
  /** All branches but main. */
  readonly branches: readonly MirroredBranch[];
}

export interface MirroredBranch {
  readonly name: BranchName;
  readonly commit: Oid;
}

function digestFor({ branches }: Mirror, refs: PushableRefs): string {
  return branches === true ? refs.digestWithBranches : refs.digest;
}

/** The outcome of a push. `stopped`: it was interrupted, so its result is unknown. */
export type PushOutcome =
  | { readonly kind: "pushed" | "stopped" }
  | { readonly kind: FailureKind; readonly error: string };

/** `rejected`: the remote has diverged, and trying again would not change that. */
export const failureKinds = ["failed", "rejected", "no-git"] as const;
export type FailureKind = (typeof failureKinds)[number];

const storedFailure = z.strictObject({
  kind: z.enum(failureKinds),
  /** One line without credentials. */
  error: z.string(),
  refs: hash,
  at: time,
  /** How many consecutive pushes have failed. */
  attempts: positive,
  retry_at: time,
});

/** The persistent state of one mirror. */
export const storedMirrorState = z.strictObject({
  mirror: storedMirror,
  /** The last push that succeeded, and the branches that it left in a mirror that gets them. */
  pushed: z
    .strictObject({
      commit: oid,
      refs: hash,
      at: time,
      branches: z.array(z.strictObject({ name: branchName, commit: oid })).optional(),
    })
    .optional(),
  failure: storedFailure.optional(),
});
export type MirrorState = Decoded<z.output<typeof storedMirrorState>>;

/** `waiting`: there is something to push, and no failure prevents it. */
export type MirrorStatus = "pushed" | "waiting" | FailureKind;

const firstRetryMs = 2_000;
const longestRetryMs = 30 * 60_000;

/**
 * How long to wait after a number of consecutive failures. The wait doubles each time, up to half an hour, and is
 * shortened by a random part of up to half of it, so that many mirrors of one host are not pushed to at once.
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
  const digest = digestFor(mirror, refs);
  if (!("error" in outcome)) {
    const branches = mirror.branches === true && refs.branches.length > 0 ? { branches: refs.branches } : {};
    return { mirror, pushed: { commit: refs.main, refs: digest, at, ...branches } };
  }
  const attempts = (failure?.attempts ?? 0) + 1;
  const retryAt = new Date(now + retryDelay(attempts, random)).toISOString();
  const { kind, error } = outcome;
  return {
    mirror,
    pushed,
    failure: { kind, error, refs: digest, at, attempts, retryAt },
  };
}

/** The branches that Skep has pushed to a mirror and that the Hive no longer has. */
export function goneBranches(
  { mirror, pushed }: MirrorState,
  { branches }: PushableRefs,
): readonly MirroredBranch[] {
  if (mirror.branches !== true) return [];
  const present = new Set(branches.map(({ name }) => name));
  return (pushed?.branches ?? []).filter(({ name }) => !present.has(name));
}

/** The status of a mirror. A rejected push counts until the refs to push change. @param refs the refs of the Hive now. */
export function statusOf({ mirror, pushed, failure }: MirrorState, refs: PushableRefs): MirrorStatus {
  const digest = digestFor(mirror, refs);
  if (failure === undefined) return pushed?.refs === digest ? "pushed" : "waiting";
  return failure.kind === "rejected" && failure.refs !== digest ? "waiting" : failure.kind;
}

/**
 * When a mirror is due to be pushed to, in milliseconds since 1970; undefined if it is not.
 * @param quietAt when a changed Hive is due.
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
  // A clock that was set back must not delay a mirror longer than a failure would.
  return retryAt - now > longestRetryMs ? now : retryAt;
}
