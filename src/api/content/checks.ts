/** What checks find in a Hive: list it, accept a finding as a false alarm. */
import { z } from "zod";
import { checkNames, severities } from "../../domain/checks/message.ts";
import { asRevision, count, named, once, pageMeta, queryParam, text } from "../objects.ts";
import { operations } from "../operation.ts";
import { finding } from "./findings.ts";

const filters = {
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
};

const findingPage = named("FindingPage", {
  data: z.array(finding),
  meta: pageMeta,
  counts: z
    .record(z.string(), named("FindingCounts", { error: count, warning: count }))
    .meta({ description: "The errors and warnings of all locales that have any, by code." }),
});

/** A finding that is taken for a false alarm, in a request. */
export const acceptance = named("FindingAcceptance", {
  locale: text,
  file: text,
  key: text,
  check: z.enum(checkNames, `must be one of ${checkNames.join(", ")}`),
});

const acceptanceResult = named("AcceptanceResult", {
  accepted: count.meta({ description: "Findings that are accepted now and were not before." }),
  unknown: count.meta({ description: "1 if there is no such finding." }),
});

const withdrawalResult = named("WithdrawalResult", {
  withdrawn: count.meta({ description: "Findings that are no longer accepted." }),
  unknown: count.meta({ description: "1 if there was no such acceptance." }),
});

const path = "/api/hives/:slug/checks";
const accepting = {
  body: acceptance,
  example: { locale: "fr", file: "auth.php", key: "failed", check: "argument-extra" },
  takesBranch: true,
} as const;

export const checks = operations(
  {
    noun: "finding",
    about: "List what checks find in the texts of a Hive.",
    path,
    key: "key",
    names: "key",
    entity: finding,
    label: "message",
    group: "Checks",
    ability: "read",
    hasCommit: true,
    columns: ["severity", "locale", "file", "key", "check", "message"],
  },
  (op) => ({
    listFindings: {
      ...op.list({
        summary: "List what checks find in the texts of a Hive",
        description:
          "Translations are compared with their source texts: arguments, plural branches, markup. Locale by locale, in the order of the source. Findings that were accepted are not listed.",
        query: filters,
        takesBranch: true,
        tool: {
          name: "checks",
          title: "List findings of checks",
          description:
            "Lists what is wrong in translations: arguments, plural branches, markup, terms, lengths.",
          givesTexts: true,
        },
      }),
      response: findingPage,
    },
    acceptFinding: op.actAt("accept", `${path}/accept`, {
      ...accepting,
      summary: "Accept a finding as a false alarm",
      description: "It is not found again until the source text or the translation changes.",
      response: acceptanceResult,
    }),
    withdrawAcceptance: {
      ...op.actAt("withdraw", `${path}/accept`, {
        ...accepting,
        summary: "Take the acceptance of a finding back",
        response: withdrawalResult,
      }),
      method: "DELETE",
    },
  }),
);
