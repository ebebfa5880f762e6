/** Caches the bytes of responses by what they were made from, so that repeated reads cost no work. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Steps } from "../../domain/steps.ts";
import { inSlices } from "../../slices.ts";
import { compress, type Encoding } from "./compression.ts";

export interface CachedResponse {
  /** Identifies the read and the version of everything that the response is made from. */
  readonly key: string;
  readonly body: Uint8Array;
  /** Weak, because it is a hash of the uncompressed body, and the body may be compressed. */
  readonly etag: string;
  /** Undefined if the body is not compressed. */
  readonly encoding?: Encoding;
}

export interface ResponseCacheStats {
  readonly count: number;
  /** The approximate memory use. */
  readonly bytes: number;
  /** How often a response was found, and how often one had to be made or compressed. */
  readonly hits: number;
  readonly misses: number;
}

/** The approximate size of an entry besides its key and body. */
const entryBytes = 600;

export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse>;
  /** The responses that are being made, which concurrent requests share. */
  readonly #making = new Map<string, Promise<CachedResponse>>();
  #hits = 0;
  #misses = 0;

  /** @param maxBytes how much memory cached responses may take. */
  constructor(maxBytes: number) {
    this.#responses = new LRUCache({
      // The library takes 0 for no limit; with a limit of 1 byte, no entry is kept.
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ key, body }) => key.length + body.byteLength + entryBytes,
    });
  }

  /**
   * Gets a response from the cache, or makes it.
   * @param key identifies the read and the version of everything that its response is made from.
   * @param make makes the body.
   */
  get(key: string, make: () => Uint8Array | Promise<Uint8Array>): Promise<CachedResponse> {
    return this.#singleFlight(key, async () => {
      const body = await make();
      return { key, body, etag: await inSlices(etagOf(body)) };
    });
  }

  /**
   * Gets a part of responses, which is cached like them but has no ETag.
   * @returns its body.
   */
  async part(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = `part ${name}`;
    const { body } = await this.#singleFlight(key, async () => ({ key, body: await make(), etag: "" }));
    return body;
  }

  /** Gets a response in an encoding, compressed only once; uncompressed if compression does not make it smaller. */
  encoded(response: CachedResponse, encoding: Encoding | undefined): Promise<CachedResponse> {
    if (encoding === undefined) return Promise.resolve(response);
    const key = `${encoding} ${response.key}`;
    return this.#singleFlight(key, async () => {
      const body = await compress(response.body, encoding);
      return body === undefined ? { ...response, key } : { ...response, key, body, encoding };
    });
  }

  /** Statistics for metrics. */
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
    // The request that began it may have been stopped, which must not affect the others.
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
