/** Questions about a Hive that change nothing. Answers carry a version, under which the outside may keep them. */
import { exportBundled, exportLocale, type ExportedFiles } from "../domain/export.ts";
import type { FormatName } from "../domain/formats/formats.ts";
import { localeNamed, localesOf, unknownLocale } from "../domain/hive-settings.ts";
import type { Locale } from "../domain/locale.ts";
import type { HiveSlug, Oid } from "../domain/names.ts";
import type { SourceString, StringQuery } from "../index/hive-index.ts";
import type { Storage } from "./storage.ts";

/** An answer that is worked out when it is read; equal versions of one question have equal answers. */
export interface Versioned<T> {
  readonly version: string;
  readonly read: () => T | Promise<T>;
}

/** Where an answer comes from. */
interface AtCommit {
  readonly commit: Oid;
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
): Promise<Versioned<StringPage> & AtCommit> {
  const snapshot = await hives.snapshot(slug);
  const read = (): StringPage => snapshot.index.list(query);
  return { commit: snapshot.commit.oid, version: snapshot.version(), read };
}

export interface ExportQuery {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string | undefined;
  readonly format: FormatName;
}

/** An export in parts that change by themselves: one for each locale. */
export interface Export extends AtCommit {
  readonly parts: readonly Versioned<ExportedFiles>[];
}

/**
 * The files of one locale or of all.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it.
 */
export async function exportFiles(
  { hives }: Storage,
  slug: HiveSlug,
  { locale: text, format }: ExportQuery,
): Promise<Export> {
  const snapshot = await hives.snapshot(slug);
  const { settings } = snapshot;
  const named = text === undefined ? undefined : localeNamed(settings, text);
  if (text !== undefined && named === undefined) throw unknownLocale(settings, text);
  const part = (locale: Locale): Versioned<ExportedFiles> => ({
    // Locales without a translation are the same but for their names.
    version: `${locale.code}:${snapshot.version([locale.code])}`,
    read: async () => {
      const content = await snapshot.content([locale.code]);
      return named === undefined
        ? exportBundled(content, locale, format)
        : exportLocale(content, locale, format);
    },
  });
  return {
    commit: snapshot.commit.oid,
    parts: (named === undefined ? localesOf(settings) : [named]).map(part),
  };
}
