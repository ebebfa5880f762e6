/** The caller's team: its quota, and its tokens that grant no more than the caller's own. */
import { reachedOf, hasExpired, type Token } from "../../domain/access/token.ts";
import { usageOf } from "../../service/admin/teams.ts";
import { teamGroup, type TeamRoute } from "../pipeline/route.ts";
import {
  newTokenResponse,
  tokenBody,
  tokenResponse,
  tokensResponse,
  toTokenRequest,
} from "../schemas/management-schemas.ts";
import { createOwnToken, listOwnTokens, revokeOwnToken } from "../../service/admin/own-tokens.ts";
import { withExample } from "../../api/operation.ts";
import { pageQuery, toPageOf } from "../../api/page.ts";
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

/** A token, of which the response has what is no secret. */
export function withExpired(token: Token, now: number) {
  return { ...token, expired: hasExpired(token, now) };
}

const path = "/api/tokens";
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
  teamRoute("listTokens", "GET", path, {
    summary: "List tokens",
    description:
      "The tokens of the team that grant no more access than the caller's own token, oldest first.",
    query: pageQuery,
    response: tokensResponse,
    async handler({ storage, caller, query }) {
      const now = storage.now();
      const tokens = await listOwnTokens(storage, caller);
      return { result: toPageOf(tokens, query, (token) => withExpired(token, now)) };
    },
  }),
  teamRoute("createToken", "POST", path, {
    summary: "Create a token",
    description:
      "A token cannot grant more than the caller's own. Without `hives` or `expires`, the new token has the Hives or the expiry of the caller's token. Only this response contains the token itself.",
    body: withExample(tokenBody, { name: "CI", abilities: ["read", "write"], hives: ["web"] }),
    status: 201,
    response: newTokenResponse,
    errors: ["quota", "too-many-attempts"],
    async handler({ storage, grant, body }) {
      const { token, stored } = await createOwnToken(storage, grant, toTokenRequest(body));
      return { result: { ...withExpired(stored, storage.now()), token } };
    },
  }),
  teamRoute("revokeToken", "DELETE", `${path}/:id`, {
    summary: "Revoke a token",
    description: "A token can revoke itself. A revoked token is refused from the next request on.",
    response: tokenResponse,
    async handler({ storage, grant, param }) {
      const token = await revokeOwnToken(storage, grant, param("id"));
      return { result: withExpired(token, storage.now()) };
    },
  }),
];
