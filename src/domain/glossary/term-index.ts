/**
 * Finds the terms of a source text: an index by the first word of a term, which tells the lengths that are tried where that
 * word stands. So the time hardly depends on how many terms there are.
 */
import { append, groupBy } from "../group-by.ts";
import type { TextRange } from "../checks/message.ts";
import { breakAfter, fold, hashOf, SearchedText } from "./searched-text.ts";
import type { Glossary, Term } from "./term.ts";

/** A place in a source text at which a term stands: several terms, where a spelling has several meanings. */
export interface FoundTerm {
  readonly range: TextRange;
  readonly terms: readonly Term[];
}

export class TermIndex {
  readonly #locale: string;
  /** By the spelling in lower case. */
  readonly #terms: ReadonlyMap<string, readonly Term[]>;
  /** The hashes of these spellings: most places are passed over without a look at their characters. */
  readonly #hashes: ReadonlySet<number>;
  /** The lengths of the spellings that begin with a word. */
  readonly #lengths = new Map<string, Set<number>>();
  /** The length of the longest spelling that may stand in a word which goes on behind it; 0 where there is none. */
  readonly #longestPrefix: number;

  /** @param glossaries an earlier one has precedence: of a spelling that it has, the later ones are not read. */
  constructor(glossaries: readonly Glossary[], locale: string) {
    this.#locale = locale;
    const all = new Map<string, readonly Term[]>();
    for (const glossary of glossaries) {
      const own = groupBy(glossary, ({ source }) => fold(source, locale));
      for (const [folded, terms] of own) if (!all.has(folded)) all.set(folded, terms);
    }
    this.#terms = all;
    this.#hashes = new Set(Array.from(all.keys(), hashOf));
    let longestPrefix = 0;
    for (const [folded, terms] of all) {
      const word = folded.slice(0, breakAfter(folded, 0));
      this.#lengths.set(word, (this.#lengths.get(word) ?? new Set()).add(folded.length));
      if (terms.some(({ match }) => match === "prefix"))
        longestPrefix = Math.max(longestPrefix, folded.length);
    }
    this.#longestPrefix = longestPrefix;
  }

  get size(): number {
    return this.#terms.size;
  }

  /**
   * The terms of a text in the order of their places, of which none overlap: the longest counts, so a phrase beats its words.
   * At each word, as many places are tried as spellings have lengths, however many terms there are.
   * @param hidden parts in which nothing is found.
   */
  find(text: string, hidden: readonly TextRange[] = []): readonly FoundTerm[] {
    const searched = new SearchedText(text, this.#locale, hidden);
    const found: FoundTerm[] = [];
    /** Which characters are a part of what is found. */
    const taken = new Uint8Array(searched.folded.length);
    const byLength = this.#candidates(searched);
    for (const length of [...byLength.keys()].toSorted((a, b) => b - a)) {
      for (const at of byLength.get(length) ?? []) {
        const end = at + length;
        // What is taken is at least as long, so it has the first or the last character of whatever it overlaps.
        if (taken[at] === 1 || taken[end - 1] === 1) continue;
        const terms = this.#termsAt(searched, at, length);
        if (terms.length === 0) continue;
        taken.fill(1, at, end);
        found.push({ range: [at, end], terms });
      }
    }
    return found.toSorted((a, b) => a.range[0] - b.range[0]);
  }

  /** The places at which spellings of a length may stand, in their order. */
  #candidates(searched: SearchedText): ReadonlyMap<number, readonly number[]> {
    const { folded } = searched;
    const byLength = new Map<number, number[]>();
    const look = (at: number, length: number): void => {
      if (at + length <= folded.length && this.#hashes.has(searched.hashAt(at, length)))
        append(byLength, length, at);
    };
    for (let at = 0, next = 0; at < folded.length; at = next) {
      next = breakAfter(folded, at);
      for (const length of this.#lengths.get(folded.slice(at, next)) ?? []) look(at, length);
      for (let length = Math.min(next - at - 1, this.#longestPrefix); length > 0; length--) look(at, length);
    }
    return byLength;
  }

  #termsAt(searched: SearchedText, at: number, length: number): readonly Term[] {
    const terms = this.#terms.get(searched.folded.slice(at, at + length)) ?? [];
    return terms.filter(
      (term) =>
        searched.matches(term.source, at, term) &&
        (term.case || term.match === "exact" || !isPartOfCompound(searched.text, at, at + length)),
    );
  }
}

/** Whether what stands there is a part of a word such as "add-on", whose second part is in lower case and no name. */
function isPartOfCompound(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 3), start);
  return (
    (/\p{L}[-\u2010\u2011]$/u.test(before) && /^\p{Ll}/u.test(text.slice(start, start + 2))) ||
    (/\p{L}$/u.test(text.slice(Math.max(start, end - 2), end)) &&
      /^[-\u2010\u2011]\p{Ll}/u.test(text.slice(end, end + 3)))
  );
}
