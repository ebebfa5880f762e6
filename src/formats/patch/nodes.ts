/** The nodes of a file that is read as a tree. */
import type { AppNote } from "../../domain/notes/note.ts";

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
  /** What the file says about it, other than in comments. */
  readonly note?: () => AppNote | undefined;
}
