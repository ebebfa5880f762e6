/** Serves clones and fetches of Hives by git's smart HTTP protocol. */
import type { Readable } from "node:stream";
import { SkepError, failure, isSkepError } from "../../domain/errors.ts";
import type { ProtocolVersion } from "../../git/serve/pkt-line.ts";
import type { TeamName } from "../../domain/names.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { reauthoriseHive, type HiveGrant } from "../access.ts";
import type { StorageBase } from "../storage.ts";
import { withTimeout } from "../../deadline.ts";

export interface CloneLimits {
  /** How many requests git answers at once; 0 turns cloning off. */
  readonly maxClones: number;
  /** How long git may take for one request, in milliseconds. */
  readonly cloneTimeout: number;
}

export interface CloneRequest {
  /** The decompressed body; without one, the refs are advertised. */
  readonly body?: Uint8Array;
  /** The version of the protocol that the client asks for, if it does. */
  readonly version: ProtocolVersion | undefined;
  readonly signal: AbortSignal;
}

/** After how many seconds a refused client may try again. */
const retryAfter = 5;
/** How long the first request of a clone waits, in milliseconds; later ones wait as long as a clone may take. */
const maxWaitMs = 60_000;
/**
 * How many requests of one team may wait. Git gives up when it is refused in the middle of a clone, so first requests of
 * clones are refused earlier, and leave room for the later requests of the others.
 */
const maxWaiting = { beginning: 256, all: 1_024 };
const refusal = "Too many clones at once; try again soon.";

/** Lets git answer a bounded number of requests at once, shared fairly between teams; the others wait. */
export class Clones {
  readonly #limits: CloneLimits;
  readonly #places: FairSemaphore;

  constructor(limits: CloneLimits) {
    this.#limits = limits;
    const size = limits.maxClones;
    this.#places = new FairSemaphore({ size, maxWaiting: maxWaiting.all, refusal, retryAfter });
  }

  /** How many requests are being answered. */
  get running(): number {
    return this.#places.running;
  }

  /**
   * Gives git's answer as a stream, as soon as the team gets a place. The caller must read it to the end or destroy it.
   * @throws SkepError `busy` when too many requests wait, or the wait or git takes too long; `not-implemented` without
   * git; `malformed` when the body is not a request; what {@link reauthoriseHive} throws.
   */
  async serve(
    storage: StorageBase,
    hive: HiveGrant,
    { signal: gone, ...request }: CloneRequest,
  ): Promise<Readable> {
    const release = await this.#takePlace(hive.team, request.body !== undefined, gone);
    const signal = withTimeout(gone, this.#limits.cloneTimeout);
    try {
      await reauthoriseHive(storage, hive);
      const output = await storage.git.uploadPack(storage.hives.folderOf(hive.slug), { ...request, signal });
      if (output === undefined) {
        throw failure("not-implemented", "Cloning is not possible: git is not installed on the server.");
      }
      if (output.closed) release();
      else output.once("close", release);
      return output;
    } catch (error) {
      release();
      if (signal.aborted) throw busy("This clone took too long.", error);
      // Git fails when the Hive was deleted meanwhile.
      if (!isSkepError(error)) await reauthoriseHive(storage, hive);
      throw error;
    }
  }

  /**
   * Waits for a place for the team.
   * @param hasBegun whether this is a later request of a clone, which a refusal would make fail.
   */
  async #takePlace(team: TeamName, hasBegun: boolean, gone: AbortSignal): Promise<() => void> {
    const { maxClones, cloneTimeout } = this.#limits;
    if (maxClones === 0) throw busy(refusal);
    if (!hasBegun && this.#places.waitingOf(team) >= maxWaiting.beginning) throw busy(refusal);
    const waitMs = hasBegun ? cloneTimeout : Math.min(maxWaitMs, cloneTimeout);
    const signal = withTimeout(gone, waitMs);
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
