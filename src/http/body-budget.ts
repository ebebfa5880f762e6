/** Bounds the bytes of all request bodies that are in memory at once, so that many large ones cannot fill it. */
import { SkepError } from "../domain/errors.ts";

export class BodyBudget {
  readonly #limit: number;
  #used = 0;

  /** How many bytes are in memory. */
  get used(): number {
    return this.#used;
  }

  /** @param limit in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes bytes for one request as they come in.
   * @throws SkepError `busy` when all requests together would hold more than the limit.
   */
  open(): BodyShare {
    let held = 0;
    return {
      take: (bytes) => {
        if (this.#used + bytes > this.#limit) {
          throw new SkepError("busy", "Too many large requests at once; try again soon.", { retryAfter: 2 });
        }
        this.#used += bytes;
        held += bytes;
      },
      release: () => {
        this.#used -= held;
        held = 0;
      },
    };
  }
}

/** What one request holds of the budget. */
export interface BodyShare {
  /** @throws SkepError `busy` when there is no room. */
  readonly take: (bytes: number) => void;
  readonly release: () => void;
}
