/** Locales of a Hive: list, add, update and remove them; and the removal of its files. */
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { localeFrom, toCustomCode, type Locale } from "../../domain/hives/locale.ts";
import { describeHive } from "../../service/admin/hives.ts";
import { addLocales, removeFile, removeLocale, setCustomCode } from "../../service/admin/locales.ts";
import { headsAt } from "../../service/content/queries.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import {
  customCodeBody,
  fileQuery,
  fileRemovedResponse,
  localeBody,
  localeRemovedResponse,
  localeResponse,
  hiveLocalesResponse,
  type LocaleResponse,
} from "../schemas/management-schemas.ts";

function toLocale({ code, customCode }: Locale): LocaleResponse {
  return { code, custom_code: customCode ?? null };
}

const path = "/api/hives/:slug/locales";

export const localeManagementRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listHiveLocales",
    path,
    group: "Management",
    summary: "List the locales of a Hive",
    description: "The source locale comes first.",
    response: withExample(hiveLocalesResponse, {
      data: [
        { code: "en", custom_code: null, is_source: true },
        { code: "pt-BR", custom_code: "pt_BR", is_source: false },
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
    response: withExample(localeResponse, { code: "pt-BR", custom_code: "pt_BR" }),
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
    summary: "Set a locale's custom code",
    description: "`null` removes the custom code. The source locale may have one too.",
    body: withExample(customCodeBody, { custom_code: "pt_BR" }),
    response: withExample(localeResponse, { code: "pt-BR", custom_code: "pt_BR" }),
    async handler({ storage, hive, param, body: { custom_code: text }, context }) {
      const field = "custom_code";
      const code = text === null ? undefined : toCustomCode(text, field);
      const { result, commit } = await setCustomCode(
        storage,
        hive.slug,
        param("locale"),
        code,
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
