/**
 * Application Resource Bundles, as Flutter has them: JSON in which `@key` describes `key`. Descriptions belong to the
 * source file: Flutter reads them in its template file alone, and files of other locales are made without them.
 */
import type { AppNote } from "../domain/notes/note.ts";
import type { FileContext, FileFormat } from "./format.ts";
import { jsonSyntax } from "./json.ts";
import { parseNode, readJsonTree, recordOf, textIn } from "./patch/json-tree.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { patch } from "./patch/patch.ts";
import { decodeUtf8, encodeUtf8 } from "./patch/source-text.ts";
import { otherNode, toParsedFile, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";

export const arb: FileFormat = {
  parse(bytes) {
    const text = decodeUtf8(bytes);
    const root = readJsonTree(text);
    const about = new Map(root.entries.filter(isAbout).map(({ name, node }) => [name, node]));
    const entries = root.entries
      .filter((entry) => !isAbout(entry))
      .map((entry): Entry => Object.assign(entry, { note: () => noteIn(about.get(`@${entry.name}`), text) }));
    return toParsedFile({ ...root, entries }, text);
  },
  write(edit, context) {
    const template = decodeUtf8(edit.template);
    const text = edit.isSource ? withoutDescriptions(template, context) : template;
    const removed = new Set([...edit.removed].flatMap((key) => [key, `@${key}`]));
    const tree = describedTree(readJsonTree(text));
    return encodeUtf8(patch(text, tree, { ...edit, removed }, jsonSyntax(text)));
  },
};

/** What a description says of its text. */
function noteIn(about: TreeNode | undefined, text: string): AppNote | undefined {
  if (about?.kind !== "group") return undefined;
  const { description, context, placeholders, "x-maxLength": maxLength } = recordOf(parseNode(about, text));
  const named = Object.entries(recordOf(placeholders)).map(([name, placeholder]) => {
    const { type, example, description: own } = recordOf(placeholder);
    return [name, { type: textIn(type), example: textIn(example), description: textIn(own) }] as const;
  });
  return joinNotes(textNote(textIn(description)), textNote(textIn(context)), {
    max_length: typeof maxLength === "number" ? maxLength : undefined,
    arguments: Object.fromEntries(named),
  });
}

/** Whether an entry is about another, or the file. */
function isAbout({ name }: Entry): boolean {
  return name.startsWith("@");
}

/** A source file without descriptions, with the locale of another file. */
function withoutDescriptions(text: string, { locale }: FileContext): string {
  const root = readJsonTree(text);
  const removed = new Set<string>();
  const entries = root.entries.map((entry) => {
    if (!isAbout(entry) || entry.name.startsWith("@@")) return entry;
    removed.add(entry.name);
    return asText(entry);
  });
  const texts = new Map(entries.some(({ name }) => name === "@@locale") ? [["@@locale", locale]] : []);
  return patch(text, { ...root, entries }, { isSource: false, texts, removed, shape: {} }, jsonSyntax(text));
}

/** Lets an entry be removed as texts are. */
function asText(entry: Entry): Entry {
  const { start, end } = entry.node;
  return { ...entry, node: { kind: "text", text: "", start, end } };
}

/** The tree in which a text and its description right behind it are one entry, so that nothing comes between them. */
function describedTree(root: GroupNode): GroupNode {
  const entries: Entry[] = [];
  for (const entry of root.entries) {
    const before = entries.at(-1);
    if (before !== undefined && !isAbout(before) && entry.name === `@${before.name}`) {
      entries[entries.length - 1] = { ...before, end: entry.end };
    } else if (entry.name.startsWith("@@")) {
      entries.push({ ...entry, node: otherNode(entry.node) });
    } else entries.push(isAbout(entry) ? asText(entry) : entry);
  }
  return { ...root, entries };
}
