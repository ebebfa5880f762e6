/**
 * What the primary tells its followers: what has changed since a version, as soon as it changes. Nothing is observed
 * unless a follower asks.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { TrashEntry, TrashId } from "../../domain/hives/trash.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import type { ReplicatedHive, ReplicatedTrash, ReplicationNews } from "../../domain/replication/news.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { isUnversioned, unversionedFolders, versionedFolders } from "../../store/replication/replicated.ts";
import type { Storage } from "../storage.ts";

/** How often the version of the settings is checked while a follower waits: a revoked token must not wait for Hives. */
const settingsEveryMs = 100;
/** How long a response with settings waits for the check of Hives that it is sent with. */
const hivesWaitMs = 500;
/** How often settings without a version are read; after a long reading, the pause is at least so many times as long. */
const unversionedEveryMs = 5_000;
const minUnversionedPause = 20;
/** How long a request may wait. */
const maxWaitMs = 25_000;
/** When nobody has asked for that long, nothing is observed any more. */
const idleMs = 60_000;
/** How long other changes wait for the end of a deletion. */
const maxDeletionMs = 200;
/** How many Hives are read at once. */
const atOnce = 16;

interface Item<T> {
  /** Null for what is gone. */
  readonly value: T | null;
  /** The count of changes when it changed. */
  readonly at: number;
  /** The number of the reading that found it: of several, the one that began last counts. */
  readonly reading: number;
}

type Items<K, T> = Map<K, Item<T>>;

/** Runs a check one at a time, and once for all who ask during a run, which may already have passed what changed. */
class SharedCheck {
  readonly #check: () => Promise<void>;
  #running: Promise<void> | undefined;

  constructor(check: () => Promise<void>) {
    this.#check = check;
  }

  async run(): Promise<void> {
    await this.#running?.catch(() => undefined);
    this.#running ??= this.#check().finally(() => (this.#running = undefined));
    await this.#running;
  }
}

export class ReplicationFeed {
  readonly #storage: Storage;
  /** Other processes, and this one after a restart, number their changes differently. */
  readonly #instance = randomBytes(6).toString("hex");
  readonly #settings: Items<string, string> = new Map();
  readonly #hives: Items<HiveSlug, ReplicatedHive> = new Map();
  readonly #trash: Items<TrashId, ReplicatedTrash> = new Map();
  /** The repositories that the Hives had when they were last read. */
  readonly #identities = new Map<HiveSlug, string | undefined>();
  readonly #owners = new Map<HiveSlug, TeamName>();
  /** How to stop watching each Hive that a team has. */
  readonly #watched = new Map<HiveSlug, () => void>();
  readonly #changed = new Set<HiveSlug>();
  readonly #waiting = new Set<() => void>();
  readonly #reads = new Semaphore(atOnce);
  #count = 0;
  #readings = 0;
  #settingsVersion: string | undefined;
  readonly #settingsCheck = new SharedCheck(() => this.#checkSettings());
  readonly #hivesCheck = new SharedCheck(() => this.#checkHives());
  #isTrashDue = true;
  /** The first reading of settings without a version. */
  #unversioned: Promise<void> | undefined;
  #unversionedTimer: NodeJS.Timeout | undefined;
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * What has changed since a version. What this process has acknowledged before is part of it. If checking Hives takes
   * long, it has all changes of the settings alone, and the version stays.
   * @param after the version of an earlier answer; if it is not one of this process, the answer is everything.
   * @param waitMs how long to wait for a change if there is none.
   * @throws the system's error when the storage cannot be read.
   */
  async news(after: string | undefined, waitMs: number, signal: AbortSignal): Promise<ReplicationNews> {
    this.#start();
    await this.#settingsCheck.run();
    const [instance, text] = after?.split("-") ?? [];
    const count = instance === this.#instance ? Number(text) : NaN;
    const since = count >= 0 && count <= this.#count ? count : undefined;
    const checking = Promise.all([this.#unversioned, this.#hivesCheck.run()]).then(() => true);
    // A revoked token must not wait for Hives. A list of everything must have them.
    const timeout = since === undefined ? [] : [setTimeout(hivesWaitMs, false, { ref: false })];
    if (!(await Promise.race([checking, ...timeout]))) {
      ignoreFailure(checking);
      return {
        ...this.#newsSince(since),
        hives: new Map(),
        trash: new Map(),
        version: after ?? "",
        isSettingsOnly: true,
      };
    }
    if (since === this.#count) await this.#change(Math.min(waitMs, maxWaitMs), signal);
    return this.#newsSince(since);
  }

  /** Stops observing, until the next follower asks. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    clearTimeout(this.#unversionedTimer);
    this.#unversioned = undefined;
    for (const unwatch of this.#watched.values()) unwatch();
    this.#watched.clear();
    this.#settingsVersion = undefined;
  }

  #start(): void {
    this.#askedAt = performance.now();
    this.#timer ??= setInterval(() => {
      if (this.#waiting.size > 0) ignoreFailure(this.#settingsCheck.run());
      else if (performance.now() - this.#askedAt > idleMs) this.stop();
    }, settingsEveryMs).unref();
    this.#unversioned ??= this.#readUnversioned().catch((error: unknown) => {
      this.#unversioned = undefined;
      throw error;
    });
  }

  #watch(slug: HiveSlug): void {
    const unwatch = this.#storage.changes.watchRefs(slug, () => {
      this.#changed.add(slug);
      if (this.#waiting.size > 0) ignoreFailure(this.#hivesCheck.run());
    });
    this.#watched.set(slug, unwatch);
    this.#changed.add(slug);
  }

  /** Resolves when something has changed, the time is over, or nobody waits for it any more. */
  #change(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = startTimer(end, waitMs);
      signal.addEventListener("abort", end);
      this.#waiting.add(end);
    });
  }

  #newsSince(since: number | undefined): ReplicationNews {
    const { replication, now } = this.#storage;
    const state = replication.read();
    const isComplete = since === undefined;
    const pick = <K, T>(items: Items<K, T>): Map<K, T | null> => {
      const picked = new Map<K, T | null>();
      for (const [key, { value, at }] of items) {
        if (isComplete ? value !== null : at > since) picked.set(key, value);
      }
      return picked;
    };
    return {
      storage: state?.id ?? "",
      generation: state?.generation ?? 1,
      supersededBy: state?.supersededBy ?? null,
      version: `${this.#instance}-${this.#count}`,
      isComplete,
      isSettingsOnly: false,
      now: now(),
      settings: pick(this.#settings),
      hives: pick(this.#hives),
      trash: pick(this.#trash),
    };
  }

  async #checkSettings(): Promise<void> {
    // Read before the settings, so that a change in between is seen the next time.
    const version = this.#storage.registry.version.recent();
    if (version !== undefined && version === this.#settingsVersion) return;
    await this.#readSettings();
    this.#settingsVersion = version;
    if (this.#changed.size > 0 || this.#isTrashDue) ignoreFailure(this.#hivesCheck.run());
  }

  /** Reads the Hives that are known to have changed. */
  async #checkHives(): Promise<void> {
    const isTrashDue = this.#isTrashDue;
    this.#isTrashDue = false;
    const slugs = [...this.#changed];
    this.#changed.clear();
    try {
      // A Hive that is gone is told of with what is in the trash.
      if (isTrashDue) await this.#readTrash();
      await Promise.all(slugs.map((slug) => this.#readHive(slug)));
    } catch (error) {
      this.#isTrashDue ||= isTrashDue;
      for (const slug of slugs) this.#changed.add(slug);
      throw error;
    }
  }

  /** Reads the settings without a version, and again after a while. */
  async #readUnversioned(): Promise<void> {
    const begun = performance.now();
    const reading = ++this.#readings;
    try {
      const found = await this.#storage.replicated.settings(unversionedFolders);
      this.#update(this.#settings, found, reading, isUnversioned);
      this.#isTrashDue = true;
    } finally {
      const next = Math.max(unversionedEveryMs, (performance.now() - begun) * minUnversionedPause);
      const again = (): void => ignoreFailure(this.#readUnversioned());
      if (this.#timer !== undefined) this.#unversionedTimer = startTimer(again, next).unref();
    }
  }

  async #readSettings(): Promise<void> {
    const { registry, hives, replicated } = this.#storage;
    const reading = ++this.#readings;
    const found = await replicated.settings(versionedFolders);
    this.#update(this.#settings, found, reading, (path) => !isUnversioned(path));
    const { teams } = await registry.readable();
    this.#owners.clear();
    for (const team of teams) for (const slug of team.hives) this.#owners.set(slug, team.name);
    for (const [slug, unwatch] of this.#watched) {
      if (this.#owners.has(slug)) continue;
      unwatch();
      this.#watched.delete(slug);
    }
    for (const [slug, { value }] of this.#hives) {
      if (value !== null && !this.#owners.has(slug)) this.#changed.add(slug);
    }
    for (const [slug, team] of this.#owners) {
      if (!this.#watched.has(slug)) this.#watch(slug);
      const known = this.#hives.get(slug)?.value;
      const isSame = replicated.identity(hives.folderOf(slug)) === this.#identities.get(slug);
      if (!isSame || known?.team !== team) this.#changed.add(slug);
    }
    this.#isTrashDue = true;
  }

  async #readHive(slug: HiveSlug): Promise<void> {
    const reading = ++this.#readings;
    const state = await this.#reads.run(() => this.#stateOf(slug));
    if (state === null && this.#hives.get(slug)?.value != null) {
      await Promise.race([this.#endDeletion(slug), setTimeout(maxDeletionMs)]);
    } else this.#put(this.#hives, slug, state, reading);
  }

  /** Tells that a Hive is gone when it is in the trash, so that followers move what they have. Never rejects. */
  async #endDeletion(slug: HiveSlug): Promise<void> {
    try {
      // Whoever deletes it holds its lock.
      await this.#storage.hives.lock(slug, () => this.#readTrash());
      const reading = ++this.#readings;
      this.#put(this.#hives, slug, await this.#stateOf(slug), reading);
    } catch {
      this.#changed.add(slug);
    }
  }

  /** The state of a Hive; null when no team has it. */
  async #stateOf(slug: HiveSlug): Promise<ReplicatedHive | null> {
    const { hives, registry, replicated } = this.#storage;
    const gitdir = hives.folderOf(slug);
    for (;;) {
      this.#identities.set(slug, replicated.identity(gitdir));
      const id = await this.#idOf(slug, gitdir);
      const owner = this.#owners.get(slug);
      const team = owner && (await registry.team(owner).catch(() => undefined));
      if (id === undefined || team?.hives.includes(slug) !== true) return null;
      const refs = await replicated.digest(gitdir);
      // Otherwise the team and the refs may be those of another repository than the id.
      if ((await replicated.id(gitdir)) === id) return { id, team: team.name, refs };
    }
  }

  /** The id of a repository, which gets one if it has none. */
  async #idOf(slug: HiveSlug, gitdir: string): Promise<string | undefined> {
    const { hives, replicated } = this.#storage;
    const id = await replicated.id(gitdir);
    if (id !== undefined) return id;
    return hives.lock(slug, async () => {
      if (!(await replicated.has(gitdir))) return undefined;
      if ((await replicated.id(gitdir)) === undefined) await replicated.identify(gitdir);
      return replicated.id(gitdir);
    });
  }

  async #readTrash(): Promise<void> {
    const { trash } = this.#storage;
    const reading = ++this.#readings;
    const { entries } = await trash.read();
    const found = new Map<TrashId, ReplicatedTrash>();
    const add = async ({ id: name, slug }: TrashEntry): Promise<void> => {
      const gitdir = trash.folderOf(name);
      const id = await this.#reads.run(() => this.#idOf(slug, gitdir));
      if (id !== undefined) found.set(name, { id, note: (await trash.noteIn(gitdir)) ?? null });
    };
    await Promise.all(entries.map(add));
    this.#update(this.#trash, found, reading);
  }

  /** Notes all items of a kind, or those with some keys. What is not found is gone. */
  #update<K, T>(
    items: Items<K, T>,
    found: ReadonlyMap<K, T>,
    reading: number,
    isMeant: (key: K) => boolean = () => true,
  ): void {
    for (const key of items.keys()) if (isMeant(key) && !found.has(key)) this.#put(items, key, null, reading);
    for (const [key, value] of found) this.#put(items, key, value, reading);
  }

  #put<K, T>(items: Items<K, T>, key: K, value: T | null, reading: number): void {
    const before = items.get(key);
    if (before === undefined && value === null) return;
    if (before !== undefined && before.reading > reading) return;
    if (before !== undefined && isDeepStrictEqual(before.value, value)) {
      items.set(key, { ...before, reading });
      return;
    }
    items.set(key, { value, at: ++this.#count, reading });
    for (const wake of this.#waiting) wake();
  }
}

/** What fails here fails again when the next follower asks, who is told. */
function ignoreFailure(work: Promise<unknown>): void {
  work.catch(() => undefined);
}
