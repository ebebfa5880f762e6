/** What an undo does to stale markers: they follow its texts, and confirmations are taken back. */
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
import { noTexts } from "../strings/string-file.ts";
import { diffTexts } from "../strings/text-diff.ts";

export interface UndoneMarkers {
  readonly staleMarkers: readonly FileWrite[];
  /** Translations whose text stays, and that are made for another source text again; their texts are equal. */
  readonly confirmations: readonly KeyChange[];
  /** Confirmations that cannot be taken back. */
  readonly conflicts: readonly KeyChange[];
}

/**
 * Plans the stale markers of an undo. A text that comes back, or whose confirmation is taken back, is marked with the source
 * text that it was made for before the commit. A confirmation is taken back only if the translation has not changed since.
 * @param plan what the undo does to texts.
 */
export function* planUndoMarkers(
  contents: Difference,
  { changes, writes }: ContentChange,
): Steps<UndoneMarkers> {
  const { ours, theirs } = contents;
  const { made, conflicts } = yield* confirmationsBack(contents);
  const translatedFrom: TranslatedFrom = (locale, file, key, translation) =>
    translationAt(theirs.content, locale, file, key) === translation
      ? translatedFromAt(theirs, locale, { file, key })
      : undefined;
  const followed = { changes: [...changes, ...made], writes };
  const staleMarkers = yield* updateStaleMarkers(ours.content, ours.markers, followed, translatedFrom);
  return { staleMarkers, confirmations: made, conflicts };
}

/** The confirmations that a commit made: those that can be taken back, and those that cannot. */
function* confirmationsBack({
  ours,
  base,
  theirs,
  blocked,
}: Difference): Steps<{ readonly made: readonly KeyChange[]; readonly conflicts: readonly KeyChange[] }> {
  const made: KeyChange[] = [];
  const conflicts: KeyChange[] = [];
  for (const { code: locale } of ours.content.settings.targetLocales) {
    const [was, is] = [base, theirs].map(({ markers }) => markers.get(locale));
    for (const file of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
      yield;
      for (const { key } of diffTexts(was?.get(file) ?? noTexts, is?.get(file) ?? noTexts)) {
        const text = translationAt(base.content, locale, file, key);
        if (text === undefined || text !== translationAt(theirs.content, locale, file, key)) continue;
        const [from, to, now] = [base, theirs, ours].map((side) =>
          translatedFromAt(side, locale, { file, key }),
        );
        const isSame = translationAt(ours.content, locale, file, key) === text;
        if (from === to || (isSame && now === to)) continue;
        const change = changeOf({ key, before: text, after: text }, { locale, file }, "cleared");
        const isLeft = isSame && now === from;
        (isLeft && blocked?.has({ file, key }) !== true ? made : conflicts).push(change);
      }
    }
  }
  return { made, conflicts };
}
