/** Adds, changes and removes locales of a Hive, removes its files, and lists the locales of the world. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, invalid } from "../../domain/errors.ts";
import type { FileWrite, HiveContent } from "../../domain/strings/hive-content.ts";
import {
  withChangedLocale,
  withInheritance,
  withLocale,
  withoutLocale,
  requireLocale,
} from "../../domain/hives/hive-settings.ts";
import { codeOf, formatLocale, type CustomCode, type Locale } from "../../domain/hives/locale.ts";
import type { LocaleRule } from "../../domain/hives/locale-rule.ts";
import { serves } from "../../domain/engines/engine.ts";
import { teamOf } from "../access.ts";
import { isFileName, type FileName, type HiveSlug, type TeamName } from "../../domain/names.ts";
import { emptyFile } from "../../domain/strings/string-file.ts";
import { planSourceImport } from "../../domain/plans/source-import.ts";
import { counted, excerpt } from "../../domain/text.ts";
import { staleMarkerWrites } from "../content/stale.ts";
import { styleText } from "../terms.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";
import type { ContentStorage, DeliveryStorage } from "../storage.ts";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { worldLocales, type WorldLocale } from "../../domain/hives/world-locales.ts";
import { changedValues } from "../../domain/sidecars/sidecar.ts";
import { sidecars } from "../../domain/plans/sidecars.ts";
import { ownFile } from "../../own-files.ts";

/** How many texts a removal deleted. */
export interface Removal {
  readonly strings: number;
  readonly translations: number;
}

/** A locale that is added. */
export interface NewLocale extends Omit<Locale, "inherits"> {
  /** The locale that it inherits from, by any of its codes. */
  readonly from?: string;
}

/**
 * Adds target locales to a Hive, by one commit.
 * @param field the name of the locales in the request.
 * @throws SkepError `invalid` on the field when the Hive has one of them already, or one could be taken for another; on
 * `inherits` as {@link withInheritance} says.
 */
export function addLocales(
  storage: ContentStorage,
  slug: HiveSlug,
  locales: readonly NewLocale[],
  context: WriteContext,
  field = "locale",
): Promise<CommitResult<readonly Locale[]>> {
  const names = locales.map(formatLocale).join(", ");
  const subject =
    locales.length > 9
      ? `Add ${locales.length} locales`
      : `Add ${locales.length === 1 ? "locale" : "locales"} ${names}`;
  const metadata = { subject, operation: "add-locale" };
  return storage.writer.commitUnderTeamLock(slug, context, "first", ({ settings: before }) => {
    let settings = before;
    for (const { from, ...locale } of locales) {
      settings = withLocale(settings, locale, field);
      if (from !== undefined) settings = withInheritance(settings, locale, from);
    }
    const added = locales.map(({ code }) => requireLocale(settings, code));
    return { result: added, change: { metadata, settings } };
  });
}

/** What may be changed of a locale: `null` removes it, and what is undefined stays as it is. */
export interface LocaleChange {
  readonly customCode?: CustomCode | null;
  readonly review?: "all" | null;
  readonly twoPeople?: boolean;
  /** The locale whose texts stand where this one has none, by any of its codes. */
  readonly inherits?: string | null;
  readonly auto?: LocaleRule | null;
}

/**
 * Changes a locale that is given by any of its codes.
 * @param field the name of the custom code in the request.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it, on the field when the code could be taken for
 * another, on `review` for the source locale, on `inherits` as {@link withInheritance} says, and on `auto` for the source
 * locale, for texts that are not reviewed where the caller's are, and for an engine that the team does not have
 * (`unknown_engine`) or that does not serve the locale.
 */
export async function changeLocale(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  text: string,
  change: LocaleChange,
  context: WriteContext,
  field = "locale",
): Promise<CommitResult<Locale>> {
  const team = await teamOf(storage, slug, context);
  return storage.writer.commitUnderTeamLock(slug, context, "first", ({ settings }) => {
    const before = requireLocale(settings, text);
    const { customCode = before.customCode, review = before.review, twoPeople = before.twoPeople } = change;
    const { auto = before.auto } = change;
    const locale: Locale = {
      code: before.code,
      customCode: customCode ?? undefined,
      review: review ?? undefined,
      twoPeople: twoPeople === true ? true : undefined,
      inherits: before.inherits,
      auto: auto ?? undefined,
    };
    const isReviewed = locale.review !== undefined || locale.twoPeople === true;
    if (before === settings.sourceLocale && isReviewed)
      throw invalid("review", `"${codeOf(before)}" is the source locale, whose texts are not reviewed`);
    if (before === settings.sourceLocale && locale.auto !== undefined)
      throw invalid("auto", `"${codeOf(before)}" is the source locale, which is not translated`);
    // Of a caller whose texts wait for a review, those of an engine that they name do, too.
    const isLetOut = change.auto?.review === "never" && before.auto?.review !== "never";
    if (isLetOut && context.caller.review === "always")
      throw invalid("auto.review", "must be always or null, as what you write waits for a review");
    // A rule that stays may be idle, because its engine is no more.
    if (change.auto && JSON.stringify(change.auto) !== JSON.stringify(before.auto))
      requireEngineFor(storage, team, locale, change.auto);
    const metadata = { subject: subjectOf(before, change), operation: "set-locale" };
    const changed = withChangedLocale(settings, locale, field);
    const after = change.inherits === undefined ? changed : withInheritance(changed, locale, change.inherits);
    return { result: requireLocale(after, before.code), change: { metadata, settings: after } };
  });
}

/** @throws SkepError `invalid` on `auto.engine` (`unknown_engine`). */
function requireEngineFor(
  storage: DeliveryStorage,
  team: TeamName,
  locale: Locale,
  { engine: name }: LocaleRule,
): void {
  const engine = storage.engines.lists.read(team).find((one) => one.name === name);
  if (engine === undefined)
    throw invalid("auto.engine", `the team has no engine "${excerpt(name)}"`, {
      publicCode: "unknown_engine",
    });
  if (!serves(engine, locale)) throw invalid("auto.engine", `does not translate into ${codeOf(locale)}`);
}

function subjectOf({ code }: Locale, { customCode, inherits, auto }: LocaleChange): string {
  if (customCode === null) return `Remove the custom code of locale ${code}`;
  if (customCode !== undefined) return `Set the custom code of locale ${code} to ${customCode}`;
  if (auto === null) return `Let no engine translate into locale ${code} by itself`;
  if (auto !== undefined) return `Let the engine ${auto.engine} translate into locale ${code}`;
  if (inherits === undefined) return `Change the review of locale ${code}`;
  return inherits === null
    ? `Let locale ${code} inherit from none`
    : `Let locale ${code} inherit from ${excerpt(inherits)}`;
}

/**
 * Removes a target locale with its translations.
 * @param code any code of the locale.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `conflict` when
 * others inherit from it.
 */
export function removeLocale(
  storage: ContentStorage,
  slug: HiveSlug,
  code: string,
  context: WriteContext,
): Promise<CommitResult<Removal>> {
  return storage.writer.commitUnderTeamLock(slug, context, "first", async (snapshot) => {
    const locale = requireLocale(snapshot.settings, code);
    if (locale === snapshot.settings.sourceLocale) {
      throw invalid("locale", `"${codeOf(locale)}" is the source locale and cannot be removed`);
    }
    const { translations } = await snapshot.content([locale.code]);
    const files = translations.get(locale.code) ?? new Map();
    const texts = [...files.values()].reduce((sum, { size }) => sum + size, 0);
    const removal = (file: FileName): FileWrite => ({ locale: locale.code, file, content: undefined });
    const values = sidecars
      .filter(({ by }) => by === "translation")
      .map(async (kind) => {
        const stored = await snapshot.values.of(kind).files(locale.code);
        return changedValues(kind, locale.code, stored, new Map());
      });
    const change = {
      metadata: {
        subject: `Remove locale ${formatLocale(locale)} with ${counted(texts, "translation")}`,
        operation: "remove-locale",
        counts: { deleted: texts },
      },
      settings: withoutLocale(snapshot.settings, locale),
      writes: Array.from(files.keys(), removal),
      values: (await Promise.all(values)).flat(),
      texts: styleText(locale.code, ""),
    };
    return { result: { strings: 0, translations: texts }, change };
  });
}

/**
 * Removes a source file with its strings and their translations.
 * @throws SkepError `not-found` when the Hive does not have the file; `invalid` on `max_deletions`.
 */
export function removeFile(
  storage: ContentStorage,
  branch: HiveBranch,
  name: string,
  context: WriteContext,
): Promise<CommitResult<Removal>> {
  return storage.writer.commitUnderTeamLock(branch, context, "first", async (snapshot) => {
    const hive = await snapshot.content("all");
    const files = new Map([[fileOf(hive, name), emptyFile]]);
    const request = { files, mode: "sync", conflictStrategy: "keep" } as const;
    const { counts, changes, writes } = await planSourceImport(hive, request);
    const change = {
      metadata: {
        subject: `Remove file ${excerpt(name, 255)} with ${counted(counts.deleted, "source string")}`,
        operation: "remove-file",
        counts: { deleted: counts.deleted },
      },
      writes,
      values: await staleMarkerWrites(snapshot, hive, { changes, writes }),
    };
    const strings = counts.deleted;
    const result = { strings, translations: changes.length - strings };
    return { result, change, strings: counts };
  });
}

function fileOf(hive: HiveContent, name: string): FileName {
  if (isFileName(name) && hive.source.has(name)) return name;
  throw failure("not-found", `This Hive has no file "${excerpt(name, 255)}".`, {
    publicCode: "unknown_file",
  });
}

/** Generated from `cldr-core` by `npm run locales`. */
const file = ownFile("service/admin/locale-data.json");

const names = z.array(z.string());
const speakers = z
  .tuple([z.string(), z.string(), z.number(), z.boolean()])
  .transform(([language, region, people, isOfficial]) => ({ language, region, people, isOfficial }));
const localeData = z.object({
  codes: names,
  covered: names,
  speakers: z.array(speakers),
  rightToLeft: names.transform((scripts) => new Set(scripts)),
  countries: names.transform((codes) => new Set(codes)),
});

let known: Promise<readonly WorldLocale[]> | undefined;

/** See {@link worldLocales}; computed once. */
export function listWorldLocales(): Promise<readonly WorldLocale[]> {
  known ??= readFile(file, "utf8").then((text) => worldLocales(localeData.parse(JSON.parse(text))));
  // A failed read, for lack of a file descriptor for example, is tried again next time.
  known.catch(() => (known = undefined));
  return known;
}
