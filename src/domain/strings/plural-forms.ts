/**
 * Plural strings of a source file, and the keys that they add to its translations. The source has a key for each form
 * that its own language needs; other languages need more, such as `few` and `many`.
 *
 * Plural strings are recognised by the keys of the source alone, never by a setting or by data about languages, and any
 * of the six categories of CLDR may be stored. So stored translations stay valid when a server has other language data.
 * `plural-rules.ts` says which forms a locale accepts and needs.
 */

import { groupsOf } from "./flattened-keys.ts";
import { TextsView } from "./texts-view.ts";

/** In the order of CLDR. */
export const pluralCategories = ["zero", "one", "two", "few", "many", "other"] as const;
export type PluralCategory = (typeof pluralCategories)[number];

/** Source strings that are the plural forms of one text. */
export interface PluralString {
  /** The beginning of its keys, up to the category: `item_`, `place_ordinal_`, or `item.` for a group. */
  readonly stem: string;
  readonly convention: "i18next" | "nested";
  readonly type: "cardinal" | "ordinal";
  /** Its keys in the source, in the order of the file. */
  readonly own: readonly string[];
  /** The keys that only translations may have, in the order of CLDR. They come after the last key of the source. */
  readonly added: readonly string[];
  /** The source text of `other`, which is also the source text of the added forms. */
  readonly text: string;
}

export interface PluralForm {
  readonly string: PluralString;
  readonly category: PluralCategory;
}

type Texts = ReadonlyMap<string, string>;
const noKeys: readonly string[] = [];

export class PluralForms {
  /** By their stems. */
  readonly strings: ReadonlyMap<string, PluralString>;
  /** The file's keys and all added keys, each with its source text; an added key has the source text of `other`. */
  readonly texts: Texts;
  readonly #added: ReadonlyMap<string, PluralString>;
  readonly #byLastKey: ReadonlyMap<string, PluralString>;

  /**
   * @param added the strings by the keys that only translations may have.
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

  /** The plural form of a key, whether the source has it or it is added. */
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
   * The added keys that go when a key is removed from the source: all of them, if the string is no plural string without it.
   */
  goingWith(key: string): readonly string[] {
    const form = this.formOf(key);
    if (form === undefined) return noKeys;
    const { string, category } = form;
    const isNeeded = category === "other" || (category === "one" && string.convention === "i18next");
    return isNeeded ? string.added : noKeys;
  }

  /**
   * The added keys that are removed when a key is added to the source: if its group then has a key that is not a category,
   * or if the key needs a group with the name of an added key.
   */
  givingWayTo(key: string): readonly string[] {
    const groups = groupsOf(key);
    const torn = groups.filter((group) => !isCategory(key.slice(group.length + 1)));
    return [
      ...torn.flatMap((group) => this.strings.get(`${group}.`)?.added ?? noKeys),
      ...groups.filter((group) => this.isAdded(group)),
    ];
  }

  /** The added keys that come after a key of the source. */
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
 * @param maxLength the greatest total length of the keys of a translation, in characters. If added forms would exceed it,
 * the file has no plural strings, because a translation could not be read again.
 * @returns undefined if there are no plural strings.
 */
export function findPluralForms(source: Texts, maxLength: number): PluralForms | undefined {
  const found = ownKeysByStem(source);
  if (found.size === 0) return undefined;
  const taken = groupsAmong(source, found);
  const strings = new Map<string, PluralString>();
  const byAdded = new Map<string, PluralString>();
  const byLastKey = new Map<string, PluralString>();
  let left = maxLength;
  for (const key of source.keys()) left -= key.length;
  for (const [stem, own] of found) {
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
function ownKeysByStem(source: Texts): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let hasGroups = false;
  for (const key of source.keys()) {
    if (!mayBeOther(key)) continue;
    const stem = splitKey(key)?.stem;
    if (stem === undefined) continue;
    if (stem.endsWith(".")) hasGroups = true;
    if (stem.endsWith(".") || source.has(`${stem}one`)) found.set(stem, []);
  }
  if (found.size === 0) return found;
  for (const key of source.keys()) {
    const parts = splitKey(key);
    if (parts !== undefined) found.get(parts.stem)?.push(key);
    if (!hasGroups) continue;
    for (const group of groupsOf(key)) {
      // A group that also has other keys is not a plural string.
      if (!isCategory(key.slice(group.length + 1))) found.delete(`${group}.`);
    }
  }
  return found;
}

/** The keys of forms that are groups in the source: a text and a group cannot have the same key. */
function groupsAmong(source: Texts, stems: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const key of source.keys()) {
    for (const group of groupsOf(key)) {
      const parts = splitKey(group);
      if (parts !== undefined && stems.has(parts.stem)) taken.add(group);
    }
  }
  return taken;
}

/** The texts of a source file, then the texts of the added forms. */
class TextsWithForms extends TextsView {
  readonly size: number;
  readonly #source: Texts;
  readonly #forms: PluralForms;
  readonly #added: ReadonlyMap<string, PluralString>;

  constructor(source: Texts, forms: PluralForms, added: ReadonlyMap<string, PluralString>) {
    super();
    this.#source = source;
    this.#forms = forms;
    this.#added = added;
    this.size = source.size + added.size;
  }

  get(key: string): string | undefined {
    return this.#source.get(key) ?? this.#added.get(key)?.text;
  }

  *entries(): MapIterator<[string, string]> {
    for (const entry of this.#source) {
      yield entry;
      for (const key of this.#forms.behind(entry[0])) yield [key, this.#added.get(key)?.text ?? ""];
    }
  }
}
