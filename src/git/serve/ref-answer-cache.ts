/** What git said of a repository's references, kept for as long as these are what they were. */
import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { readVisibleRefs } from "../refs/visible-refs.ts";

/** Of all repositories together. */
const maxAnswers = 256;
/** A request that is longer is not remembered. */
const maxRequestBytes = 2_048;

/**
 * A clone asks three times, twice of them for what seldom changes, and each time a process of git's would be started
 * for it. Whether an answer still holds is read from the references themselves, whoever moved them.
 */
export class RefAnswerCache {
  readonly #answers = new LRUCache<string, Buffer>({ max: maxAnswers });

  /**
   * An answer of git's own, kept or new.
   * @param request the bytes that it answers.
   * @param ask starts git; undefined when there is none.
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
    // What moved while git answered may be in the answer already, or not yet.
    if ((await readVisibleRefs(gitdir))?.state === state) this.#answers.set(name, answer);
    return Readable.from([answer]);
  }
}
