/** Tokens: list, create and revoke those that grant no more than the caller's own token. */
import { hasExpired, type Token } from "../../domain/access/token.ts";
import { createOwnToken, listOwnTokens, revokeOwnToken } from "../../service/admin/own-tokens.ts";
import { withExample } from "../openapi/route-docs.ts";
import { teamRoute, type TeamRoute } from "../pipeline/route.ts";
import {
  newTokenResponse,
  tokenBody,
  tokenResponse,
  tokensResponse,
  type TokenResponse,
  toTokenRequest,
} from "../schemas/management-schemas.ts";
import { toRightsResponse } from "../schemas/people/person-response.ts";
import { metaExample, toPage } from "../schemas/page.ts";
import { pageQuery } from "../schemas/schemas.ts";

export function toTokenResponse(token: Token, now: number): TokenResponse {
  const { id, name, person, checks, created, expires } = token;
  return {
    id,
    name: name ?? null,
    person: person ?? null,
    ...toRightsResponse(token),
    checks: checks ?? null,
    created,
    expires: expires ?? null,
    expired: hasExpired(token, now),
  };
}

const path = "/api/tokens";
const common = { ability: "admin", requiresAllHives: false } as const;
export const tokenExample: TokenResponse = {
  id: "k3v9x0q2m8za",
  name: "CI",
  person: null,
  abilities: ["read", "write"],
  hives: ["web"],
  locales: null,
  review: null,
  checks: null,
  created: "2026-01-01T00:00:00.000Z",
  expires: null,
  expired: false,
};
export const newToken = "skep_k3v9x0q2m8za_8fQ0vYtR2sLxW7nKc4JhB9mZ1pDgE6uA";

export const tokenRoutes: readonly TeamRoute[] = [
  teamRoute({
    id: "listTokens",
    method: "GET",
    path,
    ...common,
    group: "Management",
    summary: "List tokens",
    description:
      "The tokens of the team that grant no more access than the caller's own token, oldest first.",
    query: pageQuery,
    response: withExample(tokensResponse, { data: [tokenExample], meta: metaExample }),
    async handler({ storage, caller, query }) {
      const now = storage.now();
      const tokens = await listOwnTokens(storage, caller);
      return { result: toPage(tokens, query, (token) => toTokenResponse(token, now)) };
    },
  }),
  teamRoute({
    id: "createToken",
    method: "POST",
    path,
    ...common,
    group: "Management",
    summary: "Create a token",
    description:
      "A token cannot grant more than the caller's own. Without `hives` or `expires`, the new token has the Hives or the expiry of the caller's token. Only this response contains the token itself.",
    body: withExample(tokenBody, { name: "CI", abilities: ["read", "write"], hives: ["web"] }),
    status: 201,
    response: withExample(newTokenResponse, { ...tokenExample, token: newToken }),
    errors: ["quota"],
    async handler({ storage, grant, body }) {
      const { token, stored } = await createOwnToken(storage, grant, toTokenRequest(body));
      return { result: { ...toTokenResponse(stored, storage.now()), token } };
    },
  }),
  teamRoute({
    id: "revokeToken",
    method: "DELETE",
    path: `${path}/:id`,
    ...common,
    group: "Management",
    summary: "Revoke a token",
    description: "A token can revoke itself. A revoked token is refused from the next request on.",
    response: withExample(tokenResponse, tokenExample),
    async handler({ storage, grant, param }) {
      const token = await revokeOwnToken(storage, grant, param("id"));
      return { result: toTokenResponse(token, storage.now()) };
    },
  }),
];
