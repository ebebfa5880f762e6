/** The requests and responses about checks of texts. */
import { z } from "zod";
import {
  checkLevels,
  defaultChecks,
  maxPatternLength,
  maxRules,
  toSyntaxRule,
  type CheckSettings,
} from "../../domain/checks/check-settings.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { checkNames, severities } from "../../domain/checks/message.ts";
import { syntaxNames } from "../../domain/checks/syntax-names.ts";
import { finding } from "./finding-schemas.ts";
import { asRevision, once, queryParam } from "./schemas.ts";
import { pageQuery } from "./page.ts";
import { count, named, pageMeta, text } from "./objects.ts";

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

export const findingsQuery = pageQuery.extend({
  locale: queryParam("Only texts of this locale.", "pt_BR"),
  file: queryParam("Only texts of this file."),
  key: queryParam("Only texts of this key."),
  check: z
    .enum(checkNames, `must be one of ${checkNames.join(", ")}, and given once`)
    .optional()
    .meta({ description: "Only findings of this check." }),
  severity: z
    .enum(severities, `must be one of ${severities.join(", ")}, and given once`)
    .optional()
    .meta({ description: "Only findings of this severity. Hints are listed only with `hint`." }),
  at: once.meta({ ...asRevision, description: "A revision; HEAD if not given.", examples: ["v1.2"] }),
});

export const findingsResponse = named("FindingPage", {
  data: z.array(finding),
  meta: pageMeta,
  counts: z
    .record(z.string(), named("FindingCounts", { error: count, warning: count }))
    .meta({ description: "The errors and warnings of all locales that have any, by code." }),
});

export const acceptanceBody = named("FindingAcceptance", {
  locale: text,
  file: text,
  key: text,
  check: z.enum(checkNames, `must be one of ${checkNames.join(", ")}`),
});

export const acceptanceResponse = named("AcceptanceResult", {
  accepted: count.meta({ description: "Findings that are accepted now and were not before." }),
  unknown: count.meta({ description: "1 if there is no such finding." }),
});

export const withdrawalResponse = named("WithdrawalResult", {
  withdrawn: count.meta({ description: "Findings that are no longer accepted." }),
  unknown: count.meta({ description: "1 if there was no such acceptance." }),
});
