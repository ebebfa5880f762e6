/** Searches the strings of a Hive, and shows one of them in all locales. */
import { defaultChecks, syntaxOf } from "../../domain/checks/check-settings.ts";
import type { SyntaxName } from "../../domain/checks/syntax-names.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import { shownTermsIn } from "../../domain/glossary/expected-terms.ts";
import type { FoundTerm, TermIndex } from "../../domain/glossary/term-index.ts";
import { targetLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import { hasTag, keptKeys, notesAt, type WantedTags, syntaxByNotes } from "../../domain/notes/note-tags.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import type { StringAddress } from "../../domain/move.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import { countingIn } from "../../domain/strings/stale.ts";
import { type StaleMarkers } from "../../domain/sidecars/stale.ts";
import {
  foundNeighbours,
  searchStrings,
  storedTranslations,
  translationInto,
  type FoundString,
  type FoundStrings,
  type Neighbours,
  type StoredTranslation,
  type StringSearch,
} from "../../domain/queries/string-search.ts";
import { translationAt } from "../../domain/strings/content-diff.ts";
import { type HiveContent } from "../../domain/strings/hive-content.ts";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { LocalePlurals } from "../../domain/strings/plural-rules.ts";
import { emptyFile, translatableTexts } from "../../domain/strings/string-file.ts";
import { failingKeys } from "../../store/content/findings.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import {
  marksOf,
  type AnswerableTranslation,
  type EditableTranslation,
  type Mark,
  type Marks,
} from "./string-marks.ts";
import { originsOf } from "./queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { readTerms, shownStyle } from "../terms.ts";
import { reviewKind, type Reviews } from "../../domain/sidecars/review.ts";

/** Means all target locales of a Hive; no code has this character. */
export const allLocales = "*";

export interface StringSearchQuery extends Omit<StringSearch, "locales" | "since" | "isWanted"> {
  readonly tags?: WantedTags;
  /**
   * The code of a target locale as the caller gave it, or {@link allLocales}; undefined for the source strings alone.
   */
  readonly locale?: string;
  /** With {@link allLocales}: only these of them; all if undefined. */
  readonly among?: readonly LocaleCode[];
  /** A revision: only strings that have changed since then. */
  readonly since?: string;
  readonly signal?: AbortSignal;
}

/**
 * A page of the strings that a search finds, with their translations into the locales that are searched.
 * @throws SkepError `invalid` on `locale` or `since`; `content-invalid` when content or stale markers cannot be read.
 */
export async function searchHive(
  storage: ContentStorage,
  branch: HiveBranch,
  query: StringSearchQuery,
): Promise<NotedStrings> {
  return searchWith(storage, branch, query, ({ shown }) => shown);
}

/** The same, with all that forms for the translations show and send back. @throws as {@link searchHive}. */
export async function searchToEdit(
  storage: ContentStorage,
  branch: HiveBranch,
  query: StringSearchQuery,
): Promise<NotedStrings<EditableTranslation>> {
  return searchWith(storage, branch, query, ({ editable }) => editable);
}

async function searchWith<T extends AnswerableTranslation>(
  storage: ContentStorage,
  branch: HiveBranch,
  query: StringSearchQuery,
  markBy: (marks: Marks) => Mark<T>,
): Promise<NotedStrings<T>> {
  const { snapshot, content, markers, reviews, search, noteOf } = await prepare(storage, branch, query);
  const { offset, limit, signal } = query;
  const found = await searchStrings(content, markers, { ...search, offset, limit, signal }, storage.folded);
  const { index: terms } = await readTerms(storage, slugOf(branch));
  const shown = found.strings.flatMap(({ translations }) => translations);
  const written = new Set(shown.flatMap(({ locale, text }) => (text === undefined ? [] : [locale])));
  const marked = { snapshot, content, markers, reviews, terms };
  const mark = markBy(await marksOf(storage, branch, marked, [...written]));
  const strings = found.strings.map((string) => ({
    ...string,
    notes: noteOf(string),
    ...markedIn(content, terms, string, noteOf(string)),
    translations: string.translations.map((one) => mark(string, one)),
  }));
  return { ...found, strings };
}

/** The results of a search before and after a string. @throws as {@link searchHive}. */
export async function searchNeighbours(
  storage: ContentStorage,
  branch: HiveBranch,
  query: Omit<StringSearchQuery, keyof OffsetLimit>,
  of: StringAddress,
): Promise<Neighbours> {
  const { content, markers, search } = await prepare(storage, branch, query);
  return foundNeighbours(content, markers, { ...search, signal: query.signal }, storage.folded, of);
}

/**
 * The stored translations of what a search finds that may contain a text, as they are asked for; see
 * {@link storedTranslations}. All are of one state of the branch.
 * @throws SkepError as {@link searchHive}.
 */
export async function translationsWith(
  storage: ContentStorage,
  branch: HiveBranch,
  query: Omit<StringSearchQuery, keyof OffsetLimit>,
  part: string,
): Promise<{ readonly snapshot: Snapshot; readonly translations: AsyncIterable<StoredTranslation> }> {
  const { snapshot, content, markers, search } = await prepare(storage, branch, query);
  const wanted = { ...search, signal: query.signal };
  return { snapshot, translations: storedTranslations(content, markers, wanted, storage.folded, part) };
}

async function prepare(
  { hives }: StorageBase,
  branch: HiveBranch,
  { locale, among, since, tags, signal, ...search }: Omit<StringSearchQuery, keyof OffsetLimit>,
): Promise<{
  readonly snapshot: Snapshot;
  readonly content: HiveContent;
  readonly markers: StaleMarkers;
  readonly reviews: Reviews;
  readonly search: Omit<StringSearch, keyof OffsetLimit>;
  readonly noteOf: (at: StringAddress) => StringNotes | undefined;
}> {
  const snapshot = await hives.at(branch).snapshot();
  const { settings } = snapshot;
  const searched = (): readonly Locale[] => {
    if (locale === undefined) return [];
    if (locale === allLocales)
      return settings.targetLocales.filter(({ code }) => among === undefined || among.includes(code));
    return [targetLocale(settings, locale, slugOf(branch))];
  };
  const codes = searched().map(({ code }) => code);
  const contentSince = async (at: string): Promise<HiveContent> => {
    const lookup = { tip: hives.at(branch).head(), signal };
    const { commit } = await hives.at(branch).revisions.resolve(toRevision(at, "since"), "since", lookup);
    return orInvalid("since", async () => (await hives.at(branch).snapshotForDiff(commit)).content(codes));
  };
  const [content, markers, then] = await Promise.all([
    snapshot.content(codes),
    snapshot.values.stale.read(codes),
    since === undefined ? undefined : contentSince(since),
  ]);
  const reviews = await snapshot.values.review.read(codes);
  const listed = new Map<LocaleCode, Awaited<ReturnType<typeof failingKeys>>>();
  for (const each of search.state === "failing" ? searched() : [])
    listed.set(each.code, await failingKeys(snapshot, content, each, signal));
  for (const code of search.state === "waiting" ? codes : []) {
    const files = Array.from(reviews.get(code) ?? [], ([file, texts]) => {
      const waiting = countingIn(reviewKind, content, { locale: code, file }, texts);
      return [file, new Set(waiting.keys())] as const;
    });
    listed.set(code, new Map(files));
  }
  const origins = new Map<LocaleCode, Awaited<ReturnType<typeof originsOf>>>();
  const written = codes.length === 0 ? [settings.sourceLocale] : searched();
  for (const each of search.origin === undefined ? [] : written)
    origins.set(each.code, await originsOf(hives, branch, snapshot, { locale: each, signal }));
  const { files: notes } = await snapshot.values.notes.readable();
  const noteOf = (at: StringAddress): StringNotes | undefined => notesAt(notes, content.source, at);
  const isWanted = tags && ((at: StringAddress): boolean => hasTag(noteOf(at), tags));
  const kept = keptKeys(notes, content);
  const prepared = { ...search, locales: codes, since: then, listed, origins, kept, isWanted };
  return { snapshot, content, markers, reviews, search: prepared, noteOf };
}

export interface NotedString<T extends AnswerableTranslation = AnswerableTranslation>
  extends FoundString, TextMarks {
  readonly notes: StringNotes | undefined;
  readonly translations: readonly T[];
}

/** The parts of a source text that a translator has to treat with care. */
export interface TextMarks {
  readonly syntax: SyntaxName;
  /** Its terms, in their order in the text. */
  readonly terms: readonly FoundTerm[];
}

function markedIn(
  { settings, source: files }: Pick<HiveContent, "settings" | "source">,
  index: TermIndex | undefined,
  { file, source }: Pick<FoundString, "file" | "source">,
  notes: StringNotes | undefined,
): TextMarks {
  const ofFile = syntaxOf(settings.checks ?? defaultChecks, file, files.get(file) ?? emptyFile);
  const syntax = syntaxByNotes(notes, ofFile);
  return { syntax, terms: index === undefined ? [] : shownTermsIn(index, syntax, source) };
}

export interface NotedStrings<T extends AnswerableTranslation = AnswerableTranslation> extends FoundStrings {
  readonly strings: readonly NotedString<T>[];
}

export interface StringInAllLocales<T extends AnswerableTranslation = AnswerableTranslation>
  extends TextMarks, Neighbours {
  readonly file: FileName;
  readonly key: string;
  readonly source: string;
  readonly settings: HiveSettings;
  readonly translations: readonly { readonly locale: Locale; readonly translation: T }[];
  /** All keys of the plural string that the source or a locale has, this one included; none for a plain string. */
  readonly forms: readonly {
    readonly category: string;
    readonly key: string;
    readonly isOfSource: boolean;
  }[];
  readonly notes: StringNotes | undefined;
  /** Of the locale that is open; empty where there is none. */
  readonly style: string;
}

interface AskedString {
  readonly file: string;
  readonly key: string;
  /** The locale whose style is shown. */
  readonly open?: string;
}

/**
 * A string with its translations into all locales that can have it. A plural form that the source lacks is left out in
 * locales that lack it, too.
 * @throws SkepError `not-found` when there is no such string; `content-invalid`.
 */
export async function showString(
  storage: StorageBase,
  branch: HiveBranch,
  asked: AskedString,
): Promise<StringInAllLocales> {
  return showWith(storage, branch, asked, ({ shown }) => shown);
}

/** The same, with all that forms for the translations show and send back. @throws as {@link showString}. */
export async function showStringToEdit(
  storage: StorageBase,
  branch: HiveBranch,
  asked: AskedString,
): Promise<StringInAllLocales<EditableTranslation>> {
  return showWith(storage, branch, asked, ({ editable }) => editable);
}

async function showWith<T extends AnswerableTranslation>(
  storage: StorageBase,
  branch: HiveBranch,
  { file, key, open }: AskedString,
  markBy: (marks: Marks) => Mark<T>,
): Promise<StringInAllLocales<T>> {
  const snapshot = await storage.hives.at(branch).snapshot();
  const { settings } = snapshot;
  const hive = await snapshot.content("all");
  const strings = isFileName(file) ? hive.source.get(file) : undefined;
  const source = translatableTexts(strings).get(key);
  if (!isFileName(file) || strings === undefined || source === undefined) {
    throw failure("not-found", "This Hive has no such string; it may have been renamed or removed.");
  }
  const targets = settings.targetLocales.map(({ code }) => code);
  const [markers, reviews] = await Promise.all([
    snapshot.values.stale.read(targets),
    snapshot.values.review.read(targets),
  ]);
  const rules = settings.targetLocales.map((locale) => ({
    locale,
    plurals: new LocalePlurals(locale.code, settings),
  }));
  const { index } = await readTerms(storage, slugOf(branch));
  const { files: notes } = await snapshot.values.notes.readable();
  const kept = keptKeys(notes, hive);
  const at = { file, key };
  const written = targets.filter((code) => translationAt(hive, code, file, key) !== undefined);
  const marked = { snapshot, content: hive, markers, reviews, terms: index };
  const mark = markBy(await marksOf(storage, branch, marked, written));
  const translations = rules
    .filter(({ plurals }) => plurals.accepts(strings, key))
    .map(({ locale }) => ({
      locale,
      translation: mark(at, translationInto(hive, markers, locale.code, at, kept)),
    }));
  const stem = strings.plurals?.formOf(key)?.string.stem;
  const forms = (stem === undefined ? [] : pluralCategories)
    .map((category) => {
      const own = `${stem}${category}`;
      return { category, key: own, isOfSource: strings.texts.has(own) };
    })
    .filter((form) => rules.some(({ plurals }) => plurals.accepts(strings, form.key)));
  const own = notesAt(notes, hive.source, at);
  const marks = markedIn(hive, index, { file, source }, own);
  const style = open === undefined ? "" : await shownStyle(storage, slugOf(branch), open);
  const about = { file, key, source, ...marks, settings, notes: own, style };
  return { ...about, translations, forms, ...neighboursOf(hive, file, key) };
}

function neighboursOf({ source }: HiveContent, file: FileName, key: string): Neighbours {
  const own = source.get(file);
  const plurals = own?.plurals;
  const string = plurals?.formOf(key)?.string;
  const keys = [...(own?.texts.keys() ?? [])];
  const isSame = (other: string): boolean =>
    other === key || (string !== undefined && plurals?.formOf(other)?.string === string);
  const files = [...source.keys()];
  const at = files.indexOf(file);
  const previous = keys.slice(0, keys.findIndex(isSame)).at(-1);
  const next = keys.slice(keys.findLastIndex(isSame) + 1)[0];
  const edgeOf = (other: FileName | undefined, edge: 0 | -1): StringAddress | undefined => {
    const found = other && [...(source.get(other)?.texts.keys() ?? [])].at(edge);
    return other === undefined || found === undefined ? undefined : { file: other, key: found };
  };
  return {
    previous: previous === undefined ? edgeOf(files[at - 1], -1) : { file, key: previous },
    next: next === undefined ? edgeOf(files[at + 1], 0) : { file, key: next },
  };
}

/**
 * The settings of a Hive, and the names of its files.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function hiveOutline(
  { hives }: StorageBase,
  branch: HiveBranch,
): Promise<{ readonly settings: HiveSettings; readonly files: readonly FileName[] }> {
  const snapshot = await hives.at(branch).snapshot();
  const { source } = await snapshot.content([]);
  return { settings: snapshot.settings, files: [...source.keys()] };
}
