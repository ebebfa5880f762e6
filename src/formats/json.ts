/** JSON, flat or nested, as i18next, Laravel, vue-i18n and others have it. */
import { escapeUnits } from "../domain/text.ts";
import { treeFormat } from "./tree-format.ts";
import type { PatchSyntax, Place } from "./patch/patch.ts";
import { readJsonTree } from "./patch/json-tree.ts";
import { decodeFile } from "./patch/source-text.ts";
import { otherNode, type Entry, type GroupNode } from "./patch/tree.ts";

export const json = treeFormat(readTexts, ({ text }) => jsonSyntax(text), decodeFile, { mayBePlain: true });

/** The tree of a file, in which what is there for programs alone is no text: `$schema`, and the declarations of inlang. */
function readTexts(text: string): GroupNode {
  const root = readJsonTree(text);
  return mapGroups({
    ...root,
    entries: root.entries.map((entry) => (isForPrograms(entry) ? silent(entry) : entry)),
  });
}

function isForPrograms({ name, node }: Entry): boolean {
  return name === "$schema" && node.kind === "text";
}

function silent(entry: Entry): Entry {
  return { ...entry, node: otherNode(entry.node) };
}

/** A message of inlang with variants: what it declares and selects by, and its texts by what they match. */
const variantNames = ["declarations", "match", "selectors"];

function mapGroups(group: GroupNode): GroupNode {
  const names = group.entries.map(({ name }) => name).toSorted();
  const isVariants =
    names.length === variantNames.length && variantNames.every((name, i) => name === names[i]);
  const entries = group.entries.map((entry): Entry => {
    if (isVariants && entry.name !== "match") return silent(entry);
    return entry.node.kind === "group" ? { ...entry, node: mapGroups(entry.node) } : entry;
  });
  return { ...group, entries };
}

/** How JSON is written in a file: with the escapes and blanks that it has. */
export function jsonSyntax(file: string): PatchSyntax {
  const quote = quoteLike(file);
  const named = (name: string, { like, isElement }: Place): string =>
    isElement ? "" : quote(name) + colonOf(file, like);
  return {
    separator: ",",
    literal: quote,
    entry: (name, text, place) => named(name, place) + quote(text),
    group: (name, isList, place) => {
      const [open, close] = isList ? "[]" : "{}";
      return [named(name, place) + open, close ?? ""];
    },
    elementName: (name) => quote(name) + colonOf(file, undefined),
    brackets: { object: ["{", "}"], list: ["[", "]"] },
  };
}

/** The colon of an entry and the blanks around it. */
function colonOf(file: string, like: Entry | undefined): string {
  if (like === undefined || like.start === like.node.start) return /^[^\n]*":\S/.test(file) ? ":" : ": ";
  const name = file.slice(like.start, like.node.start);
  return /[ \t]*:[ \t]*$/.exec(name)?.[0] ?? ": ";
}

/** Writes strings with the escapes that a file uses: PHP and Python write everything but ASCII, and slashes, escaped. */
export function quoteLike(file: string): (text: string) => string {
  const isAscii = /\\u[0-9a-fA-F]{4}/.test(file) && !/[^\p{ASCII}]/u.test(file);
  const isSlashed = file.includes(String.raw`\/`) && !/(?<!\\)\//.test(file);
  return (text) => {
    let quoted = JSON.stringify(text);
    if (isSlashed) quoted = quoted.replaceAll("/", String.raw`\/`);
    if (isAscii) quoted = quoted.replaceAll(/[^\p{ASCII}]/gu, (character) => escapeUnits(character));
    return quoted;
  };
}
