/**
 * Apple's `.stringsdict`: for each string a format, `%#@files@`, and for each variable of it the forms of a plural. The
 * key of a form is `key.variable.few`, and the key of a format that has words is `key.NSStringLocalizedFormatKey`.
 */
import { pluralCategories } from "../domain/strings/plural-forms.ts";
import type { Texts } from "../domain/strings/string-file.ts";
import { groupsOf } from "../domain/strings/flattened-keys.ts";
import { excerpt } from "../domain/text.ts";
import { FormatError, textFormat, type FileEdit } from "./format.ts";
import { notesIn } from "./patch/notes.ts";
import { patch, withoutEntries, type PatchSyntax } from "./patch/patch.ts";
import { errorAt, lineEndOf } from "./patch/source-text.ts";
import { otherNode, toParsedFile, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";
import {
  plainNode,
  plainTextOf,
  plainTextProblem,
  replaceContent,
  writePlainText,
} from "./patch/xml-content.ts";
import { childElements, elementGroup, readXmlTree, type XmlElement } from "./patch/xml-tree.ts";

export const stringsdict = textFormat({
  parse(text, { sourceTexts }) {
    const root = readTree(text, sourceTexts);
    return toParsedFile(root, text, () => notesIn(root, text, { separator: "", comment }));
  },
  write(edit, { sourceTexts }) {
    const { template: text } = edit;
    const root = readTree(text, sourceTexts);
    const whole = wholeStrings(edit, sourceTexts);
    // A string without any form is of no use.
    const kept = groupsAround(whole.keys());
    const isLost = (key: string): boolean => !whole.has(key) && (edit.isSource || edit.removed.has(key));
    const gone = root.entries.filter((entry) => {
      const keys = keysOf(entry, "");
      return keys.length > 0 && keys.every(isLost) && !kept.has(entry.name);
    });
    const syntax = syntaxOf(text, edit);
    const left = gone.length === 0 ? text : withoutEntries(text, root, gone, syntax);
    return patch(left, readTree(left, sourceTexts), { ...edit, texts: whole }, syntaxOf(left, edit));
  },
  problemIn: plainTextProblem,
});

/** The groups that keys lie in. */
function groupsAround(keys: Iterable<string>): ReadonlySet<string> {
  return new Set(Array.from(keys, groupsOf).flat());
}

/** The flattened keys of an entry's texts. */
function keysOf({ name, node }: Entry, prefix: string): readonly string[] {
  if (node.kind === "group") return node.entries.flatMap((entry) => keysOf(entry, `${prefix}${name}.`));
  return node.kind === "text" ? [prefix + name] : [];
}

/**
 * The texts of an edit, with the source's where a string would otherwise lack its format or all forms of a variable:
 * then it could not be shown.
 */
function wholeStrings(
  { texts, source, template, isSource }: FileEdit<string>,
  sourceTexts: Texts | undefined,
): Texts {
  const entries = isSource ? [] : readTree(template, sourceTexts).entries;
  const local = entries.flatMap((entry) => keysOf(entry, ""));
  const whole = new Map(texts);
  const changed = groupsAround(texts.keys());
  const present = new Set([...texts.keys(), ...local, ...changed, ...groupsAround(local)]);
  for (const string of source === undefined ? [] : readTree(source).entries) {
    if (!changed.has(string.name)) continue;
    for (const part of childrenOf(string)) {
      const prefix = `${string.name}.${part.name}`;
      if (present.has(prefix)) continue;
      if (part.node.kind === "text") whole.set(prefix, part.node.text);
      for (const { name, node } of childrenOf(part))
        if (node.kind === "text") whole.set(`${prefix}.${name}`, node.text);
    }
  }
  return whole;
}

const comment = /<!--[^]*?-->/y;
const formatKey = "NSStringLocalizedFormatKey";

/** @param sourceTexts tell that a format without words is a text: its source has words. */
function readTree(text: string, sourceTexts?: Texts): GroupNode {
  const plist = readXmlTree(text, { takesDoctype: true });
  const [dict] = childElements(plist);
  if (plist.name !== "plist" || dict?.name !== "dict")
    throw errorAt(text, plist.start, "is not a property list with a <dict>");
  return groupOf(dict, text, (value, name) =>
    toString(value, text, sourceTexts?.has(`${name}.${formatKey}`) === true),
  );
}

/** A dictionary as a group. @param toNode gives the node of a value. */
function groupOf(
  dict: XmlElement,
  text: string,
  toNode: (value: XmlElement, name: string) => TreeNode,
): GroupNode {
  const children = childElements(dict);
  const entries: Entry[] = [];
  for (let i = 0; i < children.length; i += 2) {
    const [key, value] = [children[i], children[i + 1]];
    if (key?.name !== "key" || value === undefined)
      throw errorAt(text, (key ?? dict).start, "has no <key> with a value where one should be");
    const name = plainTextOf(key);
    entries.push({ name, start: key.start, end: value.end, node: toNode(value, name) });
  }
  return elementGroup(dict, entries);
}

/** A string: its format, and its variables. @param hasText whether its format is a text in any case. */
function toString(value: XmlElement, text: string, hasText: boolean): TreeNode {
  if (value.name !== "dict") return otherNode(value);
  return groupOf(value, text, (member, name) => {
    if (member.name === "dict")
      return groupOf(member, text, (form, category) => toForm(form, category, text));
    if (name !== formatKey || member.name !== "string") return otherNode(member);
    const node = plainNode(member, text);
    return hasText || hasWords(node.text) ? node : otherNode(member);
  });
}

/** Whether a format has more than variables. */
function hasWords(format: string): boolean {
  return /\p{L}/u.test(format.replaceAll(/%(?:\d+\$)?#@[^@]*@/g, ""));
}

function toForm(form: XmlElement, category: string, text: string): TreeNode {
  const isForm = pluralCategories.some((one) => one === category) && form.name === "string";
  return isForm ? plainNode(form, text) : otherNode(form);
}

function syntaxOf(file: string, { source }: FileEdit<string>): PatchSyntax {
  const lineEnd = lineEndOf(file);
  const inSource = new Map<string, Entry>();
  for (const string of source === undefined ? [] : readTree(source).entries) {
    inSource.set(string.name, string);
    for (const part of childrenOf(string)) inSource.set(`${string.name}.${part.name}`, part);
  }
  const content = (text: string): string => writePlainText(text, lineEnd);
  const key = (name: string): string => `<key>${content(name)}</key>`;
  /** What the source's dictionary of that key has besides texts: the format of a string, the type of a variable. */
  const others = (path: string, indent: string): string => {
    const group = inSource.get(path);
    const lines = (group === undefined ? [] : childrenOf(group)).filter(({ node }) => node.kind === "other");
    return lines
      .map(({ start, end }) => {
        const code = source?.slice(start, end) ?? "";
        return lineEnd + indent + code.replaceAll(/\r?\n[ \t]*/g, lineEnd + indent);
      })
      .join("");
  };
  return {
    separator: "",
    comment,
    literal: (text, { name, node }) => {
      if (node.kind === "other") throw new FormatError(`cannot hold a text for ${excerpt(name)}`);
      return replaceContent(content(text), node, file);
    },
    entry: (name, text, { indent }) => `${key(name)}${lineEnd}${indent}<string>${content(text)}</string>`,
    group: (name, _isList, { prefix, indent, innerIndent }) => [
      `${key(name)}${lineEnd}${indent}<dict>${others(prefix + name, innerIndent)}`,
      "</dict>",
    ],
  };
}

function childrenOf({ node }: Entry): readonly Entry[] {
  return node.kind === "group" ? node.entries : [];
}
