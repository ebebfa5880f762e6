/** Deleted Hives. */
import { z } from "zod";
import { named, pageOf } from "../../api/objects.ts";
import { pageQuery, toPageOf } from "../../api/page.ts";
import { keptUntil } from "../../domain/deletion-time.ts";
import { listTrash } from "../../service/admin/trash.ts";
import { teamGroup, type TeamRoute } from "../pipeline/route.ts";

const trashEntry = named("TrashEntry", {
  id: z.string(),
  slug: z.string(),
  deleted: z.iso.datetime(),
  expires: z.iso.datetime().meta({ description: "When it is removed for good." }),
});

/** The Hive that was deleted last is the first. */
export const trashResponse = pageOf("TrashPage", trashEntry);

const teamRoute = teamGroup("Management", { ability: "admin", requiresAllHives: true });

export const hiveRoutes: readonly TeamRoute[] = [
  teamRoute("listTrash", "GET", "/api/trash", {
    summary: "List deleted Hives",
    description: "The deleted Hives of the team that can be restored, last deleted first.",
    query: pageQuery,
    response: trashResponse,
    async handler({ storage, grant, query }) {
      const entries = await listTrash(storage, grant.team);
      const result = toPageOf(entries, query, ({ id, slug, deleted }) => ({
        id,
        slug,
        deleted: new Date(deleted).toISOString(),
        expires: new Date(keptUntil(deleted)).toISOString(),
      }));
      return { result };
    },
  }),
];
