/** Creates, changes and lists teams. */
import { failure } from "../../domain/errors.ts";
import type { TeamName } from "../../domain/names.ts";
import type { Team } from "../../domain/access/team.ts";
import type { StorageBase } from "../storage.ts";

/** A team with the number of source strings that its quota counts. */
export interface TeamUsage {
  readonly team: Team;
  readonly strings: number;
}

/** @throws SkepError `not-found` when there is no such team. */
export async function findTeam({ registry }: StorageBase, name: TeamName): Promise<Team> {
  const team = await registry.team(name);
  if (team === undefined)
    throw failure("not-found", `There is no team "${name}"; create it with: skep team create ${name}`);
  return team;
}

/** Creates a team, and the storage if it is the first. @throws SkepError `conflict` when the name is taken. */
export async function createTeam(
  storage: StorageBase,
  name: TeamName,
  maxStrings: number | undefined,
): Promise<Team> {
  await storage.registry.version.create();
  return storage.lockTeam(name, async (lock) => {
    if ((await storage.registry.team(name)) !== undefined) {
      throw failure("conflict", `There is a team "${name}" already.`);
    }
    const team: Team = { name, maxStrings, hives: [] };
    await storage.registry.saveTeam(team, lock);
    return team;
  });
}

/** What can be changed of a team. A member that is undefined stays as it is. */
export interface TeamChange {
  /** The quota of source strings; `null` makes it unlimited. */
  readonly maxStrings?: number | null;
  readonly mailOnCommits?: boolean;
}

/** Changes a team. @throws SkepError `not-found` when there is no such team. */
export async function updateTeam(storage: StorageBase, name: TeamName, change: TeamChange): Promise<Team> {
  return storage.lockTeam(name, async (lock) => {
    const before = await findTeam(storage, name);
    const { maxStrings = before.maxStrings, mailOnCommits = before.mailOnCommits } = change;
    const team: Team = {
      ...before,
      maxStrings: maxStrings ?? undefined,
      mailOnCommits: mailOnCommits || undefined,
    };
    await storage.registry.saveTeam(team, lock);
    return team;
  });
}

/** All teams with their usage, by name. */
export async function listTeams(storage: StorageBase): Promise<readonly TeamUsage[]> {
  const teams = await storage.registry.teams();
  return Promise.all(teams.map((team) => usageOf(storage, team)));
}

/** A team with its usage. */
export async function usageOf({ hives }: StorageBase, team: Team): Promise<TeamUsage> {
  return { team, strings: await hives.countStrings(team.hives) };
}
