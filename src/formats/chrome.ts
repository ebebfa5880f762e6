/**
 * The `messages.json` of browser extensions. A message is an object: its text beside a description and placeholders,
 * which a new message in the file of another locale takes over from the source file, as browsers read them there.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { textFormat, type FileEdit } from "./format.ts";
import { jsonSyntax, quoteLike } from "./json.ts";
import { parseNode, readJsonTree, recordOf, textIn } from "./patch/json-tree.ts";
import { SourceEntries } from "./patch/copied-entry.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { patch, type PatchSyntax } from "./patch/patch.ts";
import { lineEndOf, indentOf } from "./patch/source-text.ts";
import { otherNode, toParsedFile, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";

export const chrome = textFormat({
  parse: (text) => toParsedFile(messagesOf(text), text),
  write: (edit) => patch(edit.template, messagesOf(edit.template), edit, syntaxOf(edit)),
});

/** A file as a tree in which each message is the text that it has. */
function messagesOf(text: string): GroupNode {
  const root = readJsonTree(text);
  const entries = root.entries.map((entry): Entry => {
    return { ...entry, node: textOf(entry.node), note: () => noteOf(entry, text) };
  });
  return { ...root, entries };
}

/** A description, and examples of what stands for the placeholders. */
function noteOf({ node }: Entry, text: string): AppNote | undefined {
  if (node.kind !== "group") return undefined;
  const { description, placeholders } = recordOf(parseNode(node, text));
  const examples = Object.entries(recordOf(placeholders)).map(
    ([name, placeholder]) => [name, { example: textIn(recordOf(placeholder).example) }] as const,
  );
  return joinNotes(textNote(textIn(description)), { arguments: Object.fromEntries(examples) });
}

function textOf(node: TreeNode): TreeNode {
  const members = node.kind === "group" ? node.entries : [];
  const message = members.find(({ name, later }) => name === "message" && later === undefined)?.node;
  return message?.kind === "text" ? message : otherNode(node);
}

function syntaxOf({ template: file, source }: FileEdit<string>): PatchSyntax {
  const quote = quoteLike(file);
  const entries = new SourceEntries(source, messagesOf);
  const message = (text: string, open: string, close: string): string =>
    `{${open}"message": ${quote(text)}${close}}`;
  return {
    ...jsonSyntax(file),
    isFlat: true,
    literal: (text, { node }) => (node.kind === "other" ? message(text, " ", " ") : quote(text)),
    entry: (name, text, { like }) => {
      const copied = entries.copy(name, () => quote(text), file, like);
      if (copied !== undefined) return copied;
      const isOnLines = like !== undefined && file.slice(like.start, like.end).includes("\n");
      const outer = like === undefined ? "" : indentOf(file, like.start);
      const lineEnd = lineEndOf(file);
      const content = isOnLines
        ? message(text, lineEnd + outer + outer, lineEnd + outer)
        : message(text, " ", " ");
      return `${quote(name)}: ${content}`;
    },
  };
}
