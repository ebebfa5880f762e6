/**
 * PHP: a file that returns an array, nested as the source is.
 *
 * The output is code that others run. Every key and text is a single-quoted string, in which PHP only interprets `\\` and
 * `\'`. Every backslash and quote is written as one of these, so no text can break out of its string.
 */
import { LongTextWriter } from "../../long-text.ts";
import { memberNames } from "../../members.ts";
import { isStepDone, type Steps } from "../../steps.ts";
import { childOf, isList, type Group } from "../../strings/string-file.ts";
import type { Format } from "./format.ts";

const indentation = "    ";
/** Names, as in lists with gaps, that PHP turns into integer keys and that JavaScript puts first in an object. */
const indexPattern = /^(?:0|[1-9][0-9]{0,8})$/;

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

function* writeGroup(text: LongTextWriter, group: Group, indent: string): Steps<void> {
  const names = memberNames(group);
  if (names.length === 0) {
    text.add("[]");
    return;
  }
  const inner = indent + indentation;
  text.add("[\n");
  for (const name of names) {
    if (isStepDone()) yield;
    const key = isList(group) ? "" : `${indexPattern.test(name) ? name : quoted(name)} => `;
    const node = childOf(group, name) ?? "";
    if (typeof node === "string") text.add(`${inner}${key}${quoted(node)},\n`);
    else {
      text.add(inner + key);
      yield* writeGroup(text, node, inner);
      text.add(",\n");
    }
  }
  text.add(`${indent}]`);
}

export const php: Format = {
  extension: ".php",
  *render(file) {
    const text = new LongTextWriter();
    text.add("<?php\n\nreturn ");
    yield* writeGroup(text, yield* file.group(), "");
    text.add(";\n");
    return text.end();
  },
};
