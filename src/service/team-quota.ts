/** A team's quota of source strings, over all of its Hives. */
import { checkQuota } from "../domain/plans/quota.ts";
import type { HiveSlug, TeamName } from "../domain/names.ts";
import type { Snapshot } from "../store/content/snapshot.ts";
import type { Storage } from "./storage.ts";

/** @throws SkepError `quota` when the team would have more strings than it may, and more than before. */
export type QuotaCheck = (snapshot: Snapshot, change: { created: number; deleted: number }) => void;

/**
 * Counts the strings of a team's other Hives, by what is at their HEADs, under the team's lock.
 * @returns what checks a change of one Hive against the rest.
 */
export async function teamQuota(storage: Storage, name: TeamName, slug: HiveSlug): Promise<QuotaCheck> {
  const team = await storage.registry.team(name);
  if (team?.maxStrings === undefined) return () => {};
  const others = team.hives.filter((other) => other !== slug);
  const elsewhere = await storage.hives.countStrings(others);
  const { maxStrings } = team;
  return ({ index: { stringCount: before } }, { created, deleted }) =>
    checkQuota({ maxStrings, elsewhere, before, after: before + created - deleted });
}
