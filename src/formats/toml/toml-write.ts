/** Writes the changes of a TOML file: its lines and tables stay where they are. */
import type { Texts } from "../../domain/strings/string-file.ts";
import type { FileEdit } from "../patch/plan-edit.ts";
import { SectionWriter } from "../patch/section-writer.ts";
import {
  pathKey,
  readTomlFile,
  type TomlContainer,
  type TomlLine,
  type TomlNode,
  type TomlTable,
} from "./toml-file.ts";
import { addElement, TomlPlan, type NewLine } from "./toml-plan.ts";
import { writeTomlName, writeTomlText } from "./toml-text.ts";
import { isAbout } from "./toml-texts.ts";

export class TomlWriter extends SectionWriter<TomlTable, NewLine> {
  readonly #plan: TomlPlan;

  /** @throws FormatError when the file is no TOML, or cannot hold a text. */
  constructor(edit: FileEdit<string>, sourceTexts: Texts | undefined) {
    super(edit, readTomlFile(edit.template));
    this.#plan = new TomlPlan(this.sections, edit, sourceTexts);
  }

  write(): string {
    for (const { node } of this.sections.flatMap(({ lines }) => lines))
      if (!this.#isGone(node)) this.#patchNode(node);
    this.apply(this.#plan.lines, ({ node }) => this.#isGone(node));
    return this.end();
  }

  #isGone(node: TomlNode): boolean {
    if (node.kind === "value") return this.#plan.removed.has(node);
    const { members } = node;
    return (
      members.length > 0 && !this.#plan.members.has(node) && members.every((one) => this.#isGone(one.node))
    );
  }

  #patchNode(node: TomlNode): void {
    if (node.kind === "value") {
      const text = this.#plan.changed.get(node);
      if (text !== undefined) this.replace(node, writeTomlText(text, this.#raw(node), this.lineEnd));
    } else if (node.kind === "array") this.#patchArray(node);
    else this.#patchBraces(node);
  }

  #patchBraces(table: TomlContainer): void {
    const { members, start, end } = table;
    const added = (this.#plan.members.get(table) ?? []).map((line) => this.written(line, undefined));
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

  protected override written({ path, depth, content }: NewLine, like: TomlLine | undefined): string {
    const style = like ?? this.#plan.like;
    const raw = style === undefined ? "" : this.text.slice(style.start, style.node.start);
    const [equals = " = "] = /[ \t]{0,1}=[ \t]{0,1}$/.exec(raw) ?? [];
    const quote = style?.node.kind === "value" ? this.#raw(style.node).slice(0, 1) : "";
    const write = (text: string): string => writeTomlText(text, quote, this.lineEnd);
    const value = typeof content === "string" ? write(content) : `[${content.map(write).join(", ")}]`;
    return path.slice(depth).map(writeTomlName).join(".") + equals + value;
  }

  /** With what the source says about a table of forms. */
  protected override head([line]: readonly NewLine[]): readonly string[] {
    const path = line?.path.slice(0, -1) ?? [];
    const ofSource = this.#plan.sourceMessages.get(pathKey(path))?.values ?? [];
    const about = ofSource.filter(isAbout).flatMap((value) => {
      const name = value.path.at(-1) ?? "";
      const isOfTarget = name.toLowerCase() === "hash" || value.text === undefined;
      return isOfTarget ? [] : `${writeTomlName(name)} = ${writeTomlText(value.text, "", this.lineEnd)}`;
    });
    return [`[${path.map(writeTomlName).join(".")}]`, ...about];
  }

  #raw({ start, end }: TomlNode): string {
    return this.text.slice(start, end);
  }
}
