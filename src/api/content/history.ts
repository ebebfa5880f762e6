/** The history of a Hive: its commits, what each changed, and undo. */
import { z } from "zod";
import { originKinds } from "../../domain/commits/origin.ts";
import { asRevision, count, defaulting, jsonObject, named, pageMeta, queryParam, text } from "../objects.ts";
import { operations } from "../operation.ts";
import { pageQuery } from "../page.ts";
import { historyEntry, keyChange, originField, plannedMoves } from "./commits.ts";
import { sourceWriteQuery } from "./writes.ts";

const moment =
  "an ISO 8601 date or time, in UTC unless it has an offset, or a revision: a commit, a tag or `main`";

/** Selects commits. */
export const historyFilters = {
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
};

const commitChanges = named("CommitChanges", {
  commit: historyEntry,
  data: z.array(keyChange),
  meta: pageMeta,
});

const undo = jsonObject({
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

const undone = named("UndoResult", {
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

export const history = operations(
  {
    noun: "commit",
    about: "Show the history of a Hive, newest first.",
    path: "/api/hives/:slug/history",
    key: "commit",
    names: "commit",
    entity: historyEntry,
    label: "subject",
    group: "History",
    ability: "read",
    hasCommit: true,
    columns: ["commit", "time", "author", "subject"],
  },
  (op) => ({
    listHistory: op.list({
      summary: "List commits",
      description:
        "The commits of `main` along the first parents, newest first. A merge is one commit; the commits that it brought in are left out.",
      query: historyFilters,
      takesBranch: true,
    }),
    getCommit: {
      ...op.show({
        summary: "Get a commit and its changes",
        description: "Changes are listed key by key. A merge lists its difference to its first parent.",
        response: commitChanges,
        takesBranch: true,
      }),
      query: pageQuery,
    },
    undoCommit: op.actAt("undo", "/api/hives/:slug/undo", {
      summary: "Undo a commit, or the texts of an origin",
      description:
        "Makes a new commit that reverts the changes of one commit to source strings and translations, and can itself be undone; of a merge, it reverts the difference to the first parent. A file that is still as the commit left it also gets back its order, nesting and empty groups. Settings are not reverted. A 422 is the response for the first commit, for a commit that changed no text, no confirmation and no order, and for a commit that changed only the order of files which have changed again. A file whose name now clashes with another file is not restored. With `origin` and `since`, each translation that a person, a script or a model has written since a revision gets the text back that it had before, with its stale marker and its review, if nobody else has changed it; source strings stay.",
      query: sourceWriteQuery,
      hasDryRun: true,
      body: undo,
      example: { commit: "1b2c3d4", on_conflict: "fail" },
      response: undone,
      errors: ["text-conflict", "quota", "check-failed"],
      isRepeatable: true,
      takesBranch: true,
    }),
  }),
);
