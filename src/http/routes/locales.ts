/** All locales known to Skep. */
import { listWorldLocales } from "../../service/admin/world-locales.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { worldLocalesResponse, type WorldLocalesResponse } from "../schemas/hive-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toJson } from "../responses/respond.ts";
import type { CallerRoute } from "../pipeline/route.ts";

async function render(): Promise<Uint8Array> {
  const locales = await listWorldLocales();
  const response: WorldLocalesResponse = {
    locales: locales.map(({ code, name, region, isRightToLeft, isPopular }) => ({
      code,
      name,
      region,
      rtl: isRightToLeft,
      is_popular: isPopular,
    })),
  };
  return toJson(response);
}

async function list(): Promise<Versioned<Uint8Array>> {
  return { version: "locales", heads: [], read: render };
}

export const localesRoute: CallerRoute = {
  kind: "caller",
  method: "GET",
  path: "/api/locales",
  ability: "read",
  handler: list,
  docs: {
    id: "listLocales",
    group: "Hives",
    summary: "List all known locales",
    description:
      "The locales that the Unicode CLDR has data for, and common short codes such as `zh-TW`. A Hive may have other locales too.",
    response: withExample(worldLocalesResponse, {
      locales: [{ code: "pt-BR", name: "Portuguese (Brazil)", region: "BR", rtl: false, is_popular: true }],
    }),
    hasETag: true,
  },
};
