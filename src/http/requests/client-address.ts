/** Finds the address of a client behind trusted proxies. */
import { isIP, type BlockList } from "node:net";
import type { NodeServerRequest } from "srvx";

export type TrustedProxies = BlockList;

/**
 * The address of a client: the nearest address that is not a trusted proxy's. Each proxy appends the address of its own
 * client to `X-Forwarded-For`, so everything left of the first untrusted address is that client's own claim. An invalid
 * entry ends the list.
 * @param peer the other end of the connection.
 * @param forwardedFor the header, if there is one.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies | undefined,
): string {
  let client = toPlain(peer);
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    const address = toPlain(hop.trim());
    if (isIP(address) === 0 || !isTrusted(trusted, client)) break;
    client = address;
  }
  return client;
}

function isTrusted(trusted: TrustedProxies | undefined, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && trusted?.check(address, family === 6 ? "ipv6" : "ipv4") === true;
}

/** Removes port and brackets, and converts IPv4-mapped IPv6 addresses to IPv4. */
function toPlain(text: string): string {
  const [, inBrackets] = /^\[([^\]]+)\](?::[0-9]+)?$/.exec(text) ?? [];
  const [, beforePort] = /^([0-9.]+):[0-9]+$/.exec(text) ?? [];
  const address = inBrackets ?? beforePort ?? text;
  return address.replace(/^::ffff:(?=[0-9.]+$)/i, "");
}

/** Whether a request came directly from a trusted proxy. */
export function isTrustedPeer(
  request: NodeServerRequest | undefined,
  trusted: TrustedProxies | undefined,
): boolean {
  return isTrusted(trusted, toPlain(request?.socket.remoteAddress ?? ""));
}

/** The client's address of a request; undefined if it did not come through a socket. */
export function clientOf(
  request: NodeServerRequest | undefined,
  trusted: TrustedProxies | undefined,
): string | undefined {
  const peer = request?.socket.remoteAddress;
  if (peer === undefined) return undefined;
  // Node joins several headers of that name.
  return clientAddress(peer, request?.headers["x-forwarded-for"]?.toString(), trusted);
}

/** Whether a request has exactly one Host header; node joins several. */
export function isOneHost(host: string | undefined): host is string {
  return host !== undefined && !host.includes(",");
}
