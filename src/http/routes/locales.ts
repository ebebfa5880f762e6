/** The locales of the world. */
import { listWorldLocales } from "../../service/admin/world-locales.ts";
import type { KeptAnswer } from "../responses/answer-kept.ts";
import { worldLocalesResponse, type WorldLocalesResponse } from "../schemas/hive-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toJson } from "../responses/respond.ts";
import type { CallerEndpoint, CallerRequest } from "../pipeline/route.ts";

async function list({ answers }: CallerRequest): Promise<KeptAnswer> {
  const answer = await answers.get(["locales"], async () => {
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
  });
  return { answer, heads: [] };
}

export const localesEndpoint: CallerEndpoint = {
  kind: "caller",
  method: "GET",
  path: "/api/locales",
  ability: "read",
  handler: list,
  docs: {
    id: "listLocales",
    group: "Hives",
    summary: "List the locales of the world",
    description:
      "Those that CLDR has data for. `region` is a country's code in ISO 3166 or empty. Popular is what at least five million people use and software is commonly translated into: a language, or an official language of the region in the code.",
    answer: withExample(worldLocalesResponse, {
      locales: [{ code: "pt-BR", name: "Portuguese (Brazil)", region: "BR", rtl: false, is_popular: true }],
    }),
    hasETag: true,
  },
};
