/** Makes the context of a caller's write, and commits under the team's lock. */
import { slugOf, type HiveBranch } from "../domain/commits/branch-name.ts";
import type { CommitMetadata } from "../domain/commits/commit-message.ts";
import { recordOf } from "../domain/moves/recorded.ts";
import { checkDeletions, checkQuota } from "../domain/plans/quota.ts";
import { inSlices } from "../slices.ts";
import type { LockPriority } from "../disk/locks/lock.ts";
import type { WriteContext, CommitResult, NewBranch, Planner } from "../store/hives/write-context.ts";
import { reauthoriseHive, reauthoriseTeam, teamOf, type HiveGrant, type TeamGrant } from "./access.ts";
import type { Team } from "../domain/access/team.ts";
import type { HiveSlug } from "../domain/names.ts";
import type { QuotaClaim } from "../store/record/record.ts";
import type { Storage } from "./storage.ts";

export type { CommitResult, Planner, Preview, WriteContext } from "../store/hives/write-context.ts";

/** The message, reference and origin that a caller gives for the commit of their request. */
export type CallerMetadata = Pick<CommitMetadata, "message" | "ref" | "origin">;

/** The context of a write to a Hive. @param given what the caller says about the commit. */
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

/** The context of a write to a team's settings. @param given what the caller says about the commit. */
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
  const slug = slugOf(branch);
  const team = await teamOf(storage, slug, context);
  const checked: Planner<T> = async (snapshot) => {
    let planned = await plan(snapshot);
    const { strings, change, moves = [] } = planned;
    if (strings) {
      checkDeletions(strings, context.maxDeletions ?? snapshot.settings.maxDeletions);
      const quotaOf = await teamQuota(storage, await storage.registry.team(team), slug);
      const { stringCount: before } = snapshot.index;
      planned = { ...planned, quota: quotaOf?.(before, before + strings.created - strings.deleted) };
    }
    if (!change || moves.length === 0) return planned;
    const record = await inSlices(recordOf(moves, await snapshot.content([]), change.writes ?? []));
    return { ...planned, change: { ...change, metadata: { ...change.metadata, moves: record } } };
  };
  return storage.writer.commit(branch, context, checked, { team, priority, creates });
}

/**
 * Checks the numbers of strings that a Hive has before and after a change, beside the other Hives of its team.
 * @returns for a change that adds strings, the check that the record repeats with the numbers at the moment of the commit.
 * @throws SkepError `quota` when the team would have more strings than it may, and more than before.
 */
type QuotaCheck = (before: number, after: number) => QuotaClaim | undefined;

/**
 * The check of a team's quota. It counts the strings at the HEADs of the other Hives once, so the caller holds the lock of
 * the team.
 * @param slug the Hive that changes, which does not count.
 * @returns undefined where the team has no quota.
 */
export async function teamQuota(
  storage: Storage,
  team: Team | undefined,
  slug?: HiveSlug,
): Promise<QuotaCheck | undefined> {
  if (team?.maxStrings === undefined) return undefined;
  const { name, maxStrings } = team;
  const others = team.hives.filter((other) => other !== slug);
  const elsewhere = await storage.hives.countStrings(others);
  return (before, after) => {
    const check = (strings: number): void => checkQuota({ maxStrings, elsewhere: strings, before, after });
    check(elsewhere);
    return after > before ? { team: name, others, check } : undefined;
  };
}
