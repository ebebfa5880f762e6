/** How wide texts are on a terminal, which is neither their number of characters nor of UTF-16 units. */
import { eastAsianWidth } from "get-east-asian-width";
import { segmentsIn, type Segment } from "../../domain/long-texts.ts";

const ascii = /^[ -~]*$/;
/** What makes a cluster an emoji, which is two columns wide. */
const emoji = /[\p{Emoji_Presentation}\ufe0f]/u;
/** What stands on or between other characters and takes no column of its own. */
const ignored = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu;

let segmenter: Intl.Segmenter | undefined;

/** Characters with their marks, and emoji of several parts. Most texts need none of this, which takes 10 ms to load. */
function clustersOf(text: string): Iterable<Segment> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmentsIn(segmenter, text);
}

/**
 * The columns that a text without control characters takes: two for East Asian wide characters and for emoji, none for
 * combining marks.
 */
export function columnsOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of clustersOf(text)) columns += clusterColumns(segment);
  return columns;
}

function clusterColumns(cluster: string): number {
  if (emoji.test(cluster)) return 2;
  let columns = 0;
  for (const character of cluster.replaceAll(ignored, ""))
    columns += eastAsianWidth(character.codePointAt(0) ?? 0);
  return columns;
}

/** A text with blanks behind it, up to a number of columns. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** A text of at most some columns: a longer one is cut between two characters, and ends with an ellipsis. */
export function cutColumns(text: string, columns: number): string {
  // No UTF-16 unit takes more than two columns.
  if (text.length * 2 <= columns) return text;
  if (ascii.test(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
  let [used, end, isCut] = [0, 0, false];
  for (const { segment, index } of clustersOf(text)) {
    used += clusterColumns(segment);
    if (used > columns) {
      isCut = true;
      break;
    }
    // What is kept of a text that turns out too long leaves a column for the ellipsis.
    if (used < columns) end = index + segment.length;
  }
  return isCut ? `${text.slice(0, end)}…` : text;
}
