/** The caller's team: its quota, and what is used of it. */
import { usageOf } from "../../service/teams.ts";
import { teamResponse, type TeamResponse } from "../management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../respond.ts";
import type { TeamEndpoint, TeamRequest } from "../route.ts";

async function show({ storage, caller }: TeamRequest): Promise<Response> {
  const { team, strings } = await usageOf(storage, caller.team);
  const { name, maxStrings } = team;
  const response: TeamResponse = {
    name,
    string_count: strings,
    max_strings: maxStrings ?? null,
    strings_left: maxStrings === undefined ? null : Math.max(0, maxStrings - strings),
  };
  return respondJson(response);
}

export const teamEndpoints: readonly TeamEndpoint[] = [
  {
    method: "GET",
    path: "/api/team",
    ability: "read",
    whole: false,
    manage: show,
    docs: {
      id: "showTeam",
      group: "Management",
      summary: "Show the team's quota and what is used of it",
      answer: withExample(teamResponse, {
        name: "acme",
        string_count: 4200,
        max_strings: 10000,
        strings_left: 5800,
      }),
    },
  },
];
