/** PHP files that return an array, as Laravel and Symfony have them. */
import { treeFormat } from "./tree-format.ts";
import type { PatchSyntax, Place } from "./patch/patch.ts";
import { decodeFile } from "./patch/source-text.ts";
import type { Entry, GroupNode } from "./patch/tree.ts";
import { writePhpText } from "./php/php-literal.ts";
import { phpComment, readPhpTree } from "./php/php-tree.ts";

export const php = treeFormat(readPhpTree, ({ text }, tree) => phpSyntax(text, tree), decodeFile);

function phpSyntax(file: string, root: GroupNode): PatchSyntax {
  const [open, close] = file[root.start] === "[" ? ["[", "]"] : ["array(", ")"];
  const named = (name: string, { like, isElement }: Place): string => {
    if (isElement) return "";
    const text = writePhpName(name, like === undefined ? "'" : quoteAt(file, like.start));
    return `${text.padEnd(arrowColumn(file, like) - 1)} => `;
  };
  return {
    separator: ",",
    comment: phpComment,
    hasFinalSeparator: true,
    literal: (text, { node }) => writePhpText(text, quoteAt(file, node.start)),
    entry: (name, text, place) => {
      const { like } = place;
      return (
        named(name, place) + writePhpText(text, like === undefined ? "'" : quoteAt(file, like.node.start))
      );
    },
    group: (name, _isList, place) => [named(name, place) + open, close],
    elementName: (name) => `${writePhpName(name, "'")} => `,
  };
}

/** The quote that a literal starts with; a text that stands in a heredoc comes to stand in single quotes. */
function quoteAt(file: string, offset: number): "'" | '"' {
  return file[offset] === '"' ? '"' : "'";
}

/** PHP makes whole numbers of such names itself. */
function writePhpName(name: string, quote: "'" | '"'): string {
  return /^(?:0|-?[1-9][0-9]{0,17})$/.test(name) ? name : writePhpText(name, quote);
}

/** How far from its start an entry has its arrow, if its arrow is aligned with others. */
function arrowColumn(file: string, like: Entry | undefined): number {
  if (like === undefined || like.start === like.node.start) return 0;
  const name = file.slice(like.start, like.node.start);
  const [aligned] = /[ \t]{2,}=>[ \t]*$/.exec(name) ?? [];
  return aligned === undefined ? 0 : name.lastIndexOf("=>");
}
