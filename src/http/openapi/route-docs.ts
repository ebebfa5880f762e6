/** The properties of routes from which the OpenAPI document is made. */
import type { z } from "zod";
import type { Ability } from "../../domain/access/token.ts";
import type { groups } from "../../api/groups.ts";
import type { Shown } from "../../api/operation.ts";
import type { ErrorCode } from "../../domain/errors.ts";

export interface DescribedRoute {
  /** Decides how a request is authorised and answered. */
  readonly kind: "hive-read" | "hive-write" | "hive-stream" | "caller" | "team" | "open";
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` for a parameter. */
  readonly path: string;
  /** Absent for a route that is open to all. */
  readonly ability?: Ability;
  /** Whether the token must reach all Hives of the team. */
  readonly requiresAllHives?: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  readonly isRepeatable?: boolean;
  readonly takesBranch?: boolean;
  /** Unique among all routes; generated clients name their functions by it. */
  readonly id: string;
  readonly group: keyof typeof groups;
  readonly summary: string;
  /** Further details, in Markdown. */
  readonly description?: string;
  /** The schema that checks the query parameters, each with a description; without it, parameters are refused. */
  readonly query?: z.ZodObject;
  /** The schema that checks the body, which is JSON. */
  readonly body?: Shown<z.ZodObject>;
  /** The successful response; a string schema if it is not JSON. Its example is made of examples of its members. */
  readonly response: z.ZodType;
  /** The status of that response, 200 by default. */
  readonly status?: 200 | 201 | 202;
  /** The status of the same response where there was nothing to create. */
  readonly repeatedStatus?: 200;
  /** Its media type, `application/json` by default. */
  readonly type?: string;
  /** Whether the response names a commit; by default, all responses about a Hive do. */
  readonly hasCommit?: boolean;
  /** Whether the response has an ETag; responses to reads of a Hive always do. */
  readonly hasETag?: true;
  /** Further headers of requests. */
  readonly headers?: z.ZodObject;
  /** Further error codes than all routes of its kind have; see {@link errorsOf}. */
  readonly errors?: readonly ErrorCode[];
}

/** Whether a route writes to a Hive, so that it takes preconditions. */
export function isHiveWrite({ kind }: DescribedRoute): boolean {
  return kind === "hive-write";
}

/** Whether a route has an ETag, and answers 304 to callers who have the current version. */
export function hasETag(route: DescribedRoute): boolean {
  return route.kind === "hive-read" || route.hasETag === true;
}

/** Whether a route's response names the commit that it was made from, or that the request made. */
export function hasCommit(route: DescribedRoute): boolean {
  return route.hasCommit ?? route.path.includes(":slug");
}
