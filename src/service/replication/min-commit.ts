/** Waits for a commit that a caller has seen elsewhere. */
import { setTimeout } from "node:timers/promises";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { isFailure, SkepError } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { Storage } from "../storage.ts";
import type { Following } from "./follower.ts";
import { withTimeout } from "../../deadline.ts";

const maxWaitMs = 5_000;
const pollMs = 50;

/**
 * Resolves when a branch has a commit; usually it has it already.
 * @param following the copy that is served, if it is one; its primary is asked at once.
 * @throws SkepError `busy` (`lagging`) when it does not come within 5 s.
 */
export async function waitForCommit(
  { hives }: Pick<Storage, "hives">,
  following: Following | undefined,
  branch: HiveBranch,
  commit: Oid,
  gone: AbortSignal,
): Promise<void> {
  const signal = withTimeout(gone, maxWaitMs);
  let seen: Oid | undefined;
  for (;;) {
    const tip = headOf(hives, branch);
    if (tip !== undefined && tip !== seen && (await hives.revisions(branch).reaches(commit, { tip }))) return;
    seen = tip;
    if (signal.aborted) break;
    await following?.catchUp(slugOf(branch), signal);
    await setTimeout(pollMs);
  }
  const message = `The commit ${commit} has not arrived here within ${maxWaitMs / 1_000} s.`;
  throw new SkepError("busy", message, { retryAfter: 1 }, { publicCode: "lagging" });
}

/** Undefined for a branch or a Hive that has not arrived, either. */
function headOf(hives: Storage["hives"], branch: HiveBranch): Oid | undefined {
  try {
    return hives.head(branch);
  } catch (error) {
    if (isFailure(error, "not-found")) return undefined;
    throw error;
  }
}
