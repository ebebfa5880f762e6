/** Makes the context of a caller's write, and commits under the team's lock. */
import { slugOf, type HiveBranch } from "../domain/commits/branch-name.ts";
import type { CommitMetadata } from "../domain/commits/commit-message.ts";
import { recordOf } from "../domain/moves/recorded.ts";
import { checkDeletions } from "../domain/plans/deletions.ts";
import { inSlices } from "../slices.ts";
import type { HeldLock } from "../disk/held-lock.ts";
import type { LockPriority } from "../disk/locks/lock.ts";
import type { WriteContext } from "../store/hives/write-context.ts";
import type { CommitResult, NewBranch, Planner } from "../store/hives/write-plan.ts";
import { reauthoriseHive, reauthoriseTeam, type HiveGrant, type TeamGrant } from "./access.ts";
import { teamQuota } from "./team-quota.ts";
import { teamOf } from "./owners.ts";
import type { Storage } from "./storage.ts";

export type { CommitResult, Planner, Preview } from "../store/hives/write-plan.ts";
export type { WriteContext };

/** The message, reference and origin that a caller gives for the commit of their request. */
export type CallerMetadata = Pick<CommitMetadata, "message" | "ref" | "origin">;

/** The context of a change of a Hive. */
export function hiveWriteContext(
  storage: Storage,
  hive: HiveGrant,
  given: CallerMetadata = {},
): WriteContext {
  const { author, token, person, team, locales, checks, review } = hive;
  const reauthorise = (): Promise<unknown> => reauthoriseHive(storage, hive);
  return {
    metadata: { author, token, person, ...given },
    caller: { team, locales, checks, review, reauthorise },
  };
}

/** The context of a change of a team. */
export function teamWriteContext(storage: Storage, grant: TeamGrant, given: CallerMetadata): WriteContext {
  const { author, token, person, team } = grant;
  const reauthorise = (): Promise<unknown> => reauthoriseTeam(storage, grant);
  return { metadata: { author, token, person, ...given }, caller: { team, reauthorise } };
}

/**
 * Changes a Hive by one commit, under its team's lock and then its own; see {@link HiveWriter.commit}. The strings of the
 * plan are held to the limits, and its moves are recorded.
 * @param creates the branch that the commit makes, if it makes one.
 * @throws SkepError `not-found` when no team has the Hive; `invalid` on `max_deletions`; `quota` when the team would have
 * more strings than it may, and more than before; what the plan throws.
 */
export async function commitUnderTeamLock<T>(
  storage: Storage,
  branch: HiveBranch,
  context: WriteContext,
  priority: LockPriority,
  plan: Planner<T>,
  creates?: NewBranch,
): Promise<CommitResult<T>> {
  const team = await teamOf(storage, slugOf(branch), context);
  const commit = async (teamLock?: HeldLock): Promise<CommitResult<T>> => {
    const checkQuota = await teamQuota(storage, team, slugOf(branch));
    const checked: Planner<T> = async (snapshot) => {
      const planned = await plan(snapshot);
      const { strings, change, moves = [] } = planned;
      if (strings) {
        checkDeletions(strings, context.maxDeletions ?? snapshot.settings.maxDeletions);
        checkQuota(snapshot, strings);
      }
      if (!change || moves.length === 0) return planned;
      const record = await inSlices(recordOf(moves, await snapshot.content([]), change.writes ?? []));
      return { ...planned, change: { ...change, metadata: { ...change.metadata, moves: record } } };
    };
    return storage.writer.commit(branch, context, checked, { teamLock, priority, creates });
  };
  return context.dryRun === true ? commit() : storage.lockTeam(team, commit, priority);
}
