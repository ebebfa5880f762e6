/**
 * Pushes Hives to their mirrors while a server runs: soon after a commit by any process, and again later when a push
 * failed. It has no state of its own that matters: what is due follows from the Hives and the stored states of mirrors.
 */
import { dueAt, type MirrorState, type PushableRefs } from "../../domain/hives/mirror.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { mirroredHives, pushHive, type MirrorReport } from "../admin/mirrors.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";

export interface MirrorWorkerOptions extends WorkerOptions {
  readonly pushed?: (report: MirrorReport) => void;
}

/** A Hive is pushed once it has not changed for this long. */
const quietMs = 1_000;
/** A Hive that changes all the time is pushed after this long. */
const maxDelayMs = 10_000;
/** For how long a Hive is skipped when another process pushes it. */
const busyRestMs = 10_000;
/** Bounds the pushes at once: enough that slow remotes do not delay all other Hives. */
const maxPushes = 8;

/** A change of a Hive that is not pushed yet. */
interface Change {
  /** The digest of its refs, all branches among them; undefined after a commit, until the Hive is checked. */
  readonly refs: string | undefined;
  readonly first: number;
  readonly last: number;
}

/** Makes the worker that pushes Hives to their mirrors. */
export function mirrorWorker(options: MirrorWorkerOptions): HiveWorker {
  const { storage, log, pushed, random = Math.random } = options;
  const { now } = storage;
  const changes = new Map<HiveSlug, Change>();
  /** When each Hive that is due was quiet enough. */
  const quiet = new Map<HiveSlug, number>();
  let hasReportedNoGit = false;

  /** When the Hive may be pushed, if it does not change any more. */
  function quietTimeOf(slug: HiveSlug, { digestWithBranches: refs }: PushableRefs): number {
    const noted = changes.get(slug);
    // A clock that was set back must not extend the wait.
    const known = noted !== undefined && noted.last <= now() ? noted : undefined;
    const isNew = known === undefined || (known.refs !== undefined && known.refs !== refs);
    const change = { refs, first: known?.first ?? now(), last: isNew ? now() : known.last };
    changes.set(slug, change);
    return Math.min(change.last + quietMs, change.first + maxDelayMs);
  }

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
        changes.set(slug, { refs: undefined, first: changes.get(slug)?.first ?? now(), last: now() });
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
      const quietAt = quietTimeOf(slug, refs);
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
