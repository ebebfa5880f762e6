/**
 * How far Hives are translated, cached in a file of each repository: counting takes all of a Hive's translations, which
 * the first page after a start would read for nothing else.
 */
import { join } from "node:path";
import { z } from "zod";
import { boundedCache } from "../../disk/bounded-cache.ts";
import { CacheFile } from "../../disk/cache-file.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { LocaleStats } from "../../domain/strings/locale-stats.ts";

const fileName = "skep-progress";
/** The number is to be raised when anything is counted differently. A language's plural forms are Node's. */
const rules = `2 ${process.versions.cldr ?? ""}`;
/** Of how many Hives the cache is in memory. */
const maxOpen = 64;

const count = z.number().int().nonnegative();
const stats = z.strictObject({
  translated: count,
  stale: count,
  empty: count,
  failing: count,
  total: count,
});
const keptFile = z.strictObject({
  rules: z.literal(rules),
  /** By locale; the version tells what was counted. */
  locales: z.record(z.string(), z.strictObject({ version: z.string(), stats })),
});

interface OpenCache {
  readonly file: CacheFile;
  readonly locales: Map<string, { readonly version: string; readonly stats: LocaleStats }>;
}

export class ProgressCache {
  readonly #fs: DurableFs;
  readonly #folderOf: (slug: HiveSlug) => string;
  readonly #open = boundedCache<HiveSlug, Promise<OpenCache>>(maxOpen);

  /** @param folderOf gives the repository of a Hive. */
  constructor(fs: DurableFs, folderOf: (slug: HiveSlug) => string) {
    this.#fs = fs;
    this.#folderOf = folderOf;
  }

  /**
   * The progress of a locale, from the cache, or counted and then cached.
   * @param version identifies all that the counts follow from.
   */
  async get(
    slug: HiveSlug,
    { code, version }: { readonly code: LocaleCode; readonly version: string },
    countNow: () => Promise<LocaleStats>,
  ): Promise<LocaleStats> {
    const { file, locales } = await this.#of(slug);
    const known = locales.get(code);
    if (known?.version === version) return known.stats;
    const counted = await countNow();
    locales.set(code, { version, stats: counted });
    void file.write(() => `${JSON.stringify({ rules, locales: Object.fromEntries(locales) })}\n`);
    return counted;
  }

  #of(slug: HiveSlug): Promise<OpenCache> {
    const open = this.#open.get(slug) ?? this.#read(slug);
    this.#open.set(slug, open);
    return open;
  }

  async #read(slug: HiveSlug): Promise<OpenCache> {
    const file = new CacheFile(this.#fs, join(this.#folderOf(slug), fileName));
    const kept = await file.read((value) => keptFile.parse(value));
    return { file, locales: new Map(Object.entries(kept?.locales ?? {})) };
  }
}
