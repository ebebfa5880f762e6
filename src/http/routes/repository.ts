/** A Hive as a git repository: the requests of `git clone`, `git fetch` and `git push`. See gitprotocol-http(5). */
import type { Readable } from "node:stream";
import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { SkepError, failure } from "../../domain/errors.ts";
import {
  flushPacket,
  maxUploadRequestBytes,
  toPacket,
  type ProtocolVersion,
} from "../../git/serve/pkt-line.ts";
import { advertisePush, formatPushReport, parsePushRequest } from "../../git/serve/push-request.ts";
import { type Caller, type HiveGrant, hiveWriteContext } from "../../service/access.ts";
import type { Clones } from "../../service/operations/clones.ts";
import type { Pushes, PushAnswer } from "../../service/operations/pushes.ts";
import { accessHive, gitToken } from "../pipeline/access.ts";
import type { Shared } from "../pipeline/shared.ts";
import { readUnpacked } from "../requests/body.ts";
import type { ErrorForm } from "../responses/error-response.ts";
import { addToTrace } from "../requests/trace.ts";

/** The addresses of all repositories, for the router. */
export const repositoryPaths = "/hives/**";

export interface RepositoryOptions {
  readonly shared: Shared;
  readonly clones: Clones;
  readonly pushes: Pushes;
}

interface RepositoryRequest extends RepositoryOptions {
  readonly event: H3Event;
  readonly caller: Caller;
  readonly hive: HiveGrant;
}

interface RepositoryRoute {
  readonly method: "GET" | "POST";
  readonly handler: (request: RepositoryRequest) => Promise<Response>;
}

const repositoryPath = /^\/hives\/([^/]+?)(?:\.git)?(?:\/(.*))?$/;
const requestType = "application/x-git-upload-pack-request";
const pushRequestType = "application/x-git-receive-pack-request";

const routes = new Map<string, RepositoryRoute>([
  ["info/refs", { method: "GET", handler: advertise }],
  ["git-upload-pack", { method: "POST", handler: upload }],
  ["git-receive-pack", { method: "POST", handler: receive }],
]);

/**
 * The form of errors for git, which asks for a password only when it is challenged, and shows its user only plain text.
 */
export function gitErrorForm(event: H3Event): ErrorForm {
  const isGit = event.req.headers.get("user-agent")?.startsWith("git/") === true;
  return { challenge: 'Basic realm="skep", charset="UTF-8"', plain: isGit };
}

/**
 * Answers a request to a repository.
 * @throws SkepError as {@link accessHive} does; `not-found` for addresses that git's smart protocol does not have; then
 * as {@link Clones.serve} does.
 */
export async function handleRepository(event: H3Event, options: RepositoryOptions): Promise<Response> {
  const [, slug = "", path = ""] = repositoryPath.exec(event.url.pathname) ?? [];
  const credential = gitToken(event.req.headers.get("authorization"));
  const { caller, hive } = await accessHive(event, options.shared, credential, { slug, ability: "read" });
  const route = routes.get(path);
  if (route === undefined) {
    throw failure("not-found", "This address is a git repository: use git clone.");
  }
  const { method } = event.req;
  if (method !== route.method) {
    const allow = [route.method];
    throw new SkepError("method-not-allowed", `${method} is not possible here; use ${allow[0]}.`, { allow });
  }
  return route.handler({ ...options, event, caller, hive });
}

async function advertise(request: RepositoryRequest): Promise<Response> {
  const { event, clones, hive, shared } = request;
  const services = event.url.searchParams.getAll("service");
  const [service] = services;
  if (services.length !== 1 || (service !== "git-upload-pack" && service !== "git-receive-pack")) {
    throw failure("forbidden", "Only git's smart HTTP protocol is served; use git 1.6.6 or later.");
  }
  if (service === "git-receive-pack") return advertisePushes(request);
  const output = await withoutTimeout(event, () =>
    clones.serve(shared.options.storage, hive, requestOf(event)),
  );
  return respond("application/x-git-upload-pack-advertisement", output);
}

/** Answers a further request of a clone or fetch. */
async function upload({ event, clones, hive, shared }: RepositoryRequest): Promise<Response> {
  const { storage, bodyLimit } = shared.options;
  if (event.req.headers.get("content-type") !== requestType) {
    throw failure("unsupported-media-type", `Content-Type must be ${requestType}.`);
  }
  const share = shared.budget.open(hive.team);
  try {
    const body = await readUnpacked(event, Math.min(bodyLimit, maxUploadRequestBytes), share);
    const output = await withoutTimeout(event, () =>
      clones.serve(storage, hive, { ...requestOf(event), body }),
    );
    return respond("application/x-git-upload-pack-result", output);
  } finally {
    share.release();
  }
}

/** Runs something that may wait without traffic, such as a clone before its turn: the client has not stalled then. */
async function withoutTimeout<T>(event: H3Event, run: () => Promise<T>): Promise<T> {
  const socket = event.runtime?.node?.req?.socket;
  const before = socket?.timeout ?? 0;
  socket?.setTimeout(0);
  try {
    return await run();
  } finally {
    socket?.setTimeout(before);
  }
}

/** Access to write, which a push needs besides access to read. */
async function pushGrant({ event, shared, caller, hive: { slug } }: RepositoryRequest): Promise<HiveGrant> {
  const { hive } = await accessHive(event, shared, caller, { slug, ability: "write" });
  return hive;
}

async function advertisePushes(request: RepositoryRequest): Promise<Response> {
  const { storage } = request.shared.options;
  const { slug } = await pushGrant(request);
  const type = "application/x-git-receive-pack-advertisement";
  const refusal = await request.pushes.refusal(storage, slug);
  if (refusal !== undefined) {
    // The one form in which every git shows it to its user as it is.
    return respond(
      type,
      Buffer.concat([toPacket("# service=git-receive-pack\n"), flushPacket, toPacket(`ERR ${refusal}`)]),
    );
  }
  const branches = await storage.hives.at(slug).branches.list();
  return respond(type, advertisePush(branches));
}

async function receive(request: RepositoryRequest): Promise<Response> {
  const { event, pushes, shared } = request;
  const { storage, bodyLimit } = shared.options;
  const hive = await pushGrant(request);
  const refusal = await pushes.refusal(storage, hive.slug);
  if (refusal !== undefined) throw failure("forbidden", refusal, { publicCode: "push_refused" });
  if (event.req.headers.get("content-type") !== pushRequestType) {
    throw failure("unsupported-media-type", `Content-Type must be ${pushRequestType}.`);
  }
  const share = shared.budget.open(hive.team);
  try {
    const push = parsePushRequest(await readUnpacked(event, bodyLimit, share));
    const type = "application/x-git-receive-pack-result";
    if (push === undefined) return respond(type, Buffer.alloc(0));
    const context = hiveWriteContext(storage, hive);
    const receivePush = (): Promise<PushAnswer> =>
      pushes.receive(storage, hive, push, context, event.req.signal);
    const { results, messages, error } = await withoutTimeout(event, receivePush);
    if (error !== undefined) addToTrace(event.req, { code: error.code });
    return respond(type, formatPushReport(push.reportFormat, results, messages));
  } finally {
    share.release();
  }
}

function requestOf(event: H3Event) {
  return { version: versionOf(event.req.headers.get("git-protocol")), signal: event.req.signal };
}

/** The version in a `Git-Protocol` header, whose keys are separated by colons. Its other keys are ignored. */
function versionOf(header: string | null): ProtocolVersion | undefined {
  const keys = header?.split(":") ?? [];
  return ([2, 1, 0] as const).find((version) => keys.includes(`version=${version}`));
}

function respond(type: string, body: Buffer | Readable): Response {
  return new FastResponse(body, {
    headers: [
      ["content-type", type],
      ["cache-control", "no-store"],
    ],
  });
}
