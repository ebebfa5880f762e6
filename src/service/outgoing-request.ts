/**
 * Requests to addresses that a user chose: only to addresses of the public internet over https, unless the operator allows
 * others. An address is checked when it is connected to, so no name can lead elsewhere later. Redirects are not followed.
 */
import { lookup as resolve, type LookupAddress } from "node:dns";
import { request as sendPlain, type IncomingMessage } from "node:http";
import { request as sendEncrypted } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isSystemError } from "../disk/disk.ts";
import { messageOf } from "../domain/errors.ts";
import { toOneLine } from "../domain/text.ts";

/** Addresses that are allowed although they are not public, over http, too. */
export interface AllowedNetworks {
  /** @param port to which a request goes. */
  allows(address: string, port: number): boolean;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** How much of the answer is read. */
  readonly maxBytes: number;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As much of it as may be read. */
  readonly body: Buffer;
  /** Whether it ended before that, and without a fault. */
  readonly isWhole: boolean;
}

/** Sends one request; see {@link sendOutgoing}. */
export type SendOutgoing = (request: OutgoingRequest) => Promise<OutgoingAnswer>;

const maxErrorLength = 200;

/** What is not the public internet, by the registries of special-purpose addresses of IANA. */
const special = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  special.addSubnet(network, bits, "ipv4");
}
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");
for (const [network, bits] of [
  // Teredo and others, documentation, and 6to4, which holds an address of IPv4.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  special.addSubnet(network, bits, "ipv6");
}

class RefusedAddress extends Error {}

/** Whether an address is one of the public internet. Addresses of IPv6 that stand for one of IPv4 are not. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, "ipv4");
  return isIP(address) === 6 && global6.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** Why a request failed, in a few words. */
export function sendingError(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  if (isSystemError(error)) return error.code;
  return toOneLine(messageOf(error), maxErrorLength);
}

/**
 * Sends a POST request.
 * @returns the answer, also one that broke off behind its head.
 * @throws what {@link sendingError} tells.
 */
export function sendOutgoing(
  { url, headers, body, signal, maxBytes }: OutgoingRequest,
  allowed: AllowedNetworks | undefined,
): Promise<OutgoingAnswer> {
  const target = new URL(url);
  const isPlain = target.protocol === "http:";
  const port = Number(target.port === "" ? (isPlain ? 80 : 443) : target.port);
  const check = (address: string): void => {
    if (allowed?.allows(address, port) === true) return;
    if (isPlain) throw new RefusedAddress("http is refused: it must be https, or in an allowed network");
    if (!isPublic(address)) throw new RefusedAddress("it leads to an address that is not public");
  };
  // Of an address there is nothing to look up.
  const literal = target.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) !== 0) check(literal);
  const options = {
    method: "POST",
    agent: false as const,
    signal,
    lookup: checkedLookup(check),
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "Skep",
      ...headers,
    },
  };
  return new Promise((settle, reject) => {
    let head: Pick<OutgoingAnswer, "status" | "headers"> | undefined;
    let isWhole = false;
    const chunks: Buffer[] = [];
    const onResponse = (response: IncomingMessage): void => {
      head = { status: response.statusCode ?? 0, headers: response.headers };
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) response.destroy();
        else chunks.push(chunk);
      });
      response.on("end", () => {
        isWhole = true;
      });
      response.on("error", () => {});
    };
    // Whatever goes wrong after the status does not change it.
    const end = (error = new Error("it closed the connection without an answer")): void =>
      head === undefined ? reject(error) : settle({ ...head, body: Buffer.concat(chunks), isWhole });
    const request = (isPlain ? sendPlain : sendEncrypted)(target, options, onResponse);
    request.on("upgrade", ({ statusCode = 0, headers: given }: IncomingMessage, socket) => {
      head = { status: statusCode, headers: given };
      socket.destroy();
    });
    // A request has a "close" however it ends; some ends have no other event.
    request
      .on("error", end)
      .on("close", () => end())
      .end(body);
  });
}

/** Looks a name up, and fails unless every address that might be connected to passes. */
function checkedLookup(check: (address: string) => void): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return done(error, []);
      try {
        for (const { address } of addresses) check(address);
      } catch (cause) {
        return done(cause instanceof Error ? cause : new Error(String(cause)), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}
