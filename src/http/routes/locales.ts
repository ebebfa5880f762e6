/** All known locales, and the removal of a Hive's files. */
import { z } from "zod";
import { count, named } from "../../api/objects.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { listWorldLocales, removeFile } from "../../service/admin/locales.ts";
import { hiveGroup, type Route } from "../pipeline/route.ts";
import { deletionLimit } from "../schemas/write-preconditions.ts";

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

const { hiveWrite } = hiveGroup("Management", "admin");

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
