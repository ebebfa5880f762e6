/**
 * The kinds of routes. A route is data, to which the pipeline adds authentication, limits and errors. The handler gets the
 * query and the body as the route's schemas convert them, and returns a value that `encode` writes by the response's
 * schema.
 */
import type { H3Event } from "h3";
import type { z, ZodObject, ZodType } from "zod";
import type { Ability } from "../../domain/access/token.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { Oid } from "../../domain/names.ts";
import type { Caller, HiveGrant, TeamGrant, CommitResult, WriteContext } from "../../service/access.ts";
import type { Versioned } from "../../service/content/queries.ts";
import type { Streams } from "../../service/events/streams.ts";
import type { Mailing } from "../../service/mail/mailing.ts";
import type { RunSlowRead } from "../../service/slow-reads.ts";
import type { Storage, StorageBase } from "../../service/storage.ts";
import type { Representation } from "../responses/respond.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import type { Shown } from "../../api/operation.ts";
import type { DescribedRoute } from "../openapi/route-docs.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import type { eventQuery } from "../schemas/event-schemas.ts";
import type { Shared } from "./shared.ts";

/** The query parameters of a request, apart from `branch` and `min_commit`; a repeated one is a list. */
export type Query = Readonly<Record<string, unknown>>;

interface AuthorisedRequest<Params> {
  readonly event: H3Event;
  readonly storage: Storage;
  readonly streams: Streams;
  /** A decoded part of the path. */
  readonly param: (name: string) => string;
  readonly query: Params;
}

/** An authorised request to one Hive. */
export interface HiveRequest<Params = Query> extends AuthorisedRequest<Params> {
  /** Caches the parts of composed responses. */
  readonly responses: ResponseCache;
  readonly hive: HiveGrant;
  readonly caller: Caller;
  /** The Hive at the branch that the request is about. */
  readonly branch: HiveBranch;
  /** Whether the caller may see texts: a token that can only write must not read them in responses to writes. */
  readonly canRead: boolean;
  /** Stops a slow read. */
  readonly signal?: AbortSignal;
}

export interface WriteRequest<Params = Query, Body = unknown> extends HiveRequest<Params> {
  readonly body: Body;
  readonly context: WriteContext;
}

export interface TeamRequest<Params = Query, Body = unknown> extends AuthorisedRequest<Params> {
  readonly body: Body;
  readonly caller: Caller;
  readonly grant: TeamGrant;
  readonly context: WriteContext;
  readonly runSlowRead: RunSlowRead;
  /** The address of the server as people open it. */
  readonly publicUrl: string | undefined;
  /** Undefined where no mails can be sent. */
  readonly mailing: Mailing | undefined;
}

/** The answer to a change. The findings and the preview of its commit are added to the result in the response. */
export type Answer<Body> = Omit<Partial<CommitResult<unknown>>, "result"> & {
  readonly result: Body;
  /** If it differs from the status of the route. */
  readonly status?: 200;
};

/** The properties by which a route is declared, beside its specification. */
interface Declared<Kind extends DescribedRoute["kind"]> extends Pick<
  DescribedRoute,
  "id" | "method" | "path" | "group"
> {
  readonly kind: Kind;
}

/** The schemas of a route and its other properties. */
interface Spec<Params extends ZodObject, Body extends ZodObject, Result extends ZodType> extends Omit<
  DescribedRoute,
  keyof Declared<"open"> | "ability"
> {
  readonly query?: Params;
  readonly body?: Shown<Body>;
  readonly response: Result;
}

// Handlers are written as methods, which a list of routes may hold whatever their queries and bodies are.

interface HiveReadSpec<Params extends ZodObject, Result extends ZodType> extends Spec<
  Params,
  ZodObject,
  Result
> {
  handler(
    request: HiveRequest<z.output<Params>>,
  ): Promise<Versioned<Encodable<z.input<Result>> | Uint8Array> & Representation>;
  /** Whether answering a query may take seconds; such reads are bounded per team. */
  isSlow?(query: z.output<Params>): boolean;
}

/** A read of a Hive, whose response depends only on its repository and the URL. */
export interface HiveReadRoute extends HiveReadSpec<ZodObject, ZodType>, Declared<"hive-read"> {
  readonly ability: "read";
}

export interface WriteOptions {
  readonly dry_run?: boolean;
  readonly max_deletions?: number;
  readonly checks?: "warn";
}

interface HiveWriteSpec<
  Params extends ZodObject,
  Body extends ZodObject,
  Result extends ZodObject,
> extends Spec<Params, Body, Result> {
  /** What every request needs, if that differs from its group; a service may ask for more, by what the request is about. */
  readonly ability?: Ability;
  readonly query?: Params & ZodType<WriteOptions>;
  /** Whether its response is the counts of its commit, so that it can be given again from the commit. */
  readonly isRepeatable?: boolean;
  /** Whether it has dry runs, whose answers have further members. */
  readonly hasDryRun?: true;
  /** Completes an operation that was done before, and returns the members of its response that are not in its commit. */
  repeated?(request: WriteRequest<z.output<Params>, z.output<Body>>, commit: Oid): Promise<object>;
  /** Whether its commits and preconditions are about the branch that its path names, as `:branch`. */
  readonly changesBranchInPath?: boolean;
  handler(
    request: WriteRequest<z.output<Params>, z.output<Body>>,
  ): Promise<Answer<Encodable<z.input<Result>>>>;
}

export interface HiveWriteRoute
  extends HiveWriteSpec<ZodObject, ZodObject, ZodObject>, Declared<"hive-write"> {
  readonly ability: Ability;
}

/**
 * Declares routes of Hives in one group of the reference.
 * @param ability what their writes need. Reads need `read`.
 * @param common further properties that they have in common. A route may have another value of each.
 */
export function hiveGroup(
  group: DescribedRoute["group"],
  ability: Ability,
  common: Pick<DescribedRoute, "takesBranch" | "hasCommit"> = {},
) {
  return {
    hiveRead: <Params extends ZodObject, Result extends ZodType>(
      id: string,
      path: string,
      spec: HiveReadSpec<Params, Result>,
    ): HiveReadRoute => ({
      kind: "hive-read",
      id,
      method: "GET",
      path,
      group,
      ability: "read",
      ...common,
      ...spec,
    }),
    hiveWrite: <Params extends ZodObject, Body extends ZodObject, Result extends ZodObject>(
      id: string,
      method: "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      spec: HiveWriteSpec<Params, Body, Result>,
    ): HiveWriteRoute => ({ kind: "hive-write", id, method, path, group, ability, ...common, ...spec }),
  };
}

/** Who may use a route of a team. */
interface TeamAccess {
  readonly ability: "read" | "admin";
  /** Whether the token must reach all Hives of the team. */
  readonly requiresAllHives: boolean;
}

interface TeamSpec<Params extends ZodObject, Body extends ZodObject, Result extends ZodType>
  extends Omit<Spec<Params, Body, Result>, keyof TeamAccess>, Partial<TeamAccess> {
  handler(
    request: TeamRequest<z.output<Params>, z.output<Body>>,
  ): Promise<Answer<Encodable<z.input<Result>>> | Response>;
}

export interface TeamRoute
  extends Omit<TeamSpec<ZodObject, ZodObject, ZodType>, keyof TeamAccess>, TeamAccess, Declared<"team"> {}

/**
 * Declares routes of a team in one group of the reference.
 * @param access who may use them, if a route does not say otherwise.
 */
export function teamGroup(group: DescribedRoute["group"], access: TeamAccess) {
  return function teamRoute<Params extends ZodObject, Body extends ZodObject, Result extends ZodType>(
    id: string,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    spec: TeamSpec<Params, Body, Result>,
  ): TeamRoute {
    return { kind: "team", id, method, path, group, ...access, ...spec };
  };
}

/** A stream of events about a Hive, which goes on until one side ends it. */
export interface HiveStreamRoute extends DescribedRoute {
  readonly kind: "hive-stream";
  readonly ability: "read";
  readonly query: typeof eventQuery;
  readonly handler: (request: HiveRequest<z.output<typeof eventQuery>>) => Promise<Response>;
}

/** A read that is not about one Hive. */
export interface CallerRoute extends DescribedRoute {
  readonly kind: "caller";
  readonly ability: "read";
  /** @param runSlowRead runs a part of the answer that may take seconds; see {@link SlowReads.run}. */
  readonly handler: (
    storage: StorageBase,
    caller: Caller,
    runSlowRead: RunSlowRead,
  ) => Promise<Versioned<unknown>>;
}

export interface OpenRoute extends DescribedRoute {
  readonly kind: "open";
  readonly handler: (event: H3Event, shared: Shared) => Promise<Response>;
}

/** A route that needs no token. @param id its operation in the OpenAPI document. */
export function openRoute(
  id: string,
  method: "GET" | "POST",
  path: string,
  spec: Omit<OpenRoute, "kind" | "id" | "method" | "path">,
): OpenRoute {
  return { kind: "open", id, method, path, ...spec };
}

export type HiveRoute = HiveReadRoute | HiveWriteRoute | HiveStreamRoute;
export type Route = HiveRoute | CallerRoute | TeamRoute | OpenRoute;
