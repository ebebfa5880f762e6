/** Questions about a Hive that change nothing. Answers carry a version, under which the outside may keep them. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import {
  exportBundled,
  exportLocale,
  type ExportNaming,
  type ExportedFiles,
} from "../../domain/export/export.ts";
import type { FormatName, Shape } from "../../domain/export/formats/formats.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import { translationsOf, type HiveContent, type TextAddress } from "../../domain/strings/hive-content.ts";
import {
  localeNamed,
  localesOf,
  unknownLocale,
  type HiveSettings,
} from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import { hasTag, type WantedTags } from "../../domain/notes/note-tags.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { withPictures, type ShownNotes } from "../../domain/notes/shown-notes.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import type { SourceString, StringQuery } from "../../store/content/source-index.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { HiveStore } from "../../store/hives/hive-store.ts";
import { exitContent, exitVersion, type ExitRules } from "../../store/content/exit.ts";
import type { OriginQuery, Origins } from "../../store/history/text-origins.ts";
import { asInvalid } from "../../store/history/revision-store.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { TagTarget } from "../../git/refs/tags.ts";
import type { Storage } from "../storage.ts";

/** A result that is worked out when it is read, or a part of one. Equal versions of one question have equal results. */
export interface Versioned<T> {
  readonly version: string;
  readonly read: () => T | Promise<T>;
  /** The commit that it was made from, where it is about one Hive. */
  readonly commit?: Oid;
  /** The heads that it depends on; undefined where it depends on more than these, or is a part. */
  readonly heads?: readonly HiveHead[];
  /** Whether the question has this result for ever: the commit is named in full and all follows from it. */
  readonly isImmutable?: boolean;
}

/** Where HEAD is in a Hive, or in a branch of it. */
export interface HiveHead {
  readonly branch: HiveBranch;
  readonly head: Oid;
  /** The tag that the result depends on too. */
  readonly tag?: TagTarget;
}

/** What a result depends on that is about a Hive as it is now. */
export function atHead(
  branch: HiveBranch,
  { commit, storedSettings }: Snapshot,
): Pick<Versioned<unknown>, "commit" | "heads"> {
  return headsAt(branch, commit.oid, storedSettings.commit);
}

/**
 * As {@link atHead}.
 * @param head the commit of HEAD.
 * @param main the commit of main whose settings the result has.
 */
export function headsAt(
  branch: HiveBranch,
  head: Oid,
  main: Oid,
  tag?: TagTarget,
): Pick<Versioned<unknown>, "commit" | "heads"> {
  const heads: HiveHead[] = [{ branch, head, tag }];
  if (typeof branch !== "string") heads.push({ branch: branch.slug, head: main });
  return { commit: head, heads };
}

export interface StringPage {
  readonly strings: readonly SourceString[];
  /** Of all strings that the query finds, on this page or not. */
  readonly total: number;
  /** Of each string on this page, if they are asked for. */
  readonly notes?: readonly (ShownNotes | undefined)[];
}

/** As long as it is the same, so are the source strings, their notes and their pictures. */
export function notesVersion(snapshot: Snapshot): string {
  return `${snapshot.version()}:${snapshot.notes.version}:${snapshot.pictures.version}`;
}

/** Only strings whose text of a locale was written last by such an origin. */
export interface OriginFilter {
  readonly kind: OriginKind;
  /** A code as the caller gave it. */
  readonly locale: string;
}

export interface ListQuery extends Omit<StringQuery, "isWanted"> {
  readonly origin?: OriginFilter;
  /** Only strings with one of these tags in their notes. */
  readonly tags?: WantedTags;
  /** Whether the notes of the strings are asked for, too. */
  readonly withNotes?: boolean;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * A part of a Hive's source strings.
 * @throws SkepError `invalid` on `at`, or on `locale` when the Hive does not have it.
 */
export async function listStrings(
  { hives }: Storage,
  branch: HiveBranch,
  { at, signal, tags, origin, withNotes = false, ...query }: ListQuery,
): Promise<Versioned<StringPage>> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, at, signal);
  const { index, settings } = snapshot;
  if (tags === undefined && origin === undefined && !withNotes)
    return { ...basis, version: snapshot.version(), read: () => index.list(query) };
  const named = origin && (await localeAt(hives, branch, { settings, text: origin.locale, at })).locale;
  if (origin !== undefined && named === undefined) throw unknownLocale(settings, origin.locale);
  const read = async (): Promise<StringPage> => {
    const { notes } = await snapshot.notes.readable();
    const origins = named && (await originsOf(hives, branch, snapshot, { locale: named, at, signal }));
    const noteOf = ({ file, key }: StringAddress): StringNotes | undefined => notes.get(file)?.get(key);
    const isWanted = (address: StringAddress): boolean =>
      (tags === undefined || hasTag(noteOf(address), tags)) &&
      (origins === undefined || origins.get(address.file)?.get(address.key) === origin?.kind);
    const page = index.list({ ...query, isWanted });
    if (!withNotes) return page;
    const show = withPictures((await snapshot.pictures.readable()).pictures);
    return { ...page, notes: page.strings.map((string) => show(noteOf(string), string)) };
  };
  const version = notesVersion(snapshot);
  // An origin depends on the history, too.
  return { ...basis, version: named === undefined ? version : `${version}:${snapshot.commit.oid}`, read };
}

/** The origins of a snapshot's texts in a locale. @throws as {@link contentOf}; the signal's reason. */
export async function originsOf(
  hives: HiveStore,
  branch: HiveBranch,
  snapshot: Snapshot,
  { locale, at, signal }: { readonly locale: Locale; readonly at?: string; readonly signal?: AbortSignal },
): Promise<Origins> {
  const content = await contentOf(snapshot, locale, at);
  return hives.at(branch).revisions.origins.at({ ...originQuery(snapshot, content, locale.code), signal });
}

/** How long a page waits for the origins of texts, in milliseconds. */
const originPatience = 150;

/**
 * The origins of texts as far as they are known, or found soon.
 * @param content of the snapshot, with the locales.
 */
export async function originsSoon(
  hives: HiveStore,
  branch: HiveBranch,
  snapshot: Snapshot,
  content: HiveContent,
  locales: readonly LocaleCode[],
): Promise<(at: TextAddress) => OriginKind | undefined> {
  const { origins } = hives.at(branch).revisions;
  const found = await Promise.all(
    locales.map(async (code) => {
      return [code, await origins.soon(originQuery(snapshot, content, code), originPatience)] as const;
    }),
  );
  const known = new Map(found);
  return ({ locale, file, key }) => known.get(locale)?.get(file)?.get(key);
}

function originQuery(
  { commit }: Snapshot,
  content: HiveContent,
  locale: LocaleCode,
): Omit<OriginQuery, "signal"> {
  const sourceLocale = content.settings.sourceLocale.code;
  const files =
    locale === sourceLocale
      ? new Map(Array.from(content.source, ([file, { texts }]) => [file, texts]))
      : translationsOf(content, locale);
  return { tip: commit.oid, locale, sourceLocale, files };
}

export interface ExportQuery extends ExitRules {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string;
  readonly format: FormatName;
  /** Of a JSON export of one locale. */
  readonly shape?: Shape;
  readonly names?: ExportNaming;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  /** Ends it, and what reads its parts. */
  readonly signal?: AbortSignal;
}

/** How many parts of an export are made at once. */
const parallelParts = 4;

/** An export in parts that change by themselves: one for each locale. */
export type ExportParts = readonly Versioned<ExportedFiles>[];

/**
 * The files of one locale or of all. A locale is looked up as it was called at the commit, then as it is called now:
 * what a build asks for goes on working when a code changes, and a locale that is new has empty files.
 * @throws SkepError `invalid` on `at`, or on `locale` when the Hive does not have it.
 */
export async function exportFiles(
  { hives }: Storage,
  branch: HiveBranch,
  { locale: text, format, shape, names, at, signal, ...rules }: ExportQuery,
): Promise<Versioned<ExportParts>> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, at, signal);
  const { settings } = snapshot;
  const { locale: named, isFromThen } =
    text === undefined
      ? { locale: undefined, isFromThen: true }
      : await localeAt(hives, branch, { settings, text, at });
  if (text !== undefined && named === undefined) throw unknownLocale(settings, text);
  const semaphore = new Semaphore(parallelParts);
  const part = (locale: Locale): Versioned<ExportedFiles> => ({
    // Locales without a translation are the same but for their names.
    version: `${locale.code}:${snapshot.version([locale.code])}${exitVersion(snapshot, locale, rules)}`,
    read: () =>
      // Not all at once: those that wait are never begun when their caller leaves.
      semaphore.run(async () => {
        signal?.throwIfAborted();
        const stored = await contentOf(snapshot, locale, at);
        const content = await exitContent(snapshot, stored, locale, rules);
        return inSlices(
          named === undefined
            ? exportBundled(content, locale, { format, shape })
            : exportLocale(content, locale, format, { shape, names }),
          signal,
        );
      }),
  });
  const parts = (named === undefined ? localesOf(settings) : [named]).map(part);
  return {
    ...basis,
    isImmutable: basis.isImmutable === true && isFromThen,
    version: parts.map(({ version }) => version).join(" "),
    read: () => parts,
  };
}

/** The Hive at a revision, or at HEAD, and what an answer about it depends on. @throws SkepError `invalid` on `at`. */
export async function snapshotOf(
  hives: HiveStore,
  branch: HiveBranch,
  at: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly snapshot: Snapshot } & Pick<Versioned<unknown>, "commit" | "heads" | "isImmutable">> {
  if (at === undefined) {
    const snapshot = await hives.at(branch).snapshot();
    return { snapshot, ...atHead(branch, snapshot) };
  }
  const revision = toRevision(at);
  const lookup = { tip: hives.at(branch).head(), signal };
  const { commit, head, tag } = await hives.at(branch).revisions.resolve(revision, "at", lookup);
  signal?.throwIfAborted();
  const heads = head && headsAt(branch, head, hives.at(slugOf(branch)).head(), tag).heads;
  const isImmutable = revision.oid !== undefined;
  return { snapshot: await hives.at(branch).snapshotAt(commit, "at"), commit, heads, isImmutable };
}

/**
 * Of an earlier commit only what is asked for is read, and so only then known to be readable.
 * @throws SkepError `content-invalid` for unreadable content at HEAD, `invalid` on `at` for that of an earlier commit.
 */
export async function contentOf(
  snapshot: Snapshot,
  { code }: Locale,
  at: string | undefined,
): Promise<HiveContent> {
  try {
    return await snapshot.content([code]);
  } catch (error) {
    throw at === undefined ? error : asInvalid(error, "at");
  }
}

/**
 * The locale that a caller names, as it was called at the commit, else as it is called now.
 * @param question has the settings at the commit.
 * @returns undefined for a locale that there is neither then nor now, and whether it is one of then.
 */
export async function localeAt(
  hives: HiveStore,
  branch: HiveBranch,
  {
    settings,
    text,
    at,
  }: { readonly settings: HiveSettings; readonly text: string; readonly at: string | undefined },
): Promise<{ readonly locale: Locale | undefined; readonly isFromThen: boolean }> {
  const then = localeNamed(settings, text);
  if (then !== undefined || at === undefined) return { locale: then, isFromThen: true };
  return { locale: localeNamed((await hives.at(branch).snapshot()).settings, text), isFromThen: false };
}
