/**
 * Parses addresses of mirrors. An address that is passed to git must not run a program, contain a secret, or send data
 * from the machine unencrypted. Every form that is not known to be safe is refused.
 */
import { invalid } from "../errors.ts";
import type { Branded } from "../names.ts";
import { holdsToken } from "../redact.ts";
import { textProblem } from "../text.ts";
import { isLoopback } from "../url-path.ts";

/** The address of a mirror, safe to pass to git. */
export type MirrorUrl = Branded<string, "MirrorUrl">;

/** The protocol to a mirror; `http` only within the machine. */
export type MirrorProtocol = "https" | "http" | "ssh" | "file";

interface Address {
  readonly protocol: MirrorProtocol;
  readonly path?: string;
}

/** The error for a refused address. The message never repeats the address, which may contain a secret. */
class Refusal extends Error {}

const maxLength = 2_048;
/** Without a leading hyphen, which ssh would read as an option, and without escapes, which git would decode. */
const hostPattern = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])$/;
const userPattern = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
const allowed = "must be an https, ssh or file URL, host:path, or an absolute path";
const noPassword = "must not hold a password or token; git takes them from its credential helpers";

/**
 * Parses the address of a mirror: `https://…`, `ssh://…`, `host:path`, `file:///…`, an absolute path, or `http://…`
 * with a host that is this machine.
 * @throws SkepError `invalid` on `url`; its message does not show the address.
 */
export function toMirrorUrl(text: string): MirrorUrl {
  const problem = mirrorUrlProblem(text);
  if (problem !== undefined) throw invalid("url", problem);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is the parser of the brand
  return text as MirrorUrl;
}

export function isMirrorUrl(text: string): text is MirrorUrl {
  return mirrorUrlProblem(text) === undefined;
}

/** How git reaches a mirror. */
export function protocolOf(url: MirrorUrl): MirrorProtocol {
  return toAddress(url).protocol;
}

/** The decoded path of a mirror on this machine; undefined for any other. */
export function localPathOf(url: MirrorUrl): string | undefined {
  return toAddress(url).path;
}

/** The address as it is shown: without the user. */
export function showMirrorUrl(url: MirrorUrl): string {
  return url.replace(/^(ssh:\/\/)?[^@/:]+@/, "$1");
}

/** Whether an address is below another one: with the same protocol, user, host and port, in its folder. */
export function isBelow(url: MirrorUrl, folder: string): boolean {
  // What a server takes for the folder above, or for a slash, could lead elsewhere: some decode twice, some read `..;`.
  if (/%(?:2[5ef]|5c)|;|(?:^|[/:])\.\.?(?:\/|$)/i.test(url)) return false;
  return url.startsWith(/[/:]$/.test(folder) ? folder : `${folder}/`);
}

function mirrorUrlProblem(text: string): string | undefined {
  try {
    toAddress(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

function toAddress(text: string): Address {
  const problem = text === "" ? "must not be empty" : textProblem(text);
  if (problem !== undefined) throw new Refusal(problem);
  if (text.length > maxLength) throw new Refusal(`must be at most ${maxLength} characters`);
  refuseIf(/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text), "must not contain control characters");
  refuseIf(text.startsWith("-"), "must not begin with a hyphen");
  refuseIf(holdsToken(text), noPassword);
  refuseIf(/^[^/[]*::/.test(text), `must not name a transport helper of git (ext::, fd::); it ${allowed}`);
  if (text.startsWith("/")) return { protocol: "file", path: text };
  const [, scheme, rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(text) ?? [];
  switch (scheme) {
    case "https":
    case "http":
      return toWeb(scheme, rest);
    case "ssh":
      return toSsh(rest);
    case "file":
      return { protocol: "file", path: toPath(rest) };
    case undefined:
      return toScp(text);
    default:
      throw new Refusal(`${allowed}; ${scheme}:// is not allowed`);
  }
}

function refuseIf(condition: boolean, problem: string): void {
  if (condition) throw new Refusal(problem);
}

function splitAuthority(rest: string): { readonly authority: string; readonly path: string } {
  const slash = rest.indexOf("/");
  refuseIf(slash === -1 || slash === rest.length - 1, "must name a repository on that host");
  const path = rest.slice(slash);
  refuseIf(/[\s\\?#]|%(?:[01][0-9a-f]|7f)/i.test(path), "must have a path without blanks, \\, ? and #");
  return { authority: rest.slice(0, slash), path };
}

function checkHost(authority: string): string {
  const [, host = "", port] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(authority) ?? [];
  refuseIf(!hostPattern.test(host), "must have a plain host name");
  refuseIf(port !== undefined && (port === "0" || Number(port) > 65_535), "must have a port up to 65535");
  return host;
}

function toWeb(protocol: "https" | "http", rest: string): Address {
  const { authority } = splitAuthority(rest);
  // Some hosts accept a token as the user name.
  refuseIf(authority.includes("@"), noPassword);
  const host = checkHost(authority);
  refuseIf(
    protocol === "http" && !isLoopback(host),
    "must be https: http sends credentials and texts in the clear, and is for this machine only",
  );
  return { protocol };
}

function toSsh(rest: string): Address {
  const { authority } = splitAuthority(rest);
  const at = authority.lastIndexOf("@");
  if (at !== -1) checkUser(authority.slice(0, at));
  checkHost(authority.slice(at + 1));
  return { protocol: "ssh" };
}

function checkUser(user: string): void {
  refuseIf(/:|%3a/i.test(user), noPassword);
  refuseIf(!userPattern.test(user), "must have a plain user name");
}

function toPath(rest: string): string {
  refuseIf(!rest.startsWith("/"), "must have three slashes: file:///path");
  try {
    const path = decodeURIComponent(rest);
    refuseIf(/\p{Cc}/u.test(path), "must not contain control characters");
    return path;
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal("must have well-formed escapes");
  }
}

/** Parses `[user@]host:path`, for which git uses ssh. */
function toScp(text: string): Address {
  const [, user, host = "", path = ""] =
    /^(?:([^@:/]*)@)?(\[[^\]/]*\]|[^@:/]*):(.*)$/.exec(text) ?? ([] as const);
  refuseIf(host === "", allowed);
  refuseIf(/^[^/]*@/.test(path), noPassword);
  if (user !== undefined) checkUser(user);
  refuseIf(!hostPattern.test(host), "must have a plain host name");
  refuseIf(path === "" || path.startsWith("-"), "must name a repository on that host");
  return { protocol: "ssh" };
}
