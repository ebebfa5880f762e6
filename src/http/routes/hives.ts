/** Hives: a list of them, the translation progress of one, and the keys of its strings. */
import { codeOf } from "../../domain/hives/locale.ts";
import {
  hiveStats,
  listKeys,
  reachableHives,
  type ListedHive,
  type StringKey,
} from "../../service/content/overviews.ts";
import { inSlices } from "../../slices.ts";
import type { Versioned } from "../../service/content/queries.ts";
import {
  hiveResponse,
  hivesResponse,
  keysResponse,
  type HivesResponse,
  type KeysResponse,
  toLocaleStats,
  type ListedHiveResponse,
} from "../schemas/hive-schemas.ts";
import { toChecks } from "../schemas/check-schemas.ts";
import { joinMembers, joinObject, joinPieces, listPieces } from "../responses/json-bytes.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import type { CallerRoute, CallerRequest, HiveRoute, HiveRequest } from "../pipeline/route.ts";

async function list({ storage, caller, slowly }: CallerRequest): Promise<Versioned<Uint8Array>> {
  return rendered(await reachableHives(storage, caller, slowly), ["hives"], (listed) => {
    const hives = listed.map(toListedHive);
    const response: HivesResponse = { hives, data: hives };
    return toJson(response);
  });
}

function toListedHive({
  slug,
  settings,
  translatableCount,
  emptySourceCount,
}: ListedHive): ListedHiveResponse {
  return {
    slug,
    name: settings.name,
    source_locale: codeOf(settings.sourceLocale),
    locales: settings.targetLocales.map(codeOf),
    string_count: translatableCount,
    empty_source: emptySourceCount,
  };
}

async function show({ storage, responses, hive, branch }: HiveRequest): Promise<Versioned<Uint8Array>> {
  return rendered(await hiveStats(storage, branch), ["hive", hive.slug], async ({ locales, ...counted }) => {
    // Of many locales most are as they were when one has changed.
    const parts = locales.map(async ({ locale, version, read }) => {
      const code = codeOf(locale);
      const make = async (): Promise<Buffer> => toJson({ [code]: toLocaleStats(await read()) });
      return responses.part(`stats ${version}`, make);
    });
    const stats = joinMembers(await Promise.all(parts));
    const { locales: _, ...members } = toListedHive({ slug: hive.slug, ...counted });
    const twice = await inSlices(joinObject({ locales: stats, stats }));
    const plurals = counted.settings.plurals ?? "auto";
    return inSlices(
      joinPieces(joinMembers([toJson({ ...members, plurals, checks: toChecks(counted.settings) }), twice])),
    );
  });
}

function toKey({ key, file }: StringKey): KeysResponse["keys"][number] {
  return { key, file: file ?? null };
}

async function keys({ storage, branch }: HiveRequest): Promise<Versioned<Uint8Array>> {
  return rendered(await listKeys(storage, branch), ["keys"], async (found) => {
    const listed = await inSlices(listPieces(found, toKey));
    return inSlices(joinObject({ total: [toJson(found.length)], keys: listed }));
  });
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
  fr: toLocaleStats({ translated: 1, stale: 1, empty: 1, failing: 0, total: 3 }),
  pt_BR: toLocaleStats({ translated: 0, stale: 0, empty: 3, failing: 0, total: 3 }),
};

export const hiveListRoute: CallerRoute = {
  kind: "caller",
  method: "GET",
  path: "/api/hives",
  ability: "read",
  handler: list,
  docs: {
    id: "listHives",
    group: "Hives",
    summary: "List the Hives that the token can read",
    description:
      "In order of creation. The list is given twice, as `hives` and as `data`. A Hive whose stored content is invalid is listed with the last state that could be read.",
    response: withExample(hivesResponse, { hives: [listExample], data: [listExample] }),
    hasETag: true,
  },
};

export const hiveRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    takesBranch: true,
    ability: "read",
    handler: show,
    docs: {
      id: "getHive",
      group: "Hives",
      summary: "Get a Hive with its translation progress",
      description:
        "Progress is given for each target locale, twice: as `locales` and as `stats`. Strings with an empty source text are not counted. A plural string counts once for each plural form that the language needs for whole numbers, so `total` may differ between locales.",
      response: withExample(hiveResponse, {
        ...listExample,
        plurals: "auto",
        checks: { level: "warn", syntax: [{ files: "*.php", syntax: "laravel" }] },
        locales: statsExample,
        stats: statsExample,
      }),
    },
  },
  {
    kind: "hive-read",
    method: "GET",
    path: `${path}/keys`,
    takesBranch: true,
    ability: "read",
    handler: keys,
    docs: {
      id: "listKeys",
      group: "Hives",
      summary: "List the keys of all source strings",
      response: withExample(keysResponse, {
        total: 2,
        keys: [
          { key: "failed", file: "auth.php" },
          { key: "Welcome!", file: null },
        ],
      }),
    },
  },
];
