/** Tags: create one, list them. */
import { toTimestamp } from "../../domain/text.ts";
import { createTag, listTags, type Tag } from "../../service/content/tags.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { tagBody, tagResponse, tagsResponse, type TagResponse } from "../schemas/history-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { pageQuery } from "../schemas/schemas.ts";
import { withoutNulls } from "../../domain/record.ts";

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
  hiveRead({
    id: "listTags",
    path,
    group: "History",
    summary: "List tags",
    description:
      "Sorted by name. Tags that git made are listed whatever their names. A tag of something else than a commit is counted, but not shown.",
    query: pageQuery,
    response: withExample(tagsResponse, {
      data: [tagExample],
      meta: metaExample,
    }),
    async handler({ storage, hive, query }) {
      const page = await listTags(storage, hive.slug, toOffsetLimit(query));
      return converted(page, ({ tags, total }) => ({ data: tags.map(toTag), meta: toMeta(query, total) }));
    },
  }),
  hiveWrite({
    id: "createTag",
    method: "POST",
    path,
    ability: "write",
    group: "History",
    summary: "Create a tag",
    description:
      "Creates an annotated git tag, for example to mark a release. The API cannot move or delete tags.",
    body: withExample(tagBody, { name: "v1.2", at: "main" }),
    status: 201,
    response: withExample(tagResponse, tagExample),
    errors: ["conflict", "quota"],
    async handler({ storage, hive, body, context }) {
      const tag = await createTag(storage, hive.slug, withoutNulls(body), context);
      return { result: toTag(tag), commit: tag.commit };
    },
  }),
];
