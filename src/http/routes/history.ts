/** History: the commits of a Hive, what each changed, undo, and tags. */
import { listHistory, showCommit } from "../../service/content/history.ts";
import { hiveGroup, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import {
  changesResponse,
  historyQuery,
  historyResponse,
  toHistoryEntry,
  toKeyChange,
  undoBody,
  undoResponse,
  tagBody,
  tagResponse,
  tagsResponse,
} from "../schemas/history-schemas.ts";
import { pageQuery, toPage, toOffsetLimit } from "../schemas/page.ts";
import { undoCommit } from "../../service/content/undo.ts";
import { undoOrigin } from "../../service/review/undo-origin.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview } from "../pipeline/preview.ts";
import { sourceWriteQuery } from "../schemas/write-preconditions.ts";
import { toTimestamp } from "../../domain/text.ts";
import { createTag, listTags, type Tag } from "../../service/content/tags.ts";
import { withoutNulls } from "../../domain/record.ts";

const path = "/api/hives/:slug/history";

function toTag(tag: Tag) {
  return { ...tag, time: tag.time === undefined ? null : toTimestamp(tag.time) };
}

const tagsPath = "/api/hives/:slug/tags";

const { hiveRead, hiveWrite } = hiveGroup("History", "write", { takesBranch: true });

export const historyRoutes: readonly HiveRoute[] = [
  hiveRead("listHistory", path, {
    summary: "List commits",
    description:
      "The commits of `main` along the first parents, newest first. A merge is one commit; the commits that it brought in are left out.",
    query: historyQuery,
    response: historyResponse,
    isSlow: () => true,
    async handler({ storage, branch, query, signal }) {
      const page = await listHistory(storage, branch, { ...query, ...toOffsetLimit(query), signal });
      return converted(page, (commits) => toPage(commits, query, toHistoryEntry));
    },
  }),
  hiveRead("getCommit", `${path}/:commit`, {
    summary: "Get a commit and its changes",
    description: "Changes are listed key by key. A merge lists its difference to its first parent.",
    query: pageQuery,
    response: changesResponse,
    isSlow: () => true,
    async handler({ storage, branch, param, query, signal }) {
      const page = await showCommit(storage, branch, param("commit"), toOffsetLimit(query), signal);
      return converted(page, ({ entry, ...changes }) => ({
        commit: toHistoryEntry(entry),
        ...toPage(changes, query, toKeyChange),
      }));
    },
  }),
  hiveWrite("undoCommit", "POST", "/api/hives/:slug/undo", {
    isRepeatable: true,
    summary: "Undo a commit, or the texts of an origin",
    description:
      "Makes a new commit that reverts the changes of one commit to source strings and translations, and can itself be undone; of a merge, it reverts the difference to the first parent. A file that is still as the commit left it also gets back its order, nesting and empty groups. Settings are not reverted. A 422 is the response for the first commit, for a commit that changed no text, no confirmation and no order, and for a commit that changed only the order of files which have changed again. A file whose name now clashes with another file is not restored. With `origin` and `since`, each translation that a person, a script or a model has written since a revision gets the text back that it had before, with its stale marker and its review, if nobody else has changed it; source strings stay.",
    query: sourceWriteQuery,
    body: withExample(undoBody, { commit: "1b2c3d4", on_conflict: "fail" }),
    response: orPreview(undoResponse, "UndoResult"),
    errors: ["text-conflict", "quota", "check-failed"],
    async handler({ storage, branch, body, context, event }) {
      const { commit = "", origin, since = "", on_conflict: onConflict } = body;
      if (origin === undefined) return undoCommit(storage, branch, { commit, onConflict }, context);
      return undoOrigin(storage, branch, { origin, since, signal: event.req.signal }, context);
    },
  }),
  hiveRead("listTags", tagsPath, {
    takesBranch: false,
    summary: "List tags",
    description:
      "Sorted by name. Tags that git made are listed whatever their names. A tag of something else than a commit is counted, but not shown.",
    query: pageQuery,
    response: tagsResponse,
    async handler({ storage, hive, query }) {
      const page = await listTags(storage, hive.slug, toOffsetLimit(query));
      return converted(page, (tags) => toPage(tags, query, toTag));
    },
  }),
  hiveWrite("createTag", "POST", tagsPath, {
    takesBranch: false,
    summary: "Create a tag",
    description:
      "Creates an annotated git tag, for example to mark a release. The API cannot move or delete tags.",
    body: withExample(tagBody, { name: "v1.2", at: "main" }),
    status: 201,
    response: tagResponse,
    errors: ["conflict", "quota"],
    async handler({ storage, hive, body, context }) {
      const tag = await createTag(storage, hive.slug, withoutNulls(body), context);
      return { result: toTag(tag), commit: tag.commit };
    },
  }),
];
