/** What the operations of tags do. */
import { tags } from "../../api/content/tags.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { withoutNulls } from "../../domain/record.ts";
import { toTimestamp } from "../../domain/text.ts";
import { createTag, listTags, type Tag } from "../../service/content/tags.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive } from "../operations/implement.ts";

function toTag(tag: Tag) {
  return { ...tag, time: tag.time === undefined ? null : toTimestamp(tag.time) };
}

export const tagOperations = implementOnHive(tags, {
  listTags: async ({ storage, hive, query }) => {
    const page = await listTags(storage, hive.slug, toOffsetLimit(query));
    return converted(page, (found) => toPage(found, query, toTag));
  },
  createTag: async ({ storage, hive, body, context }) => {
    const tag = await createTag(storage, hive.slug, withoutNulls(body), context);
    return { result: toTag(tag), commit: tag.commit };
  },
});
