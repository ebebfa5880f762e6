/** The keys of a Hive's strings; deleted Hives. */
import { z } from "zod";
import { count, named, nullableText, pageOf } from "../../api/objects.ts";
import { pageQuery, toPageOf } from "../../api/page.ts";
import { keptUntil } from "../../domain/deletion-time.ts";
import { listTrash } from "../../service/admin/trash.ts";
import { listKeys } from "../../service/content/overviews.ts";
import { hiveGroup, teamGroup, type Route } from "../pipeline/route.ts";
import { joinObject, listPieces } from "../responses/json-bytes.ts";
import { converted, toJson } from "../responses/respond.ts";

export const keysResponse = named("SourceKeyList", {
  total: count,
  keys: z.array(
    named("SourceKey", {
      key: z.string(),
      file: nullableText.meta({
        description: "The name of its file; `null` for the file that is named after the source locale.",
      }),
    }),
  ),
});

const trashEntry = named("TrashEntry", {
  id: z.string(),
  slug: z.string(),
  deleted: z.iso.datetime(),
  expires: z.iso.datetime().meta({ description: "When it is removed for good." }),
});

/** The Hive that was deleted last is the first. */
export const trashResponse = pageOf("TrashPage", trashEntry);

const { hiveRead } = hiveGroup("Hives", "read", { takesBranch: true });
const teamRoute = teamGroup("Management", { ability: "admin", requiresAllHives: true });

export const hiveRoutes: readonly Route[] = [
  hiveRead("listKeys", "/api/hives/:slug/keys", {
    summary: "List the keys of all source strings",
    response: keysResponse,
    async handler({ storage, branch }) {
      return converted(await listKeys(storage, branch), async (all) => {
        const keys = await listPieces(all, ({ key, file }) => ({ key, file: file ?? null }));
        return joinObject({ total: [toJson(all.length)], keys });
      });
    },
  }),
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
