/** Answers git, which asks its credential helpers for the password of a server. */
import type { Credentials } from "./credentials.ts";

/**
 * The answer to `get`; empty where there is no token for exactly this protocol, host and port.
 * @param input as git writes it: lines of names and values.
 */
export async function credentialFor(credentials: Credentials, input: string): Promise<string> {
  const lines = input.split("\n").map((line) => /^([^=]*)=(.*)$/s.exec(line) ?? []);
  const attributes = new Map(lines.map(([, name, value]) => [name, value]));
  const address = `${attributes.get("protocol")}://${attributes.get("host")}`;
  const origin = originOf(address);
  // Names of users, paths and queries have no place in a host.
  if (origin === undefined || new URL(address).href !== `${origin}/`) return "";
  const path = `/${attributes.get("path") ?? ""}`;
  // Of several servers at a host, that whose prefix git names, and else the shortest.
  const servers = (await credentials.servers())
    .filter((server) => originOf(server) === origin)
    .toSorted((a, b) => Number(isBelow(path, b)) - Number(isBelow(path, a)) || a.length - b.length);
  const [server] = servers;
  const token = server && (await credentials.find(server));
  return token === undefined ? "" : `username=skep\npassword=${token}\n`;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function isBelow(path: string, server: string): boolean {
  const { pathname } = new URL(server);
  return pathname !== "/" && path.startsWith(`${pathname}/`);
}
