/**
 * Application Resource Bundles, as Flutter has them: JSON in which `@key` describes `key`. Descriptions belong to the
 * source file: Flutter reads them in its template file alone, and files of other locales are made without them.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { textFormat } from "./format.ts";
import { jsonSyntax } from "./json.ts";
import { parseNode, readJsonTree, recordOf, textIn } from "./patch/json-tree.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { patch, withoutEntries } from "./patch/patch.ts";
import { otherNode, toParsedFile, type Entry, type GroupNode, type TreeNode } from "./patch/tree.ts";

export const arb = textFormat({
  parse(text) {
    const root = readJsonTree(text);
    const about = new Map(root.entries.filter(isAbout).map(({ name, node }) => [name, node]));
    const entries = root.entries
      .filter((entry) => !isAbout(entry))
      .map((entry): Entry => Object.assign(entry, { note: () => noteIn(about.get(`@${entry.name}`), text) }));
    return toParsedFile({ ...root, entries }, text);
  },
  write(edit, { locale }) {
    const whole = readJsonTree(edit.template);
    const descriptions = edit.isSource ? whole.entries.filter(isDescription) : [];
    const text = withoutEntries(edit.template, whole, descriptions, jsonSyntax(edit.template));
    const hasLocale = edit.isSource && whole.entries.some(({ name }) => name === "@@locale");
    const texts = hasLocale ? new Map([...edit.texts, ["@@locale", locale] as const]) : edit.texts;
    const removed = new Set([...edit.removed].flatMap((key) => [key, `@${key}`]));
    return patch(text, describedTree(readJsonTree(text)), { ...edit, texts, removed }, jsonSyntax(text));
  },
});

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

/** Whether an entry is about one text. */
function isDescription({ name }: Entry): boolean {
  return name.startsWith("@") && !name.startsWith("@@");
}

/** The tree in which a text and its description right behind it are one entry, so that nothing comes between them. */
function describedTree(root: GroupNode): GroupNode {
  const entries: Entry[] = [];
  for (const entry of root.entries) {
    const before = entries.at(-1);
    const { start, end } = entry.node;
    if (before !== undefined && !isAbout(before) && entry.name === `@${before.name}`) {
      entries[entries.length - 1] = { ...before, end: entry.end };
    } else if (isDescription(entry))
      // It can be removed as texts are.
      entries.push({ ...entry, node: { kind: "text", text: "", start, end } });
    else entries.push(entry.name.startsWith("@@") ? { ...entry, node: otherNode(entry.node) } : entry);
  }
  return { ...root, entries };
}
