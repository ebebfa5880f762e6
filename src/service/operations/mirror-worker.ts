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
  return new HiveWorker(new MirrorWork(options), options);
}

class MirrorWork implements HiveWork {
  readonly restMs = quietMs;
  readonly busyRestMs = busyRestMs;
  readonly maxRuns = maxPushes;
  readonly problems = { list: "could not list the mirrors to push to", run: "could not push a Hive" };
  readonly #options: MirrorWorkerOptions;
  readonly #changes = new Map<HiveSlug, Change>();
  /** When each Hive that is due was quiet enough. */
  readonly #quiet = new Map<HiveSlug, number>();
  #hasReportedNoGit = false;

  constructor(options: MirrorWorkerOptions) {
    this.#options = options;
  }

  begin(worker: HiveWorker): () => void {
    return this.#options.storage.onCommit((slug) => {
      const first = this.#changes.get(slug)?.first ?? this.#now;
      this.#changes.set(slug, { refs: undefined, first, last: this.#now });
      worker.wakeIn(quietMs);
    });
  }

  get #now(): number {
    return this.#options.storage.now();
  }

  async hives(): Promise<readonly HiveSlug[]> {
    const { storage } = this.#options;
    // When another server took over, it pushes.
    const slugs = await mirroredHives(storage);
    for (const slug of this.#changes.keys()) if (!slugs.includes(slug)) this.#changes.delete(slug);
    return slugs;
  }

  async dueAt(slug: HiveSlug): Promise<number> {
    const { hives, mirrors } = this.#options.storage;
    const refs = await hives.pushableRefs(slug);
    const quietAt = this.#quietAt(slug, refs);
    const due = mirrors.states(slug).map((state) => this.#dueAt(state, refs, quietAt));
    const first = Math.min(...due);
    if (first === Infinity) this.#changes.delete(slug);
    this.#quiet.set(slug, quietAt);
    return first;
  }

  #dueAt(state: MirrorState, refs: PushableRefs, quietAt: number): number {
    return dueAt(state, refs, { quietAt, now: this.#now }) ?? Infinity;
  }

  /** When the Hive may be pushed, if it does not change any more. */
  #quietAt(slug: HiveSlug, { digestWithBranches: digest }: PushableRefs): number {
    const noted = this.#changes.get(slug);
    // A clock that was set back must not extend the wait.
    const known = noted !== undefined && noted.last <= this.#now ? noted : undefined;
    const isNew = known === undefined || (known.refs !== undefined && known.refs !== digest);
    const change = {
      refs: digest,
      first: known?.first ?? this.#now,
      last: isNew ? this.#now : known.last,
    };
    this.#changes.set(slug, change);
    return Math.min(change.last + quietMs, change.first + maxDelayMs);
  }

  async run(slug: HiveSlug, signal: AbortSignal): Promise<void> {
    const { storage, random = Math.random } = this.#options;
    const quietAt = this.#quiet.get(slug) ?? this.#now;
    // Changes from now on belong to a later push.
    this.#changes.delete(slug);
    this.#quiet.delete(slug);
    const isDue = (state: MirrorState, refs: PushableRefs): boolean =>
      this.#dueAt(state, refs, quietAt) <= this.#now;
    for (const report of await pushHive(storage, slug, { isDue, signal, random })) this.#report(report);
  }

  #report(report: MirrorReport): void {
    this.#options.pushed?.(report);
    const { slug, url, state } = report;
    const { failure } = state;
    if (failure?.kind !== "no-git") this.#hasReportedNoGit = false;
    else if (this.#hasReportedNoGit) return;
    else this.#hasReportedNoGit = true;
    if (failure === undefined) return;
    const { kind, error, attempts, retryAt } = failure;
    const fields = { hive: slug, mirror: url, kind, error, attempts };
    const retry = kind === "rejected" ? undefined : retryAt;
    this.#options.log.error({ ...fields, retry_at: retry }, "could not push to a mirror");
  }
}
