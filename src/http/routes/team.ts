/** The caller's team: its quota. */
import { reachedOf } from "../../domain/access/token.ts";
import { usageOf } from "../../service/admin/teams.ts";
import { teamGroup, type TeamRoute } from "../pipeline/route.ts";
import { z } from "zod";
import { count, named } from "../../api/objects.ts";

export const teamResponse = named("Team", {
  name: z.string(),
  string_count: count.meta({
    description:
      "The number of source strings in all Hives that the token has access to, including those whose text is empty.",
  }),
  max_strings: count
    .nullable()
    .meta({ description: "The quota, for all Hives of the team together; `null` for no limit." }),
  strings_left: count.nullable().optional().meta({
    description: "`null` for no limit; absent for a token that is limited to specific Hives.",
  }),
});

const teamRoute = teamGroup("Management", { ability: "admin", requiresAllHives: false });

export const teamRoutes: readonly TeamRoute[] = [
  teamRoute("showTeam", "GET", "/api/team", {
    ability: "read",
    summary: "Get the team's quota and usage",
    description:
      "For a token that is limited to specific Hives, `string_count` covers only these, and `strings_left` is left out.",
    response: teamResponse,
    async handler({ storage, caller: { team, principal } }) {
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
  }),
];
