import { expect, it } from "vitest";
import { isDiscussion } from "../../../src/domain/notes/discussion.ts";
import type { TeamNote } from "../../../src/domain/notes/note.ts";

const said: TeamNote = { note: "A verb", tags: ["menu"] };
const asked: TeamNote = { ...said, ask: "Which one?" };

it.each<[what: string, before: TeamNote | undefined, after: TeamNote | undefined, is: boolean]>([
  ["nothing", said, said, true],
  ["a first question", undefined, { ask: "What?" }, true],
  ["a question beside a note", said, asked, true],
  ["a further question", asked, { ...asked, ask: "Which one?\n\nAnd where?" }, true],
  ["an answer that ends the question", asked, { ...said, note: "A verb\n\nThe first" }, true],
  ["an answer where there was no note", { ask: "What?" }, { note: "A verb" }, true],
  ["an answer that leaves the question", asked, { ...asked, note: "A verb\n\nThe first" }, true],
  ["another question in its place", asked, { ...asked, ask: "Why?" }, false],
  ["a question that goes on in its line", asked, { ...asked, ask: "Which one? No" }, false],
  ["a question that goes without an answer", asked, said, false],
  ["a note without a question", undefined, { note: "A verb" }, false],
  ["a note that is replaced by the answer", asked, { ...said, note: "A noun" }, false],
  ["a note that goes with the question", asked, { tags: ["menu"] }, false],
  ["a tag beside a question", said, { ...asked, tags: ["menu", "x"] }, false],
  ["a limit beside an answer", asked, { ...said, note: "A verb\n\nIt is", max_length: 3 }, false],
  ["all of a note", asked, undefined, false],
])("%s is told from other changes of notes", (_, before, after, is) => {
  expect(isDiscussion(before, after)).toBe(is);
});
