/** Hives: create, update and delete them. */
import { codeOf, localeFrom, type Locale } from "../../domain/hives/locale.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import { updateHive } from "../../service/admin/hive-settings.ts";
import { createHive, deleteHive, describeHive, type HiveDescription } from "../../service/admin/hives.ts";
import type { Storage } from "../../service/storage.ts";
import {
  hiveBody,
  hiveDeletedResponse,
  managedHiveResponse,
  newHiveBody,
  type HiveDeletedResponse,
  type ManagedHiveResponse,
  type LocaleGiven,
} from "../schemas/management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../responses/respond.ts";
import type { HiveRoute, TeamRoute, TeamRequest, WriteRequest } from "../pipeline/route.ts";
import { toChecks, toCheckSettings } from "../schemas/check-schemas.ts";
import { check } from "../schemas/schemas.ts";

/** @throws SkepError `invalid` on the field. */
function toGivenLocale(given: LocaleGiven, field: string): Locale {
  if (typeof given === "string") return localeFrom(given, undefined, { code: field, customCode: field });
  const { code, custom_code: custom } = given;
  const fields = { code: `${field}.code`, customCode: `${field}.custom_code` };
  return localeFrom(code, custom ?? undefined, fields);
}

/** A Hive as it is now. */
export async function respondHive(storage: Storage, slug: HiveSlug, status = 200): Promise<Response> {
  return toHiveResponse(slug, await describeHive(storage, slug), status);
}

function toHiveResponse(
  slug: HiveSlug,
  { settings, strings, commit }: HiveDescription,
  status = 200,
): Response {
  const response: ManagedHiveResponse = {
    slug,
    name: settings.name,
    source_locale: codeOf(settings.sourceLocale),
    locales: settings.targetLocales.map(codeOf),
    max_deletions: settings.maxDeletions ?? null,
    plurals: settings.plurals ?? "auto",
    push: settings.push ?? "branches",
    checks: toChecks(settings),
    string_count: strings,
  };
  return respondJson(response, { status, commit });
}

async function create({ storage, grant, readJson, context }: TeamRequest): Promise<Response> {
  const {
    slug: text,
    name,
    source_locale: source,
    locales,
    plurals,
    checks,
  } = check(newHiveBody, await readJson(), "body");
  const slug = toHiveSlug(text);
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
  return respondHive(storage, slug, 201);
}

async function update({ storage, hive, readJson, context }: WriteRequest): Promise<Response> {
  const { name, max_deletions: max, plurals, push, checks } = check(hiveBody, await readJson(), "body");
  const maxDeletions = max === null ? "none" : max;
  // A write that follows must not change the response to this one.
  const { result, commit } = await updateHive(
    storage,
    hive.slug,
    { name, maxDeletions, plurals, push, checks: checks && toCheckSettings(checks) },
    context,
  );
  return toHiveResponse(hive.slug, { ...result, commit });
}

async function remove({ storage, hive, context }: WriteRequest): Promise<Response> {
  const expires = await deleteHive(storage, hive.slug, context);
  const response: HiveDeletedResponse = { slug: hive.slug, expires: new Date(expires).toISOString() };
  return respondJson(response);
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
  string_count: 0,
};

export const newHiveRoute: TeamRoute = {
  kind: "team",
  method: "POST",
  path: "/api/hives",
  ability: "admin",
  requiresAllHives: true,
  handler: create,
  docs: {
    id: "createHive",
    hasCommit: true,
    group: "Management",
    summary: "Create a Hive",
    description:
      "Requires a token that is not limited to specific Hives. Slugs are unique across all teams of the server.",
    body: withExample(newHiveBody, {
      slug: "web",
      name: "Web shop",
      source_locale: "en",
      locales: ["fr", { code: "pt-BR", custom_code: "pt_BR" }],
    }),
    status: 201,
    response: withExample(managedHiveResponse, hiveExample),
    errors: ["conflict", "quota"],
  },
};

export const hiveManagementRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-write",
    method: "PATCH",
    path,
    ability: "admin",
    handler: update,
    docs: {
      id: "updateHive",
      group: "Management",
      summary: "Update a Hive's settings",
      description:
        "Members that are not given stay as they are. Changing `plurals` deletes nothing that is stored.",
      body: withExample(hiveBody, { name: "Web shop", max_deletions: 100 }),
      response: withExample(managedHiveResponse, hiveExample),
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path,
    ability: "admin",
    handler: remove,
    docs: {
      id: "deleteHive",
      hasCommit: false,
      group: "Management",
      summary: "Delete a Hive",
      description:
        "Moves the Hive, with its texts and its history, to the trash, from which it can be restored until `expires`.",
      response: withExample(hiveDeletedResponse, { slug: "web", expires: "2026-01-31T00:00:00.000Z" }),
      errors: ["quota"],
    },
  },
];
