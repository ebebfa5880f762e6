/** How far Hives are translated, read once for each state of their texts. */
import type { Locale } from "../../../domain/hives/locale.ts";
import type { LocaleStats } from "../../../domain/strings/locale-stats.ts";
import type { Place } from "../../../domain/commits/branch-name.ts";
import { hiveStats, type HiveStats } from "../../../service/content/overviews.ts";
import type { AnyRequest } from "../requests/page.ts";

export interface LocaleProgress {
  readonly locale: Locale;
  readonly stats: LocaleStats;
}

/** The target locales of a Hive with their progress at a branch. @throws SkepError `content-invalid` when the Hive cannot be read. */
export async function hiveProgress(
  { storage, remember }: Pick<AnyRequest, "storage" | "remember">,
  place: Place,
): Promise<{ readonly hive: HiveStats; readonly locales: readonly LocaleProgress[] }> {
  const hive = await (await hiveStats(storage, place)).read();
  const reading = hive.locales.map(async ({ locale, version, read }) => ({
    locale,
    stats: await remember("locale-stats", version, read),
  }));
  return { hive, locales: await Promise.all(reading) };
}
