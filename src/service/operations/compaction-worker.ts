/**
 * Compacts repositories in a database while a server runs, one at a time. It asks for the Hives that this server has
 * changed often, and every hour for all Hives, which of them have grown.
 */
import type { HiveSlug } from "../../domain/names.ts";
import type { Compaction } from "../../store/record/record.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";

export interface CompactionWorkerOptions extends WorkerOptions {
  readonly compaction: Compaction;
}

/** After so many commits of a Hive, this server asks whether it has grown. */
const commitsPerCheck = 64;
const allEveryMs = 3_600_000;

/** The name of the job of compacting a Hive's repository. */
export function compactionJob(slug: HiveSlug): string {
  return `compact-${slug}`;
}

/** Makes the worker that compacts repositories. */
export function compactionWorker(options: CompactionWorkerOptions): HiveWorker {
  return new HiveWorker(new CompactionWork(options), options);
}

class CompactionWork implements HiveWork {
  readonly restMs = 0;
  readonly troubleRestMs = 10 * 60_000;
  readonly maxRuns = 1;
  readonly problems = {
    list: "could not find the Hives to compact in the database",
    run: "could not compact a Hive in the database",
  };
  readonly #options: CompactionWorkerOptions;
  /** How many commits each Hive has got since this server has asked for it. */
  readonly #commits = new Map<HiveSlug, number>();
  readonly #grown = new Set<HiveSlug>();
  #askedForAll = -Infinity;

  constructor(options: CompactionWorkerOptions) {
    this.#options = options;
  }

  begin(): () => void {
    return this.#options.storage.onCommit((slug, by) => {
      if (by === "this") this.#commits.set(slug, (this.#commits.get(slug) ?? 0) + 1);
    });
  }

  async hives(): Promise<readonly HiveSlug[]> {
    const { storage, compaction } = this.#options;
    const now = storage.now();
    const isAll = Math.abs(now - this.#askedForAll) >= allEveryMs;
    const often = [...this.#commits].flatMap(([slug, commits]) => (commits >= commitsPerCheck ? [slug] : []));
    if (!isAll && often.length === 0) return [...this.#grown];
    for (const slug of await compaction.grown(isAll ? "all" : often)) this.#grown.add(slug);
    for (const slug of often) this.#commits.delete(slug);
    if (isAll) this.#askedForAll = now;
    return [...this.#grown];
  }

  dueAt(): Promise<number> {
    return Promise.resolve(0);
  }

  async run(slug: HiveSlug, signal: AbortSignal): Promise<void> {
    const { storage, compaction } = this.#options;
    await storage.record.jobs.hold(compactionJob(slug), async (lock) => {
      // Another server may have done it.
      if ((await compaction.grown([slug])).includes(slug)) await compaction.compact(slug, lock, signal);
    });
    this.#grown.delete(slug);
  }
}
