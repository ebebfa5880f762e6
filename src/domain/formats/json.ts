/** JSON: a flat object of key to text, or nested as the source is. */
import { formatGroup, type Texts } from "../string-file.ts";
import type { Format } from "./format.ts";

/** Writes texts by key as one flat object, 2-space indented, integer-like keys first as every JSON object has them. */
export function renderFlat(texts: Texts): string {
  const lines: string[] = [];
  for (const [key, text] of texts) {
    if (isIntegerLike(key)) return renderOrdered(texts);
    lines.push(startLine(key) + JSON.stringify(text));
  }
  return joinLines(lines);
}

/** What a key's line starts with in a flat object; its text as JSON follows. */
export function startLine(key: string): string {
  return `  ${JSON.stringify(key)}: `;
}

/** A flat object of its lines. */
function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "{}\n" : `{\n${lines.join(",\n")}\n}\n`;
}

/** Whether JavaScript puts a key first in an object: of more keys than these it is said, which costs nothing but time. */
export function isIntegerLike(key: string): boolean {
  return /^[0-9]+$/.test(key);
}

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
