/** Hives: create, update and delete them. */
import { codeOf, localeFrom, type Locale } from "../../domain/hives/locale.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import { updateHive } from "../../service/admin/hive-settings.ts";
import { createHive, deleteHive, describeHive, type HiveDescription } from "../../service/admin/hives.ts";
import type { Storage } from "../../service/storage.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveWrite, teamRoute, type Answer, type HiveRoute, type TeamRoute } from "../pipeline/route.ts";
import { toChecks, toCheckSettings } from "../schemas/check-schemas.ts";
import {
  hiveBody,
  hiveDeletedResponse,
  managedHiveResponse,
  newHiveBody,
  type ManagedHiveResponse,
  type LocaleGiven,
} from "../schemas/management-schemas.ts";

/** @throws SkepError `invalid` on the field. */
function toGivenLocale(given: LocaleGiven, field: string): Locale {
  if (typeof given === "string") return localeFrom(given, undefined, { code: field, customCode: field });
  const { code, custom_code: custom } = given;
  const fields = { code: `${field}.code`, customCode: `${field}.custom_code` };
  return localeFrom(code, custom ?? undefined, fields);
}

/** A Hive as it is now. */
export async function describe(storage: Storage, slug: HiveSlug): Promise<Answer<ManagedHiveResponse>> {
  return toManagedHive(slug, await describeHive(storage, slug));
}

function toManagedHive(
  slug: HiveSlug,
  { settings, strings, commit }: HiveDescription,
): Answer<ManagedHiveResponse> {
  const result = {
    slug,
    name: settings.name,
    source_locale: codeOf(settings.sourceLocale),
    locales: settings.targetLocales.map(codeOf),
    max_deletions: settings.maxDeletions ?? null,
    plurals: settings.plurals ?? "auto",
    push: settings.push ?? "branches",
    checks: toChecks(settings),
    glossary: settings.glossary ?? null,
    string_count: strings,
  };
  return { result, commit };
}

const path = "/api/hives/:slug";
export const hiveExample: ManagedHiveResponse = {
  slug: "web",
  name: "Web shop",
  source_locale: "en",
  locales: ["fr", "pt_BR"],
  max_deletions: null,
  plurals: "auto",
  push: "branches",
  checks: { level: "refuse", syntax: [{ files: "*.php", syntax: "laravel" }] },
  glossary: null,
  string_count: 0,
};

export const newHiveRoute: TeamRoute = teamRoute({
  method: "POST",
  path: "/api/hives",
  ability: "admin",
  requiresAllHives: true,
  id: "createHive",
  hasCommit: true,
  group: "Management",
  summary: "Create a Hive",
  description: "Slugs are unique across all teams of the server.",
  body: withExample(newHiveBody, {
    slug: "web",
    name: "Web shop",
    source_locale: "en",
    locales: ["fr", { code: "pt-BR", custom_code: "pt_BR" }],
  }),
  status: 201,
  response: withExample(managedHiveResponse, hiveExample),
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
    return describe(storage, slug);
  },
});

export const hiveManagementRoutes: readonly HiveRoute[] = [
  hiveWrite({
    id: "updateHive",
    method: "PATCH",
    path,
    ability: "admin",
    group: "Management",
    summary: "Update a Hive's settings",
    description:
      "Members that are not given stay as they are. Changing `plurals` deletes nothing that is stored.",
    body: withExample(hiveBody, { name: "Web shop", max_deletions: 100 }),
    response: withExample(managedHiveResponse, hiveExample),
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
  hiveWrite({
    id: "deleteHive",
    method: "DELETE",
    path,
    ability: "admin",
    hasCommit: false,
    group: "Management",
    summary: "Delete a Hive",
    description:
      "Moves the Hive, with its texts and its history, to the trash, from which it can be restored until `expires`.",
    response: withExample(hiveDeletedResponse, { slug: "web", expires: "2026-01-31T00:00:00.000Z" }),
    errors: ["quota"],
    async handler({ storage, hive, context }) {
      const expires = await deleteHive(storage, hive.slug, context);
      return { result: { slug: hive.slug, expires: new Date(expires).toISOString() } };
    },
  }),
];
