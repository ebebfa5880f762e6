/** The kinds of routes. A route is data, to which the pipeline adds authentication, limits and errors. */
import type { H3Event } from "h3";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { Ability } from "../../domain/access/token.ts";
import type { Oid } from "../../domain/names.ts";
import type { Caller, HiveGrant, TeamGrant } from "../../service/access.ts";
import type { WriteContext } from "../../service/write-context.ts";
import type { Versioned } from "../../service/content/queries.ts";
import type { Following } from "../../service/replication/follower.ts";
import type { Readiness } from "../../service/operations/readiness.ts";
import type { Streams } from "../../service/events/streams.ts";
import type { SlowReads, Slowly } from "../../service/slow-reads.ts";
import type { Storage } from "../../service/storage.ts";
import type { ReadFastPath } from "../responses/read-fast-path.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import type { RouteDocs } from "../openapi/route-docs.ts";

/** An authorised request to one Hive. */
export interface HiveRequest {
  readonly event: H3Event;
  readonly storage: Storage;
  /** Caches the parts of composed responses. */
  readonly responses: ResponseCache;
  readonly hive: HiveGrant;
  /** The Hive at the branch that the request is about. */
  readonly branch: HiveBranch;
  /** Whether the caller may see texts: a token that can only write must not read them in responses to writes. */
  readonly canRead: boolean;
  /** A decoded part of the path. */
  readonly param: (name: string) => string;
  /** The query parameters, without `branch` where the route takes it; a repeated one is a list. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The body as bytes, and parsed as JSON. */
  readonly readBody: () => Promise<Buffer>;
  readonly readJson: () => Promise<unknown>;
  /** The open streams of events. */
  readonly streams: Streams;
  /** Stops a slow read. */
  readonly signal?: AbortSignal;
}

/** An authorised write to a Hive, with its preconditions. */
export interface WriteRequest extends HiveRequest {
  readonly context: WriteContext;
}

/** A read of a Hive, whose response depends only on its repository and the URL. */
export interface HiveReadRoute {
  readonly kind: "hive-read";
  readonly method: "GET";
  /** With `:slug` for the Hive. */
  readonly path: string;
  readonly ability: "read";
  /** Whether it takes `?branch=`. */
  readonly takesBranch?: boolean;
  readonly handler: (request: HiveRequest) => Promise<Versioned<Uint8Array>>;
  /** Whether answering a query may take seconds; such reads are bounded per team. */
  readonly isSlow?: (query: HiveRequest["query"]) => boolean;
  readonly docs: RouteDocs;
}

/** A write to a Hive. */
export interface HiveWriteRoute {
  readonly kind: "hive-write";
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly ability: Ability;
  /** Whether its response is the counts of its commit, so that it can be given again from the commit. */
  readonly isRepeatable?: boolean;
  /** Completes what a repeated request did before, and gives what its commit's counts do not tell of it. */
  readonly repeated?: (request: WriteRequest, commit: Oid) => Promise<object>;
  /** Whether it takes `?branch=`. */
  readonly takesBranch?: boolean;
  /** Whether its commits and preconditions are about the branch that its path names, as `:branch`. */
  readonly changesBranchInPath?: boolean;
  readonly handler: (request: WriteRequest) => Promise<Response>;
  readonly docs: RouteDocs;
}

/** A stream of events about a Hive, which goes on until one side ends it. */
export interface HiveStreamRoute {
  readonly kind: "hive-stream";
  readonly method: "GET";
  readonly path: string;
  readonly ability: "read";
  readonly takesBranch: true;
  readonly handler: (request: HiveRequest) => Promise<Response>;
  readonly docs: RouteDocs;
}

export type HiveRoute = HiveReadRoute | HiveWriteRoute | HiveStreamRoute;

/** An authorised request that is not about one Hive. */
export interface CallerRequest {
  readonly storage: Storage;
  readonly caller: Caller;
  /** Runs a part of the answer that may take seconds; see {@link SlowReads.run}. */
  readonly slowly: Slowly;
}

/** A read that is not about one Hive. */
export interface CallerRoute {
  readonly kind: "caller";
  readonly method: "GET";
  readonly path: string;
  readonly ability: "read";
  readonly handler: (request: CallerRequest) => Promise<Versioned<Uint8Array>>;
  readonly docs: RouteDocs;
}

/** What handlers of open routes may use. */
export interface OpenShared {
  readonly options: {
    readonly storage: Storage;
    readonly channelMaxAge?: number;
    readonly following?: Following;
  };
  readonly responses: ResponseCache;
  readonly fastPath: ReadFastPath;
  readonly slowReads: SlowReads;
  readonly readiness: Readiness;
}

/** A route without authentication. */
export interface OpenRoute {
  readonly kind: "open";
  readonly method: "GET";
  readonly path: string;
  readonly handler: (event: H3Event, shared: OpenShared) => Promise<Response>;
  readonly docs: RouteDocs;
}

/** An authorised request about the caller's team. */
export interface TeamRequest extends Pick<
  HiveRequest,
  "event" | "storage" | "streams" | "param" | "query" | "readJson"
> {
  readonly caller: Caller;
  readonly grant: TeamGrant;
  readonly context: WriteContext;
}

/** A route about the caller's team, rather than about one of its Hives. */
export interface TeamRoute {
  readonly kind: "team";
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly ability: Ability;
  /** Whether the token must reach all Hives of the team. */
  readonly requiresAllHives: boolean;
  readonly handler: (request: TeamRequest) => Promise<Response>;
  readonly docs: RouteDocs;
}

export type Route = HiveRoute | CallerRoute | TeamRoute | OpenRoute;
