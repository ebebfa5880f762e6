/** Sends requests of commands to the storage of this machine, in this process, as its owner. */
import { z } from "zod";
import { ClientError } from "../../client/api/client-error.ts";
import { pageOf } from "../../client/api/http.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../client/api/transport.ts";
import { toConfig } from "../../config/settings.ts";
import { failure, messageOf } from "../../domain/errors.ts";
import { isRecord } from "../../domain/record.ts";
import { isHiveSlug, toHiveSlug, toTeamName } from "../../domain/names.ts";
import type { Team } from "../../domain/access/team.ts";
import type { Answered, AnsweredRoute, AnswerOwner } from "../../http/in-process.ts";
import type { Log } from "../../log.ts";
import type { OperationsStorage, Storage } from "../../service/storage.ts";
import { openNamed } from "../program/command.ts";

/** Errors that callers may not see are thrown, so nothing is left to log. */
const silent: Log = { error: () => {} };

/** The URL of requests that never leave the process. */
export const ownServer = "http://storage.invalid";

/** What is asked of a storage. */
interface Asked {
  readonly load: () => Promise<Answered>;
  /** The team to work in; if not given, it is the team of what the request names, or the only one. */
  readonly team: string | undefined;
  /** What the audit log names as the command. */
  readonly command: string;
}

/**
 * Opens the storage that the flags name.
 * @param flags the texts of settings, by their names.
 * @returns what answers requests to the routes there, and the folder of the storage.
 */
export async function openStorageTransport(
  flags: Readonly<Record<string, string>>,
  asked: Asked,
): Promise<{ readonly transport: Transport; readonly folder: string }> {
  const { storage: folder = "", otherHost = "", ...others } = flags;
  const config = toConfig(flags);
  const storage = await openNamed({ storage: folder, otherHost, ...others }, config);
  return { transport: await transportOn(storage, flags, asked), folder: storage.folder };
}

/** What answers requests on an opened storage; see {@link openStorageTransport}. */
export async function transportOn(
  storage: Storage,
  flags: Readonly<Record<string, string>>,
  { load, team, command }: Asked,
): Promise<Transport> {
  const { answersOwner, ownerError } = await import("../../http/in-process.ts");
  const answer = answersOwner({ ...toConfig(flags), storage, log: silent }, command);
  const implemented = await load();
  return async (url, sent) => {
    try {
      return await respond({ url, sent, storage, implemented, answer, team });
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const response = ownerError(error);
      // To the client, any other error of a transport is a connection that failed; here there is none.
      if (response === undefined) throw new ClientError("error", messageOf(error), { cause: error });
      return toHttp(response);
    }
  };
}

interface Answering {
  readonly url: string;
  readonly sent: HttpRequest;
  readonly storage: Storage;
  readonly implemented: Answered;
  readonly answer: AnswerOwner;
  readonly team: string | undefined;
}

async function respond(given: Answering): Promise<HttpResponse> {
  const { url, sent, storage, implemented, answer, team } = given;
  const { pathname, searchParams } = new URL(url);
  const { route, params } = routeOf(implemented, sent.method, pathname);
  const body: unknown = sent.body === undefined ? undefined : JSON.parse(sent.body);
  const hive = isRecord(body) ? body["hive"] : searchParams.get("hive");
  const { slug } = params;
  if (slug !== undefined) {
    const owner = await teamOfHive(storage, slug, team);
    return toHttp(await answer(route, { params, request: toRequest(given) }, owner));
  }
  const teams = await teamsFor(storage, implemented, { team, id: Object.values(params)[0], hive });
  if (route.operation?.verb === "list" && team === undefined) return listOfAll(given, route, teams);
  const [only, ...others] = teams;
  if (only === undefined || others.length > 0) throw teamNeeded(teams);
  return toHttp(await answer(route, { params, request: toRequest(given) }, only));
}

function toRequest({
  url,
  sent: { method, headers, body, signal },
}: Pick<Answering, "url" | "sent">): Request {
  return new Request(url, { method, headers, body, signal });
}

function toHttp({ status, headers, body }: Response): HttpResponse {
  return { status, headers, body };
}

/** A list that is not paged has no `meta`. */
const page = pageOf(z.record(z.string(), z.unknown())).partial({ meta: true });

/** The list of all teams, in one page, with the team of each entry. */
async function listOfAll(
  given: Answering,
  route: AnsweredRoute,
  teams: readonly Team[],
): Promise<HttpResponse> {
  const all: object[] = [];
  for (const team of teams) {
    for (let number = 1, last = 1; number <= last; number++) {
      const url = new URL(given.url);
      if (route.operation?.query !== undefined) url.searchParams.set("page", String(number));
      const request = toRequest({ ...given, url: url.href });
      const response = await given.answer(route, { params: {}, request }, team);
      if (!response.ok) return toHttp(response);
      const { data, meta } = page.parse(await response.json());
      last = meta?.last_page ?? last;
      for (const entry of data) all.push({ team: team.name, ...entry });
    }
  }
  return toHttp(Response.json({ data: all, meta: { last_page: 1 } }));
}

/** The operation that a request is for, with the parameters of its path. */
function routeOf({ routes }: Answered, method: string, pathname: string) {
  const parts = pathname.split("/");
  for (const route of Object.values(routes)) {
    const names = route.path.split("/");
    const isIt = names.every((name, i) => name.startsWith(":") || name === parts[i]);
    if (route.method !== method || names.length !== parts.length || !isIt) continue;
    const params: Record<string, string> = {};
    for (const [at, name] of names.entries()) {
      if (name.startsWith(":")) params[name.slice(1)] = decodeURIComponent(parts[at] ?? "");
    }
    return { route, params };
  }
  throw new Error(`no operation for ${method} ${pathname}`);
}

/**
 * The teams that a request may be about.
 * @throws SkepError `not-found` when there is no team, or nothing of the id that it names.
 */
async function teamsFor(
  storage: Storage,
  { teamOf }: Answered,
  {
    team,
    id,
    hive,
  }: { readonly team: string | undefined; readonly id: string | undefined; readonly hive: unknown },
): Promise<readonly Team[]> {
  const { registry } = storage;
  const { findTeam } = await import("../../service/admin/teams.ts");
  if (team !== undefined) return [await findTeam(storage, toTeamName(team))];
  if (id !== undefined && teamOf !== undefined) return [await findTeam(storage, await teamOf(storage, id))];
  const teams = await registry.teams();
  if (typeof hive !== "string" || !isHiveSlug(hive) || teams.length < 2) return teams;
  return [await registry.teamOfHive(hive)];
}

/**
 * The team of a Hive, whose repository a temporary copy has then.
 * @throws SkepError `not-found` when no team has the Hive, or another than the one that is named.
 */
async function teamOfHive(storage: OperationsStorage, text: string, name: string | undefined): Promise<Team> {
  const slug = toHiveSlug(text);
  const team = await storage.registry.teamOfHive(slug);
  if (name !== undefined && team.name !== name)
    throw failure("not-found", `The team ${name} has no Hive "${slug}".`, { publicCode: "unknown_hive" });
  await storage.refresh?.([slug]);
  return team;
}

function teamNeeded(teams: readonly Team[]): ClientError {
  const message =
    teams.length === 0
      ? "There is no team yet: skep team create makes one."
      : `There are several teams (${teams.map(({ name }) => name).join(", ")}): name one with --team.`;
  return new ClientError("misuse", message, { code: "team_needed" });
}
