/** The requests and responses of management: Hives, locales, files, tokens, the trash and the team. */
import { z } from "zod";
import { maxNameLength, pluralModes } from "../../domain/hives/hive-settings.ts";
import { customCodePattern, maxLocales } from "../../domain/hives/locale.ts";
import { slugPattern } from "../../domain/names.ts";
import { abilities } from "../../domain/access/token.ts";
import { count, listOf, pageMeta } from "./schemas.ts";
import { deletionLimit } from "./write-preconditions.ts";

const text = z.string("must be text");
const object = "must be a JSON object";
const slug = text.meta({ pattern: slugPattern.source });
const displayName = text.meta({ minLength: 1, maxLength: maxNameLength });
const localeCode = text.meta({ pattern: "^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$", examples: ["pt-BR"] });
const customCode = text.meta({ pattern: customCodePattern.source, examples: ["pt_BR"] });

export const pluralsField = z.enum(pluralModes, `must be one of ${pluralModes.join(", ")}`).meta({
  description: "Which source strings are taken for plural forms, so that each language can have its own.",
});

/** A locale in a request: its BCP 47 code, and the code that the app uses if it is another. */
export const localeBody = z
  .object({ code: localeCode, custom_code: customCode.nullish() }, object)
  .meta({ id: "NewLocale" });
/** Where there is no custom code the code alone will do. */
const localeGiven = z.union([localeCode, localeBody], "must be a code, or an object of code and custom_code");
export type LocaleGiven = z.infer<typeof localeGiven>;

export const newHiveBody = z
  .object(
    {
      slug,
      name: displayName.nullish(),
      source_locale: localeGiven.nullish(),
      locales: listOf(localeGiven, { max: maxLocales }).nullish(),
      plurals: pluralsField.nullish(),
    },
    object,
  )
  .meta({ id: "NewHive" });

/** `null` for no limit. */
const maxDeletions = z
  .int(`must be a whole number, at most ${Number.MAX_SAFE_INTEGER}`)
  .nonnegative("must be 0 or more")
  .nullable();

export const hiveBody = z
  .object(
    {
      name: displayName.optional(),
      max_deletions: maxDeletions.optional(),
      plurals: pluralsField.optional(),
    },
    object,
  )
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    path: ["name"],
    message: "must be given, or max_deletions or plurals",
  })
  .meta({ id: "HiveUpdate", minProperties: 1 });

export const managedHiveResponse = z
  .object({
    slug: z.string(),
    name: z.string(),
    /** The code that names exported files, as are those of the target locales. */
    source_locale: z.string(),
    locales: z.array(z.string()),
    max_deletions: count.nullable(),
    plurals: pluralsField,
    string_count: count,
  })
  .meta({ id: "Hive" });
export type ManagedHiveResponse = z.infer<typeof managedHiveResponse>;

const trashEntry = z
  .object({
    id: z.string(),
    slug: z.string(),
    deleted: z.iso.datetime(),
    /** When it is removed for good. */
    expires: z.iso.datetime(),
  })
  .meta({ id: "TrashEntry" });

/** The Hive that was deleted last is the first. */
export const trashResponse = z
  .object({ data: z.array(trashEntry), meta: pageMeta })
  .meta({ id: "TrashPage" });
export type TrashResponse = z.infer<typeof trashResponse>;

/** Until when it can be restored. */
export const hiveDeletedResponse = z
  .object({ slug: z.string(), expires: z.iso.datetime() })
  .meta({ id: "DeletedHive" });
export type HiveDeletedResponse = z.infer<typeof hiveDeletedResponse>;

/** `null` takes the custom code away. */
export const customCodeBody = z
  .object({ custom_code: customCode.nullable() }, object)
  .meta({ id: "LocaleUpdate" });

export const localeResponse = z
  .object({ code: z.string(), custom_code: z.string().nullable() })
  .meta({ id: "Locale" });
export type LocaleResponse = z.infer<typeof localeResponse>;

/** Lists of keys by file name, checked by the domain. */
export const translationRemovalBody = z
  .object(
    {
      files: z
        .unknown()
        .optional()
        .meta({
          description: "File names, each with the list of its keys.",
          anyOf: [
            { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
            { type: "array", items: {}, maxItems: 0 },
          ],
        }),
    },
    object,
  )
  .meta({ id: "TranslationRemoval", required: ["files"] });

export const translationsRemovedResponse = z
  .object({ deleted: count, skipped: count, unknown: count })
  .meta({ id: "TranslationRemovalResult" });
export type TranslationsRemovedResponse = z.infer<typeof translationsRemovedResponse>;

/** The source locale is the first. */
export const hiveLocalesResponse = z
  .object({ data: z.array(localeResponse.extend({ is_source: z.boolean() }).meta({ id: "HiveLocale" })) })
  .meta({ id: "HiveLocaleList" });
export type HiveLocalesResponse = z.infer<typeof hiveLocalesResponse>;

export const localeRemovedResponse = z
  .object({ translations_deleted: count })
  .meta({ id: "LocaleRemovalResult" });
export type LocaleRemovedResponse = z.infer<typeof localeRemovedResponse>;

export const fileQuery = z.strictObject({
  file: z
    .string("must be given once")
    .meta({ description: "The name of the source file.", examples: ["admin/menu.php"] }),
  max_deletions: deletionLimit,
});

export const fileRemovedResponse = z
  .object({ deleted: count, translations_deleted: count })
  .meta({ id: "FileRemovalResult" });
export type FileRemovedResponse = z.infer<typeof fileRemovedResponse>;

export const tokenBody = z
  .object(
    {
      name: displayName.nullish(),
      abilities: listOf(z.enum(abilities, `must be ${abilities.join(", ")}`))
        .nullish()
        .transform((given) => given ?? []),
      hives: z.union([z.literal("all"), listOf(slug)], "must be all or a list of slugs").nullish(),
      expires: z.iso
        .datetime({ offset: true, error: "must be an ISO 8601 time such as 2030-01-31T00:00:00Z" })
        .nullish(),
    },
    object,
  )
  .meta({ id: "NewToken" });

export const tokenResponse = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    abilities: z.array(z.enum(abilities)),
    hives: z.union([z.literal("all"), z.array(z.string())]),
    created: z.iso.datetime(),
    /** `null` for a token that does not run out. */
    expires: z.iso.datetime().nullable(),
    expired: z.boolean(),
  })
  .meta({ id: "Token" });
export type TokenResponse = z.infer<typeof tokenResponse>;

/** The one answer that shows the token itself. */
export const newTokenResponse = tokenResponse.extend({ token: z.string() }).meta({ id: "IssuedToken" });
export type NewTokenResponse = z.infer<typeof newTokenResponse>;

export const tokensResponse = z
  .object({ data: z.array(tokenResponse), meta: pageMeta })
  .meta({ id: "TokenPage" });
export type TokensResponse = z.infer<typeof tokensResponse>;

export const teamResponse = z
  .object({
    name: z.string(),
    string_count: count.meta({
      description: "Source strings over all Hives that the token reaches, counted as the quota counts them.",
    }),
    max_strings: count.nullable().meta({ description: "Over all Hives of the team; `null` for no limit." }),
    strings_left: count.nullable().optional().meta({
      description: "`null` for no limit; not there for a token that is limited to some Hives.",
    }),
  })
  .meta({ id: "Team" });
export type TeamResponse = z.infer<typeof teamResponse>;
