/** Plans changes of a glossary: terms that are merged into it, that replace it, that leave it, and the undo of these. */
import type { z } from "zod";
import { Issues } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { type Decoded, encode } from "../json-codec.ts";
import { pause } from "../../slices.ts";
import { counted, excerpt } from "../text.ts";
import { type givenTermSchema, termSchema } from "./term-schema.ts";
import { compareTerms, maxTerms, type Glossary, type Term, type TermTranslation } from "./term.ts";

/** As many as take a few milliseconds. */
const termsPerStep = 256;
/** How many terms one spelling may have. */
const maxMeanings = 20;

/** A term as a caller gives it, with translations by the codes that the caller knows. */
export type SentTerm = Decoded<z.output<typeof givenTermSchema>>;
type SentTranslations = NonNullable<SentTerm["translations"]>;
export type GivenTermTranslation = NonNullable<SentTranslations[string]>;

/**
 * A term to plan with. In a merge, what is undefined stays as it is, and `null` removes. Without an id, it is the term
 * with the same source, part of speech and meaning.
 */
export interface GivenTerm extends Omit<SentTerm, "translations"> {
  readonly translations?: ReadonlyMap<LocaleCode, GivenTermTranslation | null>;
}

export interface GlossaryCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
}

export interface GlossaryPlan {
  readonly terms: Glossary;
  readonly counts: GlossaryCounts;
}

/**
 * Plans to merge terms into a glossary, or to make it what they are.
 * @param newId makes an identifier that no term has.
 * @throws SkepError `invalid` on `terms` for a term that is given twice, is unknown, or cannot be told from others, and when
 * there would be more than there may.
 */
export async function planTerms(
  before: Glossary,
  given: readonly GivenTerm[],
  mode: "merge" | "sync",
  newId: () => string,
): Promise<GlossaryPlan> {
  const issues = new Issues();
  const find = finder(before);
  const after = new Map<string, Term>();
  let unchanged = 0;
  let updated = 0;
  for (const [i, one] of given.entries()) {
    if (i % termsPerStep === 0) await pause();
    const found = find(one);
    if (typeof found === "string") {
      issues.add(`terms.${i}`, found);
      continue;
    }
    if (found !== undefined && after.has(found.id)) issues.add(`terms.${i}`, "is given twice");
    const basis = found !== undefined && mode === "merge" ? found : emptyTerm(found?.id ?? newId());
    const term = merged(basis, one);
    const contradiction = contradictionIn(term);
    if (contradiction !== undefined)
      issues.add(`terms.${i}.translations.${contradiction}`, "forbids what it accepts");
    if (found !== undefined && isSame(found, term)) unchanged++;
    else if (found !== undefined) updated++;
    after.set(term.id, term);
  }
  const created = after.size - unchanged - updated;
  const left = mode === "merge" ? before.filter(({ id }) => !after.has(id)) : [];
  const terms = [...left, ...after.values()].toSorted(compareTerms);
  const deleted = before.length + created - terms.length;
  await pause();
  checkTerms(terms, issues);
  issues.throwIfAny();
  return { terms, counts: { created, updated, deleted, unchanged } };
}

/** Finds the stored term that a given one is; a text says why it cannot be told. */
function finder(before: Glossary): (given: GivenTerm) => Term | string | undefined {
  const known = byId(before);
  const bySource = groupBy(before, ({ source }) => source);
  return ({ id, source, partOfSpeech, meaning }) => {
    if (id !== undefined) return known.get(id) ?? `there is no term with the id "${excerpt(id)}"`;
    const all = bySource.get(source) ?? [];
    const isOpen = partOfSpeech === undefined && meaning === undefined;
    const like = all.filter(
      (term) =>
        (partOfSpeech === undefined || (partOfSpeech ?? undefined) === term.partOfSpeech) &&
        (meaning === undefined || (meaning ?? undefined) === term.meaning),
    );
    const [found, other] = like;
    if (other === undefined || found === undefined) return found;
    const plain = like.filter((term) => term.partOfSpeech === undefined && term.meaning === undefined);
    if (isOpen && plain.length === 1) return plain[0];
    return `there are ${like.length} terms "${excerpt(source)}"; give the meaning, or the id, of one`;
  };
}

function emptyTerm(id: string): Term {
  return { id, source: "", case: false, match: "word", keep: false, translations: new Map() };
}

function merged(before: Term, given: GivenTerm): Term {
  const translations = new Map(before.translations);
  for (const [locale, one] of given.translations ?? []) {
    const translation = one === null ? undefined : mergedTranslation(before.translations.get(locale), one);
    if (translation === undefined) translations.delete(locale);
    else translations.set(locale, translation);
  }
  return {
    id: before.id,
    source: given.source,
    partOfSpeech: given.partOfSpeech === undefined ? before.partOfSpeech : (given.partOfSpeech ?? undefined),
    meaning: given.meaning === undefined ? before.meaning : (given.meaning ?? undefined),
    case: given.case ?? before.case,
    match: given.match ?? before.match,
    keep: given.keep ?? before.keep,
    translations: new Map([...translations].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** @returns undefined where nothing is left to say. */
function mergedTranslation(
  before: TermTranslation | undefined,
  given: GivenTermTranslation,
): TermTranslation | undefined {
  const text = given.text === undefined ? before?.text : (given.text ?? undefined);
  const accepted = [...new Set(given.accepted ?? before?.accepted)].filter((spelling) => spelling !== text);
  const forbidden = [...new Set(given.forbidden ?? before?.forbidden)];
  const keep = given.keep ?? before?.keep ?? false;
  const isEmpty = text === undefined && accepted.length + forbidden.length === 0 && !keep;
  return isEmpty ? undefined : { text, accepted, forbidden, keep };
}

/** The locale of a translation that forbids what it accepts. */
function contradictionIn({ translations }: Term): string | undefined {
  for (const [locale, { text, accepted, forbidden }] of translations) {
    if (forbidden.some((spelling) => spelling === text || accepted.includes(spelling))) return locale;
  }
  return undefined;
}

/** @param terms in their order. @param issues takes what is wrong with all of them together. */
function checkTerms(terms: Glossary, issues: Issues): void {
  checkNumbers(terms, issues, "terms");
  for (const [term] of alikeTerms(terms))
    if (term !== undefined)
      issues.add("terms", `"${excerpt(term.source)}" would be there twice with one meaning`);
}

/** @param field that is wrong where there are too many terms, or meanings of one spelling. */
function checkNumbers(terms: Glossary, issues: Issues, field: string): void {
  if (terms.length > maxTerms)
    issues.add(field, `would be ${terms.length}; a Hive has at most ${counted(maxTerms, "term")}`);
  for (const [source, same] of groupBy(terms, (term) => term.source.toLowerCase()))
    if (same.length > maxMeanings)
      issues.add(field, `"${excerpt(source)}" would have more than ${maxMeanings} meanings`);
}

function isSame(a: Term, b: Term): boolean {
  return JSON.stringify(encode(termSchema, a)) === JSON.stringify(encode(termSchema, b));
}

export interface GlossaryUndo {
  readonly terms: Glossary;
  readonly restored: number;
  readonly updated: number;
  readonly deleted: number;
  /** The identifiers of terms that were changed since. */
  readonly conflicts: readonly string[];
}

/**
 * Plans to take back what one commit changed, term by term: a conflict are the terms that were changed since, and those that
 * could not be told from others when they are back.
 * @param ours the terms as they are now (`ours`), as the commit left them (`base`), and before it (`theirs`).
 * @throws SkepError `invalid` on `commit` when there would be more than there may.
 */
export function planGlossaryUndo(ours: Glossary, base: Glossary, theirs: Glossary): GlossaryUndo {
  const [now, left, was] = [byId(ours), byId(base), byId(theirs)];
  const back = new Map<string, Term | undefined>();
  const conflicts: string[] = [];
  for (const id of new Set([...left.keys(), ...was.keys()])) {
    const before = was.get(id);
    if (sameTerm(left.get(id), before) || sameTerm(now.get(id), before)) continue;
    if (sameTerm(now.get(id), left.get(id))) back.set(id, before);
    else conflicts.push(id);
  }
  const alike = (): readonly string[] =>
    alikeTerms(withTerms(now, back)).flatMap((terms) =>
      terms.flatMap(({ id }) => (back.has(id) ? [id] : [])),
    );
  const ambiguous = alike();
  for (const id of ambiguous) back.delete(id);
  // What stays may be in the way of another one that would be back: then nothing is.
  const others = ambiguous.length > 0 && alike().length > 0 ? [...back.keys()] : [];
  for (const id of others) back.delete(id);
  conflicts.push(...ambiguous, ...others);
  const terms = back.size === 0 ? ours : withTerms(now, back);
  // A spelling that a rename had left can have too many meanings again, too.
  if ([...back.values()].some((before) => before !== undefined)) {
    const issues = new Issues();
    checkNumbers(terms, issues, "commit");
    issues.throwIfAny();
  }
  const counts = { restored: 0, updated: 0, deleted: 0 };
  for (const [id, before] of back)
    counts[before === undefined ? "deleted" : now.has(id) ? "updated" : "restored"]++;
  return { terms, ...counts, conflicts };
}

function byId(terms: Glossary): ReadonlyMap<string, Term> {
  return new Map(terms.map((term) => [term.id, term]));
}

/** Some terms in the order of a glossary, of which others take the place, or none. */
function withTerms(
  terms: ReadonlyMap<string, Term>,
  others: ReadonlyMap<string, Term | undefined>,
): Glossary {
  const all = new Map<string, Term | undefined>([...terms, ...others]);
  return [...all.values()].filter((term) => term !== undefined).toSorted(compareTerms);
}

/** Groups of terms that can be told apart by nothing but their identifiers. */
function alikeTerms(terms: Glossary): readonly (readonly Term[])[] {
  const groups = groupBy(terms, ({ source, partOfSpeech, meaning }) =>
    JSON.stringify([source, partOfSpeech, meaning]),
  );
  return [...groups.values()].filter(({ length }) => length > 1);
}

function sameTerm(a: Term | undefined, b: Term | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && isSame(a, b));
}
