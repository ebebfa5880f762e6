/** What notes and comments may hold. The help of commands says it, which loads no schemas. */
import { unprintable } from "../text.ts";

/** The limits of a note; lengths are in code points. */
export const noteLimits = {
  /** Of `note`, and of `ask`. */
  note: 2000,
  maxLength: 1_000_000,
  tags: 20,
  tag: 50,
  where: 20,
  place: 500,
  arguments: 50,
  argumentName: 100,
  argument: 500,
} as const;

/** Whether a text is one line, without characters that a terminal or a viewer interprets instead of showing. */
export function isLine(text: string): boolean {
  return text.search(unprintable) === -1;
}

/** Whether a text of a tag's length can be a tag: several tags are separated by commas. */
export function isTag(text: string): boolean {
  return isLine(text) && !text.includes(",") && text.trim() === text && text !== "";
}

export const threadLimits = {
  /** Of a text, in code points. */
  text: 2000,
  id: 64,
  by: 200,
  /** How many a string may have: of more, the oldest go that are not open questions. */
  comments: 50,
  /** How many may be stored all the same, where branches come together whose questions are all open. */
  stored: 1000,
} as const;
