/** Caches the bytes of responses by what they were made from, so that repeated reads cost no work; compresses them. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from "node:zlib";
import Negotiator from "negotiator";
import { hash, webcrypto } from "node:crypto";
import { LRUCache } from "lru-cache";

const brotliAsync = promisify<Uint8Array, BrotliOptions, Uint8Array>(brotliCompress);
const gzipAsync: (body: Uint8Array, options: ZlibOptions) => Promise<Uint8Array> = promisify(gzip);

const encodings = ["br", "gzip"] as const;
type Encoding = (typeof encodings)[number];

/** Smaller responses fit a packet or two anyway. */
const minBytes = 1_024;

const compressors: Record<Encoding, (body: Uint8Array) => Promise<Uint8Array>> = {
  br: (body) =>
    brotliAsync(body, {
      params: {
        // Higher qualities take several times as long for a few percent.
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
      },
    }),
  gzip: (body) => gzipAsync(body, { level: 4 }),
};

/** The best supported encoding for an `Accept-Encoding` header; undefined for no compression. */
export function encodingFor(acceptEncoding: string | null): Encoding | undefined {
  if (acceptEncoding === null) return undefined;
  const negotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } });
  const accepted = negotiator.encoding([...encodings, "identity"]);
  return encodings.find((encoding) => encoding === accepted);
}

/** Compresses a body; undefined when that does not make it smaller. */
export async function compress(body: Uint8Array, encoding: Encoding): Promise<Uint8Array | undefined> {
  if (body.byteLength < minBytes) return undefined;
  const compressed = await compressors[encoding](body);
  return compressed.byteLength < body.byteLength ? compressed : undefined;
}

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

type Make = () => Uint8Array | Promise<Uint8Array>;

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
   * @param encoding how it is compressed, which is done only once; it stays as it is if that does not make it smaller.
   */
  async get(key: string, make: Make, encoding?: Encoding): Promise<CachedResponse> {
    const plain = await this.#singleFlight(key, async () => {
      const body = await make();
      return { key, body, etag: await etagOf(body) };
    });
    if (encoding === undefined) return plain;
    const encodedKey = `${encoding} ${key}`;
    return this.#singleFlight(encodedKey, async () => {
      const body = await compress(plain.body, encoding);
      return { ...plain, key: encodedKey, ...(body && { body, encoding }) };
    });
  }

  /** Gets the body of a part of responses, which is cached like them but has no ETag. */
  async part(name: string, make: Make): Promise<Uint8Array> {
    const key = `part ${name}`;
    const { body } = await this.#singleFlight(key, async () => ({ key, body: await make(), etag: "" }));
    return body;
  }

  get stats(): ResponseCacheStats {
    const { size, calculatedSize } = this.#responses;
    return { count: size, bytes: calculatedSize, hits: this.#hits, misses: this.#misses };
  }

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

/** A larger body is hashed on another thread; for a smaller one, asking for that takes longer than hashing it. */
const maxHashedHere = 65_536;

async function etagOf(body: Uint8Array): Promise<string> {
  if (body.byteLength <= maxHashedHere) return `W/"${hash("sha1", body, "base64url")}"`;
  const digest = await webcrypto.subtle.digest("SHA-1", body);
  return `W/"${Buffer.from(digest).toString("base64url")}"`;
}
