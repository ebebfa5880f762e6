/** Excerpts: texts of others, fit for one line of a message. */
import { expect, it } from "vitest";
import { excerpt, toOneLine } from "../../src/domain/text.ts";

it.each([
  ["a\u009b31mb", String.raw`a\u009b31mb`],
  ["a\u202eb\u2066c", String.raw`a\u202eb\u2066c`],
  ["a\nb\u2028c\u007f", String.raw`a\nb\u2028c\u007f`],
  ["می\u200cخواهم", "می\u200cخواهم"],
  ["x".repeat(121), `${"x".repeat(120)}…`],
])("an excerpt of %j shows what a terminal could obey as an escape", (text, shown) => {
  expect(excerpt(text)).toBe(shown);
});

it("a message of another program is one line in which quotes stay and what a terminal could obey is escaped", () => {
  expect(toOneLine('no branch "a\\b"\n\u001b[31m\u202e', 100)).toBe(
    String.raw`no branch "a\b"\n\u001b[31m\u202e`,
  );
  expect(toOneLine("abc", 2)).toBe("ab…");
});
