/** Excerpts: texts of others, fit for one line of a message. */
import { expect, it } from "vitest";
import { excerpt } from "../../src/domain/text.ts";

it.each([
  ["a\u009b31mb", String.raw`a\u009b31mb`],
  ["a\u202eb\u2066c", String.raw`a\u202eb\u2066c`],
  ["a\nb\u2028c\u007f", String.raw`a\nb\u2028c\u007f`],
  ["می\u200cخواهم", "می\u200cخواهم"],
  ["x".repeat(121), `${"x".repeat(120)}…`],
])("an excerpt of %j shows what a terminal could obey as an escape", (text, shown) => {
  expect(excerpt(text)).toBe(shown);
});
