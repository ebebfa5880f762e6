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
  const { storage, compaction } = options;
  /** How many commits each Hive has got since this server has asked for it. */
  const commits = new Map<HiveSlug, number>();
  const grown = new Set<HiveSlug>();
  let askedForAll = -Infinity;
  const work: HiveWork = {
    restMs: 0,
    troubleRestMs: 10 * 60_000,
    maxRuns: 1,
    problems: {
      list: "could not find the Hives to compact in the database",
      run: "could not compact a Hive in the database",
    },
    begin: () =>
      storage.onCommit((slug, by) => {
        if (by === "this") commits.set(slug, (commits.get(slug) ?? 0) + 1);
      }),
    hiveOf: (slug) => slug,
    units: async () => {
      const now = storage.now();
      const isAll = Math.abs(now - askedForAll) >= allEveryMs;
      const often = [...commits].flatMap(([slug, count]) => (count >= commitsPerCheck ? [slug] : []));
      if (!isAll && often.length === 0) return [...grown];
      for (const slug of await compaction.grown(isAll ? "all" : often)) grown.add(slug);
      for (const slug of often) commits.delete(slug);
      if (isAll) askedForAll = now;
      return [...grown];
    },
    dueAt: async () => 0,
    run: async (slug, signal) => {
      await storage.record.jobs.hold(compactionJob(slug), async (lock) => {
        // Another server may have done it.
        if ((await compaction.grown([slug])).includes(slug)) await compaction.compact(slug, lock, signal);
      });
      grown.delete(slug);
    },
  };
  return new HiveWorker(work, options);
}
