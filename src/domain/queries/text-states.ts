/**
 * The states of the texts of a locale. Lists, counts, searches and the queue of work have names of their own for what they
 * show; what these mean is decided here, by one set of states for each text.
 */
import type { LocaleCode } from "../hives/locale.ts";
import { isFileName, type FileName } from "../names.ts";
import { waitingFor, type Review, type Reviews } from "../sidecars/review.ts";
import type { FileValues } from "../sidecars/sidecar.ts";
import { formerSource, type StaleMarkers } from "../sidecars/stale.ts";
import { isStepDone, pause } from "../../slices.ts";
import { inheritedFiles, inheritedText, type InheritingFile } from "./inheritance.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { noTexts, translatableTexts, type StringFile } from "../strings/string-file.ts";

/** A set of states, as bits of a number. */
export type TextStates = number;

export const textState = {
  /** The locale needs a translation: there is a text to translate, and the locale has this form. */
  needed: 1,
  /** It would be needed, but is not to be translated. */
  kept: 2,
  /** There is a translation. */
  translated: 4,
  /** The translation was made for another source text than the present one. */
  stale: 8,
  /** The translation waits for a review. */
  waiting: 16,
  /** The translation has an error that nobody accepted. */
  failing: 32,
  /** There is no translation, and another locale's stands in its place. */
  inherited: 64,
} as const;

/** Whether a text is in all of some states. */
export function isIn(states: TextStates, wanted: TextStates): boolean {
  return (states & wanted) === wanted;
}

/** Whether a translation is missing where one is needed, and none is inherited. */
export function isMissing(states: TextStates): boolean {
  const all = textState.needed | textState.translated | textState.inherited;
  return (states & all) === textState.needed;
}

/** Whether a text is to be translated, as the queue of work hands it out if nothing else is wanted: missing, stale or failing. */
export function isToTranslate(states: TextStates): boolean {
  return (
    isMissing(states) || isIn(states, textState.needed | textState.stale) || isIn(states, textState.failing)
  );
}

/** A file of a Hive in one locale, with what decides about the states of its texts. */
export interface FileInLocale extends InheritingFile {
  readonly staleMarkers: FileValues<string>;
  readonly reviews: FileValues<Review>;
  /** The keys that are not to be translated. */
  readonly kept: ReadonlySet<string>;
  /** The keys of translations with errors; undefined where these were not looked for. */
  readonly failing?: ReadonlySet<string>;
}

/** What is known of a text already, as finding it out takes longer than all the rest. */
export interface KnownOfText {
  /** Whether the locale needs this form; see {@link LocalePlurals.requires}. */
  readonly isRequired?: boolean;
  /** Whether there is a translation. */
  readonly isTranslated?: boolean;
}

/** The states of a text. @param source its source text. */
export function statesOfText(
  file: FileInLocale,
  key: string,
  source: string,
  {
    isRequired = file.plurals.requires(file.strings, key),
    isTranslated = file.texts.has(key),
  }: KnownOfText = {},
): TextStates {
  let states = 0;
  if (isRequired && source !== "") states |= file.kept.has(key) ? textState.kept : textState.needed;
  if (!isTranslated) return inheritedText(file, key) === undefined ? states : states | textState.inherited;
  states |= textState.translated;
  if (formerSource(file.staleMarkers.get(key), source) !== undefined) states |= textState.stale;
  const review = file.reviews.get(key);
  if (review !== undefined && waitingFor(review, file.texts.get(key)) !== undefined)
    states |= textState.waiting;
  if (file.failing?.has(key) === true) states |= textState.failing;
  return states;
}

/** What decides about the states of texts besides the texts: what is left out says nothing. */
export interface StateBasis {
  readonly markers?: StaleMarkers;
  readonly reviews?: Reviews;
  readonly kept?: ReadonlyMap<FileName, ReadonlySet<string>>;
  /** Of the one locale that is asked about. */
  readonly failing?: ReadonlyMap<FileName, ReadonlySet<string>>;
}

const nothing = new Map<string, never>();
const none: ReadonlySet<string> = new Set();

/** A file of a Hive in one locale. @param plurals of the locale. */
export function fileInLocale(
  hive: HiveContent,
  locale: LocaleCode,
  basis: StateBasis,
  [file, strings]: readonly [FileName, StringFile],
  plurals = new LocalePlurals(locale, hive.settings),
): FileInLocale {
  return {
    strings,
    plurals,
    texts: translationsOf(hive, locale).get(file) ?? noTexts,
    inherited: inheritedFiles(hive, { code: locale }, file),
    staleMarkers: basis.markers?.get(locale)?.get(file) ?? nothing,
    reviews: basis.reviews?.get(locale)?.get(file) ?? nothing,
    kept: basis.kept?.get(file) ?? none,
    failing: basis.failing?.get(file),
  };
}

/** A text on a walk; its other parts are read from its file where they are needed. */
export type VisitText = (
  states: TextStates,
  key: string,
  source: string,
  file: FileInLocale & { readonly name: FileName },
) => void;

/**
 * Visits the texts of a locale: files in byte order of their names, keys in the order of the source, plural forms that the
 * source lacks after those that it has.
 * @param options.file the name of the only file to visit; there may be none of that name.
 */
export async function visitTexts(
  hive: HiveContent,
  locale: LocaleCode,
  basis: StateBasis,
  visit: VisitText,
  { file: only, signal }: { readonly file?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const plurals = new LocalePlurals(locale, hive.settings);
  const names = only === undefined ? hive.source.keys() : isFileName(only) ? [only] : [];
  for (const name of names) {
    const strings = hive.source.get(name);
    if (strings === undefined) continue;
    await pause(signal);
    const file = { name, ...fileInLocale(hive, locale, basis, [name, strings], plurals) };
    for (const [key, source] of translatableTexts(strings)) {
      if (isStepDone()) await pause(signal);
      visit(statesOfText(file, key, source), key, source, file);
    }
  }
}
