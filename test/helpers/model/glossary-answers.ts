/** What the model answers to requests about the glossary and styles. */
import type { Glossary, Term } from "./glossary.ts";
import { missing, type Answer, type Model } from "./model.ts";

function idOf({ terms }: Glossary, source: string): string | undefined {
  return [...terms].find(([, term]) => term.source === source)?.[0];
}

/**
 * What it answers when terms are merged, or replace the glossary; changes the model.
 * @param ids the identifiers of new terms, by their spelling.
 */
export function setTerms(
  model: Model,
  slug: string,
  sent: readonly Term[],
  isSync: boolean,
  ids: ReadonlyMap<string, string>,
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  if (sent.some(({ text }) => text !== undefined) && !hive.translations.has("fr")) return { status: 422 };
  const { terms } = hive.glossary;
  const before = new Map(terms);
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const named = new Set<string>();
  for (const one of sent) {
    const id = idOf(hive.glossary, one.source);
    const was = id === undefined ? undefined : before.get(id);
    // A sync takes away what is not given.
    const after = isSync ? one : { ...was, ...one };
    const name = id ?? ids.get(one.source) ?? "";
    counts[was === undefined ? "created" : was.text === after.text ? "unchanged" : "updated"]++;
    terms.set(name, after);
    named.add(name);
  }
  if (!isSync) return { status: 200, body: counts };
  const gone = [...before.keys()].filter((id) => !named.has(id));
  for (const id of gone) terms.delete(id);
  return { status: 200, body: { ...counts, deleted: gone.length } };
}

/** What it answers when a term is deleted; changes the model. */
export function deleteTerm(model: Model, slug: string, id: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  return hive.glossary.terms.delete(id) ? { status: 200, body: { deleted: 1 } } : { status: 404 };
}

/** What it answers when a locale gets a style; an empty one removes it. Changes the model. */
export function setStyle(model: Model, slug: string, locale: string, text: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  if (!hive.translations.has(locale)) return { status: 422 };
  if (text === "") hive.glossary.styles.delete(locale);
  else hive.glossary.styles.set(locale, text);
  return { status: 200 };
}

/** All terms by their identifiers, and the style of a locale. */
export function glossaryOf(model: Model, slug: string, locale: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const style = hive.translations.has(locale) ? (hive.glossary.styles.get(locale) ?? "") : undefined;
  return { status: 200, body: { terms: Object.fromEntries(hive.glossary.terms), style } };
}
