/** Two texts word by word: which stay, which went and which came. */
import { diffArrays } from "diff/lib/diff/array.js";

export interface WordRun {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Beyond this many words that went or came a text is shown as replaced: the work grows with their square. */
const maxEdits = 500;

/** The runs by which one text becomes another, in reading order; within a change what went comes first. */
export function diffWords(before: string, after: string): readonly WordRun[] {
  const old = toWords(before);
  const now = toWords(after);
  const end: string[] = [];
  // The library would rather keep a space within a change than the one behind it.
  while (old.length > 0 && old.at(-1) === now.at(-1)) {
    end.push(...old.splice(-1));
    now.pop();
  }
  const changes = diffArrays(old, now, { maxEditLength: maxEdits }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return [...changes, { removed: false, added: false, value: end.toReversed() }]
    .filter(({ value }) => value.length > 0)
    .map(({ removed, added, value }) => ({
      kind: removed ? "gone" : added ? "new" : "same",
      text: value.join(""),
    }));
}

/** Words and what stands between them; scripts without spaces come letter by letter. */
function toWords(text: string): string[] {
  return (
    text.match(/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+|./gsu) ?? []
  );
}
