/** Cloning and fetching Hives by git's smart HTTP protocol. */
import type { Readable } from "node:stream";
import { SkepError, failure, isSkepError } from "../domain/errors.ts";
import { confirmReach, type ReachedHive } from "./access.ts";
import type { Storage } from "./storage.ts";

export interface CloneLimits {
  /** How many requests are answered by git at once. */
  readonly maxClones: number;
  /** How long git may take for one of them, in milliseconds. */
  readonly cloneTimeout: number;
}

/** One request of the protocol. */
export interface CloneRequest {
  /** The body, unpacked; references are advertised when there is none. */
  readonly body?: Uint8Array;
  /** The version of the protocol that the client speaks, if it says. */
  readonly version: 0 | 1 | 2 | undefined;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
}

/** How soon a client may try again, in seconds. */
const retryAfter = 5;

/** Answers by git, a bounded number at once. */
export class Clones {
  readonly #limits: CloneLimits;
  #running = 0;

  constructor(limits: CloneLimits) {
    this.#limits = limits;
  }

  /** How many are being answered. */
  get running(): number {
    return this.#running;
  }

  /**
   * Git's answer as a stream; whoever gets it reads it to the end or destroys it.
   * @throws SkepError `busy` when too many are under way or it took too long; `not-implemented` without git;
   * `malformed` when the body is no request; what {@link confirmReach} throws.
   */
  async answer(
    storage: Storage,
    hive: ReachedHive,
    { signal: gone, ...request }: CloneRequest,
  ): Promise<Readable> {
    if (this.#running >= this.#limits.maxClones) {
      throw new SkepError("busy", "Too many clones at once; try again soon.", { retryAfter });
    }
    const signal = AbortSignal.any([gone, AbortSignal.timeout(this.#limits.cloneTimeout)]);
    this.#running++;
    const release = (): void => void this.#running--;
    try {
      await confirmReach(storage, hive);
      const output = await storage.uploadPack(hive.slug, { ...request, signal });
      if (output === undefined) {
        throw failure("not-implemented", "Cloning is not possible: git is not installed on the server.");
      }
      if (output.closed) release();
      else output.once("close", release);
      return output;
    } catch (error) {
      release();
      if (signal.aborted) {
        throw new SkepError("busy", "This clone took too long.", { retryAfter }, { cause: error });
      }
      // A Hive that was deleted meanwhile is why git failed.
      if (!isSkepError(error)) await confirmReach(storage, hive);
      throw error;
    }
  }
}
