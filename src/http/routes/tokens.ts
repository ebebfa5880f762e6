/** Tokens: list, create and revoke those that grant no more than the caller's own token. */
import { hasExpired, type Token } from "../../domain/access/token.ts";
import { createOwnToken, listOwnTokens, revokeOwnToken } from "../../service/admin/own-tokens.ts";
import {
  newTokenResponse,
  tokenBody,
  tokenResponse,
  tokensResponse,
  type NewTokenResponse,
  type TokenResponse,
  type TokensResponse,
} from "../schemas/management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import { respondJson } from "../responses/respond.ts";
import type { TeamRoute, TeamRequest } from "../pipeline/route.ts";
import { check, pageQuery } from "../schemas/schemas.ts";

function toTokenResponse(token: Token, now: number): TokenResponse {
  const { id, name, abilities, hives, locales, checks, created, expires } = token;
  return {
    id,
    name: name ?? null,
    abilities: [...abilities],
    hives: hives === "all" ? hives : [...hives],
    locales: locales === undefined ? null : [...locales],
    checks: checks ?? null,
    created,
    expires: expires ?? null,
    expired: hasExpired(token, now),
  };
}

async function list({ storage, caller, query }: TeamRequest): Promise<Response> {
  const asked = check(pageQuery, query, "query");
  const tokens = await listOwnTokens(storage, caller);
  const { offset, limit } = toOffsetLimit(asked);
  const response: TokensResponse = {
    data: tokens.slice(offset, offset + limit).map((token) => toTokenResponse(token, storage.now())),
    meta: toMeta(asked, tokens.length),
  };
  return respondJson(response);
}

async function create({ storage, grant, readJson }: TeamRequest): Promise<Response> {
  const { name, abilities, hives, locales, checks, expires } = check(tokenBody, await readJson(), "body");
  const { token, stored } = await createOwnToken(storage, grant, {
    name: name ?? undefined,
    abilities,
    hives: hives ?? undefined,
    locales: locales ?? undefined,
    checks: checks ?? undefined,
    expires: expires == null ? undefined : Date.parse(expires),
  });
  const response: NewTokenResponse = { ...toTokenResponse(stored, storage.now()), token };
  return respondJson(response, { status: 201 });
}

async function revoke({ storage, grant, param }: TeamRequest): Promise<Response> {
  const token = await revokeOwnToken(storage, grant, param("id"));
  return respondJson(toTokenResponse(token, storage.now()));
}

const path = "/api/tokens";
const common = { ability: "admin", requiresAllHives: false } as const;
const example: TokenResponse = {
  id: "k3v9x0q2m8za",
  name: "CI",
  abilities: ["read", "write"],
  hives: ["web"],
  locales: null,
  checks: null,
  created: "2026-01-01T00:00:00.000Z",
  expires: null,
  expired: false,
};
const newToken = "skep_k3v9x0q2m8za_8fQ0vYtR2sLxW7nKc4JhB9mZ1pDgE6uA";
const page = { current_page: 1, last_page: 1, per_page: 100, total: 1 };

export const tokenRoutes: readonly TeamRoute[] = [
  {
    kind: "team",
    method: "GET",
    path,
    ...common,
    handler: list,
    docs: {
      id: "listTokens",
      group: "Management",
      summary: "List tokens",
      description:
        "The tokens of the team that grant no access beyond that of the caller's own token, oldest first.",
      query: pageQuery,
      response: withExample(tokensResponse, { data: [example], meta: page }),
    },
  },
  {
    kind: "team",
    method: "POST",
    path,
    ...common,
    handler: create,
    docs: {
      id: "createToken",
      group: "Management",
      summary: "Create a token",
      description:
        "A token cannot grant more than the caller's own. Where `hives` or `expires` is not given, the new token has that of the caller's token. The token itself is shown in this response only.",
      body: withExample(tokenBody, { name: "CI", abilities: ["read", "write"], hives: ["web"] }),
      status: 201,
      response: withExample(newTokenResponse, { ...example, token: newToken }),
      errors: ["quota"],
    },
  },
  {
    kind: "team",
    method: "DELETE",
    path: `${path}/:id`,
    ...common,
    handler: revoke,
    docs: {
      id: "revokeToken",
      group: "Management",
      summary: "Revoke a token",
      description: "A token can revoke itself. A revoked token is refused from the next request on.",
      response: withExample(tokenResponse, example),
    },
  },
];
