/** What conflicts in merges. */
import { z } from "zod";
import { conflictReasons } from "../../domain/errors.ts";
import { nullableText } from "../objects.ts";

/** The texts of a conflict of a merge. */
export const conflictTexts = z.object({
  source: z.string().optional().meta({
    description: "Of a merge: the source text of a translation.",
  }),
  base: nullableText.meta({
    description: "Of a merge: the text that both sides started from; `null` if there was none.",
  }),
  main: nullableText.meta({ description: "Of a merge: the text of `main`; `null` if there is none." }),
  branch: nullableText.meta({ description: "Of a merge: the text of the branch; `null` if there is none." }),
  in_the_way: z.string().optional().meta({
    description: "Of a merge, for the reason `path`: the file or the key beside which the text cannot stand.",
  }),
  member: z.string().optional().meta({
    description: "Of a merge, for the reason `note`: the member of the note, whose values the texts are.",
  }),
});

export const conflictReason = z.enum(conflictReasons).meta({
  description:
    "`text`: both sides changed the text, differently. `deleted`: one changed what the other deleted. `confirmed`: one changed a translation that the other confirmed. `path`: the branch adds a text or a file that cannot stand beside one of `main`. `moved`: one moved a string that the other moved elsewhere or deleted, or to a place that is taken. `note`: both changed a member of the team's note, differently.",
});
