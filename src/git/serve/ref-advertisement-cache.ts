/** Caches git's advertisements of a repository's refs, and its lists of them, for as long as the refs stay the same. */
import { Readable } from "node:stream";
import { boundedCache } from "../../disk/bounded-cache.ts";
import { readVisibleRefs } from "../refs/visible-refs.ts";

/** The bound for all repositories together. */
const maxResponses = 256;
/** Responses to longer requests are not cached. */
const maxRequestBytes = 2_048;

/**
 * A clone sends three requests, two of them for what seldom changes, and each would start a git process. Whether a
 * response is still valid is checked by reading the refs, so that it does not matter who moved them.
 */
export class RefAdvertisementCache {
  readonly #responses = boundedCache<string, Buffer>(maxResponses);

  /**
   * Gives git's response to a request, from the cache or by running git.
   * @param request the bytes of the request.
   * @param runGit gives undefined when git is not installed.
   */
  async getOrRun(
    gitdir: string,
    request: Uint8Array,
    runGit: () => Promise<Readable | undefined>,
  ): Promise<Readable | undefined> {
    const state = request.length > maxRequestBytes ? undefined : (await readVisibleRefs(gitdir))?.state;
    if (state === undefined) return runGit();
    const name = `${gitdir}\0${state}\0${Buffer.from(request).toString("latin1")}`;
    const cached = this.#responses.get(name);
    if (cached !== undefined) return Readable.from([cached]);
    const output = await runGit();
    if (output === undefined) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of output) pieces.push(piece);
    const response = Buffer.concat(pieces);
    // A ref that moved meanwhile may or may not be in the response.
    if ((await readVisibleRefs(gitdir))?.state === state) this.#responses.set(name, response);
    return Readable.from([response]);
  }
}
