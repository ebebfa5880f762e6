/** Edits the text of a YAML file: replaces values, and adds and removes entries with their lines and comments. */
import { excerpt } from "../../domain/text.ts";
import { nearestText, runsOf, type DraftEntry, type DraftGroup } from "../patch/draft.ts";
import { FormatError } from "../patch/format-error.ts";
import type { FileEdit } from "../patch/plan-edit.ts";
import { columnOf, commentStart, errorAt, lineEndAt, lineStartOf } from "../patch/source-text.ts";
import { firstText, type Entry, type GroupNode, type Span, type TreeNode } from "../patch/tree.ts";
import { isListDraft, propertiesBefore, stepOf } from "./yaml-layout.ts";
import { SpliceWriter } from "../patch/splices.ts";
import { blockText, inlineKey, inlineText, styleAt, type Style } from "./yaml-scalars.ts";
import { isBlankValue } from "./yaml-tree.ts";

/** The member of each message of a list that holds its text, and whether the message stands in braces. */
export type MessageTexts = ReadonlyMap<Entry, { readonly member: Entry; readonly isInBraces: boolean }>;

/** The longest name that YAML readers accept as a key. */
const maxKeyLength = 1024;
/** The most untranslated elements that may precede a translated element of a list. */
const maxGap = 1000;

export class YamlPatcher extends SpliceWriter {
  /** The indentation of a group, relative to its parent. */
  readonly unit: number;
  /** The indentation of a list's dashes, relative to the list's name. */
  readonly #dashIndent: number;
  readonly #style: Style;
  /** Whether a block scalar may keep its trailing blank lines (`|+`) and absorb blank lines that a removal moves up to it. */
  readonly #keepsBlanks: boolean;
  readonly #messages: MessageTexts | undefined;

  /** @param messages where the entries at the root are messages with ids. */
  constructor(edit: FileEdit<string>, tree: GroupNode | undefined, messages?: MessageTexts) {
    super(edit);
    this.#messages = messages;
    this.#keepsBlanks = /[|>][0-9]?\+/.test(this.text);
    this.unit = stepOf(tree, this.text, false) ?? 2;
    this.#dashIndent = stepOf(tree, this.text, true) ?? this.unit;
    const first = tree && firstText(tree);
    this.#style = first === undefined ? "" : styleAt(this.text, first.node.start);
  }

  patchGroup(group: DraftGroup, node: GroupNode): void {
    if (node.start < node.innerStart) this.#patchFlow(group, node);
    else if (node.isList) this.#patchList(group, node);
    else this.#patchBlock(group, node);
  }

  /** Adds lines after the line of an offset, or at the end of the file. */
  addLines(lines: readonly string[], offset: number): void {
    this.insertLines(this.nextLine(offset), lines);
  }

  /**
   * Puts lines in the place of the brackets of an empty group: on their line where nothing else stands there, else
   * below it.
   */
  replaceEmpty({ start, end }: Span, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const lineStart = lineStartOf(this.text, start);
    const before = this.text.slice(lineStart, start);
    const indent = /^ */.exec(lines[0] ?? "")?.[0] ?? "";
    const comments = this.text.slice(start, end).match(/#[^\r\n]*/g) ?? [];
    const all = [...comments.map((comment) => indent + comment), ...lines];
    const isAlone = before.trim() === "" && this.text.slice(end, lineEndAt(this.text, end)).trim() === "";
    if (isAlone) this.replace({ start: lineStart, end }, all.join(this.lineEnd));
    else {
      this.replace({ start: lineStart + before.trimEnd().length, end }, "");
      this.addLines(all, end);
    }
  }

  linesOf(group: DraftGroup, column: number): readonly string[] {
    const kept = [...group.kept()];
    if (!isListDraft(group, kept)) return kept.flatMap((entry) => this.#linesOfEntry(entry, column));
    const lines: string[] = [];
    for (const [index, entry] of kept.entries()) {
      this.#fillGap(lines, Number(entry.name) - (Number(kept[index - 1]?.name ?? -1) + 1), column, entry);
      lines.push(...this.#linesOfElement(entry, column));
    }
    return lines;
  }

  /** Removes an entry with its lines and the comments right above it. */
  removeLines({ start, end }: Entry, floor: number): void {
    const blanks = this.#keepsBlanks ? /(?:[ \t]*\r?\n)*/y : /(?:)/y;
    blanks.lastIndex = this.nextLine(end);
    blanks.test(this.text);
    this.replace({ start: commentStart(this.text, start, floor), end: blanks.lastIndex }, "");
  }

  #patchBlock(group: DraftGroup, node: GroupNode): void {
    const first = node.entries[0];
    if (first === undefined) return;
    const column = columnOf(this.text, first.start);
    const ownsLine = /^ *$/.test(this.text.slice(lineStartOf(this.text, first.start), first.start));
    let before: Entry | undefined;
    for (const { entry, original, added } of runsOf(group)) {
      if (entry !== undefined && original !== undefined) {
        if (entry.isRemoved && original === first && !ownsLine) this.#removeBehindDash(entry, node);
        else if (entry.isRemoved) this.removeLines(original, before?.end ?? -1);
        else this.#patchEntry(entry, original, column, false);
        before = original;
      }
      const lines = added.flatMap((one) => this.#linesOfEntry(one, column));
      if (before !== undefined) this.addLines(lines, before.end);
      else if (ownsLine) this.insertLines(commentStart(this.text, first.start, -1), lines);
      else if (lines.length > 0)
        this.insert(first.start, [...lines, " ".repeat(column)].join(this.lineEnd).trimStart());
    }
  }

  /** Removes the first entry of an element, on the line of the dash: the next entry moves up to the dash. */
  #removeBehindDash({ original, next }: DraftEntry, node: GroupNode): void {
    if (original === undefined) return;
    const following = next?.original;
    const gap = following === undefined ? "#" : this.text.slice(original.end, following.start);
    const isAlone = following === undefined || next?.isRemoved === true || gap.trim() !== "";
    const end = isAlone ? original.end : following.start;
    this.replace({ start: original.start, end }, isAlone && node.entries.length === 1 ? "{}" : "");
  }

  #patchEntry(entry: DraftEntry, original: Entry, column: number, inFlow: boolean): void {
    const message = this.#messages?.get(original);
    if (message === undefined) this.#patchValue(entry, original, column, inFlow);
    else {
      const { member, isInBraces } = message;
      this.#patchValue(entry, member, columnOf(this.text, member.start), isInBraces);
    }
  }

  #patchValue(entry: DraftEntry, original: Entry, column: number, inFlow: boolean): void {
    const { node } = original;
    if (entry.text !== undefined) {
      this.#replaceValue(entry.text, original, inFlow);
    } else if (entry.group !== undefined && node.kind === "group") {
      if (node.entries.length > 0) this.patchGroup(entry.group, node);
      else this.#fill(entry.group, original, column, inFlow);
    }
  }

  #replaceValue(text: string, { node, end, start }: Entry, inFlow: boolean): void {
    if (isBlankValue(node)) {
      this.insert(end, ` ${inlineText(text, this.#style, inFlow)}`);
      return;
    }
    if (node.kind === "other" && propertiesBefore(this.text, node.start) !== "") {
      throw errorAt(
        this.text,
        start,
        "has a value with a tag or an anchor, in whose place a text cannot stand",
      );
    }
    const style = node.kind === "text" ? styleAt(this.text, node.start) : this.#style;
    const block =
      node.kind === "text" && (style === "|" || style === ">")
        ? blockText(text, style, this.#indentOfBlock(start, node.start, node.end), this.lineEnd)
        : undefined;
    this.replace(node, block ?? inlineText(text, style, inFlow));
  }

  #indentOfBlock(entryStart: number, start: number, end: number): string {
    const body = this.text.slice(start, end);
    const column = columnOf(this.text, entryStart);
    // An indicator says by how much the lines are indented further than their parent, not how far they are.
    const indent = /\n( +)\S/.exec(body.replaceAll("\r\n", "\n"))?.[1] ?? "";
    const isCounted = /^[|>][-+]?[1-9]/.test(body);
    return isCounted || indent.length <= column ? " ".repeat(column + this.unit) : indent;
  }

  /** Writes the first entries of a group that had none. */
  #fill(group: DraftGroup, { node, end }: Entry, column: number, inFlow: boolean): void {
    if ([...group.kept()].length === 0) return;
    if (inFlow) throw this.#flowError(node);
    const isList = isListDraft(group, [...group.kept()]);
    // A list inside an element needs more indentation than the dash; under a name it may have the same.
    const isInList = group.entry?.parent.isList === true;
    const indent = isInList ? 2 : isList ? this.#dashIndent : this.unit;
    const lines = this.linesOf(group, column + indent);
    if (node.start < node.end) this.replaceEmpty(node, lines);
    else this.addLines(lines, end);
  }

  #patchList(group: DraftGroup, node: GroupNode): void {
    const { places, length } = this.#placesOf(group);
    const column = columnOf(this.text, node.start);
    let before: Entry | undefined;
    for (const [index, original] of node.entries.entries()) {
      const entry = places.get(index);
      if (index >= length) this.removeLines(original, before?.end ?? -1);
      else if (entry?.original === original) this.#patchEntry(entry, original, column, false);
      else this.#replaceElement(entry, original, column);
      before = original;
    }
    const lines: string[] = [];
    let next = node.entries.length;
    for (const [index, entry] of [...places].toSorted(([a], [b]) => a - b)) {
      if (index < node.entries.length) continue;
      this.#fillGap(lines, index - next, column, entry);
      lines.push(...this.#linesOfElement(entry, column));
      next = index + 1;
    }
    this.addLines(lines, before?.end ?? node.end);
  }

  /** The elements of a list by index, and the length of the list after the edit. */
  #placesOf(group: DraftGroup): {
    readonly places: ReadonlyMap<number, DraftEntry>;
    readonly length: number;
  } {
    const places = new Map<number, DraftEntry>();
    let length = 0;
    for (const entry of group.kept()) {
      const index = this.#indexOf(entry, group);
      places.set(index, entry);
      length = Math.max(length, index + 1);
    }
    return { places, length };
  }

  #indexOf({ name }: DraftEntry, { prefix }: DraftGroup): number {
    if (/^(?:0|[1-9][0-9]{0,8})$/.test(name)) return Number(name);
    throw new FormatError(
      `cannot hold a text for ${excerpt(prefix + name)}, because the file has a list there`,
    );
  }

  #replaceElement(entry: DraftEntry | undefined, { start, end, node }: Entry, column: number): void {
    // An empty text is already a placeholder.
    if (entry === undefined && node.kind === "text" && node.text === "") return;
    const by =
      entry === undefined ? "- ~" : this.#linesOfElement(entry, column).join(this.lineEnd).trimStart();
    this.replace({ start, end }, by);
  }

  /** Writes `~` for the missing elements before an element. */
  #fillGap(lines: string[], count: number, column: number, { parent, name }: DraftEntry): void {
    if (count > maxGap) {
      const key = excerpt(parent.prefix + name);
      throw new FormatError(`cannot hold a text for ${key}, because ${count} elements are missing before it`);
    }
    for (let i = 0; i < count; i++) lines.push(`${" ".repeat(column)}- ~`);
  }

  #linesOfEntry(entry: DraftEntry, column: number): readonly string[] {
    if (this.#messages === undefined || entry.parent.entry !== undefined)
      return this.#linesOfValue(this.#keyOf(entry), entry, column);
    const id = `${" ".repeat(column)}- id: ${inlineText(entry.name, "", false)}`;
    return [id, ...this.#linesOfValue("translation", entry, column + 2)];
  }

  #linesOfValue(key: string, entry: DraftEntry, column: number): readonly string[] {
    const name = " ".repeat(column) + key;
    const { group } = entry;
    if (group === undefined)
      return [`${name}: ${inlineText(entry.text ?? "", this.#styleNear(entry), false)}`];
    const kept = [...group.kept()];
    if (kept.length === 0) return [`${name}: ${group.isList ? "[]" : "{}"}`];
    const indent = isListDraft(group, kept) ? this.#dashIndent : this.unit;
    return [`${name}:`, ...this.linesOf(group, column + indent)];
  }

  #linesOfElement(entry: DraftEntry, column: number): readonly string[] {
    const dash = `${" ".repeat(column)}- `;
    const { group, text = "" } = entry;
    if (group === undefined) return [dash + inlineText(text, this.#styleNear(entry), false)];
    const lines = this.linesOf(group, column + 2);
    const [first = "{}", ...rest] = lines;
    return [dash + first.trimStart(), ...rest];
  }

  #keyOf({ name, parent }: DraftEntry): string {
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const other = parent.named(name.slice(0, dot))?.original?.node;
      if (other?.kind === "other" && this.text[other.start] === "*") {
        const key = excerpt(parent.prefix + name);
        throw errorAt(this.text, other.start, `cannot hold a text for ${key}, because it has an alias there`);
      }
    }
    const key = inlineKey(name);
    if (key.length > maxKeyLength) {
      throw new FormatError(
        `cannot hold the key ${excerpt(parent.prefix + name)}, which is too long for YAML`,
      );
    }
    return key;
  }

  /** The style of the nearest text in the group, or of the first text in the file if the group has none. */
  #styleNear(entry: DraftEntry): Style {
    const near = nearestText(entry);
    return near === undefined ? this.#style : styleAt(this.text, near.node.start);
  }

  /** Patches texts in brackets. The text between entries there belongs to none of them, so that none comes or goes. */
  #patchFlow(group: DraftGroup, node: GroupNode): void {
    if (node.isList) {
      this.#patchFlowList(group, node);
      return;
    }
    for (const entry of group) {
      const { original, isRemoved } = entry;
      if (original === undefined ? !isRemoved : isRemoved) throw this.#flowError(node);
      if (original !== undefined) this.#patchEntry(entry, original, 0, true);
    }
  }

  #flowError({ start }: TreeNode): FormatError {
    const message = "has entries in brackets, where none can come or go; write them on lines of their own";
    return errorAt(this.text, start, message);
  }

  /** Replaces elements of a list. A removed element becomes a placeholder, so that only values change. */
  #patchFlowList(group: DraftGroup, { entries, start }: GroupNode): void {
    const { places, length } = this.#placesOf(group);
    if (length > entries.length)
      throw errorAt(this.text, start, "has a list in brackets, to which elements cannot be added");
    for (const [index, original] of entries.entries()) {
      const entry = places.get(index);
      const { node } = original;
      if (entry?.original === original) this.#patchEntry(entry, original, 0, true);
      else if (entry?.group !== undefined) throw this.#flowError(node);
      else if (entry !== undefined)
        this.replace(node, inlineText(entry.text ?? "", this.#styleNear(entry), true));
      else if (node.kind !== "text" || node.text !== "") this.replace(node, "~");
    }
  }
}
