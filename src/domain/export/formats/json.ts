/** JSON: a flat object of key to text, or nested as the source is. */
import { materialisedTexts } from "../../strings/aligned-texts.ts";
import { LongTextWriter, type LongText } from "../../long-text.ts";
import { ObjectWriter } from "../../members.ts";
import { isStepDone, type Steps } from "../../steps.ts";
import { formatGroup, type Texts } from "../../strings/string-file.ts";
import type { Format } from "./format.ts";

/** Writes texts by key as one flat object, 2-space indented, integer-like keys first as every JSON object has them. */
export function* renderFlat(texts: Texts): Steps<LongText> {
  if (texts.size === 0) return ["{}\n"];
  const lines = new LongTextWriter();
  let before = "{\n";
  for (const [key, text] of yield* materialisedTexts(texts)) {
    if (isStepDone()) yield;
    if (isIntegerLike(key)) return yield* renderOrdered(texts);
    lines.add(before + startLine(key) + JSON.stringify(text));
    before = ",\n";
  }
  lines.add("\n}\n");
  return lines.end();
}

/** The start of a key's line in a flat object, up to its text. */
export function startLine(key: string): string {
  return `  ${JSON.stringify(key)}: `;
}

/**
 * Whether JavaScript may put a key first in an object. It is also true for some keys that it does not, which only costs
 * time.
 */
export function isIntegerLike(key: string): boolean {
  return /^[0-9]+$/.test(key);
}

function* renderOrdered(texts: Texts): Steps<LongText> {
  const object = new ObjectWriter<string>();
  for (const [key, text] of texts) {
    if (isStepDone()) yield;
    object.set(key, text);
  }
  return yield* formatGroup(object.end());
}

export const json: Format = {
  extension: ".json",
  render: (file) => renderFlat(file.texts),
};

export const nestedJson: Format = {
  extension: json.extension,
  *render({ texts, group }) {
    return yield* texts.size === 0 ? renderFlat(texts) : formatGroup(yield* group());
  },
};
