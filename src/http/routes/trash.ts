/** The trash: deleted Hives, listed and restored. */
import { trashExpiry } from "../../domain/hives/trash.ts";
import { listTrash, restoreHive } from "../../service/admin/trash.ts";
import { managedHiveResponse, trashResponse, type TrashResponse } from "../schemas/management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import { respondJson } from "../responses/respond.ts";
import type { TeamRoute, TeamRequest } from "../pipeline/route.ts";
import { check, pageQuery } from "../schemas/schemas.ts";
import { hiveExample, respondHive } from "./hive-management.ts";

async function list({ storage, grant, query }: TeamRequest): Promise<Response> {
  const asked = check(pageQuery, query, "query");
  const entries = await listTrash(storage, grant.team);
  const { offset, limit } = toOffsetLimit(asked);
  const response: TrashResponse = {
    data: entries.slice(offset, offset + limit).map(({ id, slug, deleted }) => ({
      id,
      slug,
      deleted: new Date(deleted).toISOString(),
      expires: new Date(trashExpiry(deleted)).toISOString(),
    })),
    meta: toMeta(asked, entries.length),
  };
  return respondJson(response);
}

async function restore({ storage, param, context: { caller } }: TeamRequest): Promise<Response> {
  const slug = await restoreHive(storage, { text: param("entry"), caller });
  return respondHive(storage, slug);
}

const common = { ability: "admin", requiresAllHives: true } as const;

export const trashRoutes: readonly TeamRoute[] = [
  {
    kind: "team",
    method: "GET",
    path: "/api/trash",
    ...common,
    handler: list,
    docs: {
      id: "listTrash",
      group: "Management",
      summary: "List deleted Hives",
      description:
        "The deleted Hives of the team that can be restored, last deleted first. Requires a token that is not limited to specific Hives.",
      query: pageQuery,
      response: withExample(trashResponse, {
        data: [
          {
            id: "web.20260101T000000000Z",
            slug: "web",
            deleted: "2026-01-01T00:00:00.000Z",
            expires: "2026-01-31T00:00:00.000Z",
          },
        ],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 1 },
      }),
    },
  },
  {
    kind: "team",
    method: "POST",
    path: "/api/trash/:entry/restore",
    ...common,
    handler: restore,
    docs: {
      id: "restoreHive",
      group: "Management",
      summary: "Restore a deleted Hive",
      description:
        "Restores the Hive with its texts and its history. Its mirrors, and the access of tokens that were limited to it, are not restored. Requires a token that is not limited to specific Hives.",
      response: withExample(managedHiveResponse, hiveExample),
      errors: ["conflict", "quota"],
    },
  },
];
