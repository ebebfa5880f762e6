/**
 * Backs up a storage while it is in use. The settings and refs of each team are captured at one moment, under the team's
 * lock; objects are copied without a lock, since they never change and are never removed.
 */
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import type { BackupFolder, Backup } from "../../store/backup/backup-folder.ts";
import type { CapturedHive, CapturedTeam } from "../../store/backup/backup-source.ts";
import type { ObjectCopy } from "../../git/packs/object-copy.ts";
import type { Refs } from "../../git/refs/refs.ts";
import { leadsInto } from "../../store/settings/mirror-path.ts";
import { parseTeam } from "../../store/settings/settings-files.ts";
import type { OperationsStorage, Storage, StorageBase } from "../storage.ts";
import { stepOf, verifyHeads, type FoundProblem, type OnStep } from "./verify.ts";

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
  readonly damaged: number;
  readonly problems: readonly BackupProblem[];
  /** Problems of content that was copied as it is: restoring it has to be forced. */
  readonly unsound: readonly FoundProblem[];
}

interface CopiedHive {
  /** For a Hive that cannot be copied, the refs of the previous backup, if it has any. */
  readonly refs: Refs;
  /** Undefined for a Hive whose refs cannot be read. */
  readonly copy?: ObjectCopy;
  readonly problem?: string;
}

/** How often a Hive that is moved to the trash or back while it is copied is copied again, before it is locked. */
const maxMoves = 3;

/**
 * Backs a storage up to a folder. The backup contains everything that was acknowledged before it began, also Hives that
 * are deleted meanwhile. Undamaged objects
 * of the previous backup are not copied again, and that backup stays valid until this one is complete.
 * @throws SkepError `invalid` when the folder is in the storage or contains it; `not-found` when the storage has no team;
 * `conflict` when the folder holds something else, or the backup of another storage; `content-invalid` when settings
 * cannot be read; `busy` when another backup into the folder is under way; `disk-full`.
 */
export async function backup(storage: Storage, path: string, onStep?: OnStep): Promise<BackupReport> {
  if ((await leadsInto(path, storage.folder)) || (await leadsInto(storage.folder, path))) {
    throw invalid("dir", "must be neither in the storage nor around it");
  }
  await storage.record.completeCopy?.();
  const names = await teamNames(storage);
  if (names.length === 0) throw failure("not-found", "There is nothing to back up: the storage has no team.");
  const folder = storage.backupFolder(path);
  return folder.hold(async (lock) => {
    const time = new Date(storage.now()).toISOString();
    const before = await folder.read();
    if (before !== undefined && !names.some((name) => before.settings.has(`teams/${name}.yaml`))) {
      throw failure("conflict", "The folder holds the backup of another storage: none of its teams is here.");
    }
    const teams = await captureTeams(storage, names);
    const hives = new Map<HiveSlug, CopiedHive>();
    const total = [...teams.values()].reduce((sum, captured) => sum + captured.hives.size, 0);
    for (const [name, captured] of teams) {
      const earlier = hivesBefore(before, name);
      for (const [slug, hive] of captured.hives) {
        onStep?.(stepOf("Copying", slug, hives.size, total));
        hives.set(slug, await copyHive(storage, folder, slug, { hive, known: earlier.get(slug) }));
      }
    }
    const next: Backup = {
      time,
      settings: new Map(Array.from(teams.values(), ({ settings }) => [...settings]).flat()),
      hives: new Map(Array.from(hives, ([slug, { refs }]) => [slug, refs])),
    };
    await folder.finish(next, lock);
    await storage.audit.copyTo(path);
    for (const [slug, { copy, problem }] of hives) {
      if (copy !== undefined && problem === undefined) await folder.prune(slug, copy);
    }
    const copied = { teams: teams.size, ...report(hives) };
    const unsound: FoundProblem[] = [];
    for await (const found of verifyHeads(storage.open(path), onStep)) {
      if (!copied.problems.some(({ hive }) => hive === found.hive)) unsound.push(found);
    }
    return { ...copied, unsound };
  });
}

async function teamNames({ registry }: StorageBase): Promise<readonly TeamName[]> {
  const { teams, problems } = await registry.readable();
  const [problem] = problems;
  if (problem !== undefined) throw failure("content-invalid", problem);
  return teams.map(({ name }) => name);
}

/**
 * Captures teams one after the other. A slug that a second team has is left out there: its Hive was created after that
 * of the first team was captured, and deleted since.
 */
async function captureTeams(
  storage: OperationsStorage,
  names: readonly TeamName[],
): Promise<ReadonlyMap<TeamName, CapturedTeam>> {
  const teams = new Map<TeamName, CapturedTeam>();
  const captured = new Set<HiveSlug>();
  for (const name of names) {
    const team = await capture(storage, name, captured);
    if (team === undefined) continue;
    teams.set(name, team);
    for (const slug of team.hives.keys()) captured.add(slug);
  }
  return teams;
}

/** The refs in a backup of a team's Hives. A Hive of the same slug in another team is a different Hive. */
function hivesBefore(before: Backup | undefined, name: TeamName): ReadonlyMap<HiveSlug, Refs> {
  const file = before?.settings.get(`teams/${name}.yaml`);
  const listed = file === undefined ? [] : parseTeam(name, file).hives;
  return new Map([...(before?.hives ?? [])].filter(([slug]) => listed.includes(slug)));
}

/** @returns undefined when the team does not exist any more. */
function capture(
  storage: OperationsStorage,
  name: TeamName,
  excluded: ReadonlySet<HiveSlug>,
): Promise<CapturedTeam | undefined> {
  return storage.lockTeam(name, async (lock) => {
    const { teams, tokens, people, problems } = await storage.registry.readable();
    const [problem] = problems;
    if (problem !== undefined) throw failure("content-invalid", problem);
    const team = teams.find((other) => other.name === name);
    if (team === undefined) return undefined;
    const holders = {
      tokens: tokens.filter((token) => token.team === name),
      people: people.filter((person) => person.team === name),
    };
    const captured = await storage.backupSource.capture(team, holders, excluded);
    await lock.assertHeld();
    return captured;
  });
}

async function copyHive(
  storage: OperationsStorage,
  folder: BackupFolder,
  slug: HiveSlug,
  { hive, known }: { readonly hive: CapturedHive; readonly known: Refs | undefined },
): Promise<CopiedHive> {
  const { refs, problem } = hive;
  const failed = (why: string): CopiedHive => ({ refs: known ?? refs, problem: why });
  if (problem !== undefined) return failed(problem);
  try {
    const copy = await copyObjects(storage, folder, slug, hive);
    if (copy === undefined) return failed("it was removed while it was copied");
    // Objects of the previous backup may have been damaged since.
    const sound = copy.damagedBefore === 0 ? known : undefined;
    if (copy.stillDamaged === 0 && (await folder.isWhole(slug, refs, sound))) return { refs, copy };
    return { ...failed("objects are missing or damaged; skep server verify lists them"), copy };
  } catch (error) {
    // What is done to one Hive must not end the backup of the others.
    if (isFailure(error, "busy")) return failed(error.message);
    throw error;
  }
}

/** @returns undefined when the repository is gone. */
async function copyObjects(
  { backupSource, hives }: OperationsStorage,
  folder: BackupFolder,
  slug: HiveSlug,
  hive: CapturedHive,
): Promise<ObjectCopy | undefined> {
  const copy = async (): Promise<ObjectCopy | undefined> => {
    const gitdir = await backupSource.locate(slug, hive);
    if (gitdir === undefined) return undefined;
    const copied = await folder.copyHive(slug, gitdir);
    return backupSource.isAt(gitdir, hive) ? copied : undefined;
  };
  for (let attempt = 1; attempt <= maxMoves; attempt++) {
    const copied = await copy();
    if (copied !== undefined) return copied;
  }
  // Under its lock nobody deletes or restores it.
  return hives.lock(slug, copy);
}

function report(copied: ReadonlyMap<HiveSlug, CopiedHive>): Omit<BackupReport, "teams" | "unsound"> {
  const hives = [...copied];
  const copies = hives.flatMap(([, { copy }]) => (copy === undefined ? [] : [copy]));
  return {
    hives: hives.length,
    objects: copies.reduce((sum, { objects }) => sum + objects, 0),
    packs: copies.reduce((sum, { packs }) => sum + packs, 0),
    damaged: copies.reduce((sum, { damagedBefore }) => sum + damagedBefore, 0),
    problems: hives.flatMap(([hive, { problem }]) => (problem === undefined ? [] : [{ hive, problem }])),
  };
}
