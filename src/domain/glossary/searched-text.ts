/** A text in which spellings are looked for: in lower case, with the edges of its words. */
import type { TextRange } from "../checks/message.ts";
import { segmentsIn } from "../long-texts.ts";

/**
 * Where a spelling is found: as whole words; at the beginning of words too, whose ends may be inflected; or letter for
 * letter, upper and lower case as they are written.
 */
export const matchKinds = ["word", "prefix", "exact"] as const;

/** How a spelling is matched. This file is sent to browsers, without those that read what is stored. */
export interface MatchRule {
  /** Whether upper and lower case make a difference. */
  readonly case: boolean;
  readonly match: (typeof matchKinds)[number];
}

/** The next place in a text at which a word may begin or end: there is certainly none before it. */
export function breakAfter(text: string, at: number): number {
  let next = at + 1;
  while (next < text.length && !mayBreak(text, next)) next++;
  return next;
}

function mayBreak(text: string, at: number): boolean {
  return !isJoining(text.charCodeAt(at - 1)) || !isJoining(text.charCodeAt(at));
}

/**
 * Blanks, beside which words stand most often: asking the segmenter takes long. And apostrophes, which it takes for a part of
 * a word, although the word of "l'application" and of "user's" is the other part.
 */
function isEdgeMark(character: string | undefined): boolean {
  return character === " " || character === "'" || character === "’";
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(locale: string): Intl.Segmenter {
  let segmenter = segmenters.get(locale);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(locale, { granularity: "word" });
    segmenters.set(locale, segmenter);
  }
  return segmenter;
}

/** Letters and digits between which no word ends, in any language: those of scripts that write blanks between words. */
const joining =
  /[\p{L}\p{N}](?<![\p{Ideographic}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}])/u;
/** By the unit of UTF-16; filled on demand, because asking the pattern takes long. */
const joins = new Uint8Array(0x1_00_00);
const doesJoin = 1;
const doesNotJoin = 2;

function isJoining(unit: number): boolean {
  let known = joins[unit] ?? 0;
  if (known === 0) {
    known = joining.test(String.fromCharCode(unit)) ? doesJoin : doesNotJoin;
    joins[unit] = known;
  }
  return known === doesJoin;
}

/**
 * A text in lower case as a language has it, with every character at its place, and blanks for all white space. A sigma at
 * the end of a word is one as any other.
 */
export function fold(text: string, locale: string): string {
  const plain = text.replaceAll(/\s/g, " ");
  const lower = plain.toLocaleLowerCase(locale);
  const folded =
    lower.length === plain.length
      ? lower
      : Array.from(plain, (character) => {
          const one = character.toLocaleLowerCase(locale);
          return one.length === character.length ? one : character;
        }).join("");
  return folded.replaceAll("ς", "σ");
}

/** A prime number, of which the powers differ in all bits that are kept. */
const base = 16_777_619;

/** The hash of a text, by which spellings are told apart from what is none. */
export function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at) + 1) | 0;
  return hash;
}

/** The hashes of all beginnings of a text, and the powers that take one from another. */
function hashesOf(text: string): { readonly hashes: Int32Array; readonly powers: Int32Array } {
  const [hashes, powers] = [new Int32Array(text.length + 1), new Int32Array(text.length + 1)];
  powers[0] = 1;
  for (let at = 0; at < text.length; at++) {
    hashes[at + 1] = Math.imul(hashes[at] ?? 0, base) + text.charCodeAt(at) + 1;
    powers[at + 1] = Math.imul(powers[at] ?? 0, base);
  }
  return { hashes, powers };
}

export class SearchedText {
  readonly text: string;
  /** As {@link fold} gives it; what is hidden is NUL characters, which no spelling has. */
  readonly folded: string;
  readonly #locale: string;
  /** The places at which the segmenter finds edges of words. Made when they are needed: they take most of the time. */
  #edges: Uint8Array | undefined;
  #hashes: ReturnType<typeof hashesOf> | undefined;

  /** @param hidden parts in which nothing is found, such as arguments. */
  constructor(text: string, locale: string, hidden: readonly TextRange[] = []) {
    this.text = text;
    this.#locale = locale;
    const folded = fold(text, locale);
    const parts: string[] = [];
    let end = 0;
    for (const [from, to] of hidden.toSorted((a, b) => a[0] - b[0])) {
      const start = Math.max(from, end);
      if (to <= start) continue;
      parts.push(folded.slice(end, start), "\0".repeat(to - start));
      end = to;
    }
    this.folded = end === 0 ? folded : parts.join("") + folded.slice(end);
  }

  /** The hash of a part of {@link folded}, as {@link hashOf} gives it; in a time that does not depend on how long it is. */
  hashAt(at: number, length: number): number {
    const { hashes, powers } = (this.#hashes ??= hashesOf(this.folded));
    return ((hashes[at + length] ?? 0) - Math.imul(hashes[at] ?? 0, powers[length] ?? 0)) | 0;
  }

  /** Whether a spelling, which stands at a place in {@link folded}, matches there by its rule. */
  matches(spelling: string, at: number, rule: MatchRule): boolean {
    const end = at + spelling.length;
    const isAsWritten = rule.case || rule.match === "exact";
    if (isAsWritten && this.text.slice(at, end) !== spelling) return false;
    return this.isEdge(at) && (rule.match === "prefix" || this.isEdge(end));
  }

  /** Whether a word begins or ends at a place. */
  isEdge(at: number): boolean {
    if (at === 0 || at === this.text.length) return true;
    if (isEdgeMark(this.folded[at - 1]) || isEdgeMark(this.folded[at])) return true;
    if (!mayBreak(this.folded, at)) return false;
    this.#edges ??= this.#findEdges();
    return this.#edges[at] === 1;
  }

  // All at once: asking for single places takes a multiple of the time where words are found by a dictionary.
  #findEdges(): Uint8Array {
    const edges = new Uint8Array(this.text.length + 1);
    for (const { index } of segmentsIn(segmenterOf(this.#locale), this.text)) edges[index] = 1;
    return edges;
  }
}
