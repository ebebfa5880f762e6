/**
 * The kinds of routes. A route is data, to which the pipeline adds authentication, limits and errors. The handler gets the
 * query and the body as the route's schemas convert them, and returns a value of the response's schema.
 */
import type { H3Event } from "h3";
import type { z } from "zod";
import type { Ability } from "../../domain/access/token.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { Oid } from "../../domain/names.ts";
import type { Caller, HiveGrant, TeamGrant } from "../../service/access.ts";
import type { CommitResult, WriteContext } from "../../service/write-context.ts";
import type { Versioned } from "../../service/content/queries.ts";
import type { Streams } from "../../service/events/streams.ts";
import type { Slowly } from "../../service/slow-reads.ts";
import type { Storage } from "../../service/storage.ts";
import type { Representation } from "../responses/respond.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import type { DescribedRoute, Shown } from "../openapi/route-docs.ts";
import type { eventQuery } from "../schemas/event-schemas.ts";
import type { Shared } from "./shared.ts";

/** The query parameters of a request, apart from `branch` and `min_commit`; a repeated one is a list. */
export type Query = Readonly<Record<string, unknown>>;

/** An authorised request. */
interface AuthorisedRequest<Params> {
  readonly event: H3Event;
  readonly storage: Storage;
  /** The open streams of events. */
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

/** An authorised write to a Hive, with its preconditions and the options of its query. */
export interface WriteRequest<Params = Query, Body = unknown> extends HiveRequest<Params> {
  readonly body: Body;
  readonly context: WriteContext;
}

/** An authorised request about the caller's team. */
export interface TeamRequest<Params = Query, Body = unknown> extends AuthorisedRequest<Params> {
  readonly body: Body;
  readonly caller: Caller;
  readonly grant: TeamGrant;
  readonly context: WriteContext;
  /** Runs a read that may take seconds. */
  readonly slowly: Slowly;
  /** The address of the server as people open it. */
  readonly publicUrl: string | undefined;
}

/** The answer to a change. The findings and the preview of its commit are added to the result in the response. */
export type Answer<Body> = Omit<Partial<CommitResult<unknown>>, "result"> & {
  readonly result: Body;
  /** Where it is not that of the route. */
  readonly status?: 200;
};

/** The schemas of a route and its other properties, apart from the ones that its kind decides. */
interface Spec<Params extends z.ZodObject, Body extends z.ZodObject, Result extends z.ZodType> extends Omit<
  DescribedRoute,
  "kind" | "method" | "ability"
> {
  readonly query?: Params;
  readonly body?: Shown<Body>;
  readonly response: Shown<Result>;
}

// Handlers are written as methods, which a list of routes may hold whatever their queries and bodies are.

interface HiveReadSpec<Params extends z.ZodObject, Response extends z.ZodType> extends Spec<
  Params,
  z.ZodObject,
  Response
> {
  handler(
    request: HiveRequest<z.output<Params>>,
  ): Promise<Versioned<z.input<Response> | Uint8Array> & Representation>;
  /** Whether answering a query may take seconds; such reads are bounded per team. */
  isSlow?(query: z.output<Params>): boolean;
}

/** A read of a Hive, whose response depends only on its repository and the URL. */
export interface HiveReadRoute extends HiveReadSpec<z.ZodObject, z.ZodType> {
  readonly kind: "hive-read";
  readonly method: "GET";
  readonly ability: "read";
}

/** Makes a read of a Hive. */
export function hiveRead<Params extends z.ZodObject, Response extends z.ZodType>(
  spec: HiveReadSpec<Params, Response>,
): HiveReadRoute {
  return { kind: "hive-read", method: "GET", ability: "read", ...spec };
}

/** The options of a write's query that are part of its context. */
export interface WriteOptions {
  readonly dry_run?: boolean;
  readonly max_deletions?: number;
  readonly checks?: "warn";
}

interface HiveWriteSpec<
  Params extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodObject,
> extends Spec<Params, Body, Response> {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** What every request needs; a service may ask for more, by what the request is about. */
  readonly ability: Ability;
  readonly query?: Params & z.ZodType<WriteOptions>;
  /** Whether its response is the counts of its commit, so that it can be given again from the commit. */
  readonly isRepeatable?: boolean;
  /** Completes an operation that was done before, and returns the members of its response that are not in its commit. */
  repeated?(request: WriteRequest<z.output<Params>, z.output<Body>>, commit: Oid): Promise<object>;
  /** Whether its commits and preconditions are about the branch that its path names, as `:branch`. */
  readonly changesBranchInPath?: boolean;
  handler(request: WriteRequest<z.output<Params>, z.output<Body>>): Promise<Answer<z.input<Response>>>;
}

/** A write to a Hive. */
export interface HiveWriteRoute extends HiveWriteSpec<z.ZodObject, z.ZodObject, z.ZodObject> {
  readonly kind: "hive-write";
}

/** Makes a write to a Hive. */
export function hiveWrite<Params extends z.ZodObject, Body extends z.ZodObject, Response extends z.ZodObject>(
  spec: HiveWriteSpec<Params, Body, Response>,
): HiveWriteRoute {
  return { kind: "hive-write", ...spec };
}

interface TeamSpec<
  Params extends z.ZodObject,
  Body extends z.ZodObject,
  Result extends z.ZodType,
> extends Spec<Params, Body, Result> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly ability: "read" | "admin";
  /** Whether the token must reach all Hives of the team. */
  readonly requiresAllHives: boolean;
  handler(
    request: TeamRequest<z.output<Params>, z.output<Body>>,
  ): Promise<Answer<z.input<Result>> | Response>;
}

/** A route about the caller's team, rather than about one of its Hives. */
export interface TeamRoute extends TeamSpec<z.ZodObject, z.ZodObject, z.ZodType> {
  readonly kind: "team";
}

/** Makes a route about the caller's team. */
export function teamRoute<Params extends z.ZodObject, Body extends z.ZodObject, Result extends z.ZodType>(
  spec: TeamSpec<Params, Body, Result>,
): TeamRoute {
  return { kind: "team", ...spec };
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
  /** @param slowly runs a part of the answer that may take seconds; see {@link SlowReads.run}. */
  readonly handler: (storage: Storage, caller: Caller, slowly: Slowly) => Promise<Versioned<unknown>>;
}

/** A route without authentication. */
export interface OpenRoute extends DescribedRoute {
  readonly kind: "open";
  readonly handler: (event: H3Event, shared: Shared) => Promise<Response>;
}

export type HiveRoute = HiveReadRoute | HiveWriteRoute | HiveStreamRoute;
export type Route = HiveRoute | CallerRoute | TeamRoute | OpenRoute;
