/** Operations on the locales and files of a Hive. */
import { checkDeletions } from "../../domain/plans/deletions.ts";
import { failure, invalid } from "../../domain/errors.ts";
import type { FileWrite, HiveContent } from "../../domain/strings/hive-content.ts";
import {
  localeNamed,
  unknownLocale,
  withCustomCode,
  withLocale,
  withoutLocale,
} from "../../domain/hives/hive-settings.ts";
import { codeOf, formatLocale, type CustomCode, type Locale } from "../../domain/hives/locale.ts";
import { isFileName, type FileName, type HiveSlug } from "../../domain/names.ts";
import { emptyFile } from "../../domain/strings/string-file.ts";
import { planSourceImport } from "../../domain/plans/source-import.ts";
import { counted, excerpt } from "../../domain/text.ts";
import type { CommitResult } from "../../store/hives/write-plan.ts";
import { inSlices } from "../../slices.ts";
import { changeHive } from "./hive-changes.ts";
import { followedMarks } from "../content/marks.ts";
import type { Requester } from "../requester.ts";
import type { Storage } from "../storage.ts";

/** What a removal takes away: how many texts. */
export interface Removal {
  readonly strings: number;
  readonly translations: number;
}

export interface RemovalOptions {
  readonly origin: Requester;
  /** Whether to do it, or only to tell how many texts would go. */
  readonly commit: boolean;
}

/** A file's removal, and how many source strings may go with it: the Hive's own limit if it is not given. */
export interface FileRemovalOptions extends RemovalOptions {
  readonly maxDeletions?: number | undefined;
}

/**
 * Adds a target locale to a Hive.
 * @param field what the locale is called in the request.
 * @throws SkepError `invalid` on the field when it is there or could be taken for another.
 */
export function addLocale(
  storage: Storage,
  slug: HiveSlug,
  locale: Locale,
  origin: Requester,
  field = "locale",
): Promise<CommitResult<Locale>> {
  const note = { subject: `Add locale ${formatLocale(locale)}`, operation: "add-locale" };
  return changeHive(storage, slug, origin, ({ settings }) => ({
    result: locale,
    change: { note, origin, settings: withLocale(settings, locale, field) },
  }));
}

/**
 * Changes the custom code of a locale, or takes it away.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it, or the code could be taken for another.
 */
export function setLocale(
  storage: Storage,
  slug: HiveSlug,
  locale: Locale,
  origin: Requester,
): Promise<CommitResult<Locale>> {
  return setCustomCode(storage, slug, locale.code, locale.customCode, origin);
}

/**
 * The same for a locale that is found by any of its codes.
 * @param field what the custom code is called in the request.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it, on the field when it could be taken for another.
 */
export function setCustomCode(
  storage: Storage,
  slug: HiveSlug,
  text: string,
  customCode: CustomCode | undefined,
  origin: Requester,
  field = "locale",
): Promise<CommitResult<Locale>> {
  return changeHive(storage, slug, origin, ({ settings }) => {
    const code = localeNamed(settings, text)?.code;
    if (code === undefined) throw unknownLocale(settings, text);
    const locale: Locale = { code, ...(customCode === undefined ? {} : { customCode }) };
    const subject =
      customCode === undefined
        ? `Remove the custom code of locale ${code}`
        : `Set the custom code of locale ${code} to ${customCode}`;
    const note = { subject, operation: "set-locale" };
    return { result: locale, change: { note, origin, settings: withCustomCode(settings, locale, field) } };
  });
}

/**
 * Removes a target locale with its translations.
 * @param code any code by which the locale is found.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function removeLocale(
  storage: Storage,
  slug: HiveSlug,
  code: string,
  { origin, commit }: RemovalOptions,
): Promise<CommitResult<Removal>> {
  return changeHive(storage, slug, origin, async (snapshot) => {
    const locale = localeNamed(snapshot.settings, code);
    if (locale === undefined) throw unknownLocale(snapshot.settings, code);
    if (locale === snapshot.settings.sourceLocale) {
      throw invalid("locale", `"${codeOf(locale)}" is the source locale and cannot be removed`);
    }
    const { translations } = await snapshot.content([locale.code]);
    const files = translations.get(locale.code) ?? new Map();
    const texts = [...files.values()].reduce((sum, { size }) => sum + size, 0);
    const marks = (await snapshot.marks.read([locale.code])).get(locale.code) ?? new Map();
    const removal = (file: FileName): FileWrite => ({ locale: locale.code, file, content: undefined });
    const change = {
      note: {
        subject: `Remove locale ${formatLocale(locale)} with ${counted(texts, "translation")}`,
        operation: "remove-locale",
        counts: { Deleted: texts },
      },
      origin,
      settings: withoutLocale(snapshot.settings, locale),
      writes: Array.from(files.keys(), removal),
      marks: Array.from(marks.keys(), removal),
    };
    return { result: { strings: 0, translations: texts }, change: commit ? change : undefined };
  });
}

/**
 * Removes a source file with its strings and their translations.
 * @throws SkepError `not-found` when the Hive does not have the file; `invalid` on `max_deletions`.
 */
export function removeFile(
  storage: Storage,
  slug: HiveSlug,
  name: string,
  { origin, commit, maxDeletions }: FileRemovalOptions,
): Promise<CommitResult<Removal>> {
  return changeHive(storage, slug, origin, async (snapshot) => {
    const hive = await snapshot.content("all");
    const files = new Map([[fileOf(hive, name), emptyFile]]);
    const steps = planSourceImport(hive, { files, mode: "sync", conflictStrategy: "keep" });
    const { counts, changes, writes } = await inSlices(steps);
    checkDeletions(counts.deleted, maxDeletions ?? snapshot.settings.maxDeletions);
    const change = {
      note: {
        subject: `Remove file ${excerpt(name, 255)} with ${counted(counts.deleted, "source string")}`,
        operation: "remove-file",
        counts: { Deleted: counts.deleted },
      },
      origin,
      writes,
      marks: await followedMarks(snapshot, hive, changes),
    };
    const strings = counts.deleted;
    const result = { strings, translations: changes.length - strings };
    return { result, change: commit ? change : undefined };
  });
}

function fileOf(hive: HiveContent, name: string): FileName {
  if (isFileName(name) && hive.source.has(name)) return name;
  throw failure("not-found", `This Hive has no file "${excerpt(name, 255)}".`);
}
