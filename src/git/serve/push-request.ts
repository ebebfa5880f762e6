/**
 * Parses what `git push` sends in git's smart HTTP protocol, and makes the responses. See gitprotocol-pack(5),
 * "Pushing Data To a Server". Git itself never gets the commands: Skep moves the branch.
 */
import { isOid, type Oid } from "../../domain/names.ts";
import { compareBytes, unprintable } from "../../domain/text.ts";
import { flush, flushPacket, malformed, packetAt, toPacket } from "./pkt-line.ts";

/** A ref as the client knows it, and as it is to be; undefined where it is not there. */
export interface PushCommand {
  readonly before: Oid | undefined;
  readonly after: Oid | undefined;
  /** Its full name, which may be anything. */
  readonly ref: string;
}

/** In which form a client can be told the result. */
export interface PushReportFormat {
  /** Whether it wants to be told what became of each ref. */
  readonly report: boolean;
  /** Whether messages for the user can be sent beside the report. */
  readonly sideBand: boolean;
  /** Whether all of its refs are to move or none. */
  readonly atomic: boolean;
}

export interface PushRequest {
  readonly commands: readonly PushCommand[];
  readonly reportFormat: PushReportFormat;
  /** The pack, which is empty when nothing but deletions is asked for. */
  readonly pack: Uint8Array;
}

export interface PushResult {
  readonly ref: string;
  /** Why it was refused; undefined for one that has moved. */
  readonly refused?: string;
}

/**
 * What is told to a client that wants to push: all that {@link parsePushRequest} understands. Not `report-status-v2`, in
 * which a client can be told that the branch is at another commit than the pushed one: git would let its own branch of the
 * remote refer to that commit, which it does not have, and shows its user an error.
 */
const capabilities = "report-status delete-refs side-band-64k quiet atomic ofs-delta object-format=sha1";
/** No well-meant push has more refs than a Hive may have. */
const maxLines = 10_000;
const none = "0".repeat(40);
const commandPattern = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]+)(?:\0([^\0]*))?$/i;
const shallowPattern = /^shallow [0-9a-f]{40}$/i;
/** What a packet of a side band holds at most, besides its length and the band. */
const bandBytes = 65_000;
const reportBand = 1;
const messageBand = 2;

/** The answer to a client that asks which branches it can push to. */
export function advertisePush(branches: ReadonlyMap<string, Oid>): Buffer {
  const refs = Array.from(branches, ([name, oid]) => `${oid} refs/heads/${name}`).toSorted((a, b) =>
    compareBytes(a.slice(41), b.slice(41)),
  );
  const lines = refs.length === 0 ? [`${none} capabilities^{}`] : refs;
  return Buffer.concat([
    toPacket("# service=git-receive-pack\n"),
    flushPacket,
    ...lines.map((line, i) => toPacket(i === 0 ? `${line}\0${capabilities}\n` : `${line}\n`)),
    flushPacket,
  ]);
}

/**
 * Reads a request: commands, and then a pack.
 * @returns undefined for one without commands, by which git finds out whether it may push.
 * @throws SkepError `malformed` for what git does not send to a server with the capabilities of {@link advertisePush}.
 */
export function parsePushRequest(body: Uint8Array): PushRequest | undefined {
  const commands: PushCommand[] = [];
  let reportFormat: PushReportFormat | undefined;
  for (let at = 0, count = 0; ; count++) {
    if (count > maxLines) throw malformed();
    const { empty, start, end, next } = packetAt(body, at);
    at = next;
    if (empty === flush) {
      const pack = body.subarray(at);
      if (reportFormat === undefined && pack.length > 0) throw malformed();
      return reportFormat && { commands, reportFormat, pack };
    }
    if (empty !== undefined) throw malformed();
    const text = decode(body.subarray(start, end));
    // The histories that the client lacks are not needed: everything below what it has is here.
    if (commands.length === 0 && shallowPattern.test(text)) continue;
    const [, before = "", after = "", ref, given] = commandPattern.exec(text) ?? [];
    if (ref === undefined || (given !== undefined && reportFormat !== undefined)) throw malformed();
    reportFormat ??= toReportFormat(given ?? "");
    commands.push({ before: toName(before), after: toName(after), ref });
  }
}

function decode(line: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    throw malformed();
  }
}

function toName(text: string): Oid | undefined {
  const oid = text.toLowerCase();
  return oid !== none && isOid(oid) ? oid : undefined;
}

/** @throws SkepError `malformed` for a capability that would have more parts follow, or other names of objects. */
function toReportFormat(text: string): PushReportFormat {
  const given = new Set(text.split(" "));
  const hasOtherFormat = [...given].some(
    (one) => one.startsWith("object-format=") && one !== "object-format=sha1",
  );
  if (given.has("push-options") || hasOtherFormat) throw malformed();
  return {
    report: given.has("report-status"),
    sideBand: given.has("side-band-64k"),
    atomic: given.has("atomic"),
  };
}

/**
 * The response to a push.
 * @param messages lines for the user, which git shows behind `remote:`.
 */
export function formatPushReport(
  { report, sideBand }: Omit<PushReportFormat, "atomic">,
  results: readonly PushResult[],
  messages: readonly string[],
): Buffer {
  const lines = results.map(({ ref, refused }) =>
    refused === undefined ? `ok ${ref}` : `ng ${ref} ${toOneLine(refused)}`,
  );
  const packets = report
    ? [...["unpack ok", ...lines].map((line) => toPacket(`${line}\n`)), flushPacket]
    : [];
  if (!sideBand) return Buffer.concat(packets);
  const text = Buffer.from(messages.map((message) => `${toOneLine(message)}\n`).join(""));
  return Buffer.concat([
    ...toBand(messageBand, text),
    ...toBand(reportBand, Buffer.concat(packets)),
    flushPacket,
  ]);
}

function toOneLine(text: string): string {
  return text.replaceAll(unprintable, " ").trim();
}

function toBand(band: number, bytes: Buffer): readonly Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += bandBytes) {
    const piece = bytes.subarray(at, at + bandBytes);
    const length = (piece.length + 5).toString(16).padStart(4, "0");
    packets.push(Buffer.from(length), Buffer.from([band]), piece);
  }
  return packets;
}
