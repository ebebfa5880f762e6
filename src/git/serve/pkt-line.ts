/**
 * Parses the packet lines of requests to `upload-pack` in git's smart HTTP protocol. See gitprotocol-common(5),
 * gitprotocol-pack(5) for versions 0 and 1, and gitprotocol-v2(5).
 */
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { pause } from "../../slices.ts";
import { toOid } from "../objects/git-object.ts";

export type ProtocolVersion = 0 | 1 | 2;

/** What a request to `upload-pack` refers to. */
export interface UploadRequest {
  /** Whether it asks only for refs, in protocol v2. */
  readonly isForRefs: boolean;
  /** The objects that the client wants. */
  readonly wants: ReadonlySet<Oid>;
  /** The commits that the client claims to have, or at which its history is cut off. */
  readonly claims: readonly Claim[];
  /** Refs whose history the client does not want. */
  readonly excluded: ReadonlySet<string>;
}

interface Claim {
  readonly oid: Oid;
  /** Where its name begins in the request. */
  readonly at: number;
}

/** The longest request: enough for the names of 80,000 files that a partial clone fetches, or of as many commits. */
export const maxUploadRequestBytes = 4 * 1024 * 1024;
const maxPackets = 100_000;
/** How many lines are read in one step: all lines of the longest request take a quarter of a second. */
const linesPerStep = 2_000;
const lengthDigits = 4;
/** Packets without content. */
export const flush = 0;
const delimiter = 1;
const newline = 0x0a;

/** The part of a request that a line is in: version 2 begins with a command, older versions with wants. */
type Section = "command" | "ls-refs" | "fetch" | "wants" | "haves" | "end";

const oidDigits = "[0-9a-fA-F]{40}";
const extent = "deepen [1-9][0-9]{0,9}|deepen-since [1-9][0-9]{0,15}|deepen-not .+|filter .+";
const flags = "done|thin-pack|no-progress|include-tag|ofs-delta|deepen-relative|wait-for-done";
/** The lines that are accepted in each section. Git accepts more commands, even some that it does not advertise. */
const linePatterns: Record<Section, RegExp> = {
  command: /^(?:command=(?:ls-refs|fetch)|(?:agent|session-id|server-option)=.*|object-format=sha1)$/,
  "ls-refs": /^(?:peel|symrefs|unborn|ref-prefix .*)$/,
  fetch: new RegExp(`^(?:(?:want|have|shallow) ${oidDigits}|${extent}|${flags})$`),
  // Capabilities follow the first want.
  wants: new RegExp(`^(?:want ${oidDigits}(?: .*)?|shallow ${oidDigits}|${extent})$`),
  haves: new RegExp(`^(?:have ${oidDigits}|done)$`),
  end: /^(?!)/,
};
/** The object name in a line that has one. */
const namePattern = new RegExp(`^(want|have|shallow) (${oidDigits})`);
const otherFormatPattern = / object-format=(?!sha1(?: |$))/;
/** Lines that git accepts only once, or not beside another. */
const singlePattern = /^(?:(command)=|(filter|deepen|deepen-since) )/;
const maxDepth = 2 ** 31 - 1;
/** Git answers the last two with an error message. Any other filter would make it exit without telling its client. */
const filterPattern =
  /^(?:blob:none|blob:limit=[0-9]{1,9}[kmg]?|tree:[0-9]{1,9}|object:type=(?:blob|tree|commit|tag)|sparse:oid=.+)$/i;

/** Encodes a text as one packet. */
export function toPacket(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = (bytes.length + lengthDigits).toString(16).padStart(lengthDigits, "0");
  return Buffer.concat([Buffer.from(length), bytes]);
}

export const flushPacket = Buffer.from("0000");

/**
 * Reads a request.
 * @throws SkepError `malformed` when it is cut off, too long, or a command that is not served, or has anything that git
 * might read differently or not accept at all, which would make git exit without telling its client.
 */
export async function parseUploadRequest(
  request: Uint8Array,
  version: ProtocolVersion,
  signal?: AbortSignal,
): Promise<UploadRequest> {
  const wants = new Set<Oid>();
  const claims: Claim[] = [];
  const excluded = new Set<string>();
  const singles = new Set<string>();
  const state: State = {
    section: version === 2 ? "command" : "wants",
    command: undefined,
    canFilter: version === 2,
  };
  const text = Buffer.from(request.buffer, request.byteOffset, request.byteLength).toString("latin1");
  for (let at = 0, count = 1; at < request.length; count++) {
    if (count > maxPackets) throw malformed();
    if (count % linesPerStep === 0) await pause(signal);
    const { empty, start, end, next } = packetAt(request, at);
    at = next;
    if (empty !== undefined) {
      state.section = sectionAfter(state, empty);
      continue;
    }
    const line = text.slice(start, end);
    // Git ends a line at a NUL byte.
    if (!linePatterns[state.section].test(line) || line.includes("\0")) throw malformed();
    const named = namePattern.exec(line);
    if (named !== null) {
      const [, keyword = "", name = ""] = named;
      const oid = toOid(name.toLowerCase());
      if (keyword === "want") wants.add(oid);
      else claims.push({ oid, at: start + keyword.length + 1 });
      if (otherFormatPattern.test(line)) throw malformed();
      state.canFilter ||= / filter(?: |$)/.test(line);
      continue;
    }
    const [, command, other] = singlePattern.exec(line) ?? [];
    const single = command ?? other;
    if (single !== undefined && singles.has(single)) throw malformed();
    if (single !== undefined) singles.add(single);
    const [keyword = "", value = ""] = splitAtFirst(line);
    if (command !== undefined) state.command = line === "command=fetch" ? "fetch" : "ls-refs";
    if (keyword === "deepen" && Number(value) > maxDepth) throw malformed();
    if (keyword === "deepen-not") excluded.add(value);
    if (keyword === "filter" && !(state.canFilter && isFilter(value))) throw malformed();
  }
  const isByHistory = singles.has("deepen-since") || excluded.size > 0;
  const isWhole = state.section === (version === 2 ? "end" : "haves");
  if (!isWhole || (singles.has("deepen") && isByHistory)) throw malformed();
  return { isForRefs: state.command === "ls-refs", wants, claims, excluded };
}

interface State {
  section: Section;
  command: "fetch" | "ls-refs" | undefined;
  /** Before version 2 a client has to announce first that it will filter. */
  canFilter: boolean;
}

/** @throws SkepError `malformed` when the section cannot end with this packet. */
function sectionAfter({ section, command }: State, packet: EmptyPacket): Section {
  if (packet === flush && (section === "wants" || section === "haves")) return "haves";
  if (packet === flush && section !== "end" && command !== undefined) return "end";
  if (packet === delimiter && section === "command" && command !== undefined) return command;
  throw malformed();
}

function splitAtFirst(line: string): readonly string[] {
  const at = line.indexOf(" ");
  return at === -1 ? [line] : [line.slice(0, at), line.slice(at + 1)];
}

/** Whether git understands a filter: one, or a combination of several URL-encoded ones. */
function isFilter(spec: string): boolean {
  if (!spec.startsWith("combine:")) return filterPattern.test(spec);
  try {
    return spec
      .slice("combine:".length)
      .split("+")
      .every((part) => filterPattern.test(decodeURIComponent(part)));
  } catch {
    return false;
  }
}

/** Replaces names in a request by zeros, which name no object. */
export function hideNames(request: Uint8Array, hidden: readonly Claim[]): Uint8Array {
  const bytes = Buffer.from(request);
  for (const { oid, at } of hidden) bytes.fill("0", at, at + oid.length);
  return bytes;
}

type EmptyPacket = typeof flush | typeof delimiter;

/** Where a packet has its content, without a final newline, and where the next one begins. */
export interface Packet {
  /** The number of a packet without content. */
  readonly empty: EmptyPacket | undefined;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/**
 * Reads one packet.
 * @param at where it begins in the bytes.
 * @throws SkepError `malformed` when there is no whole packet.
 */
export function packetAt(bytes: Uint8Array, at: number): Packet {
  const start = at + lengthDigits;
  let length = 0;
  for (let i = at; i < start; i++) length = length * 16 + hexDigit(bytes[i]);
  if (length === flush || length === delimiter) return { empty: length, start, end: start, next: start };
  const next = at + length;
  if (!(length > lengthDigits && next <= bytes.length)) throw malformed();
  return { empty: undefined, start, end: bytes[next - 1] === newline ? next - 1 : next, next };
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : Number.NaN;
}

/** The error for a body that git's protocol does not have. */
export function malformed(): Error {
  return failure("malformed", "The body is not a valid request of git's protocol.");
}
