/**
 * Finds the terms of a source text: an index by the first word of a term, which tells the lengths that are tried where that
 * word stands. So the time hardly depends on how many terms there are.
 */
import { append, groupBy } from "../group-by.ts";
import type { TextRange } from "../checks/message.ts";
import { inflectionsOf } from "./inflections.ts";
import { breakAfter, fold, hashOf, SearchedText, type MatchRule } from "./searched-text.ts";
import type { Glossary, Term } from "./term.ts";

/** A place in a source text at which a term stands: several terms, where a spelling has several meanings. */
export interface FoundTerm {
  readonly range: TextRange;
  readonly terms: readonly Term[];
}

export class TermIndex {
  readonly #locale: string;
  readonly #exact: Spellings;
  /** Other forms of the terms; made when they are asked for. */
  #inflected: Spellings | undefined;

  /** @param glossaries an earlier one has precedence: of a spelling that it has, the later ones are not read. */
  constructor(glossaries: readonly Glossary[], locale: string) {
    this.#locale = locale;
    const all = new Map<string, readonly Term[]>();
    for (const glossary of glossaries) {
      const own = groupBy(glossary, ({ source }) => fold(source, locale));
      for (const [folded, terms] of own) if (!all.has(folded)) all.set(folded, terms);
    }
    this.#exact = new Spellings(all);
  }

  get size(): number {
    return this.#exact.terms.size;
  }

  /**
   * The terms of a text in the order of their places, of which none overlap: the longest counts, so a phrase beats its words.
   * At each word, as many places are tried as spellings have lengths, however many terms there are.
   * @param hidden parts in which nothing is found.
   */
  find(text: string, hidden: readonly TextRange[] = []): readonly FoundTerm[] {
    const search = new TermSearch(new SearchedText(text, this.#locale, hidden));
    search.run(this.#exact, (term) => term);
    return search.found();
  }

  /** The same, and terms that stand there in another form where none of these does: for people, who know what to make of it. */
  findForms(text: string, hidden: readonly TextRange[] = []): readonly FoundTerm[] {
    this.#inflected ??= new Spellings(formsOf(this.#exact.terms, this.#locale));
    const search = new TermSearch(new SearchedText(text, this.#locale, hidden));
    search.run(this.#exact, (term) => term);
    if (this.#inflected.terms.size > 0)
      search.run(this.#inflected, (_, form) => ({ ...asWord, source: form }));
    return search.found();
  }
}

/** How another form of a term is matched. */
const asWord = { match: "word", case: false } as const;

/** The terms by their other forms, in lower case, without those that are terms by themselves. */
function formsOf(
  spellings: ReadonlyMap<string, readonly Term[]>,
  locale: string,
): ReadonlyMap<string, readonly Term[]> {
  const forms = new Map<string, Term[]>();
  for (const [folded, terms] of spellings) {
    const own = terms.filter((term) => term.match === "word" && !term.case);
    if (own.length === 0) continue;
    for (const form of inflectionsOf(folded, locale)) {
      if (spellings.has(form)) continue;
      forms.set(form, [...(forms.get(form) ?? []), ...own]);
    }
  }
  return forms;
}

/** Terms by the spellings that are looked for. */
class Spellings {
  /** By the spelling in lower case. */
  readonly terms: ReadonlyMap<string, readonly Term[]>;
  /** The hashes of these spellings: most places are passed over without a look at their characters. */
  readonly #hashes: ReadonlySet<number>;
  /** The lengths of the spellings that begin with a word. */
  readonly #lengths = new Map<string, Set<number>>();
  /** The length of the longest spelling that may stand in a word which goes on behind it; 0 where there is none. */
  readonly #longestPrefix: number;

  constructor(all: ReadonlyMap<string, readonly Term[]>) {
    this.terms = all;
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

  /** The places at which spellings of a length may stand, in their order. */
  candidates(searched: SearchedText): ReadonlyMap<number, readonly number[]> {
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
}

/** What is found in a text, by one list of spellings after the other: what an earlier one has found stays. */
class TermSearch {
  readonly #searched: SearchedText;
  readonly #found: FoundTerm[] = [];
  /** Which characters are a part of what is found. */
  readonly #taken: Uint8Array;

  constructor(searched: SearchedText) {
    this.#searched = searched;
    this.#taken = new Uint8Array(searched.folded.length);
  }

  /** @param ruleOf by which rule a term is matched that stands there in a form. */
  run(spellings: Spellings, ruleOf: (term: Term, form: string) => MatchRule & Pick<Term, "source">): void {
    const taken = this.#taken;
    const takenBefore = this.#found.length === 0 ? undefined : countsOf(taken);
    const byLength = spellings.candidates(this.#searched);
    for (const length of [...byLength.keys()].toSorted((a, b) => b - a)) {
      for (const at of byLength.get(length) ?? []) {
        const end = at + length;
        // What this list has taken is at least as long, so it has the first or the last character of whatever it overlaps.
        if (taken[at] === 1 || taken[end - 1] === 1) continue;
        if (takenBefore !== undefined && takenBefore[at] !== takenBefore[end]) continue;
        const terms = this.#termsAt(spellings, at, length, ruleOf);
        if (terms.length === 0) continue;
        taken.fill(1, at, end);
        this.#found.push({ range: [at, end], terms });
      }
    }
  }

  found(): readonly FoundTerm[] {
    return this.#found.toSorted((a, b) => a.range[0] - b.range[0]);
  }

  #termsAt(
    { terms: all }: Spellings,
    at: number,
    length: number,
    ruleOf: Parameters<TermSearch["run"]>[1],
  ): readonly Term[] {
    const { folded, text } = this.#searched;
    const form = folded.slice(at, at + length);
    return (all.get(form) ?? []).filter((term) => {
      const rule = ruleOf(term, form);
      return (
        this.#searched.matches(rule.source, at, rule) &&
        (rule.case || rule.match === "exact" || !isPartOfCompound(text, at, at + length))
      );
    });
  }
}

/** How many characters are taken before each place. */
function countsOf(taken: Uint8Array): Uint32Array {
  const counts = new Uint32Array(taken.length + 1);
  for (let at = 0; at < taken.length; at++) counts[at + 1] = (counts[at] ?? 0) + (taken[at] ?? 0);
  return counts;
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
