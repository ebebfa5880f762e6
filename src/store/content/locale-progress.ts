/** How far the locales of a Hive are translated at one commit, and which of them are too far from it to go out. */
import { percentBelow, type CompletenessRules, type LeftOut } from "../../domain/export/completeness.ts";
import { ancestorsOf } from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import { keptKeys } from "../../domain/notes/note-tags.ts";
import { localeStats, type LocaleStats } from "../../domain/queries/locale-stats.ts";
import type { StateBasis } from "../../domain/queries/text-states.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";
import type { ExportRules } from "./exported-content.ts";
import { failingKeys } from "./findings.ts";
import type { HiveCache } from "./hive-cache.ts";
import type { Snapshot } from "./snapshot.ts";

/** Identifies what {@link localeProgress} gives for some locales. */
export function progressVersion(snapshot: Snapshot, codes: readonly LocaleCode[]): string {
  return `${snapshot.version(codes)}:${snapshot.values.version(codes)}`;
}

const counted = moduleCache(new WeakCache<Snapshot, Map<LocaleCode, Promise<LocaleStats>>>());

/**
 * How far a Hive is translated into a locale, counted once for each snapshot.
 * @param cache of the Hive, for main alone: the counts of others would replace main's all the time.
 * @throws SkepError `content-invalid` when a file cannot be read.
 */
export function localeProgress(
  snapshot: Snapshot,
  locale: Locale,
  cache: HiveCache | undefined,
): Promise<LocaleStats> {
  const { code } = locale;
  if (cache !== undefined)
    return cache.progress(code, progressVersion(snapshot, [code]), () => countIn(snapshot, locale));
  const known = counted.get(snapshot) ?? new Map<LocaleCode, Promise<LocaleStats>>();
  counted.set(snapshot, known);
  const counting = known.get(code) ?? countIn(snapshot, locale);
  known.set(code, counting);
  // What cannot be read now may be readable later.
  counting.catch(() => known.delete(code));
  return counting;
}

/** The content of a locale, and what decides about the states of its texts. */
export async function progressBasis(
  snapshot: Snapshot,
  { code }: Locale,
): Promise<{ readonly content: HiveContent; readonly basis: StateBasis }> {
  const codes = [code];
  const [content, markers, reviews, { files: notes }] = await Promise.all([
    snapshot.content(codes),
    snapshot.values.stale.read(codes),
    snapshot.values.review.read(codes),
    snapshot.values.notes.readable(),
  ]);
  return { content, basis: { markers, reviews, kept: keptKeys(notes, content) } };
}

async function countIn(snapshot: Snapshot, locale: Locale): Promise<LocaleStats> {
  const { content, basis } = await progressBasis(snapshot, locale);
  const failing = await failingKeys(snapshot, content, locale);
  const counts = await localeStats(content, locale, { ...basis, failing });
  return { ...counts, failing: [...failing.values()].reduce((sum, { size }) => sum + size, 0) };
}

/** What goes out of some locales. */
export interface Outgoing {
  /** Each locale that goes out, with the one whose texts are given for it: itself, or one that it inherits from. */
  readonly given: ReadonlyMap<Locale, Locale>;
  /** The others, because too little of them is translated. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Decides which of some locales go out. Where gaps are filled with what a locale inherits, the nearest of which enough is
 * translated stands for one of which too little is. The source locale and pseudo-locales always go out.
 * @param cache as {@link localeProgress} takes it.
 * @throws as {@link localeProgress}.
 */
export async function outgoing(
  snapshot: Snapshot,
  locales: readonly Locale[],
  rules: CompletenessRules & Pick<ExportRules, "missing">,
  cache: HiveCache | undefined,
): Promise<Outgoing> {
  const { settings } = snapshot;
  const given = new Map<Locale, Locale>();
  const leftOut: LeftOut[] = [];
  const percentOf = async (locale: Locale): Promise<number | undefined> => {
    const isTarget = settings.targetLocales.some(({ code }) => code === locale.code);
    if (rules.minComplete === undefined || !isTarget) return undefined;
    return percentBelow(await localeProgress(snapshot, locale, cache), rules);
  };
  for (const locale of locales) {
    const percent = await percentOf(locale);
    let giver = percent === undefined ? locale : undefined;
    const others = giver === undefined && rules.missing === "fallback" ? ancestorsOf(settings, locale) : [];
    for (const other of others)
      if (giver === undefined && (await percentOf(other)) === undefined) giver = other;
    if (giver !== undefined) given.set(locale, giver);
    else if (percent !== undefined) leftOut.push({ locale, percent });
  }
  return { given, leftOut };
}

/** Identifies what {@link outgoing} gives. */
export function outgoingVersion(
  snapshot: Snapshot,
  locales: readonly Locale[],
  { minComplete }: CompletenessRules,
): string {
  if (minComplete === undefined) return "";
  const all = locales.flatMap((locale) => [locale, ...ancestorsOf(snapshot.settings, locale)]);
  return `${minComplete}:${progressVersion(
    snapshot,
    all.map(({ code }) => code),
  )}`;
}
