/** Cloning and fetching Hives by git's smart HTTP protocol. */
import type { Readable } from "node:stream";
import { SkepError, failure, isSkepError } from "../../domain/errors.ts";
import type { ProtocolVersion } from "../../git/serve/pkt-line.ts";
import type { TeamName } from "../../domain/names.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { reauthoriseHive, type HiveGrant } from "../access.ts";
import type { Storage } from "../storage.ts";

export interface CloneLimits {
  /** How many requests are answered by git at once; none if 0. */
  readonly maxClones: number;
  /** How long git may take for one of them, in milliseconds. */
  readonly cloneTimeout: number;
}

/** One request of the protocol. */
export interface CloneRequest {
  /** The body, unpacked; references are advertised when there is none. */
  readonly body?: Uint8Array;
  /** The version of the protocol that the client speaks, if it says. */
  readonly version: ProtocolVersion | undefined;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
}

/** How soon a client may try again, in seconds. */
const retryAfter = 5;
/** How long one that begins waits for its turn, in milliseconds; one that has begun, as long as a clone may take. */
const patienceMs = 60_000;
/**
 * How many requests of one team may wait: git does not try again when it is refused in the middle of a clone, so those
 * that begin are refused while there is room for the rest of those that have begun.
 */
const maxWaiting = { beginning: 256, all: 1_024 };
const refusal = "Too many clones at once; try again soon.";

/** Answers by git, a bounded number at once, shared between teams; the others wait for their turn. */
export class Clones {
  readonly #limits: CloneLimits;
  readonly #places: FairSemaphore;

  constructor(limits: CloneLimits) {
    this.#limits = limits;
    const size = limits.maxClones;
    this.#places = new FairSemaphore({ size, maxWaiting: maxWaiting.all, refusal, retryAfter });
  }

  /** How many are being answered. */
  get running(): number {
    return this.#places.running;
  }

  /**
   * Git's answer as a stream, as soon as it is the team's turn; whoever gets it reads it to the end or destroys it.
   * @throws SkepError `busy` when too many wait, the turn did not come or it took too long; `not-implemented` without
   * git; `malformed` when the body is no request; what {@link reauthoriseHive} throws.
   */
  async answer(
    storage: Storage,
    hive: HiveGrant,
    { signal: gone, ...request }: CloneRequest,
  ): Promise<Readable> {
    const release = await this.#takePlace(hive.team, request.body !== undefined, gone);
    const signal = AbortSignal.any([gone, AbortSignal.timeout(this.#limits.cloneTimeout)]);
    try {
      await reauthoriseHive(storage, hive);
      const output = await storage.uploadPack(hive.slug, { ...request, signal });
      if (output === undefined) {
        throw failure("not-implemented", "Cloning is not possible: git is not installed on the server.");
      }
      if (output.closed) release();
      else output.once("close", release);
      return output;
    } catch (error) {
      release();
      if (signal.aborted) throw busy("This clone took too long.", error);
      // A Hive that was deleted meanwhile is why git failed.
      if (!isSkepError(error)) await reauthoriseHive(storage, hive);
      throw error;
    }
  }

  /**
   * Waits for the team's turn.
   * @param hasBegun whether git was answered before, so that a refusal would end a clone in the middle.
   */
  async #takePlace(team: TeamName, hasBegun: boolean, gone: AbortSignal): Promise<() => void> {
    const { maxClones, cloneTimeout } = this.#limits;
    if (maxClones === 0) throw busy(refusal);
    if (!hasBegun && this.#places.waitingOf(team) >= maxWaiting.beginning) throw busy(refusal);
    const patience = hasBegun ? cloneTimeout : Math.min(patienceMs, cloneTimeout);
    const signal = AbortSignal.any([gone, AbortSignal.timeout(patience)]);
    try {
      return await this.#places.acquire(team, signal);
    } catch (error) {
      throw signal.aborted
        ? busy("The turn of this clone did not come in time; try again soon.", error)
        : error;
    }
  }
}

function busy(message: string, cause?: unknown): SkepError {
  return new SkepError("busy", message, { retryAfter }, { cause });
}
