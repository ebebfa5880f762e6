/** History: the commits of a Hive, what each changed, and undo. */
import { listHistory, showCommit } from "../../service/content/history.ts";
import { hiveGroup, type HiveReadRoute, type HiveWriteRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { plannedMoves, keyChange, historyEntry } from "../../api/content/commits.ts";
import { toHistoryEntry, toKeyChange } from "../schemas/history-schemas.ts";
import { pageQuery, toPage, toOffsetLimit } from "../../api/page.ts";
import { undoCommit } from "../../service/content/undo.ts";
import { undoOrigin } from "../../service/review/undo-origin.ts";
import { withExample } from "../../api/operation.ts";
import { orPreview } from "../pipeline/preview.ts";
import { sourceWriteQuery } from "../../api/content/writes.ts";
import { z } from "zod";
import { originKinds } from "../../domain/commits/origin.ts";
import { originField } from "../schemas/schemas.ts";
import {
  count,
  defaulting,
  jsonObject,
  named,
  pageMeta,
  pageOf,
  text,
  asRevision,
  queryParam,
} from "../../api/objects.ts";

const moment =
  "an ISO 8601 date or time, in UTC unless it has an offset, or a revision: a commit, a tag or `main`";

export const historyQuery = pageQuery.extend({
  locale: queryParam(
    "Only commits that changed the texts of this locale or their order. A removed locale is found by its canonical code; a locale that the Hive never had is a 422.",
    "pt_BR",
  ),
  file: queryParam("Only commits that changed this file.", "auth.php"),
  key: queryParam(
    "Only commits that changed this key; each then has `changes`, the source locale first. The list follows a string that was moved, in both directions.",
    "failed",
  ),
  operation: queryParam("Only commits of this operation.", "import"),
  origin: originField.meta({
    description: "Only commits whose texts were made by a person, a script or a model.",
  }),
  person: queryParam(
    "Only commits of the person with this id, in the console or by a token of theirs.",
    "anna",
  ),
  since: queryParam(`Only commits since then: ${moment}. A revision has none of them.`, "2026-01-01"),
  until: queryParam(`Only commits up to then: ${moment}. A revision has all of them.`, "2026-01-31"),
});

export const historyResponse = pageOf("CommitPage", historyEntry);

export const changesResponse = named("CommitChanges", {
  commit: historyEntry,
  data: z.array(keyChange),
  meta: pageMeta,
});

const undoBody = jsonObject({
  commit: text.optional().meta({
    pattern: "^[0-9A-Fa-f]{7,40}$",
    description: "The hash of a commit of `main`, or at least its first 7 digits.",
  }),
  origin: z
    .enum(originKinds, "must be person, script or model")
    .optional()
    .meta({ description: "Instead of `commit`: whose translations are taken back." }),
  since: text.optional().meta({
    ...asRevision,
    description:
      "With `origin`: the revision, as `?at=` takes it, after which they were written; a time before the first commit stands for the beginning.",
  }),
  on_conflict: defaulting(
    z.enum(["fail", "skip"], "must be fail or skip"),
    "fail",
    "What to do if texts were changed after the commit: refuse the request, or skip these texts. With `origin`, they are always skipped.",
  ),
})
  .refine(({ commit, origin }) => (commit === undefined) !== (origin === undefined), {
    path: ["commit"],
    message: "must be text, or origin and since must be given instead of it",
  })
  .refine(({ origin, since }) => (origin === undefined) === (since === undefined), {
    path: ["since"],
    message: "must be given with origin, and only with it",
  });

const undoResponse = z.object({
  restored: count.meta({ description: "Texts that the commit had deleted, and that are back." }),
  updated: count.meta({ description: "Texts that the commit had changed, and that are as before it." }),
  deleted: count.meta({ description: "Texts that the commit had created, and that are deleted." }),
  skipped: count.meta({ description: "With `skip` or `origin`: texts that were changed after the commit." }),
  moved: count.optional().meta({
    description: "Source strings that the commit had moved, and that are back.",
  }),
  confirmations: count.optional().meta({
    description:
      "Translations that the commit had confirmed, and that are stale again. Left out if there are none.",
  }),
  approvals: count.optional().meta({
    description: "Of a commit that approved translations: those that wait again. Left out if there are none.",
  }),
  moves: plannedMoves,
});

const path = "/api/hives/:slug/history";

const { hiveRead, hiveWrite } = hiveGroup("History", "write", { takesBranch: true });

export const historyRoutes: readonly (HiveReadRoute | HiveWriteRoute)[] = [
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
];
