/** Answers as bytes, kept by what they were made from, so that a repeated question costs no work. */
import { createHash } from "node:crypto";

export interface Answer {
  readonly body: Uint8Array;
  /** Weak: the same content may come compressed. */
  readonly etag: string;
}

/** Part of every key: raise it when the same content comes to look different. */
const formatVersion = 1;

export class AnswerCache {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #answers = new Map<string, Answer>();
  #bytes = 0;

  /** @param maxBytes how many bytes of bodies are kept at most. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The answer to a question.
   * @param key names the question and the version of everything its answer is made from.
   * @param make gives the value that is answered as JSON.
   */
  async get(key: string, make: () => unknown): Promise<Answer> {
    const versioned = `${formatVersion} ${key}`;
    const known = this.#answers.get(versioned);
    if (known !== undefined) {
      this.#answers.delete(versioned);
      this.#answers.set(versioned, known);
      return known;
    }
    const answer = toAnswer(await make());
    this.#keep(versioned, answer);
    return answer;
  }

  #keep(key: string, answer: Answer): void {
    const size = key.length + answer.body.byteLength;
    if (size > this.#maxBytes || this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#bytes += size;
    for (const [oldest, { body }] of this.#answers) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#answers.delete(oldest);
      this.#bytes -= oldest.length + body.byteLength;
    }
  }
}

function toAnswer(value: unknown): Answer {
  const body = Buffer.from(JSON.stringify(value));
  return { body, etag: `W/"${createHash("sha1").update(body).digest("base64url")}"` };
}

/** Whether an `If-None-Match` header names this ETag, by weak comparison. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return Array.from(ifNoneMatch.matchAll(/"[^"]*"/g)).some(([tag]) => tag === opaque);
}
