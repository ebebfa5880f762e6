/** Negotiates the content encoding and compresses bodies. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from "node:zlib";
import Negotiator from "negotiator";

const brotliAsync = promisify<Uint8Array, BrotliOptions, Uint8Array>(brotliCompress);
const gzipAsync: (body: Uint8Array, options: ZlibOptions) => Promise<Uint8Array> = promisify(gzip);

const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

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
