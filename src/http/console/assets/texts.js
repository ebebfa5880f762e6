/** The texts that scripts show. The server puts those of the pages' texts before the script whose keys begin with `script.`. */

/** @type {Readonly<Record<string, string>>} */
const texts = Reflect.get(globalThis, "skepTexts");

/** A text. @param values of its placeholders such as `{name}`. */
export function t(
  /** @type {string} */ name,
  /** @type {Readonly<Record<string, string | number>>} */ values = {},
) {
  return (texts[name] ?? name).replace(/\{(\w+)\}/g, (_, value) => String(values[value]));
}
