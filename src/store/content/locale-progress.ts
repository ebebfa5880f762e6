/** How far the locales of a Hive are translated at one commit, and which of them are too far from it to go out. */
import { percentBelow, type CompletenessRules, type LeftOut } from "../../domain/export/completeness.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import { keptKeys } from "../../domain/notes/note-tags.ts";
import { localeStats, type LocaleStats } from "../../domain/queries/locale-stats.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";
import { countFailing } from "./findings.ts";
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

async function countIn(snapshot: Snapshot, locale: Locale): Promise<LocaleStats> {
  const codes = [locale.code];
  const [content, markers, reviews, { files: notes }] = await Promise.all([
    snapshot.content(codes),
    snapshot.values.stale.read(codes),
    snapshot.values.review.read(codes),
    snapshot.values.notes.readable(),
  ]);
  const basis = { markers, reviews, kept: keptKeys(notes, content) };
  const counts = await localeStats(content, locale, basis);
  return { ...counts, failing: await countFailing(snapshot, content, locale) };
}

/**
 * Which of some locales do not go out because too little of them is translated. The source locale and pseudo-locales always do.
 * @param cache as {@link localeProgress} takes it.
 * @throws as {@link localeProgress}.
 */
export async function leftOutOf(
  snapshot: Snapshot,
  locales: readonly Locale[],
  rules: CompletenessRules,
  cache: HiveCache | undefined,
): Promise<readonly LeftOut[]> {
  const left: LeftOut[] = [];
  if (rules.minComplete === undefined) return left;
  for (const locale of locales) {
    if (!snapshot.settings.targetLocales.includes(locale)) continue;
    const percent = percentBelow(await localeProgress(snapshot, locale, cache), rules);
    if (percent !== undefined) left.push({ locale, percent });
  }
  return left;
}
