/**
 * Sends a request to an address that a user chose: only to addresses of the public internet over https, unless
 * the operator allows others. An address is checked when it is connected to, so no name can lead elsewhere later.
 */
import { lookup as resolve, type LookupAddress } from "node:dns";
import { request as sendPlain, type IncomingMessage } from "node:http";
import { request as sendEncrypted } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { createHmac, randomBytes } from "node:crypto";
import { messageOf } from "../domain/errors.ts";
import { isSystemError } from "../disk/disk.ts";
import type { DeliveryOutcome, WebhookUrl } from "../domain/hives/webhook.ts";
import { toOneLine } from "../domain/text.ts";
import { withTimeout } from "../deadline.ts";

export interface WebhookRequest {
  readonly url: WebhookUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends one request, and never throws. */
export type SendWebhook = (request: WebhookRequest) => Promise<DeliveryOutcome>;

/** The networks that are allowed although they are not public, over http, too; none if undefined. */
export type AllowedNetworks = BlockList | undefined;

const defaultTimeoutMs = 15_000;
/** How much of a response is read, none of which is used. */
const maxResponseBytes = 65_536;
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

function isAllowed(address: string, allowed: AllowedNetworks): boolean {
  return allowed?.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") === true;
}

/** Makes the function that sends requests. @param timeoutMs how long one may take, with its response. */
export function webhookSender(allowed: AllowedNetworks, timeoutMs = defaultTimeoutMs): SendWebhook {
  return async (request) => {
    const signal = withTimeout(request.signal, timeoutMs);
    try {
      return toOutcome(await send(request, signal, allowed));
    } catch (error) {
      if (request.signal.aborted) return { kind: "stopped" };
      return { kind: "failed", error: signal.aborted ? "it took too long" : toError(error) };
    }
  };
}

function toOutcome(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: "received" };
  if (status === 410) return { kind: "gone" };
  const redirect = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return { kind: "failed", error: `it answered with ${status}${redirect}` };
}

function toError(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  if (isSystemError(error)) return error.code;
  return toOneLine(messageOf(error), maxErrorLength);
}

/** @returns the status of the response. */
function send(
  { url, headers, body }: WebhookRequest,
  signal: AbortSignal,
  allowed: AllowedNetworks,
): Promise<number> {
  const target = new URL(url);
  const isPlain = target.protocol === "http:";
  const check = (address: string): void => {
    if (isAllowed(address, allowed)) return;
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
    let status: number | undefined;
    const onResponse = (response: IncomingMessage): void => {
      status = response.statusCode ?? 0;
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > maxResponseBytes) response.destroy();
      });
      response.on("error", () => {});
    };
    // Whatever goes wrong after the status does not change it.
    const end = (error = new Error("it closed the connection without an answer")): void =>
      status === undefined ? reject(error) : settle(status);
    const request = (isPlain ? sendPlain : sendEncrypted)(target, options, onResponse);
    request.on("upgrade", ({ statusCode = 0 }: IncomingMessage, socket) => {
      status = statusCode;
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

const prefix = "whsec_";
/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** What identifies one message, and is signed with its body. */
interface SignedMessage {
  readonly id: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** A new secret for the signatures of a webhook, in the form of Standard Webhooks. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/** The headers that identify and sign a message. @param secrets of which each makes a signature. */
export function signedHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
