/** Findings of the checks: list them, accept one as a false alarm. */
import { codeOf } from "../../domain/hives/locale.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import { changeAcceptance, listFindings, type FindingPage } from "../../service/content/checks.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { withExample } from "../openapi/route-docs.ts";
import {
  acceptanceBody,
  acceptanceResponse,
  findingsQuery,
  findingsResponse,
  withdrawalResponse,
  type FindingsResponse,
} from "../schemas/check-schemas.ts";
import { toFindings } from "../schemas/finding-schemas.ts";
import { toMeta, toOffsetLimit, type PageQuery } from "../schemas/page.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import { check } from "../schemas/schemas.ts";

const path = "/api/hives/:slug/checks";

async function list({ storage, branch, query, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const params = check(findingsQuery, query, "query");
  const { page, per_page: perPage, ...filter } = params;
  const found = await listFindings(storage, branch, { ...filter, ...toOffsetLimit(params), signal });
  const name = ["checks", page, perPage, ...Object.entries(filter).flat()];
  return rendered(found, name, (findings) => toJson(toPage(findings, params)));
}

function toPage({ findings, total, counts, settings }: FindingPage, page: PageQuery): FindingsResponse {
  const shown = shownCodes(settings);
  return {
    data: toFindings(findings.map((found) => Object.assign({}, found, { locale: shown(found.locale) }))),
    meta: toMeta(page, total),
    counts: Object.fromEntries(Array.from(counts, ([locale, counted]) => [codeOf(locale), counted])),
  };
}

async function accept({ storage, branch, readJson, context }: WriteRequest): Promise<Response> {
  const body = check(acceptanceBody, await readJson(), "body");
  const { result, commit } = await changeAcceptance(storage, branch, body, "accept", context);
  return respondJson({ accepted: result.changed, unknown: result.unknown }, { commit });
}

async function withdraw({ storage, branch, readJson, context }: WriteRequest): Promise<Response> {
  const body = check(acceptanceBody, await readJson(), "body");
  const { result, commit } = await changeAcceptance(storage, branch, body, "withdraw", context);
  return respondJson({ withdrawn: result.changed, unknown: result.unknown }, { commit });
}

const bodyExample = { locale: "fr", file: "auth.php", key: "failed", check: "argument-extra" as const };

export const checkRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    takesBranch: true,
    ability: "read",
    handler: list,
    isSlow: () => true,
    docs: {
      id: "listFindings",
      group: "Checks",
      summary: "List what checks find in the texts of a Hive",
      description:
        "Translations are compared with their source texts: arguments, plural branches, markup. Locale by locale, in the order of the source. Findings that were accepted are not listed.",
      query: findingsQuery,
      response: withExample(findingsResponse, {
        data: [
          {
            locale: "fr",
            file: "auth.php",
            key: "failed",
            check: "argument-extra",
            severity: "error",
            message: ":nom is not in the source text, which has :name",
            found: ":nom",
            expected: ":name",
            range: [8, 12],
          },
        ],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 1 },
        counts: { fr: { error: 1, warning: 0 } },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path: `${path}/accept`,
    takesBranch: true,
    ability: "write",
    handler: accept,
    docs: {
      id: "acceptFinding",
      group: "Checks",
      summary: "Accept a finding as a false alarm",
      description: "It is not found again until the source text or the translation changes.",
      body: withExample(acceptanceBody, bodyExample),
      response: withExample(acceptanceResponse, { accepted: 1, unknown: 0 }),
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path: `${path}/accept`,
    takesBranch: true,
    ability: "write",
    handler: withdraw,
    docs: {
      id: "withdrawAcceptance",
      group: "Checks",
      summary: "Take the acceptance of a finding back",
      body: withExample(acceptanceBody, bodyExample),
      response: withExample(withdrawalResponse, { withdrawn: 1, unknown: 0 }),
    },
  },
];
