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
import type { LocaleStats } from "../../domain/queries/locale-stats.ts";
import { count, oid } from "../../domain/hives/stored-fields.ts";
import { hiveSettings, toHiveMembers } from "../settings/hive-settings-file.ts";
import { isFailure } from "../../domain/errors.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitInfo } from "../../git/objects/git-object.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { Snapshot } from "./snapshot.ts";
import type { RecordedOverview, RecordedHive } from "../record/record.ts";

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
/** To be raised when anything is counted differently, or other files of locales are readable. */
const version = 5;

const stats = z.strictObject({
  translated: count,
  approved: count,
  waiting: count,
  withheld: count,
  stale: count,
  empty: count,
  inherited: count,
  failing: count,
  toTranslate: count,
  total: count,
});
const overviewFields = { stringCount: count, translatableCount: count, settings: z.unknown() };
const recordedOverview = z.strictObject({ version: z.literal(version), ...overviewFields });
const cacheFile = z.strictObject({
  version: z.literal(version),
  /** Of the commit that main was at. */
  overview: z.strictObject({ commit: oid, ...overviewFields }).optional(),
  /** By locale, at main. */
  progress: z.record(z.string(), z.strictObject({ version: z.string(), stats })).default({}),
  /** The folders of translations that were found readable: an object name identifies its content for ever. */
  checked: z.array(oid).default([]),
});

/** An overview as JSON, for a record. */
export function formatOverview({ settings, stringCount, translatableCount }: HiveOverview): object {
  return { version, stringCount, translatableCount, settings: toHiveMembers(settings) };
}

/** Parses what {@link formatOverview} gave; undefined for anything else, or what another version gave. */
export function parseOverview(value: object): HiveOverview | undefined {
  const { data } = recordedOverview.safeParse(value);
  return data && toOverview(data);
}

function toOverview({
  stringCount,
  translatableCount,
  ...stored
}: Omit<z.output<typeof recordedOverview>, "version">): HiveOverview | undefined {
  const settings = hiveSettings.safeParse(stored.settings).data;
  return settings && { settings, stringCount, translatableCount };
}

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

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, fileName);
  }

  /** The overview of a commit; undefined when it is not cached. */
  async overview(commit: Oid): Promise<HiveOverview | undefined> {
    const { overview } = await this.#read();
    return overview?.commit === commit ? toOverview(overview) : undefined;
  }

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
    } catch {
      // It only costs time at the next start.
    }
  }
}

interface OverviewAtCommit extends HiveOverview {
  readonly commit: Oid;
}

/** The overview of a Hive at HEAD or, failing that, at its last readable commit. */
export interface OverviewAtHead {
  /** Undefined when HEAD cannot be read, or there is no repository. */
  readonly head: Oid | undefined;
  /** Undefined when there is no readable commit. */
  readonly overview: OverviewAtCommit | undefined;
}

interface KnownOverview {
  /** The commit of HEAD that it was read for. */
  readonly oid: Oid;
  readonly overview: Promise<OverviewAtCommit | undefined>;
}

/** Bounds the reads at once, as a team may have very many Hives. */
const readings = new Semaphore(8);
/** How many commits are tried to find a readable one. */
const maxReadableAge = 100;

export interface HiveSources {
  readonly repo: BareRepo;
  readonly cache: HiveCache;
  /** The Hive in the record; undefined for a repository that is in no Hive's place. */
  readonly recorded: RecordedHive | undefined;
}

/** Reads the overview of one Hive once for each HEAD. It is small, so it stays in memory, and is cached on disk. */
export class OverviewReader {
  readonly #repo: BareRepo;
  readonly #cache: HiveCache;
  readonly #recorded: RecordedHive | undefined;
  readonly #last: () => Snapshot | undefined;
  #known: KnownOverview | undefined;

  /** @param last gives the snapshot that is in memory, if there is one. */
  constructor({ repo, cache, recorded }: HiveSources, last: () => Snapshot | undefined) {
    this.#repo = repo;
    this.#cache = cache;
    this.#recorded = recorded;
    this.#last = last;
  }

  /** The overview at the current HEAD. A Hive with invalid content must not affect the team's other Hives. */
  async read(): Promise<OverviewAtHead> {
    if (this.#recorded?.isBehind === true) {
      const overview = await this.#readRecorded();
      if (overview !== undefined) return { head: overview.commit, overview };
      await this.#recorded.refresh();
    }
    const head = this.#readMain();
    if (head === undefined) {
      const last = this.#last();
      return {
        head,
        overview: last !== undefined && this.#repo.main.exists() ? atCommit(last) : undefined,
      };
    }
    if (this.#known?.oid !== head) {
      this.#known = { oid: head, overview: readings.run(() => this.#readAt(head)) };
    }
    const known = this.#known;
    try {
      return { head, overview: await known.overview };
    } catch (error) {
      if (this.#known === known) this.#known = undefined;
      throw error;
    }
  }

  /** Whether an overview is in memory, perhaps of an earlier HEAD. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** Caches the overview of the snapshot at HEAD on disk, in the background. */
  keep(snapshot: Snapshot): void {
    void this.#cache.keepOverview(snapshot.commit.oid, overviewOf(snapshot));
  }

  async #readRecorded(): Promise<OverviewAtCommit | undefined> {
    const recorded = await this.#recorded?.overview();
    const overview = recorded && parseOverview(recorded.overview);
    return overview && { commit: recorded.head, ...overview };
  }

  #readMain(): Oid | undefined {
    try {
      return this.#repo.main.read();
    } catch (error) {
      if (isFailure(error, "content-invalid") || isFailure(error, "not-found")) return undefined;
      throw error;
    }
  }

  /** The overview at a commit, or at the nearest readable commit before it. */
  async #readAt(head: Oid): Promise<OverviewAtCommit | undefined> {
    const last = this.#last();
    if (last?.commit.oid === head) {
      this.keep(last);
      return atCommit(last);
    }
    const recorded = await this.#readRecorded();
    if (recorded?.commit === head) return recorded;
    const cached = await this.#cache.overview(head);
    if (cached !== undefined) return { commit: head, ...cached };
    let next: Oid | undefined = head;
    for (let age = 0; next !== undefined && age < maxReadableAge; age++) {
      try {
        const commit: CommitInfo = await this.#repo.readCommit(next);
        [next] = commit.parents;
        const snapshot = await Snapshot.read(this.#repo, commit, { previous: last, lazy: true });
        this.#repo.releasePacks();
        const overview = overviewOf(snapshot);
        if (commit.oid === head) await this.#cache.keepOverview(head, overview);
        return { commit: commit.oid, ...overview };
      } catch (error) {
        if (!(error instanceof UnreadablePath)) throw error;
      }
    }
    return last && atCommit(last);
  }
}

function atCommit(snapshot: Snapshot): OverviewAtCommit {
  return { commit: snapshot.commit.oid, ...overviewOf(snapshot) };
}

/** The overview to record when main moves to a snapshot's commit. */
export function toRecorded(snapshot: Snapshot): RecordedOverview {
  const overview = overviewOf(snapshot);
  return { strings: overview.stringCount, overview: formatOverview(overview) };
}

function overviewOf({ settings, index }: Snapshot): HiveOverview {
  return { settings, stringCount: index.stringCount, translatableCount: index.translatableCount };
}
