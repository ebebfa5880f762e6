/**
 * Facts about a Hive that take long to find out, cached in a file of its repository, so that they survive a restart:
 * counts and lists over very many Hives read this file of each, and no pack. The file is written without fsync, and
 * nothing is lost with it: a file that is missing, damaged or of another version is as an empty one.
 */
import { join } from "node:path";
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import type { LocaleStats } from "../../domain/strings/locale-stats.ts";
import { count, oid } from "../settings/fields.ts";
import { hiveSettings, toHiveMembers } from "../settings/hive-settings-file.ts";

/** Facts about a Hive that do not depend on its translations. */
export interface HiveOverview {
  readonly settings: HiveSettings;
  readonly stringCount: number;
  /** See {@link countTranslatable}. */
  readonly translatableCount: number;
}

/** What was counted in one locale, under a name of all that the counts follow from. */
interface CountedLocale {
  readonly version: string;
  readonly stats: LocaleStats;
}

const fileName = "skep-cache";
/** The files that earlier versions had in its place. */
const earlierNames = ["skep-overview", "skep-progress", "skep-checked"];
/** To be raised when anything is counted differently, or other files of locales are readable. */
const version = 2;

const stats = z.strictObject({
  translated: count,
  approved: count,
  waiting: count,
  stale: count,
  empty: count,
  failing: count,
  total: count,
});
const cacheFile = z.strictObject({
  version: z.literal(version),
  /** Of the commit that main was at. */
  overview: z
    .strictObject({ commit: oid, stringCount: count, translatableCount: count, settings: z.unknown() })
    .optional(),
  /** By locale, at main. */
  progress: z.record(z.string(), z.strictObject({ version: z.string(), stats })).default({}),
  /** The folders of translations that were found readable: an object name identifies its content for ever. */
  checked: z.array(oid).default([]),
});

type Cached = Omit<z.output<typeof cacheFile>, "version">;

export class HiveCache {
  readonly #fs: DurableFs;
  readonly #path: string;
  /** What is still to be written. */
  #changes: Partial<Cached> | undefined;
  #writing: Promise<void> | undefined;
  /** The commit whose overview this process wrote last. */
  #overviewOf: Oid | undefined;
  #progress: Promise<Map<string, CountedLocale>> | undefined;
  /** The files of earlier versions, until they are removed. */
  readonly #earlier: string[];

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#earlier = earlierNames.map((name) => join(gitdir, name));
    this.#path = join(gitdir, fileName);
  }

  /** The overview of a commit; undefined when it is not cached. */
  async overview(commit: Oid): Promise<HiveOverview | undefined> {
    const { overview } = await this.#read();
    if (overview?.commit !== commit) return undefined;
    const { stringCount, translatableCount } = overview;
    const settings = hiveSettings.safeParse(overview.settings).data;
    return settings && { settings, stringCount, translatableCount };
  }

  /** Caches the overview of a commit, once. */
  async keepOverview(commit: Oid, { settings, ...counts }: HiveOverview): Promise<void> {
    if (commit === this.#overviewOf) return;
    this.#overviewOf = commit;
    await this.#write({ overview: { commit, ...counts, settings: toHiveMembers(settings) } });
  }

  /** The folders of translations that were found readable, by their object names. */
  async checkedFolders(): Promise<readonly Oid[]> {
    return (await this.#read()).checked;
  }

  /** Replaces the names of the folders that were found readable. */
  keepCheckedFolders(folders: Iterable<Oid>): Promise<void> {
    return this.#write({ checked: [...folders] });
  }

  /**
   * How far a locale is translated, from the cache, or counted and then cached.
   * @param basis identifies all that the counts follow from.
   */
  async progress(
    code: LocaleCode,
    basis: string,
    countNow: () => Promise<LocaleStats>,
  ): Promise<LocaleStats> {
    this.#progress ??= this.#read().then(({ progress }) => new Map(Object.entries(progress)));
    const progress = await this.#progress;
    // Node decides which plural forms a language has.
    const name = `${process.versions.cldr ?? ""} ${basis}`;
    const known = progress.get(code);
    if (known?.version === name) return known.stats;
    const counted = { version: name, stats: await countNow() };
    progress.set(code, counted);
    void this.#write({ progress: { [code]: counted } });
    return counted.stats;
  }

  /** Drops what is in memory. */
  evict(): void {
    this.#progress = undefined;
  }

  async #read(): Promise<Cached> {
    try {
      return cacheFile.parse(JSON.parse((await this.#fs.readText(this.#path)) ?? ""));
    } catch {
      return { progress: {}, checked: [] };
    }
  }

  /** Writes a part of the file, and keeps the others as this process or another one wrote them. Never rejects. */
  #write(changes: Partial<Cached>): Promise<void> {
    const progress = { ...this.#changes?.progress, ...changes.progress };
    this.#changes = { ...this.#changes, ...changes, progress };
    return (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)));
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#changes !== undefined) {
        const before = await this.#read();
        const changes = this.#changes;
        this.#changes = undefined;
        const progress = { ...before.progress, ...changes.progress };
        const content = { version, ...before, ...changes, progress };
        await this.#fs.writeCache(this.#path, `${JSON.stringify(content)}\n`);
      }
      for (const path of this.#earlier.splice(0)) await this.#fs.discard(path);
    } catch {
      // It only costs time at the next start.
    }
  }
}
