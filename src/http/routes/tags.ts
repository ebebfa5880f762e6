/** Tags: make one, list them. */
import { toTimestamp } from "../../domain/text.ts";
import { createTag, listTags, type Tag } from "../../service/tags.ts";
import { toMeta, toStretch } from "../page.ts";
import { tagBody, type TagResponse, type TagsResponse } from "../past-schemas.ts";
import { respondJson, toJson } from "../respond.ts";
import type { Endpoint, HiveRequest, Reading } from "../route.ts";
import { check, noQuery, pageQuery } from "../schemas.ts";

async function list({ storage, answers, hive, query }: HiveRequest): Promise<Reading> {
  const asked = check(pageQuery, query, "query");
  const { version, read, ...from } = await listTags(storage, hive.slug, toStretch(asked));
  const answer = await answers.get(["tags", hive.slug, version, asked], async () => {
    const { tags, total } = await read();
    const meta = toMeta({ page: asked.page, perPage: asked.per_page, total });
    const response: TagsResponse = { data: tags.map(toTag), meta };
    return toJson(response);
  });
  return { answer, ...from };
}

async function create({ storage, hive, query, readJson, words }: HiveRequest): Promise<Response> {
  check(noQuery, query, "query");
  const { name, at } = check(tagBody, await readJson(), "body");
  const tag = await createTag(storage, hive, { name, at: at ?? undefined }, words);
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

export const tagEndpoints: readonly Endpoint[] = [
  { method: "GET", path, ability: "read", read: list },
  { method: "POST", path, ability: "write", act: create },
];
