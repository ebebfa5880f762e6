/** The open streams of events: a bounded number, shared fairly between teams, that end when the server does. */
import { randomInt } from "node:crypto";
import { isSkepError } from "../../domain/errors.ts";
import type { TeamName } from "../../domain/names.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { describeError, type Log } from "../../log.ts";
import type { Storage } from "../storage.ts";
import { CommitEvents } from "./commit-events.ts";
import type { Listener, StreamItem } from "./event-stream.ts";
import { Waker } from "./waker.ts";

export interface StreamLimits {
  readonly maxStreams: number;
  /** After how many milliseconds without an event a keep-alive comment is sent. */
  readonly quietMs: number;
  /** After how many milliseconds a client is given up that takes nothing of what is there for it. */
  readonly stallMs: number;
}

const usualLimits: StreamLimits = { maxStreams: 1_024, quietMs: 15_000, stallMs: 60_000 };
/** After how many seconds a refused client may try again. */
const retryAfter = 30;
/** How long clients wait before they reconnect, in milliseconds; after the end of a server not all at once. */
const retryMs = { usual: 2_000, least: 1_000, most: 5_000 };

/** One thing that is sent. `end` is the last, sent when the server ends. */
export type Sent =
  | Exclude<StreamItem, { readonly kind: "begin" }>
  | (Extract<StreamItem, { readonly kind: "begin" }> & { readonly retryMs: number })
  | { readonly kind: "end"; readonly retryMs: number };

export interface OpenStream {
  readonly items: AsyncIterable<Sent>;
  /** Fires when the client has taken nothing for too long: whoever sends the items then ends the connection. */
  readonly stalled: AbortSignal;
}

export class Streams {
  readonly #limits: StreamLimits;
  readonly #storage: Storage;
  readonly #log: Log;
  readonly #places: FairSemaphore;
  readonly #open = new Set<Waker>();
  readonly events: CommitEvents;
  #isEnding = false;

  constructor(storage: Storage, log: Log, limits: Partial<StreamLimits> = {}) {
    this.#storage = storage;
    this.#log = log;
    this.#limits = { ...usualLimits, ...limits };
    this.#places = new FairSemaphore({
      size: this.#limits.maxStreams,
      maxWaiting: 0,
      refusal: "Too many streams of events at once; try again later, or close some.",
      retryAfter,
    });
    this.events = new CommitEvents(storage);
  }

  get running(): number {
    return this.#open.size;
  }

  /** Ends all streams in order, and refuses new ones. */
  end(): void {
    this.#isEnding = true;
    for (const { wake } of this.#open) wake();
  }

  /**
   * Opens a stream.
   * @param gone fires when the client has disconnected.
   * @param listen gives the items; it begins when the stream is read.
   * @throws SkepError `busy` when the team has as many streams as it may.
   */
  async open(
    team: TeamName,
    gone: AbortSignal,
    listen: (listener: Listener) => AsyncIterable<StreamItem>,
  ): Promise<OpenStream> {
    const release = await this.#places.acquire(team, gone);
    const waker = new Waker();
    this.#open.add(waker);
    const close = (): void => {
      waker.wake();
      // Of a stream that was never read, nothing else gives the place back.
      this.#open.delete(waker);
      release();
    };
    gone.addEventListener("abort", close, { once: true });
    const isOver = (): boolean => this.#isEnding || gone.aborted;
    const { quietMs } = this.#limits;
    const items = listen({ storage: this.#storage, events: this.events, waker, isOver, quietMs });
    const stalled = new AbortController();
    stalled.signal.addEventListener("abort", close, { once: true });
    const sent = this.#send(items, stalled, () => {
      gone.removeEventListener("abort", close);
      close();
    });
    return { items: sent, stalled: stalled.signal };
  }

  async *#send(
    items: AsyncIterable<StreamItem>,
    stalled: AbortController,
    close: () => void,
  ): AsyncGenerator<Sent> {
    try {
      for await (const item of items) {
        // It goes on when the client has taken enough.
        const timer = setTimeout(() => stalled.abort(), this.#limits.stallMs).unref();
        try {
          yield item.kind === "begin" ? { ...item, retryMs: retryMs.usual } : item;
        } finally {
          clearTimeout(timer);
        }
      }
      if (this.#isEnding) yield { kind: "end", retryMs: randomInt(retryMs.least, retryMs.most) };
    } catch (error) {
      // The client reconnects, and that response says what is wrong.
      if (isSkepError(error)) return;
      this.#log.error({ error: describeError(error) }, "a stream of events was ended");
    } finally {
      close();
    }
  }
}
