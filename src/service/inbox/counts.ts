/** How much work waits for a caller in each of their Hives. */
import { writerOf, type Principal } from "../../domain/access/principal.ts";
import { allows } from "../../domain/access/token.ts";
import { boundedCache } from "../../bounded-cache.ts";
import { unlessFailed } from "../../domain/errors.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { moduleCache } from "../../module-caches.ts";
import type { Caller } from "../access.ts";
import { branchChanges } from "../content/branch-changes.ts";
import { branchNames } from "../content/branches.ts";
import { countComments, type CommentCounts } from "../content/comment-lists.ts";
import { hiveStats } from "../content/overviews.ts";
import { notesVersion } from "../content/queries.ts";
import type { StorageBase } from "../storage.ts";
import type { InboxHive } from "./hive-events.ts";
import { hivesInScope } from "./scope.ts";

/** How many branches of a Hive are looked at for conflicts. */
const maxBranches = 5;

/** The counts, by the versions of all that they follow from. */
const known = moduleCache(boundedCache<string, number>(10_000));
const knownComments = moduleCache(boundedCache<string, CommentCounts>(1_000));

export interface WorkCounts {
  /** Texts that wait for a review, where the caller may approve. */
  readonly reviews: number;
  /** Texts without a translation, where the caller may write. */
  readonly missing: number;
  /** These, and those whose translation is stale or failing. */
  readonly toTranslate: number;
}

export interface HiveCounts extends WorkCounts {
  readonly hive: InboxHive;
  readonly locales: readonly (WorkCounts & { readonly locale: Locale })[];
  /** Questions of others that are open: one's own wait for these. */
  readonly questions: number;
  /** Changes of branches that conflict with main, for those who may write. */
  readonly conflicts: number;
}

export interface InboxCounts {
  /** The Hives in which something waits. */
  readonly hives: readonly HiveCounts[];
  /** Whether all Hives were counted. What was counted is kept, so that the next call goes on. */
  readonly isAll: boolean;
}

/**
 * Counts what waits for a caller. A Hive that cannot be read is left out.
 * @param isLate says when no further Hive is to be counted.
 */
export async function countWork(
  storage: StorageBase,
  caller: Caller,
  isLate: () => boolean,
  signal?: AbortSignal,
): Promise<InboxCounts> {
  const hives: HiveCounts[] = [];
  for (const slug of await hivesInScope(storage, caller, signal)) {
    signal?.throwIfAborted();
    if (isLate()) return { hives, isAll: false };
    const counts = await unlessFailed(
      countHive(storage, slug, caller.principal, signal),
      "any",
      () => undefined,
    );
    if (counts !== undefined && isWorkIn(counts)) hives.push(counts);
  }
  return { hives, isAll: true };
}

function isWorkIn({ reviews, toTranslate, questions, conflicts }: HiveCounts): boolean {
  return reviews + toTranslate + questions + conflicts > 0;
}

async function countHive(
  storage: StorageBase,
  slug: HiveSlug,
  rights: Principal,
  signal: AbortSignal | undefined,
): Promise<HiveCounts> {
  await storage.hives.recorded(slug).catchUp();
  const { settings, locales: all } = await (await hiveStats(storage, slug)).read();
  const own = all.filter(({ locale }) => rights.locales?.includes(locale.code) !== false);
  const locales: HiveCounts["locales"][number][] = [];
  // One after the other: counting takes processor time and memory, which other requests need too.
  for (const { locale, read } of own) {
    const stats = await read();
    const reviews = allows(rights, "approve") ? stats.waiting : 0;
    const { empty: missing, toTranslate } = allows(rights, "write") ? stats : { empty: 0, toTranslate: 0 };
    if (reviews + toTranslate > 0) locales.push({ locale, reviews, missing, toTranslate });
  }
  return {
    hive: { slug, name: settings.name },
    locales,
    reviews: sumOf(locales, ({ reviews }) => reviews),
    missing: sumOf(locales, ({ missing }) => missing),
    toTranslate: sumOf(locales, ({ toTranslate }) => toTranslate),
    questions: await openQuestions(storage, slug, writerOf(rights)),
    conflicts: allows(rights, "write") ? await countConflicts(storage, slug, signal) : 0,
  };
}

function sumOf<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

async function openQuestions(storage: StorageBase, slug: HiveSlug, own: string | undefined): Promise<number> {
  const name = notesVersion(await storage.hives.at(slug).snapshot());
  const counts = knownComments.get(name) ?? (await countComments(storage, slug));
  knownComments.set(name, counts);
  return counts.open - (own === undefined ? 0 : (counts.openOf.get(own) ?? 0));
}

async function countConflicts(
  storage: StorageBase,
  slug: HiveSlug,
  signal: AbortSignal | undefined,
): Promise<number> {
  const conflictsOf = async (branch: string): Promise<number> => {
    const wanted = { onlyConflicts: true, offset: 0, limit: 0, signal };
    const { version, read } = await branchChanges(storage, slug, branch, wanted);
    return counted(`conflicts ${version}`, async () => (await read()).conflicts);
  };
  let conflicts = 0;
  for (const branch of (await branchNames(storage, slug)).slice(0, maxBranches))
    conflicts += await unlessFailed(conflictsOf(branch), "any", () => 0);
  return conflicts;
}

async function counted(name: string, count: () => Promise<number>): Promise<number> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const now = await count();
  known.set(name, now);
  return now;
}
