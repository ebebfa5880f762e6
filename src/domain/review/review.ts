/** Which translations wait for a review, and how changes of texts begin and end the waiting. */
import type { Locale, LocaleCode } from "../hives/locale.ts";
import { AddressMap, type TranslationMoves, type StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { forOtherSource, reviewKind, waitingFor, type Review, type Reviews } from "../sidecars/review.ts";
import {
  differingKeys,
  parseValues,
  valueAt,
  type FileValues,
  type ValueFiles,
  type ValueWrite,
} from "../sidecars/sidecar.ts";
import type { StaleMarkers } from "../sidecars/stale.ts";
import { pause } from "../../slices.ts";
import { translationAt, translationsAt } from "../strings/content-diff.ts";
import { sourceWrites, type FileWrite, type HiveContent, type TextAddress } from "../strings/hive-content.ts";
import { translatedFromAt, type ContentWithMarkers } from "../strings/stale.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";

/** The most characters of the reason for a rejection: the rest of a message would be cut off. */
export const maxReasonLength = 1000;

/**
 * Makes a function that says whether translations wait, from a stored file's value. None waits if that holds anything else.
 */
export async function waitingIn(stored: unknown): Promise<(key: string, text: string) => boolean> {
  try {
    const reviews = await parseValues(reviewKind, stored);
    return (key, text) => waitingFor(reviews.get(key), text) !== undefined;
  } catch {
    return () => false;
  }
}

/** The review that a translation waits for; undefined where it does not wait. */
export function reviewAt(
  { content, reviews }: Pick<ContentWithMarkers, "content" | "reviews">,
  locale: LocaleCode,
  { file, key }: StringAddress,
): Review | undefined {
  const review = valueAt(reviews, locale, { file, key });
  return review && waitingFor(review, translationAt(content, locale, file, key));
}

export interface WaitingTranslation extends StringAddress, Review {
  readonly locale: Locale;
  readonly source: string;
}

/** The reviews that a merge, an undo, an approval or a rejection gives to translations, by locale; undefined removes one. */
export class GivenReviews {
  /** Whether the writer's rule decides about all other texts that the change writes. If not, none of these waits. */
  readonly isPartial: boolean;
  readonly #locales = new Map<LocaleCode, AddressMap<{ readonly review: Review | undefined }>>();

  constructor({ isPartial = false }: { readonly isPartial?: boolean } = {}) {
    this.isPartial = isPartial;
  }

  set({ locale, file, key }: TextAddress, review: Review | undefined): void {
    const given = this.#locales.get(locale) ?? new AddressMap();
    this.#locales.set(locale, given.set({ file, key }, { review }));
  }

  get locales(): Iterable<LocaleCode> {
    return this.#locales.keys();
  }

  get isEmpty(): boolean {
    return this.#locales.size === 0;
  }

  of(locale: LocaleCode): AddressMap<{ readonly review: Review | undefined }> {
    return this.#locales.get(locale) ?? new AddressMap();
  }
}

export interface ReviewChange {
  readonly translationMoves: TranslationMoves;
  readonly writes: readonly FileWrite[];
  /** If given, no other text that changes waits, unless they are {@link GivenReviews.isPartial}. */
  readonly given: GivenReviews | undefined;
  readonly confirmed: readonly TextAddress[];
  /** The stale markers that it writes. */
  readonly markers: readonly ValueWrite<string>[];
  /** The writer whose texts have to be reviewed in a locale; undefined where they need no review. */
  readonly writer: (locale: Locale) => string | undefined;
}

/**
 * The reviews that a change writes, by the same rules for every operation: a translation keeps its review as long as it
 * keeps its text; a changed text waits if its writer is reviewed, unless it is the last approved text. What the last
 * approved text was made for stays, also where the text that waits is made for another source text from then on.
 * @param hive before the change, with the translations of the locales that have reviews or that the change writes.
 * @param beside the reviews and the stale markers of the same locales, before the change.
 */
export async function reviewWrites(
  hive: HiveContent,
  { reviews, stale }: { readonly reviews: Reviews; readonly stale: StaleMarkers },
  change: ReviewChange,
): Promise<readonly ValueWrite<Review>[]> {
  await pause();
  const source = new Map([...hive.source, ...sourceWrites(hive.settings, change.writes)]);
  const changed: ValueWrite<Review>[] = [];
  for (const locale of hive.settings.targetLocales) {
    const stored = reviews.get(locale.code);
    if (stored !== undefined)
      changed.push(...(await writesInto(locale, { hive, stored, stale, source, change })));
  }
  return changed;
}

interface Reviewed {
  readonly hive: HiveContent;
  readonly stored: ValueFiles<Review>;
  readonly stale: StaleMarkers;
  readonly source: ReadonlyMap<FileName, StringFile | undefined>;
  readonly change: ReviewChange;
}

async function writesInto(
  locale: Locale,
  { hive, stored, stale, source, change }: Reviewed,
): Promise<readonly ValueWrite<Review>[]> {
  const { translationMoves, writes, given, confirmed, markers, writer } = change;
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
  const nextOf = (address: StringAddress, text: string): Review | undefined => {
    const stays = translationMoves.cleared.has(address) ? undefined : address;
    const origin = translationMoves.from.get(address) ?? stays;
    const before = origin && translationAt(hive, code, origin.file, origin.key);
    const review = origin && waitingFor(stored.get(origin.file)?.get(origin.key), before);
    const taken = own.get(address);
    if (taken !== undefined) return waitingFor(taken.review, text);
    if (before === text && !isConfirmed.has(address))
      return review && forOtherSource(review, madeForBefore(origin), madeFor(address));
    const author = before === text ? (review?.by ?? by) : by;
    if (author === undefined) return undefined;
    const last = lastApproved(review, before, { ...address, origin });
    return before !== text && last.approved === text ? undefined : { ...last, text, by: author };
  };
  const sourceNow = ({ file, key }: StringAddress): string | undefined =>
    translatableTexts(source.get(file)).get(key);
  const marked = new Map<FileName, FileValues<string>>();
  for (const { file, values, ...marker } of markers) if (marker.locale === code) marked.set(file, values);
  const madeForBefore = (origin: StringAddress | undefined): string | undefined =>
    origin && translatedFromAt({ content: hive, markers: stale }, code, origin);
  /** The source text that a text which stays is made for after the change. */
  const madeFor = (address: StringAddress): string | undefined =>
    (marked.get(address.file) ?? stale.get(code)?.get(address.file))?.get(address.key) ?? sourceNow(address);
  /** What was approved last, for a text that is made for the source text after the change. */
  const lastApproved = (
    review: Review | undefined,
    before: string | undefined,
    { origin, ...address }: StringAddress & { readonly origin: StringAddress | undefined },
  ): Pick<Review, "approved" | "approvedSource"> => {
    const approved = review === undefined ? before : review.approved;
    if (approved === undefined) return { approved };
    const from = review?.approvedSource ?? madeForBefore(origin);
    return { approved, approvedSource: from === sourceNow(address) ? undefined : from };
  };
  const changed: ValueWrite<Review>[] = [];
  const isStored = (file: FileName): boolean => (stored.get(file)?.size ?? 0) > 0;
  for (const file of new Set([
    ...written.keys(),
    ...[...sourceWrites(hive.settings, writes).keys(), ...marked.keys()].filter(isStored),
    ...translationMoves.cleared.files,
    ...own.files,
    ...isConfirmed.files,
  ])) {
    await pause();
    const keys = translatableTexts(source.get(file));
    const values = new Map<string, Review>();
    for (const [key, text] of written.get(file) ?? translationsAt(hive, code, file)) {
      const review = keys.has(key) ? nextOf({ file, key }, text) : undefined;
      if (review !== undefined) values.set(key, review);
    }
    if (differingKeys(reviewKind, stored.get(file), values).length > 0)
      changed.push({ kind: reviewKind, locale: code, file, values });
  }
  return changed;
}
