/**
 * Where the record is a database, and the storage's folder its copy: makes the copy fresh before a request is answered,
 * and before its caller is known. Without the database, some reads are answered from the copy for a while.
 */
import { LRUCache } from "lru-cache";
import type { NodeServerRequest } from "srvx";
import { isFailure, SkepError } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Storage } from "../../service/storage.ts";
import { describeError, type Log } from "../../log.ts";
import { beginTick } from "../../ticks.ts";
import { isReading } from "../requests/request-kinds.ts";
import { addressedHives, type Addressed, type Addressing } from "../requests/addressed-hives.ts";
import { isPublished } from "../responses/cors.ts";

/** How long the database may take to say anything: together these are less than 5 s. */
const answerMs = 3_000;
const probeMs = 1_500;
/** After this time, a read that may be answered from the copy is. */
const patienceMs = 1_000;
/** Who comes later than this after another request that asks whether the database is back asks, too. */
const togetherMs = 1_000;
/** For how long published files are answered without the database. */
const publishedMs = 3_600_000;
const maxKnown = 10_000;
const retryAfter = 5;

const passed = {};
/** Names that no Hive has. */
const [allHives, settings] = ["*", ""] as const;

/** Whether the copy was as new as the database for a request, old and good enough, or too old. */
export type FreshnessResult = "fresh" | "old" | "failed";

export interface FreshnessOptions {
  /** For the errors of the database, which callers do not see. */
  readonly log: Log;
  /** How old an answer of a read may be while the database does not answer, in milliseconds. */
  readonly staleness?: number;
  /** How long fetching a large Hive for the first time may take, in milliseconds. */
  readonly slowReadTimeout: number;
  /** Called for each request whose copy had to be fresh, with how long it took. */
  readonly passed?: (result: FreshnessResult, ms: number) => void;
  /** A clock in milliseconds that nobody can set. */
  readonly time?: () => number;
}

type Hives = readonly HiveSlug[] | "all";
type Publication = Exclude<Addressed, Hives>;

/** The parts of a storage that refreshing its copy needs. */
interface RefreshedStorage {
  readonly refresh: NonNullable<Storage["refresh"]>;
  /** See {@link StorageRecord.problem}. */
  readonly problem?: (() => string | undefined) | undefined;
  /** See {@link Repositories.markUnreadable}. */
  readonly markUnreadable?: (slug: HiveSlug) => void;
  readonly publications: { readonly by: (id: string) => Promise<{ readonly slug: HiveSlug } | undefined> };
}

export class RecordFreshness {
  readonly #storage: RefreshedStorage;
  readonly #options: FreshnessOptions;
  readonly #time: () => number;
  /** What became of the requests of sockets: nothing, or an error. */
  readonly #results = new WeakMap<NodeServerRequest, { readonly error?: unknown }>();
  /** When the copy was last known to be as new as the database: of each Hive, of all, and the settings. */
  readonly #confirmed = new LRUCache<HiveSlug | typeof allHives | typeof settings, number>({ max: maxKnown });
  /** What those who came before the same query wait for: by what the storage has them wait for. */
  readonly #refreshing = new WeakMap<Promise<void>, Promise<FreshnessResult>>();
  #isFailing = false;
  #probing: { readonly since: number; readonly result: Promise<unknown> } | undefined;

  constructor(storage: RefreshedStorage, options: FreshnessOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#time = options.time ?? (() => performance.now());
  }

  /**
   * Makes the copy fresh for a request of a socket.
   * @returns whether it passed; otherwise {@link requireFresh} throws what went wrong. Undefined for a request that need
   * not wait. Never rejects.
   */
  readonly admit = (request: NodeServerRequest): Promise<boolean> | undefined => {
    const { method = "", url = "/", headers } = request;
    return this.#pass(method, { url, headers })?.then(
      () => {
        this.#results.set(request, passed);
        return true;
      },
      (error: unknown) => {
        this.#results.set(request, { error });
        return false;
      },
    );
  };

  /**
   * Makes the copy fresh for a request that {@link admit} has not seen.
   * @param node the request of the socket, if it came through one.
   * @throws SkepError `record-unavailable` when the database does not answer, and the copy is too old.
   */
  requireFresh(
    { method, url, headers }: Request,
    node: NodeServerRequest | undefined,
  ): Promise<void> | undefined {
    const result = node && this.#results.get(node);
    if (result === undefined) {
      const authorization = headers.get("authorization") ?? undefined;
      const cookie = headers.get("cookie") ?? undefined;
      return this.#pass(method, { url: new URL(url).pathname, headers: { authorization, cookie } });
    }
    if ("error" in result) throw result.error;
    return undefined;
  }

  /** Notes that what a request needs of its Hives cannot be read: their copies are fetched anew before the next one. */
  async markUnreadable({ url }: Request): Promise<void> {
    const addressed = addressedHives({ url: new URL(url).pathname, headers: {} }) ?? [];
    const hives = isPublication(addressed) ? await this.#hivesOf(addressed) : addressed;
    for (const slug of hives === "all" ? [] : hives) this.#storage.markUnreadable?.(slug);
  }

  #pass(method: string, request: Addressing): Promise<void> | undefined {
    const addressed = method === "OPTIONS" ? undefined : addressedHives(request);
    return addressed && this.#measure(addressed, this.#allowedAge(method, request.url));
  }

  #allowedAge(method: string, url: string): number {
    if (!isReading(method, url)) return 0;
    const { staleness = 0 } = this.#options;
    return isPublished(url) ? Math.max(staleness, publishedMs) : staleness;
  }

  #measure(addressed: Addressed, allowedAge: number): Promise<void> {
    const { passed: measured } = this.#options;
    const start = performance.now();
    const confirming = isPublication(addressed)
      ? this.#confirmPublication(addressed, allowedAge)
      : this.#confirm(addressed, allowedAge);
    return confirming.then(
      (result) => measured?.(result, performance.now() - start),
      (error: unknown) => {
        measured?.("failed", performance.now() - start);
        throw error;
      },
    );
  }

  async #confirmPublication(addressed: Publication, allowedAge: number): Promise<FreshnessResult> {
    const before = await this.#hivesOf(addressed);
    // Caches would keep the answer that there is nothing.
    const result = await this.#confirm(before, before.length === 0 ? 0 : allowedAge);
    const after = before.length === 0 ? await this.#hivesOf(addressed) : [];
    return after.length > 0 ? this.#confirm(after, allowedAge) : result;
  }

  async #hivesOf({ publication }: Publication): Promise<readonly HiveSlug[]> {
    // An empty copy is not a storage yet.
    const known = await this.#storage.publications.by(publication).catch(() => undefined);
    return known === undefined ? [] : [known.slug];
  }

  #confirm(hives: Hives, allowedAge: number): Promise<FreshnessResult> {
    const isNewEnough = allowedAge > 0 && this.#time() - this.#confirmedAt(hives) < allowedAge;
    // While one request finds out whether the database is back, others do not wait for that.
    if (isNewEnough && this.#probing !== undefined) return Promise.resolve("old");
    const confirming = this.#isFailing
      ? this.#probe().then(() => this.#refresh(hives))
      : this.#refresh(hives);
    return isNewEnough ? orOld(confirming) : confirming;
  }

  #confirmedAt(hives: Hives): number {
    const at = (name: HiveSlug | typeof allHives | typeof settings): number =>
      this.#confirmed.get(name) ?? -Infinity;
    if (hives === "all") return at(allHives);
    return Math.min(at(settings), ...hives.map((slug) => Math.max(at(slug), at(allHives))));
  }

  /** Asks a database that did not answer; one request at a time does so. */
  #probe(): Promise<unknown> {
    const since = this.#time();
    if (this.#probing === undefined || since - this.#probing.since > togetherMs) {
      const probing = {
        since,
        result: this.#refresh([]).finally(() => {
          if (this.#probing === probing) this.#probing = undefined;
        }),
      };
      this.#probing = probing;
    }
    return this.#probing.result;
  }

  /** @throws SkepError `record-unavailable` within 5 s if the database does not answer. */
  #refresh(hives: Hives): Promise<FreshnessResult> {
    const refreshing = this.#storage.refresh(hives);
    let waiting = this.#refreshing.get(refreshing);
    if (waiting === undefined) {
      waiting = this.#wait(refreshing, hives);
      this.#refreshing.set(refreshing, waiting);
    }
    return waiting;
  }

  async #wait(refreshing: Promise<void>, hives: Hives): Promise<FreshnessResult> {
    const since = this.#time();
    try {
      await this.#inTime(refreshing);
    } catch (error) {
      const wasFailing = this.#isFailing;
      this.#isFailing = isFailure(error, "record-unavailable");
      if (this.#isFailing && !wasFailing) {
        this.#options.log.error({ error: describeError(error) }, "the database does not answer");
      }
      throw error;
    }
    this.#isFailing = false;
    this.#confirmed.set(settings, since);
    for (const name of hives === "all" ? [allHives] : hives) this.#confirmed.set(name, since);
    // What was looked up in this tick may be older than the refresh.
    beginTick();
    return "fresh";
  }

  async #inTime(refreshing: Promise<void>): Promise<void> {
    const { refresh } = this.#storage;
    const end = performance.now() + this.#options.slowReadTimeout;
    refreshing.catch(() => undefined);
    // A large Hive takes long to fetch, while the database answers.
    while (!(await settles(refreshing, answerMs))) {
      if (performance.now() < end && (await settles(refresh([]), probeMs))) continue;
      const problem = this.#storage.problem?.();
      const message = problem ?? "The database does not say anything.";
      throw new SkepError("record-unavailable", message, { retryAfter, problem });
    }
  }
}

function isPublication(addressed: Addressed): addressed is Publication {
  return typeof addressed === "object" && "publication" in addressed;
}

/** What became of a request that may be answered from an old copy. */
async function orOld(confirming: Promise<FreshnessResult>): Promise<FreshnessResult> {
  try {
    return (await settles(confirming, patienceMs)) ? "fresh" : "old";
  } catch (error) {
    if (isFailure(error, "record-unavailable")) return "old";
    throw error;
  } finally {
    confirming.catch(() => undefined);
  }
}

/** Whether a promise is fulfilled before the time is over. Rejects as the promise does before that. */
async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
