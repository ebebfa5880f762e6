/** What an undo does to stale markers: they follow its texts, and confirmations are taken back. */
import { lastWrites, moveMarkers } from "../moves/moved-content.ts";
import type { AlignedContents, ThreeContents } from "../moves/alignment.ts";
import { changeOf, translationAt } from "../strings/content-diff.ts";
import type { FileWrite, HiveContent, KeyChange, Plan } from "../strings/hive-content.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { updateStaleMarkers, type TranslatedFrom, type StaleMarkers } from "../strings/stale.ts";
import { noTexts, translatableTexts } from "../strings/string-file.ts";
import { diffTexts } from "../strings/text-diff.ts";

/** The stale markers of a Hive as it is now, as a commit left it, and as that commit's parent had left it. */
export interface UndoMarkers {
  readonly now: StaleMarkers;
  readonly before: StaleMarkers;
  readonly after: StaleMarkers;
}

/** The contents of an undo with their markers: now, and what the undo goes from and to. */
interface MarkedContents {
  readonly contents: ThreeContents & Pick<Partial<AlignedContents>, "blocked">;
  readonly now: StaleMarkers;
  readonly from: StaleMarkers;
  readonly to: StaleMarkers;
}

export interface UndoneMarkers {
  readonly staleMarkers: readonly FileWrite[];
  /** Translations whose text stays, and that are made for another source text again; their texts are equal. */
  readonly confirmations: readonly KeyChange[];
  /** Those that have been changed since. */
  readonly conflicts: readonly KeyChange[];
}

/**
 * Plans the stale markers of an undo: a text that comes back was made for what it was made for before, and so is one whose
 * confirmation is taken back. A confirmation can be taken back as long as the translation is what it was confirmed as.
 * @param contents with the names of `aligned`, where there are moves.
 * @param plan what the undo does to texts.
 */
export function* planUndoMarkers(
  contents: ThreeContents,
  markers: UndoMarkers,
  plan: Pick<Plan<unknown>, "changes" | "writes"> & { readonly aligned?: AlignedContents },
): Steps<UndoneMarkers> {
  const { changes, writes, aligned } = plan;
  const moved = aligned && (yield* moveMarkers(markers.now, aligned.moved.routes));
  const marked: MarkedContents = {
    contents: aligned ?? contents,
    now: moved?.markers ?? markers.now,
    from:
      aligned === undefined
        ? markers.after
        : (yield* moveMarkers(markers.after, aligned.movedFrom.routes)).markers,
    to:
      aligned === undefined
        ? markers.before
        : (yield* moveMarkers(markers.before, aligned.movedTo.routes)).markers,
  };
  const { made, conflicts } = yield* confirmationsBack(marked);
  const followed = { changes: [...changes, ...made], writes };
  const updated = yield* updateStaleMarkers(
    marked.contents.now,
    marked.now,
    followed,
    translatedFromIn(marked),
  );
  const staleMarkers = moved === undefined ? updated : lastWrites(moved.writes, updated);
  return { staleMarkers, confirmations: made, conflicts };
}

/** For restored translations, the source text that they were made for before the commit. */
function translatedFromIn({ contents: { to }, to: markers }: MarkedContents): TranslatedFrom {
  return (locale, file, key, translation) =>
    translationAt(to, locale, file, key) === translation
      ? translatedFromAt(to, markers, locale, file, key)
      : undefined;
}

/** The source text that a translation was made for. */
function translatedFromAt(
  hive: HiveContent,
  markers: StaleMarkers,
  locale: LocaleCode,
  file: FileName,
  key: string,
): string | undefined {
  return markers.get(locale)?.get(file)?.get(key) ?? translatableTexts(hive.source.get(file)).get(key);
}

/** The translations of which a commit changed only what they were made for, and whether that can be taken back. */
function* confirmationsBack(
  marked: MarkedContents,
): Steps<{ readonly made: readonly KeyChange[]; readonly conflicts: readonly KeyChange[] }> {
  const { contents } = marked;
  const made: KeyChange[] = [];
  const conflicts: KeyChange[] = [];
  for (const { code: locale } of contents.now.settings.targetLocales) {
    const [was, is] = [marked.from, marked.to].map((markers) => markers.get(locale));
    for (const file of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
      yield;
      for (const { key } of diffTexts(was?.get(file) ?? noTexts, is?.get(file) ?? noTexts)) {
        if (isStepDone()) yield;
        const cell = (side: "now" | "from" | "to") => ({
          text: translationAt(contents[side], locale, file, key),
          translatedFrom: translatedFromAt(contents[side], marked[side], locale, file, key),
        });
        const [from, to, now] = [cell("from"), cell("to"), cell("now")];
        const { text } = from;
        if (text === undefined || text !== to.text || from.translatedFrom === to.translatedFrom) continue;
        if (now.text === text && now.translatedFrom === to.translatedFrom) continue;
        const change = changeOf({ key, before: text, after: text }, { locale, file }, "cleared");
        const isLeft = now.text === text && now.translatedFrom === from.translatedFrom;
        (isLeft && contents.blocked?.has({ file, key }) !== true ? made : conflicts).push(change);
      }
    }
  }
  return { made, conflicts };
}
