/** The caller's team: its quota, and how much of it is used. */
import { reachedOf } from "../../domain/access/token.ts";
import { usageOf } from "../../service/admin/teams.ts";
import { teamResponse, type TeamResponse } from "../schemas/management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../responses/respond.ts";
import type { TeamRoute, TeamRequest } from "../pipeline/route.ts";

async function show({ storage, caller }: TeamRequest): Promise<Response> {
  const { name, maxStrings, hives } = caller.team;
  const reached = { ...caller.team, hives: reachedOf(caller.token, hives) };
  const { strings } = await usageOf(storage, reached);
  const left = maxStrings === undefined ? null : Math.max(0, maxStrings - strings);
  const response: TeamResponse = {
    name,
    string_count: strings,
    max_strings: maxStrings ?? null,
    // What is left would tell how much the team has in Hives that the token must not see.
    strings_left: caller.token.hives === "all" ? left : undefined,
  };
  return respondJson(response);
}

export const teamRoutes: readonly TeamRoute[] = [
  {
    kind: "team",
    method: "GET",
    path: "/api/team",
    ability: "read",
    requiresAllHives: false,
    handler: show,
    docs: {
      id: "showTeam",
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
    },
  },
];
