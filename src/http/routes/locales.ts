/** All known locales; the locales of a Hive, and the removal of its files. */
import type { Encodable } from "../../domain/json-codec.ts";
import {
  listWorldLocales,
  addLocales,
  removeFile,
  changeLocale,
  removeLocale,
} from "../../service/admin/locales.ts";
import { hiveGroup, type Route } from "../pipeline/route.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { localeFrom, toCustomCode, type Locale } from "../../domain/hives/locale.ts";
import { describeHive } from "../../service/admin/hives.ts";
import { headsAt } from "../../service/content/queries.ts";
import { withExample } from "../../api/operation.ts";
import { localeBody, customCodeField, hasMember } from "../../api/management.ts";
import { z } from "zod";
import { named, count, jsonObject, nullableText } from "../../api/objects.ts";
import { deletionLimit } from "../schemas/write-preconditions.ts";

const localeUpdateBody = jsonObject({
  custom_code: customCodeField.nullable().optional().meta({ description: "`null` removes the custom code." }),
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

/** The source locale is the first. */
export const hiveLocalesResponse = named("HiveLocaleList", {
  data: z.array(localeResponse.extend({ is_source: z.boolean() }).meta({ id: "HiveLocale" })),
});

export const localeRemovedResponse = named("LocaleRemovalResult", { translations_deleted: count });

const fileQuery = z.strictObject({
  file: z
    .string("must be given once")
    .meta({ description: "The name of the source file.", examples: ["admin/menu.php"] }),
  max_deletions: deletionLimit,
});

export const fileRemovedResponse = named("FileRemovalResult", {
  deleted: count,
  translations_deleted: count,
});

export const worldLocalesResponse = named("WorldLocaleList", {
  locales: z.array(
    named("WorldLocale", {
      code: z.string(),
      name: z.string(),
      region: z.string().meta({
        description: "The country in the code, as ISO 3166 names it; empty if the code names none.",
      }),
      rtl: z.boolean().meta({ description: "Whether it is written from right to left." }),
      is_popular: z.boolean().meta({
        description:
          "Whether software is commonly translated into it: at least five million people use it, and CLDR covers it fully. If its code has a region, its language must be official there.",
      }),
    }),
  ),
});

export type WorldLocalesResponse = z.infer<typeof worldLocalesResponse>;

async function readWorldLocales(): Promise<Encodable<WorldLocalesResponse>> {
  const locales = await listWorldLocales();
  return { locales: locales.map((locale) => Object.assign({ rtl: locale.isRightToLeft }, locale)) };
}

function toLocale(locale: Locale) {
  return { ...locale, twoPeople: locale.twoPeople ?? false };
}

const path = "/api/hives/:slug/locales";
const { hiveRead, hiveWrite } = hiveGroup("Management", "admin");

export const localeRoutes: readonly Route[] = [
  {
    kind: "caller",
    id: "listLocales",
    method: "GET",
    path: "/api/locales",
    ability: "read",
    group: "Hives",
    summary: "List all known locales",
    description:
      "The locales that the Unicode CLDR has data for, and common short codes such as `zh-TW`. A Hive may have other locales too.",
    response: worldLocalesResponse,
    hasETag: true,
    handler: async () => ({ version: "", heads: [], read: readWorldLocales }),
  },
  hiveRead("listHiveLocales", path, {
    summary: "List the locales of a Hive",
    description: "The source locale comes first.",
    response: hiveLocalesResponse,
    async handler({ storage, hive: { slug } }) {
      const { settings, commit } = await describeHive(storage, slug);
      const read = () => ({
        data: localesOf(settings).map((locale) =>
          Object.assign(toLocale(locale), { isSource: locale === settings.sourceLocale }),
        ),
      });
      return { ...headsAt(slug, commit, commit), version: commit, read };
    },
  }),
  hiveWrite("addLocale", "POST", path, {
    summary: "Add a target locale",
    description:
      "An outdated code, such as `tl` for `fil`, is replaced by its current one, and kept as the custom code unless another custom code is given; requests find the locale by all of these codes. Two codes for one locale, a custom code that is the code of another locale, and names of Windows devices (`con`, `aux`, `nul`, `prn`) are a 422.",
    body: withExample(localeBody, { code: "pt-BR", custom_code: "pt_BR" }),
    status: 201,
    response: localeResponse,
    async handler({ storage, hive, body: { code, custom_code: custom }, context }) {
      const locale = localeFrom(code, custom ?? undefined, { code: "code", customCode: "custom_code" });
      const { commit } = await addLocales(storage, hive.slug, [locale], context, "code");
      return { result: toLocale(locale), commit };
    },
  }),
  hiveWrite("changeLocale", "PATCH", `${path}/:locale`, {
    summary: "Change a locale",
    description:
      "Members that are not given stay as they are. The source locale may have a custom code too, and no review.",
    body: withExample(localeUpdateBody, { custom_code: "pt_BR" }),
    response: localeResponse,
    async handler({ storage, hive, param, body, context }) {
      const { custom_code: text, review, two_people: twoPeople } = body;
      const field = "custom_code";
      const customCode = typeof text === "string" ? toCustomCode(text, field) : text;
      const change = { customCode, review, twoPeople };
      const code = param("locale");
      const { result, commit } = await changeLocale(storage, hive.slug, code, change, context, field);
      return { result: toLocale(result), commit };
    },
  }),
  hiveWrite("removeLocale", "DELETE", `${path}/:locale`, {
    summary: "Remove a locale and its translations",
    description:
      "Makes one commit. Undoing it restores the translations, once the locale has been added again.",
    response: localeRemovedResponse,
    async handler({ storage, hive, param, context }) {
      const { result, commit } = await removeLocale(storage, hive.slug, param("locale"), context);
      return { result: { translationsDeleted: result.translations }, commit };
    },
  }),
  hiveWrite("removeFile", "DELETE", "/api/hives/:slug/files", {
    takesBranch: true,
    summary: "Remove a source file, its strings and their translations",
    description: "Makes one commit, which can be undone.",
    query: fileQuery,
    response: fileRemovedResponse,
    async handler({ storage, branch, query, context }) {
      const { result, commit } = await removeFile(storage, branch, query.file, context);
      return { result: { deleted: result.strings, translations_deleted: result.translations }, commit };
    },
  }),
];
