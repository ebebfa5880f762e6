/** Edits the text of a file, and leaves everything else as it is. */
import { planEdit, type TreeEdit } from "./plan-edit.ts";
import { nearestText, runsOf, type DraftEntry, type DraftGroup } from "./draft.ts";
import { blocksOf, type Block, type GapSyntax } from "./gaps.ts";
import { indentOf, lineEndOf } from "./source-text.ts";
import { areIndices, closingAt, firstText, withEntries, type Entry, type GroupNode } from "./tree.ts";

/** The position of a new entry. */
export interface Place {
  /** An entry of the same group, or of the file, whose style is copied. */
  readonly like: Entry | undefined;
  readonly isElement: boolean;
  /** Whether it stands in no group. */
  readonly isRoot: boolean;
  readonly isInList: boolean;
  /** The prefix of the flattened keys of its group. */
  readonly prefix: string;
  /** The indentation of its line, and of one within it. */
  readonly indent: string;
  readonly innerIndent: string;
}

export interface PatchSyntax extends GapSyntax {
  /** Whether new groups with lines of their own end with a separator. */
  readonly hasFinalSeparator?: boolean;
  /** Whether the file has no groups: all entries are the root's. Where it is not said, dotted keys without groups tell. */
  readonly isFlat?: boolean;
  /** Writes a text in the place of another value. */
  readonly literal: (text: string, entry: Entry) => string;
  readonly entry: (name: string, text: string, place: Place) => string;
  /** The brackets of a new group, with its name; flat formats have none. */
  readonly group?: (name: string, isList: boolean, place: Place) => readonly [open: string, close: string];
  /** Writes the index of an element that needs one: `"2": `. Formats without lists have none. */
  readonly elementName?: (name: string) => string;
  /** The brackets of an object and a list; none where one group may have entries with and without names. */
  readonly brackets?: {
    readonly object: readonly [string, string];
    readonly list: readonly [string, string];
  };
}

/** The text of a file after an edit. @throws FormatError when the file cannot hold a text. */
export function patch(text: string, tree: GroupNode, edit: TreeEdit, syntax: PatchSyntax): string {
  return (
    text.slice(0, tree.start) + patchPart(text, tree, edit, syntax, layoutOf(text)) + text.slice(tree.end)
  );
}

/** How the lines of a file are. */
export interface FileLayout {
  readonly lineEnd: string;
  readonly hasLines: boolean;
}

/** The layout of a file, found once for all its parts. */
export function layoutOf(text: string): FileLayout {
  return { lineEnd: lineEndOf(text), hasLines: text.trimEnd().includes("\n") };
}

/** The part of a file that a tree is, after an edit. @throws FormatError when the file cannot hold a text. */
export function patchPart(
  text: string,
  tree: GroupNode,
  edit: TreeEdit,
  syntax: PatchSyntax,
  layout: FileLayout,
): string {
  const { root } = planEdit(tree, edit, syntax.isFlat);
  const patcher = new Patcher(text, tree, syntax, layout);
  patcher.patchGroup(root, tree);
  return patcher.end();
}

/** A file without some of its entries, and without the comments that belong to them. */
export function withoutEntries(
  text: string,
  tree: GroupNode,
  gone: readonly Entry[],
  syntax: PatchSyntax,
): string {
  const named = gone.map(({ start, end }, i): Entry => {
    return { name: `\0${i}`, start, end, node: { kind: "text", text: "", start, end } };
  });
  const removed = new Set(named.map(({ name }) => name));
  const edit = { isSource: false, texts: new Map<string, string>(), removed, shape: {} };
  return patch(text, withEntries(tree, named), edit, syntax);
}

/** A group's entry as it is written: with a name, or as the next element of a list. */
interface Written {
  readonly entry: DraftEntry;
  readonly isElement: boolean;
}

class Patcher {
  readonly #text: string;
  readonly #syntax: PatchSyntax;
  readonly #lineEnd: string;
  /** The indentation of a group's entries relative to the group; none if the file is on one line. */
  readonly #unit: string;
  readonly #firstText: Entry | undefined;
  readonly #pieces: string[] = [];
  /** Up to where the old text is copied or left out. */
  #at: number;
  readonly #end: number;

  constructor(text: string, tree: GroupNode, syntax: PatchSyntax, { lineEnd, hasLines }: FileLayout) {
    this.#text = text;
    this.#syntax = syntax;
    ({ start: this.#at, end: this.#end } = tree);
    this.#lineEnd = lineEnd;
    this.#firstText = firstText(tree);
    this.#unit =
      unitOf(tree, text, indentOf(text, tree.start)) ?? (hasLines || tree.entries.length === 0 ? "  " : "");
  }

  end(): string {
    this.#pieces.push(this.#text.slice(this.#at, this.#end));
    return this.#pieces.join("");
  }

  /** Replaces a part of the text, which lies after all that was replaced before. */
  #replace(start: number, end: number, by: string): void {
    if (start > this.#at) {
      this.#pieces.push(this.#text.slice(this.#at, start));
      this.#at = start;
    }
    this.#pieces.push(by);
    this.#at = Math.max(this.#at, end);
  }

  patchGroup(group: DraftGroup, node: GroupNode): void {
    if (!hasChanged(group)) {
      for (const { original, group: inner } of group) {
        if (inner !== undefined && original?.node.kind === "group") this.patchGroup(inner, original.node);
      }
      return;
    }
    const kept = [...group.kept()];
    const isList = this.#becomesList(group, kept);
    const written = this.#toWritten(kept, isList);
    const changesKind = this.#syntax.brackets !== undefined && isList !== group.isList;
    if (changesKind) this.#replaceBracket(node.start, node.innerStart, isList, 0);
    if (node.entries.length === 0) this.#fillEmpty(written, node);
    else this.#patchEntries(group, written, node);
    if (changesKind) this.#replaceBracket(node.innerEnd, node.end, isList, 1);
  }

  #replaceBracket(start: number, end: number, isList: boolean, which: 0 | 1): void {
    const { brackets } = this.#syntax;
    if (brackets !== undefined) this.#replace(start, end, brackets[isList ? "list" : "object"][which]);
  }

  /** Whether a changed group is written as a list: it has no gaps, and is a list in the file or in the source. */
  #becomesList(group: DraftGroup, kept: readonly DraftEntry[]): boolean {
    const isComplete = kept.length > 0 && areIndices(kept.map(({ name }) => name));
    return isComplete && (group.isList || (group.isListInSource && this.#syntax.brackets !== undefined));
  }

  #toWritten(kept: readonly DraftEntry[], isList: boolean): readonly Written[] {
    if (this.#syntax.brackets !== undefined) return kept.map((entry) => ({ entry, isElement: isList }));
    // PHP gives an element without a name the index after the highest one before it.
    let next = 0;
    const areUnnamed = kept.every(({ original }) => original === undefined || isUnnamed(original));
    return kept.map((entry) => {
      const mayBeUnnamed = entry.original === undefined ? isList && areUnnamed : isUnnamed(entry.original);
      const isElement = mayBeUnnamed && entry.name === String(next);
      if (/^[0-9]{1,15}$/.test(entry.name)) next = Math.max(next, Number(entry.name) + 1);
      return { entry, isElement };
    });
  }

  #patchEntries(group: DraftGroup, written: readonly Written[], node: GroupNode): void {
    const blocks = blocksOf(node, this.#text, this.#syntax);
    const gap = inlineGap(node, blocks, this.#text);
    const hasFinal = blocks.at(-1)?.separator !== undefined;
    let place = 0;
    let old = 0;
    let before: Block | undefined;
    let isBeforeKept = false;
    for (const { entry, original, added } of runsOf(group)) {
      if (entry !== undefined && original !== undefined) {
        const block = blocks[old++];
        if (block === undefined) break;
        if (entry.isRemoved) this.#replace(block.start, block.end, "");
        else {
          const one = written[place++];
          if (one !== undefined) this.#patchEntry(one, original);
          const isNeeded = hasFinal || place < written.length;
          this.#patchSeparator(original, block, isNeeded);
        }
        before = block;
        isBeforeKept = !entry.isRemoved;
      }
      const further = written.slice(place, place + added.length);
      place += further.length;
      const hasNext = place < written.length;
      if (further.length > 0)
        this.#insert(further, before, isBeforeKept, blocks[old], hasNext, hasFinal, gap);
    }
  }

  #patchEntry({ entry, isElement }: Written, original: Entry): void {
    const { node } = original;
    const { elementName = () => "" } = this.#syntax;
    if (isElement) this.#replace(original.start, node.start, "");
    else if (isUnnamed(original)) this.#replace(original.start, original.start, elementName(entry.name));
    if (entry.text !== undefined)
      this.#replace(node.start, node.end, this.#syntax.literal(entry.text, original));
    else if (entry.group !== undefined && node.kind === "group") this.patchGroup(entry.group, node);
  }

  #patchSeparator(entry: Entry, block: Block, isNeeded: boolean): void {
    const { separator } = this.#syntax;
    if (isNeeded && block.separator === undefined && separator !== "") {
      this.#replace(entry.end, entry.end, separator);
    } else if (!isNeeded && block.separator !== undefined) {
      const { start, end } = block.separator;
      this.#replace(start, block.ownsLines ? end : block.end, "");
    }
  }

  /** Writes new entries between two that the file has. */
  #insert(
    added: readonly Written[],
    before: Block | undefined,
    isBeforeKept: boolean,
    after: Block | undefined,
    hasNext: boolean,
    hasFinal: boolean,
    gap: string,
  ): void {
    const neighbour = before ?? after;
    if (neighbour === undefined) return;
    const { separator } = this.#syntax;
    const { indent, ownsLines, startsLine } = neighbour;
    const texts = added.map((one) => this.#render(one, indent, startsLine));
    const last = hasNext || hasFinal ? separator : "";
    const at = before === undefined ? neighbour.start : neighbour.end;
    const joint = startsLine ? this.#lineEnd + indent : gap;
    if (ownsLines) {
      const lines = indent + texts.join(separator + this.#lineEnd + indent) + last;
      const isAtStart = at === 0 || this.#text[at - 1] === "\n" || before === undefined;
      this.#replace(at, at, isAtStart ? lines + this.#lineEnd : this.#lineEnd + lines);
    } else if (before === undefined) {
      this.#replace(at, at, texts.join(separator + joint) + last + (hasNext ? joint : ""));
    } else if (isBeforeKept) {
      const end = before.separator?.end ?? before.end;
      this.#replace(
        Math.max(end, this.#at),
        this.#at,
        texts.map((one) => joint + one).join(separator) + last,
      );
    } else {
      this.#replace(at, at, texts.join(separator + joint) + last + (hasNext ? joint : ""));
    }
  }

  #fillEmpty(written: readonly Written[], node: GroupNode): void {
    const { emptyTag, innerStart, innerEnd, end } = node;
    if (written.length === 0) return;
    if (emptyTag === undefined && innerEnd === end) {
      this.#fillFile(written);
      return;
    }
    const outer = indentOf(this.#text, node.start);
    const isInline = this.#unit === "";
    const content = this.#renderAll(written, outer + this.#unit, outer, isInline);
    if (emptyTag !== undefined) {
      this.#replace(closingAt(node, this.#text), end, `>${content}</${emptyTag}>`);
      return;
    }
    const inner = this.#text.slice(innerStart, innerEnd);
    this.#replace(innerStart + inner.trimEnd().length, innerEnd, content);
  }

  /** Writes the first entries of a file whose lines are its only structure. */
  #fillFile(written: readonly Written[]): void {
    const { length } = this.#text;
    const isAtStart = length === 0 || this.#text.endsWith("\n");
    const lines = written.map((one) => this.#render(one, "", true) + this.#lineEnd);
    this.#replace(length, length, (isAtStart ? "" : this.#lineEnd) + lines.join(""));
  }

  #renderAll(written: readonly Written[], indent: string, outer: string, isInline: boolean): string {
    const { separator, hasFinalSeparator = false } = this.#syntax;
    const texts = written.map((one) => this.#render(one, indent, !isInline));
    if (isInline) return texts.join(separator);
    const lines = texts.join(separator + this.#lineEnd + indent);
    const last = hasFinalSeparator ? separator : "";
    return `${this.#lineEnd}${indent}${lines}${last}${this.#lineEnd}${outer}`;
  }

  #render({ entry, isElement }: Written, indent: string, hasLines: boolean): string {
    const { parent } = entry;
    const place: Place = {
      like: nearestText(entry) ?? this.#firstText,
      isElement,
      isRoot: parent.entry === undefined,
      isInList: parent.isList,
      prefix: parent.prefix,
      indent,
      innerIndent: indent + this.#unit,
    };
    if (entry.group === undefined) return this.#syntax.entry(entry.name, entry.text ?? "", place);
    const kept = [...entry.group.kept()];
    const isList = entry.group.isList && areIndices(kept.map(({ name }) => name));
    const [open, close] = this.#syntax.group?.(entry.name, isList, place) ?? ["", ""];
    const written = this.#toWritten(kept, isList);
    const inner = this.#renderAll(written, indent + this.#unit, indent, !hasLines);
    return open + inner + close;
  }
}

function isUnnamed({ start, node }: Entry): boolean {
  return start === node.start;
}

/** Whether anything of a group's own entries changes. */
function hasChanged(group: DraftGroup): boolean {
  return [...group].some((one) => one.isRemoved || one.original === undefined || one.text !== undefined);
}

/** The blanks between the entries of a group on one line, after the separator. */
function inlineGap(node: GroupNode, blocks: readonly Block[], text: string): string {
  const [first, second] = node.entries;
  const end = blocks[0]?.separator?.end;
  if (first === undefined) return "";
  // With a single entry, blanks between its name and its value show the style.
  if (second === undefined || end === undefined)
    return /\s$/.test(text.slice(first.start, first.node.start)) ? " " : "";
  const between = text.slice(end, second.start);
  return /^[ \t]*$/.test(between) ? between : " ";
}

/** The indentation of a group's entries relative to the group; undefined where none has a line of its own. */
function unitOf(group: GroupNode, text: string, outer: string): string | undefined {
  for (const { start, node } of group.entries) {
    let lineStart = start;
    while (text[lineStart - 1] === " " || text[lineStart - 1] === "\t") lineStart--;
    const before = text.slice(lineStart, start);
    const isOnLine = lineStart > group.start && text[lineStart - 1] === "\n";
    if (isOnLine && before.length > outer.length && before.startsWith(outer))
      return before.slice(outer.length);
    if (node.kind === "group") {
      const inner = unitOf(node, text, isOnLine ? before : outer);
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}
