/** Notes of strings, and what other requests say about notes. */
import { z } from "zod";
import { isFailure } from "../../domain/errors.ts";
import { appNoteSchema, teamNoteChangeSchema, teamNoteSchema } from "../../domain/notes/note-schema.ts";
import { toWantedTags } from "../../domain/notes/note-tags.ts";
import { atField, count, jsonObject, named, pageOf, queryParam } from "../objects.ts";
import { operations } from "../operation.ts";

/** Selects strings by tags. */
export const tagField = z
  .string("must be given once")
  .transform((text, context) => {
    try {
      return toWantedTags(text);
    } catch (error) {
      if (!isFailure(error, "invalid")) throw error;
      context.addIssue("must be one or more tags, separated by commas");
      return z.NEVER;
    }
  })
  .optional()
  .meta({
    type: "string",
    description: "Only strings that have one of these tags, which are separated by commas, in their notes.",
    examples: ["checkout"],
  });

/** What lists of strings tell, too. */
export const includeField = z
  .literal("notes", "must be notes, and given once")
  .optional()
  .meta({ description: "With `notes`, each entry has the notes of its string." });

const shownPictures = z
  .array(z.string())
  .optional()
  .meta({ description: "The hashes of the pictures that show the string; absent if there are none." });

export const includedNotes = named("StringNotes", {
  app: appNoteSchema.nullable(),
  team: teamNoteSchema.nullable(),
  pictures: shownPictures,
})
  .nullable()
  .optional()
  .meta({ description: "With `include=notes`: the notes of the string; `null` if there are none." });

/** What PHP sends for an empty object. */
const emptyList = z.array(z.unknown()).max(0);

/** Something about keys, by file; the domain checks it, and names the key at fault. */
function byKey(schema: z.ZodType, description: string) {
  const keys = z.union([z.record(z.string(), schema), emptyList]);
  const shown = z.toJSONSchema(z.union([z.record(z.string(), keys), emptyList]), {
    io: "input",
    // As the document has the same notes in responses, which may get more members.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return z
    .unknown()
    .optional()
    .meta({ ...shown, description });
}

/** What the app's files say, beside the files of an import. */
export const appNotesField = byKey(
  appNoteSchema,
  "What the app's files say about strings, by file and key. What was said about a file that is named here is replaced; other files keep theirs. Keys without a string are ignored.",
);

const notedString = named("NotedString", {
  file: z.string(),
  key: z.string(),
  app: appNoteSchema.nullable().meta({ description: "`null` if the app's files say nothing." }),
  team: teamNoteSchema.nullable().meta({ description: "`null` if nobody has said anything here." }),
  pictures: shownPictures,
});

const noteChanges = jsonObject({
  files: byKey(teamNoteChangeSchema, "What changes in the team's notes, by file and key."),
  expected: byKey(
    teamNoteChangeSchema,
    "What members must be before this change, by file and key; `null` for one that is not there. If one differs, nothing is written and the response is a 409.",
  ),
}).meta({ id: "NoteChanges", required: ["files"] });

export const notes = operations(
  {
    noun: "note",
    about: "Tell translators what a text of the Hive is for.",
    path: "/api/hives/:slug/notes",
    key: "key",
    names: "key",
    entity: notedString,
    label: "key",
    group: "Source strings",
    ability: "read",
    hasCommit: true,
    columns: ["file", "key", "app", "team"],
  },
  (op) => ({
    listNotes: {
      ...op.list({
        summary: "List the notes of source strings",
        description:
          "`app` is what the app's files say, `team` what people said here: a member of `team` counts before that of `app`, and the tags of both count. In the order of the source.",
        query: {
          file: queryParam("Only notes of this file.", "auth.php"),
          key: queryParam("Only notes of this key."),
          tag: tagField,
          at: atField,
        },
        takesBranch: true,
      }),
      response: pageOf("NotePage", notedString),
    },
    changeNotes: op.changeAll("edit", "PATCH", {
      summary: "Change what the team says about source strings",
      description:
        "Changes members of the team's notes; `null` removes one, and members that are not in the request stay as they are. Only imports and syncs change what the app's files say.",
      body: noteChanges,
      example: {
        files: { "auth.php": { failed: { max_length: 40, tags: ["login"], note: null } } },
        expected: { "auth.php": { failed: { max_length: null } } },
      },
      response: named("NoteChangeResult", {
        created: count.meta({ description: "Strings of which the team had said nothing." }),
        updated: count,
        deleted: count.meta({ description: "Strings of which the team says nothing any more." }),
        unchanged: count,
        unknown: count.meta({ description: "Keys that no string has; they are ignored." }),
      }),
      errors: ["text-conflict"],
      isRepeatable: true,
      hasDryRun: true,
      takesBranch: true,
    }),
  }),
);
