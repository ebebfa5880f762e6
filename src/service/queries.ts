/** Questions about a Hive that change nothing. Answers carry a version, under which the outside may keep them. */
import { exportAllLocales, exportLocale, type ExportedFiles } from "../domain/export.ts";
import type { FormatName } from "../domain/formats/formats.ts";
import { localeNamed, localesOf, unknownLocale } from "../domain/hive-settings.ts";
import type { HiveSlug } from "../domain/names.ts";
import type { SourceString, StringQuery } from "../index/hive-index.ts";
import type { Storage } from "./storage.ts";

/** An answer that is worked out when it is read; equal versions of one question have equal answers. */
export interface Versioned<T> {
  readonly version: string;
  readonly read: () => T | Promise<T>;
}

export interface StringPage {
  readonly strings: readonly SourceString[];
  /** Of all strings that the query finds, on this page or not. */
  readonly total: number;
}

/** A stretch of a Hive's source strings. */
export async function listStrings(
  { hives }: Storage,
  slug: HiveSlug,
  query: StringQuery,
): Promise<Versioned<StringPage>> {
  const snapshot = await hives.snapshot(slug);
  return { version: snapshot.version(), read: () => snapshot.index.list(query) };
}

export interface ExportQuery {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string | undefined;
  readonly format: FormatName;
}

/**
 * The files of one locale or of all.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it.
 */
export async function exportFiles(
  { hives }: Storage,
  slug: HiveSlug,
  { locale: text, format }: ExportQuery,
): Promise<Versioned<ExportedFiles>> {
  const snapshot = await hives.snapshot(slug);
  if (text === undefined) {
    return {
      version: snapshot.version(localesOf(snapshot.settings).map(({ code }) => code)),
      read: async () => exportAllLocales(await snapshot.content("all"), format),
    };
  }
  const locale = localeNamed(snapshot.settings, text);
  if (locale === undefined) throw unknownLocale(snapshot.settings, text);
  return {
    version: snapshot.version([locale.code]),
    read: async () => exportLocale(await snapshot.content([locale.code]), locale, format),
  };
}
