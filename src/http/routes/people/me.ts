/** What a token acts for; the tokens and sessions of its person. */
import {
  createPersonalToken,
  endOwnSession,
  listOwnSessions,
  listPersonalTokens,
  revokePersonalToken,
} from "../../../service/people/own.ts";
import { withExample } from "../../../api/operation.ts";
import { teamGroup, type TeamRoute } from "../../pipeline/route.ts";
import { grantedRights, hasMember, localeList } from "../../../api/management.ts";
import {
  issuedToken,
  token as tokenAnswer,
  tokenBody,
  tokens as teamTokens,
  toTokenRequest,
} from "../../../api/tokens.ts";
import { pageQuery, toPageOf } from "../../../api/page.ts";
import { withExpired } from "../../operations/tokens.ts";
import { z } from "zod";
import { pageLanguageCodes } from "../../../domain/access/page-language.ts";
import { digests, sessionMethods, themes, type Person } from "../../../domain/access/person.ts";
import { jsonObject, named, nullableText, pageOf, text } from "../../../api/objects.ts";
import type { Caller } from "../../../service/access.ts";
import { changeOneself } from "../../../service/mail/own-mail.ts";

const pageThemes = ["system", ...themes] as const;

/** Who a token acts for. */
const meResponse = named("Me", {
  team: z.string(),
  token: z.string().meta({ description: "The id of the token of the request." }),
  person: nullableText.meta({
    description: "The id of the person whose token it is; `null` for a token of nobody.",
  }),
  name: nullableText.meta({ description: "The name of the person, or else of the token." }),
  mail: nullableText.meta({ description: "The mail address of the person." }),
  mail_confirmed: z.boolean().meta({ description: "Whether mails to it have been shown to reach them." }),
  digest: z.enum(digests).meta({ description: "Whether they are mailed each day what concerns them." }),
  language: z.enum(pageLanguageCodes).nullable().meta({
    description: "The language of the pages and mails for them; `null` for that of their browser.",
  }),
  languages: z.array(z.string()).meta({
    description: "The languages that the person works in, which come first on the pages.",
  }),
  theme: z.enum(pageThemes).meta({ description: "The colours of the pages." }),
  ...grantedRights,
});

const meChange = jsonObject({
  mail: text.meta({ maxLength: 254, description: "`null` for none." }).nullish(),
  digest: z.enum(digests, `must be ${digests.join(" or ")}`).optional(),
  language: z
    .enum(pageLanguageCodes, `must be one of ${pageLanguageCodes.join(", ")}, or null`)
    .meta({ description: "Of pages and mails; `null` for that of the browser, and English in mails." })
    .nullish(),
  languages: localeList
    .meta({ description: "The languages that you work in, which come first on the pages." })
    .optional(),
  theme: z
    .enum(pageThemes, `must be ${pageThemes.join(", ")}`)
    .meta({ description: "The colours of the pages." })
    .optional(),
})
  .refine(hasMember, { path: ["mail"], message: "must be given, or another member" })
  .meta({ id: "MeChange", minProperties: 1 });

/** @param person of the caller, as they are stored. */
function toMe({ principal, team }: Caller, person: Person | undefined) {
  return {
    ...principal,
    team: team.name,
    token: principal.token ?? "",
    mail: person?.mail,
    mail_confirmed: person?.mailConfirmed === true,
    digest: person?.digest ?? ("off" as const),
    language: person?.language,
    languages: [...(person?.languages ?? [])],
    theme: person?.theme ?? ("system" as const),
  };
}

const sessionResponse = named("Session", {
  id: z.string(),
  began: z.iso.datetime(),
  method: z.enum(sessionMethods),
  browser: z.string().meta({ description: "The browser and its system, as it names itself." }),
});

const sessionsResponse = pageOf("SessionPage", sessionResponse);

export const personalTokenBody = tokenBody.omit({ checks: true }).meta({ id: "NewPersonalToken" });

const tokens = "/api/me/tokens";
const sessions = "/api/me/sessions";
const teamRoute = teamGroup("People", { ability: "read", requiresAllHives: false });

export const meRoutes: readonly TeamRoute[] = [
  teamRoute("showMe", "GET", "/api/me", {
    summary: "Get whom the token acts for",
    description: "What a token of a person may do is what both the token and the person may do now.",
    response: meResponse,
    async handler({ storage, caller }) {
      const { person } = caller.principal;
      return { result: toMe(caller, person && (await storage.registry.person(person))) };
    },
  }),
  teamRoute("changeMe", "PATCH", "/api/me", {
    summary: "Change what you are mailed, and how pages are for you",
    description:
      "A new address has to be confirmed by the link that is mailed to it, by the person who is signed in to the console, before anything else is sent to it. The address that is there is mailed the link again. An address gets at most five mails an hour.",
    body: withExample(meChange, { mail: "anna@example.org", digest: "daily", languages: ["fr", "de"] }),
    response: meResponse,
    errors: ["too-many-attempts"],
    async handler({ storage, grant, caller, body, mailing }) {
      return { result: toMe(caller, await changeOneself(storage, grant, body, mailing)) };
    },
  }),
  teamRoute("listMyTokens", "GET", tokens, {
    summary: "List your tokens",
    description: "The tokens of the person whose token the request has, oldest first.",
    query: pageQuery,
    response: teamTokens.operations.listTokens.response,
    async handler({ storage, grant, query }) {
      const own = await listPersonalTokens(storage, grant);
      return { result: toPageOf(own, query, (each) => withExpired(each, storage.now())) };
    },
  }),
  teamRoute("createMyToken", "POST", tokens, {
    summary: "Create a token of yours",
    description:
      "It can have no more rights than the token of the request, and never does more than the person may. Without `expires`, it lasts for 90 days. A person has at most 50. Only this response contains the token itself.",
    body: withExample(personalTokenBody, { name: "Laptop", abilities: ["read", "write"] }),
    status: 201,
    response: issuedToken,
    errors: ["quota", "too-many-attempts"],
    async handler({ storage, grant, body }) {
      const made = await createPersonalToken(storage, grant, toTokenRequest(body));
      return { result: { ...withExpired(made.stored, storage.now()), token: made.token } };
    },
  }),
  teamRoute("revokeMyToken", "DELETE", `${tokens}/:id`, {
    summary: "Revoke a token of yours",
    description: "A token can revoke itself. A revoked token is refused from the next request on.",
    response: tokenAnswer,
    async handler({ storage, grant, param }) {
      const revoked = await revokePersonalToken(storage, grant, param("id"));
      return { result: withExpired(revoked, storage.now()) };
    },
  }),
  teamRoute("listMySessions", "GET", sessions, {
    summary: "List your sessions",
    description: "The sessions of the console that the person of the token has, oldest first; at most 20.",
    query: pageQuery,
    response: sessionsResponse,
    handler({ storage, grant, query }) {
      return Promise.resolve({ result: toPageOf(listOwnSessions(storage, grant), query, (each) => each) });
    },
  }),
  teamRoute("endMySession", "DELETE", `${sessions}/:id`, {
    summary: "End a session of yours",
    description: "It is refused from its next request on.",
    response: sessionResponse,
    async handler({ storage, grant, param }) {
      return { result: await endOwnSession(storage, grant, param("id")) };
    },
  }),
];
