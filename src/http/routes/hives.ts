/** Hives: list, create, change, delete and restore them; the translation progress of one, and the keys of its strings. */
import { z } from "zod";
import { codeOf, localeFrom, type Locale, maxLocales } from "../../domain/hives/locale.ts";
import { hiveStats, listKeys, reachableHives, type ListedHive } from "../../service/content/overviews.ts";
import { teamGroup, hiveGroup, type Answer, type Route } from "../pipeline/route.ts";
import { joinMembers, joinObject, joinPieces, listPieces } from "../responses/json-bytes.ts";
import { converted, toJson } from "../responses/respond.ts";
import { toChecks, toCheckSettings, checksField, checksBody } from "../schemas/check-schemas.ts";
import { toLocaleStats, localeStatsResponse } from "../schemas/hive-schemas.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import {
  updateHive,
  createHive,
  deleteHive,
  describeHive,
  type HiveDescription,
} from "../../service/admin/hives.ts";
import { withExample } from "../../api/operation.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { slugField, displayName, localeCode, localeBody, hasMember } from "../../api/management.ts";
import { keptUntil } from "../../domain/deletion-time.ts";
import { listTrash, restoreHive } from "../../service/admin/trash.ts";
import { pageQuery, toPageOf } from "../../api/page.ts";
import { count, named, nullableText, pageOf, jsonObject, listOf } from "../../api/objects.ts";
import { pluralModes, pushPolicies } from "../../domain/hives/hive-settings.ts";

const pluralsField = z.enum(pluralModes, `must be one of ${pluralModes.join(", ")}`).meta({
  description:
    "How plural strings are recognised in the source: by keys such as `item_one` and `item_other` (`i18next`), by groups with keys such as `one` and `other` (`nested`), both (`auto`), or not at all (`none`). Each locale can then have the plural forms of its language.",
});

const pushField = z.enum(pushPolicies, `must be one of ${pushPolicies.join(", ")}`).meta({
  description:
    "Which branches take commits through `git push`: all but main (`branches`), main too (`all`), or `none`.",
});

const glossaryField = slugField.nullable().meta({
  description:
    "The Hive of the same team whose glossary counts, too, where the Hive has no own term of a spelling; `null` for none.",
});

const maxDeletions = z
  .int(`must be a whole number, at most ${Number.MAX_SAFE_INTEGER}`)
  .nonnegative("must be 0 or more")
  .nullable()
  .meta({
    description:
      "How many source strings one request may delete, unless it has a `max_deletions` of its own; `null` for no limit.",
  });

export const hiveBody = jsonObject({
  name: displayName.optional(),
  max_deletions: maxDeletions.optional(),
  plurals: pluralsField.optional(),
  push: pushField.optional(),
  checks: checksBody.optional(),
  glossary: glossaryField.optional(),
})
  .refine(hasMember, {
    path: ["name"],
    message: "must be given, or max_deletions, plurals, push, checks or glossary",
  })
  .meta({ id: "HiveUpdate", minProperties: 1 });

/** A locale without a custom code may be given by its code alone. */
const localeGiven = z.union([localeCode, localeBody], "must be a code, or an object of code and custom_code");

export type LocaleGiven = z.infer<typeof localeGiven>;

const newHiveBody = named("NewHive", {
  slug: slugField,
  name: displayName.nullish(),
  source_locale: localeGiven.nullish(),
  locales: listOf(localeGiven, { max: maxLocales }).nullish(),
  plurals: pluralsField.nullish(),
  checks: checksBody.nullish(),
});

export const managedHiveResponse = named("Hive", {
  slug: z.string(),
  name: z.string(),
  source_locale: z.string().meta({
    description: "Its code, or its custom code if it has one, as in the names of exported files.",
  }),
  locales: z.array(z.string()).meta({ description: "The codes of the target locales, likewise." }),
  max_deletions: count.nullable().meta({
    description: "How many source strings one request may delete; `null` for no limit.",
  }),
  plurals: pluralsField,
  push: pushField,
  checks: checksField,
  glossary: glossaryField,
  string_count: count,
});

export type ManagedHiveResponse = z.infer<typeof managedHiveResponse>;

const trashEntry = named("TrashEntry", {
  id: z.string(),
  slug: z.string(),
  deleted: z.iso.datetime(),
  expires: z.iso.datetime().meta({ description: "When it is removed for good." }),
});

/** The Hive that was deleted last is the first. */
export const trashResponse = pageOf("TrashPage", trashEntry);

export const hiveDeletedResponse = named("DeletedHive", {
  slug: z.string(),
  expires: z.iso.datetime().meta({ description: "Until when the Hive can be restored." }),
});

const listedHive = named("ListedHive", {
  slug: z.string(),
  name: z.string(),
  source_locale: z.string(),
  locales: z.array(z.string()).meta({ description: "The codes of the target locales." }),
  string_count: count.meta({ description: "The number of source strings whose text is not empty." }),
  empty_source: count.meta({
    description:
      "The number of source strings whose text is empty. They need no translation and are not counted elsewhere.",
  }),
});

export type ListedHiveResponse = z.infer<typeof listedHive>;

/** Both members have the same list, because some clients read the one and some the other. */
export const hivesResponse = named("HiveList", { hives: z.array(listedHive), data: z.array(listedHive) });

export const hiveResponse = listedHive
  .omit({ locales: true })
  .extend({
    locales: z
      .record(z.string(), localeStatsResponse)
      .meta({ description: "The progress of each target locale, by its code." }),
    plurals: pluralsField,
    checks: checksField,
    glossary: glossaryField,
    stats: z.record(z.string(), localeStatsResponse).meta({ description: "The same as `locales`." }),
  })
  .meta({ id: "HiveProgress" });

export const keysResponse = named("SourceKeyList", {
  total: count,
  keys: z.array(
    named("SourceKey", {
      key: z.string(),
      file: nullableText.meta({
        description: "The name of its file; `null` for the file that is named after the source locale.",
      }),
    }),
  ),
});

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
        const twice = await joinObject({ locales: stats, stats });
        return joinPieces(joinMembers([settings, twice]));
      });
    },
  }),
  hiveRead("listKeys", `${path}/keys`, {
    summary: "List the keys of all source strings",
    response: keysResponse,
    async handler({ storage, branch }) {
      return converted(await listKeys(storage, branch), async (all) => {
        const keys = await listPieces(all, ({ key, file }) => ({ key, file: file ?? null }));
        return joinObject({ total: [toJson(all.length)], keys });
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
