/** Reads that may cost seconds: a bounded number at once, shared between teams, each for as long as somebody waits. */
import { SkepError, failure } from "../domain/errors.ts";
import type { TeamName } from "../domain/names.ts";
import { FairSemaphore } from "../disk/fair-semaphore.ts";

export interface SlowReadLimits {
  /** How many run at once, over all teams. */
  readonly maxSlowReads: number;
  /** How long one may take, its waiting included, in milliseconds. */
  readonly slowReadTimeout: number;
}

/** How many reads of one team may wait for their turn. */
const maxWaiting = 64;
/** How soon a client may try again, in seconds. */
const retryAfter = 5;

/** Why a read ended before it was done: its caller left, or its time is over. */
class ReadEnded extends Error {}

export class SlowReads {
  readonly #timeLimit: number;
  readonly #places: FairSemaphore;

  constructor({ maxSlowReads, slowReadTimeout }: SlowReadLimits) {
    this.#timeLimit = slowReadTimeout;
    const refusal = "Too many slow reads of this team at once; try again soon.";
    this.#places = new FairSemaphore({ size: maxSlowReads, maxWaiting, refusal, retryAfter });
  }

  /** How many run. */
  get running(): number {
    return this.#places.running;
  }

  /**
   * Runs a read as soon as it is its team's turn.
   * @param gone fires when the caller has left.
   * @param read gets a signal that ends it.
   * @throws SkepError `busy` when too many of the team's wait, or it took too long; `malformed` when the caller left;
   * what the read throws.
   */
  async run<T>(team: TeamName, gone: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const { signal } = ending;
    const end = (): void => ending.abort(new ReadEnded("the read was ended"));
    const timer = setTimeout(end, this.#timeLimit);
    gone.addEventListener("abort", end);
    if (gone.aborted) end();
    try {
      return await this.#places.run(team, signal, () => read(signal));
    } catch (cause) {
      if (!(cause instanceof ReadEnded)) throw cause;
      // Nobody reads this answer, and it is no fault of the server's in the log.
      if (gone.aborted) throw failure("malformed", "The caller left before the answer.", { cause });
      throw new SkepError("busy", "This read took too long; try again later.", { retryAfter }, { cause });
    } finally {
      clearTimeout(timer);
      gone.removeEventListener("abort", end);
    }
  }
}
