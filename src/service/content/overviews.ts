/** Lists Hives, their progress, and their keys. */
import { type HiveBranch, isMain } from "../../domain/commits/branch-name.ts";
import { isCodeOf, type Locale } from "../../domain/hives/locale.ts";
import { keptKeys } from "../../domain/notes/note-tags.ts";
import type { LocaleStats } from "../../domain/queries/locale-stats.ts";
import { stemOf, type FileName, type HiveSlug } from "../../domain/names.ts";
import { reachedOf } from "../../domain/access/token.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { isStepDone, mapInGroups, pause } from "../../slices.ts";
import { localeProgress, progressVersion } from "../../store/content/locale-progress.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { Caller } from "../access.ts";
import type { RunSlowRead } from "../slow-reads.ts";
import { atHead, type Versioned } from "./queries.ts";
import type { StorageBase } from "../storage.ts";
import { versionOf } from "./branches.ts";

export interface ListedHive {
  readonly slug: HiveSlug;
  readonly settings: HiveSettings;
  /** The number of source strings that have a text. */
  readonly translatableCount: number;
  /** The number of empty source strings, which have nothing to translate. */
  readonly emptySourceCount: number;
}

/** Reading more unknown Hives than these counts as a slow read. */
const maxUnknown = 100;

/**
 * The Hives that a caller's token reaches, in the order they were made. One whose content is invalid is listed as it
 * was at its last readable commit, and left out when it has none.
 * @param runSlowRead runs a slow read of many Hives.
 */
export async function reachableHives(
  { hives }: StorageBase,
  { principal, team }: Caller,
  runSlowRead: RunSlowRead,
): Promise<Versioned<readonly ListedHive[]>> {
  const slugs = reachedOf(principal, team.hives);
  const read = async (slug: HiveSlug) => ({ slug, ...(await hives.at(slug).overview()) });
  const unknown = slugs.filter((slug) => hives.opened(slug)?.hasOverview !== true);
  // What has been read stays known, so that a later request goes on where one was ended.
  if (unknown.length > maxUnknown) await runSlowRead((signal) => mapInGroups(unknown, read, signal));
  const found = await mapInGroups(slugs, read);
  const listed = found.flatMap(({ slug, overview }) => {
    if (overview === undefined) return [];
    const { settings, stringCount, translatableCount } = overview;
    return [{ slug, settings, translatableCount, emptySourceCount: stringCount - translatableCount }];
  });
  const heads = found.flatMap(({ slug, head }) => (head === undefined ? [] : [{ branch: slug, head }]));
  const basis = found.map(({ slug, head, overview }) => [slug, head ?? overview ?? null]);
  return {
    version: versionOf(basis),
    // Heads of Hives that are not listed count, too.
    heads: heads.length === found.length ? heads : undefined,
    read: () => listed,
  };
}

/** The settings of a Hive at its last commit that can be read; undefined when there is none. */
export async function lastSettings(
  { hives }: StorageBase,
  slug: HiveSlug,
): Promise<HiveSettings | undefined> {
  return (await hives.at(slug).overview()).overview?.settings;
}

/** One Hive and its progress, in one part for each target locale, which changes by itself. */
export interface HiveStats extends Omit<ListedHive, "slug"> {
  /** Counts the source strings that have a text and are not to be translated. */
  readonly countKept: () => Promise<number>;
  readonly locales: readonly (Versioned<LocaleStats> & { readonly locale: Locale })[];
}

/** @throws SkepError `content-invalid` when the Hive cannot be read. */
export async function hiveStats({ hives }: StorageBase, branch: HiveBranch): Promise<Versioned<HiveStats>> {
  const snapshot = await hives.at(branch).snapshot();
  const { settings, index } = snapshot;
  const cache = isMain(branch) ? hives.at(branch).cache : undefined;
  const read = (): HiveStats => ({
    settings,
    translatableCount: index.translatableCount,
    emptySourceCount: index.stringCount - index.translatableCount,
    countKept: () => countKept(snapshot),
    locales: settings.targetLocales.map((locale) => ({
      locale,
      version: `${locale.code}:${progressVersion(snapshot, [locale.code])}`,
      read: () => localeProgress(snapshot, locale, cache),
    })),
  });
  const version = progressVersion(
    snapshot,
    settings.targetLocales.map(({ code }) => code),
  );
  return { ...atHead(branch, snapshot), version, read };
}

async function countKept({ values, index: { source }, settings }: Snapshot): Promise<number> {
  let count = 0;
  for (const [file, keys] of keptKeys((await values.notes.readable()).files, { source, settings })) {
    const texts = source.get(file)?.texts;
    for (const key of keys) if (texts?.get(key)) count++;
  }
  return count;
}

export interface StringKey {
  readonly key: string;
  /** Undefined for the file that is named after the source locale. */
  readonly file: FileName | undefined;
}

/**
 * The keys of all source strings, in the order of lists.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function listKeys(
  { hives }: StorageBase,
  branch: HiveBranch,
): Promise<Versioned<readonly StringKey[]>> {
  const snapshot = await hives.at(branch).snapshot();
  const { sourceLocale } = snapshot.settings;
  async function find(): Promise<readonly StringKey[]> {
    const found: StringKey[] = [];
    for (const [file, { texts }] of snapshot.index.source) {
      const named = isCodeOf(sourceLocale, stemOf(file)) ? undefined : file;
      for (const key of texts.keys()) {
        if (isStepDone()) await pause();
        found.push({ key, file: named });
      }
    }
    return found;
  }
  return {
    ...atHead(branch, snapshot),
    version: snapshot.version(),
    read: find,
  };
}
