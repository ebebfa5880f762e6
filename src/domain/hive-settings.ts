/** A Hive's settings: the content of `hive.yaml`. */
import { parse, stringify } from "yaml";
import { failure, invalid } from "./errors.ts";
import {
  checkDistinctCodes,
  codeOf,
  findLocale,
  isCustomCode,
  isStoredLocaleCode,
  maxLocales,
  type Locale,
} from "./locale.ts";
import { excerpt, textProblem } from "./text.ts";

export interface HiveSettings {
  /** What people call the Hive. */
  readonly name: string;
  readonly sourceLocale: Locale;
  /** In the order they were added. */
  readonly targetLocales: readonly Locale[];
  /** How many source strings one request may delete if it does not say; unlimited when undefined. */
  readonly maxDeletions?: number;
}

const maxNameLength = 200;

/**
 * Parses the name of a Hive or a token.
 * @throws SkepError `invalid` on the field.
 */
export function toDisplayName(text: string, field = "name"): string {
  const problem = textProblem(text);
  if (problem !== undefined) throw invalid(field, problem);
  if (text.trim() === "") throw invalid(field, "must not be empty");
  if (text.length > maxNameLength) throw invalid(field, `must be at most ${maxNameLength} characters`);
  return text;
}

/** All locales of a Hive, the source locale first. */
export function localesOf(settings: HiveSettings): readonly Locale[] {
  return [settings.sourceLocale, ...settings.targetLocales];
}

/** Finds a locale of the Hive by a caller's text; see {@link findLocale}. */
export function localeNamed(settings: HiveSettings, text: string): Locale | undefined {
  return findLocale(localesOf(settings), text);
}

/**
 * The settings with a target locale more.
 * @throws SkepError `invalid` on `locale` when it is there already or could be taken for another.
 */
export function withLocale(settings: HiveSettings, locale: Locale): HiveSettings {
  const same = localesOf(settings).find(({ code }) => code === locale.code);
  if (same !== undefined) {
    const is = same === settings.sourceLocale ? "is the source locale" : "is there already";
    throw invalid("locale", `${locale.code} ${is}; change its custom code with: skep locale set`);
  }
  if (settings.targetLocales.length >= maxLocales) {
    throw invalid("locale", `this Hive has ${maxLocales} target locales, and can have no more`);
  }
  const changed = { ...settings, targetLocales: [...settings.targetLocales, locale] };
  checkDistinctCodes(localesOf(changed));
  return changed;
}

/**
 * The settings with another custom code, or none, for a locale that is there.
 * @throws SkepError `invalid` on `locale`.
 */
export function withCustomCode(settings: HiveSettings, locale: Locale): HiveSettings {
  const replace = (present: Locale): Locale => (present.code === locale.code ? locale : present);
  if (!localesOf(settings).some(({ code }) => code === locale.code))
    throw unknownLocale(settings, locale.code);
  const changed = {
    ...settings,
    sourceLocale: replace(settings.sourceLocale),
    targetLocales: settings.targetLocales.map(replace),
  };
  checkDistinctCodes(localesOf(changed));
  return changed;
}

/** The settings without that target locale. */
export function withoutLocale(settings: HiveSettings, locale: Locale): HiveSettings {
  return { ...settings, targetLocales: settings.targetLocales.filter(({ code }) => code !== locale.code) };
}

/** The error for a locale that a Hive does not have: `invalid` on `locale`, with those it has, and what to do. */
export function unknownLocale(settings: HiveSettings, text: string, advice = ""): Error {
  const known = localesOf(settings).map(codeOf).join(", ");
  return invalid("locale", `this Hive has no locale "${excerpt(text)}" (it has ${known})${advice}`);
}

/** The settings with another limit on deletions; undefined is none. */
export function withMaxDeletions(
  { name, sourceLocale, targetLocales }: HiveSettings,
  maxDeletions: number | undefined,
): HiveSettings {
  return { name, sourceLocale, targetLocales, ...(maxDeletions === undefined ? {} : { maxDeletions }) };
}

/** `hive.yaml` of these settings. */
export function formatHiveSettings(settings: HiveSettings): string {
  const content = {
    name: settings.name,
    source_locale: settings.sourceLocale.code,
    locales: localesOf(settings).map((locale) =>
      locale.customCode === undefined
        ? { code: locale.code }
        : { code: locale.code, custom_code: locale.customCode },
    ),
    ...(settings.maxDeletions === undefined ? {} : { max_deletions: settings.maxDeletions }),
  };
  // `no` is a locale, and `false` to a reader of YAML 1.1 unless it is quoted.
  return stringify(content, { compat: "yaml-1.1" });
}

function unreadable(why: string, cause?: unknown): Error {
  return failure("content-invalid", why, { cause });
}

function member(object: unknown, name: string): unknown {
  return typeof object === "object" && object !== null && Object.hasOwn(object, name)
    ? Reflect.get(object, name)
    : undefined;
}

function readLocale(value: unknown): Locale {
  const code = member(value, "code");
  const custom = member(value, "custom_code");
  if (typeof code !== "string" || !isStoredLocaleCode(code)) throw unreadable("a locale has no valid code");
  if (custom === undefined || custom === "") return { code };
  if (typeof custom !== "string" || !isCustomCode(custom))
    throw unreadable(`${code} has no valid custom_code`);
  return { code, customCode: custom };
}

function readMaxDeletions(value: unknown): { readonly maxDeletions?: number } {
  if (value === undefined || value === "") return {};
  // A limit that cannot be read must not pass for none.
  if (typeof value !== "string" || !/^[0-9]{1,15}$/.test(value))
    throw unreadable("max_deletions must be a whole number");
  return { maxDeletions: Number(value) };
}

/** Every scalar is text (`no` is a locale), and aliases, which could make a small file huge, are refused. */
function parseYaml(text: string): unknown {
  try {
    return parse(text, { schema: "failsafe", maxAliasCount: 0 });
  } catch (cause) {
    throw unreadable("it is not plain YAML", cause);
  }
}

/**
 * Reads `hive.yaml`, which people may have edited in a clone. Unknown members are ignored.
 * @throws SkepError `content-invalid` when it does not say which locales the Hive has.
 */
export function parseHiveSettings(text: string): HiveSettings {
  const value = parseYaml(text);
  const name = member(value, "name");
  const source = member(value, "source_locale");
  const list = member(value, "locales") ?? [];
  if (typeof name !== "string") throw unreadable("name must be text");
  if (typeof source !== "string" || !isStoredLocaleCode(source))
    throw unreadable("source_locale must be a code");
  if (!Array.isArray(list)) throw unreadable("locales must be a list");
  const locales = list.map(readLocale);
  const sourceLocale = locales.find(({ code }) => code === source) ?? { code: source };
  const targetLocales = locales.filter(({ code }) => code !== source);
  if (locales.length - targetLocales.length > 1) throw unreadable("the source locale is listed twice");
  try {
    checkDistinctCodes([sourceLocale, ...targetLocales]);
  } catch (cause) {
    throw unreadable("two of its locales cannot be told apart", cause);
  }
  return { name, sourceLocale, targetLocales, ...readMaxDeletions(member(value, "max_deletions")) };
}
