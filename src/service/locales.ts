/** Operations on the locales and files of a Hive. */
import type { CommitNote, Origin } from "../domain/commit-message.ts";
import { failure, invalid } from "../domain/errors.ts";
import type { FileWrite, HiveContent } from "../domain/hive-content.ts";
import {
  localeNamed,
  unknownLocale,
  withCustomCode,
  withLocale,
  withoutLocale,
  type HiveSettings,
} from "../domain/hive-settings.ts";
import { codeOf, formatLocale, type Locale } from "../domain/locale.ts";
import { isFileName, type FileName, type HiveSlug } from "../domain/names.ts";
import { emptyFile } from "../domain/string-file.ts";
import { planSourceImport } from "../domain/source-import.ts";
import { counted, excerpt } from "../domain/text.ts";
import type { Planned } from "../store/hive-store.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { ownerOf, requireOwner } from "./hives.ts";
import { followedMarks } from "./marks.ts";
import type { Storage } from "./storage.ts";

/** What a removal takes away: how many texts. */
export interface Removal {
  readonly texts: number;
}

/**
 * Adds a target locale to a Hive.
 * @throws SkepError `invalid` on `locale` when it is there or could be taken for another.
 */
export function addLocale(storage: Storage, slug: HiveSlug, locale: Locale, origin: Origin): Promise<void> {
  const note = { subject: `Add locale ${formatLocale(locale)}`, operation: "add-locale" };
  return changeSettings(storage, slug, origin, note, (settings) => withLocale(settings, locale));
}

/**
 * Changes the custom code of a locale, or takes it away.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it, or the code could be taken for another.
 */
export function setLocale(storage: Storage, slug: HiveSlug, locale: Locale, origin: Origin): Promise<void> {
  const note = {
    subject:
      locale.customCode === undefined
        ? `Remove the custom code of locale ${locale.code}`
        : `Set the custom code of locale ${locale.code} to ${locale.customCode}`,
    operation: "set-locale",
  };
  return changeSettings(storage, slug, origin, note, (settings) => withCustomCode(settings, locale));
}

/**
 * Removes a target locale with its translations.
 * @param code any code by which the locale is found.
 * @param commit whether to do it, or only to tell how many texts would go.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function removeLocale(
  storage: Storage,
  slug: HiveSlug,
  code: string,
  { origin, commit }: { readonly origin: Origin; readonly commit: boolean },
): Promise<Removal> {
  return underLocks(storage, slug, async (snapshot) => {
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
    return { result: { texts }, change: commit ? change : undefined };
  });
}

/**
 * Removes a source file with its strings and their translations.
 * @param commit whether to do it, or only to tell how many texts would go.
 * @throws SkepError `not-found` when the Hive does not have the file.
 */
export function removeFile(
  storage: Storage,
  slug: HiveSlug,
  name: string,
  { origin, commit }: { readonly origin: Origin; readonly commit: boolean },
): Promise<Removal> {
  return underLocks(storage, slug, async (snapshot) => {
    const hive = await snapshot.content("all");
    const { counts, changes, writes } = planSourceImport(hive, {
      files: new Map([[fileOf(hive, name), emptyFile]]),
      mode: "sync",
      conflictStrategy: "keep",
    });
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
    return { result: { texts: changes.length }, change: commit ? change : undefined };
  });
}

function fileOf(hive: HiveContent, name: string): FileName {
  if (isFileName(name) && hive.source.has(name)) return name;
  throw failure("not-found", `This Hive has no file "${excerpt(name, 255)}".`);
}

async function changeSettings(
  storage: Storage,
  slug: HiveSlug,
  origin: Origin,
  note: CommitNote,
  to: (settings: HiveSettings) => HiveSettings,
): Promise<void> {
  await underLocks(storage, slug, ({ settings: before }) => ({
    result: undefined,
    change: { note, origin, settings: to(before) },
  }));
}

/** Settings and source files of a Hive change under its team's lock and then its own. */
async function underLocks<T>(
  storage: Storage,
  slug: HiveSlug,
  plan: (snapshot: Snapshot) => Planned<T> | Promise<Planned<T>>,
): Promise<T> {
  const { name } = await ownerOf(storage, slug);
  return storage.lockTeam(name, (teamLock) =>
    storage.hives.update(
      slug,
      async (snapshot) => {
        await requireOwner(storage, name, slug);
        return plan(snapshot);
      },
      [teamLock],
    ),
  );
}
