/** Hives: a list of them, the translation progress of one, and the keys of its strings. */
import type { z } from "zod";
import { codeOf } from "../../domain/hives/locale.ts";
import { hiveStats, listKeys, reachableHives, type ListedHive } from "../../service/content/overviews.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, type CallerRoute, type HiveRoute } from "../pipeline/route.ts";
import { joinMembers, joinObject, joinPieces, listPieces } from "../responses/json-bytes.ts";
import { converted, toJson } from "../responses/respond.ts";
import { toChecks } from "../schemas/check-schemas.ts";
import {
  hiveResponse,
  hivesResponse,
  keysResponse,
  toLocaleStats,
  type ListedHiveResponse,
} from "../schemas/hive-schemas.ts";

function toListedHive(hive: ListedHive): ListedHiveResponse {
  const { slug, settings, translatableCount, emptySourceCount } = hive;
  return {
    slug,
    name: settings.name,
    source_locale: codeOf(settings.sourceLocale),
    locales: settings.targetLocales.map(codeOf),
    string_count: translatableCount,
    empty_source: emptySourceCount,
  };
}

const path = "/api/hives/:slug";

const listExample: ListedHiveResponse = {
  slug: "web",
  name: "Website",
  source_locale: "en",
  locales: ["fr", "pt_BR"],
  string_count: 3,
  empty_source: 0,
};

const statsExample = {
  fr: toLocaleStats({ translated: 1, approved: 1, waiting: 0, stale: 1, empty: 1, failing: 0, total: 3 }),
  pt_BR: toLocaleStats({ translated: 0, approved: 0, waiting: 0, stale: 0, empty: 3, failing: 0, total: 3 }),
};

export const hiveListRoute: CallerRoute = {
  kind: "caller",
  id: "listHives",
  method: "GET",
  path: "/api/hives",
  ability: "read",
  group: "Hives",
  summary: "List the Hives that the token can read",
  description:
    "In order of creation. The list is given twice, as `hives` and as `data`. A Hive whose stored content is invalid is listed with the last state that could be read.",
  response: withExample(hivesResponse, { hives: [listExample], data: [listExample] }),
  hasETag: true,
  async handler(storage, caller, slowly) {
    return converted(await reachableHives(storage, caller, slowly), (listed) => {
      const hives = listed.map(toListedHive);
      return { hives, data: hives } satisfies z.input<typeof hivesResponse>;
    });
  },
};

export const hiveRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "getHive",
    path,
    takesBranch: true,
    group: "Hives",
    summary: "Get a Hive with its translation progress",
    description:
      "Progress is given for each target locale, twice: as `locales` and as `stats`. Strings with an empty source text are not counted. A plural string counts once for each plural form that the language needs for whole numbers, so `total` may differ between locales.",
    response: withExample(hiveResponse, {
      ...listExample,
      plurals: "auto",
      checks: { level: "warn", syntax: [{ files: "*.php", syntax: "laravel" }] },
      glossary: null,
      locales: statsExample,
      stats: statsExample,
    }),
    async handler({ storage, responses, hive, branch }) {
      return converted(await hiveStats(storage, branch), async ({ locales, ...counted }) => {
        // Of many locales most are as they were when one has changed.
        const parts = locales.map(async ({ locale, version, read }) => {
          const code = codeOf(locale);
          const make = async (): Promise<Buffer> => toJson({ [code]: toLocaleStats(await read()) });
          return responses.part(`stats ${version}`, make);
        });
        const stats = joinMembers(await Promise.all(parts));
        const { locales: _, ...members } = toListedHive({ slug: hive.slug, ...counted });
        const plurals = counted.settings.plurals ?? "auto";
        const { glossary = null } = counted.settings;
        const settings = toJson({ ...members, plurals, checks: toChecks(counted.settings), glossary });
        const twice = await inSlices(joinObject({ locales: stats, stats }));
        return inSlices(joinPieces(joinMembers([settings, twice])));
      });
    },
  }),
  hiveRead({
    id: "listKeys",
    path: `${path}/keys`,
    takesBranch: true,
    group: "Hives",
    summary: "List the keys of all source strings",
    response: withExample(keysResponse, {
      total: 2,
      keys: [
        { key: "failed", file: "auth.php" },
        { key: "Welcome!", file: null },
      ],
    }),
    async handler({ storage, branch }) {
      return converted(await listKeys(storage, branch), async (all) => {
        const keys = await inSlices(listPieces(all, ({ key, file }) => ({ key, file: file ?? null })));
        return inSlices(joinObject({ total: [toJson(all.length)], keys }));
      });
    },
  }),
];
