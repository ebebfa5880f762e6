/** The trash: deleted Hives, listed and restored. */
import { trashExpiry } from "../../domain/hives/trash.ts";
import { listTrash, restoreHive } from "../../service/admin/trash.ts";
import { withExample } from "../openapi/route-docs.ts";
import { teamRoute, type TeamRoute } from "../pipeline/route.ts";
import { managedHiveResponse, trashResponse } from "../schemas/management-schemas.ts";
import { metaExample, toPage } from "../schemas/page.ts";
import { pageQuery } from "../schemas/schemas.ts";
import { describe, hiveExample } from "./hive-management.ts";

const common = { ability: "admin", requiresAllHives: true } as const;

export const trashRoutes: readonly TeamRoute[] = [
  teamRoute({
    id: "listTrash",
    method: "GET",
    path: "/api/trash",
    ...common,
    group: "Management",
    summary: "List deleted Hives",
    description: "The deleted Hives of the team that can be restored, last deleted first.",
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
      meta: metaExample,
    }),
    async handler({ storage, grant, query }) {
      const entries = await listTrash(storage, grant.team);
      const result = toPage(entries, query, ({ id, slug, deleted }) => ({
        id,
        slug,
        deleted: new Date(deleted).toISOString(),
        expires: new Date(trashExpiry(deleted)).toISOString(),
      }));
      return { result };
    },
  }),
  teamRoute({
    id: "restoreHive",
    method: "POST",
    path: "/api/trash/:entry/restore",
    ...common,
    group: "Management",
    summary: "Restore a deleted Hive",
    description:
      "Restores the Hive with its texts, tags and history, the one that was deleted last if several had the slug. The slug must be free (else 409), and the team's quota must allow it (else 422). Its mirrors, and the access of tokens that were limited to it, are not restored.",
    response: withExample(managedHiveResponse, hiveExample),
    errors: ["conflict", "quota"],
    async handler({ storage, param, context: { caller } }) {
      return describe(storage, await restoreHive(storage, { text: param("entry"), caller }));
    },
  }),
];
