/** A server that copies another one: asks it for news without end, and says how old the copy is. */
import { failure, isFailure, SkepError } from "../../domain/errors.ts";
import type { Team } from "../../domain/access/team.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { ReplicationNews } from "../../domain/replication/news.ts";
import { describeError, type InfoLog } from "../../log.ts";
import { replicatedRefs } from "../../store/replication/replicated.ts";
import type { Storage } from "../storage.ts";
import { CopiedHives } from "./copied-hives.ts";
import { CopiedSettings } from "./copied-settings.ts";
import { askForNews, Refusal, type PrimaryAddress } from "./primary-client.ts";
import type { PrimaryClock } from "./primary-clock.ts";

/** How long the primary waits for a change, in seconds: the lag of an idle follower is counted up to this. */
const waitSeconds = 1;
const firstRestMs = 200;
/** With what the primary then needs to answer, a revoked token must be refused within 2 s. */
const maxRestMs = 1_000;
/** How long one fetch may take. */
const fetchTimeoutMs = 30 * 60_000;

export interface FollowerOptions {
  readonly storage: Storage;
  readonly primary: PrimaryAddress;
  readonly clock: PrimaryClock;
  /** The oldest that an answer may be, in milliseconds; undefined for any age. */
  readonly maxLag: number | undefined;
  readonly log: InfoLog;
  /** A clock in milliseconds that nobody can set. */
  readonly time?: () => number;
}

/** What the application asks about the copy that it serves. */
export interface Following {
  /** How old the copy may be at most, in seconds, without the Hives that are being fetched. */
  readonly lagSeconds: number;
  /** How many Hives are not yet as the primary has them. */
  readonly pending: number;
  /** How many of them stay so until somebody accepts that commits are lost. */
  readonly refused: number;
  /** Whether a Hive, or what is in no Hive, may be read. */
  readonly isFresh: (slug?: HiveSlug) => boolean;
  /** @throws SkepError `busy` (`lagging`) when something is older than it may be. */
  readonly requireFresh: (...slugs: readonly HiveSlug[]) => void;
  /**
   * @param team as the request read it, so that a list that is written meanwhile makes no difference.
   * @throws SkepError `busy` (`lagging`) when it lacks a Hive, or that Hive, which the primary has for the team.
   */
  readonly requireCopied: (team: Team, slug?: string) => void;
  /** @throws SkepError `busy` (`lagging`) when a Hive is not as the primary has it: what it lacks may be coming. */
  readonly requireComplete: (slug: HiveSlug) => void;
  /**
   * Asks the primary at once.
   * @returns whether all that the primary had when this was called is here, of one Hive or all, before the signal fired.
   */
  readonly catchUp: (slug: HiveSlug | undefined, signal: AbortSignal) => Promise<boolean>;
}

export class Follower implements Following {
  readonly #options: FollowerOptions;
  readonly #time: () => number;
  readonly #stopping = new AbortController();
  readonly #hives: CopiedHives;
  readonly #settings: CopiedSettings;
  #assertHeld: () => Promise<void> = () => Promise.resolve();
  #version: string | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Ends the request that waits for a change. */
  #hurry = new AbortController();
  #isHurried = false;
  #isWaiting = false;
  #problem: string | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    const { storage, log, time = () => performance.now() } = options;
    this.#time = time;
    this.#settings = new CopiedSettings(
      storage,
      (slug, team) => this.#hives.isShown(slug, team),
      () => this.#assertHeld(),
    );
    this.#hives = new CopiedHives({
      storage,
      fetch: (kind, name, gitdir, losing) => this.#fetch(kind, name, gitdir, losing),
      shown: async (team) => {
        if (team !== undefined) this.#settings.touch(team);
        await this.#settings.write();
      },
      failed: (name, error) =>
        log.error({ name, error: describeError(error) }, "could not copy from the primary"),
      signal: this.#stopping.signal,
    });
  }

  /**
   * Begins to follow.
   * @throws SkepError `conflict` when the storage is no copy and not empty, or is empty and the server there refuses to be
   * followed; `busy` when another process follows with it.
   */
  async start(): Promise<void> {
    const { replication, registry } = this.#options.storage;
    await new Promise<void>((resolve, reject) => {
      const run = async (assertHeld: () => Promise<void>): Promise<void> => {
        const state = replication.read();
        if (state?.follows === undefined && (state !== undefined || (await registry.hasTeams()))) {
          const advice = "a server can follow with an empty storage or its own copy only";
          throw failure("conflict", `This storage is not a copy of another one; ${advice}.`);
        }
        this.#assertHeld = assertHeld;
        if (state === undefined) await this.#askFirst();
        resolve();
        await this.#follow();
      };
      this.#running = replication.hold(run).catch(reject);
    });
  }

  /** Stops following; what was fetched so far is kept. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#hives.settled();
  }

  get lagSeconds(): number {
    return (this.#time() - this.#hives.confirmedAt) / 1_000;
  }

  get pending(): number {
    return this.#hives.pending;
  }

  get refused(): number {
    return this.#hives.refused;
  }

  isFresh = (slug?: HiveSlug): boolean => {
    const { maxLag } = this.#options;
    if (maxLag === undefined) return true;
    const at = slug === undefined ? this.#hives.confirmedAt : this.#hives.freshAt(slug);
    return this.#time() - at <= maxLag;
  };

  requireFresh = (...slugs: readonly HiveSlug[]): void => {
    if (this.isFresh() && slugs.every((slug) => this.isFresh(slug))) return;
    throw lagging(`This copy is older than ${(this.#options.maxLag ?? 0) / 1_000} s, or not complete yet`);
  };

  requireCopied = (team: Team, slug?: string): void => {
    if (this.#hives.isMissing(team, slug)) throw lagging("This copy is not complete yet");
  };

  requireComplete = (slug: HiveSlug): void => {
    if (this.#hives.isBehind(slug)) throw lagging("This copy is not complete yet");
  };

  catchUp = async (slug: HiveSlug | undefined, signal: AbortSignal): Promise<boolean> => {
    const at = this.#time();
    this.#isHurried = true;
    // One that does not wait ends soon, and must not be ended again and again.
    if (this.#isWaiting) this.#hurry.abort();
    return this.#hives.reached(at, slug, signal);
  };

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (let restMs = firstRestMs; !signal.aborted;) {
      try {
        await this.#ask();
        restMs = firstRestMs;
        this.#report(undefined);
      } catch (error) {
        if (isFailure(error, "lock-lost")) throw error;
        if (signal.aborted) return;
        this.#report(error);
        await new Promise((resolve) => setTimeout(resolve, restMs));
        restMs = Math.min(2 * restMs, maxRestMs);
      }
    }
  }

  /** Whoever begins is told what they did wrong. A copy that there is already goes on, and tries it again. */
  async #askFirst(): Promise<void> {
    try {
      await this.#ask();
    } catch (error) {
      if (error instanceof Refusal)
        throw failure("conflict", error.message.replace(/\.?$/, "."), { cause: error });
    }
  }

  /** Asks once, and takes over what the primary says. */
  async #ask(): Promise<void> {
    const { storage, primary, clock } = this.#options;
    const state = storage.replication.read();
    const sentAt = this.#time();
    const hurry = (this.#hurry = new AbortController());
    const wait = this.#isHurried ? 0 : waitSeconds;
    this.#isHurried = false;
    this.#isWaiting = wait > 0;
    const request = { after: this.#version, wait, storage: state?.id, generation: state?.generation };
    let news: ReplicationNews;
    try {
      news = await askForNews(primary, request, AbortSignal.any([this.#stopping.signal, hurry.signal]));
    } catch (error) {
      if (hurry.signal.aborted) return;
      throw error;
    }
    await this.#assertHeld();
    await this.#accept(news);
    clock.set(news.now);
    const { settings, hives, trash, isComplete, isSettingsOnly, version } = news;
    this.#hives.takeTrash(trash, isComplete);
    for (const team of await this.#hives.takeHives(hives, isComplete, sentAt)) this.#settings.touch(team);
    await this.#settings.take(settings, isComplete);
    await this.#settings.write();
    this.#version = version;
    if (!isSettingsOnly) this.#hives.confirm(sentAt);
  }

  /** Makes sure that this is the primary to follow, and notes its generation. @throws Refusal when it is not. */
  async #accept({ storage: id, generation, supersededBy }: ReplicationNews): Promise<void> {
    const { storage, primary } = this.#options;
    const follows = primary.url;
    if (supersededBy !== null) {
      throw new Refusal(
        `${follows} was superseded by a server of generation ${supersededBy}: follow that one`,
      );
    }
    await storage.replication.change((before) => {
      if (before !== undefined && before.id !== id) {
        throw new Refusal(`${follows} has a different storage from the one that this is a copy of`);
      }
      if (before !== undefined && before.generation > generation) {
        throw new Refusal(
          `${follows} is of generation ${generation}, and there is one of generation ${before.generation}: follow that one`,
        );
      }
      const isSame = before?.generation === generation && before.follows === follows;
      return before !== undefined && isSame ? before : { id, generation, follows };
    });
  }

  #fetch(
    kind: "hives" | "trash",
    name: string,
    gitdir: string,
    losing: (branches: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const { storage, primary } = this.#options;
    return storage.git.fetch({
      gitdir,
      url: `${primary.url}/api/replication/${kind}/${name}.git`,
      bearer: primary.secret,
      folders: replicatedRefs,
      refs: () => storage.replicated.refs(gitdir),
      losing,
      timeoutMs: fetchTimeoutMs,
      signal: this.#stopping.signal,
    });
  }

  /** Logs when it begins that the primary cannot be followed, and when it ends. */
  #report(error: unknown): void {
    const problem = error === undefined ? undefined : messageOf(error);
    if (problem === this.#problem) return;
    this.#problem = problem;
    const { log, primary } = this.#options;
    if (problem === undefined) log.info({ primary: primary.url }, "follows the primary again");
    else log.error({ primary: primary.url, error: problem }, "cannot follow the primary; it is tried again");
  }
}

function lagging(why: string): SkepError {
  const message = `${why}; ask again later, or ask the primary.`;
  return new SkepError("busy", message, { retryAfter: 1 }, { publicCode: "lagging" });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
