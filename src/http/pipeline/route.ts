/** What a route is: data that the app wraps with authentication, limits and errors. */
import type { H3Event } from "h3";
import type { Ability } from "../../domain/access/token.ts";
import type { Caller, HiveGrant, TeamGrant } from "../../service/access.ts";
import type { WriteContext } from "../../service/write-context.ts";
import type { Versioned } from "../../service/content/queries.ts";
import type { Readiness } from "../../service/operations/readiness.ts";
import type { Storage } from "../../service/storage.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import type { RouteDocs } from "../openapi/route-docs.ts";

/** A request to one Hive from a caller who may make it. */
export interface HiveRequest {
  readonly event: H3Event;
  readonly storage: Storage;
  /** Holds the parts of responses that are made of several. */
  readonly responses: ResponseCache;
  readonly hive: HiveGrant;
  /** Whether the caller may be shown texts: a token that can only write must not read them in answers to writes. */
  readonly canRead: boolean;
  /** A decoded part of the path. */
  readonly param: (name: string) => string;
  /** The query parameters; one that is given more than once is a list. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The body as it came, and read as JSON. */
  readonly readBody: () => Promise<Buffer>;
  readonly readJson: () => Promise<unknown>;
  /** Ends a slow read. */
  readonly signal?: AbortSignal | undefined;
}

/** A change of a Hive, and what its caller wants kept to. */
export interface WriteRequest extends HiveRequest {
  readonly context: WriteContext;
}

/** A question about a Hive, whose answer depends on its repository and on the URL alone. */
export interface HiveReadRoute {
  readonly kind: "hive-read";
  readonly method: "GET";
  /** With `:slug` for the Hive. */
  readonly path: string;
  readonly ability: "read";
  readonly handler: (request: HiveRequest) => Promise<Versioned<Uint8Array>>;
  /** Whether answering such a query may cost seconds; it waits for its team's turn then. */
  readonly isSlow?: (query: HiveRequest["query"]) => boolean;
  readonly docs: RouteDocs;
}

/** A change of a Hive. */
export interface HiveWriteRoute {
  readonly kind: "hive-write";
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly ability: Ability;
  /** Whether its answer is what its commit counts, and can be given again from there. */
  readonly isRepeatable?: boolean;
  readonly handler: (request: WriteRequest) => Promise<Response>;
  readonly docs: RouteDocs;
}

export type HiveRoute = HiveReadRoute | HiveWriteRoute;

/** A request that is not about one Hive, from a caller who may make it. */
export interface CallerRequest {
  readonly storage: Storage;
  readonly caller: Caller;
}

/** A question that is not about one Hive. */
export interface CallerRoute {
  readonly kind: "caller";
  readonly method: "GET";
  readonly path: string;
  readonly ability: "read";
  readonly handler: (request: CallerRequest) => Promise<Versioned<Uint8Array>>;
  readonly docs: RouteDocs;
}

/** What there is without a token. */
export interface OpenShared {
  readonly responses: ResponseCache;
  readonly readiness: Readiness;
}

/** What needs no token. */
export interface OpenRoute {
  readonly kind: "open";
  readonly method: "GET";
  readonly path: string;
  readonly handler: (event: H3Event, shared: OpenShared) => Promise<Response>;
  readonly docs: RouteDocs;
}

/** A request about the caller's team. */
export interface TeamRequest extends Pick<HiveRequest, "event" | "storage" | "param" | "query" | "readJson"> {
  readonly caller: Caller;
  readonly grant: TeamGrant;
  readonly context: WriteContext;
}

/** What is asked of the caller's team, rather than of one of its Hives. */
export interface TeamRoute {
  readonly kind: "team";
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly ability: Ability;
  /** Whether it takes a token that reaches all Hives of the team. */
  readonly requiresAllHives: boolean;
  readonly handler: (request: TeamRequest) => Promise<Response>;
  readonly docs: RouteDocs;
}

export type Route = HiveRoute | CallerRoute | TeamRoute | OpenRoute;
