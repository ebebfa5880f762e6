/**
 * Translations that wait for a review. Each has a marker with its text, the last approved text, and its writer. A marker
 * only counts while its text is the stored one, so an edit by another program ends the waiting.
 */
import type { Locale, LocaleCode } from "../hives/locale.ts";
import { AddressMap, type TranslationMoves, type StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { emptyRecord, isRecord } from "../record.ts";
import { pause } from "../../slices.ts";
import { translationAt, translationsAt } from "../strings/content-diff.ts";
import type { FileWrite, HiveContent, TextAddress } from "../strings/hive-content.ts";
import {
  translatedFromAt,
  type ContentWithMarkers,
  type MarkerFiles,
  type StaleMarkers,
} from "../strings/stale.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";
import { diffTexts } from "../strings/text-diff.ts";

/** The most characters of the reason for a rejection: the rest of a message would be cut off. */
export const maxReasonLength = 1000;

export interface Review {
  readonly text: string;
  /** The last approved text; undefined where there is none. */
  readonly approved: string | undefined;
  /** The source text that it was made for, where it was stale when it was replaced. */
  readonly approvedSource?: string;
  /** Who wrote the text: the id of a token, or the name of an author without one. */
  readonly by: string;
}

/** Markers by target locale. In memory each is one text, so that they are compared as stale markers are. */
export type ReviewMarkers = StaleMarkers;

function pack({ text, approved, approvedSource, by }: Review): string {
  const earlier =
    approved === undefined ? [] : [approved, ...(approvedSource === undefined ? [] : [approvedSource])];
  return JSON.stringify([text, by, ...earlier]);
}

/** Reads a marker as it is kept in memory: the text, its writer, and the approved texts, as a list in JSON. */
export function unpackReview(marker: string): Review {
  const parts: unknown = JSON.parse(marker);
  const [text = "", by = "", approved, approvedSource] = Array.isArray(parts) ? parts.map(String) : [];
  return { text, approved, approvedSource, by };
}

/** Reads the members of a stored file. @throws TypeError for anything but markers. */
export function parseReviews(value: unknown): Texts {
  if (!isRecord(value)) throw new TypeError("must be an object");
  return new Map(
    Object.entries(value).map(([key, marker]) => {
      const {
        text,
        approved,
        approved_source: approvedSource,
        by,
        ...others
      } = isRecord(marker) ? marker : {};
      const isMarker = typeof text === "string" && typeof by === "string" && Object.keys(others).length === 0;
      if (!isMarker || (typeof approved !== "string" && approved !== null))
        throw new TypeError(`${key} is not a review`);
      if (approvedSource !== undefined && (typeof approvedSource !== "string" || approved === null))
        throw new TypeError(`${key} has no approved text with that source text`);
      return [key, pack({ text, approved: approved ?? undefined, approvedSource, by })];
    }),
  );
}

/** The file of some markers as JSON, or undefined to remove it. */
export interface ReviewWrite {
  readonly locale: LocaleCode;
  readonly file: FileName;
  readonly json: string | undefined;
}

/** The write of a file of markers. Keys are sorted, so that equal markers make the same blob. */
export function toReviewWrite(locale: LocaleCode, file: FileName, markers: Texts): ReviewWrite {
  if (markers.size === 0) return { locale, file, json: undefined };
  const members = emptyRecord<object>();
  for (const [key, marker] of [...markers].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { text, approved = null, approvedSource, by } = unpackReview(marker);
    members[key] = { text, approved, approved_source: approvedSource, by };
  }
  return { locale, file, json: `${JSON.stringify(members, null, 2)}\n` };
}

/** A marker, if it is valid for the text of a translation. */
function validFor(marker: string | undefined, text: string | undefined): string | undefined {
  return marker !== undefined && text !== undefined && unpackReview(marker).text === text
    ? marker
    : undefined;
}

/** Makes a function that says whether translations wait, from a stored file's value. None waits if that has no markers. */
export function waitingIn(stored: unknown): (key: string, text: string) => boolean {
  try {
    const markers = parseReviews(stored);
    return (key, text) => validFor(markers.get(key), text) !== undefined;
  } catch {
    return () => false;
  }
}

/** The valid markers of a file: their texts are the stored ones. */
export function validReviews(
  hive: HiveContent,
  locale: LocaleCode,
  file: FileName,
  markers: Texts,
): ReadonlyMap<string, string> {
  const valid = new Map<string, string>();
  for (const [key, marker] of markers) {
    if (validFor(marker, translationAt(hive, locale, file, key)) !== undefined) valid.set(key, marker);
  }
  return valid;
}

/** The review that a translation waits for; undefined where it does not wait. */
export function reviewAt(
  { content, reviews }: Pick<ContentWithMarkers, "content" | "reviews">,
  locale: LocaleCode,
  { file, key }: StringAddress,
): Review | undefined {
  const marker = markerAt({ content, reviews }, locale, { file, key });
  return marker === undefined ? undefined : unpackReview(marker);
}

/** The valid marker of a translation that waits. Equal markers are equal strings. */
export function markerAt(
  { content, reviews }: Pick<ContentWithMarkers, "content" | "reviews">,
  locale: LocaleCode,
  { file, key }: StringAddress,
): string | undefined {
  const marker = reviews?.get(locale)?.get(file)?.get(key);
  return marker && validFor(marker, translationAt(content, locale, file, key));
}

export interface WaitingTranslation extends StringAddress, Review {
  readonly locale: Locale;
  readonly source: string;
}

/** The translations of a locale that wait: files in byte order of name, keys in the order of the source file. */
export function waitingOf(
  hive: HiveContent,
  reviews: ReviewMarkers | undefined,
  locale: Locale,
): readonly WaitingTranslation[] {
  const files = reviews?.get(locale.code);
  if (files === undefined || files.size === 0) return [];
  const waiting: WaitingTranslation[] = [];
  for (const [file, strings] of hive.source) {
    if (!files.has(file)) continue;
    for (const [key, source] of translatableTexts(strings)) {
      const review = reviewAt({ content: hive, reviews }, locale.code, { file, key });
      if (review !== undefined) waiting.push({ locale, file, key, source, ...review });
    }
  }
  return waiting;
}

/** The markers after their strings were moved or removed. */
export function movedReviews(
  reviews: ReviewMarkers | undefined,
  { to, cleared }: TranslationMoves,
): ReviewMarkers {
  const after = new Map<LocaleCode, Map<FileName, Map<string, string>>>();
  for (const [locale, files] of reviews ?? []) {
    const moved = new Map<FileName, Map<string, string>>();
    for (const [file, markers] of files) {
      for (const [key, marker] of markers) {
        const end = to.get({ file, key }) ?? (cleared.has({ file, key }) ? undefined : { file, key });
        if (end !== undefined)
          moved.set(end.file, (moved.get(end.file) ?? new Map<string, string>()).set(end.key, marker));
      }
    }
    after.set(locale, moved);
  }
  return after;
}

/** The markers that a merge, an undo, an approval or a rejection gives to translations, by locale; undefined removes one. */
export class GivenReviews {
  /** Whether the writer's rule decides about all other texts that the change writes. If not, none of these waits. */
  readonly isPartial: boolean;
  readonly #locales = new Map<LocaleCode, AddressMap<{ readonly marker: string | undefined }>>();

  constructor({ isPartial = false }: { readonly isPartial?: boolean } = {}) {
    this.isPartial = isPartial;
  }

  set({ locale, file, key }: TextAddress, marker: string | undefined): void {
    const given = this.#locales.get(locale) ?? new AddressMap();
    this.#locales.set(locale, given.set({ file, key }, { marker }));
  }

  get locales(): Iterable<LocaleCode> {
    return this.#locales.keys();
  }

  get isEmpty(): boolean {
    return this.#locales.size === 0;
  }

  of(locale: LocaleCode): AddressMap<{ readonly marker: string | undefined }> {
    return this.#locales.get(locale) ?? new AddressMap();
  }
}

export interface ReviewChange {
  readonly translationMoves: TranslationMoves;
  readonly writes: readonly FileWrite[];
  /** If given, no other text that changes waits, unless they are {@link GivenReviews.isPartial}. */
  readonly given: GivenReviews | undefined;
  readonly confirmed: readonly TextAddress[];
  /** The writer whose texts have to be reviewed in a locale; undefined where they need no review. */
  readonly writer: (locale: Locale) => string | undefined;
}

/**
 * The files of markers that a change writes, by the same rules for every operation: a translation keeps its marker as long
 * as it keeps its text; a changed text waits if its writer is reviewed, unless it is the last approved text.
 * @param hive before the change, with the translations of the locales that have markers or that the change writes.
 * @param markers of the same locales, before the change, as are those of stale translations.
 */
export async function reviewWrites(
  hive: HiveContent,
  { markers, stale }: { readonly markers: ReviewMarkers; readonly stale: StaleMarkers },
  change: ReviewChange,
): Promise<readonly ReviewWrite[]> {
  await pause();
  const source = new Map<FileName, StringFile | undefined>(hive.source);
  for (const { locale, file, content } of change.writes) {
    if (locale === hive.settings.sourceLocale.code) source.set(file, content);
  }
  const changed: ReviewWrite[] = [];
  for (const locale of hive.settings.targetLocales) {
    const stored = markers.get(locale.code);
    if (stored !== undefined)
      changed.push(...(await writesInto(locale, { hive, stored, stale, source, change })));
  }
  return changed;
}

interface Reviewed {
  readonly hive: HiveContent;
  readonly stored: MarkerFiles;
  readonly stale: StaleMarkers;
  readonly source: ReadonlyMap<FileName, StringFile | undefined>;
  readonly change: ReviewChange;
}

async function writesInto(
  locale: Locale,
  { hive, stored, stale, source, change: { translationMoves, writes, given, confirmed, writer } }: Reviewed,
): Promise<readonly ReviewWrite[]> {
  const { code } = locale;
  const own = given?.of(code) ?? new AddressMap();
  const by = given === undefined || given.isPartial ? writer(locale) : undefined;
  if (by === undefined && given === undefined && stored.size === 0) return [];
  const isConfirmed = new AddressMap<true>();
  for (const one of confirmed) if (one.locale === code) isConfirmed.set(one, true);
  const written = new Map<FileName, Texts>();
  for (const write of writes) {
    if (write.locale === code) written.set(write.file, write.content?.texts ?? noTexts);
  }
  const nextOf = (address: StringAddress, text: string): string | undefined => {
    const stays = translationMoves.cleared.has(address) ? undefined : address;
    const origin = translationMoves.from.get(address) ?? stays;
    const before = origin && translationAt(hive, code, origin.file, origin.key);
    const marker = origin && validFor(stored.get(origin.file)?.get(origin.key), before);
    const taken = own.get(address);
    if (taken !== undefined) return validFor(taken.marker, text);
    if (before === text) {
      const waits = by !== undefined && marker === undefined && isConfirmed.has(address);
      return waits ? pack({ text, approved: text, approvedSource: sourceOf(origin, address), by }) : marker;
    }
    if (by === undefined) return undefined;
    const earlier =
      marker === undefined
        ? { approved: before, approvedSource: sourceOf(origin, address) }
        : unpackReview(marker);
    return earlier.approved === text ? undefined : pack({ ...earlier, text, by });
  };
  /** The source text that a translation was made for, if it is another than the one after the change. */
  const sourceOf = (origin: StringAddress | undefined, { file, key }: StringAddress): string | undefined => {
    const from = origin && translatedFromAt({ content: hive, markers: stale }, code, origin);
    return from === translatableTexts(source.get(file)).get(key) ? undefined : from;
  };
  const changed: ReviewWrite[] = [];
  for (const file of new Set([
    ...written.keys(),
    ...translationMoves.cleared.files,
    ...own.files,
    ...isConfirmed.files,
  ])) {
    await pause();
    const before = stored.get(file) ?? noTexts;
    const keys = translatableTexts(source.get(file));
    const after = new Map<string, string>();
    for (const [key, text] of written.get(file) ?? translationsAt(hive, code, file)) {
      const marker = keys.has(key) ? nextOf({ file, key }, text) : undefined;
      if (marker !== undefined) after.set(key, marker);
    }
    if (diffTexts(before, after).length > 0) changed.push(toReviewWrite(code, file, after));
  }
  return changed;
}
