/** The caller's team: its quota, and how much of it is used. */
import { reachedOf } from "../../domain/access/token.ts";
import { usageOf } from "../../service/admin/teams.ts";
import { withExample } from "../openapi/route-docs.ts";
import { teamRoute, type TeamRoute } from "../pipeline/route.ts";
import { teamResponse } from "../schemas/management-schemas.ts";

export const teamRoutes: readonly TeamRoute[] = [
  teamRoute({
    id: "showTeam",
    method: "GET",
    path: "/api/team",
    ability: "read",
    requiresAllHives: false,
    group: "Management",
    summary: "Get the team's quota and usage",
    description:
      "For a token that is limited to specific Hives, `string_count` covers only these, and `strings_left` is left out.",
    response: withExample(teamResponse, {
      name: "acme",
      string_count: 4200,
      max_strings: 10000,
      strings_left: 5800,
    }),
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
