/** Locales of a Hive: list, add, update and remove them; and the removal of its files. */
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { localeFrom, toCustomCode, type Locale } from "../../domain/hives/locale.ts";
import { describeHive } from "../../service/admin/hives.ts";
import { addLocales, removeFile, removeLocale, setCustomCode } from "../../service/admin/locales.ts";
import {
  customCodeBody,
  fileQuery,
  fileRemovedResponse,
  localeBody,
  localeRemovedResponse,
  localeResponse,
  hiveLocalesResponse,
  type FileRemovedResponse,
  type LocaleRemovedResponse,
  type LocaleResponse,
  type HiveLocalesResponse,
} from "../schemas/management-schemas.ts";
import { headsAt, type Versioned } from "../../service/content/queries.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import { check } from "../schemas/schemas.ts";

function toLocaleResponse({ code, customCode }: Locale): LocaleResponse {
  return { code, custom_code: customCode ?? null };
}

async function list({ storage, hive: { slug } }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const { settings, commit } = await describeHive(storage, slug);
  const read = (): Uint8Array => {
    const response: HiveLocalesResponse = {
      data: localesOf(settings).map((locale) => {
        const { code, custom_code } = toLocaleResponse(locale);
        return { code, custom_code, is_source: locale === settings.sourceLocale };
      }),
    };
    return toJson(response);
  };
  return { ...headsAt(slug, commit, commit), version: `locales ${slug} ${commit}`, read };
}

async function add({ storage, hive, readJson, context }: WriteRequest): Promise<Response> {
  const { code, custom_code: custom } = check(localeBody, await readJson(), "body");
  const given = localeFrom(code, custom ?? undefined, { code: "code", customCode: "custom_code" });
  const { commit } = await addLocales(storage, hive.slug, [given], context, "code");
  return respondJson(toLocaleResponse(given), { status: 201, commit });
}

async function change({ storage, hive, param, readJson, context }: WriteRequest): Promise<Response> {
  const { custom_code: text } = check(customCodeBody, await readJson(), "body");
  const customCode = text === null ? undefined : toCustomCode(text, "custom_code");
  const { result, commit } = await setCustomCode(
    storage,
    hive.slug,
    param("locale"),
    customCode,
    context,
    "custom_code",
  );
  return respondJson(toLocaleResponse(result), { commit });
}

async function remove({ storage, hive, param, context }: WriteRequest): Promise<Response> {
  const { result, commit } = await removeLocale(storage, hive.slug, param("locale"), context);
  const response: LocaleRemovedResponse = { translations_deleted: result.translations };
  return respondJson(response, { commit });
}

async function removeSourceFile({ storage, branch, query, context }: WriteRequest): Promise<Response> {
  const { file, max_deletions: maxDeletions } = check(fileQuery, query, "query");
  const { result, commit } = await removeFile(storage, branch, file, { ...context, maxDeletions });
  const response: FileRemovedResponse = {
    deleted: result.strings,
    translations_deleted: result.translations,
  };
  return respondJson(response, { commit });
}

const path = "/api/hives/:slug/locales";

export const localeManagementRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    ability: "read",
    handler: list,
    docs: {
      id: "listHiveLocales",
      group: "Management",
      summary: "List the locales of a Hive",
      description: "The source locale comes first.",
      response: withExample(hiveLocalesResponse, {
        data: [
          { code: "en", custom_code: null, is_source: true },
          { code: "pt-BR", custom_code: "pt_BR", is_source: false },
        ],
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path,
    ability: "admin",
    handler: add,
    docs: {
      id: "addLocale",
      group: "Management",
      summary: "Add a target locale",
      description:
        "An outdated code, such as `tl` for `fil`, is replaced by its current one, and kept as the custom code unless another custom code is given.",
      body: withExample(localeBody, { code: "pt-BR", custom_code: "pt_BR" }),
      status: 201,
      response: withExample(localeResponse, { code: "pt-BR", custom_code: "pt_BR" }),
    },
  },
  {
    kind: "hive-write",
    method: "PATCH",
    path: `${path}/:locale`,
    ability: "admin",
    handler: change,
    docs: {
      id: "changeLocale",
      group: "Management",
      summary: "Set a locale's custom code",
      description: "`null` removes the custom code. The source locale may have one too.",
      body: withExample(customCodeBody, { custom_code: "pt_BR" }),
      response: withExample(localeResponse, { code: "pt-BR", custom_code: "pt_BR" }),
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path: `${path}/:locale`,
    ability: "admin",
    handler: remove,
    docs: {
      id: "removeLocale",
      group: "Management",
      summary: "Remove a locale and its translations",
      description:
        "Makes one commit. Undoing it restores the translations, once the locale has been added again.",
      response: withExample(localeRemovedResponse, { translations_deleted: 12 }),
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path: "/api/hives/:slug/files",
    takesBranch: true,
    ability: "admin",
    handler: removeSourceFile,
    docs: {
      id: "removeFile",
      group: "Management",
      summary: "Remove a source file, its strings and their translations",
      description: "Makes one commit, which can be undone.",
      query: fileQuery,
      response: withExample(fileRemovedResponse, { deleted: 3, translations_deleted: 12 }),
    },
  },
];
