/** Streams of events: of one Hive, or of all within reach. See the HTML standard, "Server-sent events". */
import { Readable } from "node:stream";
import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { failure, invalid } from "../../domain/errors.ts";
import { type Oid, isOid, type HiveSlug } from "../../domain/names.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";
import { type StreamItem, listenToHive, listenToTeam } from "../../service/events/event-stream.ts";
import type { OpenStream, Sent } from "../../service/events/streams.ts";
import { commitHeader } from "../responses/headers.ts";
import { toCommitEvent, commitEvent, eventQuery } from "../schemas/event-schemas.ts";
import { z } from "zod";
import { earlierCommit, exampleCommit, exampleOf } from "../openapi/examples.ts";
import { reachedOf } from "../../domain/access/token.ts";
import { parsePositions } from "../../service/events/positions.ts";
import { teamGroup, type Route } from "../pipeline/route.ts";
import { queryParam } from "../../api/objects.ts";
import Negotiator from "negotiator";

const eventsQuery = eventQuery.extend({
  hives: queryParam("Only these Hives: their slugs, separated by commas.", "web,app"),
});

const eventHeaders = z.object({
  "Last-Event-ID": z.string().optional().meta({
    description: "As `since`; event sources send it when they connect again.",
  }),
});

const type = "text/event-stream";
/** How many bytes are formatted ahead of those that the client has taken. */
const bufferBytes = 16_384;

/** @throws SkepError `not-acceptable` when a client does not accept events. */
function requireEvents({ req }: H3Event): void {
  const accept = req.headers.get("accept");
  if (accept === null || new Negotiator({ headers: { accept } }).mediaType([type]) !== undefined) return;
  throw failure("not-acceptable", `This is a stream of events: Accept must allow ${type}.`);
}

/** @param stream undefined for a response to HEAD. */
function respondEvents(stream: OpenStream | undefined, commit?: Oid): Response {
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

/** How many Hives a stream may be about: the id of each event names the position in each. */
const maxHives = 250;

/** The position of the listener. The header is newer than the URL, which an event source keeps when it connects again. */
function lastId(
  headers: Headers,
  since: string | undefined,
): { readonly field: string; readonly id: string | undefined } {
  const last = headers.get("last-event-id");
  return last === null || last === "" ? { field: "since", id: since } : { field: "Last-Event-ID", id: last };
}

function requestedOf(hives: string | undefined, reached: readonly HiveSlug[]): (slug: HiveSlug) => boolean {
  if (hives === undefined) return () => true;
  const wanted = new Set<string>(hives.split(","));
  for (const slug of wanted) {
    if (!reached.some((other) => other === slug)) throw invalid("hives", "must name Hives within reach");
  }
  return (slug) => wanted.has(slug);
}

const exampleText = `retry: 2000
id: ${earlierCommit}

id: ${exampleCommit}
event: commit
data: ${JSON.stringify(exampleOf(commitEvent))}

`;

const streamDocs = `The stream continues until one side ends it. The data of a \`commit\` event is a \`CommitEvent\`. Its \`id\` is the position of the client: connect again with it as \`Last-Event-ID\`, as event sources do, or as \`?since=\`, and every later event is sent once. The first id, without data, is the position at the start.

Other events have \`hive\` and \`branch\` as data. \`reset\`, with \`commit\`: the position is no longer in the history of the branch, or a commit after it cannot be read; read the content again, and continue from that commit. \`removed\`: the Hive or the branch was deleted, or the token lost access to it.`;

const teamRoute = teamGroup("Events", { ability: "read", requiresAllHives: false });

export const eventRoutes: readonly Route[] = [
  {
    kind: "hive-stream",
    id: "listenToHive",
    method: "GET",
    path: "/api/hives/:slug/events",
    takesBranch: true,
    ability: "read",
    group: "Events",
    summary: "Listen to the commits of a branch",
    description: `${streamDocs} The stream then ends. Ids are commits, such as the \`X-Skep-Commit\` of any response.`,
    query: eventQuery,
    headers: eventHeaders,
    type: "text/event-stream",
    response: z.string().meta({ examples: [exampleText] }),
    errors: ["not-acceptable"],
    async handler({ event, storage, streams, hive, branch, query }) {
      requireEvents(event);
      const { field, id } = lastId(event.req.headers, query.since);
      if (id !== undefined && !isOid(id)) {
        throw invalid(field, "must be the id of an event, which is a commit");
      }
      const head = storage.hives.at(branch).head();
      if (event.req.method === "HEAD") return respondEvents(undefined, head);
      const stream = await streams.open(hive.team, event.req.signal, (listener) =>
        listenToHive(listener, hive, branch, id ?? head),
      );
      return respondEvents(stream, head);
    },
  },
  teamRoute("listenToAll", "GET", "/api/events", {
    summary: "Listen to the commits of several Hives",
    description: `The commits of \`main\` of all Hives that the token can read, or of the Hives in \`?hives=\`; at most ${maxHives}.\n\n${streamDocs} \`added\`, with \`commit\`: a Hive is new or became accessible, and is at that commit. Ids are texts to be kept as they are. The id of very many Hives has hashes of their slugs, so that it fits into a header; a Hive that was removed while the client was away is then not reported.`,
    query: eventsQuery,
    headers: eventHeaders,
    type: "text/event-stream",
    response: z.string().meta({ examples: [exampleText] }),
    errors: ["not-acceptable"],
    async handler({ event, streams, caller, grant, query }) {
      requireEvents(event);
      const { field, id } = lastId(event.req.headers, query.since);
      const reached = reachedOf(caller.principal, caller.team.hives);
      const positions = id === undefined ? undefined : parsePositions(id, reached);
      if (id !== undefined && positions === undefined) throw invalid(field, "must be the id of an event");
      const isRequested = requestedOf(query.hives, reached);
      if (reached.filter(isRequested).length > maxHives) {
        throw invalid("hives", `must name at most ${maxHives} Hives; without it, all within reach count`);
      }
      if (event.req.method === "HEAD") return respondEvents(undefined);
      const stream = await streams.open(grant.team, event.req.signal, (listener) =>
        listenToTeam(listener, grant, { since: positions, isRequested }),
      );
      return respondEvents(stream);
    },
  }),
];
