/** The input of a request: parts of the path, the query, and the body, whose memory is accounted to its team. */
import { getQuery, type H3Event } from "h3";
import { z } from "zod";
import type { TeamName } from "../../domain/names.ts";
import type { CallerMetadata } from "../../service/write-context.ts";
import type { DescribedRoute, RouteDocs } from "../openapi/route-docs.ts";
import { parseBody, readJsonBody } from "../requests/body.ts";
import { check } from "../schemas/schemas.ts";
import type { HiveRequest } from "./route.ts";
import type { Shared } from "./shared.ts";

type Input = Pick<HiveRequest, "event" | "storage" | "param" | "query" | "readBody" | "readJson">;

type Query = HiveRequest["query"];

const noQuery = z.strictObject({});

/** The query of a request, apart from the parameters that say which commit of a Hive it is about. */
export function queryOf(
  event: H3Event,
  { kind, takesBranch = false }: Pick<DescribedRoute, "kind" | "takesBranch">,
): { readonly query: Query; readonly branch?: unknown; readonly minCommit?: unknown } {
  const { branch, min_commit: minCommit, ...others } = getQuery<Record<string, unknown>>(event);
  const takesMinCommit = kind === "hive-read";
  const query = {
    ...others,
    ...(takesBranch || branch === undefined ? {} : { branch }),
    ...(takesMinCommit || minCommit === undefined ? {} : { min_commit: minCommit }),
  };
  return {
    query,
    branch: takesBranch ? branch : undefined,
    minCommit: takesMinCommit ? minCommit : undefined,
  };
}

/**
 * Checks the query parameters: if a route has none, they are refused here; otherwise the route checks them by a strict
 * schema. So a misspelt parameter is never ignored.
 * @throws SkepError `invalid` naming every refused parameter.
 */
export function checkQuery({ query: schema }: RouteDocs, query: Query): Query {
  if (schema === undefined) check(noQuery, query, "query");
  return query;
}

/** A decoded part of the path. */
export function paramOf(event: H3Event, name: string): string {
  return decodeURIComponent(event.context.params?.[name] ?? "");
}

/**
 * Answers a request with its input, whose body stays in memory until then.
 * @throws SkepError `invalid` for query parameters if the route has none; what `handler` throws.
 */
export async function withInput(
  event: H3Event,
  docs: RouteDocs,
  given: Query,
  team: TeamName,
  { options, budget }: Shared,
  handler: (input: Input) => Promise<Response>,
): Promise<Response> {
  const { storage, bodyLimit, bodyValues } = options;
  const query = checkQuery(docs, given);
  const share = budget.open(team);
  let body: Promise<Buffer> | undefined;
  const readBody = (): Promise<Buffer> => (body ??= readJsonBody(event, bodyLimit, share));
  try {
    return await handler({
      event,
      storage,
      param: (name) => paramOf(event, name),
      query,
      readBody,
      readJson: async () => parseBody(await readBody(), bodyValues),
    });
  } finally {
    share.release();
  }
}

/** The caller's metadata for the commit of a request: `X-Commit-Message` and `X-Commit-Ref`. */
export function commitMetadataOf(headers: Headers): CallerMetadata {
  const message = utf8(headers.get("x-commit-message"));
  const ref = utf8(headers.get("x-commit-ref"));
  return { message, ref };
}

/** Header values have one character per byte; the bytes are decoded as UTF-8. */
function utf8(value: string | null): string | undefined {
  return value === null ? undefined : Buffer.from(value, "latin1").toString("utf8");
}
