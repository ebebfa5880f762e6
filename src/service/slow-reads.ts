/** Runs reads that may take seconds: a bounded number at once, shared fairly between teams, until the caller leaves. */
import { SkepError, failure } from "../domain/errors.ts";
import type { TeamName } from "../domain/names.ts";
import { FairSemaphore } from "../disk/fair-semaphore.ts";
import { withTimeout } from "../deadline.ts";

export interface SlowReadLimits {
  readonly maxSlowReads: number;
  /** How long a read may take, including its wait, in milliseconds. */
  readonly slowReadTimeout: number;
}

/** Runs a read of one caller by {@link SlowReads.run}. */
export type RunSlowRead = <T>(read: (signal: AbortSignal) => Promise<T>) => Promise<T>;

const maxWaiting = 64;
/** After how many seconds a refused client may try again. */
const retryAfter = 5;

export class SlowReads {
  readonly #timeLimit: number;
  readonly #places: FairSemaphore;

  constructor({ maxSlowReads, slowReadTimeout }: SlowReadLimits) {
    this.#timeLimit = slowReadTimeout;
    const refusal = "Too many slow reads of this team at once; try again soon.";
    this.#places = new FairSemaphore({ size: maxSlowReads, maxWaiting, refusal, retryAfter });
  }

  get running(): number {
    return this.#places.running;
  }

  /**
   * Runs a read as soon as its team gets a place.
   * @param gone fires when the caller has left.
   * @param read gets a signal that stops it.
   * @throws SkepError `busy` when too many reads of the team wait, or it took too long; `malformed` when the caller
   * left; what the read throws.
   */
  async run<T>(team: TeamName, gone: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = withTimeout(gone, this.#timeLimit);
    try {
      return await this.#places.run(team, signal, () => read(signal));
    } catch (cause) {
      if (!signal.aborted || cause !== signal.reason) throw cause;
      // There is no client for this response, and the log should not show it as an error of the server.
      if (gone.aborted) throw failure("malformed", "The client disconnected before the response.", { cause });
      throw new SkepError("busy", "This read took too long; try again later.", { retryAfter }, { cause });
    }
  }
}
