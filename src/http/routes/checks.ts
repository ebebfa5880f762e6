/** Findings of the checks: list them, accept one as a false alarm. */
import { codeOf } from "../../domain/hives/locale.ts";
import { changeAcceptance, listFindings } from "../../service/content/checks.ts";
import { withExample } from "../../api/operation.ts";
import { hiveGroup, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { finding } from "../../api/content/findings.ts";
import { withShownLocale } from "../schemas/check-schemas.ts";
import { toPage, toOffsetLimit, pageQuery } from "../../api/page.ts";
import { z } from "zod";
import { checkNames, severities } from "../../domain/checks/message.ts";
import { count, named, pageMeta, text, asRevision, once, queryParam } from "../../api/objects.ts";

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

const findingsResponse = named("FindingPage", {
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

const acceptanceResponse = named("AcceptanceResult", {
  accepted: count.meta({ description: "Findings that are accepted now and were not before." }),
  unknown: count.meta({ description: "1 if there is no such finding." }),
});

const withdrawalResponse = named("WithdrawalResult", {
  withdrawn: count.meta({ description: "Findings that are no longer accepted." }),
  unknown: count.meta({ description: "1 if there was no such acceptance." }),
});

const path = "/api/hives/:slug/checks";
const bodyExample = { locale: "fr", file: "auth.php", key: "failed", check: "argument-extra" as const };

const acceptance = withExample(acceptanceBody, bodyExample);

const { hiveRead, hiveWrite } = hiveGroup("Checks", "write", { takesBranch: true });

export const checkRoutes: readonly HiveRoute[] = [
  hiveRead("listFindings", path, {
    summary: "List what checks find in the texts of a Hive",
    description:
      "Translations are compared with their source texts: arguments, plural branches, markup. Locale by locale, in the order of the source. Findings that were accepted are not listed.",
    query: findingsQuery,
    response: findingsResponse,
    isSlow: () => true,
    async handler({ storage, branch, query, signal }) {
      const result = await listFindings(storage, branch, { ...query, ...toOffsetLimit(query), signal });
      return converted(result, ({ counts, settings, ...findings }) => ({
        ...toPage(findings, query, withShownLocale(settings)),
        counts: new Map(Array.from(counts, ([locale, counted]) => [codeOf(locale), counted])),
      }));
    },
  }),
  hiveWrite("acceptFinding", "POST", `${path}/accept`, {
    body: acceptance,
    summary: "Accept a finding as a false alarm",
    description: "It is not found again until the source text or the translation changes.",
    response: acceptanceResponse,
    async handler({ storage, branch, body, context }) {
      const { result, commit } = await changeAcceptance(storage, branch, body, "accept", context);
      return { result: { accepted: result.changed, unknown: result.unknown }, commit };
    },
  }),
  hiveWrite("withdrawAcceptance", "DELETE", `${path}/accept`, {
    body: acceptance,
    summary: "Take the acceptance of a finding back",
    response: withdrawalResponse,
    async handler({ storage, branch, body, context }) {
      const { result, commit } = await changeAcceptance(storage, branch, body, "withdraw", context);
      return { result: { withdrawn: result.changed, unknown: result.unknown }, commit };
    },
  }),
];
