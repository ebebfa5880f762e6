/** Findings of the checks: list them, accept one as a false alarm. */
import { codeOf } from "../../domain/hives/locale.ts";
import { changeAcceptance, listFindings } from "../../service/content/checks.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveGroup, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import {
  acceptanceBody,
  acceptanceResponse,
  findingsQuery,
  findingsResponse,
  withdrawalResponse,
} from "../schemas/check-schemas.ts";
import { withShownLocale } from "../schemas/finding-schemas.ts";
import { toPage, toOffsetLimit } from "../schemas/page.ts";

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
