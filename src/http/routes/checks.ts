/** Findings of the checks: list them, accept one as a false alarm. */
import { codeOf } from "../../domain/hives/locale.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import { changeAcceptance, listFindings } from "../../service/content/checks.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import {
  acceptanceBody,
  acceptanceResponse,
  findingsQuery,
  findingsResponse,
  withdrawalResponse,
} from "../schemas/check-schemas.ts";
import { findingExample, toFindings } from "../schemas/finding-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";

const path = "/api/hives/:slug/checks";
const bodyExample = { locale: "fr", file: "auth.php", key: "failed", check: "argument-extra" as const };

const acceptanceRoute = {
  path: `${path}/accept`,
  takesBranch: true,
  ability: "write",
  group: "Checks",
  body: withExample(acceptanceBody, bodyExample),
} as const;

export const checkRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listFindings",
    path,
    takesBranch: true,
    group: "Checks",
    summary: "List what checks find in the texts of a Hive",
    description:
      "Translations are compared with their source texts: arguments, plural branches, markup. Locale by locale, in the order of the source. Findings that were accepted are not listed.",
    query: findingsQuery,
    response: withExample(findingsResponse, {
      data: [findingExample],
      meta: metaExample,
      counts: { fr: { error: 1, warning: 0 } },
    }),
    isSlow: () => true,
    async handler({ storage, branch, query, signal }) {
      const result = await listFindings(storage, branch, { ...query, ...toOffsetLimit(query), signal });
      return converted(result, ({ findings, total, counts, settings }) => {
        const shown = shownCodes(settings);
        return {
          data: toFindings(findings.map((each) => Object.assign({}, each, { locale: shown(each.locale) }))),
          meta: toMeta(query, total),
          counts: Object.fromEntries(Array.from(counts, ([locale, counted]) => [codeOf(locale), counted])),
        };
      });
    },
  }),
  hiveWrite({
    id: "acceptFinding",
    method: "POST",
    ...acceptanceRoute,
    summary: "Accept a finding as a false alarm",
    description: "It is not found again until the source text or the translation changes.",
    response: withExample(acceptanceResponse, { accepted: 1, unknown: 0 }),
    async handler({ storage, branch, body, context }) {
      const { result, commit } = await changeAcceptance(storage, branch, body, "accept", context);
      return { result: { accepted: result.changed, unknown: result.unknown }, commit };
    },
  }),
  hiveWrite({
    id: "withdrawAcceptance",
    method: "DELETE",
    ...acceptanceRoute,
    summary: "Take the acceptance of a finding back",
    response: withExample(withdrawalResponse, { withdrawn: 1, unknown: 0 }),
    async handler({ storage, branch, body, context }) {
      const { result, commit } = await changeAcceptance(storage, branch, body, "withdraw", context);
      return { result: { withdrawn: result.changed, unknown: result.unknown }, commit };
    },
  }),
];
