/**
 * Backs up a storage while it is in use. The settings and refs of each team are captured at one moment, under the team's
 * lock; objects are copied without a lock, since they never change and are never removed.
 */
import { SkepError, failure, invalid } from "../../domain/errors.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import type { BackupFolder } from "../../store/backup/backup-folder.ts";
import type { Backup } from "../../store/backup/backup-manifest.ts";
import type { CapturedTeam } from "../../store/backup/backup-source.ts";
import type { ObjectCopy } from "../../git/packs/object-copy.ts";
import type { Refs } from "../../git/refs/refs.ts";
import { parseTeam } from "../../store/settings/settings-files.ts";
import type { Storage } from "../storage.ts";
import { verifyHeads, type Found } from "./verify.ts";

/** A Hive of which the backup holds an earlier state or nothing, and the reason. */
export interface BackupProblem {
  readonly hive: HiveSlug;
  readonly problem: string;
}

export interface BackupReport {
  readonly teams: number;
  readonly hives: number;
  /** How many objects were copied because the backup did not have them. */
  readonly objects: number;
  readonly packs: number;
  /** How many files of the previous backup were damaged. */
  readonly damaged: number;
  readonly problems: readonly BackupProblem[];
  /** Problems of content that was copied as it is: restoring it has to be forced. */
  readonly unsound: readonly Found[];
}

/** A captured team, with its objects copied. */
interface CopiedTeam {
  readonly settings: ReadonlyMap<string, string>;
  readonly hives: ReadonlyMap<HiveSlug, CopiedHive>;
}

interface CopiedHive {
  /** For a Hive that cannot be copied, the refs of the previous backup, if it has any. */
  readonly refs: Refs;
  /** Undefined for a Hive whose refs cannot be read. */
  readonly copy?: ObjectCopy;
  readonly problem?: string;
}

/** How often a team is captured again because its Hives were deleted or created meanwhile. */
const maxAttempts = 10;

/**
 * Backs a storage up to a folder. The backup contains everything that was acknowledged before it began. Undamaged objects
 * of the previous backup are not copied again, and that backup stays valid until this one is complete.
 * @throws SkepError `invalid` when the folder is in the storage or contains it; `not-found` when the storage has no team;
 * `conflict` when the folder holds something else, or the backup of another storage; `content-invalid` when settings
 * cannot be read; `busy` when another backup into the folder is under way; `disk-full`.
 */
export async function backup(storage: Storage, path: string): Promise<BackupReport> {
  if ((await storage.holds(path)) || (await storage.liesIn(path))) {
    throw invalid("dir", "must be neither in the storage nor around it");
  }
  const names = await teamNames(storage);
  if (names.length === 0) throw failure("not-found", "There is nothing to back up: the storage has no team.");
  const folder = storage.backupFolder(path);
  return folder.hold(async (lock) => {
    const time = new Date(storage.now()).toISOString();
    const before = await folder.read();
    if (before !== undefined && !names.some((name) => before.settings.has(`teams/${name}.yaml`))) {
      throw failure("conflict", "The folder holds the backup of another storage: none of its teams is here.");
    }
    const teams = await copyTeams(storage, folder, names, before);
    const hives = new Map(teams.flatMap((team) => [...team.hives]));
    const next: Backup = {
      time,
      settings: new Map(teams.flatMap(({ settings }) => [...settings])),
      hives: new Map(Array.from(hives, ([slug, { refs }]) => [slug, refs])),
    };
    await folder.finish(next, lock);
    for (const [slug, { copy, problem }] of hives) {
      if (copy !== undefined && problem === undefined) await folder.prune(slug, copy);
    }
    const copied = report(teams);
    const unsound: Found[] = [];
    for await (const found of verifyHeads(storage.open(path))) {
      if (!copied.problems.some(({ hive }) => hive === found.hive)) unsound.push(found);
    }
    return { ...copied, unsound };
  });
}

async function teamNames({ registry }: Storage): Promise<readonly TeamName[]> {
  const { teams, problems } = await registry.readable();
  const [problem] = problems;
  if (problem !== undefined) throw failure("content-invalid", problem);
  return teams.map(({ name }) => name);
}

/** Copies teams until no slug is in two of them: a Hive may be deleted in one team and then created in another. */
async function copyTeams(
  storage: Storage,
  folder: BackupFolder,
  names: readonly TeamName[],
  before: Backup | undefined,
): Promise<readonly CopiedTeam[]> {
  const copied = new Map<TeamName, CopiedTeam>();
  let waiting = names;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    for (const name of waiting) {
      const team = await copyTeam(storage, folder, name, before);
      if (team === undefined) copied.delete(name);
      else copied.set(name, team);
    }
    const listed = Array.from(copied.values(), ({ hives }) => Array.from(hives.keys())).flat();
    const twice = new Set(listed.filter((slug, i) => listed.indexOf(slug) !== i));
    if (twice.size === 0) return [...copied.values()];
    waiting = names.filter((name) =>
      [...(copied.get(name)?.hives.keys() ?? [])].some((slug) => twice.has(slug)),
    );
  }
  throw restless();
}

/** @returns undefined when the team does not exist any more. */
async function copyTeam(
  storage: Storage,
  folder: BackupFolder,
  name: TeamName,
  before: Backup | undefined,
): Promise<CopiedTeam | undefined> {
  const earlier = hivesBefore(before, name);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const captured = await capture(storage, name);
    if (captured === undefined) return undefined;
    const hives = new Map<HiveSlug, CopiedHive>();
    for (const [slug, { refs, problem }] of captured.hives) {
      const known = earlier.get(slug);
      hives.set(
        slug,
        problem === undefined
          ? await copyHive(storage, folder, slug, { refs, known })
          : { refs: known ?? refs, problem },
      );
    }
    if ([...captured.hives].every(([slug, hive]) => storage.backupSource.isUnchanged(slug, hive))) {
      return { settings: captured.settings, hives };
    }
  }
  throw restless();
}

/** The refs in a backup of a team's Hives. A Hive of the same slug in another team is a different Hive. */
function hivesBefore(before: Backup | undefined, name: TeamName): ReadonlyMap<HiveSlug, Refs> {
  const file = before?.settings.get(`teams/${name}.yaml`);
  const listed = file === undefined ? [] : parseTeam(name, file).hives;
  return new Map([...(before?.hives ?? [])].filter(([slug]) => listed.includes(slug)));
}

function capture(storage: Storage, name: TeamName): Promise<CapturedTeam | undefined> {
  return storage.lockTeam(name, async (lock) => {
    const { teams, tokens, problems } = await storage.registry.readable();
    const [problem] = problems;
    if (problem !== undefined) throw failure("content-invalid", problem);
    const team = teams.find((other) => other.name === name);
    const captured =
      team &&
      (await storage.backupSource.capture(
        team,
        tokens.filter((token) => token.team === name),
      ));
    await lock.assertHeld();
    return captured;
  });
}

async function copyHive(
  { backupSource }: Storage,
  folder: BackupFolder,
  slug: HiveSlug,
  { refs, known }: { readonly refs: Refs; readonly known: Refs | undefined },
): Promise<CopiedHive> {
  const copy = await folder.copyHive(slug, backupSource.folderOf(slug));
  // Objects of the previous backup may have been damaged since.
  const sound = copy.damagedBefore === 0 ? known : undefined;
  if (copy.stillDamaged === 0 && (await folder.isWhole(slug, refs, sound))) return { refs, copy };
  return { refs: known ?? refs, copy, problem: "objects are missing or damaged; skep verify lists them" };
}

function report(teams: readonly CopiedTeam[]): Omit<BackupReport, "unsound"> {
  const hives = teams.flatMap((team) => [...team.hives]);
  const copies = hives.flatMap(([, { copy }]) => (copy === undefined ? [] : [copy]));
  return {
    teams: teams.length,
    hives: hives.length,
    objects: copies.reduce((sum, { objects }) => sum + objects, 0),
    packs: copies.reduce((sum, { packs }) => sum + packs, 0),
    damaged: copies.reduce((sum, { damagedBefore }) => sum + damagedBefore, 0),
    problems: hives.flatMap(([hive, { problem }]) => (problem === undefined ? [] : [{ hive, problem }])),
  };
}

function restless(): SkepError<"busy"> {
  return new SkepError("busy", "Hives are created and deleted faster than they are copied.", {
    retryAfter: 10,
  });
}
