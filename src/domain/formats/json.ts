/** JSON: a flat object of key to text. */
import type { Format } from "./format.ts";

/** Writes texts by key as one flat object, 2-space indented. */
export function renderFlat(texts: Iterable<readonly [key: string, text: string]>): string {
  // No prototype: `__proto__` is a key like any other.
  const object: Record<string, string> = Object.create(null);
  for (const [key, text] of texts) object[key] = text;
  return `${JSON.stringify(object, null, 2)}\n`;
}

export const json: Format = {
  extension: ".json",
  render: (file) => renderFlat(file.texts),
};
