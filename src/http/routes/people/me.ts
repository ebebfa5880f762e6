/** What a token acts for; the tokens and sessions of its person. */
import type { PersonSession } from "../../../domain/access/person.ts";
import {
  createPersonalToken,
  endOwnSession,
  listOwnSessions,
  listPersonalTokens,
  revokePersonalToken,
} from "../../../service/people/own.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { teamRoute, type TeamRoute } from "../../pipeline/route.ts";
import {
  newTokenResponse,
  tokenResponse,
  tokensResponse,
  toTokenRequest,
} from "../../schemas/management-schemas.ts";
import { metaExample, toPage } from "../../schemas/page.ts";
import {
  meResponse,
  personalTokenBody,
  sessionResponse,
  sessionsResponse,
} from "../../schemas/people/people-schemas.ts";
import { toRightsResponse } from "../../schemas/people/person-response.ts";
import { pageQuery } from "../../schemas/schemas.ts";
import { newToken, tokenExample, toTokenResponse } from "../tokens.ts";

const common = { ability: "read", requiresAllHives: false, group: "People" } as const;

const tokens = "/api/me/tokens";
const token = {
  ...tokenExample,
  name: "Laptop",
  person: "anna",
  expires: "2026-04-01T00:00:00.000Z",
} as const;
const sessions = "/api/me/sessions";
const session = {
  id: "2Z7dJ0mB1kQy3nVx8sLwPg",
  began: "2026-01-01T08:00:00.000Z",
  method: "passkey",
  browser: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
} as const;

function toSessionResponse({ id, began, method, browser }: PersonSession) {
  return { id, began, method, browser };
}

export const meRoutes: readonly TeamRoute[] = [
  teamRoute({
    id: "showMe",
    method: "GET",
    path: "/api/me",
    ...common,
    summary: "Get whom the token acts for",
    description: "What a token of a person may do is what both the token and the person may do now.",
    response: withExample(meResponse, {
      team: "acme",
      token: "k3v9x0q2m8za",
      person: "anna",
      name: "Anna Bauer",
      abilities: ["read", "write"],
      hives: "all",
      locales: ["de"],
      review: null,
    }),
    handler({ caller: { principal, team } }) {
      const { token: id = "", person = null, name = null } = principal;
      return Promise.resolve({
        result: { team: team.name, token: id, person, name, ...toRightsResponse(principal) },
      });
    },
  }),
  teamRoute({
    id: "listMyTokens",
    method: "GET",
    path: tokens,
    ...common,
    summary: "List your tokens",
    description: "The tokens of the person whose token the request has, oldest first.",
    query: pageQuery,
    response: withExample(tokensResponse, { data: [token], meta: metaExample }),
    async handler({ storage, grant, query }) {
      const own = await listPersonalTokens(storage, grant);
      return { result: toPage(own, query, (each) => toTokenResponse(each, storage.now())) };
    },
  }),
  teamRoute({
    id: "createMyToken",
    method: "POST",
    path: tokens,
    ...common,
    summary: "Create a token of yours",
    description:
      "It can have no more rights than the token of the request, and never does more than the person may. Without `expires`, it lasts for 90 days. A person has at most 50. Only this response contains the token itself.",
    body: withExample(personalTokenBody, { name: "Laptop", abilities: ["read", "write"] }),
    status: 201,
    response: withExample(newTokenResponse, { ...token, token: newToken }),
    errors: ["quota"],
    async handler({ storage, grant, body }) {
      const made = await createPersonalToken(storage, grant, toTokenRequest(body));
      return { result: { ...toTokenResponse(made.stored, storage.now()), token: made.token } };
    },
  }),
  teamRoute({
    id: "revokeMyToken",
    method: "DELETE",
    path: `${tokens}/:id`,
    ...common,
    summary: "Revoke a token of yours",
    description: "A token can revoke itself. A revoked token is refused from the next request on.",
    response: withExample(tokenResponse, token),
    async handler({ storage, grant, param }) {
      const revoked = await revokePersonalToken(storage, grant, param("id"));
      return { result: toTokenResponse(revoked, storage.now()) };
    },
  }),
  teamRoute({
    id: "listMySessions",
    method: "GET",
    path: sessions,
    ...common,
    summary: "List your sessions",
    description: "The sessions of the console that the person of the token has, oldest first; at most 20.",
    query: pageQuery,
    response: withExample(sessionsResponse, { data: [session], meta: metaExample }),
    handler({ storage, grant, query }) {
      return Promise.resolve({ result: toPage(listOwnSessions(storage, grant), query, toSessionResponse) });
    },
  }),
  teamRoute({
    id: "endMySession",
    method: "DELETE",
    path: `${sessions}/:id`,
    ...common,
    summary: "End a session of yours",
    description: "It is refused from its next request on.",
    response: withExample(sessionResponse, session),
    async handler({ storage, grant, param }) {
      return { result: toSessionResponse(await endOwnSession(storage, grant, param("id"))) };
    },
  }),
];
