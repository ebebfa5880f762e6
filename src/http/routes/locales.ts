/** All locales known to Skep. */
import { listWorldLocales } from "../../service/admin/world-locales.ts";
import { withExample } from "../openapi/route-docs.ts";
import type { CallerRoute } from "../pipeline/route.ts";
import { worldLocalesResponse, type WorldLocalesResponse } from "../schemas/hive-schemas.ts";

async function read(): Promise<WorldLocalesResponse> {
  const locales = await listWorldLocales();
  return {
    locales: locales.map(({ code, name, region, isRightToLeft, isPopular }) => ({
      code,
      name,
      region,
      rtl: isRightToLeft,
      is_popular: isPopular,
    })),
  };
}

export const localesRoute: CallerRoute = {
  kind: "caller",
  id: "listLocales",
  method: "GET",
  path: "/api/locales",
  ability: "read",
  group: "Hives",
  summary: "List all known locales",
  description:
    "The locales that the Unicode CLDR has data for, and common short codes such as `zh-TW`. A Hive may have other locales too.",
  response: withExample(worldLocalesResponse, {
    locales: [{ code: "pt-BR", name: "Portuguese (Brazil)", region: "BR", rtl: false, is_popular: true }],
  }),
  hasETag: true,
  handler: async () => ({ version: "", heads: [], read }),
};
