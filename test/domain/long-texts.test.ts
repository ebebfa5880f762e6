import fc from "fast-check";
import { expect, it } from "vitest";
import { segmentsIn } from "../../src/domain/long-texts.ts";
import { forAllSync } from "../helpers/runs.ts";

/** What makes words and characters of several others, in scripts with blanks between words and without. */
const pieces = [
  ...Array.from("ab .,'’-_12é\u0301\u200d\u00ad\n\u3000"),
  "e\u0301",
  "👍🏽",
  "👨‍👩‍👧",
  "🇫🇷",
  "🇩🇪",
  "ไทย",
  "日本",
  "語",
  "カナ",
  "한국",
  "א",
  "a.a",
  "3.5",
  "{x}",
  "a".repeat(300),
];
const longText = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 })
  .chain((some) => fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 600 }))
  .map((some) => some.join(""));

it.each([
  ["word", "fr"],
  ["word", "th"],
  ["word", "ja"],
  ["grapheme", "en"],
] as const)("finds each %s in %s where one segmenter for all of a text finds it", (granularity, locale) => {
  const segmenter = new Intl.Segmenter(locale, { granularity });
  forAllSync(60, longText, (text) => {
    const expected = Array.from(segmenter.segment(text), ({ segment, index, isWordLike = false }) => {
      return { segment, index, isWordLike };
    });
    expect([...segmentsIn(segmenter, text)]).toEqual(expected);
  });
});
