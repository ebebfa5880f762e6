/** Finds terms that a translation lacks, and spellings that the glossary forbids. Both are warnings: words are inflected. */
import { type CheckFinding, type TextRange, isFault } from "../checks/message.ts";
import { isIcu, type SyntaxName } from "../checks/syntax-names.ts";
import { breakAfter, fold, hashOf, SearchedText, type MatchRule } from "./searched-text.ts";
import { syntaxes } from "../checks/syntaxes.ts";

/** The longest text that is searched, in units of UTF-16. */
export const maxSearched = 20_000;
/** A term as it is to stand in the translations into one locale. */
export interface ExpectedTerm extends MatchRule {
  readonly source: string;
  /** All spellings that are right; none where the glossary does not say. */
  readonly spellings: readonly string[];
  readonly forbidden: readonly string[];
  /** Whether it stays as it is. */
  readonly keep: boolean;
}

/** The meanings of one spelling in the source text, each as a locale is to have it. */
export type ExpectedMeanings = readonly ExpectedTerm[];

/**
 * Checks a translation for the terms of its source text. A spelling that is right for one meaning of a term is right; where
 * one meaning has no translation, nothing is known to be missing.
 * @param expected as {@link expectedTerms} gives them for the locale.
 */
export function checkTerms(
  expected: readonly ExpectedMeanings[],
  syntax: SyntaxName,
  translation: string,
  locale: string,
): readonly CheckFinding[] {
  if (expected.length === 0 || translation === "" || translation.length > maxSearched) return [];
  const text = translation.normalize("NFC");
  const search = new SpellingSearch(new SearchedText(text, locale, hiddenParts(syntax, text)), locale);
  const sought = expected.map((terms) => ({
    terms,
    right: terms.flatMap((term) => term.spellings.map((spelling) => search.add(spelling, term, "right"))),
    forbidden: terms.flatMap((term) =>
      term.forbidden.map((spelling) => search.add(spelling, term, "forbidden")),
    ),
  }));
  search.run();
  const findings: CheckFinding[] = [];
  for (const { terms, right, forbidden } of sought) {
    const spellings = [...new Set(terms.flatMap((term) => term.spellings))].join(", ");
    const wrong = forbidden.find(({ outside }) => outside !== undefined)?.outside;
    if (wrong !== undefined)
      findings.push(forbiddenFinding(terms, text.slice(...wrong), spellings, wrong, text === translation));
    else if (!right.some(({ isFound }) => isFound) && terms.every((term) => term.spellings.length > 0))
      findings.push(missingTermFinding(terms, spellings));
  }
  return findings;
}

/** A spelling that is looked for by one rule. */
interface Sought {
  readonly spelling: string;
  readonly folded: string;
  readonly rule: MatchRule;
  isRight: boolean;
  isForbidden: boolean;
  isFound: boolean;
  /** The first place that is not a part of a right spelling. */
  outside: TextRange | undefined;
}

/** The spellings of one length: how many right ones were not found, and forbidden ones not outside of right ones. */
interface OfLength {
  readonly length: number;
  missing: number;
  allowed: number;
}

/**
 * Looks for all spellings at once: at each word, as many places are tried as the spellings have lengths, so that the time
 * depends on the text and not on how many spellings there are, nor on how often each stands in it.
 */
class SpellingSearch {
  readonly #text: SearchedText;
  readonly #locale: string;
  /** By the spelling: in lower case, or as it is written where that counts; then by the rule. */
  readonly #folded = new Map<string, Map<string, Sought>>();
  readonly #written = new Map<string, Map<string, Sought>>();
  readonly #hashes = new Set<number>();
  readonly #lengths = new Map<number, OfLength>();

  constructor(text: SearchedText, locale: string) {
    this.#text = text;
    this.#locale = locale;
  }

  /** Adds a spelling to what is looked for. */
  add(spelling: string, rule: MatchRule, kind: "right" | "forbidden"): Sought {
    const sought = this.#soughtFor(spelling, rule);
    const ofLength = this.#lengths.get(spelling.length) ?? {
      length: spelling.length,
      missing: 0,
      allowed: 0,
    };
    this.#lengths.set(spelling.length, ofLength);
    if (kind === "right" && !sought.isRight) {
      sought.isRight = true;
      ofLength.missing++;
    }
    if (kind === "forbidden" && !sought.isForbidden) {
      sought.isForbidden = true;
      ofLength.allowed++;
    }
    return sought;
  }

  #soughtFor(spelling: string, rule: MatchRule): Sought {
    const folded = fold(spelling, this.#locale);
    const isAsWritten = rule.case || rule.match === "exact";
    const bySpelling = isAsWritten ? this.#written : this.#folded;
    const key = isAsWritten ? spelling : folded;
    const byRule = bySpelling.get(key) ?? new Map<string, Sought>();
    bySpelling.set(key, byRule);
    const name = rule.match === "prefix" ? "prefix" : "word";
    const known = byRule.get(name);
    if (known !== undefined) return known;
    const unseen = { isRight: false, isForbidden: false, isFound: false, outside: undefined };
    const sought: Sought = { spelling, folded, rule, ...unseen };
    byRule.set(name, sought);
    this.#hashes.add(hashOf(folded));
    return sought;
  }

  run(): void {
    const lengths = [...this.#lengths.values()].toSorted((a, b) => b.length - a.length);
    const withRight = lengths.filter(({ missing }) => missing > 0);
    const withForbidden = lengths.filter(({ allowed }) => allowed > 0);
    const { folded } = this.#text;
    /** For each place, where the furthest right spelling ends that begins there or before. */
    const ends = new Uint32Array(withForbidden.length === 0 ? 0 : folded.length);
    let furthest = 0;
    // A spelling begins where a word may begin.
    for (let at = 0; at < folded.length; at = breakAfter(folded, at)) {
      for (const ofLength of withRight) {
        const end = at + ofLength.length;
        // What was found, and goes no further than others, says nothing new.
        if (ofLength.missing === 0 && (end <= furthest || ends.length === 0)) continue;
        for (const sought of this.#soughtAt(at, end)) {
          if (!sought.isRight) continue;
          furthest = Math.max(furthest, end);
          if (!sought.isFound) ofLength.missing--;
          sought.isFound = true;
        }
      }
      if (ends.length > 0) ends[at] = furthest;
    }
    if (ends.length === 0) return;
    for (let at = 0; at < folded.length; at = breakAfter(folded, at)) {
      for (const ofLength of withForbidden) {
        const end = at + ofLength.length;
        if (ofLength.allowed === 0 || end <= (ends[at] ?? 0)) continue;
        for (const sought of this.#soughtAt(at, end)) {
          if (!sought.isForbidden || sought.outside !== undefined) continue;
          sought.outside = [at, end];
          ofLength.allowed--;
        }
      }
    }
  }

  /** The spellings that stand at a place. */
  #soughtAt(at: number, end: number): readonly Sought[] {
    const { folded, text } = this.#text;
    if (end > folded.length || !this.#hashes.has(this.#text.hashAt(at, end - at))) return [];
    const inLower = this.#folded.get(folded.slice(at, end));
    const asWritten = this.#written.get(text.slice(at, end));
    if (inLower === undefined && asWritten === undefined) return [];
    // Of what is hidden, the characters are there as they are written.
    return [...(inLower?.values() ?? []), ...(asWritten?.values() ?? [])].filter(
      (sought) =>
        folded.startsWith(sought.folded, at) && this.#text.matches(sought.spelling, at, sought.rule),
    );
  }
}

function forbiddenFinding(
  [term]: ExpectedMeanings,
  found: string,
  expected: string,
  range: TextRange,
  hasRange: boolean,
): CheckFinding {
  const instead = expected === "" ? "" : `; the glossary has ${expected}`;
  const message = `"${found}" is not to be used for "${term?.source ?? ""}"${instead}`;
  return {
    check: "term-forbidden",
    severity: "warning",
    message,
    found,
    ...(expected === "" ? {} : { expected }),
    ...(hasRange ? { range } : {}),
  };
}

function missingTermFinding(terms: ExpectedMeanings, expected: string): CheckFinding {
  const source = terms[0]?.source ?? "";
  const spellings = [...new Set(terms.flatMap((term) => term.spellings))].map((spelling) => `"${spelling}"`);
  const message = terms.every(({ keep }) => keep)
    ? `"${source}" is missing, which stays as it is`
    : `"${source}" → ${spellings.join(" or ")} is missing`;
  return { check: "term-missing", severity: "warning", message, expected };
}

/** Whether there may be anything of {@link opaque}. */
const suspicious = /[<&@\]]|:\/\/|www\./i;
/** Tags, entities, CDATA, addresses of pages and of mail. Repetitions are bounded where they could begin at every place. */
const opaque =
  /<!\[CDATA\[|\]\]>|<\/?[a-z][^<>]*>|&#?\w+;|\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"]+|\bwww\.[^\s<>"]+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+/gi;
/** What stands for an argument in most syntaxes, where a text is no message of its own. */
const likelyArgument = /\{[^{}]*\}|%[-+#0-9.$]*[a-zA-Z@]/g;

/** The ranges of these parts, which may overlap. */
export function hiddenParts(syntax: SyntaxName, text: string): readonly TextRange[] {
  const hidden = suspicious.test(text) ? Array.from(text.matchAll(opaque), rangeOf) : [];
  if (syntax === "none" || !syntaxes[syntax].special.test(text)) return hidden;
  if (isIcu(syntax)) return [...hidden, ...icuSyntax(text)];
  const message = syntaxes[syntax].parse(text);
  const all = isFault(message)
    ? Array.from(text.matchAll(likelyArgument), rangeOf)
    : message.arguments.map(({ range }) => range);
  return [...hidden, ...all];
}

function rangeOf({ 0: found, index }: RegExpExecArray): TextRange {
  return [index, index + found.length];
}

/** In ICU messages, text and syntax alternate with the depth of braces: `{n, plural, one {text} other {text}}`. */
function* icuSyntax(text: string): Generator<TextRange> {
  let depth = 0;
  let start = 0;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    const isText = depth % 2 === 0;
    if (brace === "{") depth++;
    else if (depth > 0) depth--;
    if (isText) start = index;
    else yield [start, index + 1];
  }
  if (depth % 2 === 1) yield [start, text.length];
}
