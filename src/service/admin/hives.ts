/** Creates, describes, changes and deletes Hives. */
import { failure, isFailure, invalid } from "../../domain/errors.ts";
import {
  localesOf,
  toHiveName,
  withChange,
  type HiveSettings,
  type SettingsChange,
} from "../../domain/hives/hive-settings.ts";
import {
  checkDistinctCodes,
  checkFormerNames,
  formatLocale,
  type Locale,
} from "../../domain/hives/locale.ts";
import { type HiveSlug, type Oid, type TeamName, isPersonId, isTokenId } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { hasExpired, keptUntil } from "../../domain/deletion-time.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import {
  operator,
  type WriteCaller,
  type WritePreconditions,
  type WriteContext,
  type CommitResult,
} from "../../store/hives/write-context.ts";
import type { TakeBack } from "../../store/record/record.ts";
import type { ContentStorage, DeliveryStorage, OperationsStorage, Storage, StorageBase } from "../storage.ts";
import { requireTeamOfHive, teamOf, currentPrincipal } from "../access.ts";
import type { Team } from "../../domain/access/team.ts";
import { findTeam } from "./teams.ts";
import { reaches } from "../../domain/access/token.ts";
import { excerpt } from "../../domain/text.ts";
import { areOfOneTeam } from "../terms.ts";

/** Its settings have their usual values where they are undefined. */
export interface NewHive extends SettingsChange {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly sourceLocale: Locale;
  readonly targetLocales: readonly Locale[];
}

/**
 * Creates a Hive: the repository first and the team's list last, so that it is atomic.
 * @throws SkepError `conflict` when the slug is taken by any team; `not-found` when there is no such team; `quota` when
 * the team has reached its limit of Hives; `invalid` when two locales cannot be told apart, and on `glossary` for a Hive
 * that the team does not have.
 */
export async function createHive(storage: Storage, hive: NewHive, context: WriteContext): Promise<void> {
  const { lifecycle } = storage;
  const { slug, sourceLocale, targetLocales } = hive;
  const named = { name: toHiveName(hive.name ?? slug), sourceLocale, targetLocales };
  const settings: HiveSettings = withChange(named, { ...hive, name: undefined });
  const all = localesOf(settings);
  checkDistinctCodes(all, "locales");
  checkFormerNames(all, all, "locales");
  const place = { slug, team: hive.team, caller: context.caller };
  const locales = localesOf(settings).map(formatLocale).join(", ");
  const metadata = {
    ...context.metadata,
    subject: `Create Hive ${slug} with the locales ${locales}`,
    operation: "create-hive",
  };
  const put = async (team: Team, lock: HeldLock): Promise<TakeBack | undefined> => {
    if (settings.glossary !== undefined)
      await checkGlossary(storage, slug, settings, settings.glossary, team.hives);
    await forgetSlug(storage, slug, hive.team, lock);
    return lifecycle.create(hive, { settings, metadata }, lock);
  };
  await addHive(storage, place, { put, listed: () => lifecycle.forgetNote(slug) });
}

/** A Hive's place in a team, and the caller who changes it. */
interface TeamPlace {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly caller: WriteCaller;
}

/** Runs a function under the locks of a team and of a Hive, once the caller is authorised again. */
function lockBoth<T>(
  { hives, lockTeam }: StorageBase,
  { slug, team, caller }: TeamPlace,
  run: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  return lockTeam(team, (teamLock) =>
    hives.lock(slug, async (hiveLock) => {
      await caller.reauthorise();
      return run(combineLocks(teamLock, hiveLock));
    }),
  );
}

/** The steps that make a Hive, in their order. When settings were changed before the third, all is done again. */
interface Addition {
  /** Moves the repository to its place. It is taken back from there before this is done again. */
  readonly put: (team: Team, lock: HeldLock) => Promise<TakeBack | undefined>;
  /** Makes the settings that belong to the Hive. */
  readonly furnish?: (lock: HeldLock) => Promise<void>;
  /** Tidies up, after the team has listed the Hive. */
  readonly listed?: () => Promise<void>;
}

/**
 * Adds a Hive to a team, which lists it when it is in place.
 * @throws SkepError `conflict` when the slug is taken, `not-found` when there is no such team, `quota`; what the steps throw.
 */
export function addHive(
  storage: StorageBase,
  place: TeamPlace,
  { put, furnish, listed }: Addition,
): Promise<void> {
  let takeBack: TakeBack | undefined;
  return lockBoth(storage, place, async (lock) => {
    if (takeBack !== undefined) {
      // If it is listed, it was not by this caller, who lists it last.
      await requireFree(storage, place.slug);
      await takeBack(lock);
      takeBack = undefined;
    }
    const team = await findTeam(storage, place.team);
    checkRoom("This team", "Hive", team.hives.length, storage.limits.maxHives);
    await requireFree(storage, place.slug);
    takeBack = await put(team, lock);
    await furnish?.(lock);
    await storage.registry.saveTeam({ ...team, hives: [...team.hives, place.slug] }, lock);
    await listed?.();
  });
}

/** @throws SkepError `conflict` when any team has the slug; `content-invalid` when a team's list cannot be read. */
async function requireFree({ registry }: StorageBase, slug: HiveSlug): Promise<void> {
  const taken = failure("conflict", `The slug "${slug}" is taken.`, { publicCode: "slug_taken" });
  try {
    if ((await registry.teams()).some(({ hives }) => hives.includes(slug))) throw taken;
  } catch (cause) {
    if (!isFailure(cause, "content-invalid")) throw cause;
    // The unreadable file may be another team's, whose name must not be revealed.
    const problem =
      "A team's settings cannot be read; skep server verify says which. Whether the slug is taken is unknown.";
    throw failure("content-invalid", problem, { cause });
  }
}

/**
 * Deletes a Hive: the team's list first, so that it disappears at once, and then moves its repository to the trash.
 * @returns until when it can be restored, in milliseconds since 1970.
 * @throws SkepError `not-found` when no team has it; `quota` when the team's trash is full.
 */
export async function deleteHive(
  storage: Storage,
  slug: HiveSlug,
  context: Pick<WriteContext, "caller" | keyof WritePreconditions> = { caller: operator },
): Promise<number> {
  const { registry, hives, writer, lifecycle, publications, trash } = storage;
  const name = await teamOf(storage, slug, context);
  const place = { slug, team: name, caller: context.caller };
  const finish = async (lock: HeldLock, deleted: number): Promise<void> => {
    await forgetSlug(storage, slug, name, lock);
    await lifecycle.setAside(slug, lock, deleted);
  };
  let deleted = 0;
  let unfinished: unknown;
  await lockBoth(storage, place, async (lock) => {
    const team = await requireTeamOfHive(storage, name, slug);
    await hives.recorded(slug).catchUp();
    // What has no repository has no commit that was made before; one that is expected is missing.
    if (hives.repo(slug).main.exists() || context.expectedHead !== undefined)
      await writer.checkPreconditions(slug, context);
    await checkTrash(storage, name);
    deleted = await lifecycle.timeOfDeletion(slug);
    await trash.noteHive(slug, { team: name, published: await publications.fileOf(slug) }, lock);
    await registry.saveTeam({ ...team, hives: team.hives.filter((other) => other !== slug) }, lock);
    await finish(lock, deleted).catch((error: unknown) => (unfinished = error));
  });
  // It is deleted. Where another server has changed settings since, the rest is done under new locks, unless the slug is
  // in use again. What fails then is done when the trash is next read, or the slug is next used.
  if (isFailure(unfinished, "lock-lost")) {
    await lockBoth(storage, { ...place, caller: operator }, async (lock) => {
      await requireFree(storage, slug);
      await finish(lock, deleted);
    }).catch(() => undefined);
  }
  return keptUntil(deleted);
}

async function checkTrash({ trash, limits, now }: OperationsStorage, team: TeamName): Promise<void> {
  if (limits.maxTrash === Infinity) return;
  const { entries } = await trash.read();
  const theirs = entries.filter((entry) => entry.team === team && !hasExpired(entry.deleted, now()));
  checkRoom("This team", "deleted Hive", theirs.length, limits.maxTrash);
}

/** Removes a slug from tokens, mirrors, channels, webhooks and claims: a new Hive of that slug must not inherit them. */
export async function forgetSlug(
  { registry, mirrors, publications, webhooks, claims }: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  team: TeamName,
  lock: HeldLock,
): Promise<void> {
  await registry.forgetHive(slug, await registry.limitedTo(slug), lock);
  await mirrors.forget(slug, lock);
  await publications.forget(slug, lock);
  await webhooks.forget(slug, team, lock);
  await claims.forget(slug);
}

export interface HiveDescription {
  readonly settings: HiveSettings;
  readonly strings: number;
  readonly commit: Oid;
}

/** @throws SkepError `not-found` or `content-invalid` when it cannot be read. */
export async function describeHive({ hives }: StorageBase, slug: HiveSlug): Promise<HiveDescription> {
  const { settings, index, commit } = await hives.at(slug).snapshot();
  return { settings, strings: index.stringCount, commit: commit.oid };
}

export interface ChangedHive {
  readonly settings: HiveSettings;
  readonly strings: number;
}

/**
 * Changes the settings of a Hive, but its locales.
 * @throws SkepError `invalid` on `name`, and on `glossary` for a Hive that the caller cannot read; `not-found` when no team
 * has the Hive.
 */
export function updateHive(
  storage: ContentStorage,
  slug: HiveSlug,
  { name: text, maxDeletions, plurals, push, checks, glossary, engines }: SettingsChange,
  context: WriteContext,
): Promise<CommitResult<ChangedHive>> {
  const name = text === undefined ? undefined : toHiveName(text);
  const changed = [
    ...(name === undefined ? [] : [`name ${excerpt(name)}`]),
    ...(maxDeletions === undefined ? [] : [`max_deletions ${maxDeletions}`]),
    ...(plurals === undefined ? [] : [`plurals ${plurals}`]),
    ...(push === undefined ? [] : [`push ${push}`]),
    ...(checks?.level === undefined ? [] : [`checks ${checks.level}`]),
    ...(checks?.syntax === undefined ? [] : ["syntax of messages"]),
    ...(checks?.formats === undefined ? [] : ["formats of files"]),
    ...(glossary === undefined ? [] : [`glossary ${glossary ?? "none"}`]),
    ...(engines === undefined ? [] : [`engines ${engines ? "allowed" : "forbidden"}`]),
  ];
  const metadata = { subject: `Change the Hive's settings: ${changed.join(", ")}`, operation: "update-hive" };
  return storage.writer.commitUnderTeamLock(slug, context, "first", async ({ settings: before, index }) => {
    if (typeof glossary === "string") {
      const reached = await glossariesFor(storage, slug, glossary, context);
      await checkGlossary(storage, slug, before, glossary, reached);
    }
    const settings = withChange(before, { name, maxDeletions, plurals, push, checks, glossary, engines });
    return { result: { settings, strings: index.stringCount }, change: { metadata, settings } };
  });
}

/**
 * A Hive of another team, or out of the caller's reach, is answered as one that is not there.
 * @param reached the Hives that may be named.
 */
async function checkGlossary(
  { hives }: StorageBase,
  slug: HiveSlug,
  { sourceLocale }: HiveSettings,
  other: HiveSlug,
  reached: readonly HiveSlug[],
): Promise<void> {
  if (other === slug) throw invalid("glossary", "is the Hive itself, whose own terms count anyway");
  if (!reached.includes(other)) throw invalid("glossary", `the team has no Hive "${other}"`);
  const { settings } = await hives.at(other).snapshot();
  if (settings.sourceLocale.code === sourceLocale.code) return;
  throw invalid("glossary", `"${other}" has another source locale, ${settings.sourceLocale.code}`);
}

/** The other Hive, if it is of the same team and the caller reaches it. */
async function glossariesFor(
  storage: StorageBase,
  slug: HiveSlug,
  other: HiveSlug,
  { metadata }: WriteContext,
): Promise<readonly HiveSlug[]> {
  const token = metadata.token !== undefined && isTokenId(metadata.token) ? metadata.token : undefined;
  const person = metadata.person !== undefined && isPersonId(metadata.person) ? metadata.person : undefined;
  const isInReach =
    (token ?? person) === undefined ||
    reaches(await currentPrincipal(storage, { token, person }), [other], other);
  return isInReach && (await areOfOneTeam(storage.registry, slug, other)) ? [other] : [];
}
