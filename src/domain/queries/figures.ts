/** How much there is to translate into a locale, and how much of it is done, in texts and in words of the source. */
import { argumentShape } from "../argument-shapes.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { segmentsIn } from "../long-texts.ts";
import type { HiveContent } from "../strings/hive-content.ts";
import { isIn, textState, visitTexts, type StateBasis } from "./text-states.ts";

export interface Figures {
  /** The texts that the locale needs, and the words of their source texts. */
  readonly texts: number;
  readonly words: number;
  /** Those with a translation of the present source text. */
  readonly translated: number;
  readonly translatedWords: number;
  /** Of the translated ones, those that wait for no review. */
  readonly approved: number;
}

const tag = /<[^<>]{1,200}>/g;

/** Counts the words of texts in a language, without their arguments and tags; each text once. */
export function wordCounter(language: string): (text: string) => number {
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    let count = 0;
    const prose = text.replaceAll(argumentShape, " ").replaceAll(tag, " ");
    for (const { isWordLike } of segmentsIn(segmenter, prose)) if (isWordLike) count++;
    known.set(text, count);
    return count;
  };
}

/** @param wordsOf counts the words of a source text. */
export async function figuresOf(
  hive: HiveContent,
  locale: LocaleCode,
  basis: StateBasis,
  wordsOf: (source: string) => number,
  signal?: AbortSignal,
): Promise<Figures> {
  const counts = { texts: 0, words: 0, translated: 0, translatedWords: 0, approved: 0 };
  const visit: Parameters<typeof visitTexts>[3] = (states, _, source) => {
    if (!isIn(states, textState.needed)) return;
    const words = wordsOf(source);
    counts.texts++;
    counts.words += words;
    if (!isIn(states, textState.translated) || isIn(states, textState.stale)) return;
    counts.translated++;
    counts.translatedWords += words;
    if (!isIn(states, textState.waiting)) counts.approved++;
  };
  await visitTexts(hive, locale, basis, visit, { signal });
  return counts;
}
