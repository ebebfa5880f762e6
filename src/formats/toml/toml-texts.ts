/**
 * The texts of a TOML file. A table of plural forms, as go-i18n and Hugo have them, is a plural where it has several
 * forms, and one text where `other` is all it has: most of such tables are no plurals.
 */
import type { AppNote } from "../../domain/notes/note.ts";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { cutNote } from "../../domain/notes/cut-note.ts";
import { groupBy } from "../../domain/group-by.ts";
import type { OwnLine } from "../patch/section-writer.ts";
import { commentStart } from "../patch/source-text.ts";
import { withPlainForms } from "../patch/plain-forms.ts";
import { commentNote, joinNotes, textNote } from "../patch/notes.ts";
import {
  fileRoot,
  groupIn,
  otherNode,
  toParsedFile,
  type Entry,
  type GroupNode,
  type ParsedFile,
} from "../patch/tree.ts";
import {
  pathKey,
  valuesIn,
  type Path,
  type TomlFile,
  type TomlLine,
  type TomlTable,
  type TomlValue,
} from "./toml-file.ts";

/** A text, or another value. */
export interface TomlLeaf {
  readonly path: Path;
  readonly value: TomlValue;
  readonly line: TomlLine;
  readonly table: TomlTable;
  readonly message: TomlMessage | undefined;
}

/** A table of plural forms. */
export interface TomlMessage {
  readonly path: Path;
  /** Whether it is one text, whose key is its own. */
  readonly isOneText: boolean;
  /** Its forms, and the values that describe it. */
  readonly values: readonly TomlValue[];
}

const categories: ReadonlySet<string> = new Set(pluralCategories);
/** The other names that go-i18n has in a table of forms. */
const about: ReadonlySet<string> = new Set(["id", "description", "hash", "leftdelim", "rightdelim"]);

/** Whether a value of a table of forms describes it, rather than being a form. */
export function isAbout({ path }: TomlValue): boolean {
  return about.has(path.at(-1)?.toLowerCase() ?? "");
}

function isForm({ path }: TomlValue): boolean {
  return categories.has(path.at(-1) ?? "");
}

/**
 * The tables of plural forms, by their paths.
 * @param source the texts of the source file: they decide whether a table with `other` alone is a plural. Undefined for the
 * source file itself.
 */
export function messagesIn(file: TomlFile, source: Texts | undefined): ReadonlyMap<string, TomlMessage> {
  const values = file.flatMap(({ lines }) => lines.flatMap(({ node }) => valuesIn(node)));
  const byTable = groupBy(values, ({ path }) => pathKey(path.slice(0, -1)));
  const groups = new Set<string>();
  for (const { path } of values)
    for (let i = 1; i < path.length - 1; i++) groups.add(pathKey(path.slice(0, i)));
  const messages = new Map<string, TomlMessage>();
  for (const [name, own] of byTable) {
    const path = own[0]?.path.slice(0, -1) ?? [];
    const areForms = own.every((value) => value.text !== undefined && (isForm(value) || isAbout(value)));
    if (path.length === 0 || groups.has(name) || !areForms) continue;
    const forms = own.filter(isForm);
    const key = path.join(".");
    const isOneInSource = source?.has(key);
    const isPluralInSource = source?.has(`${key}.other`);
    if (!isOneInSource && !isPluralInSource && !forms.some(isOther)) continue;
    const isOneText = isOneInSource || (!isPluralInSource && forms.length === 1);
    messages.set(name, { path, isOneText, values: own });
  }
  return messages;
}

function isOther({ path }: TomlValue): boolean {
  return path.at(-1) === "other";
}

/** Whether a value of a table of forms is a text, or a part of one. */
export function isShown(value: TomlValue, { isOneText }: Pick<TomlMessage, "isOneText">): boolean {
  return isOneText ? isOther(value) : isForm(value);
}

/** The texts and other values of a file, in its order. */
export function leavesIn(file: TomlFile, messages: ReadonlyMap<string, TomlMessage>): readonly TomlLeaf[] {
  const leaves: TomlLeaf[] = [];
  for (const table of file) {
    for (const line of table.lines) {
      for (const value of valuesIn(line.node)) {
        const message = messages.get(pathKey(value.path.slice(0, -1)));
        if (message !== undefined && !isShown(value, message)) continue;
        const path = message?.isOneText === true ? message.path : value.path;
        leaves.push({ path, value, line, table, message });
      }
    }
  }
  return leaves;
}

/** The tree of a file's leaves. */
export function treeOf(text: string, leaves: readonly TomlLeaf[]): GroupNode {
  const root: Entry[] = [];
  const groups = new Map([[pathKey([]), root]]);
  const entriesOf = (path: Path, start: number, isList: boolean): Entry[] => {
    const known = groups.get(pathKey(path));
    if (known !== undefined) return known;
    const entries: Entry[] = [];
    const node = { ...groupIn({ start, end: start }, entries), isList };
    entriesOf(path.slice(0, -1), start, false).push({ name: path.at(-1) ?? "", start, end: start, node });
    groups.set(pathKey(path), entries);
    return entries;
  };
  for (const { path, value, line } of leaves) {
    const { start, end, text: own } = value;
    const node = own === undefined ? otherNode(value) : ({ kind: "text", text: own, start, end } as const);
    const group = entriesOf(path.slice(0, -1), start, line.node.kind === "array");
    group.push({ name: path.at(-1) ?? "", start, end, node });
  }
  return fileRoot(text, root);
}

/** A file as the Hive has it. @param source as {@link messagesIn} takes it. */
export function parsedToml(text: string, file: TomlFile, source: Texts | undefined): ParsedFile {
  const leaves = leavesIn(file, messagesIn(file, source));
  const tree = withPlainForms(treeOf(text, leaves), source);
  return toParsedFile(tree, text, () => notesOf(text, leaves));
}

/** The notes of each text: the comments above it or above its table of forms, and the description in that table. */
function notesOf(text: string, leaves: readonly TomlLeaf[]): Map<string, AppNote> {
  const above = ({ start, floor }: OwnLine): AppNote | undefined =>
    commentNote(text.slice(commentStart(text, start, floor), start), /#[^\n]*/y);
  const notes = new Map<string, AppNote>();
  for (const { path, value, line, table, message } of leaves) {
    if (value.text === undefined) continue;
    const ofMessage = message?.path.length;
    const isOwnLine =
      line.node === value || line.node.kind === "array" || line.node.path.length === ofMessage;
    const description = message?.values.find((one) => one.path.at(-1)?.toLowerCase() === "description");
    const note = joinNotes(
      textNote(description?.text),
      table.path.length === ofMessage ? table.header && above(table.header) : undefined,
      isOwnLine ? above(line) : undefined,
    );
    const cut = note === undefined ? undefined : cutNote(note);
    if (cut !== undefined) notes.set(path.join("."), cut);
  }
  return notes;
}
