/** What the operations of Hives do. */
import type { z } from "zod";
import {
  hives,
  type ChecksAnswer,
  type ChecksChange,
  type hiveList,
  type ListedHiveAnswer,
  type LocaleGiven,
  type ManagedHive,
} from "../../api/hives.ts";
import { defaultChecks, type CheckSettings } from "../../domain/checks/check-settings.ts";
import { checkPattern } from "../../domain/files/file-rules.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf, localeFrom, type Locale } from "../../domain/hives/locale.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import {
  createHive,
  deleteHive,
  describeHive,
  updateHive,
  type HiveDescription,
} from "../../service/admin/hives.ts";
import { restoreHive, teamOfDeletedHive } from "../../service/admin/trash.ts";
import { hiveStats, reachableHives, type ListedHive } from "../../service/content/overviews.ts";
import type { Answer } from "../pipeline/route.ts";
import { joinMembers, joinObject, joinPieces } from "../responses/json-bytes.ts";
import { converted, toJson } from "../responses/respond.ts";
import { toLocaleStats } from "../schemas/hive-schemas.ts";
import { implement, implementForCaller, implementOnHive, joined, partOf } from "./implement.ts";

/** A Hive with its settings, as answers to changes of these have it. */
export function toManagedHive(
  slug: HiveSlug,
  { settings, strings, commit }: HiveDescription,
): Answer<Encodable<ManagedHive>> {
  const result = {
    ...settings,
    ...toRules(settings),
    slug,
    sourceLocale: codeOf(settings.sourceLocale),
    locales: settings.targetLocales.map(codeOf),
    stringCount: strings,
  };
  return { result, commit };
}

/** The settings that have usual values. */
function toRules({
  plurals = "auto",
  push = "branches",
  checks = defaultChecks,
  engines = true,
}: Omit<HiveSettings, "engines"> & { readonly engines?: boolean }) {
  const shown: ChecksAnswer = {
    level: checks.level,
    syntax: [...checks.syntax],
    formats: [...(checks.formats ?? [])],
  };
  return { plurals, push, checks: shown, engines };
}

function toListedHive(hive: ListedHive): ListedHiveAnswer {
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

/** The settings of checks that a request gives. @throws SkepError `invalid` on a rule. */
function toCheckSettings({ level, syntax, formats }: ChecksChange): Partial<CheckSettings> {
  for (const [member, rules = []] of Object.entries({ syntax, formats }))
    for (const [i, { files }] of rules.entries()) checkPattern(files, `checks.${member}.${i}`);
  return { level, syntax, formats };
}

/** The settings that new and changed Hives take alike. @throws SkepError `invalid` on a member. */
function toChange({
  max_deletions: max,
  checks,
  glossary,
  engines,
}: {
  readonly max_deletions?: number | null;
  readonly checks?: ChecksChange | null;
  readonly glossary?: string | null;
  readonly engines?: boolean;
}) {
  return {
    maxDeletions: max === null ? ("none" as const) : max,
    checks: checks == null ? undefined : toCheckSettings(checks),
    glossary: typeof glossary === "string" ? toHiveSlug(glossary, "glossary") : glossary,
    engines,
  };
}

/** @throws SkepError `invalid` on the field. */
function toGivenLocale(given: LocaleGiven, field: string): Locale {
  if (typeof given === "string") return localeFrom(given, undefined, { code: field, customCode: field });
  const { code, custom_code: custom } = given;
  const fields = { code: `${field}.code`, customCode: `${field}.custom_code` };
  return localeFrom(code, custom ?? undefined, fields);
}

const ofCaller = implementForCaller(partOf(hives, "listHives"), {
  listHives: async (storage, caller, runSlowRead) =>
    converted(await reachableHives(storage, caller, runSlowRead), (listed) => {
      const all = listed.map(toListedHive);
      return { hives: all, data: all } satisfies z.input<typeof hiveList>;
    }),
});

const ofTeam = implement(
  partOf(hives, "createHive", "restoreHive"),
  {
    createHive: async ({ storage, grant, body, context }) => {
      const { name, source_locale: source, locales, plurals, push, ...others } = body;
      const slug = toHiveSlug(body.slug);
      const hive = {
        ...toChange(others),
        slug,
        team: grant.team,
        name: name ?? undefined,
        sourceLocale: toGivenLocale(source ?? "en", "source_locale"),
        targetLocales: (locales ?? []).map((locale, i) => toGivenLocale(locale, `locales.${i}`)),
        plurals: plurals ?? undefined,
        push: push ?? undefined,
      };
      await createHive(storage, hive, context);
      return toManagedHive(slug, await describeHive(storage, slug));
    },
    restoreHive: async ({ storage, grant, param, context: { caller } }) => {
      // The owner may give a Hive to another team than the one that had it.
      const owner = grant.command === undefined ? {} : { team: grant.team };
      const by = grant.command === undefined ? caller : { ...caller, team: undefined };
      const slug = await restoreHive(storage, { text: param("entry"), caller: by, ...owner });
      return toManagedHive(slug, await describeHive(storage, slug));
    },
  },
  teamOfDeletedHive,
);

const onHive = implementOnHive(partOf(hives, "getHive", "updateHive", "deleteHive"), {
  getHive: async ({ storage, responses, hive, branch }) =>
    converted(await hiveStats(storage, branch), async ({ locales, ...counted }) => {
      // Of many locales most are as they were when one has changed.
      const parts = locales.map(async ({ locale, version, read }) => {
        const code = codeOf(locale);
        const make = async (): Promise<Buffer> => toJson({ [code]: toLocaleStats(await read()) });
        return responses.part(`stats ${version}`, make);
      });
      const stats = joinMembers(await Promise.all(parts));
      const { locales: _, ...members } = toListedHive({ slug: hive.slug, ...counted });
      const { glossary = null, maxDeletions = null } = counted.settings;
      const rules = { max_deletions: maxDeletions, ...toRules(counted.settings), glossary };
      const twice = await joinObject({ locales: stats, stats });
      return joinPieces(joinMembers([toJson({ ...members, ...rules }), twice]));
    }),
  updateHive: async ({ storage, hive, body: { name, plurals, push, ...others }, context }) => {
    const update = { name, plurals, push, ...toChange(others) };
    // A write that follows must not change the response to this one.
    const { result, commit } = await updateHive(storage, hive.slug, update, context);
    return toManagedHive(hive.slug, { ...result, commit });
  },
  deleteHive: async ({ storage, hive, context }) => {
    const expires = await deleteHive(storage, hive.slug, context);
    return { result: { slug: hive.slug, expires: new Date(expires).toISOString() } };
  },
});

export const hiveOperations = { ...joined(hives, ofCaller, ofTeam, onHive), teamOf: ofTeam.teamOf };
