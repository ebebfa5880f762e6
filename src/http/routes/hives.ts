/** Hives: list, create, change, delete and restore them; the translation progress of one, and the keys of its strings. */
import type { z } from "zod";
import { codeOf, localeFrom, type Locale } from "../../domain/hives/locale.ts";
import { hiveStats, listKeys, reachableHives, type ListedHive } from "../../service/content/overviews.ts";
import { inSlices } from "../../slices.ts";
import { teamGroup, hiveGroup, type Answer, type Route } from "../pipeline/route.ts";
import { joinMembers, joinObject, joinPieces, listPieces } from "../responses/json-bytes.ts";
import { converted, toJson } from "../responses/respond.ts";
import { toChecks, toCheckSettings } from "../schemas/check-schemas.ts";
import {
  hiveResponse,
  hivesResponse,
  keysResponse,
  toLocaleStats,
  type ListedHiveResponse,
} from "../schemas/hive-schemas.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import {
  updateHive,
  createHive,
  deleteHive,
  describeHive,
  type HiveDescription,
} from "../../service/admin/hives.ts";
import { withExample } from "../openapi/route-docs.ts";
import type { Encodable } from "../schemas/encode.ts";
import {
  hiveBody,
  hiveDeletedResponse,
  managedHiveResponse,
  newHiveBody,
  type ManagedHiveResponse,
  type LocaleGiven,
  trashResponse,
} from "../schemas/management-schemas.ts";
import { keptUntil } from "../../domain/deletion-time.ts";
import { listTrash, restoreHive } from "../../service/admin/trash.ts";
import { pageQuery, toPageOf } from "../schemas/page.ts";

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

/** @throws SkepError `invalid` on the field. */
function toGivenLocale(given: LocaleGiven, field: string): Locale {
  if (typeof given === "string") return localeFrom(given, undefined, { code: field, customCode: field });
  const { code, custom_code: custom } = given;
  const fields = { code: `${field}.code`, customCode: `${field}.custom_code` };
  return localeFrom(code, custom ?? undefined, fields);
}

function toManagedHive(
  slug: HiveSlug,
  { settings, strings, commit }: HiveDescription,
): Answer<Encodable<ManagedHiveResponse>> {
  const result = {
    ...settings,
    slug,
    sourceLocale: codeOf(settings.sourceLocale),
    locales: settings.targetLocales.map(codeOf),
    plurals: settings.plurals ?? "auto",
    push: settings.push ?? "branches",
    checks: toChecks(settings),
    stringCount: strings,
  };
  return { result, commit };
}

const { hiveRead } = hiveGroup("Hives", "read", { takesBranch: true });
const { hiveWrite } = hiveGroup("Management", "admin");
const teamRoute = teamGroup("Management", { ability: "admin", requiresAllHives: true });

export const hiveRoutes: readonly Route[] = [
  {
    kind: "caller",
    id: "listHives",
    method: "GET",
    path: "/api/hives",
    ability: "read",
    group: "Hives",
    summary: "List the Hives that the token can read",
    description:
      "In order of creation. The list is given twice, as `hives` and as `data`. A Hive whose stored content is invalid is listed with the last state that could be read.",
    response: hivesResponse,
    hasETag: true,
    async handler(storage, caller, runSlowRead) {
      return converted(await reachableHives(storage, caller, runSlowRead), (listed) => {
        const hives = listed.map(toListedHive);
        return { hives, data: hives } satisfies z.input<typeof hivesResponse>;
      });
    },
  },
  hiveRead("getHive", path, {
    summary: "Get a Hive with its translation progress",
    description:
      "Progress is given for each target locale, twice: as `locales` and as `stats`. Strings with an empty source text are not counted. A plural string counts once for each plural form that the language needs for whole numbers, so `total` may differ between locales.",
    response: hiveResponse,
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
  hiveRead("listKeys", `${path}/keys`, {
    summary: "List the keys of all source strings",
    response: keysResponse,
    async handler({ storage, branch }) {
      return converted(await listKeys(storage, branch), async (all) => {
        const keys = await inSlices(listPieces(all, ({ key, file }) => ({ key, file: file ?? null })));
        return inSlices(joinObject({ total: [toJson(all.length)], keys }));
      });
    },
  }),
  teamRoute("createHive", "POST", "/api/hives", {
    hasCommit: true,
    summary: "Create a Hive",
    description: "Slugs are unique across all teams of the server.",
    body: withExample(newHiveBody, {
      slug: "web",
      name: "Web shop",
      source_locale: "en",
      locales: ["fr", { code: "pt-BR", custom_code: "pt_BR" }],
    }),
    status: 201,
    response: managedHiveResponse,
    errors: ["conflict", "quota"],
    async handler({ storage, grant, body, context }) {
      const { name, source_locale: source, locales, plurals, checks } = body;
      const slug = toHiveSlug(body.slug);
      const hive = {
        slug,
        team: grant.team,
        name: name ?? undefined,
        sourceLocale: toGivenLocale(source ?? "en", "source_locale"),
        targetLocales: (locales ?? []).map((locale, i) => toGivenLocale(locale, `locales.${i}`)),
        plurals: plurals ?? "auto",
        checks: toCheckSettings(checks ?? {}),
      };
      await createHive(storage, hive, context);
      return toManagedHive(slug, await describeHive(storage, slug));
    },
  }),
  hiveWrite("updateHive", "PATCH", path, {
    summary: "Update a Hive's settings",
    description:
      "Members that are not given stay as they are. Changing `plurals` deletes nothing that is stored.",
    body: withExample(hiveBody, { name: "Web shop", max_deletions: 100 }),
    response: managedHiveResponse,
    async handler({ storage, hive, body: { max_deletions: max, checks, glossary, ...settings }, context }) {
      const update = {
        ...settings,
        maxDeletions: max === null ? ("none" as const) : max,
        checks: checks && toCheckSettings(checks),
        glossary: typeof glossary === "string" ? toHiveSlug(glossary, "glossary") : glossary,
      };
      // A write that follows must not change the response to this one.
      const { result, commit } = await updateHive(storage, hive.slug, update, context);
      return toManagedHive(hive.slug, { ...result, commit });
    },
  }),
  hiveWrite("deleteHive", "DELETE", path, {
    hasCommit: false,
    summary: "Delete a Hive",
    description:
      "Moves the Hive, with its texts and its history, to the trash, from which it can be restored until `expires`.",
    response: hiveDeletedResponse,
    errors: ["quota"],
    async handler({ storage, hive, context }) {
      const expires = await deleteHive(storage, hive.slug, context);
      return { result: { slug: hive.slug, expires: new Date(expires).toISOString() } };
    },
  }),
  teamRoute("listTrash", "GET", "/api/trash", {
    summary: "List deleted Hives",
    description: "The deleted Hives of the team that can be restored, last deleted first.",
    query: pageQuery,
    response: trashResponse,
    async handler({ storage, grant, query }) {
      const entries = await listTrash(storage, grant.team);
      const result = toPageOf(entries, query, ({ id, slug, deleted }) => ({
        id,
        slug,
        deleted: new Date(deleted).toISOString(),
        expires: new Date(keptUntil(deleted)).toISOString(),
      }));
      return { result };
    },
  }),
  teamRoute("restoreHive", "POST", "/api/trash/:entry/restore", {
    summary: "Restore a deleted Hive",
    description:
      "Restores the Hive with its texts, tags and history, the one that was deleted last if several had the slug. The slug must be free (else 409), and the team's quota must allow it (else 422). Its mirrors, and the access of tokens that were limited to it, are not restored.",
    response: managedHiveResponse,
    errors: ["conflict", "quota"],
    async handler({ storage, param, context: { caller } }) {
      const slug = await restoreHive(storage, { text: param("entry"), caller });
      return toManagedHive(slug, await describeHive(storage, slug));
    },
  }),
];
