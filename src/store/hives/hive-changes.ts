/** Notifies listeners that something in a storage may have changed, whichever process changed it. */
import { setImmediate } from "node:timers/promises";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { WatchedFile } from "../../disk/watched-file.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { RefWatch } from "../../git/refs/ref-watch.ts";

/** How often changes by other processes are looked for. */
const pollMs = 500;
/** With very many Hives, looking for changes takes at most one part in so many of the time. */
const maxShare = 10;
/** How many Hives are looked at before the event loop goes on. */
const hivesPerSlice = 32;

type Listener = () => void;

interface WatchedHive {
  readonly refs: RefWatch;
  readonly listeners: Set<Listener>;
}

export interface WatchedPlaces {
  readonly fs: DurableFs;
  readonly folderOf: (slug: HiveSlug) => string;
  /** The file that every change of a team or a token replaces. */
  readonly settingsVersion: string;
}

/**
 * Listeners hear of changes by this process at once. Changes by other processes (servers, workers, commands, git) are found
 * within about half a second by a few stats of each watched Hive. The one timer for this runs only while somebody watches.
 *
 * A call is a hint and says no more than "look again": a listener reads what it needs and compares. It is called at
 * least once after every change that happens after it was added, and sometimes without a change. It must not throw, and
 * should only wake up another function that does the work.
 */
export class HiveChanges {
  readonly #places: WatchedPlaces;
  readonly #hives = new Map<HiveSlug, WatchedHive>();
  readonly #settings = new Set<Listener>();
  readonly #version: WatchedFile;
  #lastVersion: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(places: WatchedPlaces) {
    this.#places = places;
    this.#version = new WatchedFile(places.fs.disk, places.settingsVersion);
  }

  /**
   * Watches the refs of a Hive: main, all other branches, and tags. A repository that is made or removed counts, too.
   * @returns a function that stops it.
   */
  watchRefs(slug: HiveSlug, listener: Listener): () => void {
    const { fs, folderOf } = this.#places;
    const watched = this.#hives.get(slug) ?? {
      refs: new RefWatch(fs, folderOf(slug)),
      listeners: new Set(),
    };
    this.#hives.set(slug, watched);
    watched.listeners.add(listener);
    this.#wakeIn(pollMs);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.#hives.get(slug) === watched) this.#hives.delete(slug);
    };
  }

  /**
   * Watches the settings of the storage: teams, which list their Hives, and tokens.
   * @returns a function that stops it.
   */
  watchSettings(listener: Listener): () => void {
    this.#settings.add(listener);
    this.#wakeIn(pollMs);
    return () => this.#settings.delete(listener);
  }

  watchedHives(): readonly HiveSlug[] {
    return [...this.#hives.keys()];
  }

  /** To be called when this process has moved a ref of a Hive. */
  refsMoved(slug: HiveSlug): void {
    for (const listener of this.#hives.get(slug)?.listeners ?? []) listener();
  }

  #wakeIn(ms: number): void {
    if (this.#timer !== undefined || this.#isChecking) return;
    // Waiting for changes does not keep a process alive.
    this.#timer = setTimeout(() => void this.#check(), ms).unref();
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    this.#timer = undefined;
    this.#isChecking = true;
    const start = performance.now();
    this.#checkSettings();
    let left = hivesPerSlice;
    for (const [slug, { refs }] of this.#hives) {
      // Listeners also hear of a Hive that cannot be read: their own read gets the error.
      if (await refs.hasChanged().catch(() => true)) this.refsMoved(slug);
      if (--left > 0) continue;
      left = hivesPerSlice;
      await setImmediate();
    }
    this.#isChecking = false;
    const next = Math.max(pollMs, (performance.now() - start) * maxShare);
    if (this.#hives.size > 0 || this.#settings.size > 0) this.#wakeIn(next);
  }

  #checkSettings(): void {
    if (this.#settings.size === 0) return;
    const version = this.#readVersion();
    if (version === this.#lastVersion) return;
    this.#lastVersion = version;
    for (const listener of this.#settings) listener();
  }

  #readVersion(): string | undefined {
    try {
      return this.#version.read();
    } catch {
      // The next read of the settings gets the error.
      return undefined;
    }
  }
}
