/** The requests and responses about notes. */
import { z } from "zod";
import { appNoteSchema, teamNoteChangeSchema, teamNoteSchema } from "../../domain/notes/note-schema.ts";
import { byKey, shownPictures, tagField } from "./note-fields.ts";
import { count, jsonObject, named, pageOf } from "./objects.ts";
import { at, once, pageQuery } from "./schemas.ts";

export const notesQuery = pageQuery.extend({
  file: once.meta({ description: "Only notes of this file.", examples: ["auth.php"] }),
  key: once.meta({ description: "Only notes of this key." }),
  tag: tagField,
  at,
});

const app = appNoteSchema.nullable().meta({ description: "`null` if the app's files say nothing." });
const team = teamNoteSchema.nullable().meta({ description: "`null` if nobody has said anything here." });

export const notesResponse = pageOf(
  "NotePage",
  named("NotedString", { file: z.string(), key: z.string(), app, team, pictures: shownPictures }),
);

export const notesBody = jsonObject({
  files: byKey(teamNoteChangeSchema, "What changes in the team's notes, by file and key."),
  expected: byKey(
    teamNoteChangeSchema,
    "What members must be before this change, by file and key; `null` for one that is not there. If one differs, nothing is written and the response is a 409.",
  ),
}).meta({ id: "NoteChanges", required: ["files"] });

export const notesChangedResponse = z.object({
  created: count.meta({ description: "Strings of which the team had said nothing." }),
  updated: count,
  deleted: count.meta({ description: "Strings of which the team says nothing any more." }),
  unchanged: count,
  unknown: count.meta({ description: "Keys that no string has; they are ignored." }),
});
