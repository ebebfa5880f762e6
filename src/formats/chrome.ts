/**
 * The `messages.json` of browser extensions. A message is an object: its text beside a description and placeholders,
 * which a new message in the file of another locale takes over from the source file, as browsers read them there.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { textFormat, type FileEdit } from "./format.ts";
import { jsonSyntax, quoteLike } from "./json.ts";
import { jsonComment, readJsonTree } from "./patch/json-tree.ts";
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
  // Chrome reads comments, which translators of extensions leave for each other.
  const root = readJsonTree(text, jsonComment);
  const entries = root.entries.map((entry): Entry => {
    return { ...entry, node: textOf(entry.node), note: () => noteOf(entry) };
  });
  return { ...root, entries };
}

/** A description, and examples of what stands for the placeholders. */
function noteOf({ node }: Entry): AppNote | undefined {
  const placeholders = memberOf(node, "placeholders");
  const members = placeholders?.kind === "group" ? placeholders.entries : [];
  const examples = members.map(
    (member) => [member.name, { example: textIn(memberOf(member.node, "example")) }] as const,
  );
  return joinNotes(textNote(textIn(memberOf(node, "description"))), {
    arguments: Object.fromEntries(examples),
  });
}

function memberOf(node: TreeNode, name: string): TreeNode | undefined {
  const members = node.kind === "group" ? node.entries : [];
  return members.find((member) => member.name === name && member.effective === undefined)?.node;
}

function textIn(node: TreeNode | undefined): string | undefined {
  return node?.kind === "text" ? node.text : undefined;
}

function textOf(node: TreeNode): TreeNode {
  const message = memberOf(node, "message");
  return message?.kind === "text" ? message : otherNode(node);
}

function syntaxOf({ template: file, source }: FileEdit<string>): PatchSyntax {
  const quote = quoteLike(file);
  const lineEnd = lineEndOf(file);
  const entries = new SourceEntries(source, messagesOf, lineEnd);
  const message = (text: string, open: string, close: string): string =>
    `{${open}"message": ${quote(text)}${close}}`;
  return {
    ...jsonSyntax(file),
    comment: jsonComment,
    isFlat: true,
    literal: (text, { node }) => (node.kind === "other" ? message(text, " ", " ") : quote(text)),
    entry: (name, text, place) => {
      const { like } = place;
      const copied = entries.copy(name, () => quote(text), file, place);
      if (copied !== undefined) return copied;
      const isOnLines = like !== undefined && file.slice(like.start, like.end).includes("\n");
      const outer = like === undefined ? "" : indentOf(file, like.start);
      const content = isOnLines
        ? message(text, lineEnd + outer + outer, lineEnd + outer)
        : message(text, " ", " ");
      return `${quote(name)}: ${content}`;
    },
  };
}
