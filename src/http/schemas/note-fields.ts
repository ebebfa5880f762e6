/** What several requests say about notes. */
import { z } from "zod";
import { isFailure } from "../../domain/errors.ts";
import { appNoteSchema, teamNoteSchema } from "../../domain/notes/note-schema.ts";
import { toWantedTags } from "../../domain/notes/note-tags.ts";
import { named } from "../../api/objects.ts";

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

export const shownPictures = z
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
export function byKey(schema: z.ZodType, description: string) {
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
