/** Reads of a Hive. Each result has a version, under which callers may cache it. */
import type { Page } from "../../domain/pagination.ts";
import { slugOf, type HiveBranch, isMain } from "../../domain/commits/branch-name.ts";
import {
  exportBundled,
  exportLocale,
  type ExportNaming,
  type ExportedFiles,
} from "../../domain/export/export.ts";
import type { FormatName, Shape } from "../../domain/export/formats/formats.ts";
import type { CompletenessRules, LeftOut } from "../../domain/export/completeness.ts";
import { pseudoLocaleNamed, pseudoLocalesFor } from "../../domain/export/pseudo-locales.ts";
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
import { withPictures, type ShownNotes } from "../../domain/notes/note-lines.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { HiveStore } from "../../store/hives/hive-store.ts";
import {
  exportedContent,
  exportVersion,
  localesNeeded,
  type ExportRules,
} from "../../store/content/exported-content.ts";
import { outgoing, outgoingVersion } from "../../store/content/locale-progress.ts";
import type { OriginQuery, Origins } from "../../store/history/text-origins.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import type { Snapshot, SourceString, StringQuery } from "../../store/content/snapshot.ts";
import type { TagTarget } from "../../git/refs/ref-folder.ts";
import type { StorageBase } from "../storage.ts";

/** A result, or a part of one, that is computed when it is read. Equal versions of one query mean equal results. */
export interface Versioned<T> {
  readonly version: string;
  readonly read: () => T | Promise<T>;
  /** The commit that it was made from, if it is about one Hive. */
  readonly commit?: Oid;
  /** The heads that it depends on; undefined for a part, and where it depends on more than heads. */
  readonly heads?: readonly HiveHead[];
  /** Whether the query has this result for ever: it names a commit in full, and depends on nothing else. */
  readonly isImmutable?: boolean;
}

export interface HiveHead {
  readonly branch: HiveBranch;
  readonly head: Oid;
  /** The tag that the result depends on too. */
  readonly tag?: TagTarget;
}

/** The commit and heads of a result about the present state of a Hive. */
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
  if (!isMain(branch)) heads.push({ branch: branch.slug, head: main });
  return { commit: head, heads };
}

export interface StringPage extends Page<SourceString> {
  readonly notes?: readonly (ShownNotes | undefined)[];
}

/** As long as it is the same, so are the source strings, their notes and their pictures. */
export function notesVersion(snapshot: Snapshot): string {
  return `${snapshot.version()}:${snapshot.values.notes.version()}:${snapshot.pictures.version}`;
}

/** Only strings whose text of a locale was written last by such an origin. */
export interface OriginFilter {
  readonly kind: OriginKind;
  /** A code as the caller gave it. */
  readonly locale: string;
}

export interface ListQuery extends Omit<StringQuery, "isWanted"> {
  readonly origin?: OriginFilter;
  readonly tags?: WantedTags;
  readonly withNotes?: boolean;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  readonly signal?: AbortSignal;
}

/**
 * A page of a Hive's source strings.
 * @throws SkepError `invalid` on `at`, or on `locale` when the Hive does not have it.
 */
export async function listStrings(
  { hives }: StorageBase,
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
    const { files: notes } = await snapshot.values.notes.readable();
    const origins = named && (await originsOf(hives, branch, snapshot, { locale: named, at, signal }));
    const noteOf = ({ file, key }: StringAddress): StringNotes | undefined => notes.get(file)?.get(key);
    const isWanted = (address: StringAddress): boolean =>
      (tags === undefined || hasTag(noteOf(address), tags)) &&
      (origins === undefined || origins.get(address.file)?.get(address.key) === origin?.kind);
    const page = index.list({ ...query, isWanted });
    if (!withNotes) return page;
    const show = withPictures((await snapshot.pictures.readable()).pictures);
    const shown: (StringNotes | undefined)[] = [];
    for (const string of page.entries) shown.push(await show(noteOf(string), string));
    return { ...page, notes: shown };
  };
  // An origin depends on the history, too.
  const basisOfOrigin = named === undefined ? "" : `:${named.code}:${snapshot.commit.oid}`;
  return { ...basis, version: notesVersion(snapshot) + basisOfOrigin, read };
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
 * The origins of texts, if they are known or found soon.
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

export interface ExportQuery extends ExportRules, CompletenessRules {
  /** A code as the caller gave it, also of a pseudo-locale; all locales when undefined. */
  readonly locale?: string;
  /** Whether an export of all locales has the pseudo-locales, too. */
  readonly pseudo?: boolean;
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

export interface ExportResult {
  /** One for each locale, which changes by itself. */
  readonly parts: readonly Versioned<ExportedFiles>[];
  /** The locales that have no part because too little of them is translated; undefined where all are taken. */
  readonly leftOut: readonly LeftOut[] | undefined;
}

/**
 * The files of one locale or of all. A locale is looked up by its code at the commit, then by its present code, so that
 * builds go on working when a code changes. A locale that is new has empty files.
 * @throws SkepError `invalid` on `at`, or on `locale` when the Hive does not have it.
 */
export async function exportFiles(
  { hives }: StorageBase,
  branch: HiveBranch,
  { locale: text, pseudo = false, format, shape, names, at, signal, ...rules }: ExportQuery,
): Promise<Versioned<ExportResult>> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, at, signal);
  const { settings } = snapshot;
  const { locale: ofHive, isOfCommit } =
    text === undefined
      ? { locale: undefined, isOfCommit: true }
      : await localeAt(hives, branch, { settings, text, at });
  const named = ofHive ?? (text === undefined ? undefined : pseudoLocaleNamed(settings, text));
  if (text !== undefined && named === undefined) throw unknownLocale(settings, text);
  const semaphore = new Semaphore(parallelParts);
  const part = (locale: Locale, giver = locale): Versioned<ExportedFiles> => {
    const needed = localesNeeded(settings, giver, rules);
    return {
      // Locales without a translation differ only in their names.
      version: `${locale.code}:${giver.code}:${snapshot.version(needed)}${exportVersion(snapshot, locale, needed, rules)}`,
      read: () =>
        // Not all at once: those that wait are never begun when their caller leaves.
        semaphore.run(async () => {
          signal?.throwIfAborted();
          const stored = await readAt(at, () => snapshot.content(needed));
          const content = await exportedContent(snapshot, stored, locale, rules, giver);
          return named === undefined
            ? exportBundled(content, locale, { format, shape, signal })
            : exportLocale(content, locale, format, { shape, names, signal });
        }),
    };
  };
  const all = [...localesOf(settings), ...(pseudo ? pseudoLocalesFor(settings) : [])];
  const wanted = named === undefined ? all : [named];
  const versions = wanted.map((locale) => part(locale).version);
  const cache = at === undefined && isMain(branch) ? hives.at(branch).cache : undefined;
  return {
    ...basis,
    isImmutable: basis.isImmutable === true && isOfCommit,
    version: [...versions, outgoingVersion(snapshot, wanted, rules)].join(" "),
    read: async () => {
      const { given, leftOut } = await readAt(at, () => outgoing(snapshot, wanted, rules, cache));
      const parts = Array.from(given, ([locale, giver]) => part(locale, giver));
      return { parts, leftOut: rules.minComplete === undefined ? undefined : leftOut };
    },
  };
}

/**
 * The Hive at a revision, or at HEAD, with the heads that a result about it depends on.
 * @throws SkepError `invalid` on `at`.
 */
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
 * Reads something at a revision, or at HEAD. The content of an earlier commit is read, and checked, when it is first needed.
 * @throws SkepError `content-invalid` for unreadable content at HEAD, `invalid` on `at` for content of an earlier commit.
 */
export function readAt<T>(at: string | undefined, read: () => Promise<T>): Promise<T> {
  return at === undefined ? read() : orInvalid("at", read);
}

/** Reads the content of a snapshot in a locale. @throws as {@link readAt}. */
export function contentOf(
  snapshot: Snapshot,
  { code }: Locale,
  at: string | undefined,
): Promise<HiveContent> {
  return readAt(at, () => snapshot.content([code]));
}

/**
 * The locale that a caller names by its code at the commit, or else by its present code.
 * @param settings the settings at the commit.
 * @returns the locale, undefined if there is none at either time; and whether it is a locale of the commit.
 */
export async function localeAt(
  hives: HiveStore,
  branch: HiveBranch,
  {
    settings,
    text,
    at,
  }: { readonly settings: HiveSettings; readonly text: string; readonly at: string | undefined },
): Promise<{ readonly locale: Locale | undefined; readonly isOfCommit: boolean }> {
  const then = localeNamed(settings, text);
  if (then !== undefined || at === undefined) return { locale: then, isOfCommit: true };
  return { locale: localeNamed((await hives.at(branch).snapshot()).settings, text), isOfCommit: false };
}
