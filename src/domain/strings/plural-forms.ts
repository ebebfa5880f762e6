/**
 * Plural strings of a source file, and the keys that they add to its translations. The source has a key for each form
 * that its own language needs; other languages need more, such as `few` and `many`.
 *
 * What is a plural string follows from the source's keys alone, never from a setting or from data about languages, and
 * any of the six categories of CLDR may be stored. So no stored translation is misplaced because a server knows other
 * languages than the last one did. Which forms a locale takes and needs is in `plural-rules.ts`.
 */
import { isStepDone, type Steps } from "../steps.ts";

/** In the order of CLDR. */
export const pluralCategories = ["zero", "one", "two", "few", "many", "other"] as const;
export type PluralCategory = (typeof pluralCategories)[number];

/** Source strings that are the plural forms of one text. */
export interface PluralString {
  /** What its keys begin with, up to the category: `item_`, `place_ordinal_`, or `item.` for a group. */
  readonly stem: string;
  readonly convention: "i18next" | "nested";
  readonly type: "cardinal" | "ordinal";
  /** Its keys in the source, in the order of the file. */
  readonly own: readonly string[];
  /** The keys that translations may have besides, in the order of CLDR. They stand behind the last of the source's. */
  readonly added: readonly string[];
  /** The source text of `other`, which is that of the added forms too. */
  readonly text: string;
}

/** One form of a plural string. */
export interface PluralForm {
  readonly string: PluralString;
  readonly category: PluralCategory;
}

type Texts = ReadonlyMap<string, string>;
const noKeys: readonly string[] = [];

/** The plural strings of a source file. */
export class PluralForms {
  /** By their stems. */
  readonly strings: ReadonlyMap<string, PluralString>;
  /** The file's keys and all that translations may add, each with its source text: of an added one, that of `other`. */
  readonly texts: Texts;
  readonly #added: ReadonlyMap<string, PluralString>;
  readonly #byLastKey: ReadonlyMap<string, PluralString>;

  /**
   * @param added the strings by the keys that translations may have besides.
   * @param byLastKey the strings by the last of their keys in the source.
   */
  constructor(
    source: Texts,
    strings: ReadonlyMap<string, PluralString>,
    added: ReadonlyMap<string, PluralString>,
    byLastKey: ReadonlyMap<string, PluralString>,
  ) {
    this.strings = strings;
    this.#added = added;
    this.#byLastKey = byLastKey;
    this.texts = new TextsWithForms(source, this, added);
  }

  /** The form that a key is, of the source's own and of the added ones. */
  formOf(key: string): PluralForm | undefined {
    const parts = splitKey(key);
    const string = parts && this.strings.get(parts.stem);
    return string && { string, category: parts.category };
  }

  /** Whether a key is a form that the source lacks. */
  isAdded(key: string): boolean {
    return this.#added.has(key);
  }

  /**
   * The added keys that go when a key leaves the source: all of a string without which it would be no plural string.
   */
  goingWith(key: string): readonly string[] {
    const form = this.formOf(key);
    if (form === undefined) return noKeys;
    const { string, category } = form;
    const isNeeded = category === "other" || (category === "one" && string.convention === "i18next");
    return isNeeded ? string.added : noKeys;
  }

  /**
   * The added keys that go when a key comes to the source: where it makes a group other than forms, or takes a name.
   */
  *givingWayTo(key: string): Generator<string> {
    for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) {
      if (!isCategory(key.slice(dot + 1))) yield* this.strings.get(key.slice(0, dot + 1))?.added ?? noKeys;
      const group = key.slice(0, dot);
      if (this.isAdded(group)) yield group;
    }
  }

  /** The added keys that stand behind a key of the source. */
  behind(key: string): readonly string[] {
    return this.#byLastKey.get(key)?.added ?? noKeys;
  }
}

const categories: ReadonlySet<string> = new Set(pluralCategories);

function isCategory(text: string): text is PluralCategory {
  return categories.has(text);
}

/** A key as a stem, which ends with `_` or a dot, and a category. */
function splitKey(key: string): { readonly stem: string; readonly category: PluralCategory } | undefined {
  const end = Math.max(key.lastIndexOf("_"), key.lastIndexOf(".")) + 1;
  const category = key.slice(end);
  return end > 1 && isCategory(category) ? { stem: key.slice(0, end), category } : undefined;
}

/** Whether a name in a file can be the `other` that every plural string has. */
export function mayBeOther(name: string): boolean {
  return name.endsWith("other");
}

/**
 * Finds the plural strings of a source file: keys `x_one` and `x_other`, with `x_ordinal_one` and `x_ordinal_other`
 * for ordinal numbers, and groups of which all keys are categories and one is `other`. Keys count as they are flattened,
 * however the file nests them.
 * @param maxLength how long all keys of a translation may be together, in characters: where the forms would make it
 * longer, the file has none, because it could not be read back.
 * @returns undefined when there is none.
 */
export function* findPluralForms(source: Texts, maxLength: number): Steps<PluralForms | undefined> {
  const found = yield* ownKeysByStem(source);
  if (found.size === 0) return undefined;
  const taken = yield* groupsAmong(source, found);
  const strings = new Map<string, PluralString>();
  const byAdded = new Map<string, PluralString>();
  const byLastKey = new Map<string, PluralString>();
  let left = maxLength;
  for (const key of source.keys()) left -= key.length;
  for (const [stem, own] of found) {
    if (isStepDone()) yield;
    const keys = pluralCategories.map((category) => stem + category);
    const added = keys.filter((key) => !source.has(key) && !taken.has(key));
    const string: PluralString = {
      stem,
      convention: stem.endsWith(".") ? "nested" : "i18next",
      type: stem.endsWith("_ordinal_") ? "ordinal" : "cardinal",
      own,
      added,
      text: source.get(`${stem}other`) ?? "",
    };
    strings.set(stem, string);
    byLastKey.set(own.at(-1) ?? "", string);
    for (const key of added) {
      byAdded.set(key, string);
      left -= key.length;
    }
  }
  return left < 0 ? undefined : new PluralForms(source, strings, byAdded, byLastKey);
}

/** The keys of each plural string, in the order of the file. */
function* ownKeysByStem(source: Texts): Steps<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  let hasGroups = false;
  for (const key of source.keys()) {
    if (isStepDone()) yield;
    if (!mayBeOther(key)) continue;
    const stem = splitKey(key)?.stem;
    if (stem === undefined) continue;
    if (stem.endsWith(".")) hasGroups = true;
    if (stem.endsWith(".") || source.has(`${stem}one`)) found.set(stem, []);
  }
  if (found.size === 0) return found;
  for (const key of source.keys()) {
    if (isStepDone()) yield;
    const parts = splitKey(key);
    if (parts !== undefined) found.get(parts.stem)?.push(key);
    if (!hasGroups) continue;
    for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) {
      // A group with any other key is no plural string.
      if (!isCategory(key.slice(dot + 1))) found.delete(key.slice(0, dot + 1));
    }
  }
  return found;
}

/** The keys of forms that the source has groups of: a text cannot stand beside a group of its name. */
function* groupsAmong(source: Texts, stems: ReadonlyMap<string, unknown>): Steps<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const key of source.keys()) {
    if (isStepDone()) yield;
    for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) {
      const group = key.slice(0, dot);
      const parts = splitKey(group);
      if (parts !== undefined && stems.has(parts.stem)) taken.add(group);
    }
  }
  return taken;
}

/** The texts of a source file with those of the added forms behind them. */
class TextsWithForms implements Texts {
  readonly size: number;
  readonly #source: Texts;
  readonly #forms: PluralForms;
  readonly #added: ReadonlyMap<string, PluralString>;

  constructor(source: Texts, forms: PluralForms, added: ReadonlyMap<string, PluralString>) {
    this.#source = source;
    this.#forms = forms;
    this.#added = added;
    this.size = source.size + added.size;
  }

  get(key: string): string | undefined {
    return this.#source.get(key) ?? this.#added.get(key)?.text;
  }

  has(key: string): boolean {
    return this.#source.has(key) || this.#added.has(key);
  }

  *entries(): MapIterator<[string, string]> {
    for (const entry of this.#source) {
      yield entry;
      for (const key of this.#forms.behind(entry[0])) yield [key, this.#added.get(key)?.text ?? ""];
    }
  }

  *keys(): MapIterator<string> {
    for (const key of this.#source.keys()) {
      yield key;
      yield* this.#forms.behind(key);
    }
  }

  *values(): MapIterator<string> {
    for (const [, text] of this.entries()) yield text;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(visit: (text: string, key: string, texts: Texts) => void): void {
    for (const [key, text] of this.entries()) visit(text, key, this);
  }
}
