/** Server-sent events: see the HTML standard, "Server-sent events". */
import { Readable } from "node:stream";
import type { H3Event } from "h3";
import Negotiator from "negotiator";
import { FastResponse } from "srvx";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";
import type { StreamItem } from "../../service/events/event-stream.ts";
import type { OpenStream, Sent } from "../../service/events/streams.ts";
import { commitHeader } from "../responses/headers.ts";
import { toCommitEvent } from "../schemas/event-schemas.ts";

const type = "text/event-stream";
/** How many bytes are formatted ahead of those that the client has taken. */
const bufferBytes = 16_384;

/** @throws SkepError `not-acceptable` when a client does not accept events. */
export function requireEvents({ req }: H3Event): void {
  const accept = req.headers.get("accept");
  if (accept === null || new Negotiator({ headers: { accept } }).mediaType([type]) !== undefined) return;
  throw failure("not-acceptable", `This is a stream of events: Accept must allow ${type}.`);
}

/**
 * Responds with a stream of events.
 * @param stream undefined for a response to HEAD.
 */
export function respondEvents(stream: OpenStream | undefined, commit?: Oid): Response {
  const body =
    stream &&
    Readable.from(formatAll(stream.items), {
      objectMode: false,
      highWaterMark: bufferBytes,
      signal: stream.stalled,
    });
  return new FastResponse(body ?? null, {
    headers: [
      ["content-type", type],
      ["cache-control", "no-store"],
      // nginx would otherwise collect events before it passes them on.
      ["x-accel-buffering", "no"],
      ...(commit === undefined ? [] : [[commitHeader, commit] satisfies [string, string]]),
    ],
  });
}

async function* formatAll(items: AsyncIterable<Sent>): AsyncGenerator<Buffer> {
  for await (const item of items) yield Buffer.from(formatEvent(item));
}

/**
 * One event, or a comment. Texts of commits are in the JSON of `data` alone, where a line end is an escape: so no
 * text of a user can begin a line.
 */
export function formatEvent(item: Sent): string {
  const lines = toLines(item);
  return `${lines.join("\n")}\n\n`;
}

function toLines(item: Sent): readonly string[] {
  if (item.kind === "quiet") return [":"];
  if (item.kind === "end") return [`retry: ${item.retryMs}`];
  const position = item.id === undefined ? [] : [`id: ${item.id}`];
  // Without data this is no event, but the client knows its position.
  if (item.kind === "begin") return [`retry: ${item.retryMs}`, ...position];
  const { kind } = item;
  return [...position, `event: ${kind}`, `data: ${toData(item)}`];
}

function toData(item: StreamItem & { readonly kind: "commit" | "reset" | "added" | "removed" }): string {
  if (item.kind === "commit") return toText(item.event);
  const { hive, branch } = item;
  return JSON.stringify(item.kind === "removed" ? { hive, branch } : { hive, branch, commit: item.commit });
}

/** The texts of events, which all listeners of a Hive get. */
const texts = new WeakMap<CommitEvent, string>();

function toText(event: CommitEvent): string {
  const text = texts.get(event) ?? JSON.stringify(toCommitEvent(event));
  texts.set(event, text);
  return text;
}
