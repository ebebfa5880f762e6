/** Merges the translations of two sides, each with the source text that it was made for, and its review. */
import type { HiveState } from "../notes/hive-state.ts";
import { changeOf, filesOf } from "../strings/content-diff.ts";
import { translationsOf, type KeyChange, type TextAddress } from "../strings/hive-content.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { AddressMap } from "../move.ts";
import type { FileName } from "../names.ts";
import type { SideMoves } from "../moves/alignment.ts";
import type { Side, Sides } from "../sides.ts";
import { pause } from "../../slices.ts";
import type { TranslatedFrom, ContentWithMarkers } from "../strings/stale.ts";
import { GivenReviews } from "../review/review.ts";
import { forOtherSource, reviewKind, waitingFor, type Review } from "../sidecars/review.ts";
import { differingKeys, isSameValue } from "../sidecars/sidecar.ts";
import { staleKind } from "../sidecars/stale.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";
import { diffTexts } from "../strings/text-diff.ts";
import { keysWithout } from "../strings/translation-writes.ts";
import type { MergeConflict, MergedSource } from "./merge-source.ts";
import type { Settlement } from "./settlement.ts";

/** The two sides of a merge, and the content that both started from. */
export interface MergeContents extends Sides<HiveState> {
  readonly moves?: SideMoves;
}

export const noMoves: SideMoves = { inOurs: [], inTheirs: [] };

export interface MergedTranslations {
  readonly changes: readonly KeyChange[];
  /** Translations that the other side confirmed: the text stays, and is made for another source text. */
  readonly confirmed: readonly KeyChange[];
  /** Translations whose text stays, and that the other side makes stale, such as by the undo of a confirmation. */
  readonly outdated: readonly KeyChange[];
  readonly approved: readonly KeyChange[];
  /** Translations that the other side wants to be reviewed: the text stays. */
  readonly waiting: readonly KeyChange[];
  readonly conflicts: readonly MergeConflict[];
  /** Translations that one side changed, and that have no locale or no source string after the merge. */
  readonly orphaned: readonly MergeConflict[];
  /** The source texts that the translations of `changes`, `confirmed` and `outdated` were made for. */
  readonly translatedFrom: TranslatedFrom;
  /** The markers of reviews that go with what is taken. */
  readonly reviews: GivenReviews;
}

/**
 * Applies the other side's changes of translations to ours, after the source strings were merged. A translation and the
 * source text that it was made for change together, so that a confirmation is a change. Translations go with their
 * strings.
 * @param settlement what is taken in conflicts.
 */
export async function mergeTranslations(
  contents: Sides<ContentWithMarkers>,
  source: MergedSource,
  settlement: Settlement,
): Promise<MergedTranslations> {
  const merge = new TranslationMerge(contents, source, settlement);
  const { base, ours, theirs } = contents;
  const locales = ours.content.settings.targetLocales.map(({ code }) => code);
  for (const locale of locales) {
    const files = new Set([
      ...filesOf(translationsOf(base.content, locale), translationsOf(theirs.content, locale)),
      ...filesOf(base.markers.get(locale) ?? noFiles, theirs.markers.get(locale) ?? noFiles),
      ...filesOf(base.reviews?.get(locale) ?? noFiles, theirs.reviews?.get(locale) ?? noFiles),
      ...filesOf(source.files, noFiles),
    ]);
    for (const file of files) {
      await pause();
      const merged = merge.fileMerge(file);
      await pause();
      const keys = merge.changedKeys(locale, file, merged);
      await pause();
      merge.mergeFile({ locale, file }, merged, keys);
    }
  }
  const known = new Set<LocaleCode>([ours.content.settings.sourceLocale.code, ...locales]);
  for (const locale of theirs.content.translations.keys()) {
    await pause();
    if (!known.has(locale)) merge.dropLocale(locale);
  }
  return merge;
}

const noFiles = new Map<FileName, never>();

/** A translation, the source text that it was made for, and its marker if it waits; all undefined where there is none. */
interface Cell {
  readonly text: string | undefined;
  readonly translatedFrom: string | undefined;
  readonly review: Review | undefined;
}

const emptyCell: Cell = { text: undefined, translatedFrom: undefined, review: undefined };

/** Whether two translations have the same text and the same markers. */
export function isSameCell(a: Cell, b: Cell): boolean {
  return (
    a.text === b.text && a.translatedFrom === b.translatedFrom && isSameValue(reviewKind, a.review, b.review)
  );
}

/**
 * The review that a text waits for which both sides have. It was approved if one side approved it for the source text that
 * it is taken for, or approved what the other side left as it was.
 * @param taken the side whose source text is taken; ours where both have the same.
 */
function mergedReview(before: Cell, taken: Cell, left: Cell): Review | undefined {
  if (taken.translatedFrom === left.translatedFrom) return left.review && taken.review;
  const [was, is] = [before.review, taken.review];
  // A confirmation of a text that waits changes what its approved text was made for, and not what is to be reviewed.
  const isAsBefore = before.text === taken.text && was?.by === is?.by && was?.approved === is?.approved;
  if (!isAsBefore) return is;
  return left.review && forOtherSource(left.review, left.translatedFrom, taken.translatedFrom);
}

/** Gives the translations of a file into a locale, with all undefined where there is no source string. */
export function cellsOf(
  marked: ContentWithMarkers,
  locale: LocaleCode,
  file: FileName,
): (key: string) => Cell {
  const { content, markers } = marked;
  const texts = content.translations.get(locale)?.get(file) ?? noTexts;
  const stale = markers.get(locale)?.get(file);
  const reviews = marked.reviews?.get(locale)?.get(file);
  const source = translatableTexts(content.source.get(file));
  return (key) => {
    const own = source.get(key);
    const text = own === undefined ? undefined : texts.get(key);
    if (text === undefined) return emptyCell;
    return {
      text,
      translatedFrom: stale?.get(key) ?? own,
      review: waitingFor(reviews?.get(key), text),
    };
  };
}

/** The keys of a file whose stale markers or reviews two states of a Hive have not in common. */
export function differingMarkers(
  { base, theirs }: Pick<Sides<ContentWithMarkers>, "base" | "theirs">,
  locale: LocaleCode,
  file: FileName,
): readonly string[] {
  const stale = [base, theirs].map(({ markers }) => markers.get(locale)?.get(file));
  const reviews = [base, theirs].map((side) => side.reviews?.get(locale)?.get(file));
  return [
    ...differingKeys(staleKind, stale[0], stale[1]),
    ...differingKeys(reviewKind, reviews[0], reviews[1]),
  ];
}

/** What the merge of a source file means for its translations. */
interface FileMerge {
  readonly shape: StringFile | undefined;
  /** The keys that translations on our side can no longer have. */
  readonly lost: readonly string[];
  /** The keys for which the other side has another source text than the base. */
  readonly resourced: readonly string[];
  /** The keys whose translations come from one side or the other as a whole. */
  readonly resolved: ReadonlyMap<string, Side>;
}

class TranslationMerge implements MergedTranslations {
  readonly #contents: Sides<ContentWithMarkers>;
  readonly #source: MergedSource;
  readonly #settlement: Settlement;
  readonly #files = new Map<FileName, FileMerge>();
  readonly #madeFor = new Map<LocaleCode, AddressMap<string>>();
  readonly changes: KeyChange[] = [];
  readonly confirmed: KeyChange[] = [];
  readonly outdated: KeyChange[] = [];
  readonly approved: KeyChange[] = [];
  readonly waiting: KeyChange[] = [];
  readonly conflicts: MergeConflict[] = [];
  readonly orphaned: MergeConflict[] = [];
  readonly reviews: GivenReviews;
  readonly translatedFrom: TranslatedFrom = (locale, file, key) =>
    this.#madeFor.get(locale)?.get({ file, key });

  constructor(contents: Sides<ContentWithMarkers>, source: MergedSource, settlement: Settlement) {
    this.#contents = contents;
    this.#source = source;
    this.#settlement = settlement;
    // Texts of neither side are written by whoever merges.
    this.reviews = new GivenReviews({ isPartial: settlement.hasTexts });
  }

  mergeFile(at: Pick<TextAddress, "locale" | "file">, merged: FileMerge, keys: ReadonlySet<string>): void {
    const { base, ours, theirs } = this.#contents;
    const { locale, file } = at;
    if (keys.size + merged.lost.length === 0) return;
    const target = translatableTexts(merged.shape);
    const former = cellsOf(base, locale, file);
    const present = cellsOf(ours, locale, file);
    const other = cellsOf(theirs, locale, file);
    for (const key of merged.lost) {
      const { text } = present(key);
      if (text === undefined) continue;
      this.changes.push(changeOf({ key, before: text, after: undefined }, at, "deleted"));
      if (text !== former(key).text) this.#orphan({ ...at, key }, former(key).text, { ours: text });
    }
    for (const key of keys) {
      const [before, here, there] = [former(key), present(key), other(key)];
      const side = merged.resolved.get(key);
      if (!target.has(key)) {
        const { text } = there;
        if (side === undefined && text !== undefined && text !== before.text)
          this.#orphan({ ...at, key }, before.text, { theirs: text });
      } else if (side === "theirs") this.#take({ ...at, key }, here, there);
      else if (side === "ours" || isSameCell(before, there)) continue;
      else if (isSameCell(before, here)) this.#take({ ...at, key }, here, there);
      else if (here.text === there.text) {
        // Both sides have the text; one of them may have made it for the merged source text.
        const isTheirs =
          there.translatedFrom === target.get(key) && there.translatedFrom !== here.translatedFrom;
        const [taken, left] = isTheirs ? [there, here] : [here, there];
        this.#take({ ...at, key }, here, { ...taken, review: mergedReview(before, taken, left) });
      } else {
        const isConfirmation = before.text === here.text || before.text === there.text;
        const isRemoval = here.text === undefined || there.text === undefined;
        const reason = isConfirmation ? "confirmed" : isRemoval ? "deleted" : "text";
        const texts = { base: before.text, ours: here.text, theirs: there.text };
        this.conflicts.push({ reason, ...at, key, ...texts });
        const taken = this.#settlement.taken({ ...at, key }, { ours: here.text, theirs: there.text });
        if (typeof taken === "object") this.#write({ ...at, key }, here, taken.text, target.get(key));
        else if (taken === "theirs") this.#take({ ...at, key }, here, there);
      }
    }
  }

  dropLocale(locale: LocaleCode): void {
    const { base, theirs } = this.#contents;
    const before = translationsOf(base.content, locale);
    for (const [file, texts] of translationsOf(theirs.content, locale)) {
      const diffs = diffTexts(before.get(file) ?? noTexts, texts);
      for (const { key, before: start, after } of diffs)
        if (after !== undefined) this.#orphan({ locale, file, key }, start, { theirs: after });
    }
  }

  /** The keys of translations that the other side may have changed, with or without a source string. */
  changedKeys(locale: LocaleCode, file: FileName, merged: FileMerge): ReadonlySet<string> {
    const { base, theirs } = this.#contents;
    const keys = new Set([...merged.resourced, ...merged.resolved.keys()]);
    const textsOf = ({ content }: ContentWithMarkers): Texts =>
      content.translations.get(locale)?.get(file) ?? noTexts;
    const [was, is] = [textsOf(base), textsOf(theirs)];
    if (was !== is) for (const { key } of diffTexts(was, is)) keys.add(key);
    for (const key of differingMarkers({ base, theirs }, locale, file)) keys.add(key);
    return keys;
  }

  fileMerge(file: FileName): FileMerge {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const [base, ours, theirs] = [this.#contents.base, this.#contents.ours, this.#contents.theirs].map(
      ({ content }) => content.source.get(file),
    );
    const shape = this.#source.files.has(file) ? this.#source.files.get(file) : ours;
    const resourced = base === theirs ? [] : diffTexts(translatableTexts(base), translatableTexts(theirs));
    const made: FileMerge = {
      shape,
      lost: shape === ours ? [] : keysWithout(translatableTexts(ours), translatableTexts(shape)),
      resourced: resourced.map(({ key }) => key),
      resolved: this.#source.resolved.of(file),
    };
    this.#files.set(file, made);
    return made;
  }

  #orphan(
    at: TextAddress,
    base: string | undefined,
    { ours, theirs }: { readonly ours?: string; readonly theirs?: string },
  ): void {
    this.orphaned.push({ reason: "deleted", ...at, base, ours, theirs });
  }

  /** Sets a text of neither side, which is made for the merged source text; whoever merges may be reviewed. */
  #write(at: TextAddress, here: Cell, text: string, source: string | undefined): void {
    this.#setMadeFor(at, source);
    this.changes.push(changeOf({ key: at.key, before: here.text, after: text }, at, "cleared"));
  }

  #setMadeFor(at: TextAddress, source: string | undefined): void {
    if (source === undefined) return;
    const known = this.#madeFor.get(at.locale) ?? new AddressMap<string>();
    this.#madeFor.set(at.locale, known.set(at, source));
  }

  #take(at: TextAddress, here: Cell, there: Cell): void {
    if (isSameCell(here, there)) return;
    this.reviews.set(at, there.review);
    this.#setMadeFor(at, there.translatedFrom);
    const change = changeOf({ key: at.key, before: here.text, after: there.text }, at, "cleared");
    if (here.text !== there.text) this.changes.push(change);
    else if (here.translatedFrom !== there.translatedFrom) {
      const source = translatableTexts(this.fileMerge(at.file).shape).get(at.key);
      (there.translatedFrom === source ? this.confirmed : this.outdated).push(change);
    } else (there.review === undefined ? this.approved : this.waiting).push(change);
  }
}
