/**
 * Pushes Hives to their mirrors while a server runs: soon after a commit, whoever made it, and again later where that
 * failed. It remembers nothing that matters: what is to be done follows from the Hives and from what is stored.
 */
import { isFailure } from "../../domain/errors.ts";
import { dueAt, type MirrorState, type PushableRefs } from "../../domain/hives/mirror.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { describeError, type Log } from "../../log.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { mirroredHives, pushHive, type PushReport } from "../admin/mirrors.ts";
import type { Storage } from "../storage.ts";

/** Runs a function later; gives what prevents that. */
export type After = (ms: number, run: () => void) => () => void;

export interface MirrorWorkerOptions {
  readonly storage: Storage;
  readonly log: Log;
  readonly after?: After;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Hears of every push. */
  readonly pushed?: ((report: PushReport) => void) | undefined;
}

/** How often is looked for what other processes did. */
const lookMs = 2_000;
/** A Hive is pushed once it has not changed for this long, */
const quietMs = 1_000;
/** or has been changing for this long. */
const patienceMs = 10_000;
/** While another process pushes a Hive, */
const busyRestMs = 10_000;
/** and after an error of the storage itself, it is left alone. */
const troubleRestMs = 60_000;
/** Pushes to slow remotes must not keep those of all other Hives waiting, nor start by the hundred. */
const maxPushes = 8;

/** What is to be pushed of a Hive, and since when. */
interface Change {
  /** The digest of its refs; undefined after a commit that was not looked at yet. */
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
  /** Hives that are left alone, and until when. */
  readonly #resting = new Map<HiveSlug, number>();
  readonly #pushes = new Map<HiveSlug, Promise<void>>();
  #look: Promise<void> | undefined;
  #wake: { readonly at: number; readonly cancel: () => void } | undefined;
  #unsubscribe = (): void => {};
  #saidNoGit = false;

  constructor({ after = afterTimeout, random = Math.random, ...options }: MirrorWorkerOptions) {
    this.#options = { ...options, after, random };
  }

  /** Begins with what earlier processes did not come to. */
  start(): void {
    this.#unsubscribe = this.#options.storage.onCommit((slug) => this.#noteCommit(slug));
    this.#wakeIn(0);
  }

  /** Ends a push in flight and gives back its lock; the next start takes it up again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    this.#wake?.cancel();
    await this.settled();
  }

  /** Resolves when the looks and pushes that have begun are over. */
  async settled(): Promise<void> {
    while (this.#look !== undefined || this.#pushes.size > 0) {
      await Promise.all([this.#look, ...this.#pushes.values()]);
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

  /** Looks at all Hives by then at the latest. */
  #wakeIn(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const at = this.#now + ms;
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    this.#wake?.cancel();
    const run = (): void => {
      this.#wake = undefined;
      // What a look under way has passed already is seen by the next, which follows it.
      this.#look ??= this.#lookAtAll();
    };
    this.#wake = { at, cancel: this.#options.after(ms, run) };
  }

  /** Never rejects. */
  async #lookAtAll(): Promise<void> {
    let next = lookMs;
    try {
      const slugs = await mirroredHives(this.#options.storage);
      for (const known of [this.#changes, this.#resting]) {
        for (const slug of known.keys()) if (!slugs.includes(slug)) known.delete(slug);
      }
      for (const slug of slugs) next = Math.min(next, await this.#lookAt(slug));
    } catch (error) {
      next = troubleRestMs;
      this.#options.log.error({ error: describeError(error) }, "could not look for mirrors to push to");
    }
    this.#look = undefined;
    this.#wakeIn(next);
  }

  /** Pushes a Hive if that is due. @returns after how many milliseconds to look again. Never rejects. */
  async #lookAt(slug: HiveSlug): Promise<number> {
    if (this.#pushes.has(slug) || (this.#resting.get(slug) ?? 0) > this.#now) return lookMs;
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
    return lookMs;
  }

  #dueAt(state: MirrorState, refs: PushableRefs, quietAt: number): number {
    return dueAt(state, refs, { quietAt, now: this.#now }) ?? Infinity;
  }

  /** When the Hive has come to rest, as far as can be told now. */
  #quietAt(slug: HiveSlug, { digest }: PushableRefs): number {
    const noted = this.#changes.get(slug);
    // A clock that was set back must not put the end of the wait off.
    const known = noted !== undefined && noted.last <= this.#now ? noted : undefined;
    const isNew = known === undefined || (known.refs !== undefined && known.refs !== digest);
    const change = {
      refs: digest,
      first: known?.first ?? this.#now,
      last: isNew ? this.#now : known.last,
    };
    this.#changes.set(slug, change);
    return Math.min(change.last + quietMs, change.first + patienceMs);
  }

  #begin(slug: HiveSlug, quietAt: number): void {
    const { storage, random } = this.#options;
    // What changes from now on comes to rest later.
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
    // It has just been deleted.
    if (isFailure(error, "not-found")) return;
    const isBusy = isFailure(error, "busy");
    this.#resting.set(slug, this.#now + (isBusy ? busyRestMs : troubleRestMs));
    if (isBusy) return;
    this.#options.log.error({ hive: slug, error: describeError(error) }, "could not push a Hive");
  }
}
