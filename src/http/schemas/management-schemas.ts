/** What requests and responses have in common about locales, tokens and rights. */
import { z } from "zod";
import { maxNameLength } from "../../domain/hives/hive-settings.ts";
import { customCodePattern, maxLocales } from "../../domain/hives/locale.ts";
import { slugPattern } from "../../domain/names.ts";
import { abilities, reviewRules } from "../../domain/access/token.ts";
import { listOf } from "./schemas.ts";
import { named, nullableText, pageOf, text } from "../../api/objects.ts";
import { withoutNulls } from "../../domain/record.ts";

export const slugField = text.meta({ pattern: slugPattern.source });
export const displayName = text.meta({ minLength: 1, maxLength: maxNameLength });
export const localeCode = text.meta({ pattern: "^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$", examples: ["pt-BR"] });
export const customCodeField = text.meta({ pattern: customCodePattern.source, examples: ["pt_BR"] });

/** A locale in a request: its BCP 47 code, and the code that the app uses if it is another. */
export const localeBody = named("NewLocale", { code: localeCode, custom_code: customCodeField.nullish() });

export function hasMember(body: object): boolean {
  return Object.values(body).some((value) => value !== undefined);
}

export const abilityList = listOf(z.enum(abilities, `must be ${abilities.join(", ")}`));
export const hivesOrAll = z.union(
  [z.literal("all"), listOf(slugField).meta({ minItems: 1 })],
  "must be all or a list of slugs",
);
export const localeList = listOf(localeCode, { max: maxLocales });
export const reviewRule = z.enum(reviewRules, `must be ${reviewRules.join(" or ")}`);

export const tokenBody = named("NewToken", {
  name: displayName.nullish(),
  abilities: abilityList.nullish().transform((given) => given ?? []),
  hives: hivesOrAll.nullish(),
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
    .nullish(),
});

/** What the body of a request says about the token that it wants. */
export function toTokenRequest<T extends { readonly expires?: string | null }>(body: T) {
  const { expires } = body;
  return { ...withoutNulls(body), expires: expires == null ? undefined : Date.parse(expires) };
}

/** What a token or a person may do. */
export const grantedRights = {
  abilities: z.array(z.enum(abilities)),
  hives: z.union([z.literal("all"), z.array(z.string())]),
  locales: z
    .array(z.string())
    .nullable()
    .meta({ description: "The target locales into which may be written; `null` for no limit." }),
  review: z.enum(reviewRules).nullable().meta({
    description: "Whether written translations wait for a review; `null` for those of models.",
  }),
};

export const tokenResponse = named("Token", {
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
export const newTokenResponse = tokenResponse.extend({ token: z.string() }).meta({ id: "IssuedToken" });

export const tokensResponse = pageOf("TokenPage", tokenResponse);
