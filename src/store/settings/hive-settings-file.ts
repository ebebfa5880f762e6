/** `hive.yaml`, the file of a Hive's settings in its repository, which people may edit in a clone. */
import { parse } from "yaml";
import { z } from "zod";
import { checkLevels } from "../../domain/checks/check-settings.ts";
import { syntaxNames } from "../../domain/checks/syntax-names.ts";
import { failure } from "../../domain/errors.ts";
import { formatNames } from "../../domain/files/file-formats.ts";
import { maxRules } from "../../domain/files/file-rules.ts";
import { localesOf, pluralModes, pushPolicies, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { checkDistinctCodes, type Locale } from "../../domain/hives/locale.ts";
import { jobWants, usualRuleWant, type LocaleRule } from "../../domain/hives/locale-rule.ts";
import { isHiveSlug } from "../../domain/names.ts";
import { customCode, localeCode } from "../../domain/hives/stored-fields.ts";
import { formatSettings, keepingResults } from "./stored-settings.ts";

/** A member without a value counts as missing. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
}

const isTrue = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

const rule = z
  .object({
    engine: z.string(),
    want: optional(z.array(z.enum(jobWants))),
    branches: optional(isTrue),
    review: optional(z.enum(["always", "never"])),
  })
  .transform(({ engine, want = usualRuleWant, branches, review }): LocaleRule => ({
    engine,
    want,
    ...(branches === true && { branches }),
    ...(review !== undefined && { review }),
  }));

const localeFields = z
  .object({
    code: localeCode,
    custom_code: optional(customCode),
    review: optional(z.literal("all")),
    two_people: optional(isTrue),
    inherits: optional(localeCode),
    auto: optional(rule),
  })
  .transform(({ code, custom_code: custom, review, two_people: twoPeople, inherits, auto }): Locale => ({
    code,
    customCode: custom,
    review,
    twoPeople: twoPeople === true ? true : undefined,
    inherits,
    auto,
  }));

/** In the file every scalar is text. An unreadable limit is an error: it must not be taken for no limit. */
const limit = z
  .union([
    z
      .string()
      .regex(/^[0-9]{1,16}$/)
      .transform(Number),
    z.number().nonnegative(),
  ])
  .refine(Number.isSafeInteger);

/** Rules for the files of patterns, each with one member. */
function fileRules<Said extends z.ZodRawShape>(said: Said) {
  return z.array(z.object({ files: z.string(), ...said })).max(maxRules);
}

/** The members of the file as settings. A member that is not known is ignored. */
export const hiveSettings = z
  .object({
    name: z.string(),
    source_locale: localeCode,
    locales: z.array(localeFields).default([]),
    max_deletions: optional(limit),
    plurals: optional(z.enum(pluralModes)),
    push: optional(z.enum(pushPolicies)),
    checks: optional(
      z.object({
        level: z.enum(checkLevels).default("warn"),
        syntax: fileRules({ syntax: z.enum(syntaxNames) }).default([]),
        formats: optional(fileRules({ format: z.enum(formatNames) })),
      }),
    ),
    glossary: optional(z.string().refine(isHiveSlug)),
    // A restriction: what is not understood forbids, too.
    engines: optional(z.union([z.boolean(), z.string().transform((text) => text === "true")])),
  })
  .transform(
    ({
      name,
      source_locale: source,
      locales,
      max_deletions: maxDeletions,
      plurals,
      push,
      checks,
      glossary,
      engines,
    }): HiveSettings => {
      const sourceLocale = locales.find(({ code }) => code === source) ?? { code: source };
      return {
        name,
        sourceLocale,
        targetLocales: locales.filter((locale) => locale !== sourceLocale),
        maxDeletions,
        plurals: plurals === "auto" ? undefined : plurals,
        push: push === "branches" ? undefined : push,
        checks,
        glossary,
        engines: engines === false ? false : undefined,
      };
    },
  );

/**
 * Reads `hive.yaml`.
 * @throws SkepError `content-invalid` when it does not say which locales the Hive has.
 */
export const parseHiveSettings = keepingResults((text: string): HiveSettings => {
  try {
    // Every scalar is text, because `no` is a locale. Aliases are refused, because they can make a small file huge.
    const settings = hiveSettings.parse(parse(text, { schema: "failsafe", maxAliasCount: 0 }));
    checkDistinctCodes(localesOf(settings));
    return settings;
  } catch (cause) {
    throw failure("content-invalid", "hive.yaml is invalid.", { cause });
  }
});

/** The members of the file for some settings; {@link hiveSettings} reads them. */
export function toHiveMembers(settings: HiveSettings): object {
  return {
    name: settings.name,
    source_locale: settings.sourceLocale.code,
    locales: localesOf(settings).map(({ code, customCode: custom, review, twoPeople, inherits, auto }) => ({
      code,
      custom_code: custom,
      review,
      two_people: twoPeople,
      inherits,
      auto,
    })),
    max_deletions: settings.maxDeletions,
    plurals: settings.plurals,
    push: settings.push,
    checks: settings.checks,
    glossary: settings.glossary,
    engines: settings.engines,
  };
}

/** @throws Error when {@link parseHiveSettings} could not read it. */
export function formatHiveSettings(settings: HiveSettings): string {
  // The locale `no` must be quoted, because YAML 1.1 reads it as `false`.
  return formatSettings(toHiveMembers(settings), settings, parseHiveSettings, { compat: "yaml-1.1" });
}
