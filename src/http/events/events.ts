/** Streams of events: of one Hive, or of all within reach. */
import { z } from "zod";
import { invalid } from "../../domain/errors.ts";
import { isOid, type HiveSlug } from "../../domain/names.ts";
import { reachedOf } from "../../domain/access/token.ts";
import { listenToHive, listenToTeam } from "../../service/events/event-stream.ts";
import { parsePositions } from "../../service/events/positions.ts";
import { withExample } from "../openapi/route-docs.ts";
import { teamRoute, type Route } from "../pipeline/route.ts";
import { eventHeaders, eventQuery, eventsQuery, commitExample as example } from "../schemas/event-schemas.ts";
import { requireEvents, respondEvents } from "./sse.ts";

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
id: ${example.previous}

id: ${example.commit}
event: commit
data: ${JSON.stringify(example)}

`;

const streamDocs = `The stream continues until one side ends it. The data of a \`commit\` event is a \`CommitEvent\`. Its \`id\` is the position of the client: connect again with it as \`Last-Event-ID\`, as event sources do, or as \`?since=\`, and every later event is sent once. The first id, without data, is the position at the start.

Other events have \`hive\` and \`branch\` as data. \`reset\`, with \`commit\`: the position is no longer in the history of the branch, or a commit after it cannot be read; read the content again, and continue from that commit. \`removed\`: the Hive or the branch was deleted, or the token lost access to it.`;

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
    response: withExample(z.string(), exampleText),
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
  teamRoute({
    id: "listenToAll",
    method: "GET",
    path: "/api/events",
    ability: "read",
    requiresAllHives: false,
    group: "Events",
    summary: "Listen to the commits of several Hives",
    description: `The commits of \`main\` of all Hives that the token can read, or of the Hives in \`?hives=\`; at most ${maxHives}.\n\n${streamDocs} \`added\`, with \`commit\`: a Hive is new or became accessible, and is at that commit. Ids are texts to be kept as they are. The id of very many Hives has hashes of their slugs, so that it fits into a header; a Hive that was removed while the client was away is then not reported.`,
    query: eventsQuery,
    headers: eventHeaders,
    type: "text/event-stream",
    response: withExample(z.string(), exampleText),
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
