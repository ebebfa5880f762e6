/** What an edit changes in a TOML file, and where the texts that the file lacks stand in it. */
import { append } from "../../domain/group-by.ts";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { childOf, fromGroup, type Node, type Texts } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import type { DraftEntry, DraftGroup } from "../patch/draft.ts";
import { FormatError } from "../patch/format-error.ts";
import { openPlainForms } from "../patch/plain-forms.ts";
import { planEdit, type FileEdit, type TreeEdit } from "../patch/plan-edit.ts";
import { SectionPlan } from "../patch/section-writer.ts";
import {
  pathKey,
  readTomlFile,
  type Path,
  type TomlContainer,
  type TomlFile,
  type TomlLine,
  type TomlMember,
  type TomlTable,
  type TomlValue,
} from "./toml-file.ts";
import { isShown, leavesIn, messagesIn, treeOf, type TomlLeaf, type TomlMessage } from "./toml-texts.ts";

/** A new key, with a text or the elements of an array. */
export interface NewLine {
  readonly path: Path;
  /** How many names of its path its table or container has. */
  readonly depth: number;
  readonly content: string | readonly string[];
}

/** A place for a line or a member whose table is there. */
type TomlPlace =
  | { readonly table: TomlTable; readonly after: TomlLine | undefined }
  | { readonly container: TomlContainer };

/** The most empty elements that are written before an element. */
const maxGap = 1000;

export class TomlPlan {
  readonly removed = new Set<TomlValue>();
  readonly changed = new Map<TomlValue, string>();
  readonly lines = new SectionPlan<TomlTable, NewLine>();
  readonly members = new Map<TomlContainer, NewLine[]>();
  readonly sourceMessages: ReadonlyMap<string, TomlMessage>;
  /** The line of a text, whose style new lines have. */
  readonly like: TomlLine | undefined;
  readonly #edit: TreeEdit;
  readonly #messages: ReadonlyMap<string, TomlMessage>;
  /** By their offsets. */
  readonly #leaves: ReadonlyMap<number, TomlLeaf>;
  /** The tables with headers, and the places in those that are in braces or made by dotted keys. */
  readonly #headed = new Map<string, TomlTable>();
  readonly #others = new Map<string, TomlPlace>();

  /** @throws FormatError when the file cannot hold a text. */
  constructor(file: TomlFile, edit: FileEdit<string>, sourceTexts: Texts | undefined) {
    const { template, source = "", shape, isSource } = edit;
    this.#messages = messagesIn(file, isSource ? undefined : (sourceTexts ?? fromGroup(shape).texts));
    this.sourceMessages = messagesIn(readTomlFile(source), undefined);
    const leaves = leavesIn(file, this.#messages);
    this.#leaves = new Map(leaves.map((leaf) => [leaf.value.start, leaf]));
    this.like = leaves.find(({ value }) => value.text !== undefined)?.line;
    for (const table of file) this.#addTable(table);
    const [tree, opened] = openPlainForms(treeOf(template, leaves), edit, sourceTexts);
    const { removed } = opened;
    this.#edit = opened;
    this.#visit(planEdit(tree, opened).root, [], shape, false);
    for (const message of this.#messages.values()) {
      // Forms of what was a plural before are no texts of the file any more.
      for (const value of message.isOneText ? message.values : [])
        if (!isShown(value, message) && removed.has(value.path.join("."))) this.removed.add(value);
      this.#removeUnused(message);
    }
  }

  #addTable(table: TomlTable): void {
    this.#headed.set(pathKey(table.path), table);
    for (const line of table.lines) {
      const { path } = line.node;
      for (let i = table.path.length + 1; i < path.length; i++)
        this.#others.set(pathKey(path.slice(0, i)), { table, after: line });
      this.#addContainers(line.node);
    }
  }

  #addContainers(node: TomlMember["node"]): void {
    if (node.kind === "value") return;
    this.#others.set(pathKey(node.path), { container: node });
    for (const member of node.members) this.#addContainers(member.node);
  }

  /** @param shape what the source has in the place of the group. */
  #visit(group: DraftGroup, path: Path, shape: Node | undefined, isGroupGone: boolean): void {
    const inSource = (name: string) => (typeof shape === "object" ? childOf(shape, name) : undefined);
    for (const { name, group: inner, original, text, isRemoved } of group) {
      const own = [...path, name];
      const isGone = isGroupGone || isRemoved;
      const leaf = this.#leaves.get(original?.node.start ?? -1);
      // An empty list of the file is no group of the draft.
      const elements = isGone || this.#others.has(pathKey(own)) ? [] : newElements(inner);
      if (elements.length > 0) this.#add(own, listOf(elements, own));
      else if (inner !== undefined) this.#visit(inner, own, inSource(name), isGone);
      else if (leaf === undefined) {
        // A group of the source cannot stand where the file has a text.
        const isTaken =
          inSource(name) === undefined &&
          Array.from(name.matchAll(/\./g), ({ index }) => name.slice(0, index)).some(
            (other) => typeof inSource(other) === "object" && group.named(other) !== undefined,
          );
        if (isTaken) throw inTheWay(group.prefix + name);
        const isMessage =
          this.sourceMessages.get(pathKey(own))?.isOneText ?? this.#messages.has(pathKey(own));
        if (!isGone) this.#add(isMessage ? [...own, "other"] : own, text ?? "");
      } else if (isGone) this.removed.add(leaf.value);
      else {
        this.lines.pass(leaf.table, leaf.line);
        if (text !== undefined && leaf.value.text === undefined) throw inTheWay(group.prefix + name);
        if (text !== undefined) this.changed.set(leaf.value, text);
      }
    }
  }

  #add(path: Path, content: NewLine["content"]): void {
    const group = path.slice(0, -1);
    const key = pathKey(group);
    const table = this.#headed.get(key);
    const place = table === undefined ? this.#placeFor(group) : { table, after: undefined };
    if (place === undefined) this.lines.addToNew(key, { path, depth: group.length, content });
    else if ("container" in place) {
      const { container } = place;
      append(this.members, container, { path, depth: container.path.length, content });
    } else this.lines.addLine(place.table, { path, depth: place.table.path.length, content }, place.after);
  }

  /** The place for a group that has no header of its own, and cannot get one; undefined where it can. */
  #placeFor(path: Path): TomlPlace | undefined {
    const inner = path.findLastIndex((_, i) => this.#others.has(pathKey(path.slice(0, i + 1))));
    return inner === -1 ? undefined : this.#others.get(pathKey(path.slice(0, inner + 1)));
  }

  /** Removes the other values of a table of forms, such as its description, when it keeps no form and gets none. */
  #removeUnused(message: TomlMessage): void {
    const { texts } = this.#edit;
    const key = message.path.join(".");
    const shown = message.values.filter((value) => isShown(value, message));
    const stays = message.isOneText
      ? texts.has(key)
      : pluralCategories.some((category) => texts.has(`${key}.${category}`));
    if (shown.length > 0 && !stays && shown.every((value) => this.removed.has(value)))
      for (const value of message.values) this.removed.add(value);
  }
}

/** The elements of a list of texts that the file lacks; none for anything else. */
function newElements(group: DraftGroup | undefined): readonly DraftEntry[] {
  const elements = group?.isList === true && group.original === undefined ? [...group.kept()] : [];
  return elements.every((element) => element.group === undefined) ? elements : [];
}

function listOf(elements: readonly DraftEntry[], path: Path): readonly string[] {
  const list: string[] = [];
  for (const { name, text = "" } of elements) addElement(list, 0, [...path, name], text);
  return list;
}

function inTheWay(key: string): FormatError {
  return new FormatError(`cannot hold a text for ${excerpt(key)}, because it has another value there`);
}

/**
 * Adds an element with a path to a list, behind empty ones for those that are missing.
 * @param from the index of the first element of the list.
 * @throws FormatError when the path does not name an element, or one that is too far behind the others.
 */
export function addElement(list: string[], from: number, path: Path, text: string): void {
  const index = /^(?:0|[1-9][0-9]{0,8})$/.test(path.at(-1) ?? "") ? Number(path.at(-1)) : Number.NaN;
  const missing = index - from - list.length;
  if (!(missing >= 0 && missing <= maxGap)) throw inTheWay(path.join("."));
  for (let i = 0; i < missing; i++) list.push("");
  list.push(text);
}
