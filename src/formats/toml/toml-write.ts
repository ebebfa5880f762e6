/** Writes the changes of a TOML file: its lines and tables stay where they are. */
import type { Texts } from "../../domain/strings/string-file.ts";
import type { FileEdit } from "../patch/plan-edit.ts";
import type { Span } from "../patch/nodes.ts";
import { indentOf } from "../patch/source-text.ts";
import { LineWriter } from "../patch/splice-writer.ts";
import {
  pathKey,
  readTomlFile,
  type TomlContainer,
  type TomlFile,
  type TomlMember,
  type TomlNode,
  type TomlTable,
} from "./toml-file.ts";
import { addElement, TomlPlan, type NewLine, type NewTable } from "./toml-plan.ts";
import { writeTomlName, writeTomlText } from "./toml-text.ts";
import { isAbout } from "./toml-texts.ts";

export class TomlWriter extends LineWriter {
  readonly #file: TomlFile;
  readonly #plan: TomlPlan;
  /** Whether empty lines stand between tables. */
  readonly #isSpaced: boolean;

  /** @throws FormatError when the file is no TOML, or cannot hold a text. */
  constructor(edit: FileEdit<string>, sourceTexts: Texts | undefined) {
    super(edit);
    this.#file = readTomlFile(this.text);
    this.#plan = new TomlPlan(this.#file, edit, sourceTexts);
    const [, ...headed] = this.#file.tables;
    this.#isSpaced = this.areSpaced(headed.map(({ start }) => this.#blockStart(start)));
  }

  write(): string {
    const gone: Span[] = [];
    for (const table of this.#file.tables) this.#patchTable(table, gone);
    for (const table of this.#plan.tables.values()) this.#writeTable(table);
    this.removeLines(gone);
    return this.end();
  }

  #isGone(node: TomlNode): boolean {
    if (node.kind === "value") return this.#plan.removed.has(node);
    const { members } = node;
    return (
      members.length > 0 && !this.#plan.members.has(node) && members.every((one) => this.#isGone(one.node))
    );
  }

  /** @param gone takes the lines that leave the file. */
  #patchTable(table: TomlTable, gone: Span[]): void {
    const { path, lines, start, headerEnd } = table;
    const added = this.#plan.lines.get(table) ?? [];
    const isGone = lines.length > 0 && added.length === 0 && lines.every(({ node }) => this.#isGone(node));
    if (isGone && path.length > 0) gone.push({ start: this.#blockStart(start), end: headerEnd });
    for (const line of lines) {
      if (this.#isGone(line.node)) gone.push({ start: this.#blockStart(line.start), end: line.end });
      else this.#patchNode(line.node);
    }
    const first: string[] = [];
    for (const { after, line } of added) {
      const written = this.#written(line, path.length, after ?? lines[0]);
      if (after === undefined) first.push(written);
      else this.insertLines(this.nextLine(after.end), [written]);
    }
    if (first.length > 0) this.#insertFirst(table, first);
  }

  /** Adds lines above those of a table. */
  #insertFirst({ path, headerEnd, lines: [first] }: TomlTable, lines: readonly string[]): void {
    const { 1: headed } = this.#file.tables;
    if (first !== undefined) this.insertLines(this.#blockStart(first.start), lines);
    else if (path.length > 0) this.insertLines(this.nextLine(headerEnd), lines);
    else if (headed === undefined) this.insertLines(this.text.length, lines);
    else this.insertLines(this.#blockStart(headed.start), [...lines, ""]);
  }

  #patchNode(node: TomlNode): void {
    if (node.kind === "value") {
      const text = this.#plan.changed.get(node);
      if (text !== undefined) this.replace(node, writeTomlText(text, this.#raw(node), this.lineEnd));
    } else if (node.kind === "array") this.#patchArray(node);
    else this.#patchBraces(node);
  }

  #patchBraces(table: TomlContainer): void {
    const { members, path, start, end } = table;
    const added = (this.#plan.members.get(table) ?? []).map((line) =>
      this.#written(line, path.length, undefined),
    );
    const last = members.findLast(({ node }) => !this.#isGone(node));
    if (last === undefined) {
      if (added.length > 0) this.replace(table, `{ ${added.join(", ")} }`);
      return;
    }
    let isAnyBefore = false;
    for (const [i, member] of members.entries()) {
      const isGone = this.#isGone(member.node);
      if (!isGone) this.#patchNode(member.node);
      else if (isAnyBefore) this.replace({ start: members[i - 1]?.end ?? start, end: member.end }, "");
      else this.replace({ start: member.start, end: members[i + 1]?.start ?? end }, "");
      isAnyBefore ||= !isGone;
    }
    if (added.length > 0) this.insert(last.end, added.map((one) => `, ${one}`).join(""));
  }

  /** An element that goes leaves an empty text in its place, if others follow it. */
  #patchArray(array: TomlContainer): void {
    const { members, start } = array;
    const added: string[] = [];
    for (const { path, content } of this.#plan.members.get(array) ?? []) {
      // An element that goes is an empty text anyway where others follow it.
      if (!(Number(path.at(-1)) < members.length))
        addElement(added, members.length, path, [content].flat()[0] ?? "");
    }
    const kept = members.findLastIndex(({ node }) => !this.#isGone(node));
    const last = members.at(-1);
    for (const [i, { node, start: from, end: to }] of members.entries()) {
      if (!this.#isGone(node)) this.#patchNode(node);
      else if (i < kept || added.length > 0) this.replace({ start: from, end: to }, '""');
      else this.replace({ start: members[i - 1]?.end ?? from, end: to }, "");
    }
    if (added.length === 0) return;
    const like = last === undefined ? "" : this.#raw(last.node);
    const texts = added.map((text) => writeTomlText(text, like.slice(0, 1), this.lineEnd)).join(", ");
    if (last === undefined) this.insert(start + 1, texts);
    else this.insert(last.end, `, ${texts}`);
  }

  /** A new line. @param depth how many names of its path its table has. @param like a line of the same table. */
  #written({ path, content }: NewLine, depth: number, like: TomlMember | undefined): string {
    const style = like ?? this.#plan.like;
    const raw = style === undefined ? "" : this.text.slice(style.start, style.node.start);
    const [equals = " = "] = /[ \t]{0,1}=[ \t]{0,1}$/.exec(raw) ?? [];
    const quote = style?.node.kind === "value" ? this.#raw(style.node).slice(0, 1) : "";
    const write = (text: string): string => writeTomlText(text, quote, this.lineEnd);
    const value = typeof content === "string" ? write(content) : `[${content.map(write).join(", ")}]`;
    const indent = like === undefined ? "" : indentOf(this.text, like.start);
    return indent + path.slice(depth).map(writeTomlName).join(".") + equals + value;
  }

  #writeTable({ path, after, lines }: NewTable): void {
    const ofSource =
      this.#plan.sourceMessages.get(pathKey(path))?.values.filter((value) => isAbout(value)) ?? [];
    const about = ofSource.flatMap((value) => {
      const name = value.path.at(-1) ?? "";
      const isOfTarget = name.toLowerCase() === "hash" || value.text === undefined;
      return isOfTarget ? [] : `${writeTomlName(name)} = ${writeTomlText(value.text, "", this.lineEnd)}`;
    });
    const header = `[${path.map(writeTomlName).join(".")}]`;
    const written = [header, ...about, ...lines.map((line) => this.#written(line, path.length, undefined))];
    const { 0: root, 1: headed } = this.#file.tables;
    const before = after ?? root;
    const end = before?.lines.at(-1)?.end ?? before?.headerEnd ?? 0;
    if (before === root && root?.lines.length === 0 && headed !== undefined) {
      this.insertLines(this.#blockStart(headed.start), this.#isSpaced ? [...written, ""] : written);
      return;
    }
    const isEmpty = this.#file.tables.length === 1 && root?.lines.length === 0;
    const at = isEmpty ? this.text.length : this.nextLine(end);
    const isFirst = at === 0 && this.splices.every(({ by }) => by === "");
    this.insertLines(at, this.#isSpaced && !isFirst ? ["", ...written] : written);
  }

  #raw({ start, end }: TomlNode): string {
    return this.text.slice(start, end);
  }

  /** Where a line starts, or the comments above it. */
  #blockStart(start: number): number {
    return this.blockStart(start, this.#file.floors.get(start) ?? -1);
  }
}
