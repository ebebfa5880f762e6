/** Whose request it is, when it came through proxies: their word counts as far as they are trusted. */
import { isIP, type BlockList } from "node:net";
import type { NodeServerRequest } from "srvx";

/** The proxies that are believed; none if nothing is said. */
export type TrustedProxies = BlockList;

/**
 * The address of a client: the nearest that no trusted proxy has. Each proxy appends to `X-Forwarded-For` whom it was
 * asked by, so what stands left of the first untrusted address is that one's own claim. One that is no address ends
 * the list.
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

/** Without a port or brackets, and IPv4 as such where it was written as IPv6. */
function toPlain(text: string): string {
  const [, inBrackets] = /^\[([^\]]+)\](?::[0-9]+)?$/.exec(text) ?? [];
  const [, beforePort] = /^([0-9.]+):[0-9]+$/.exec(text) ?? [];
  const address = inBrackets ?? beforePort ?? text;
  return address.replace(/^::ffff:(?=[0-9.]+$)/i, "");
}

/** The address of whoever sent a request; undefined where it did not come through a socket. */
export function clientOf(
  request: NodeServerRequest | undefined,
  trusted: TrustedProxies | undefined,
): string | undefined {
  const peer = request?.socket.remoteAddress;
  if (peer === undefined) return undefined;
  // Node gives several headers of that name as one.
  return clientAddress(peer, request?.headers["x-forwarded-for"]?.toString(), trusted);
}

/** Whether a request says once which host it is for; node joins what is said twice. */
export function isOneHost(host: string | undefined): host is string {
  return host !== undefined && !host.includes(",");
}
