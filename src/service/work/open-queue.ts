/** Opens the queue of a locale, and reads all that its items are built from. */
import { allows, type Ability } from "../../domain/access/token.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, invalid } from "../../domain/errors.ts";
import {
  localeNamed,
  targetLocale,
  unknownLocale,
  type HiveSettings,
} from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import { noteRulesOf } from "../../domain/notes/note-tags.ts";
import { pictureFinder } from "../../domain/pictures/picture-strings.ts";
import { translationsOf } from "../../domain/strings/hive-content.ts";
import type { ItemContext } from "../../domain/work/build-item.ts";
import { maxOtherLocales, type WorkState } from "../../domain/work/work.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { authorizeHive, reauthoriseHive, requireAbility, type Caller, type WriteContext } from "../access.ts";
import { readTerms, shownStyle } from "../terms.ts";
import type { StorageBase } from "../storage.ts";
import { LocaleQueue } from "./locale-queue.ts";
import { boundedCache, cachedPromise } from "../../bounded-cache.ts";
import { parseCommitMessage } from "../../domain/commits/commit-message.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import type { Hive } from "../../store/hives/hive.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";

/** How many other locales are shown where the caller names none. */
const usualOthers = 3;

/**
 * The abilities that work on strings in some states needs. To skip strings and to have them again, any ability suffices with
 * which strings are handed out.
 */
export function abilitiesFor({ principal }: Caller, states: readonly WorkState[]): ReadonlySet<Ability> {
  const ofSkipped = allows(principal, "approve") ? "approve" : "write";
  const abilityFor = (state: WorkState): Ability =>
    state === "skipped" ? ofSkipped : state === "review" ? "approve" : "write";
  return new Set<Ability>(["read", ...states.map(abilityFor)]);
}

/**
 * The context of a write that needs several abilities.
 * @throws SkepError `forbidden` when the caller lacks one of them; so does its commit, under the lock.
 */
export function withAbilities(
  storage: StorageBase,
  caller: Caller,
  branch: HiveBranch,
  context: WriteContext,
  abilities: ReadonlySet<Ability>,
): WriteContext {
  for (const ability of abilities) requireAbility(caller, ability);
  const reauthorise = async (): Promise<void> => {
    await context.caller.reauthorise();
    for (const ability of abilities)
      await reauthoriseHive(storage, authorizeHive(caller, slugOf(branch), ability));
  };
  return { ...context, caller: { ...context.caller, reauthorise } };
}

/**
 * The target locale that a caller wants to work on.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `forbidden` when the
 * token is limited to other locales.
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
  storage: StorageBase,
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
    noteRules: noteRulesOf(queue.notes),
    isAccepted: queue.isAccepted,
    rulesOf: formatRulesOf,
    picturesOf: pictureFinder(pictures),
    rejectionOf,
  };
  return { snapshot, queue, context, style, glossaryVersion };
}

function languageOf({ code }: Locale): string {
  return code.split("-")[0] ?? "";
}

/** A few other locales, locales of the same language first. */
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

/** How many rejections of a branch are looked at, the newest first. */
const maxRejections = 100;

interface Rejection {
  readonly reason: string;
  /** By locale, the texts that the rejection put back; undefined where it removed the translation. */
  readonly left: ReadonlyMap<LocaleCode, AddressMap<{ readonly text: string | undefined }>>;
}

/** Rejections by their commits, which never change. */
const known = boundedCache<Oid, Promise<Rejection>>(10_000);

/**
 * Makes a function that gives the reason why a string's text was rejected, if the text that the rejection put back is still
 * stored.
 * @param tip the commit of HEAD.
 */
async function rejectionsInto(
  { revisions }: Pick<Hive, "revisions">,
  tip: Oid,
  locale: LocaleCode,
  sourceLocale: LocaleCode,
): Promise<(at: StringAddress, text: string | undefined) => string | undefined> {
  const firstParents = await revisions.graph.firstParents(tip);
  const commits: Oid[] = [];
  for (let i = firstParents.length - 1; i >= 0 && commits.length < maxRejections; i--) {
    const commit = firstParents[i];
    if (commit?.operation === "reject") commits.push(commit.oid);
  }
  const rejections = await Promise.all(
    commits.map((oid) => cachedPromise(known, oid, () => readRejection(revisions, oid, sourceLocale))),
  );
  const newestFirst = rejections.flatMap(({ reason, left }) => {
    const own = left.get(locale);
    return own === undefined ? [] : [{ reason, own }];
  });
  return (at, text) => {
    for (const { reason, own } of newestFirst) {
      const rejected = own.get(at);
      if (rejected !== undefined) return rejected.text === text ? reason : undefined;
    }
    return undefined;
  };
}

async function readRejection(
  { history }: RevisionStore,
  oid: Oid,
  sourceLocale: LocaleCode,
): Promise<Rejection> {
  const { message } = await history.readCommit(oid);
  const left = new Map<LocaleCode, AddressMap<{ readonly text: string | undefined }>>();
  for (const { locale, file, key, after } of await history.changes(oid, sourceLocale)) {
    left.set(locale, (left.get(locale) ?? new AddressMap()).set({ file, key }, { text: after }));
  }
  return { reason: parseCommitMessage(message, true).message ?? "", left };
}
