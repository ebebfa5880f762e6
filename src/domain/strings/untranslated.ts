/** Lists the untranslated texts of a locale. */
import type { Locale } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import { isFileName } from "../names.ts";
import type { OffsetLimit, Page } from "../pagination.ts";
import { isStepDone, pause } from "../../slices.ts";
import { translationsOf, type HiveContent } from "./hive-content.ts";
import { LocalePlurals } from "./plural-rules.ts";
import { formerSource, type StaleMarkers } from "../sidecars/stale.ts";
import { noTexts, translatableTexts } from "./string-file.ts";

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
  /** Which texts are not to be translated; none if undefined. */
  readonly isKept?: (at: StringAddress) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * A page of the texts of a target locale in some states: files in byte order of their names, keys in the order of the
 * source, plural forms that the source lacks after those that it has. They are exactly the texts that
 * {@link localeStats} counts as empty and as stale, and those that are kept.
 */
export async function listUntranslated(
  hive: HiveContent,
  markers: StaleMarkers,
  locale: Locale,
  { offset, limit, states, file: only, isWanted, isKept, signal }: UntranslatedQuery,
): Promise<Page<UntranslatedText>> {
  const translations = translationsOf(hive, locale.code);
  const marked = markers.get(locale.code);
  const plurals = new LocalePlurals(locale.code, hive.settings);
  const found = only === undefined || !isFileName(only) ? undefined : hive.source.get(only);
  const texts: UntranslatedText[] = [];
  let total = 0;
  for (const [file, strings] of hive.source) {
    if (only !== undefined && strings !== found) continue;
    await pause(signal);
    const translated = translations.get(file) ?? noTexts;
    const fileMarkers = marked?.get(file);
    for (const [key, source] of translatableTexts(strings)) {
      if (isStepDone()) await pause(signal);
      if (source === "" || !plurals.requires(strings, key)) continue;
      const translation = translated.get(key);
      const translatedFrom =
        translation === undefined ? undefined : formerSource(fileMarkers?.get(key), source);
      if (translation !== undefined && translatedFrom === undefined) continue;
      const isOpen = isKept?.({ file, key }) !== true;
      if (!isOpen && translation !== undefined) continue;
      const state = !isOpen ? "kept" : translation === undefined ? "missing" : "stale";
      if (!states.has(state) || isWanted?.({ file, key }) === false) continue;
      if (total >= offset && total < offset + limit) {
        texts.push({ file, key, source, state, translation, translatedFrom });
      }
      total++;
    }
  }
  return { entries: texts, total };
}
