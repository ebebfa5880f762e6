/** Lists the untranslated texts of a locale. */
import type { Locale } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import { PageCollector, type OffsetLimit, type Page } from "../pagination.ts";
import type { HiveContent } from "../strings/hive-content.ts";
import {
  isIn,
  isMissing,
  textState,
  visitTexts,
  type StateBasis,
  type TextStates,
  type VisitText,
} from "./text-states.ts";

/**
 * - `missing`: there is no translation;
 * - `stale`: the translation was made for an earlier source text;
 * - `kept`: there is no translation, and there is to be none. These are listed only when they are asked for.
 */
export const untranslatedStates = ["missing", "stale", "kept"] as const;
export type UntranslatedState = (typeof untranslatedStates)[number];
export const openStates = ["missing", "stale"] as const satisfies readonly UntranslatedState[];

export interface UntranslatedText extends StringAddress {
  readonly source: string;
  readonly state: UntranslatedState;
  readonly translation: string | undefined;
  /** The source text for which the stale translation was made. */
  readonly translatedFrom: string | undefined;
}

export interface UntranslatedQuery extends OffsetLimit {
  readonly states: ReadonlySet<UntranslatedState>;
  readonly file?: string;
  /** Only texts of which this is true; all if undefined. */
  readonly isWanted?: (at: StringAddress) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * A page of the texts of a target locale in some states, in the order of {@link visitTexts}. They are exactly the texts that
 * {@link localeStats} counts as empty and as stale, and those that are kept.
 */
export async function listUntranslated(
  hive: HiveContent,
  locale: Locale,
  basis: StateBasis,
  { states: wanted, file: only, isWanted, signal, ...paging }: UntranslatedQuery,
): Promise<Page<UntranslatedText>> {
  const list = new PageCollector<UntranslatedText>(paging);
  const visit: VisitText = (states, key, source, { name: file, texts, staleMarkers }) => {
    const state = untranslatedState(states);
    if (state === undefined || !wanted.has(state) || isWanted?.({ file, key }) === false) return;
    list.add(() => {
      const translatedFrom = state === "stale" ? staleMarkers.get(key) : undefined;
      return { file, key, source, state, translation: texts.get(key), translatedFrom };
    });
  };
  await visitTexts(hive, locale.code, basis, visit, { file: only, signal });
  return list.page;
}

function untranslatedState(states: TextStates): UntranslatedState | undefined {
  if (isMissing(states)) return "missing";
  if (isIn(states, textState.needed | textState.stale)) return "stale";
  return (states & (textState.kept | textState.translated)) === textState.kept ? "kept" : undefined;
}
