/** What dry runs of writes answer beside the rest: the changes that they planned. */
import { z } from "zod";
import { unknownReasons } from "../../domain/plans/unknown-keys.ts";
import { commitName, count, named, nullableText, textAddress } from "../objects.ts";
import { findingMembers } from "./findings.ts";

const text = nullableText.meta({ description: "`null` if there is no text." });

const plannedChange = named("PlannedChange", {
  change: z.enum(["created", "updated", "deleted", "cleared", "unknown", "skipped"]).meta({
    description:
      "What would happen to the text. Only in translation imports: `unknown`, where no source string has the key (`file` is then the name as sent), and `skipped`, where the translation stays as it is.",
  }),
  ...textAddress,
  before: text,
  after: text,
});
export type PlannedChange = z.infer<typeof plannedChange>;

/** What a dry run adds to an answer. */
export const previewMembers = z
  .object({
    commit: commitName.meta({ description: "Of a dry run: the commit that the changes were planned on." }),
    changes: z.array(plannedChange).meta({
      description:
        "Of a dry run with a token that can read: the first 1,000 changes of texts, key by key; then, of a translation import, unknown keys and skipped keys. What lies beside texts, such as approvals and notes, is not listed; `GET /branches/{branch}/changes` has it for a branch.",
    }),
    changes_total: count.meta({ description: "Of a dry run: the number of texts that would change." }),
    warnings: z
      .array(z.string())
      .meta({ description: "Of a dry run: unknown members of the body, which were ignored." }),
  })
  .partial().shape;

const unknownKey = named("UnknownKey", {
  file: z.string().meta({ description: "The file name as it was sent." }),
  key: z.string(),
  reason: z.enum(unknownReasons).meta({
    description:
      "`no-file`: no file of the Hive matches the name. `no-key`: no source string has the key. `group-in-source`: a text was sent where the source has a group (an object or a list). `text-in-source`: a group was sent where the source has a text.",
  }),
});
/** Of a translation import. */
export const unknownKeys = z
  .array(unknownKey)
  .meta({ description: "Of a dry run with a token that can read: the first 1,000 unknown keys." })
  .optional();

/** The schema of a write's answer, which has more members for a dry run. @param id its name in the OpenAPI document. */
export function orPreview<Shape extends z.ZodRawShape>(response: z.ZodObject<Shape>, id: string) {
  return response.extend({ ...findingMembers, ...previewMembers }).meta({ id });
}
