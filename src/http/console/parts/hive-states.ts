/** The progress of Hives, cached for each state of their texts; tags and branches of a Hive, and tags of its strings. */
import type { Locale } from "../../../domain/hives/locale.ts";
import { isSkepError } from "../../../domain/errors.ts";
import type { HiveSlug } from "../../../domain/names.ts";
import type { LocaleStats } from "../../../domain/queries/locale-stats.ts";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import { hiveStats, type HiveStats } from "../../../service/content/overviews.ts";
import type { AnyRequest, HiveRequest } from "../requests/page.ts";
import { branchNames } from "../../../service/content/branches.ts";
import { listNoteTags } from "../../../service/content/notes.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import type { Caller } from "../../../service/access.ts";
import type { StorageBase } from "../../../service/storage.ts";
import { reachedOf } from "../../../domain/access/token.ts";
import { mapInGroups } from "../../../slices.ts";
import { listTags, type Tag } from "../../../service/content/tags.ts";

export interface LocaleProgress {
  readonly locale: Locale;
  readonly stats: LocaleStats;
}

interface HiveProgress {
  readonly hive: HiveStats;
  readonly locales: readonly LocaleProgress[];
}

type Reader = Pick<AnyRequest, "storage" | "cache">;

/**
 * The target locales of a Hive with their progress at a branch.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function hiveProgress({ storage, cache }: Reader, branch: HiveBranch): Promise<HiveProgress> {
  const hive = await (await hiveStats(storage, branch)).read();
  const locales: LocaleProgress[] = [];
  // One after the other: counting takes processor time and memory, which other requests need too.
  for (const { locale, version, read } of hive.locales) {
    locales.push({ locale, stats: await cache("locale-stats", version, read) });
  }
  return { hive, locales };
}

/**
 * The progress of the locales of several Hives, as far as it can be counted in a limited time. Counts are
 * cached, so the next call covers more Hives.
 * @param patienceMs after this time, no further count is started.
 * @returns nothing for Hives that take longer, or that cannot be read.
 */
export async function progressSoon(
  { storage, cache }: Reader,
  slugs: readonly HiveSlug[],
  patienceMs: number,
): Promise<ReadonlyMap<HiveSlug, readonly LocaleProgress[]>> {
  const progress = new Map<HiveSlug, readonly LocaleProgress[]>();
  const deadline = performance.now() + patienceMs;
  const inTime: Reader["cache"] = (name, version, make) =>
    cache(name, version, () => {
      if (performance.now() > deadline) throw new OutOfTime();
      return make();
    });
  for (const slug of slugs) {
    try {
      const { locales } = await hiveProgress({ storage, cache: inTime }, slug);
      progress.set(slug, locales);
    } catch (error) {
      if (!(error instanceof OutOfTime) && !isSkepError(error)) throw error;
    }
  }
  return progress;
}

/** The error of a count for which no time is left. */
class OutOfTime extends Error {}

/** Reading the settings of more Hives than these would delay a page. */
const maxAsked = 200;

/**
 * The target locales of the Hives that a caller reaches, each once, without those that they may not write into; undefined
 * for more Hives than can be asked.
 */
export async function teamLocales(
  storage: StorageBase,
  { principal, team }: Caller,
): Promise<readonly Locale[] | undefined> {
  const slugs = reachedOf(principal, team.hives);
  if (slugs.length > maxAsked) return undefined;
  const settings = await mapInGroups(slugs, (slug) => lastSettings(storage, slug));
  const all = settings.flatMap((one) => one?.targetLocales ?? []);
  const byCode = new Map(all.map((locale) => [locale.code, locale]));
  return [...byCode.values()].filter(({ code }) => principal.locales?.includes(code) ?? true);
}

/** How many tags are listed, and how many tags and branches are suggested. */
const maxListed = 8;
const maxSuggested = 50;
const maxStringTags = 500;

/** The latest tags, the newest first. */
export async function lastTags({ storage, hive, cache }: HiveRequest): Promise<readonly Tag[]> {
  const { version, read } = await listTags(storage, hive.slug, { offset: 0, limit: Infinity });
  return cache(`tags of ${hive.slug}`, version, async () =>
    (await read()).entries.toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0)).slice(0, maxListed),
  );
}

/** The tags of strings, as suggestions of a field. */
export async function stringTags({ storage, branch, cache }: HiveRequest): Promise<readonly string[]> {
  const { version, read } = await listNoteTags(storage, branch);
  return cache("tags of strings", version, async () => (await read()).slice(0, maxStringTags));
}

/** The names of states, as suggestions of a field. */
export async function namedStates(request: HiveRequest): Promise<readonly string[]> {
  const tags = await lastTags(request);
  const branches = await branchNames(request.storage, request.hive.slug);
  return ["main", ...tags.map(({ name }) => name), ...branches].slice(0, maxSuggested);
}
