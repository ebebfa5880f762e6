/**
 * JSON or YAML as go-i18n had it before its second version, and as Hugo has it: a list of messages, each with its `id` and
 * its `translation`, which is a text or the forms of a plural. The key is the id, and not the place in the list: files of
 * other locales lack messages. Of two messages with one id, go-i18n has the last.
 */
import { textFormat, type FileFormat } from "./format.ts";
import { jsonSyntax } from "./json.ts";
import { readJsonTree } from "./patch/json-tree.ts";
import type { PatchSyntax, Place } from "./patch/patch.ts";
import { openPlainForms } from "./patch/plain-forms.ts";
import { planEdit } from "./patch/plan-edit.ts";
import { decodeFile, decodeUtf8, errorAt, lineEndOf } from "./patch/source-text.ts";
import { groupIn, otherNode, withRepeated, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";
import { treeFormat } from "./tree-format.ts";
import { parsedYaml } from "./yaml.ts";
import { YamlPatcher, type MessageTexts } from "./yaml/yaml-patch.ts";
import { isOtherInYaml12 } from "./yaml/yaml-scalars.ts";
import { readYaml } from "./yaml/yaml-tree.ts";

const inJson = treeFormat(messagesOf, ({ text }) => syntaxOf(text), decodeFile, { mayBePlain: true });

const inYaml = textFormat({
  parse: (text, { sourceTexts }) => parsedYaml(text, readMessages(text).root, sourceTexts),
  write(edit, { sourceTexts }) {
    const { root, texts } = readMessages(edit.template);
    const { length: end } = edit.template;
    const [tree, own] = openPlainForms(root ?? groupIn({ start: end, end }, []), edit, sourceTexts);
    const { root: draft } = planEdit(tree, own);
    const patcher = new YamlPatcher(own, root, texts);
    if (root === undefined) patcher.addLines(patcher.linesOf(draft, 0), end);
    else patcher.patchGroup(draft, root);
    return patcher.end();
  },
});

export const idList: FileFormat = {
  parse: (bytes, context) => formatOf(bytes).parse(bytes, context),
  write: (edit, context) => formatOf(edit.template).write(edit, context),
};

function formatOf(bytes: Uint8Array): FileFormat {
  return /^\s*[[{]/.test(decodeUtf8(bytes)) ? inJson : inYaml;
}

/** A file as a tree in which each message has its id for a name. */
function messagesOf(text: string): GroupNode {
  const root = readJsonTree(text);
  if (!root.isList) throw errorAt(text, root.start, "is no list of messages with an id");
  const entries = root.entries.map((entry): Entry => {
    const node = memberOf(entry.node, "translation")?.node ?? otherNode(entry.node);
    return { ...entry, name: idOf(entry, text), node };
  });
  return { ...root, isList: false, entries: withRepeated(entries) };
}

/** The same of YAML, whose messages have lines of their own. */
function readMessages(text: string): { readonly root: GroupNode | undefined; readonly texts: MessageTexts } {
  const { root, references } = readYaml(text, isOtherInYaml12, false, true);
  const [reference] = references;
  if (reference !== undefined) throw errorAt(text, reference.alias, "has an alias in a list of messages");
  const texts = new Map<Entry, { readonly member: Entry; readonly isInBraces: boolean }>();
  const entries = root?.entries.map((entry): Entry => {
    const member = memberOf(entry.node, "translation");
    const name = idOf(entry, text);
    if (member === undefined) throw errorAt(text, entry.start, "has a message without a translation");
    const message = { ...entry, name, node: member.node };
    const isInBraces = entry.node.kind === "group" && entry.node.start < entry.node.innerStart;
    texts.set(message, { member, isInBraces });
    return message;
  });
  return { root: root && { ...root, isList: false, entries: withRepeated(entries ?? []) }, texts };
}

/** @throws FormatError when a message has no id. */
function idOf({ node, start }: Entry, text: string): string {
  const id = memberOf(node, "id")?.node;
  if (id?.kind !== "text") throw errorAt(text, start, "has a message without an id");
  return id.text;
}

function memberOf(node: TreeNode, name: string): Entry | undefined {
  const members = node.kind === "group" ? node.entries : [];
  return members.find((member) => member.name === name && member.effective === undefined);
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
