/** What checks find. */
import { z } from "zod";
import { checkNames, severities } from "../../domain/checks/message.ts";
import { named, textAddress } from "../objects.ts";

export const finding = named("Finding", {
  ...textAddress,
  form: z.string().optional().meta({ description: "The plural category, if the text is a plural form." }),
  check: z.string().meta({ enum: [...checkNames] }),
  severity: z.enum(severities).meta({
    description: "An `error` can break an app; a `hint` is listed only when it is asked for.",
  }),
  message: z.string().meta({ description: "A description for people." }),
  found: z.string().optional().meta({ description: "The part of the text that is wrong." }),
  expected: z.string().optional(),
  range: z
    .tuple([z.int().nonnegative(), z.int().nonnegative()])
    .optional()
    .meta({ description: "Where it stands in the text, in units of UTF-16." }),
});

export const findingExample: z.input<typeof finding> = {
  locale: "fr",
  file: "auth.php",
  key: "failed",
  check: "argument-extra",
  severity: "error",
  message: ":nom is not in the source text, which has :name",
  found: ":nom",
  expected: ":name",
  range: [8, 12],
};

/** Members of responses to writes. */
export const findingMembers = {
  findings: z
    .array(finding)
    .optional()
    .meta({ description: "The first 100 findings of checks in texts that were added or changed." }),
  findings_total: z.int().nonnegative().optional().meta({ description: "The number of all of them." }),
};
