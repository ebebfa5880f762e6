/** The settings of a Hive. */
import { defaultChecks, type CheckSettings } from "../checks/check-settings.ts";
import { failure, invalid } from "../errors.ts";
import {
  checkDistinctCodes,
  checkFormerNames,
  codeOf,
  findLocale,
  formerNameIn,
  localeToGive,
  maxLocales,
  type Locale,
} from "./locale.ts";
import type { HiveSlug } from "../names.ts";
import { excerpt, textProblem, unprintable } from "../text.ts";

/**
 * Which source strings are recognised as plural forms, so that each language can have its own forms: keys with the
 * suffixes of i18next, groups as in Rails, both, or none.
 */
export const pluralModes = ["auto", "i18next", "nested", "none"] as const;
export type PluralMode = (typeof pluralModes)[number];

/** Which branches accept commits through `git push`: all but main, all, or none. */
export const pushPolicies = ["branches", "all", "none"] as const;
export type PushPolicy = (typeof pushPolicies)[number];

export interface HiveSettings {
  readonly name: string;
  readonly sourceLocale: Locale;
  /** In the order they were added. */
  readonly targetLocales: readonly Locale[];
  /** How many source strings a request without `max_deletions` may delete; unlimited when undefined. */
  readonly maxDeletions?: number;
  /** `auto` when undefined. */
  readonly plurals?: PluralMode;
  /** `branches` when undefined. */
  readonly push?: PushPolicy;
  /** {@link defaultChecks} when undefined. */
  readonly checks?: CheckSettings;
  /** The Hive of the same team whose terms count, too, where this one has no own term of that spelling. */
  readonly glossary?: HiveSlug;
  /** `false`: no text of it is sent to an engine that translates. */
  readonly engines?: false;
}

/** The longest name of a Hive or a token. */
export const maxNameLength = 200;

/** @throws SkepError `invalid` on `name`. */
export function toDisplayName(text: string): string {
  const problem = textProblem(text);
  if (problem !== undefined) throw invalid("name", problem);
  if (text.trim() === "") throw invalid("name", "must not be empty");
  if (text.length > maxNameLength) throw invalid("name", `must be at most ${maxNameLength} characters`);
  return text;
}

/**
 * Parses the name of a Hive, which is shown in more places than a token's name. @throws SkepError `invalid` on `name`.
 */
export function toHiveName(text: string): string {
  const name = toDisplayName(text);
  if (name.search(unprintable) === -1) return name;
  throw invalid("name", "must not contain control or format characters");
}

/** All locales of a Hive, the source locale first. */
export function localesOf(settings: HiveSettings): readonly Locale[] {
  return [settings.sourceLocale, ...settings.targetLocales];
}

/**
 * Gives the code to show for a stored locale: the Hive's code, or the stored code if the Hive no longer has the locale.
 * @param settings undefined if they are unknown.
 */
export function shownCodes(settings: HiveSettings | undefined): (locale: string) => string {
  const codes = new Map<string, string>(
    settings && localesOf(settings).map((locale) => [locale.code, codeOf(locale)]),
  );
  return (locale) => codes.get(locale) ?? locale;
}

/** Finds a locale of the Hive by a caller's text; see {@link findLocale}. */
export function localeNamed(settings: HiveSettings, text: string): Locale | undefined {
  return findLocale(localesOf(settings), text);
}

/**
 * Adds a target locale to settings.
 * @throws SkepError `invalid` on the field when the Hive has it already, or its codes could be confused with another
 * locale's.
 */
export function withLocale(settings: HiveSettings, locale: Locale, field = "locale"): HiveSettings {
  const same = localesOf(settings).find(({ code }) => code === locale.code);
  if (same !== undefined) {
    const is = same === settings.sourceLocale ? "is the source locale" : "is there already";
    const advice = "; change its custom code with: skep locale edit";
    throw invalid(field, `${locale.code}${formerNameIn(locale)} ${is}${advice}`);
  }
  if (settings.targetLocales.length >= maxLocales) {
    throw invalid(field, `this Hive has ${maxLocales} target locales, and can have no more`);
  }
  return checked({ ...settings, targetLocales: [...settings.targetLocales, locale] }, locale, field);
}

/** @throws SkepError `invalid` on the field when a locale that was added or changed could be confused with another one. */
function checked(changed: HiveSettings, locale: Locale, field: string): HiveSettings {
  checkDistinctCodes(localesOf(changed), field);
  checkFormerNames(localesOf(changed), [locale], field);
  return changed;
}

/**
 * The settings with other members of a locale of the Hive.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it, on the field when the code could be confused
 * with another locale's.
 */
export function withChangedLocale(settings: HiveSettings, locale: Locale, field = "locale"): HiveSettings {
  const replace = (present: Locale): Locale => (present.code === locale.code ? locale : present);
  if (!localesOf(settings).some(({ code }) => code === locale.code))
    throw unknownLocale(settings, locale.code);
  const { sourceLocale, targetLocales } = settings;
  const changed = { sourceLocale: replace(sourceLocale), targetLocales: targetLocales.map(replace) };
  return checked({ ...settings, ...changed }, locale, field);
}

/** From how many locales one may inherit, one after the other. */
const maxAncestors = 3;

/**
 * The locales that a locale inherits from, the nearest first. What `hive.yaml` says that cannot be, such as a locale that
 * inherits from itself, ends them.
 */
export function ancestorsOf({ targetLocales }: HiveSettings, locale: Locale): readonly Locale[] {
  const ancestors: Locale[] = [];
  let { inherits } = locale;
  while (inherits !== undefined && ancestors.length < maxAncestors) {
    const parent = targetLocales.find(({ code }) => code === inherits);
    if (parent === undefined || parent.code === locale.code || ancestors.includes(parent)) break;
    ancestors.push(parent);
    ({ inherits } = parent);
  }
  return ancestors;
}

/**
 * The settings with a locale that inherits from another one.
 * @param text the other one, by any of its codes; null for none.
 * @throws SkepError `invalid` on `inherits` when it is no other target locale, inherits from this one, or too many locales
 * would inherit from each other.
 */
export function withInheritance(settings: HiveSettings, locale: Locale, text: string | null): HiveSettings {
  const parent = text === null ? undefined : localeNamed(settings, text);
  if (text !== null && parent === undefined) throw unknownLocale(settings, text, "", "inherits");
  const [own, other] = [codeOf(locale), parent && codeOf(parent)];
  if (parent !== undefined && locale.code === settings.sourceLocale.code)
    throw invalid("inherits", `"${own}" is the source locale, which inherits from none`);
  if (parent !== undefined && parent.code === settings.sourceLocale.code)
    throw invalid("inherits", `"${other}" is the source locale, whose texts are no translations`);
  const isSelf = parent?.code === locale.code;
  if (
    parent !== undefined &&
    (isSelf || ancestorsOf(settings, parent).some(({ code }) => code === locale.code))
  )
    throw invalid("inherits", `"${own}" would inherit from itself${isSelf ? "" : ` by "${other}"`}`);
  const changed = withChangedLocale(settings, { ...locale, inherits: parent?.code });
  const tooDeep = changed.targetLocales.find((one) => {
    const last = ancestorsOf(changed, one).at(maxAncestors - 1);
    return last?.inherits !== undefined;
  });
  if (tooDeep !== undefined)
    throw invalid("inherits", `"${codeOf(tooDeep)}" would inherit from more than ${maxAncestors} locales`);
  return changed;
}

/**
 * The settings without one of the target locales.
 * @throws SkepError `conflict` when others inherit from it.
 */
export function withoutLocale(settings: HiveSettings, locale: Locale): HiveSettings {
  const heirs = settings.targetLocales.filter(({ inherits }) => inherits === locale.code);
  if (heirs.length > 0) {
    const codes = heirs.map(codeOf).join(", ");
    throw failure(
      "conflict",
      `Other locales inherit from "${codeOf(locale)}": ${codes}. Let them inherit from none first.`,
    );
  }
  return { ...settings, targetLocales: settings.targetLocales.filter(({ code }) => code !== locale.code) };
}

/** The error for a locale that a Hive does not have: `invalid` on a field, with the Hive's locales and advice. */
export function unknownLocale(settings: HiveSettings, text: string, advice = "", field = "locale"): Error {
  const known = localesOf(settings).map(codeOf).join(", ");
  return invalid(field, `this Hive has no locale "${excerpt(text)}" (it has ${known})${advice}`, {
    publicCode: "unknown_locale",
  });
}

/** A locale of a Hive by any of its codes. @throws SkepError as {@link unknownLocale}. */
export function requireLocale(settings: HiveSettings, text: string): Locale {
  const locale = localeNamed(settings, text);
  if (locale === undefined) throw unknownLocale(settings, text);
  return locale;
}

/** A change of settings; an undefined member stays as it is. */
export interface SettingsChange {
  readonly name?: string;
  readonly maxDeletions?: number | "none";
  readonly plurals?: PluralMode;
  readonly push?: PushPolicy;
  readonly checks?: Partial<CheckSettings>;
  readonly glossary?: HiveSlug | null;
  readonly engines?: boolean;
}

/** The settings after a change; a member with its default is left out. */
export function withChange(before: HiveSettings, change: SettingsChange): HiveSettings {
  const { name = before.name, plurals = before.plurals, push = before.push } = change;
  const given = change.maxDeletions ?? before.maxDeletions;
  const maxDeletions = given === "none" ? undefined : given;
  const own = before.checks ?? defaultChecks;
  const { level = own.level, syntax = own.syntax, formats = own.formats ?? [] } = change.checks ?? {};
  const isUsual = level === defaultChecks.level && syntax.length + formats.length === 0;
  return {
    name,
    sourceLocale: before.sourceLocale,
    targetLocales: before.targetLocales,
    maxDeletions,
    plurals: plurals === "auto" ? undefined : plurals,
    push: push === "branches" ? undefined : push,
    checks: isUsual ? undefined : { level, syntax, ...(formats.length > 0 && { formats }) },
    glossary: change.glossary === undefined ? before.glossary : (change.glossary ?? undefined),
    engines: (change.engines ?? before.engines) === false ? false : undefined,
  };
}

/**
 * The target locale that a caller names.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function targetLocale(settings: HiveSettings, text: string, slug: string): Locale {
  const locale = localeNamed(settings, text);
  if (locale === undefined) {
    // Only a valid code is repeated in a command that may be copied.
    const code = localeToGive(text) ?? "CODE";
    throw unknownLocale(settings, text, `; add it with: skep locale create ${slug} ${code}`);
  }
  if (locale !== settings.sourceLocale) return locale;
  throw invalid(
    "locale",
    `"${codeOf(locale)}" is the source locale, whose texts are imported as source strings; ` +
      `a target locale is added with: skep locale create ${slug} CODE`,
  );
}
