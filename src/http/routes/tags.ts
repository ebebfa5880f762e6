/** Tags: create one, list them. */
import { toTimestamp } from "../../domain/text.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { createTag, listTags, type Tag } from "../../service/content/tags.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import {
  tagBody,
  tagResponse,
  tagsResponse,
  type TagResponse,
  type TagsResponse,
} from "../schemas/history-schemas.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import { check, pageQuery } from "../schemas/schemas.ts";

async function list({ storage, hive, query }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(pageQuery, query, "query");
  const found = await listTags(storage, hive.slug, toOffsetLimit(asked));
  return rendered(found, ["tags", hive.slug, asked], ({ tags, total }) => {
    const meta = toMeta(asked, total);
    const response: TagsResponse = { data: tags.map(toTag), meta };
    return toJson(response);
  });
}

async function create({ storage, hive, readJson, context }: WriteRequest): Promise<Response> {
  const { name, at } = check(tagBody, await readJson(), "body");
  const tag = await createTag(storage, hive.slug, { name, at: at ?? undefined }, context);
  return respondJson(toTag(tag), { status: 201, commit: tag.commit });
}

function toTag({ name, commit, time, tagger, message, ref }: Tag): TagResponse {
  return {
    name,
    commit,
    time: time === undefined ? null : toTimestamp(time),
    tagger: tagger ?? null,
    message: message ?? null,
    ref: ref ?? null,
  };
}

const path = "/api/hives/:slug/tags";

const tagExample: TagResponse = {
  name: "v1.2",
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  time: "2026-01-31T09:30:00Z",
  tagger: { name: "CI", email: "4fQ2xZ@tokens.skep.invalid" },
  message: null,
  ref: null,
};

export const tagRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    ability: "read",
    handler: list,
    docs: {
      id: "listTags",
      group: "History",
      summary: "List tags",
      description: "Sorted by name.",
      query: pageQuery,
      response: withExample(tagsResponse, {
        data: [tagExample],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 1 },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path,
    ability: "write",
    handler: create,
    docs: {
      id: "createTag",
      group: "History",
      summary: "Create a tag",
      description:
        "Creates an annotated git tag, for example to mark a release. The API cannot move or delete tags.",
      body: withExample(tagBody, { name: "v1.2", at: "main" }),
      status: 201,
      response: withExample(tagResponse, tagExample),
      errors: ["conflict", "quota"],
    },
  },
];
