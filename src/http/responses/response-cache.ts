/** Answers as bytes, kept by what they were made from, so that a repeated question costs no work. */
import { createHash } from "node:crypto";
import type { Steps } from "../../domain/steps.ts";
import { inSlices } from "../../slices.ts";
import { compress, type Encoding } from "./compression.ts";

export interface Answer {
  /** The question and the version of everything the answer is made from. */
  readonly key: string;
  readonly body: Uint8Array;
  /** Weak, and a hash of the uncompressed body: the same content may come compressed. */
  readonly etag: string;
  /** Absent where the body is as it is. */
  readonly encoding?: Encoding;
}

export interface ResponseCacheStats {
  readonly count: number;
  /** About. */
  readonly bytes: number;
  /** How often an answer was found, and how often one was made, as it is or compressed. */
  readonly hits: number;
  readonly misses: number;
}

/** Part of every key: raise it when the same content comes to look different. */
const formatVersion = 1;
/** What an entry takes besides its key and body. */
const entryBytes = 600;

export class ResponseCache {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #answers = new Map<string, Answer>();
  /** The last one of these: it need not be moved. */
  #latest: Answer | undefined;
  /** Those being made: who asks meanwhile waits for the same. */
  readonly #making = new Map<string, Promise<Answer>>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** @param maxBytes how much memory kept answers may take. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The answer to a question.
   * @param question names the question and the version of everything its answer is made from.
   * @param make gives the body.
   */
  get(question: readonly unknown[], make: () => Promise<Uint8Array>): Promise<Answer> {
    const key = JSON.stringify([formatVersion, ...question]);
    return this.#get(key, async () => {
      const body = await make();
      return { key, body, etag: await inSlices(etagOf(body)) };
    });
  }

  /**
   * The same of a part of an answer, which nobody is told the ETag of.
   * @returns its body.
   */
  async part(question: readonly unknown[], make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = JSON.stringify([formatVersion, "part", ...question]);
    const { body } = await this.#get(key, async () => ({ key, body: await make(), etag: "" }));
    return body;
  }

  /** An answer compressed, once for all who ask for it so; as it is when that is not smaller. */
  encoded(answer: Answer, encoding: Encoding | undefined): Promise<Answer> {
    if (encoding === undefined) return Promise.resolve(answer);
    const key = `${encoding} ${answer.key}`;
    return this.#get(key, async () => {
      const body = await compress(answer.body, encoding);
      return body === undefined ? { ...answer, key } : { ...answer, key, body, encoding };
    });
  }

  /** What is kept, and how often it was of use. */
  get stats(): ResponseCacheStats {
    return { count: this.#answers.size, bytes: this.#bytes, hits: this.#hits, misses: this.#misses };
  }

  /** The answer with that key, if it is kept. */
  kept(key: string): Answer | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    this.#hits++;
    if (answer === this.#latest) return answer;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    this.#latest = answer;
    return answer;
  }

  async #get(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const kept = this.kept(key);
    if (kept !== undefined) return kept;
    const shared = this.#making.get(key);
    // Who began it may have left before it was made: that is no reason for the others.
    if (shared !== undefined) return shared.catch(() => this.#get(key, make));
    const making = this.#make(key, make);
    this.#making.set(key, making);
    return making;
  }

  async #make(key: string, make: () => Promise<Answer>): Promise<Answer> {
    this.#misses++;
    try {
      const answer = await make();
      this.#keep(answer);
      return answer;
    } finally {
      this.#making.delete(key);
    }
  }

  #keep(answer: Answer): void {
    if (sizeOf(answer) > this.#maxBytes) return;
    this.#answers.set(answer.key, answer);
    this.#latest = answer;
    this.#bytes += sizeOf(answer);
    for (const oldest of this.#answers.values()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#answers.delete(oldest.key);
      this.#bytes -= sizeOf(oldest);
    }
  }
}

/** How many bytes are hashed at once. */
const bytesPerStep = 1_048_576;

function* etagOf(body: Uint8Array): Steps<string> {
  const sha1 = createHash("sha1");
  for (let at = 0; at < body.byteLength; at += bytesPerStep) {
    if (at > 0) yield;
    sha1.update(body.subarray(at, at + bytesPerStep));
  }
  return `W/"${sha1.digest("base64url")}"`;
}

function sizeOf({ key, body }: Answer): number {
  return key.length + body.byteLength + entryBytes;
}
