/** The input of a request: parts of the path, the query, and the body, whose memory is accounted to its team. */
import { getQuery, type H3Event } from "h3";
import { z } from "zod";
import { toOrigin } from "../../domain/commits/origin.ts";
import type { TeamName } from "../../domain/names.ts";
import type { CallerMetadata } from "../../service/access.ts";
import type { Shown } from "../../api/operation.ts";
import type { DescribedRoute } from "../openapi/route-docs.ts";
import { parseBody, readJsonBody } from "../requests/body.ts";
import { check } from "../schemas/schemas.ts";
import type { Query } from "./route.ts";
import type { Shared } from "./shared.ts";

const noQuery = z.strictObject({});

type BranchParams = Pick<DescribedRoute, "kind" | "takesBranch">;

/**
 * The query of a request: the parameters that say which commit of a Hive it is about, as given, and the others, for
 * {@link checkQuery}.
 */
export function queryOf(
  event: H3Event,
  route: BranchParams,
): { readonly query: Query; readonly branch?: unknown; readonly minCommit?: unknown } {
  const { branch, min_commit: minCommit, ...others } = getQuery<Record<string, unknown>>(event);
  const taken = branchParams(route);
  const query = {
    ...others,
    ...(taken.includes("branch") || branch === undefined ? {} : { branch }),
    ...(taken.includes("min_commit") || minCommit === undefined ? {} : { min_commit: minCommit }),
  };
  return {
    query,
    branch: taken.includes("branch") ? branch : undefined,
    minCommit: taken.includes("min_commit") ? minCommit : undefined,
  };
}

/**
 * The query parameters as the route's schema makes them. It is strict, and a route without one takes none, so a misspelt
 * parameter is never ignored.
 * @throws SkepError `invalid` naming every refused parameter.
 */
export function checkQuery<Params extends z.ZodObject>(
  route: { readonly query?: Params } & Partial<BranchParams>,
  query: Query,
): z.output<Params> | z.output<typeof noQuery> {
  return check(route.query ?? noQuery, query, "query", branchParams(route));
}

/** The query parameters that {@link queryOf} takes out of the others. */
export function branchParams({ kind, takesBranch = false }: Partial<BranchParams>): readonly string[] {
  return [...(takesBranch ? ["branch"] : []), ...(kind === "hive-read" ? ["min_commit"] : [])];
}

/**
 * A decoded part of a request's path; empty where the route has none of the name.
 * @throws URIError for a part that cannot be decoded.
 */
export function paramOf(event: H3Event, name: string): string {
  return decodeURIComponent(event.context.params?.[name] ?? "");
}

/** The body of a request, which stays in memory until the request is answered. */
export interface RequestBody {
  /** @throws SkepError as {@link readJsonBody} does. */
  readonly bytes: () => Promise<Buffer>;
  /**
   * The body as sent, and as its schema makes it; an empty one for a route without a body.
   * @throws SkepError `invalid` naming every invalid member, and as {@link parseBody} does.
   */
  readonly read: (shown: Shown<z.ZodObject> | undefined) => Promise<ReadBody>;
}

interface ReadBody {
  readonly sent: unknown;
  readonly body: z.output<z.ZodObject>;
}

/** Answers a request with its body. @throws SkepError as `handler` does. */
export async function withBody(
  event: H3Event,
  team: TeamName,
  { options: { bodyLimit, bodyValues }, budget }: Shared,
  handler: (body: RequestBody) => Promise<Response>,
): Promise<Response> {
  const share = budget.open(team);
  let read: Promise<Buffer> | undefined;
  const bytes = (): Promise<Buffer> => (read ??= readJsonBody(event, bodyLimit, share));
  try {
    return await handler({
      bytes,
      read: async (shown) => {
        if (shown === undefined) return { sent: undefined, body: {} };
        const sent = await parseBody(await bytes(), bodyValues);
        return { sent, body: check(shown.schema, sent, "body") };
      },
    });
  } finally {
    share.release();
  }
}

/**
 * The caller's metadata for the commit of a request: `X-Commit-Message`, `X-Commit-Ref`, and its origin.
 * @throws SkepError as {@link toOrigin} does.
 */
export function commitMetadataOf(headers: Headers): CallerMetadata {
  const message = utf8(headers.get("x-commit-message"));
  const ref = utf8(headers.get("x-commit-ref"));
  const origin = toOrigin((header) => utf8(headers.get(header)));
  return { message, ref, origin };
}

/** Header values have one character per byte; the bytes are decoded as UTF-8. */
function utf8(value: string | null): string | undefined {
  return value === null ? undefined : Buffer.from(value, "latin1").toString("utf8");
}
