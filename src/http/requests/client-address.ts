/** Whose request it is, when it came through proxies: their word counts as far as they are trusted. */
import { BlockList, isIP } from "node:net";
import type { NodeServerRequest } from "srvx";

/** The proxies that are believed; none if nothing is said. */
export type TrustedProxies = BlockList;

/** Networks by the names that Express has for them. */
const named: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["linklocal", ["169.254.0.0/16", "fe80::/10"]],
  ["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/**
 * Parses the proxies to trust: addresses, networks such as `10.0.0.0/8`, and `loopback`, `linklocal` and
 * `uniquelocal`, separated by commas.
 * @throws Error that names the part which is none of these.
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  const trusted = new BlockList();
  for (const part of text.split(",").map((name) => name.trim())) {
    for (const network of named.get(part) ?? [part]) add(trusted, network);
  }
  return trusted;
}

function add(trusted: BlockList, network: string): void {
  const [, address = "", bits] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(network) ?? [];
  const family = isIP(address);
  const width = family === 6 ? 128 : 32;
  const prefix = Number(bits ?? width);
  if (family === 0 || prefix > width) {
    throw new Error(
      `"${network}" must be an address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal.`,
    );
  }
  trusted.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
}

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
  trusted: TrustedProxies,
): string {
  let client = toPlain(peer);
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    const address = toPlain(hop.trim());
    if (isIP(address) === 0 || !isTrusted(trusted, client)) break;
    client = address;
  }
  return client;
}

function isTrusted(trusted: TrustedProxies, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4");
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
  return clientAddress(peer, request?.headers["x-forwarded-for"]?.toString(), trusted ?? new BlockList());
}

/** Whether a request says once which host it is for; node joins what is said twice. */
export function isOneHost(host: string | undefined): host is string {
  return host !== undefined && !host.includes(",");
}
