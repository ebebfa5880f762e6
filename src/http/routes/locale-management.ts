/** Locales of a Hive: list, add, update and remove them; and the removal of its files. */
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { localeFrom, toCustomCode, type Locale } from "../../domain/hives/locale.ts";
import { describeHive } from "../../service/admin/hives.ts";
import { addLocales, removeFile, changeLocale, removeLocale } from "../../service/admin/locales.ts";
import { headsAt } from "../../service/content/queries.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import {
  fileQuery,
  fileRemovedResponse,
  localeBody,
  localeRemovedResponse,
  localeResponse,
  localeUpdateBody,
  hiveLocalesResponse,
  type LocaleResponse,
} from "../schemas/management-schemas.ts";

function toLocale({ code, customCode, review, twoPeople }: Locale): LocaleResponse {
  return { code, custom_code: customCode ?? null, review: review ?? null, two_people: twoPeople ?? false };
}

const path = "/api/hives/:slug/locales";
const localeExample = { code: "pt-BR", custom_code: "pt_BR", review: null, two_people: false };

export const localeManagementRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listHiveLocales",
    path,
    group: "Management",
    summary: "List the locales of a Hive",
    description: "The source locale comes first.",
    response: withExample(hiveLocalesResponse, {
      data: [
        { code: "en", custom_code: null, review: null, two_people: false, is_source: true },
        { code: "pt-BR", custom_code: "pt_BR", review: "all", two_people: true, is_source: false },
      ],
    }),
    async handler({ storage, hive: { slug } }) {
      const { settings, commit } = await describeHive(storage, slug);
      const read = () => ({
        data: localesOf(settings).map((locale) =>
          Object.assign(toLocale(locale), { is_source: locale === settings.sourceLocale }),
        ),
      });
      return { ...headsAt(slug, commit, commit), version: commit, read };
    },
  }),
  hiveWrite({
    id: "addLocale",
    method: "POST",
    path,
    ability: "admin",
    group: "Management",
    summary: "Add a target locale",
    description:
      "An outdated code, such as `tl` for `fil`, is replaced by its current one, and kept as the custom code unless another custom code is given; requests find the locale by all of these codes. Two codes for one locale, a custom code that is the code of another locale, and names of Windows devices (`con`, `aux`, `nul`, `prn`) are a 422.",
    body: withExample(localeBody, { code: "pt-BR", custom_code: "pt_BR" }),
    status: 201,
    response: withExample(localeResponse, localeExample),
    async handler({ storage, hive, body: { code, custom_code: custom }, context }) {
      const locale = localeFrom(code, custom ?? undefined, { code: "code", customCode: "custom_code" });
      const { commit } = await addLocales(storage, hive.slug, [locale], context, "code");
      return { result: toLocale(locale), commit };
    },
  }),
  hiveWrite({
    id: "changeLocale",
    method: "PATCH",
    path: `${path}/:locale`,
    ability: "admin",
    group: "Management",
    summary: "Change a locale",
    description:
      "Members that are not given stay as they are. The source locale may have a custom code too, and no review.",
    body: withExample(localeUpdateBody, { custom_code: "pt_BR" }),
    response: withExample(localeResponse, localeExample),
    async handler({
      storage,
      hive,
      param,
      body: { custom_code: text, review, two_people: twoPeople },
      context,
    }) {
      const field = "custom_code";
      const customCode = typeof text === "string" ? toCustomCode(text, field) : text;
      const change = { customCode, review, twoPeople };
      const { result, commit } = await changeLocale(
        storage,
        hive.slug,
        param("locale"),
        change,
        context,
        field,
      );
      return { result: toLocale(result), commit };
    },
  }),
  hiveWrite({
    id: "removeLocale",
    method: "DELETE",
    path: `${path}/:locale`,
    ability: "admin",
    group: "Management",
    summary: "Remove a locale and its translations",
    description:
      "Makes one commit. Undoing it restores the translations, once the locale has been added again.",
    response: withExample(localeRemovedResponse, { translations_deleted: 12 }),
    async handler({ storage, hive, param, context }) {
      const { result, commit } = await removeLocale(storage, hive.slug, param("locale"), context);
      return { result: { translations_deleted: result.translations }, commit };
    },
  }),
  hiveWrite({
    id: "removeFile",
    method: "DELETE",
    path: "/api/hives/:slug/files",
    takesBranch: true,
    ability: "admin",
    group: "Management",
    summary: "Remove a source file, its strings and their translations",
    description: "Makes one commit, which can be undone.",
    query: fileQuery,
    response: withExample(fileRemovedResponse, { deleted: 3, translations_deleted: 12 }),
    async handler({ storage, branch, query, context }) {
      const { result, commit } = await removeFile(storage, branch, query.file, context);
      return { result: { deleted: result.strings, translations_deleted: result.translations }, commit };
    },
  }),
];
