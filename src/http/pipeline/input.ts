/** What a request brings: parts of the path, the query and the body, which is charged to its team. */
import { getQuery, type H3Event } from "h3";
import { z } from "zod";
import type { TeamName } from "../../domain/names.ts";
import type { CallerMetadata } from "../../service/write-context.ts";
import type { RouteDocs } from "../openapi/route-docs.ts";
import { parseJson, readJsonBody } from "../requests/body.ts";
import { check } from "../schemas/schemas.ts";
import type { HiveRequest } from "./route.ts";
import type { Shared } from "./shared.ts";

export type Input = Pick<HiveRequest, "event" | "storage" | "param" | "query" | "readBody" | "readJson">;

const noQuery = z.strictObject({});

/**
 * The query parameters. Where an route takes none they are refused; one that takes some checks them itself, by a
 * schema that knows no others: a parameter that is misspelt must neither write nor pass for an answer to what was asked.
 * @throws SkepError `invalid` naming every parameter.
 */
export function queryOf(event: H3Event, { query: schema }: RouteDocs): HiveRequest["query"] {
  const query = getQuery(event);
  return schema === undefined ? check(noQuery, query, "query") : query;
}

/** A decoded part of the path. */
export function paramOf(event: H3Event, name: string): string {
  return decodeURIComponent(event.context.params?.[name] ?? "");
}

/**
 * Answers a request with what it brings; its body is in memory until then.
 * @throws SkepError `invalid` for query parameters where the route takes none; what answering throws.
 */
export async function withInput(
  event: H3Event,
  docs: RouteDocs,
  team: TeamName,
  { options, budget }: Shared,
  answer: (input: Input) => Promise<Response>,
): Promise<Response> {
  const { storage, bodyLimit, bodyValues } = options;
  const query = queryOf(event, docs);
  const share = budget.open(team);
  let body: Promise<Buffer> | undefined;
  const readBody = (): Promise<Buffer> => (body ??= readJsonBody(event, bodyLimit, share));
  try {
    return await answer({
      event,
      storage,
      param: (name) => paramOf(event, name),
      query,
      readBody,
      readJson: async () => parseJson(await readBody(), bodyValues),
    });
  } finally {
    share.release();
  }
}

/** What a caller says about the commit that their request makes: `X-Commit-Message` and `X-Commit-Ref`. */
export function commitMetadataOf(headers: Headers): CallerMetadata {
  const message = utf8(headers.get("x-commit-message"));
  const ref = utf8(headers.get("x-commit-ref"));
  return { ...(message === undefined ? {} : { message }), ...(ref === undefined ? {} : { ref }) };
}

/** Header values come as one character a byte; the bytes are read as UTF-8. */
function utf8(value: string | null): string | undefined {
  return value === null ? undefined : Buffer.from(value, "latin1").toString("utf8");
}
