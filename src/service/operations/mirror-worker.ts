/**
 * Pushes Hives to their mirrors while a server runs: soon after a commit by any process, and again later when a push
 * failed. It has no state of its own that matters: what is due follows from the Hives and the stored states of mirrors.
 */
import { dueAt, type MirrorState, type PushableRefs } from "../../domain/hives/mirror.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { mirroredHives, pushHive, type MirrorReport } from "../admin/mirrors.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";
import { quietMs, QuietChanges } from "./quiet-changes.ts";

export interface MirrorWorkerOptions extends WorkerOptions {
  readonly pushed?: (report: MirrorReport) => void;
}

/** For how long a Hive is skipped when another process pushes it. */
const busyRestMs = 10_000;
/** Bounds the pushes at once: enough that slow remotes do not delay all other Hives. */
const maxPushes = 8;

/** Makes the worker that pushes Hives to their mirrors. */
export function mirrorWorker(options: MirrorWorkerOptions): HiveWorker {
  const { storage, log, pushed, random = Math.random } = options;
  const { now } = storage;
  const changes = new QuietChanges<HiveSlug>(now);
  /** When each Hive that is due was quiet enough. */
  const quiet = new Map<HiveSlug, number>();
  let hasReportedNoGit = false;

  function report({ slug, url, state: { failure } }: MirrorReport): void {
    const isRepeated = failure?.kind === "no-git" && hasReportedNoGit;
    hasReportedNoGit = failure?.kind === "no-git";
    if (failure === undefined || isRepeated) return;
    const { kind, error, attempts, retryAt } = failure;
    const retry_at = kind === "rejected" ? undefined : retryAt;
    log.error({ hive: slug, mirror: url, kind, error, attempts, retry_at }, "could not push to a mirror");
  }

  const dueTimeOf = (state: MirrorState, refs: PushableRefs, quietAt: number): number =>
    dueAt(state, refs, { quietAt, now: now() }) ?? Infinity;
  const work: HiveWork = {
    restMs: quietMs,
    busyRestMs,
    maxRuns: maxPushes,
    problems: { list: "could not list the mirrors to push to", run: "could not push a Hive" },
    begin: (worker) =>
      storage.onCommit((slug) => {
        changes.committed(slug);
        worker.wakeIn(quietMs);
      }),
    hiveOf: (slug) => slug,
    units: async () => {
      // When another server took over, it pushes.
      const slugs = await mirroredHives(storage);
      for (const slug of changes.keys()) if (!slugs.includes(slug)) changes.delete(slug);
      return slugs;
    },
    dueAt: async (slug) => {
      const refs = await storage.hives.pushableRefs(slug);
      const quietAt = changes.quietAt(slug, refs.digestWithBranches);
      const first = Math.min(...storage.mirrors.states(slug).map((state) => dueTimeOf(state, refs, quietAt)));
      if (first === Infinity) changes.delete(slug);
      quiet.set(slug, quietAt);
      return first;
    },
    run: async (slug, signal) => {
      const quietAt = quiet.get(slug) ?? now();
      // Changes from now on belong to a later push.
      changes.delete(slug);
      quiet.delete(slug);
      const isDue = (state: MirrorState, refs: PushableRefs): boolean =>
        dueTimeOf(state, refs, quietAt) <= now();
      for (const one of await pushHive(storage, slug, { isDue, signal, random })) {
        pushed?.(one);
        report(one);
      }
    },
  };
  return new HiveWorker(work, options);
}
