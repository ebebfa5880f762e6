/** Answers as bytes, kept by what they were made from, so that a repeated question costs no work. */
import { createHash } from "node:crypto";

export interface Answer {
  readonly body: Uint8Array;
  /** Weak: the same content may come compressed. */
  readonly etag: string;
}

/** Part of every key: raise it when the same content comes to look different. */
const formatVersion = 1;
/** What an entry takes besides its key and body. */
const entryBytes = 600;

export class AnswerCache {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #answers = new Map<string, Answer>();
  /** Those being made: who asks meanwhile waits for the same. */
  readonly #making = new Map<string, Promise<Answer>>();
  #bytes = 0;

  /** @param maxBytes how much memory kept answers may take. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The answer to a question.
   * @param question names the question and the version of everything its answer is made from.
   * @param make gives the value that is answered as JSON.
   */
  get(question: string, make: () => unknown): Answer | Promise<Answer> {
    const key = `${formatVersion} ${question}`;
    const known = this.#answers.get(key);
    if (known !== undefined) {
      this.#answers.delete(key);
      this.#answers.set(key, known);
      return known;
    }
    const making = this.#making.get(key) ?? this.#make(key, make);
    this.#making.set(key, making);
    return making;
  }

  async #make(key: string, make: () => unknown): Promise<Answer> {
    try {
      const answer = toAnswer(await make());
      this.#keep(key, answer);
      return answer;
    } finally {
      this.#making.delete(key);
    }
  }

  #keep(key: string, answer: Answer): void {
    if (sizeOf(key, answer) > this.#maxBytes) return;
    this.#answers.set(key, answer);
    this.#bytes += sizeOf(key, answer);
    for (const [oldest, other] of this.#answers) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#answers.delete(oldest);
      this.#bytes -= sizeOf(oldest, other);
    }
  }
}

function sizeOf(key: string, { body }: Answer): number {
  return key.length + body.byteLength + entryBytes;
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
