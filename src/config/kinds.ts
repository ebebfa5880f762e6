/**
 * What the text of a setting or a flag may be, and the value it stands for: one function for each kind. Each throws an
 * Error whose message follows the name of the setting: "must be …". They are plain functions because every command
 * starts with them, and loading a schema library takes as long as starting Node.
 */
import { BlockList, isIP } from "node:net";
import { messageOf } from "../domain/errors.ts";
import { toMailbox, type Mailbox } from "../domain/mail.ts";
import { isLoopback } from "../domain/url-path.ts";

/** Reads a text. @throws Error with what it must be. */
export type Kind<T> = (text: string) => T;

/** Reads a whole number, 0 or more. @throws Error with what it must be. */
export function wholeNumber(text: string): number {
  const number = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) throw new Error("must be a whole number, 0 or more");
  return number;
}

/** Reads a whole number, 1 or more. @throws Error with what it must be. */
export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new Error("must be at least 1");
  return number;
}

/** Reads the number of a TCP port; 0 for any that is free. @throws Error with what it must be. */
export function port(text: string): number {
  const number = wholeNumber(text);
  if (number > 65_535) throw new Error("must be at most 65535");
  return number;
}

/** A kind beside which a word is undefined, such as `off`. */
export function optional<T>(kind: Kind<T>, word: string): Kind<T | undefined> {
  return (text) => {
    if (text === word) return undefined;
    try {
      return kind(text);
    } catch (cause) {
      throw new Error(`${messageOf(cause)}; or ${word}`, { cause });
    }
  };
}

/** Reads the address of an interface, or a name. @throws Error when it is empty. */
export function host(text: string): string {
  if (text.trim() === "") throw new Error("must not be empty; 0.0.0.0 listens everywhere");
  return text;
}

/** Reads the path of a folder. @throws Error when it is empty. */
export function folder(text: string): string {
  if (text === "") throw new Error("must be the path of a folder");
  return text;
}

const byteUnits: Readonly<Record<string, number>> = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** A number of bytes, such as `33554432` or `32MiB`. */
export function byteCount(text: string): number {
  const [, amount, unit = ""] = /^([0-9]+)([KMG]iB)?$/.exec(text) ?? [];
  if (amount === undefined) throw new Error("must be a number of bytes, or one with KiB, MiB or GiB");
  const bytes = Number(amount) * (byteUnits[unit] ?? NaN);
  if (!Number.isSafeInteger(bytes)) throw new Error("must be a number of bytes that can exist");
  return bytes;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const dayMs = 86_400_000;
const centuryMs = 100 * 365 * dayMs;

/** A span of time such as `90d`, in milliseconds. */
export function duration(text: string): number {
  const [, amount, unit = ""] = /^([1-9][0-9]{0,9})([smhd])$/.exec(text) ?? [];
  if (amount === undefined) throw new Error("must be a number with s, m, h or d, such as 90d");
  const ms = Number(amount) * (unitSeconds[unit] ?? NaN) * 1000;
  if (ms > centuryMs) throw new Error("must be at most 100 years");
  return ms;
}

/** How long something may take, such as `10m`, in milliseconds. */
export function timeout(text: string): number {
  const ms = duration(text);
  if (ms > dayMs) throw new Error("must be at most a day");
  return ms;
}

/** As {@link timeout}, or 0. */
export function staleness(text: string): number {
  return text === "0" ? 0 : timeout(text);
}

/** The path of a file. */
export function file(text: string): string {
  if (text === "") throw new Error("must be the path of a file");
  return text;
}

/** A text that is not empty. */
export function filledText(given: string): string {
  if (given.trim() === "") throw new Error("must not be empty");
  return given.trim();
}

/** Scopes of OpenID Connect. */
export function scopes(given: string): string {
  if (given.split(" ").includes("openid")) return given.trim();
  throw new Error("must be scopes, separated by blanks, and openid among them");
}

/** An address without user, query and fragment. */
function plainUrl(given: string): URL | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return isPlain ? url : undefined;
}

/** The issuer of an identity provider, as it is given, since it is compared. */
export function issuerUrl(given: string): string {
  const { protocol, hostname = "" } = plainUrl(given) ?? {};
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return given;
  throw new Error("must be an address with https, without user or query; with http only on this machine");
}

/** The address of a mail server, with the user but without the password, which command lines and logs would show. */
export function smtpUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isSmtp = url !== undefined && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "";
  const isPlain = url?.password === "" && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  if (isSmtp && isPlain) return url;
  throw new Error(
    "must be an address such as smtps://user@mail.example.org or smtp://localhost:25, without a password",
  );
}

/** What mails come from: an address, perhaps behind a name. */
export function mailbox(given: string): Mailbox {
  const found = toMailbox(given);
  if (found !== undefined) return found;
  throw new Error("must be an address such as skep@example.org or Skep <skep@example.org>");
}

/** The address of a server, without a slash at its end. */
export function serverUrl(text: string): string {
  const url = plainUrl(text);
  if (url !== undefined && ["http:", "https:"].includes(url.protocol)) return url.href.replace(/\/+$/, "");
  throw new Error("must be an address such as https://skep.example.org, without user or query");
}

/**
 * The address of a PostgreSQL database. It is not repeated when it is wrong, since it may hold a password; what connects
 * to it checks its parts.
 */
export function databaseUrl(text: string): string {
  if (/^postgres(?:ql)?:\/\/[^\s]+$/.test(text)) return text;
  throw new Error("must be the address of a database such as postgres://user@host/name");
}

/** The kind of a setting that is one of some words. */
export function choice<Word extends string>(...words: readonly Word[]): Kind<Word> {
  return (text) => {
    const chosen = words.find((word) => word === text);
    if (chosen === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return chosen;
  };
}

/** The kind of a setting that is some of some words, separated by commas. */
export function choices<Word extends string>(...words: readonly Word[]): Kind<ReadonlySet<Word>> {
  return (text) =>
    new Set(
      text.split(",").map((part) => {
        const chosen = words.find((word) => word === part.trim());
        if (chosen === undefined) throw new Error(`must be some of ${words.join(", ")}, separated by commas`);
        return chosen;
      }),
    );
}

/** Networks by the names that Express has for them. */
const namedNetworks: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["linklocal", ["169.254.0.0/16", "fe80::/10"]],
  ["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/**
 * Some networks: addresses, networks such as `10.0.0.0/8`, and `loopback`, `linklocal` and `uniquelocal`,
 * separated by commas.
 */
export function networks(text: string): BlockList {
  const trusted = new BlockList();
  for (const part of text.split(",").map((name) => name.trim())) {
    for (const network of namedNetworks.get(part) ?? [part]) addNetwork(trusted, network);
  }
  return trusted;
}

/** Addresses and ports of some networks. */
export interface Endpoints {
  allows(address: string, port: number): boolean;
}

/** Some {@link networks}, each with an optional port behind a colon: `loopback:11434`, `[fd00::1]:8080`. */
export function endpoints(text: string): Endpoints {
  const allowed = text.split(",").map((each) => {
    const part = each.trim();
    // An address of IPv6 has a port only behind brackets.
    const [, address = part, digits] = /^(\[[^\]]*\]|[^:]*):([0-9]{1,5})$/.exec(part) ?? [];
    if (digits !== undefined && (Number(digits) === 0 || Number(digits) > 65_535))
      throw new Error(`"${part}" must have a port from 1 to 65535`);
    const list = networks(address.replace(/^\[(.*)\]$/, "$1"));
    return { list, only: digits === undefined ? undefined : Number(digits) };
  });
  return {
    allows: (address, to) =>
      allowed.some(
        ({ list, only }) =>
          (only === undefined || only === to) && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
      ),
  };
}

function addNetwork(trusted: BlockList, network: string): void {
  const [, address = "", bits] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(network) ?? [];
  const family = isIP(address);
  const width = family === 6 ? 128 : 32;
  const prefix = Number(bits ?? width);
  if (family === 0 || prefix > width) {
    throw new Error(
      `"${network}" must be an address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal`,
    );
  }
  trusted.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
}

/** The beginnings of addresses of mirrors, separated by commas; `none` is an empty list. */
export function mirrorAddresses(text: string): readonly string[] {
  if (text === "none") return [];
  return text.split(",").map((part) => {
    const beginning = part.trim();
    if (/^(?:https?:\/\/[^\s/@]|ssh:\/\/[^\s/]|(?:file:\/\/)?\/|[^\s/:]+:(?!\/\/))\S*$/.test(beginning))
      return beginning;
    throw new Error(
      `"${beginning}" must be the beginning of an address, such as https://git.example.org/{team}/, git@host:{team}/ or /srv/git/`,
    );
  });
}

/**
 * The origins whose pages may use the API, as browsers send them, separated by commas; `*` stands for all. `null` is not
 * an origin: every sandboxed frame has it.
 */
export function corsOrigins(text: string): "*" | ReadonlySet<string> {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length === 1 && parts[0] === "*") return "*";
  for (const part of parts) {
    if (!isOrigin(part)) {
      throw new Error(
        `"${part}" must be an origin such as https://app.example.org, in lower case and with nothing behind the host and port; or * alone for all`,
      );
    }
  }
  return new Set(parts);
}

function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,*\\]+$/.test(text) || !URL.canParse(text)) return false;
  // An origin of another scheme, such as an app's, has no form that could be checked further.
  const { protocol, origin } = new URL(text);
  return origin === text || !["http:", "https:"].includes(protocol);
}
