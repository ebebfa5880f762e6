/**
 * Other forms of the terms of a source text, by which they are shown to translators: of languages whose endings are plain. What
 * stems of many languages would find is also found of other words ("news" as "new"), and hides the term that was meant.
 */

/** What makes of the end of a word another number, or another person of a verb; of several that fit, the first. */
const endings: readonly (readonly [end: RegExp, made: readonly string[]])[] = [
  // An own plural has a singular.
  [/(?<=[^aeiou])ies$/, ["y", "ie"]],
  [/(?<=(?:ch|sh|[osxz]))es$/, ["", "e"]],
  [/(?<![sui])s$/, [""]],
  [/(?<=(?:ch|sh|s|x|z))$/, ["es"]],
  [/(?<=[^aeiou])y$/, ["ies"]],
  [/(?<=o)$/, ["s", "es"]],
  [/$/, ["s"]],
];

/** A last word that is long enough to have forms: "in" is more often a part of a phrase. */
const inflected = /[a-z]{3,}$/;
/** Words that only look like plurals, and whose singular would be a common word. */
const noPlural = /\bnews$/;

/**
 * The other forms of a spelling, of which the last word changes: "file" has "files", "entry" has "entries".
 * @param folded as {@link fold} gives it.
 * @returns none in languages whose forms are not known.
 */
export function inflectionsOf(folded: string, locale: string): readonly string[] {
  if (!/^en(?:-|$)/.test(locale) || !inflected.test(folded) || noPlural.test(folded)) return [];
  const [end, made = []] = endings.find(([pattern]) => pattern.test(folded)) ?? [];
  return end === undefined ? [] : made.map((one) => folded.replace(end, one));
}
