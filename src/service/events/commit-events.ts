/** Events, each about one commit on the line of a branch. They are made from the history, and no other record is kept. */
import { boundedCache, cachedPromise } from "../../bounded-cache.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { isFailure, unlessInvalid } from "../../domain/errors.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import type { LocaleStats } from "../../domain/queries/locale-stats.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { changedKeys } from "../content/branches.ts";
import { entryAt, type HistoryEntry } from "../content/history.ts";
import { hiveStats } from "../content/overviews.ts";
import type { Storage } from "../storage.ts";

export interface CommitEvent {
  readonly hive: HiveSlug;
  readonly branch: string;
  readonly entry: HistoryEntry;
  /** The commit at which the branch was before; undefined for the first one. */
  readonly previous: Oid | undefined;
  /** How many texts it changed, by the locale's code; locales without any are left out. */
  readonly changedKeys: ReadonlyMap<string, number>;
  /**
   * How far each target locale is translated, by its code; undefined where a later commit has come already, or the
   * content cannot be read.
   */
  readonly locales: ReadonlyMap<string, LocaleStats> | undefined;
}

/** How many events are kept for those who ask later: each stream of a Hive asks for the same ones. */
const maxEvents = 256;
/** Of how many versions of locales the statistics are kept: a commit changes few locales. */
const maxStats = 4_096;
/** How many lines are kept, and of how many commits one may be. */
const maxLines = 256;
const maxKeptLine = 64;
/** Bounds the work at once, however many wait for it. */
const maxMaking = 2;

export class CommitEvents {
  readonly #storage: Storage;
  readonly #events = boundedCache<string, Promise<CommitEvent>>(maxEvents);
  readonly #stats = boundedCache<string, LocaleStats>(maxStats);
  readonly #lines = boundedCache<string, Promise<readonly Oid[] | undefined>>(maxLines);
  readonly #semaphore = new Semaphore(maxMaking);

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * The event of a commit on the line of a branch.
   * @throws SkepError `content-invalid` or `not-found` when the commit or the Hive cannot be read.
   */
  event(branch: HiveBranch, commit: Oid): Promise<CommitEvent> {
    const name = `${slugOf(branch)} ${branchNameOf(branch)} ${commit}`;
    return cachedPromise(this.#events, name, () => this.#semaphore.run(() => this.#make(branch, commit)));
  }

  /** The commits behind a position, once for all who are at the same one; see {@link RevisionStore.firstParentsSince}. */
  since(branch: HiveBranch, position: string, tip: Oid): Promise<readonly Oid[] | undefined> {
    const name = `${slugOf(branch)} ${position} ${tip}`;
    return cachedPromise(this.#lines, name, async () => {
      const firstParents = await this.#storage.hives
        .at(branch)
        .revisions.firstParentsSince(position, { tip });
      // A long list is not kept.
      if (firstParents !== undefined && firstParents.length > maxKeptLine) this.#lines.delete(name);
      return firstParents;
    });
  }

  /**
   * The events behind a position, in order. Undefined stands for all that are left when the position is not in the history
   * any more, or a commit cannot be read: the listener then goes on from the tip.
   */
  async *after(branch: HiveBranch, position: string, tip: Oid): AsyncGenerator<CommitEvent | undefined> {
    const commits = await unlessInvalid(this.since(branch, position, tip));
    for (const commit of commits ?? [tip]) {
      const event = commits && (await unlessInvalid(this.event(branch, commit)));
      yield event;
      if (event === undefined) return;
    }
  }

  async #make(branch: HiveBranch, commit: Oid): Promise<CommitEvent> {
    const hive = slugOf(branch);
    const { previous, ...entry } = await entryAt(this.#storage, branch, commit);
    return {
      hive,
      branch: branchNameOf(branch),
      entry,
      previous,
      changedKeys: await changedKeys(this.#storage, hive, { from: previous, to: commit }),
      locales: await this.#progressAt(branch, commit),
    };
  }

  async #progressAt(branch: HiveBranch, commit: Oid): Promise<CommitEvent["locales"]> {
    const { hives } = this.#storage;
    try {
      if (hives.at(branch).head() !== commit) return undefined;
      const stats = await hiveStats(this.#storage, branch);
      if (stats.commit !== commit) return undefined;
      const progress = new Map<string, LocaleStats>();
      for (const { locale, version, read } of (await stats.read()).locales) {
        const name = `${slugOf(branch)} ${version}`;
        const known = this.#stats.get(name) ?? (await read());
        this.#stats.set(name, known);
        progress.set(codeOf(locale), known);
      }
      return progress;
    } catch (error) {
      if (isFailure(error, "content-invalid") || isFailure(error, "not-found")) return undefined;
      throw error;
    }
  }
}
