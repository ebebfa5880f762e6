/** Notes of strings: list all, change the notes of the team. */
import { z } from "zod";
import { appNoteSchema, teamNoteChangeSchema, teamNoteSchema } from "../../../domain/notes/note-schema.ts";
import { byKey, shownPictures, tagField } from "../../schemas/note-fields.ts";
import { count, jsonObject, named, pageOf, atField, queryParam } from "../../../api/objects.ts";
import { toNotes } from "../../../domain/notes/note-files.ts";
import { changeNotes, listNotes } from "../../../service/content/notes.ts";
import { withExample } from "../../../api/operation.ts";
import { orPreview } from "../../pipeline/preview.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import { converted } from "../../responses/respond.ts";
import { pageQuery, toPage, toOffsetLimit } from "../../../api/page.ts";
import { dryRunQuery } from "../../schemas/write-preconditions.ts";

const notesQuery = pageQuery.extend({
  file: queryParam("Only notes of this file.", "auth.php"),
  key: queryParam("Only notes of this key."),
  tag: tagField,
  at: atField,
});

const app = appNoteSchema.nullable().meta({ description: "`null` if the app's files say nothing." });
const team = teamNoteSchema.nullable().meta({ description: "`null` if nobody has said anything here." });

const notesResponse = pageOf(
  "NotePage",
  named("NotedString", { file: z.string(), key: z.string(), app, team, pictures: shownPictures }),
);

const notesBody = jsonObject({
  files: byKey(teamNoteChangeSchema, "What changes in the team's notes, by file and key."),
  expected: byKey(
    teamNoteChangeSchema,
    "What members must be before this change, by file and key; `null` for one that is not there. If one differs, nothing is written and the response is a 409.",
  ),
}).meta({ id: "NoteChanges", required: ["files"] });

const notesChangedResponse = z.object({
  created: count.meta({ description: "Strings of which the team had said nothing." }),
  updated: count,
  deleted: count.meta({ description: "Strings of which the team says nothing any more." }),
  unchanged: count,
  unknown: count.meta({ description: "Keys that no string has; they are ignored." }),
});

const path = "/api/hives/:slug/notes";

const { hiveRead, hiveWrite } = hiveGroup("Source strings", "write", { takesBranch: true });

export const noteRoutes: readonly HiveRoute[] = [
  hiveRead("listNotes", path, {
    isSlow: ({ at }) => at !== undefined,
    summary: "List the notes of source strings",
    description:
      "`app` is what the app's files say, `team` what people said here: a member of `team` counts before that of `app`, and the tags of both count. In the order of the source.",
    query: notesQuery,
    response: notesResponse,
    async handler({ storage, branch, query, signal }) {
      const { file, key, tag: tags, at } = query;
      const page = await listNotes(storage, branch, { ...toOffsetLimit(query), file, key, tags, at, signal });
      return converted(page, (notes) => toPage(notes, query, (one) => one));
    },
  }),
  hiveWrite("changeNotes", "PATCH", path, {
    isRepeatable: true,
    summary: "Change what the team says about source strings",
    description:
      "Changes members of the team's notes; `null` removes one, and members that are not in the request stay as they are. Only imports and syncs change what the app's files say.",
    query: dryRunQuery.omit({ checks: true }),
    body: withExample(notesBody, {
      files: { "auth.php": { failed: { max_length: 40, tags: ["login"], note: null } } },
      expected: { "auth.php": { failed: { max_length: null } } },
    }),
    response: orPreview(notesChangedResponse, "NoteChangeResult"),
    errors: ["text-conflict"],
    async handler({ storage, branch, body, context }) {
      const files = await toNotes(body.files, "files", teamNoteChangeSchema);
      const expected =
        body.expected === undefined
          ? undefined
          : await toNotes(body.expected, "expected", teamNoteChangeSchema);
      return changeNotes(storage, branch, { files, expected }, context);
    },
  }),
];
