/** What an undo does to markers: they follow its texts, and confirmations and approvals are taken back. */
import type { Difference } from "../moves/alignment.ts";
import { changeOf, translationAt } from "../strings/content-diff.ts";
import type { FileWrite, KeyChange } from "../strings/hive-content.ts";
import type { Steps } from "../steps.ts";
import {
  translatedFromAt,
  updateStaleMarkers,
  type ContentChange,
  type TranslatedFrom,
} from "../strings/stale.ts";
import { GivenReviews, markerAt } from "../review/review.ts";
import { noTexts } from "../strings/string-file.ts";
import { diffTexts } from "../strings/text-diff.ts";

export interface UndoneMarkers {
  readonly staleMarkers: readonly FileWrite[];
  /** Translations whose text stays, and that are made for another source text again; their texts are equal. */
  readonly confirmations: readonly KeyChange[];
  /** The markers of reviews that texts get back. */
  readonly reviews: GivenReviews;
  /** How many texts stay, and wait again, or wait no more. */
  readonly approvals: number;
  /** Confirmations and approvals that cannot be taken back. */
  readonly conflicts: readonly KeyChange[];
}

/**
 * Plans the markers of an undo. A text that comes back, or whose confirmation is taken back, is marked with the source
 * text that it was made for before the commit, and waits for a review if it did then. Confirmations and approvals are taken
 * back only if the translation has not changed since.
 * @param plan what the undo does to texts.
 */
export function* planUndoMarkers(
  contents: Difference,
  { changes, writes }: ContentChange,
): Steps<UndoneMarkers> {
  const { ours, theirs } = contents;
  const { made, conflicts, reviews, approvals } = yield* confirmationsBack(contents);
  for (const change of changes) reviews.set(change, markerAt(theirs, change.locale, change));
  const translatedFrom: TranslatedFrom = (locale, file, key, translation) =>
    translationAt(theirs.content, locale, file, key) === translation
      ? translatedFromAt(theirs, locale, { file, key })
      : undefined;
  const followed = { changes: [...changes, ...made], writes };
  const staleMarkers = yield* updateStaleMarkers(ours.content, ours.markers, followed, translatedFrom);
  return { staleMarkers, confirmations: made, reviews, approvals, conflicts };
}

/** The confirmations and approvals that a commit made: those that can be taken back, and those that cannot. */
function* confirmationsBack({
  ours,
  base,
  theirs,
  blocked,
}: Difference): Steps<
  Pick<UndoneMarkers, "conflicts" | "reviews" | "approvals"> & { readonly made: readonly KeyChange[] }
> {
  const reviews = new GivenReviews();
  let approvals = 0;
  const made: KeyChange[] = [];
  const conflicts: KeyChange[] = [];
  for (const { code: locale } of ours.content.settings.targetLocales) {
    const stale = [base, theirs].map(({ markers }) => markers.get(locale));
    const waiting = [base, theirs].map((side) => side.reviews?.get(locale));
    for (const file of new Set([...stale, ...waiting].flatMap((files) => Array.from(files?.keys() ?? [])))) {
      yield;
      const differing = [stale, waiting].flatMap(([was, is]) =>
        diffTexts(was?.get(file) ?? noTexts, is?.get(file) ?? noTexts),
      );
      for (const key of new Set(differing.map((one) => one.key))) {
        const [from, to, now] = [base, theirs, ours].map((side) => ({
          text: translationAt(side.content, locale, file, key),
          translatedFrom: translatedFromAt(side, locale, { file, key }),
          review: markerAt(side, locale, { file, key }),
        }));
        const text = from?.text;
        if (text === undefined || text !== to?.text || isSame(from, to) || isSame(now, to)) continue;
        const change = changeOf({ key, before: text, after: text }, { locale, file }, "cleared");
        if (!isSame(now, from) || blocked?.has({ file, key }) === true) conflicts.push(change);
        else {
          if (from?.translatedFrom !== to.translatedFrom) made.push(change);
          if (from?.review !== to.review) approvals++;
          reviews.set(change, to.review);
        }
      }
    }
  }
  return { made, conflicts, reviews, approvals };
}

type Cell = Readonly<Record<"text" | "translatedFrom" | "review", string | undefined>>;

function isSame(a: Cell | undefined, b: Cell | undefined): boolean {
  return a?.text === b?.text && a?.translatedFrom === b?.translatedFrom && a?.review === b?.review;
}
