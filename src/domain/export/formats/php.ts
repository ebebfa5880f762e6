/**
 * PHP: a file that returns an array, nested as the source is.
 *
 * The output is code that others run. Every key and text is a single-quoted string, in which PHP only interprets `\\` and
 * `\'`. Every backslash and quote is written as one of these, so no text can break out of its string.
 */
import { childOf, isList, type Group } from "../../strings/string-file.ts";
import type { Format } from "./format.ts";

const indentation = "    ";
/** Names, as in lists with gaps, that PHP turns into integer keys and that JavaScript puts first in an object. */
const indexPattern = /^(?:0|[1-9][0-9]{0,8})$/;

function quoted(text: string): string {
  const hasSpecial = text.includes("'") || text.includes("\\");
  return `'${hasSpecial ? text.replaceAll(/[\\']/g, String.raw`\$&`) : text}'`;
}

function renderGroup(group: Group, indent: string): string {
  const names = Object.keys(group);
  if (names.length === 0) return "[]";
  const inner = indent + indentation;
  const lines = names.map((name) => {
    const key = isList(group) ? "" : `${indexPattern.test(name) ? name : quoted(name)} => `;
    const node = childOf(group, name) ?? "";
    return `${inner}${key}${typeof node === "string" ? quoted(node) : renderGroup(node, inner)},\n`;
  });
  return `[\n${lines.join("")}${indent}]`;
}

export const php: Format = {
  extension: ".php",
  kind: "nested",
  render: (group) => `<?php\n\nreturn ${renderGroup(group, "")};\n`,
};
