/** All known locales. */
import { z } from "zod";
import { named } from "../../api/objects.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { listWorldLocales } from "../../service/admin/locales.ts";
import type { Route } from "../pipeline/route.ts";

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
];
