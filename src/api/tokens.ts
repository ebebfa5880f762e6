/** Access tokens of a team. */
import { z } from "zod";
import { withoutNulls } from "../domain/record.ts";
import {
  abilityList,
  displayName,
  grantedRights,
  hivesOrAll,
  localeList,
  reviewRule,
  rightsFields,
} from "./management.ts";
import { named, nullableText } from "./objects.ts";
import { operations } from "./operation.ts";

/** What a request says of the token that it wants. */
export const tokenBody = named("NewToken", {
  name: displayName.nullish().meta({ description: "What it is called in lists." }),
  abilities: abilityList
    .meta({ description: "What it may do; `read` if not given." })
    .nullish()
    .transform((given) => given ?? []),
  hives: hivesOrAll
    .nullish()
    .meta({ description: "The Hives that it can use; those of the caller's token if not given." }),
  locales: localeList.nullish().meta({
    description:
      "The target locales into which the token may write, where that is to be limited; it can then change no source strings and nothing else. Not for tokens with the `admin` ability.",
  }),
  checks: z.literal("strict", "must be strict").nullish().meta({
    description:
      "With `strict`, `?checks=warn` is refused: no text comes in that a Hive refuses. Not for tokens with the `admin` ability.",
  }),
  review: reviewRule.nullish().meta({
    description:
      "Whether translations that the token writes wait for a review: `always`, `never`, or with `null` only those that a model has made by their `X-Commit-Origin`. A token that is reviewed always can only make such tokens.",
  }),
  expires: z.iso
    .datetime({ offset: true, error: "must be an ISO 8601 time such as 2030-01-31T00:00:00Z" })
    .nullish()
    .meta({ description: "When it ends; when the caller's token does, or never, if not given." }),
});

/** What the body of a request says about the token that it wants. */
export function toTokenRequest<T extends { readonly expires?: string | null }>(body: T) {
  const { expires } = body;
  return { ...withoutNulls(body), expires: expires == null ? undefined : Date.parse(expires) };
}

/** A token in an answer, without its secret. */
export const token = named("Token", {
  id: z.string(),
  name: nullableText,
  person: nullableText.meta({
    description: "The id of the person whose token it is; it may do at most what they may.",
  }),
  ...grantedRights,
  checks: z
    .literal("strict")
    .nullable()
    .meta({ description: "Whether it may let no text pass that checks refuse." }),
  created: z.iso.datetime(),
  expires: z.iso.datetime().nullable().meta({ description: "`null` for a token that does not expire." }),
  expired: z.boolean(),
});

/** The only response that contains the token itself. */
export const issuedToken = token.extend({ token: z.string() }).meta({ id: "IssuedToken" });

/** The fields of a token's form, which has no more to choose from than whoever fills it in may grant. */
export const tokenForm = {
  button: "common.create",
  members: ["name", "abilities", "hives", "locales", "review", "checks", "expires"],
  fields: { ...rightsFields, checks: { none: "tokens.as_the_hive_has_it" } },
} as const;

const help = `Without --ability it can read, without --hive it can use all Hives of the team, and without
--expires it is valid for ever. The token is printed once: only a hash of it is stored.`;

export const tokens = operations(
  {
    noun: "token",
    about: "Create, list and revoke access tokens.",
    path: "/api/tokens",
    key: "id",
    entity: token,
    label: "name",
    group: "Management",
    ability: "admin",
    columns: [
      "id",
      "abilities",
      "hives",
      "locales",
      "checks",
      "review",
      "created",
      "expires",
      "expired",
      "person",
      "name",
    ],
    nulls: { abilities: "none", locales: "all", expires: "never" },
  },
  (op) => ({
    listTokens: op.list({
      summary: "List tokens",
      description:
        "The tokens of the team that grant no more access than the caller's own token, oldest first.",
    }),
    getToken: op.show({ summary: "Get a token" }),
    createToken: op.create({
      summary: "Create a token",
      description:
        "A token cannot grant more than the caller's own. Without `hives` or `expires`, the new token has the Hives or the expiry of the caller's token. Only this response contains the token itself.",
      body: tokenBody,
      example: { name: "CI", abilities: ["read", "write"], hives: ["web"] },
      response: issuedToken,
      errors: ["quota", "too-many-attempts"],
      command: { prints: "token", done: "Created the token {id}{place}. It is not shown again:", help },
      form: { title: "common.new_token", ...tokenForm },
    }),
    revokeToken: op.delete({
      summary: "Revoke a token",
      description: "A token can revoke itself. A revoked token is refused from the next request on.",
      command: { was: "revoke", done: "Revoked the token {id}{place}." },
      form: { title: "common.revoke", button: "common.revoke_2", confirms: true },
    }),
  }),
);
