/**
 * Finds the terms of a source text: an index by the first word of a term, which tells the lengths that are tried where that
 * word stands. So the time hardly depends on how many terms there are.
 */
import { groupBy } from "../group-by.ts";
import type { TextRange } from "../checks/message.ts";
import { breakAfter, fold, SearchedText } from "./searched-text.ts";
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
  /** The lengths of the spellings that begin with a word, the longest first. */
  readonly #lengths = new Map<string, Set<number>>();
  readonly #hasPrefixes: boolean;

  /** @param glossaries an earlier one has precedence: of a spelling that it has, the later ones are not read. */
  constructor(glossaries: readonly Glossary[], locale: string) {
    this.#locale = locale;
    const all = new Map<string, readonly Term[]>();
    for (const glossary of glossaries) {
      const own = groupBy(glossary, ({ source }) => fold(source, locale));
      for (const [folded, terms] of own) if (!all.has(folded)) all.set(folded, terms);
    }
    this.#terms = all;
    for (const folded of [...all.keys()].toSorted((a, b) => b.length - a.length)) {
      const word = folded.slice(0, breakAfter(folded, 0));
      this.#lengths.set(word, (this.#lengths.get(word) ?? new Set()).add(folded.length));
    }
    this.#hasPrefixes = Array.from(all.values()).some((terms) =>
      terms.some(({ match }) => match === "prefix"),
    );
  }

  get size(): number {
    return this.#terms.size;
  }

  /**
   * The terms of a text in the order of their places, of which none overlap: the longest counts, so a phrase beats its words.
   * @param hidden parts in which nothing is found.
   */
  find(text: string, hidden: readonly TextRange[] = []): readonly FoundTerm[] {
    const searched = new SearchedText(text, this.#locale, hidden);
    const found: FoundTerm[] = [];
    const { folded } = searched;
    for (let at = 0, next = 0; at < folded.length; at = next) {
      next = breakAfter(folded, at);
      for (const length of this.#lengths.get(folded.slice(at, next)) ?? [])
        this.#look(searched, at, length, found);
      if (!this.#hasPrefixes) continue;
      for (let length = next - at - 1; length > 0; length--) this.#look(searched, at, length, found);
    }
    return found.length < 2 ? found : longestFirst(found);
  }

  #look(searched: SearchedText, at: number, length: number, found: FoundTerm[]): void {
    const end = at + length;
    if (end > searched.folded.length) return;
    const terms = this.#terms.get(searched.folded.slice(at, end));
    const matching = terms?.filter((term) => searched.matches(term.source, at, term)) ?? [];
    if (matching.length > 0) found.push({ range: [at, end], terms: matching });
  }
}

function longestFirst(found: readonly FoundTerm[]): readonly FoundTerm[] {
  const taken: FoundTerm[] = [];
  const byLength = found.toSorted((a, b) => lengthOf(b) - lengthOf(a) || a.range[0] - b.range[0]);
  for (const one of byLength) {
    const [start, end] = one.range;
    if (taken.every(({ range }) => end <= range[0] || range[1] <= start)) taken.push(one);
  }
  return taken.toSorted((a, b) => a.range[0] - b.range[0]);
}

function lengthOf({ range: [start, end] }: FoundTerm): number {
  return end - start;
}
