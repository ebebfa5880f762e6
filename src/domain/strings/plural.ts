/** Plural strings: forms in one text, separated by `|`, each with a `{count}` placeholder. */

/** Whether a source text has plural forms: two or more, each holding `{count}`. */
export function isPlural(text: string): boolean {
  if (!text.includes("|")) return false;
  return text.split("|").every((form) => form.includes("{count}"));
}
