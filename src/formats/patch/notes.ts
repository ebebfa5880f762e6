/** What a file says about its texts, in comments and beside them. */
import { cutNote } from "../../domain/notes/cut-note.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { blocksOf, type GapSyntax } from "./gaps.ts";
import type { Entry, GroupNode } from "./nodes.ts";

/**
 * The notes of a tree's texts, by flattened key. A note about a list or a plural is about each of its texts.
 * @param startOf where an entry starts with its comments, if that is not read from the gaps.
 */
export function notesIn(
  root: GroupNode,
  file: string,
  comments?: GapSyntax,
  startOf?: (entry: Entry, before: Entry | undefined) => number,
): ReadonlyMap<string, AppNote> {
  const notes = new Map<string, AppNote>();

  function visit(group: GroupNode, prefix: string, about: AppNote | undefined): void {
    const hasBlocks = startOf === undefined && comments?.comment !== undefined;
    const blocks = hasBlocks ? blocksOf(group, file, comments) : [];
    for (const [i, entry] of group.entries.entries()) {
      const { name, start, node } = entry;
      const from = startOf?.(entry, group.entries[i - 1]) ?? blocks[i]?.start ?? start;
      const above = file.slice(from, start);
      const note = joinNotes(about, commentNote(above, comments?.comment), entry.note?.());
      if (node.kind === "group") visit(node, `${prefix}${name}.`, isOneString(node) ? note : undefined);
      const cut = node.kind === "text" && note !== undefined ? cutNote(note) : undefined;
      if (cut !== undefined) notes.set(prefix + name, cut);
    }
  }
  visit(root, "", undefined);
  return notes;
}

/** Whether a group is a list, or the forms of a plural. */
function isOneString({ isList, entries }: GroupNode): boolean {
  const texts = entries.filter(({ node }) => node.kind !== "other");
  return isList || texts.every(({ name }) => pluralCategories.some((category) => category === name));
}

/** One note of several, their texts below each other. */
export function joinNotes(...notes: readonly (AppNote | undefined)[]): AppNote | undefined {
  const present = notes.filter((note) => note !== undefined);
  if (present.length < 2) return present[0];
  const texts = new Set(present.flatMap(({ note }) => note ?? []));
  const all: AppNote = Object.assign({}, ...present);
  return texts.size === 0 ? all : { ...all, note: [...texts].join("\n") };
}

/** The note that comments are. @param comment a sticky expression for one of them. */
export function commentNote(above: string, comment: RegExp | undefined): AppNote | undefined {
  if (comment === undefined || above.trim() === "") return undefined;
  const parts = Array.from(above.matchAll(new RegExp(comment.source, "g")), ([part]) => commentText(part));
  return textNote(parts.join("\n"));
}

/** A note of a text; undefined for none, and for the sentence that Apple's programs write where there is none. */
export function textNote(text: string | undefined): AppNote | undefined {
  const note = text?.trim();
  return note === undefined || note === "" || note === "No comment provided by engineer."
    ? undefined
    : { note };
}

/** A comment without what marks it as one. */
function commentText(comment: string): string {
  const [, xml] = /^<!--([^]*)-->$/.exec(comment) ?? [];
  const [, block] = /^\/\*+([^]*?)\*+\/$/.exec(comment) ?? [];
  if (block === undefined && xml === undefined)
    return comment.replace(/^(?:#+|\/\/+|!+|;+)[ \t]?/, "").trimEnd();
  return (xml ?? block ?? "")
    .split(/\r?\n/)
    .map((line) => (block === undefined ? line : line.replace(/^\s*\*+(?=\s|$)/, "")).trim())
    .join("\n")
    .trim();
}
