/** Findings of checks, as responses have them. */
import { z } from "zod";
import { exportStates } from "../../domain/review/exported-texts.ts";
import { failingTexts } from "../../domain/export/export.ts";
import { checkNames, severities } from "../../domain/checks/message.ts";
import type { LocatedFinding } from "../../domain/plans/check-content.ts";
import { shownCodes, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { named, textAddress } from "./objects.ts";

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

/** Gives findings, which name locales as they are stored, the codes that the Hive shows. */
export function withShownLocale(settings: HiveSettings) {
  const shown = shownCodes(settings);
  return (one: LocatedFinding) => ({ ...one, locale: shown(one.locale) });
}

/** Members of responses to writes. */
export const findingMembers = {
  findings: z
    .array(finding)
    .optional()
    .meta({ description: "The first 100 findings of checks in texts that were added or changed." }),
  findings_total: z.int().nonnegative().optional().meta({ description: "The number of all of them." }),
};

export const failingField = z.enum(failingTexts, "must be source or omit").meta({
  description:
    "What becomes of translations in which checks find errors: their source text (`source`), or nothing (`omit`). They stay as they are if not given.",
});

export const stateField = z.enum(exportStates, "must be approved").meta({
  description:
    "With `approved`, a text that waits for a review is given as it was approved last, and left out if it never was. All texts are given as they are stored if this is not given.",
});
