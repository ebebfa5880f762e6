/** What a form says was seen: hashes mean the same as the texts, but for line ends. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { seenAs } from "../../../src/domain/work/queue.ts";
import { seenIn, seenToken } from "../../../src/service/work/seen.ts";
import { forAll } from "../../helpers/runs.ts";

const forms = ["one", "few", "other"] as const;
const text = fc.constantFrom("", "a", "b", "a\nb", "{count} items");
const seen = fc.record({
  source: fc.record({ one: text, few: text, other: text }, { requiredKeys: ["other"] }),
  translation: fc.record(
    { one: fc.option(text), few: fc.option(text), other: fc.option(text) },
    { requiredKeys: [] },
  ),
});

it("means what the texts mean", async () => {
  await forAll(
    300,
    fc.tuple(seen, fc.constantFrom(...forms), fc.option(text)),
    async ([texts, form, present]) => {
      // A form without a source text was not seen.
      const ofSource = Object.entries(texts.translation).filter(([name]) => name in texts.source);
      const known = { source: texts.source, translation: Object.fromEntries(ofSource) };
      const [plain, hashed] = [seenAs(known), seenIn(seenToken(known))];
      expect(hashed?.isSource(form, present ?? "")).toBe(plain.isSource(form, present ?? ""));
      expect(hashed?.isTranslation(form, present ?? undefined)).toBe(
        plain.isTranslation(form, present ?? undefined),
      );
    },
  );
});

it("does not mind line ends, which browsers send all alike", () => {
  const token = seenToken({ source: { other: "a\r\nb" }, translation: { other: "c\rd" } });
  expect(seenIn(token)?.isSource("other", "a\nb")).toBe(true);
  expect(seenIn(token)?.isTranslation("other", "c\r\nd")).toBe(true);
});

it.each([
  "",
  "{",
  "[]",
  '{"other":"x"}',
  '{"other":["x"]}',
  '{"other":[1,null]}',
  `{"other":["${"x".repeat(23)}",null]}`,
])("is nothing that a page did not make: %j", (text) => expect(seenIn(text)).toBeUndefined());
