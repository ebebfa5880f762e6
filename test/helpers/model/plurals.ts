/** What the model knows of plural forms, written once more and slowly. */

export type PluralKind = "auto" | "i18next" | "nested" | "none";

/** The forms of the model's target locales. */
const forms: Readonly<Record<string, readonly string[]>> = {
  fr: ["one", "many", "other"],
  de: ["one", "other"],
  ru: ["one", "few", "many", "other"],
};

/** Those of whole numbers. */
const needed: Readonly<Record<string, readonly string[]>> = {
  fr: ["one", "other"],
  de: ["one", "other"],
  ru: ["one", "few", "many"],
};

type Texts = ReadonlyMap<string, string>;

function split(key: string): { stem: string; category: string } | undefined {
  const [, stem, category] = /^(.+[._])(zero|one|two|few|many|other)$/.exec(key) ?? [];
  return stem === undefined || category === undefined ? undefined : { stem, category };
}

function isPlural(texts: Texts, stem: string): boolean {
  if (!texts.has(`${stem}other`)) return false;
  if (stem.endsWith("_")) return texts.has(`${stem}one`);
  return [...texts.keys()].every((key) => !key.startsWith(stem) || split(key)?.stem === stem);
}

/** The source text of a key of a file, or of a form that translations may have; undefined where it is neither. */
export function formSource(texts: Texts | undefined, key: string): string | undefined {
  const own = texts?.get(key);
  const parts = split(key);
  if (own !== undefined || texts === undefined || parts === undefined) return own;
  return isPlural(texts, parts.stem) ? texts.get(`${parts.stem}other`) : undefined;
}

/**
 * Whether a key is another, or one of its plural forms where the source has the plural string and not that form.
 */
export function isFormOf(sources: readonly (Texts | undefined)[], other: string, key: string): boolean {
  const stem = split(key)?.stem;
  if (key === other || stem === undefined || split(other)?.stem !== stem) return key === other;
  return sources.some((texts) => texts !== undefined && isPlural(texts, stem) && !texts.has(key));
}

/** Whether a key is a plural form that the locale has and the source lacks. */
export function hasForm(kind: PluralKind, locale: string, texts: Texts | undefined, key: string): boolean {
  const parts = split(key);
  if (parts === undefined || texts === undefined || texts.has(key) || !isPlural(texts, parts.stem))
    return false;
  const own = parts.stem.endsWith("_") ? "i18next" : "nested";
  return (kind === "auto" || kind === own) && forms[locale]?.includes(parts.category) === true;
}

/** The keys that must have a translation in a locale, with their source texts. */
export function neededTexts(kind: PluralKind, locale: string, texts: Texts): ReadonlyMap<string, string> {
  const categories = ["zero", "one", "two", "few", "many", "other"];
  const stems = [...texts.keys()].map((key) => split(key)?.stem ?? "");
  const keys = [...texts.keys(), ...stems.flatMap((stem) => categories.map((category) => stem + category))];
  const found = new Map<string, string>();
  for (const key of keys) {
    const parts = split(key);
    const source = formSource(texts, key);
    if (source === undefined) continue;
    const own = parts?.stem.endsWith("_") === true ? "i18next" : "nested";
    const isForm = parts !== undefined && isPlural(texts, parts.stem) && (kind === "auto" || kind === own);
    // The models' sources are English, which has no number of that form.
    const isForNone = parts?.category === "zero" && texts.has(key);
    if (isForm ? isForNone || needed[locale]?.includes(parts.category) === true : texts.has(key))
      found.set(key, source);
  }
  return found;
}
