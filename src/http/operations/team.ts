/** What the operations of the caller's team and its deleted Hives do. */
import { toPageOf } from "../../api/page.ts";
import { teams, trash } from "../../api/team/team.ts";
import { reachedOf } from "../../domain/access/token.ts";
import { keptUntil } from "../../domain/deletion-time.ts";
import { usageOf } from "../../service/admin/teams.ts";
import { listTrash } from "../../service/admin/trash.ts";
import { implement } from "./implement.ts";

export const teamOperations = implement(teams, {
  showTeam: async ({ storage, caller: { team, principal } }) => {
    const { strings } = await usageOf(storage, { ...team, hives: reachedOf(principal, team.hives) });
    const { name, maxStrings } = team;
    const left = maxStrings === undefined ? null : Math.max(0, maxStrings - strings);
    const result = {
      name,
      string_count: strings,
      max_strings: maxStrings ?? null,
      // What is left would tell how much the team has in Hives that the token must not see.
      strings_left: principal.hives === "all" ? left : undefined,
    };
    return { result };
  },
});

export const trashOperations = implement(trash, {
  listTrash: async ({ storage, grant, query }) => {
    const entries = await listTrash(storage, grant.team);
    const result = toPageOf(entries, query, ({ id, slug, deleted }) => ({
      id,
      slug,
      deleted: new Date(deleted).toISOString(),
      expires: new Date(keptUntil(deleted)).toISOString(),
    }));
    return { result };
  },
});
