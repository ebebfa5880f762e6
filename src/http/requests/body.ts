/** Reads request bodies of bounded size: JSON in UTF-8, or git's; and bounds the bytes of all bodies in memory. */
import { createGunzip } from "node:zlib";
import type { H3Event } from "h3";
import { failure, isSkepError, SkepError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json.ts";
import type { TeamName } from "../../domain/names.ts";

export const formType = "application/x-www-form-urlencoded";
/** The type of forms with files. */
const uploadType = "multipart/form-data";

/**
 * Reads a body that must be JSON.
 * @param limit in bytes.
 * @throws SkepError `unsupported-media-type`, `too-large`, `busy` or `malformed`.
 */
export async function readJsonBody(event: H3Event, limit: number, share: BodyShare): Promise<Buffer> {
  const { headers } = event.req;
  requireJson(headers.get("content-type"));
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw failure("unsupported-media-type", "Content-Encoding is not supported; send the body as it is.");
  }
  return readBytes(event, limit, share);
}

/**
 * Reads a body that must be a form's fields.
 * @param limit in bytes.
 * @throws SkepError `unsupported-media-type`, `too-large`, `busy` or `malformed`.
 */
export async function readFormBody(event: H3Event, limit: number, share: BodyShare): Promise<Buffer> {
  const type = event.req.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === formType) return readBytes(event, limit, share);
  throw failure("unsupported-media-type", `Content-Type must be ${formType}.`);
}

/**
 * Reads a body that must be a form's fields, which may have files.
 * @param limit in bytes.
 * @param requireFew throws where so many parts are too many: they are counted before they are read.
 * @returns undefined for a form without a place for files.
 * @throws SkepError `too-large`, `busy` or `malformed`.
 */
export async function readUploadBody(
  event: H3Event,
  limit: number,
  share: BodyShare,
  requireFew: (parts: number) => void,
): Promise<FormData | undefined> {
  const type = event.req.headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== uploadType) return undefined;
  const bytes = await readBytes(event, limit, share);
  requireFew(partsIn(bytes, type));
  // The parts are copies.
  share.take(bytes.length);
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch (cause) {
    throw failure("malformed", "The form cannot be read.", { cause });
  }
}

/** How many parts a form has at most: each begins with the boundary, and the last one ends with it. */
function partsIn(bytes: Buffer, contentType: string): number {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return 0;
  const mark = Buffer.from(`--${boundary}`, "latin1");
  let count = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) count++;
  return count - 1;
}

/**
 * Parses a body.
 * @param maxValues how many values it may hold.
 * @throws SkepError `malformed`; `too-large` for too many values; `invalid` for too deep nesting.
 */
export async function parseBody(bytes: Buffer, maxValues: number): Promise<unknown> {
  try {
    return await parseJson(bytes, { maxValues });
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      const message = `The body is not JSON: ${cause.message}`;
      throw failure("malformed", message, { cause, publicCode: "invalid_json" });
    }
    throw cause instanceof TypeError
      ? failure("malformed", "The body is not valid UTF-8.", { cause, publicCode: "invalid_json" })
      : cause;
  }
}

/**
 * Reads a body that may be compressed by gzip, as git does.
 * @param limit in bytes, for the compressed and the decompressed body.
 * @throws SkepError `unsupported-media-type`, `too-large`, `busy` or `malformed`.
 */
export async function readUnpacked(event: H3Event, limit: number, share: BodyShare): Promise<Buffer> {
  const encoding = event.req.headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (!["identity", "gzip", "x-gzip"].includes(encoding)) {
    throw failure("unsupported-media-type", "Content-Encoding must be gzip, or none.");
  }
  const bytes = await readBytes(event, limit, share);
  if (encoding === "identity") return bytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const gunzip = createGunzip();
  gunzip.end(bytes);
  const unpacked: AsyncIterable<Uint8Array> = gunzip;
  try {
    for await (const chunk of unpacked) {
      size += chunk.byteLength;
      if (size > limit) throw failure("too-large", `The body is larger than ${limit} bytes.`);
      share.take(chunk.byteLength);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw isSkepError(cause) ? cause : failure("malformed", "The body is not gzip.", { cause });
  }
  return Buffer.concat(chunks, size);
}

function requireJson(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const isJson = /^application\/(?:[a-z0-9.-]+\+)?json$/.test(type.trim());
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (!isJson || !isUtf8) {
    throw failure("unsupported-media-type", "Content-Type must be application/json, in UTF-8.");
  }
}

async function readBytes(event: H3Event, limit: number, share: BodyShare): Promise<Buffer> {
  const tooLarge = (): SkepError => failure("too-large", `The body is larger than ${limit} bytes.`);
  const declared = Number(event.req.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge();
  // Not a list of chunks: for a body that arrives byte by byte, that takes a hundred times its size.
  let bytes = Buffer.alloc(0);
  let size = 0;
  // Node's own stream if there is one: the web stream around it costs as much as parsing. It is not destroyed when
  // reading stops early, because then no response could be sent.
  const source: AsyncIterable<Uint8Array> | null | undefined =
    event.runtime?.node?.req?.iterator({ destroyOnReturn: false }) ?? event.req.body;
  try {
    for await (const chunk of source ?? []) {
      const before = size;
      size += chunk.byteLength;
      if (size > limit) throw tooLarge();
      if (size > bytes.length) {
        // The declared length may never arrive, so no more than twice the received bytes is allocated.
        const room = Math.min(2 * size, declared >= size ? declared : limit);
        share.take(room - bytes.length);
        const larger = Buffer.allocUnsafe(room);
        bytes.copy(larger, 0, 0, before);
        bytes = larger;
      }
      bytes.set(chunk, before);
    }
  } catch (cause) {
    throw isSkepError(cause)
      ? cause
      : failure("malformed", "The body ended before it was complete.", { cause });
  }
  return bytes.subarray(0, size);
}

/**
 * A team may never hold more than is left for the others: alone half of everything, beside one other team a third, and
 * so on. So the large bodies of one team leave room for the writes of another, however slowly they arrive.
 */
export class BodyBudget {
  readonly #limit: number;
  readonly #held = new Map<TeamName, number>();
  #used = 0;

  /** How many bytes are in memory. */
  get used(): number {
    return this.#used;
  }

  /** @param limit in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Opens the share of one request of a team, which takes bytes as they arrive. */
  open(team: TeamName): BodyShare {
    let held = 0;
    const add = (bytes: number): void => {
      const all = (this.#held.get(team) ?? 0) + bytes;
      if (all === 0) this.#held.delete(team);
      else this.#held.set(team, all);
      this.#used += bytes;
      held += bytes;
    };
    return {
      take: (bytes) => {
        if ((this.#held.get(team) ?? 0) + bytes > this.#limit - this.#used) {
          throw new SkepError("busy", "Too many large requests at once; try again soon.", { retryAfter: 2 });
        }
        add(bytes);
      },
      release: () => add(-held),
    };
  }
}

/** The share of the budget that one request holds. */
export interface BodyShare {
  /** @throws SkepError `busy` when its team would hold too much, or all requests together. */
  readonly take: (bytes: number) => void;
  readonly release: () => void;
}

/** For small bodies of callers without a team. */
export const noShare: BodyShare = { take: () => {}, release: () => {} };
