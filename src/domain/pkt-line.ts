/** Git's packet lines: what a client of the smart HTTP protocol asks `upload-pack` for. See gitprotocol-common(5). */
import { failure } from "./errors.ts";
import { isOid, type Oid } from "./names.ts";

/** What a request to `upload-pack` names by object. */
export interface UploadRequest {
  /** Whether it asks for references alone, in protocol v2. */
  readonly isForRefs: boolean;
  /** What the client wants to have. */
  readonly wants: ReadonlySet<Oid>;
  /** Where the client's history was cut off. */
  readonly shallows: ReadonlySet<Oid>;
  /** The request without the lines of some shallow commits. */
  readonly withoutShallows: (left: ReadonlySet<Oid>) => Uint8Array;
}

interface Packet {
  readonly raw: Uint8Array;
  readonly shallow?: Oid;
}

const lengthDigits = 4;
/** The beginning of a line that asks for an object. Git reads the 40 digits in either case and ignores the rest. */
const wantPattern = /^want ([0-9a-f]{40})/i;
/** The commands of protocol version 2 that are served; git takes others, also such as it does not advertise. */
const commandPattern = /^command=(ls-refs|fetch)\n?$/;
const shallowPattern = /^shallow ([0-9a-f]{40})/i;

/** A text as one packet. */
export function toPacket(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = (bytes.length + lengthDigits).toString(16).padStart(lengthDigits, "0");
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** The packet that ends a section. */
export const flushPacket = Buffer.from("0000");

/**
 * Reads a request of any protocol version.
 * @throws SkepError `malformed` when it is cut off, is a command that is not served, or git might read anything in it
 * in another way.
 */
export function parseUploadRequest(request: Uint8Array): UploadRequest {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const packets: Packet[] = [];
  const commands: string[] = [];
  const wants = new Set<Oid>();
  const shallows = new Set<Oid>();
  for (let at = 0; at < bytes.length;) {
    const end = at + packetLength(bytes, at);
    if (end > bytes.length) throw malformed();
    const line = bytes.toString("latin1", at + lengthDigits, Math.min(end, at + 64));
    if (line.startsWith("command=")) {
      const [, command] = commandPattern.exec(line) ?? [];
      if (command === undefined) throw malformed();
      commands.push(command);
    }
    const want = oidAfter("want ", wantPattern, line);
    const shallow = oidAfter("shallow ", shallowPattern, line);
    if (want !== undefined) wants.add(want);
    if (shallow !== undefined) shallows.add(shallow);
    packets.push({ raw: bytes.subarray(at, end), ...(shallow === undefined ? {} : { shallow }) });
    at = end;
  }
  const withoutShallows = (left: ReadonlySet<Oid>): Uint8Array =>
    Buffer.concat(
      packets.filter(({ shallow }) => shallow === undefined || !left.has(shallow)).map(({ raw }) => raw),
    );
  const namesObjects = wants.size > 0 || shallows.size > 0;
  const isForRefs = commands.length === 1 && commands[0] === "ls-refs" && !namesObjects;
  return { isForRefs, wants, shallows, withoutShallows };
}

/** The length of the packet at a place, its own digits included; packets without content have lengths below four. */
function packetLength(bytes: Buffer, at: number): number {
  const digits = bytes.toString("latin1", at, at + lengthDigits);
  if (!/^[0-9a-f]{4}$/i.test(digits)) throw malformed();
  const length = Number.parseInt(digits, 16);
  return Math.max(length, lengthDigits);
}

function oidAfter(keyword: string, pattern: RegExp, line: string): Oid | undefined {
  if (!line.startsWith(keyword)) return undefined;
  const oid = pattern.exec(line)?.[1]?.toLowerCase();
  if (oid === undefined || !isOid(oid)) throw malformed();
  return oid;
}

function malformed(): Error {
  return failure("malformed", "The body is no request of git's protocol.");
}
