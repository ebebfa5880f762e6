/** A file as a tree of entries, each with its place in the file's text. */
import {
  KeyBudget,
  isTooLong,
  maxDepth,
  maxKeyBytes,
  type Group,
  type Node,
  type Texts,
} from "../../domain/strings/string-file.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { linesOf } from "../../domain/long-texts.ts";
import { excerpt, readableKey } from "../../domain/text.ts";
import { FormatError } from "./format-error.ts";
import type { Entry, GroupNode, OtherNode, Span, TreeNode } from "./nodes.ts";
import { notesIn } from "./notes.ts";
import { checkText, errorAt, noteKey } from "./source-text.ts";

export * from "./nodes.ts";

/** The content of a file for its locale. */
export interface ParsedFile {
  /** Its texts, nested as the file nests them. */
  readonly content: Group;
  /** The same by flattened key, in the order of the file. */
  readonly texts: Texts;
  /**
   * The flattened keys of other leaves, which stay in the file and are never sent: numbers, booleans, nulls, and texts whose
   * key is longer than keys may be, such as a whole licence in a format that takes source texts for keys.
   */
  readonly nonTextValues: readonly string[];
  /** Keys that stand several times with different values, each with the line that programs pass over. */
  readonly repeated: readonly FormatError[];
  /** The first 20 texts among {@link nonTextValues}, each with its line, and that there are more. */
  readonly tooLong: readonly FormatError[];
  /** What the file says about its texts, by flattened key. */
  readonly notes: ReadonlyMap<string, AppNote>;
  /** The line of a text, counted from 1, by its flattened key. */
  readonly lineOf: (key: string) => number | undefined;
}

/** How many texts with a key that is too long are named. */
const mostTooLong = 20;

/** The group of a whole file. */
export function fileRoot({ length }: string, entries: readonly Entry[]): GroupNode {
  return groupIn({ start: 0, end: length }, entries);
}

/** A group without brackets in a part of a file, such as the forms of a plural. */
export function groupIn({ start, end }: Span, entries: readonly Entry[]): GroupNode {
  return { kind: "group", isList: false, start, end, innerStart: start, innerEnd: end, entries };
}

/** A group with further entries, which take the places of those that start where they do. */
export function withEntries(group: GroupNode, further: readonly Entry[]): GroupNode {
  const starts = new Set(further.map(({ start }) => start));
  const entries = [...group.entries.filter(({ start }) => !starts.has(start)), ...further];
  return { ...group, entries: entries.toSorted((a, b) => a.start - b.start) };
}

/** @throws FormatError when a group that starts there would be nested too deep. `depth` of the root is 1. */
export function checkDepth(depth: number, source: string, offset: number): void {
  if (depth > maxDepth) throw errorAt(source, offset, `is nested deeper than ${maxDepth} levels`);
}

/**
 * Converts a tree. In a list, a value that is not a text becomes an empty text or group, so that indices agree.
 * @param readNotes reads what the file says about its texts.
 * @throws FormatError when two entries have the same flattened key.
 */
export function toParsedFile(
  tree: GroupNode,
  source: string,
  readNotes = () => notesIn(tree, source),
): ParsedFile {
  const texts = new Map<string, string>();
  const nonTextValues: string[] = [];
  const repeated: FormatError[] = [];
  const tooLong: FormatError[] = [];
  const places = new Map<string, number>();
  const starts = new Map<string, number>();
  const budget = new KeyBudget();
  const lineOf = linesOf(source);
  function take(key: string, start: number): void {
    if (!budget.take(key.length)) throw errorAt(source, start, "has keys that are too long together");
  }
  const root = withoutLongKeys(tree, (key, { start }) => {
    take(key, start);
    if (tooLong.length > mostTooLong) return;
    if (tooLong.length === mostTooLong) {
      tooLong.push(new FormatError("more keys are too long, so their texts stay in the file", lineOf(start)));
      return;
    }
    const message = `the key ${excerpt(readableKey(key))} is longer than ${maxKeyBytes} bytes, so its text stays in the file`;
    tooLong.push(new FormatError(message, lineOf(start)));
  });

  function collect(group: GroupNode, prefix: string): void {
    const end = endOf(group);
    for (const [i, { name, node, start, effective }] of group.entries.entries()) {
      const key = prefix + name;
      if (effective !== undefined) {
        if (valueIn(source, node) !== valueIn(source, effective.node)) {
          const where = `${effective.start > start ? "again" : "already"} in line ${lineOf(effective.start)}`;
          const message = `the key ${excerpt(readableKey(key))} stands ${where}, and only that one counts`;
          repeated.push(new FormatError(message, lineOf(start)));
        }
        continue;
      }
      if (node.kind === "group") {
        checkText(name, source, start);
        collect(node, `${key}.`);
        continue;
      }
      // It was taken before.
      if (!isTooLong(key)) take(key, start);
      noteKey(places, key, source, start);
      checkText(name, source, start);
      if (node.kind === "other") nonTextValues.push(key);
      if (node.kind === "text") {
        const { text, textStart = node.start } = node;
        starts.set(key, textStart);
        checkText(text, source, textStart);
        texts.set(key, text);
      } else if (i < end) texts.set(key, "");
    }
  }
  collect(root, "");
  let content: Group | undefined;
  let notes: ReadonlyMap<string, AppNote> | undefined;
  return {
    texts,
    nonTextValues,
    repeated,
    tooLong,
    lineOf: (key) => {
      const at = starts.get(key);
      return at === undefined ? undefined : lineOf(at);
    },
    // Few callers need them, and making them takes as long as all the rest.
    get content() {
      return (content ??= toGroup(root) ?? emptyGroup(root));
    },
    get notes() {
      notes ??= readNotes();
      if (tooLong.length > 0) notes = new Map([...notes].filter(([key]) => !isTooLong(key)));
      return notes;
    },
  };
}

/**
 * The tree with other values in place of all that has a longer key than texts may have. A list of which a part has one is no
 * list of texts: the indices of its other parts would not agree.
 * @param take takes each, with its entry.
 * @returns the same tree where there is none, as nearly always.
 */
function withoutLongKeys(root: GroupNode, take: (key: string, entry: Entry) => void): GroupNode {
  function held(group: GroupNode, prefix: string): GroupNode | OtherNode {
    let hasLong = false;
    const entries = group.entries.map((entry) => {
      const { name, node, effective } = entry;
      if (effective !== undefined || node.kind === "other") return entry;
      const { start, end } = node;
      let kept: TreeNode = node;
      if (isTooLong(prefix + name)) {
        take(prefix + name, entry);
        kept = { kind: "other", start, end };
      } else if (node.kind === "group") kept = held(node, `${prefix}${name}.`);
      if (kept === node) return entry;
      hasLong = true;
      return { ...entry, node: kept };
    });
    if (!hasLong) return group;
    const { start, end } = group;
    return group.isList ? { kind: "other", start, end } : { ...group, entries };
  }
  const tree = held(root, "");
  return tree.kind === "group" ? tree : { ...root, entries: [] };
}

function valueIn(source: string, { start, end }: Span): string {
  return source.slice(start, end);
}

/** @returns undefined for a group that has values, but no content. */
function toGroup(group: GroupNode): Group | undefined {
  const { entries, isList } = group;
  const end = endOf(group);
  // No prototype: `__proto__` is a name like any other.
  const named: Record<string, Node> = Object.create(null);
  const list: Node[] = [];
  let isEmpty = true;
  for (const [i, { name, node }] of entries.entries()) {
    const content = toContent(node, i < end);
    if (content === undefined) continue;
    isEmpty = false;
    if (isList) list.push(content);
    else named[name] = content;
  }
  if (isEmpty && entries.length > 0) return undefined;
  return isList ? list : named;
}

/** @param holdsPlace whether an element that has no content is needed. */
function toContent(node: TreeNode, holdsPlace: boolean): Node | undefined {
  if (node.kind === "text") return node.text;
  const content = node.kind === "group" ? toGroup(node) : undefined;
  if (content !== undefined || !holdsPlace) return content;
  return node.kind === "group" ? emptyGroup(node) : "";
}

/** Before which index the values of a list hold a place, though they are no texts. */
function endOf({ isList, entries }: GroupNode): number {
  return isList ? entries.findLastIndex(({ node }) => hasContent(node)) : 0;
}

/** Whether a list needs an element for a value: it is or has a text, or is an empty group. */
function hasContent(node: TreeNode): boolean {
  if (node.kind !== "group") return node.kind === "text";
  return node.entries.length === 0 || node.entries.some((entry) => hasContent(entry.node));
}

function emptyGroup({ isList }: GroupNode): Group {
  return isList ? [] : {};
}

/** Whether names are the indices of a list without gaps. */
export function areIndices(names: readonly string[]): boolean {
  return names.every((name, i) => name === String(i));
}

/** The first entry of a group that has a text, in groups within it too. */
export function firstText({ entries }: GroupNode): Entry | undefined {
  for (const entry of entries) {
    const found = entry.node.kind === "group" ? firstText(entry.node) : entry;
    if (found?.node.kind === "text") return found;
  }
  return undefined;
}
