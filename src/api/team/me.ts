/** What a token acts for; the tokens and sessions of its person. */
import { z } from "zod";
import { pageLanguageCodes } from "../../domain/access/page-language.ts";
import { digests, sessionMethods, themes } from "../../domain/access/person.ts";
import { grantedRights, hasMember, localeList } from "../management.ts";
import { jsonObject, named, nullableText, text } from "../objects.ts";
import { operations } from "../operation.ts";
import { issuedToken, token, tokenBody } from "../tokens.ts";

const pageThemes = ["system", ...themes] as const;

/** Who a token acts for. */
const me = named("Me", {
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

const session = named("Session", {
  id: z.string(),
  began: z.iso.datetime(),
  method: z.enum(sessionMethods),
  browser: z.string().meta({ description: "The browser and its system, as it names itself." }),
});

/** What a person says of a token that they want. */
export const personalTokenBody = tokenBody.omit({ checks: true }).meta({ id: "NewPersonalToken" });

const common = { group: "People", ability: "read" } as const;

export const myself = operations(
  {
    ...common,
    noun: "me",
    about: "Whom the token acts for.",
    path: "/api/me",
    key: "token",
    names: "token",
    entity: me,
    label: "name",
    columns: ["team", "person", "name", "mail"],
  },
  (op) => ({
    showMe: op.viewAt("show", "/api/me", {
      summary: "Get whom the token acts for",
      description: "What a token of a person may do is what both the token and the person may do now.",
      response: me,
    }),
    changeMe: op.changeAll("edit", "PATCH", {
      summary: "Change what you are mailed, and how pages are for you",
      description:
        "A new address has to be confirmed by the link that is mailed to it, by the person who is signed in to the console, before anything else is sent to it. The address that is there is mailed the link again. An address gets at most five mails an hour.",
      body: meChange,
      example: { mail: "anna@example.org", digest: "daily", languages: ["fr", "de"] },
      response: me,
      errors: ["too-many-attempts"],
    }),
  }),
);

export const myTokens = operations(
  {
    ...common,
    noun: "token",
    about: "Create, list and revoke tokens of yours.",
    path: "/api/me/tokens",
    key: "id",
    entity: token,
    label: "name",
    columns: ["id", "abilities", "hives", "locales", "created", "expires", "expired", "name"],
  },
  (op) => ({
    listMyTokens: op.list({
      summary: "List your tokens",
      description: "The tokens of the person whose token the request has, oldest first.",
    }),
    createMyToken: op.create({
      summary: "Create a token of yours",
      description:
        "It can have no more rights than the token of the request, and never does more than the person may. Without `expires`, it lasts for 90 days. A person has at most 50. Only this response contains the token itself.",
      body: personalTokenBody,
      example: { name: "Laptop", abilities: ["read", "write"] },
      response: issuedToken,
      errors: ["quota", "too-many-attempts"],
    }),
    revokeMyToken: op.delete({
      summary: "Revoke a token of yours",
      description: "A token can revoke itself. A revoked token is refused from the next request on.",
    }),
  }),
);

export const mySessions = operations(
  {
    ...common,
    noun: "session",
    about: "List and end sessions of yours.",
    path: "/api/me/sessions",
    key: "id",
    entity: session,
    label: "browser",
    columns: ["id", "began", "method", "browser"],
  },
  (op) => ({
    listMySessions: op.list({
      summary: "List your sessions",
      description: "The sessions of the console that the person of the token has, oldest first; at most 20.",
    }),
    endMySession: op.delete({
      summary: "End a session of yours",
      description: "It is refused from its next request on.",
    }),
  }),
);
