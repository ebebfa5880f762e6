/** Whether a translation is too long. */
import { segmentsIn } from "../long-texts.ts";
import type { CheckFinding } from "./message.ts";

/** The units of a length: characters as a reader counts them, or columns of a terminal. */
export const lengthUnits = ["characters", "columns"] as const;
export type LengthUnit = (typeof lengthUnits)[number];

export interface LengthLimit {
  readonly most: number;
  readonly unit: LengthUnit;
}

/** Finds a translation that is too long. Only people know whether it still fits, so it is a warning. */
export function checkLength({ most, unit }: LengthLimit, text: string): readonly CheckFinding[] {
  const length = lengthOf(text, unit, most);
  if (length <= most) return [];
  const expected = `at most ${most} ${most === 1 ? unit.slice(0, -1) : unit}`;
  return [
    {
      check: "length",
      severity: "warning",
      message: `has ${length} ${unit}, and may have ${expected}`,
      expected,
    },
  ];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** What takes two columns of a terminal. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{20000}-\u{3fffd}]/u;

/** A text that is far too long is not counted to its end. */
const mostCounted = 20_000;

/** The length of a text; of one that is far too long, in units of UTF-16. */
export function lengthOf(text: string, unit: LengthUnit, most: number): number {
  const isWide = unit === "columns" && wide.test(text);
  // A character that a reader counts is at least one unit of UTF-16.
  if (text.length * (isWide ? 2 : 1) <= most || text.length > mostCounted) return text.length;
  let length = 0;
  for (const { segment } of segmentsIn(graphemes, text)) length += isWide && wide.test(segment) ? 2 : 1;
  return length;
}
