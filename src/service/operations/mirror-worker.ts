/**
 * Pushes Hives to their mirrors while a server runs: soon after a commit by any process, and again later when a push
 * failed. It has no state of its own that matters: what is due follows from the Hives and the stored states of mirrors.
 */
import { isFailure } from "../../domain/errors.ts";
import { dueAt, type MirrorState, type PushableRefs } from "../../domain/hives/mirror.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { describeError, type Log } from "../../log.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { mirroredHives, pushHive, type PushReport } from "../admin/mirrors.ts";
import type { Storage } from "../storage.ts";

/** Runs a function later. @returns a function that cancels it. */
export type After = (ms: number, run: () => void) => () => void;

export interface MirrorWorkerOptions {
  readonly storage: Storage;
  readonly log: Log;
  readonly after?: After;
  /** Gives a random number from 0 to 1. */
  readonly random?: () => number;
  /** Called after every push. */
  readonly pushed?: ((report: PushReport) => void) | undefined;
}

/** How often changes by other processes are checked for. */
const pollMs = 2_000;
/** A Hive is pushed once it has not changed for this long. */
const quietMs = 1_000;
/** A Hive that changes all the time is pushed after this long. */
const maxDelayMs = 10_000;
/** For how long a Hive is skipped when another process pushes it. */
const busyRestMs = 10_000;
/** For how long a Hive is skipped after an error of the storage itself. */
const troubleRestMs = 60_000;
/** Bounds the pushes at once: enough that slow remotes do not delay all other Hives. */
const maxPushes = 8;

/** A change of a Hive that is not pushed yet. */
interface Change {
  /** The digest of its refs, all branches among them; undefined after a commit, until the Hive is checked. */
  readonly refs: string | undefined;
  readonly first: number;
  readonly last: number;
}

const afterTimeout: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export class MirrorWorker {
  readonly #options: MirrorWorkerOptions & Required<Pick<MirrorWorkerOptions, "after" | "random">>;
  readonly #semaphore = new Semaphore(maxPushes);
  readonly #stopping = new AbortController();
  readonly #changes = new Map<HiveSlug, Change>();
  /** Hives that are skipped, and until when. */
  readonly #resting = new Map<HiveSlug, number>();
  readonly #pushes = new Map<HiveSlug, Promise<void>>();
  #check: Promise<void> | undefined;
  #wake: { readonly at: number; readonly cancel: () => void } | undefined;
  #unsubscribe = (): void => {};
  #saidNoGit = false;

  constructor({ after = afterTimeout, random = Math.random, ...options }: MirrorWorkerOptions) {
    this.#options = { ...options, after, random };
  }

  /** Starts, with the pushes that earlier processes left. */
  start(): void {
    this.#unsubscribe = this.#options.storage.onCommit((slug) => this.#noteCommit(slug));
    this.#wakeIn(0);
  }

  /** Stops running pushes and releases their locks; the next start resumes them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    this.#wake?.cancel();
    await this.settled();
  }

  /** Resolves when all checks and pushes that have begun are over. */
  async settled(): Promise<void> {
    while (this.#check !== undefined || this.#pushes.size > 0) {
      await Promise.all([this.#check, ...this.#pushes.values()]);
    }
  }

  get #now(): number {
    return this.#options.storage.now();
  }

  #noteCommit(slug: HiveSlug): void {
    const first = this.#changes.get(slug)?.first ?? this.#now;
    this.#changes.set(slug, { refs: undefined, first, last: this.#now });
    this.#wakeIn(quietMs);
  }

  /** Schedules a check of all Hives for then, unless one is scheduled earlier. */
  #wakeIn(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const at = this.#now + ms;
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    this.#wake?.cancel();
    const run = (): void => {
      this.#wake = undefined;
      // A running check may have passed a Hive already; it schedules the next check.
      this.#check ??= this.#checkAll();
    };
    this.#wake = { at, cancel: this.#options.after(ms, run) };
  }

  /** Never rejects. */
  async #checkAll(): Promise<void> {
    let next = pollMs;
    try {
      const slugs = await mirroredHives(this.#options.storage);
      for (const known of [this.#changes, this.#resting]) {
        for (const slug of known.keys()) if (!slugs.includes(slug)) known.delete(slug);
      }
      for (const slug of slugs) next = Math.min(next, await this.#checkHive(slug));
    } catch (error) {
      next = troubleRestMs;
      this.#options.log.error({ error: describeError(error) }, "could not look for mirrors to push to");
    }
    this.#check = undefined;
    this.#wakeIn(next);
  }

  /** Pushes a Hive if that is due. @returns after how many milliseconds to check again. Never rejects. */
  async #checkHive(slug: HiveSlug): Promise<number> {
    if (this.#pushes.has(slug) || (this.#resting.get(slug) ?? 0) > this.#now) return pollMs;
    try {
      const { hives, mirrors } = this.#options.storage;
      const refs = await hives.pushableRefs(slug);
      const quietAt = this.#quietAt(slug, refs);
      const due = (await mirrors.states(slug)).map((state) => this.#dueAt(state, refs, quietAt));
      const first = Math.min(...due);
      if (first === Infinity) this.#changes.delete(slug);
      if (first > this.#now) return first - this.#now;
      this.#begin(slug, quietAt);
    } catch (error) {
      this.#report(slug, error);
    }
    return pollMs;
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

  #begin(slug: HiveSlug, quietAt: number): void {
    const { storage, random } = this.#options;
    // Changes from now on belong to a later push.
    this.#changes.delete(slug);
    const isDue = (state: MirrorState, refs: PushableRefs): boolean =>
      this.#dueAt(state, refs, quietAt) <= this.#now;
    const { signal } = this.#stopping;
    const pushing = this.#semaphore.run(async () => {
      try {
        for (const report of await pushHive(storage, slug, { isDue, signal, random })) this.#tell(report);
      } catch (error) {
        this.#report(slug, error);
      }
      this.#pushes.delete(slug);
      this.#wakeIn(quietMs);
    });
    this.#pushes.set(slug, pushing);
  }

  #tell(report: PushReport): void {
    this.#options.pushed?.(report);
    const {
      slug,
      url,
      state: { failure },
    } = report;
    if (failure?.kind !== "no-git") this.#saidNoGit = false;
    else if (this.#saidNoGit) return;
    else this.#saidNoGit = true;
    if (failure === undefined) return;
    const { kind, error, attempts } = failure;
    const again = kind === "rejected" ? {} : { retry_at: failure.retryAt };
    this.#options.log.error(
      { hive: slug, mirror: url, kind, error, attempts, ...again },
      "could not push to a mirror",
    );
  }

  #report(slug: HiveSlug, error: unknown): void {
    // The Hive has just been deleted.
    if (isFailure(error, "not-found")) return;
    const isBusy = isFailure(error, "busy");
    this.#resting.set(slug, this.#now + (isBusy ? busyRestMs : troubleRestMs));
    if (isBusy) return;
    this.#options.log.error({ hive: slug, error: describeError(error) }, "could not push a Hive");
  }
}
