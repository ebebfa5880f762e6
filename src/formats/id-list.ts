/**
 * JSON as go-i18n had it before its second version: a list of messages, each with its `id` and its `translation`, which is a
 * text or the forms of a plural. The key is the id, and not the place in the list: files of other locales lack messages.
 */
import { jsonSyntax } from "./json.ts";
import { readJsonTree } from "./patch/json-tree.ts";
import type { PatchSyntax, Place } from "./patch/patch.ts";
import { decodeFile, errorAt, lineEndOf } from "./patch/source-text.ts";
import { otherNode, withRepeated, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";
import { treeFormat } from "./tree-format.ts";

export const idList = treeFormat(messagesOf, ({ text }) => syntaxOf(text), decodeFile);

/** A file as a tree in which each message has its id for a name. */
function messagesOf(text: string): GroupNode {
  const root = readJsonTree(text);
  if (!root.isList) throw errorAt(text, root.start, "is no list of messages with an id");
  const entries = root.entries.map((entry): Entry => {
    const id = memberOf(entry.node, "id");
    if (id?.kind !== "text") throw errorAt(text, entry.start, "has a message without an id");
    return { ...entry, name: id.text, node: memberOf(entry.node, "translation") ?? otherNode(entry.node) };
  });
  return { ...root, isList: false, entries: withRepeated(entries) };
}

function memberOf(node: TreeNode, name: string): TreeNode | undefined {
  const members = node.kind === "group" ? node.entries : [];
  return members.find((member) => member.name === name && member.later === undefined)?.node;
}

function syntaxOf(file: string): PatchSyntax {
  const { separator, literal, entry, group } = jsonSyntax(file);
  const lineEnd = lineEndOf(file);
  const isOnLines = file.trim().includes("\n");
  /** What stands before and after the translation of a message. */
  const around = (name: string, place: Place): readonly [before: string, after: string] => {
    const [open, between, close] = isOnLines
      ? [lineEnd + place.innerIndent, lineEnd + place.innerIndent, lineEnd + place.indent]
      : [" ", " ", " "];
    return [`{${open}"id": ${JSON.stringify(name)},${between}"translation": `, `${close}}`];
  };
  return {
    separator,
    literal,
    entry: (name, text, place) => {
      if (!place.isRoot) return entry(name, text, place);
      const [before, after] = around(name, place);
      return before + JSON.stringify(text) + after;
    },
    group: (name, isList, place) => {
      if (!place.isRoot) return group?.(name, isList, place) ?? ["{", "}"];
      const [before, after] = around(name, place);
      return [`${before}{`, `}${after}`];
    },
  };
}
