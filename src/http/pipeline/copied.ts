/** On a follower: refuses what is older than it may be, or was not copied yet, and so only seems not to exist. */
import type { Caller } from "../../service/access.ts";
import type { Following } from "../../service/replication/follower.ts";

/** @throws SkepError `busy` (`lagging`) when the caller may reach a Hive at the primary that is not here yet. */
export function requireCopiedHive(following: Following | undefined, caller: Caller, slug: string): void {
  const { team, token } = caller;
  if (token.hives !== "all" && !token.hives.some((hive) => hive === slug)) return;
  following?.requireCopied(team.name, slug);
}

/** For what is about all Hives of a team. @throws SkepError `busy` (`lagging`) when one is too old, or not here yet. */
export function requireCopiedTeam(following: Following | undefined, { team }: Caller): void {
  following?.requireCopied(team.name);
  following?.requireFresh(...team.hives);
}
