/**
 * Reads that were answered lately, with everything that their answers rest on: the settings under which the token was
 * checked, when it expires, and where HEAD was. While these are the same, the same request has the same answer, and
 * finding it costs a hash and two look-ups, without waiting for anything: that is most of the speed of reading.
 */
import { hash } from "node:crypto";
import type { Socket } from "node:net";
import type { NodeServerRequest } from "srvx";
import type { HiveHead } from "../../service/content/overviews.ts";
import type { Storage } from "../../service/storage.ts";
import type { Answer, ResponseCache } from "./response-cache.ts";
import { isOneHost } from "../requests/client-address.ts";
import type { ResponseHeaders } from "./respond.ts";
import type { Findings } from "../requests/trace.ts";

export interface RememberedRead {
  /** The version of the settings when the request was let in. */
  readonly settings: string;
  /** When its token expires, in milliseconds since 1970. */
  readonly expires: number;
  /** Where HEAD was in each Hive that the answer is about. */
  readonly heads: readonly HiveHead[];
  /** Of the answer, which is kept elsewhere and may go. */
  readonly answer: string;
  readonly headers: ResponseHeaders<string>;
  /** What logs and metrics tell of it. */
  readonly findings: Findings;
}

const maxReads = 8_192;
/** Of one read: an answer about more Hives is looked for the long way, which is mostly looking at each HEAD too. */
const maxHeads = 32;
/** Of what identifies a read, in characters. */
const maxLength = 1_024;

/** The last token of each connection and its hash: connections go on with the same, and hashing it costs the most. */
const hashed = new WeakMap<Socket, { readonly authorization: string; readonly hash: string }>();

function hashOf(authorization: string, socket: Socket): string {
  const last = hashed.get(socket);
  if (last?.authorization === authorization) return last.hash;
  const found = { authorization, hash: hash("sha256", authorization, "base64") };
  hashed.set(socket, found);
  return found.hash;
}

/**
 * What identifies a read, or undefined for a request that is not remembered. It holds the token's hash, not the token:
 * how long looking it up takes tells nothing about a token.
 */
export function readName({ method, headers, url, socket }: NodeServerRequest): string | undefined {
  const { authorization, host, "accept-encoding": encodings = "" } = headers;
  if (method !== "GET" || authorization === undefined || !isOneHost(host)) return undefined;
  // The address as it came: reading it apart costs as much as all the rest.
  const name = `${hashOf(authorization, socket)} ${url} ${encodings}`;
  return name.length > maxLength ? undefined : name;
}

export class ReadFastPath {
  readonly #storage: Storage;
  readonly #answers: ResponseCache;
  /** In the order they were remembered. */
  readonly #reads = new Map<string, RememberedRead>();

  constructor(storage: Storage, answers: ResponseCache) {
    this.#storage = storage;
    this.#answers = answers;
  }

  /** A read that was answered before and would be answered the same now, with its answer; never throws. */
  find(request: NodeServerRequest): { readonly read: RememberedRead; readonly answer: Answer } | undefined {
    const name = readName(request);
    const read = name === undefined ? undefined : this.#reads.get(name);
    if (name === undefined || read === undefined) return undefined;
    const answer = this.#holds(read) ? this.#answers.kept(read.answer) : undefined;
    if (answer !== undefined) return { read, answer };
    this.#reads.delete(name);
    return undefined;
  }

  #holds({ settings, expires, heads }: RememberedRead): boolean {
    const { registry, hives, now } = this.#storage;
    try {
      return (
        registry.recentVersion() === settings &&
        expires > now() &&
        heads.every(({ slug, head, tag }) => hives.isAt(slug, head, tag))
      );
    } catch {
      // The long way tells what is wrong with the disk.
      return false;
    }
  }

  remember(name: string, read: RememberedRead): void {
    if (read.heads.length > maxHeads) return;
    this.#reads.set(name, read);
    if (this.#reads.size <= maxReads) return;
    const [oldest] = this.#reads.keys();
    if (oldest !== undefined) this.#reads.delete(oldest);
  }
}
