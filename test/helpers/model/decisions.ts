/** What the model knows of lists of texts that wait for a review, and of what is decided about them. */
import { sourceText, textsOf } from "./cells.ts";
import { missing, type Answer, type Model } from "./model.ts";

/** The texts of a locale that wait, by `file key`. */
export function waiting(model: Model, slug: string, locale: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  if (!hive.translations.has(locale)) return { status: 422 };
  const own = [...hive.reviews].filter(([id]) => id.startsWith(`${locale} `));
  const shown = own.map(([id, { text, approved = null, by }]) => [
    id.slice(locale.length + 1),
    [text, approved, by],
  ]);
  return { status: 200, body: Object.fromEntries(shown) };
}

export interface Decision {
  readonly locale: string;
  readonly file: string;
  readonly keys: readonly string[];
}

/** What an approval or a rejection answers; changes the model. */
export function decide(
  model: Model,
  slug: string,
  what: "approve" | "reject",
  { locale, file, keys }: Decision,
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const by = hive.translations.get(locale);
  if (by === undefined) return { status: 422 };
  const texts = textsOf(hive);
  let count = 0;
  for (const key of new Set(keys)) {
    const id = `${locale} ${file} ${key}`;
    const review = hive.reviews.get(id);
    if (review === undefined) continue;
    count++;
    hive.reviews.delete(id);
    if (what === "approve") hive.origins.set(id, sourceText(texts, id) ?? "");
    else if (review.approved === undefined) {
      by.get(file)?.delete(key);
      if (by.get(file)?.size === 0) by.delete(file);
    } else {
      by.get(file)?.set(key, review.approved);
      if (review.approvedFrom !== undefined) hive.origins.set(id, review.approvedFrom);
    }
  }
  const unknown = new Set(keys).size - count;
  return { status: 200, body: { [what === "approve" ? "approved" : "rejected"]: count, unknown } };
}
