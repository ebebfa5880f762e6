/**
 * PHP: a file that returns an array, nested as the source is.
 *
 * The output is code that others run. Every key and text is a single-quoted string, in which PHP reads only `\\` and
 * `\'`; both are written for every backslash and quote, so nothing leaves its string, whatever follows it.
 */
import { childOf, isList, type Group, type Node } from "../string-file.ts";
import type { Format } from "./format.ts";

const indentation = "    ";
/** Names that PHP turns into integer keys and that stand first in a JavaScript object, as lists with gaps have. */
const indexPattern = /^(?:0|[1-9][0-9]{0,8})$/;

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

function renderNode(node: Node, indent: string): string {
  return typeof node === "string" ? quoted(node) : renderGroup(node, indent);
}

function renderGroup(group: Group, indent: string): string {
  const names = Object.keys(group);
  if (names.length === 0) return "[]";
  const inner = indent + indentation;
  const lines = names.map((name) => {
    const value = renderNode(childOf(group, name) ?? "", inner);
    if (isList(group)) return `${inner}${value},\n`;
    return `${inner}${indexPattern.test(name) ? name : quoted(name)} => ${value},\n`;
  });
  return `[\n${lines.join("")}${indent}]`;
}

export const php: Format = {
  extension: ".php",
  render: (file) => `<?php\n\nreturn ${renderGroup(file.group(), "")};\n`,
};
