/** Notes of strings: list them, change those of the team. */
import { teamNoteChangeSchema } from "../../../domain/notes/note-schema.ts";
import { toNotes } from "../../../domain/notes/note-files.ts";
import { changeNotes, listNotes } from "../../../service/content/notes.ts";
import { inSlices } from "../../../slices.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { orPreview } from "../../pipeline/preview.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../../pipeline/route.ts";
import { converted } from "../../responses/respond.ts";
import { notesBody, notesChangedResponse, notesQuery, notesResponse } from "../../schemas/note-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../../schemas/page.ts";
import { dryRunQuery } from "../../schemas/write-preconditions.ts";

const path = "/api/hives/:slug/notes";

export const noteRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listNotes",
    path,
    takesBranch: true,
    isSlow: ({ at }) => at !== undefined,
    group: "Source strings",
    summary: "List the notes of source strings",
    description:
      "`app` is what the app's files say, `team` what people said here: a member of `team` counts before that of `app`, and the tags of both count. In the order of the source.",
    query: notesQuery,
    response: withExample(notesResponse, {
      data: [
        {
          file: "auth.php",
          key: "failed",
          app: { note: "Shown above the form.", where: ["src/login.ts:12"] },
          team: { max_length: 40, tags: ["login"] },
        },
      ],
      meta: metaExample,
    }),
    async handler({ storage, branch, query, signal }) {
      const { file, key, tag: tags, at } = query;
      const page = await listNotes(storage, branch, { ...toOffsetLimit(query), file, key, tags, at, signal });
      return converted(page, ({ notes, total }) => ({
        data: notes.map((one) => ({
          file: one.file,
          key: one.key,
          app: one.app ?? null,
          team: one.team ?? null,
          pictures: one.pictures && [...one.pictures],
        })),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveWrite({
    id: "changeNotes",
    method: "PATCH",
    path,
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    group: "Source strings",
    summary: "Change what the team says about source strings",
    description:
      "Changes members of the team's notes; `null` removes one, and members that are not in the request stay as they are. What the app's files say is changed by imports and syncs alone.",
    query: dryRunQuery.omit({ checks: true }),
    body: withExample(notesBody, {
      files: { "auth.php": { failed: { max_length: 40, tags: ["login"], note: null } } },
      expected: { "auth.php": { failed: { max_length: null } } },
    }),
    response: withExample(orPreview(notesChangedResponse, "NoteChangeResult"), {
      created: 1,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      unknown: 0,
    }),
    errors: ["text-conflict"],
    async handler({ storage, branch, body, context }) {
      const files = await inSlices(toNotes(body.files, "files", teamNoteChangeSchema));
      const expected =
        body.expected === undefined
          ? undefined
          : await inSlices(toNotes(body.expected, "expected", teamNoteChangeSchema));
      return changeNotes(storage, branch, { files, expected }, context);
    },
  }),
];
