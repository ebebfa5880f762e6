/** Finds the team that has a Hive. */
import { failure } from "../domain/errors.ts";
import type { HiveSlug, TeamName } from "../domain/names.ts";
import type { Team } from "../domain/access/team.ts";
import type { WriteContext } from "../store/hives/write-context.ts";
import type { Storage } from "./storage.ts";

/** The team, if it has the Hive; the caller holds its lock. @throws SkepError `not-found` when it does not. */
export async function requireOwner({ registry }: Storage, name: TeamName, slug: HiveSlug): Promise<Team> {
  const team = await registry.team(name);
  if (team === undefined || !team.hives.includes(slug))
    throw failure("not-found", `There is no Hive "${slug}".`);
  return team;
}

/** The team of a caller, which has the Hive; for the operator, the one that has it. @throws as {@link ownerOf}. */
export async function teamOf(
  storage: Storage,
  slug: HiveSlug,
  { caller }: Pick<WriteContext, "caller">,
): Promise<TeamName> {
  return caller.team ?? (await ownerOf(storage, slug)).name;
}

/** The team that has a Hive, for commands. @throws SkepError `not-found`, naming the storage, when none has it. */
export async function ownerOf({ registry, folder }: Storage, slug: HiveSlug): Promise<Team> {
  const owner = (await registry.teams()).find(({ hives }) => hives.includes(slug));
  if (owner === undefined) throw failure("not-found", `There is no Hive "${slug}" in the storage ${folder}.`);
  return owner;
}
