/**
 * The texts that scripts show. The server puts those of the pages' texts before the script whose keys begin with `script.`,
 * and for pages that are not in English what the kinds of findings are called.
 */

/** @type {Readonly<Record<string, string>>} */
const texts = Reflect.get(globalThis, "skepTexts");

/** A text. @param values of its placeholders such as `{name}`. */
export function t(
  /** @type {string} */ name,
  /** @type {Readonly<Record<string, string | number>>} */ values = {},
) {
  return (texts[name] ?? name).replace(/\{(\w+)\}/g, (_, value) => String(values[value]));
}

/**
 * What a finding says: the text of its kind where there is one, because messages are in English.
 * @param {{ check: string, message: string, found?: string | undefined }} finding
 */
export function textOf({ check, message, found = "" }) {
  const own = texts[`check.${check}`];
  return own === undefined ? message : `${own} ${found}`;
}
