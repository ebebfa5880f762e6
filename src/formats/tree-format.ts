/** Formats whose files are a tree of entries. */
import type { FileFormat } from "./format.ts";
import { notesIn } from "./patch/notes.ts";
import { patch, type PatchSyntax } from "./patch/patch.ts";
import type { DecodedText } from "./patch/source-text.ts";
import { describedTree, keptTree } from "./patch/sidecars.ts";
import { toParsedFile, type GroupNode } from "./patch/tree.ts";

/**
 * Makes a format from a reader of trees and the syntax of changes.
 * @param decode gives the text of a file, and how a text is written back.
 */
export function treeFormat<D extends DecodedText>(
  read: (text: string) => GroupNode,
  syntaxOf: (file: D, tree: GroupNode) => PatchSyntax,
  decode: (bytes: Uint8Array) => D,
): FileFormat {
  return {
    parse(bytes, { notes }) {
      const file = decode(bytes);
      const whole = read(file.text);
      const tree = notes === undefined ? whole : describedTree(whole, notes);
      return toParsedFile(tree, file.text, () => notesIn(tree, file.text, syntaxOf(file, tree)));
    },
    write(edit, { notes }) {
      const file = decode(edit.template);
      const whole = read(file.text);
      // A file of another locale is made without them.
      const tree = notes === undefined || edit.isSource ? whole : keptTree(whole, notes);
      return file.encode(patch(file.text, tree, edit, syntaxOf(file, tree)));
    },
  };
}
