/** Lists and restores deleted Hives, and removes them for good when they expire. */
import { deletedUntil, hasExpired, isUndated } from "../../domain/deletion-time.ts";
import { failure, invalid, isFailure, unlessInvalid, type SkepError } from "../../domain/errors.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import type { TrashEntry, TrashId } from "../../domain/hives/trash.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { addHive, forgetSlug } from "./hives.ts";
import type { Team } from "../../domain/access/team.ts";
import type { TakeBack } from "../../store/record/record.ts";
import type { Background } from "../background.ts";
import type { DeletedHive } from "../../store/hives/trash.ts";
import { operator, type WriteCaller } from "../../store/hives/write-context.ts";
import type { DeliveryStorage, OperationsStorage, Storage, StorageBase } from "../storage.ts";
import { findTeam } from "./teams.ts";

/**
 * The Hives in the trash that can be restored, of all teams or of one, the latest deletion first.
 * @throws SkepError `not-found` when there is no such team.
 */
export async function listTrash(storage: OperationsStorage, team?: TeamName): Promise<readonly TrashEntry[]> {
  if (team !== undefined) await findTeam(storage, team);
  await storage.lifecycle.finishInterruptedDeletions();
  return (await restorable(storage)).filter((entry) => team === undefined || entry.team === team);
}

async function restorable({ trash, now }: OperationsStorage): Promise<readonly DeletedHive[]> {
  const { entries } = await trash.read();
  return entries.filter(({ deleted }) => !hasExpired(deleted, now())).toReversed();
}

/**
 * The team that had a deleted Hive.
 * @param text see {@link RestoreRequest.text}.
 * @throws SkepError `not-found` when there is none; `invalid` on `team` when its team is not known.
 */
export async function teamOfDeletedHive(storage: OperationsStorage, text: string): Promise<TeamName> {
  return teamOf(deletedHive(storage, await listTrash(storage), text, operator));
}

function deletedHive(
  storage: StorageBase,
  entries: readonly TrashEntry[],
  text: string,
  caller: WriteCaller,
): TrashEntry {
  const entry = entries.find(({ id, slug }) => id === text || slug === text);
  if (entry === undefined) throw noDeletedHive(storage, text, caller);
  return entry;
}

function noDeletedHive({ folder }: StorageBase, text: string, { team }: WriteCaller): SkepError {
  const place = team === undefined ? ` in the storage ${folder}` : "";
  return failure("not-found", `There is no deleted Hive "${excerpt(text)}"${place}.`, {
    publicCode: "unknown_deleted_hive",
  });
}

function teamOf({ id, team }: TrashEntry): TeamName {
  if (team !== undefined) return team;
  throw invalid("team", `is needed: which team had ${id} is not known`);
}

export interface RestoreRequest {
  /** The id of an entry, or a slug, which means the Hive that was last deleted under it. */
  readonly text: string;
  /** Callers only see their team's Hives; the operator if undefined. */
  readonly caller?: WriteCaller;
  readonly team?: TeamName;
}

/**
 * Restores a deleted Hive: the repository first, the team's list last. Its channels are as
 * they were. Its mirrors, and the tokens that listed it, are not restored, so that its team decides about them again.
 * @returns its slug.
 * @throws SkepError `not-found` when it is not in the caller's trash; `conflict` when the slug is taken; `quota` when the
 * team would exceed its limit of strings or Hives; `invalid` on `team` when no team is known.
 */
export async function restoreHive(
  storage: Storage,
  { text, caller = operator, team: given }: RestoreRequest,
): Promise<HiveSlug> {
  const { lifecycle, publications, trash } = storage;
  const entries = await listTrash(storage, caller.team);
  const entry = deletedHive(storage, entries, text, caller);
  const { slug } = entry;
  const name = given ?? teamOf(entry);
  /** A try that is taken back may leave the repository under another id. */
  let id: TrashId | undefined = entry.id;
  let note: DeletedHive["note"];
  const put = async (team: Team, lock: HeldLock): Promise<TakeBack> => {
    const deleted = (await restorable(storage)).find((other) => other.id === id);
    if (deleted === undefined) throw noDeletedHive(storage, text, caller);
    ({ note } = deleted);
    const check = await storage.writer.teamQuota(team);
    const quota = check && check(0, await lifecycle.countTrashed(deleted.id));
    await forgetSlug(storage, slug, name, lock);
    // The note keeps the team known if the restoration is interrupted.
    if (deleted.team === undefined) await trash.note(deleted.id, { team: name }, lock);
    const takeBack = await lifecycle.restore(deleted, name, lock, quota);
    return async (newLock) => (id = await takeBack(newLock));
  };
  const furnish = async (lock: HeldLock): Promise<void> => {
    await publications.restore(slug, note?.published, lock);
    await beginWebhooks(storage, slug, name, lock);
  };
  await addHive(storage, { slug, team: name, caller }, { put, furnish });
  return slug;
}

/** Webhooks are told of what comes after the restoration. */
async function beginWebhooks(
  { hives, webhooks }: DeliveryStorage,
  slug: HiveSlug,
  team: TeamName,
  lock: HeldLock,
): Promise<void> {
  const begin = async (): Promise<void> => webhooks.beginAt(slug, team, hives.at(slug).head(), lock);
  // A Hive that cannot be read is restored all the same.
  await unlessInvalid(begin());
}

/**
 * Removes expired Hives from the trash for good.
 * @returns how many were removed.
 */
export async function purgeTrash(storage: OperationsStorage): Promise<number> {
  const { hives, trash, now } = storage;
  const { entries } = await trash.read();
  const expired = entries.filter(({ deleted }) => hasExpired(deleted, now()));
  const undated = isUndated(now()) ? [] : entries.filter(({ deleted }) => isUndated(deleted));
  // Under the Hive's lock, as it may be being restored.
  for (const { id, slug } of expired) await hives.lock(slug, () => trash.repositories.remove(id));
  for (const { id, slug } of undated) await hives.lock(slug, () => trash.repositories.date(id, now()));
  return expired.length;
}

const purgeEveryMs = 3_600_000;

async function purgeAll(storage: OperationsStorage): Promise<void> {
  await purgeTrash(storage);
  const { hives, lifecycle, now, record, registry } = storage;
  const expired = await record.repositories.withBranchesDeletedBy?.(deletedUntil(now()));
  const slugs = expired ?? (await registry.readable()).teams.flatMap((team) => team.hives);
  for (const slug of slugs) {
    await hives.recorded(slug).refresh();
    await lifecycle.purgeBranches(slug);
  }
}

/**
 * Purges the trash and deleted branches now and every hour, unless another server is doing so.
 * @param failed is called when that failed; it is tried again.
 */
export function purgeInBackground(storage: OperationsStorage, failed: (error: unknown) => void): Background {
  let working: Promise<unknown> = Promise.resolve();
  const purge = (): void => {
    working = working
      .then(() => storage.record.jobs.hold("purge", () => purgeAll(storage).catch(failed)))
      .catch((error: unknown) => {
        if (!isFailure(error, "busy")) failed(error);
      });
  };
  purge();
  const timer = setInterval(purge, purgeEveryMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await working;
    },
  };
}
