/** A file as a tree of entries, each with its place in the file's text. */
import { KeyBudget, maxDepth, type Group, type Node } from "../../domain/strings/string-file.ts";
import { errorAt, noteKey } from "./source-text.ts";

/** A text with its range in the file, quotes included. */
export interface TextNode {
  readonly kind: "text";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A value that is not a text, such as a number. */
export interface OtherNode {
  readonly kind: "other";
  readonly start: number;
  readonly end: number;
}

/** A group of entries; its brackets belong to it. */
export interface GroupNode {
  readonly kind: "group";
  /** Whether its entries are counted from 0. */
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
  /** Where the opening bracket ends. */
  readonly innerStart: number;
  /** Where the closing bracket starts. */
  readonly innerEnd: number;
  readonly entries: readonly Entry[];
}

export type TreeNode = TextNode | OtherNode | GroupNode;

/** A name and its value, or an element of a list. Separators and comments around it do not belong to it. */
export interface Entry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly node: TreeNode;
}

/** What a file holds for its locale. */
export interface ParsedFile {
  /** Its texts, nested as the file nests them. */
  readonly content: Group;
  /** The flattened keys of other leaves (numbers, booleans, nulls), which stay in the file and are never sent. */
  readonly nonTextValues: readonly string[];
}

/** @throws FormatError when a group that starts there would be nested too deep. `depth` of the root is 1. */
export function checkDepth(depth: number, source: string, offset: number): void {
  if (depth > maxDepth) throw errorAt(source, offset, `is nested deeper than ${maxDepth} levels`);
}

/**
 * The content of a tree. In a list, a value that is not a text becomes an empty text or group, so that indices agree.
 * @throws FormatError when two entries have the same flattened key.
 */
export function toParsedFile(root: GroupNode, source: string): ParsedFile {
  const nonTextValues: string[] = [];
  const places = new Map<string, number>();
  const budget = new KeyBudget();

  function noteLeaf(key: string, { start }: Entry): void {
    if (!budget.take(key.length)) throw errorAt(source, start, "has keys that are too long together");
    noteKey(places, key, source, start);
  }

  function toContent(entry: Entry, prefix: string): Node | undefined {
    const { node } = entry;
    const key = prefix + entry.name;
    if (node.kind === "group") return toGroup(node, `${key}.`);
    noteLeaf(key, entry);
    if (node.kind === "text") return node.text;
    nonTextValues.push(key);
    return undefined;
  }

  function toGroup(group: GroupNode, prefix: string): Group | undefined {
    const children = group.entries.map((entry) => ({ entry, content: toContent(entry, prefix) }));
    const end = children.findLastIndex(({ content }) => content !== undefined) + 1;
    if (end === 0 && children.length > 0) return undefined;
    if (group.isList) {
      return children.slice(0, end).map(({ entry, content }) => content ?? placeOf(entry.node));
    }
    // No prototype: `__proto__` is a name like any other.
    const named: Record<string, Node> = Object.create(null);
    for (const { entry, content } of children) if (content !== undefined) named[entry.name] = content;
    return named;
  }
  return { content: toGroup(root, "") ?? (root.isList ? [] : {}), nonTextValues };
}

function placeOf(node: TreeNode): Node {
  if (node.kind !== "group") return "";
  return node.isList ? [] : {};
}

/** Whether names are the indices of a list without gaps. */
export function areIndices(names: readonly string[]): boolean {
  return names.every((name, i) => name === String(i));
}
