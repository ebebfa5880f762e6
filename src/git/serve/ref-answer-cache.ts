/** Caches git's answers about the refs of a repository for as long as the refs stay the same. */
import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { readVisibleRefs } from "../refs/visible-refs.ts";

/** The bound for all repositories together. */
const maxAnswers = 256;
/** Answers to longer requests are not cached. */
const maxRequestBytes = 2_048;

/**
 * A clone sends three requests, two of them for what seldom changes, and each would start a git process. Whether an
 * answer is still valid is checked by reading the refs, so that it does not matter who moved them.
 */
export class RefAnswerCache {
  readonly #answers = new LRUCache<string, Buffer>({ max: maxAnswers });

  /**
   * Gives git's answer to a request, from the cache or by asking git.
   * @param request the bytes of the request.
   * @param ask starts git; gives undefined when git is not installed.
   */
  async answer(
    gitdir: string,
    request: Uint8Array,
    ask: () => Promise<Readable | undefined>,
  ): Promise<Readable | undefined> {
    const state = request.length > maxRequestBytes ? undefined : (await readVisibleRefs(gitdir))?.state;
    if (state === undefined) return ask();
    const name = `${gitdir}\0${state}\0${Buffer.from(request).toString("latin1")}`;
    const kept = this.#answers.get(name);
    if (kept !== undefined) return Readable.from([kept]);
    const output = await ask();
    if (output === undefined) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of output) pieces.push(piece);
    const answer = Buffer.concat(pieces);
    // A ref that moved meanwhile may or may not be in the answer.
    if ((await readVisibleRefs(gitdir))?.state === state) this.#answers.set(name, answer);
    return Readable.from([answer]);
  }
}
