/** How most strings of a file with the same source text are translated. */
import { moduleCache, WeakCache } from "../../module-caches.ts";
import { translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";

/** A translation, and the first string that has it. */
export interface UsualTranslation {
  readonly key: string;
  readonly text: string;
}

/** By the plural form, and the source text; of the source texts of several strings whose translations differ. */
type Usual = ReadonlyMap<string | undefined, ReadonlyMap<string, UsualTranslation>>;

/** By the translations of a file, for as long as these are in use. */
const known = moduleCache(new WeakCache<Texts, { readonly source: StringFile; readonly usual: Usual }>());

/**
 * How most other strings of a file with the source text of a string are translated. A plural form is compared with the same
 * form of other strings. All strings of the file are looked through once, however many are asked for.
 * @returns undefined where no other string has the source text, or all have the same translation.
 */
export function usualTranslation(
  source: StringFile,
  texts: Texts,
  key: string,
): UsualTranslation | undefined {
  const kept = known.get(texts);
  const usual = kept?.source === source ? kept.usual : findUsual(source, texts);
  if (kept?.source !== source) known.set(texts, { source, usual });
  const text = translatableTexts(source).get(key);
  return text === undefined ? undefined : usual.get(formOf(source, key))?.get(text);
}

/** How often each translation stands for a source text, and the first string that has it. */
type Counts = Map<string, { readonly key: string; count: number }>;

function newCounts(): Counts {
  return new Map();
}

function formOf({ plurals }: StringFile, key: string): string | undefined {
  return plurals?.formOf(key)?.category;
}

function findUsual(source: StringFile, texts: Texts): Usual {
  const all = [...translatableTexts(source)].flatMap(([key, text]) => {
    const translation = texts.get(key);
    const isBoth = text !== "" && translation !== undefined && translation !== "";
    return isBoth ? [{ key, text, translation, form: formOf(source, key) }] : [];
  });
  const counts = new Map<string | undefined, Map<string, Counts>>();
  for (const { key, text, translation, form } of all) {
    const ofForm = counts.get(form) ?? new Map<string, Counts>();
    counts.set(form, ofForm);
    const ofText = ofForm.get(text) ?? newCounts();
    ofForm.set(text, ofText);
    const one = ofText.get(translation);
    if (one === undefined) ofText.set(translation, { key, count: 1 });
    else one.count++;
  }
  const usual = new Map<string | undefined, Map<string, UsualTranslation>>();
  for (const [form, ofForm] of counts)
    for (const [text, ofText] of ofForm) {
      if (ofText.size < 2) continue;
      const [first, ...others] = ofText;
      if (first === undefined) continue;
      let [translation, most] = first;
      for (const [other, one] of others) if (one.count > most.count) [translation, most] = [other, one];
      const found = usual.get(form) ?? new Map<string, UsualTranslation>();
      usual.set(form, found.set(text, { key: most.key, text: translation }));
    }
  return usual;
}
