/** Responses as bytes, cached by what they were made from, so that a repeated question costs no work. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Steps } from "../../domain/steps.ts";
import { inSlices } from "../../slices.ts";
import { compress, type Encoding } from "./compression.ts";

export interface CachedResponse {
  /** The question and the version of everything the response is made from. */
  readonly key: string;
  readonly body: Uint8Array;
  /** Weak, and a hash of the uncompressed body: the same content may come compressed. */
  readonly etag: string;
  /** Absent where the body is not compressed. */
  readonly encoding?: Encoding;
}

export interface ResponseCacheStats {
  readonly count: number;
  /** About. */
  readonly bytes: number;
  /** How often a response was found, and how often one was made, as it is or compressed. */
  readonly hits: number;
  readonly misses: number;
}

/** What an entry takes besides its key and body. */
const entryBytes = 600;

export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse>;
  /** Those being made: who asks meanwhile waits for the same. */
  readonly #making = new Map<string, Promise<CachedResponse>>();
  #hits = 0;
  #misses = 0;

  /** @param maxBytes how much memory cached responses may take. */
  constructor(maxBytes: number) {
    this.#responses = new LRUCache({
      // The library takes 0 for no limit. An entry takes more than one byte, so with this none is kept.
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ key, body }) => key.length + body.byteLength + entryBytes,
    });
  }

  /**
   * The response to a question.
   * @param key names the question and the version of everything its response is made from.
   * @param make gives the body.
   */
  get(key: string, make: () => Uint8Array | Promise<Uint8Array>): Promise<CachedResponse> {
    return this.#singleFlight(key, async () => {
      const body = await make();
      return { key, body, etag: await inSlices(etagOf(body)) };
    });
  }

  /**
   * A part of responses, cached like them but without an ETag.
   * @returns its body.
   */
  async part(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = `part ${name}`;
    const { body } = await this.#singleFlight(key, async () => ({ key, body: await make(), etag: "" }));
    return body;
  }

  /** A response compressed, once for all who ask for it so; as it is when that is not smaller. */
  encoded(response: CachedResponse, encoding: Encoding | undefined): Promise<CachedResponse> {
    if (encoding === undefined) return Promise.resolve(response);
    const key = `${encoding} ${response.key}`;
    return this.#singleFlight(key, async () => {
      const body = await compress(response.body, encoding);
      return body === undefined ? { ...response, key } : { ...response, key, body, encoding };
    });
  }

  /** What is cached, and how often it was of use. */
  get stats(): ResponseCacheStats {
    const { size, calculatedSize } = this.#responses;
    return { count: size, bytes: calculatedSize, hits: this.#hits, misses: this.#misses };
  }

  /** The response with that key, if it is cached. */
  cached(key: string): CachedResponse | undefined {
    const response = this.#responses.get(key);
    if (response !== undefined) this.#hits++;
    return response;
  }

  async #singleFlight(key: string, make: () => Promise<CachedResponse>): Promise<CachedResponse> {
    const cached = this.cached(key);
    if (cached !== undefined) return cached;
    const shared = this.#making.get(key);
    // Who began it may have left before it was made: that is no reason for the others.
    if (shared !== undefined) return shared.catch(() => this.#singleFlight(key, make));
    const making = this.#make(key, make);
    this.#making.set(key, making);
    return making;
  }

  async #make(key: string, make: () => Promise<CachedResponse>): Promise<CachedResponse> {
    this.#misses++;
    try {
      const response = await make();
      this.#responses.set(key, response);
      return response;
    } finally {
      this.#making.delete(key);
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
