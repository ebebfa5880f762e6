/** The settings of checks, and what they find. */
import { z } from "zod";
import {
  checkLevels,
  defaultChecks,
  maxPatternLength,
  maxRules,
  toSyntaxRule,
  type CheckSettings,
} from "../../domain/checks/check-settings.ts";
import { type HiveSettings, shownCodes } from "../../domain/hives/hive-settings.ts";
import { syntaxNames } from "../../domain/checks/syntax-names.ts";
import { named, text, textAddress } from "../../api/objects.ts";
import { checkNames, severities } from "../../domain/checks/message.ts";
import type { LocatedFinding } from "../../domain/plans/check-content.ts";

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

/** The settings of a Hive's checks, as a request gives them; a member that is missing stays as it is. */
export const checksBody = z
  .object(
    {
      level: z
        .enum(checkLevels, `must be one of ${checkLevels.join(", ")}`)
        .meta({
          description:
            "`off`: nothing is checked. `warn`: responses list findings. `refuse`: a write that brings a text with an error is refused.",
        })
        .optional(),
      syntax: z
        .array(
          named("SyntaxRule", {
            files: text.meta({
              minLength: 1,
              maxLength: maxPatternLength,
              description:
                "A pattern of file names: `*` stands for any characters but a slash, `**` for any folders. Without a slash it matches in any folder.",
              examples: ["*.json"],
            }),
            syntax: z.enum(syntaxNames, `must be one of ${syntaxNames.join(", ")}`),
          }),
          "must be a list of rules",
        )
        .max(maxRules, `must have at most ${maxRules} rules`)
        .meta({ description: "Which syntax the messages of a file have. The last rule that matches counts." })
        .optional(),
    },
    "must be an object of level and syntax",
  )
  .meta({ id: "ChecksUpdate" });

export const checksField = z
  .object({
    level: z.enum(checkLevels),
    syntax: z.array(named("StoredSyntaxRule", { files: z.string(), syntax: z.enum(syntaxNames) })),
  })
  .meta({ id: "Checks", description: "How texts are checked; see `GET /api/hives/{slug}/checks`." });

/** The settings that a request gives. @throws SkepError `invalid` on a rule. */
export function toCheckSettings({ level, syntax }: z.infer<typeof checksBody>): Partial<CheckSettings> {
  const rules = syntax?.map(({ files, syntax: name }, i) => toSyntaxRule(files, name, `checks.syntax.${i}`));
  return { level, syntax: rules };
}

/** The settings of checks as responses have them, also where they are the usual ones. */
export function toChecks({ checks = defaultChecks }: HiveSettings): z.infer<typeof checksField> {
  return { level: checks.level, syntax: [...checks.syntax] };
}
