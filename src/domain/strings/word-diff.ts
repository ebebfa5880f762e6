/** Two texts word by word: which stay, which went and which came. */
import { diffArrays } from "diff/lib/diff/array.js";
import { argumentShape } from "../argument-shapes.ts";

export interface WordRun {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Beyond this many words that went or came a text is shown as replaced: the work grows with their square. */
const maxEdits = 80;
/** Longer texts are compared only where they differ. */
const maxCompared = 2_000;
/** Longer texts are not compared. */
const maxLength = 100_000;

/**
 * The runs by which one text becomes another, in reading order; within a change what went comes first. What is long and
 * differs in much is shown as replaced, so that a hundred differences on one page stop nobody.
 */
export function diffWords(before: string, after: string): readonly WordRun[] {
  const longest = Math.max(before.length, after.length);
  if (longest <= maxCompared) return diffTokens(before, after);
  const [start, end] = longest > maxLength ? [0, 0] : commonEnds(before, after);
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const isLong = Math.max(old.length, now.length) > maxCompared;
  return [
    { kind: "same" as const, text: before.slice(0, start) },
    ...(isLong ? replaced(old, now) : diffTokens(old, now)),
    { kind: "same" as const, text: before.slice(before.length - end) },
  ].filter(({ text }) => text !== "");
}

function replaced(before: string, after: string): readonly WordRun[] {
  return [
    { kind: "gone", text: before },
    { kind: "new", text: after },
  ];
}

/** What is left of the common beginning and end of two texts around what differs, so that words stay whole. */
const context = 50;

/** How many characters two texts have in common at their beginning and at their end, but for the {@link context}. */
function commonEnds(before: string, after: string): readonly [start: number, end: number] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const from = Math.max(0, start - context);
  const to = before.length - Math.max(0, end - context);
  return [isSplit(before, from) ? from - 1 : from, before.length - (isSplit(before, to) ? to + 1 : to)];
}

/** Whether there is a character at both sides of a place. */
function isSplit(text: string, at: number): boolean {
  return (
    at > 0 &&
    /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) &&
    /[\ud800-\udbff]$/.test(text.slice(at - 1, at))
  );
}

/** The same for texts of a few thousand characters. */
function diffTokens(before: string, after: string): readonly WordRun[] {
  const old = toWords(before);
  const now = toWords(after);
  const end: string[] = [];
  // The library would rather keep a space within a change than the one behind it.
  while (old.length > 0 && old.at(-1) === now.at(-1)) {
    end.push(...old.splice(-1));
    now.pop();
  }
  const changes = diffArrays(old, now, { maxEditLength: maxEdits });
  const runs: readonly WordRun[] =
    changes?.map(({ removed, added, value }) => ({
      kind: removed ? "gone" : added ? "new" : "same",
      text: value.join(""),
    })) ?? replaced(old.join(""), now.join(""));
  return [...joined(runs), { kind: "same" as const, text: end.toReversed().join("") }].filter(
    ({ text }) => text !== "",
  );
}

/** Replaced words that have nothing but blanks between them are read as a phrase, and are one change. */
function joined(runs: readonly WordRun[]): readonly WordRun[] {
  const phrases: WordRun[] = [];
  let at = 0;
  while (at < runs.length) {
    const [own, gone, added] = runs.slice(at, at + 3);
    const [before, after] = phrases.slice(-2);
    const isBlank = own?.kind === "same" && own.text.trim() === "";
    if (isBlank && isGone(before) && isNew(after) && isGone(gone) && isNew(added)) {
      phrases.splice(
        -2,
        2,
        ...replaced(before.text + own.text + gone.text, after.text + own.text + added.text),
      );
      at += 3;
    } else {
      if (own !== undefined) phrases.push(own);
      at++;
    }
  }
  return phrases;
}

function isGone(run: WordRun | undefined): run is WordRun {
  return run?.kind === "gone";
}

function isNew(run: WordRun | undefined): run is WordRun {
  return run?.kind === "new";
}

/** Arguments, which change as a whole; words, and what stands between them; scripts without spaces come letter by letter. */
const words = new RegExp(
  String.raw`${argumentShape.source}|\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+|.`,
  "gsu",
);

function toWords(text: string): string[] {
  return text.match(words) ?? [];
}
