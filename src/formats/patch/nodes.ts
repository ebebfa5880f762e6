/** The nodes of a file that is read as a tree. */
import type { AppNote } from "../../domain/notes/note.ts";

/** A part of a file's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text with its range in the file, quotes included. */
export interface TextNode extends Span {
  readonly kind: "text";
  readonly text: string;
  /** Where the text itself starts, if something else that changes with it stands before it. */
  readonly textStart?: number;
}

/** A value that is not a text, such as a number. */
export interface OtherNode extends Span {
  readonly kind: "other";
}

/** A group of entries; its brackets belong to it. */
export interface GroupNode extends Span {
  readonly kind: "group";
  /** Whether its entries are counted from 0. */
  readonly isList: boolean;
  /** Where the opening bracket ends. */
  readonly innerStart: number;
  /** Where the closing bracket starts. */
  readonly innerEnd: number;
  /** The tag of an XML element without an end tag, which gets one with its first entry. */
  readonly emptyTag?: string;
  readonly entries: readonly Entry[];
}

export type TreeNode = TextNode | OtherNode | GroupNode;

/** A name and its value, or an element of a list. Separators and comments around it do not belong to it. */
export interface Entry extends Span {
  readonly name: string;
  readonly node: TreeNode;
  /** The entry of the same name that programs take in place of this one. */
  readonly effective?: Entry;
  /** What the file says about it, other than in comments. */
  readonly note?: () => AppNote | undefined;
}

/**
 * The entries of a group in which a name may stand several times: all but one of a name are no texts, and stay in the file
 * as long as that one does.
 * @param taken which of them programs take.
 */
export function withRepeated(entries: readonly Entry[], taken: "first" | "last" = "last"): readonly Entry[] {
  const byName = effectiveByKey(
    entries,
    ({ name }) => name,
    () => taken === "last",
  );
  if (byName.size === entries.length) return entries;
  return entries.map((entry) => {
    const effective = byName.get(entry.name);
    return effective === undefined || effective === entry
      ? entry
      : { ...entry, node: otherNode(entry.node), effective };
  });
}

/**
 * What programs take where several parts of a file have the same key.
 * @param isTaken whether a part is taken in place of an earlier one.
 */
export function effectiveByKey<Part>(
  parts: readonly Part[],
  keyOf: (part: Part) => string,
  isTaken: (part: Part, earlier: Part) => boolean,
): ReadonlyMap<string, Part> {
  const taken = new Map<string, Part>();
  for (const part of parts) {
    const key = keyOf(part);
    const earlier = taken.get(key);
    if (earlier === undefined || isTaken(part, earlier)) taken.set(key, part);
  }
  return taken;
}

/** A node for a value that is no text, such as a number. */
export function otherNode({ start, end }: Span): OtherNode {
  return { kind: "other", start, end };
}

/** Whether an element of XML is one tag, `<a/>`, without an end tag. */
export function isClosedAtOnce({
  innerEnd,
  end,
}: {
  readonly innerEnd: number;
  readonly end: number;
}): boolean {
  return innerEnd === end;
}

/** Where the `/>` of such an element starts, with the blanks before it. @param file has the element. */
export function closingAt({ start, end }: Span, file: string): number {
  return start + file.slice(start, end - "/>".length).trimEnd().length;
}
