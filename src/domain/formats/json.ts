/** JSON: a flat object of key to text, or nested as the source is. */
import { formatGroup, type Texts } from "../string-file.ts";
import type { Format } from "./format.ts";

/** Writes texts by key as one flat object, 2-space indented, integer-like keys first as every JSON object has them. */
export function renderFlat(texts: Texts): string {
  const lines: string[] = [];
  for (const [key, text] of texts) {
    if (integerLike.test(key)) return renderOrdered(texts);
    lines.push(`  ${JSON.stringify(key)}: ${JSON.stringify(text)}`);
  }
  return lines.length === 0 ? "{}\n" : `{\n${lines.join(",\n")}\n}\n`;
}

/** What JavaScript puts first in an object: more than these, which costs nothing but time. */
const integerLike = /^[0-9]+$/;

function renderOrdered(texts: Texts): string {
  // No prototype: `__proto__` is a key like any other.
  const object: Record<string, string> = Object.create(null);
  for (const [key, text] of texts) object[key] = text;
  return `${JSON.stringify(object, null, 2)}\n`;
}

export const json: Format = {
  extension: ".json",
  render: (file) => renderFlat(file.texts),
};

export const nestedJson: Format = {
  extension: json.extension,
  render: ({ texts, group }) => (texts.size === 0 ? renderFlat(texts) : formatGroup(group())),
};
