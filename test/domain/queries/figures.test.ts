/** Words of texts, as figures count them. */
import { expect, it } from "vitest";
import { wordCounter } from "../../../src/domain/queries/figures.ts";

it.each([
  ["en", "", 0],
  ["en", "Save", 1],
  ["en", "Don't save it, please.", 4],
  ["en", "Hello {{name}}, you have %d <b>new</b> messages", 5],
  ["en", "{count} of %(total)s", 1],
  ["en", "3 items", 2],
  ["ja", "設定を保存する", 4],
  ["th", "สวัสดีชาวโลก", 3],
])("counts the words of a text, without arguments and tags: %s %j", (language, text, count) => {
  const words = wordCounter(language);
  expect([words(text), words(text)]).toEqual([count, count]);
});
