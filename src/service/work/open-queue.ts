/** Reads all that items of work are built from. */
import type { Ability } from "../../domain/access/token.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, invalid } from "../../domain/errors.ts";
import {
  localeNamed,
  targetLocale,
  unknownLocale,
  type HiveSettings,
} from "../../domain/hives/hive-settings.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import { limitsOf } from "../../domain/notes/length.ts";
import { pictureFinder } from "../../domain/pictures/picture-strings.ts";
import { translationsOf } from "../../domain/strings/hive-content.ts";
import type { ItemContext } from "../../domain/work/build-item.ts";
import { maxOtherLocales, type WorkState } from "../../domain/work/work.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { Caller } from "../access.ts";
import { readTerms, shownStyle } from "../terms.ts";
import type { Storage } from "../storage.ts";
import { LocaleQueue } from "./locale-queue.ts";
import { rejectionsInto } from "./rejections.ts";

/** How many other locales are shown where the caller names none. */
const usualOthers = 3;

/** The abilities that work on strings in some states takes. */
export function abilitiesFor(states: readonly WorkState[]): ReadonlySet<Ability> {
  return new Set<Ability>(["read", ...states.map((state) => (state === "review" ? "approve" : "write"))]);
}

/**
 * The target locale that a caller wants to work on.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `forbidden` when the
 * token is limited to others.
 */
export function workLocale(
  { principal: { locales, token } }: Caller,
  branch: HiveBranch,
  settings: HiveSettings,
  code: string,
): Locale {
  const locale = targetLocale(settings, code, slugOf(branch));
  if (locales === undefined || locales.includes(locale.code)) return locale;
  const who = token === undefined ? "You" : "This token";
  throw failure("forbidden", `${who} may only change translations into ${locales.join(", ")}.`, {
    publicCode: "limited_token",
  });
}

/** What items are built from. */
export interface OpenQueue {
  readonly snapshot: Snapshot;
  readonly queue: LocaleQueue;
  readonly context: ItemContext;
  readonly style: string;
  readonly glossaryVersion: string;
}

/**
 * Reads all that the items of a locale are built from.
 * @param otherLocales codes of locales whose translations are shown; a few that are near when undefined.
 * @throws SkepError as {@link workLocale}; `invalid` on `other_locales`; `content-invalid`.
 */
export async function openQueue(
  storage: Storage,
  caller: Caller,
  branch: HiveBranch,
  {
    locale: code,
    want,
    otherLocales,
  }: {
    readonly locale: string;
    readonly want: readonly WorkState[];
    readonly otherLocales?: readonly string[];
  },
): Promise<OpenQueue> {
  const slug = slugOf(branch);
  const hive = storage.hives.at(branch);
  const snapshot = await hive.snapshot();
  const { settings, commit } = snapshot;
  const locale = workLocale(caller, branch, settings, code);
  const others =
    otherLocales === undefined ? nearest(settings, locale) : named(settings, locale, otherLocales);
  const codes = others.map((other) => other.code);
  const [queue, { index: terms, version: glossaryVersion }, style, { pictures }, rejectionOf] =
    await Promise.all([
      LocaleQueue.open(snapshot, locale, { others: codes, withFailing: want.includes("failing") }),
      readTerms(storage, slug),
      shownStyle(storage, slug, locale.code),
      snapshot.pictures.readable(),
      rejectionsInto(hive, commit.oid, locale.code, settings.sourceLocale.code),
    ]);
  const context: ItemContext = {
    settings,
    locale,
    others: others.map((other) => ({
      locale: other,
      files: translationsOf(queue.content, other.code),
    })),
    terms,
    limits: limitsOf(queue.notes),
    isAccepted: queue.isAccepted,
    picturesOf: pictureFinder(pictures),
    rejectionOf,
  };
  return { snapshot, queue, context, style, glossaryVersion };
}

function languageOf({ code }: Locale): string {
  return code.split("-")[0] ?? "";
}

/** A few other locales: those of the same language first. */
function nearest({ targetLocales }: HiveSettings, locale: Locale): readonly Locale[] {
  const others = targetLocales.filter(({ code }) => code !== locale.code);
  const isNear = (other: Locale): boolean => languageOf(other) === languageOf(locale);
  return [...others.filter(isNear), ...others.filter((other) => !isNear(other))].slice(0, usualOthers);
}

function named(settings: HiveSettings, own: Locale, codes: readonly string[]): readonly Locale[] {
  if (codes.length > maxOtherLocales)
    throw invalid("other_locales", `must have at most ${maxOtherLocales} elements`);
  const found = codes.map((code, i) => {
    const locale = localeNamed(settings, code);
    if (locale === undefined) throw unknownLocale(settings, code, "", `other_locales.${i}`);
    return locale;
  });
  const { sourceLocale } = settings;
  return [...new Set(found)].filter((other) => other !== own && other !== sourceLocale);
}
