/** Formats whose files are a tree of entries. */
import type { FileFormat } from "./format.ts";
import { notesIn } from "./patch/notes.ts";
import { openPlainForms, withPlainForms } from "./patch/plain-forms.ts";
import { patch, type PatchSyntax } from "./patch/patch.ts";
import type { DecodedText } from "./patch/source-text.ts";
import { describedTree, keptTree } from "./patch/sidecars.ts";
import { toParsedFile, type GroupNode } from "./patch/tree.ts";

/**
 * Makes a format from a reader of trees and the syntax of changes.
 * @param decode gives the text of a file, and how a text is written back.
 * @param options.mayBePlain whether a text may stand in the place of a plural.
 */
export function treeFormat<D extends DecodedText>(
  read: (text: string) => GroupNode,
  syntaxOf: (file: D, tree: GroupNode) => PatchSyntax,
  decode: (bytes: Uint8Array) => D,
  { mayBePlain = false }: { readonly mayBePlain?: boolean } = {},
): FileFormat {
  return {
    parse(bytes, { notes, sourceTexts }) {
      const file = decode(bytes);
      const all = read(file.text);
      const whole = mayBePlain ? withPlainForms(all, sourceTexts) : all;
      const tree = notes === undefined ? whole : describedTree(whole, notes);
      return toParsedFile(tree, file.text, () => notesIn(tree, file.text, syntaxOf(file, tree)));
    },
    write(edit, { notes, sourceTexts }) {
      const file = decode(edit.template);
      const all = read(file.text);
      const [whole, own] = mayBePlain ? openPlainForms(all, edit, sourceTexts) : [all, edit];
      // A file of another locale is made without them.
      const tree = notes === undefined || edit.isSource ? whole : keptTree(whole, notes);
      return file.encode(patch(file.text, tree, own, syntaxOf(file, tree)));
    },
  };
}
