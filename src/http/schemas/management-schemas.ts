/** The requests and responses of management: Hives, locales, files, tokens, the trash and the team. */
import { z } from "zod";
import { maxNameLength, pluralModes, pushPolicies } from "../../domain/hives/hive-settings.ts";
import { customCodePattern, maxLocales } from "../../domain/hives/locale.ts";
import { slugPattern } from "../../domain/names.ts";
import { abilities, reviewRules } from "../../domain/access/token.ts";
import { checksBody, checksField } from "./check-schemas.ts";
import { listOf } from "./schemas.ts";
import { deletionLimit } from "./write-preconditions.ts";
import { count, jsonObject, named, nullableText, pageOf, text } from "./objects.ts";
import { withoutNulls } from "../../domain/record.ts";

const slug = text.meta({ pattern: slugPattern.source });
export const displayName = text.meta({ minLength: 1, maxLength: maxNameLength });
const localeCode = text.meta({ pattern: "^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$", examples: ["pt-BR"] });
const customCode = text.meta({ pattern: customCodePattern.source, examples: ["pt_BR"] });

export const pluralsField = z.enum(pluralModes, `must be one of ${pluralModes.join(", ")}`).meta({
  description:
    "How plural strings are recognised in the source: by keys such as `item_one` and `item_other` (`i18next`), by groups with keys such as `one` and `other` (`nested`), both (`auto`), or not at all (`none`). Each locale can then have the plural forms of its language.",
});

const pushField = z.enum(pushPolicies, `must be one of ${pushPolicies.join(", ")}`).meta({
  description:
    "Which branches take commits through `git push`: all but main (`branches`), main too (`all`), or `none`.",
});

export const glossaryField = slug.nullable().meta({
  description:
    "The Hive of the same team whose glossary counts, too, where the Hive has no own term of a spelling; `null` for none.",
});

/** A locale in a request: its BCP 47 code, and the code that the app uses if it is another. */
export const localeBody = named("NewLocale", { code: localeCode, custom_code: customCode.nullish() });
/** A locale without a custom code may be given by its code alone. */
const localeGiven = z.union([localeCode, localeBody], "must be a code, or an object of code and custom_code");
export type LocaleGiven = z.infer<typeof localeGiven>;

export const newHiveBody = named("NewHive", {
  slug,
  name: displayName.nullish(),
  source_locale: localeGiven.nullish(),
  locales: listOf(localeGiven, { max: maxLocales }).nullish(),
  plurals: pluralsField.nullish(),
  checks: checksBody.nullish(),
});

const maxDeletions = z
  .int(`must be a whole number, at most ${Number.MAX_SAFE_INTEGER}`)
  .nonnegative("must be 0 or more")
  .nullable()
  .meta({
    description:
      "How many source strings one request may delete, unless it has a `max_deletions` of its own; `null` for no limit.",
  });

function hasMember(body: object): boolean {
  return Object.values(body).some((value) => value !== undefined);
}

export const hiveBody = jsonObject({
  name: displayName.optional(),
  max_deletions: maxDeletions.optional(),
  plurals: pluralsField.optional(),
  push: pushField.optional(),
  checks: checksBody.optional(),
  glossary: glossaryField.optional(),
})
  .refine(hasMember, {
    path: ["name"],
    message: "must be given, or max_deletions, plurals, push, checks or glossary",
  })
  .meta({ id: "HiveUpdate", minProperties: 1 });

export const managedHiveResponse = named("Hive", {
  slug: z.string(),
  name: z.string(),
  source_locale: z.string().meta({
    description: "Its code, or its custom code if it has one, as in the names of exported files.",
  }),
  locales: z.array(z.string()).meta({ description: "The codes of the target locales, likewise." }),
  max_deletions: count.nullable().meta({
    description: "How many source strings one request may delete; `null` for no limit.",
  }),
  plurals: pluralsField,
  push: pushField,
  checks: checksField,
  glossary: glossaryField,
  string_count: count,
});
export type ManagedHiveResponse = z.infer<typeof managedHiveResponse>;

const trashEntry = named("TrashEntry", {
  id: z.string(),
  slug: z.string(),
  deleted: z.iso.datetime(),
  expires: z.iso.datetime().meta({ description: "When it is removed for good." }),
});

/** The Hive that was deleted last is the first. */
export const trashResponse = pageOf("TrashPage", trashEntry);

export const hiveDeletedResponse = named("DeletedHive", {
  slug: z.string(),
  expires: z.iso.datetime().meta({ description: "Until when the Hive can be restored." }),
});

export const localeUpdateBody = jsonObject({
  custom_code: customCode.nullable().optional().meta({ description: "`null` removes the custom code." }),
  review: z.literal("all", "must be all or null").nullable().optional().meta({
    description:
      "With `all`, every text that is written waits for a review, whoever writes it; with `null`, the writer's token decides.",
  }),
  two_people: z
    .boolean("must be true or false")
    .optional()
    .meta({ description: "Whether nobody may approve their own text." }),
})
  .refine(hasMember, { path: ["custom_code"], message: "must be given, or review or two_people" })
  .meta({ id: "LocaleUpdate", minProperties: 1 });

export const localeResponse = named("Locale", {
  code: z.string(),
  custom_code: nullableText,
  review: z.literal("all").nullable(),
  two_people: z.boolean(),
});

/** Lists of keys by file name, checked by the domain. */
export const translationRemovalBody = jsonObject({
  files: z
    .unknown()
    .optional()
    .meta({
      description: "Lists of keys, by file name.",
      anyOf: [
        { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
        { type: "array", items: {}, maxItems: 0 },
      ],
    }),
}).meta({ id: "TranslationRemoval", required: ["files"] });

export const translationsRemovedResponse = named("TranslationRemovalResult", {
  deleted: count,
  skipped: count.meta({ description: "Keys of source strings that had no translation." }),
  unknown: count.meta({ description: "Keys that match no source string." }),
});

/** The source locale is the first. */
export const hiveLocalesResponse = named("HiveLocaleList", {
  data: z.array(localeResponse.extend({ is_source: z.boolean() }).meta({ id: "HiveLocale" })),
});

export const localeRemovedResponse = named("LocaleRemovalResult", { translations_deleted: count });

export const fileQuery = z.strictObject({
  file: z
    .string("must be given once")
    .meta({ description: "The name of the source file.", examples: ["admin/menu.php"] }),
  max_deletions: deletionLimit,
});

export const fileRemovedResponse = named("FileRemovalResult", {
  deleted: count,
  translations_deleted: count,
});

export const abilityList = listOf(z.enum(abilities, `must be ${abilities.join(", ")}`));
export const hivesOrAll = z.union(
  [z.literal("all"), listOf(slug).meta({ minItems: 1 })],
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
