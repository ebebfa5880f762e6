/** Packs Hives with many loose objects while a server runs, one at a time, after commits of this process. */
import type { HiveSlug } from "../../domain/names.ts";
import type { Packing } from "../../git/packs/packer.ts";
import { endOf, HiveWorker, type HiveWork, type Wait, type WorkerOptions } from "./hive-worker.ts";

export type { Packing };

export interface PackWorkerOptions extends WorkerOptions {
  /** How many loose objects a Hive may have before it is packed; 0 turns packing off. */
  readonly packAfter: number;
  /** Called once where git is not installed. */
  readonly withoutGit: () => void;
  readonly packed?: (kind: Packing["kind"], ms: number) => void;
}

/** How long after a commit a Hive is checked; further commits until then are covered by the same check. */
const settleMs = 1_000;
/**
 * A Hive is not packed again for this many times the duration of its packing, so packing takes a fifth of a core at
 * most.
 */
const restFactor = 4;

/** Makes the worker that packs Hives. */
export function packWorker(options: PackWorkerOptions): HiveWorker {
  const { storage, packAfter, withoutGit, packed } = options;
  /** When Hives that have new commits are to be checked. */
  const dueHives = new Map<HiveSlug, Wait>();
  const resting = new Map<HiveSlug, Wait>();
  const work: HiveWork = {
    restMs: 0,
    troubleRestMs: 10 * 60_000,
    maxRuns: 1,
    problems: { list: "could not list the Hives to pack", run: "could not pack a Hive" },
    begin: (worker) => {
      if (packAfter === 0) return () => {};
      const unsubscribe = storage.onCommit((slug) => {
        if (!dueHives.has(slug)) dueHives.set(slug, waitOf(settleMs, storage.now()));
        worker.wakeIn(settleMs);
      });
      const requireGit = async (): Promise<void> => {
        if (await storage.packer.isPossible()) return;
        unsubscribe();
        withoutGit();
      };
      void requireGit();
      return unsubscribe;
    },
    hiveOf: (slug) => slug,
    units: async () => [...dueHives.keys()],
    dueAt: async (slug) => {
      const due = dueHives.get(slug);
      const now = storage.now();
      return due === undefined ? Infinity : Math.max(endOf(due, now), endOf(resting.get(slug), now));
    },
    run: async (slug, signal) => {
      // Commits from now on belong to a later check.
      dueHives.delete(slug);
      resting.delete(slug);
      const start = performance.now();
      if ((await storage.packer.estimateLoose(slug)) <= packAfter) return;
      const packing = await storage.packer.pack(slug, signal);
      const ms = performance.now() - start;
      packed?.(packing.kind, ms);
      resting.set(slug, waitOf(ms * restFactor, storage.now()));
      if (packing.kind === "failed") throw new Error(packing.reason);
    },
  };
  return new HiveWorker(work, options);
}

function waitOf(ms: number, now: number): Wait {
  return { since: now, until: now + ms };
}
