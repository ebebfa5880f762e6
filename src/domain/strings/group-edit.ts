/** Makes new groups from old ones: adds, removes and replaces keys, and projects a source on its translations. */
import {
  childOf,
  isEmptyGroup,
  isList,
  lazyFile,
  leavesOf,
  translatableTexts,
  type Group,
  type Node,
  type StringFile,
  type Texts,
} from "./string-file.ts";
import { groupBy } from "../group-by.ts";
import { emptyRecord } from "../record.ts";

function isGroup(node: Node | undefined): node is Group {
  return typeof node === "object";
}

/** A group under construction; a list becomes an object as soon as it can no longer be a list. */
class Draft {
  #nodes: Node[] | Record<string, Node>;

  constructor(kind: "list" | "object") {
    this.#nodes = kind === "list" ? [] : emptyRecord();
  }

  static like(group: Group): Draft {
    return new Draft(isList(group) ? "list" : "object");
  }

  static copyOf(group: Group): Draft {
    const copy = Draft.like(group);
    for (const name of Object.keys(group)) {
      const node = childOf(group, name);
      if (node !== undefined) copy.set(name, node);
    }
    return copy;
  }

  /** The elements, as long as it is a list. */
  get list(): Node[] | undefined {
    return Array.isArray(this.#nodes) ? this.#nodes : undefined;
  }

  get(name: string): Node | undefined {
    return childOf(this.#nodes, name);
  }

  set(name: string, node: Node): void {
    const nodes = this.#nodes;
    if (!Array.isArray(nodes)) nodes[name] = node;
    else if (name === String(nodes.length)) nodes.push(node);
    else if (childOf(nodes, name) !== undefined) nodes[Number(name)] = node;
    else {
      this.#nodes = Object.assign(emptyRecord<Node>(), nodes, { [name]: node });
    }
  }

  end(): Group {
    return this.#nodes;
  }
}

/**
 * Adds to a group what a payload has and the group has not, following the payload's nesting as far as objects
 * allow, after the present keys of each group. Present keys keep their place and their text. Where a text and a group
 * claim one name, the text has it and the group's keys become dotted names beside it.
 * @param isNew whether a flattened key is to be added.
 */
export function addKeys(present: Group, payload: Group, isNew: (key: string) => boolean, prefix = ""): Group {
  const dissolved = dissolvedNames(present, payload, (path) => isNew(prefix + path));
  const draft = dissolved.size === 0 ? Draft.copyOf(present) : dissolve(present, dissolved);
  for (const name of Object.keys(payload)) {
    const node = childOf(payload, name);
    if (node === undefined) continue;
    if (typeof node === "string") {
      if (isNew(prefix + name)) draft.set(name, node);
    } else if (dissolved.has(name)) {
      for (const [path, leaf] of leavesOf(node, `${name}.`)) {
        if (typeof leaf === "string" && isNew(prefix + path)) draft.set(path, leaf);
      }
    } else {
      const existing = draft.get(name);
      if (isGroup(existing)) {
        draft.set(name, addKeys(existing, node, isNew, `${prefix + name}.`));
      } else if (existing === undefined) {
        const added = addKeys(Draft.like(node).end(), node, isNew, `${prefix + name}.`);
        if (isEmptyGroup(node) || !isEmptyGroup(added)) draft.set(name, added);
      }
    }
  }
  return draft.end();
}

/**
 * The names whose groups, present or new, are dissolved because a text has that name. A key of such a group becomes a text
 * with a dotted name, and may dissolve a further group. Each group is looked through once.
 */
function dissolvedNames(
  present: Group,
  payload: Group,
  isNew: (path: string) => boolean,
): ReadonlySet<string> {
  const dissolved = new Set<string>();
  const waiting: string[] = [];
  for (const name of Object.keys(payload)) {
    const node = childOf(payload, name);
    const other = childOf(present, name);
    if (typeof node === "string" ? isGroup(other) && isNew(name) : typeof other === "string")
      waiting.push(name);
  }
  function dissolveGroup(group: Node | undefined, name: string, counts: (path: string) => boolean): void {
    if (!isGroup(group)) return;
    for (const [path, leaf] of leavesOf(group, `${name}.`)) {
      const isText = typeof leaf === "string" && counts(path);
      if (isText && (isGroup(childOf(present, path)) || isGroup(childOf(payload, path)))) waiting.push(path);
    }
  }
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (dissolved.has(name)) continue;
    dissolved.add(name);
    dissolveGroup(childOf(present, name), name, () => true);
    dissolveGroup(childOf(payload, name), name, isNew);
  }
  return dissolved;
}

/** The group with some of its groups replaced, each at its place, by their leaves under dotted names. */
function dissolve(group: Group, names: ReadonlySet<string>): Draft {
  const draft = new Draft("object");
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    if (!isGroup(node) || !names.has(name)) {
      draft.set(name, node);
      continue;
    }
    for (const [path, leaf] of leavesOf(node, `${name}.`)) {
      const isFree = childOf(group, path) === undefined && draft.get(path) === undefined && !names.has(path);
      if (typeof leaf === "string" || isFree) draft.set(path, leaf);
    }
  }
  return draft;
}

/**
 * The group with other texts in place, or without them. A group goes with the last of its keys, and a list that comes to
 * have gaps becomes an object with index keys.
 * @param edit gives the text of a flattened key; undefined where it goes.
 * @param keepsEmptied whether such a group stays, and is empty.
 */
export function editTexts(
  group: Group,
  edit: (key: string, text: string) => string | undefined,
  prefix = "",
  keepsEmptied = false,
): Group {
  const draft = Draft.like(group);
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    const key = prefix + name;
    if (typeof node === "string") {
      const text = edit(key, node);
      if (text !== undefined) draft.set(name, text);
    } else {
      const left = editTexts(node, edit, `${key}.`, keepsEmptied);
      if (keepsEmptied || isEmptyGroup(node) || !isEmptyGroup(left)) draft.set(name, left);
    }
  }
  return draft.end();
}

/** The group without empty groups that were not empty, or not there, in an earlier one. */
export function withoutEmptied(group: Group, before: Node | undefined): Group {
  const draft = Draft.like(group);
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    const was = isGroup(before) ? childOf(before, name) : undefined;
    const left = isGroup(node) ? withoutEmptied(node, was) : node;
    const isEmptied = isGroup(left) && isEmptyGroup(left) && !(isGroup(was) && isEmptyGroup(was));
    if (!isEmptied) draft.set(name, left);
  }
  return draft.end();
}

/** A text, with the names that lead to it, and for each whether the group that holds it is a list. */
export interface SpelledText {
  readonly names: readonly string[];
  readonly inList: readonly boolean[];
  readonly text: string;
}

/**
 * The group that some texts make. A text has a name alone: what is below the name then becomes dotted names beside it.
 * @param depth how many names lead to the group.
 */
export function nest(texts: readonly SpelledText[], depth = 0): Group {
  const isListed = texts.length > 0 && texts.every(({ inList }) => inList[depth] === true);
  const draft = new Draft(isListed ? "list" : "object");
  for (const [name, some] of groupBy(texts, ({ names }) => names[depth] ?? "")) {
    if (some.every(({ names }) => names.length > depth + 1)) draft.set(name, nest(some, depth + 1));
    else for (const { names, text } of some) draft.set(names.slice(depth).join("."), text);
  }
  return draft.end();
}

interface Projection {
  /** Whether list elements without text keep their places, as empty texts. */
  readonly holdsPlaces?: boolean;
}

/** What decides the shape of translations. */
export type SourceShape = Pick<StringFile, "group" | "plurals">;

/**
 * The part of a source file that has texts, holding those texts: the shape of a translation file. A list that is
 * complete from index 0 stays a list, one with gaps becomes an object with index keys, empty groups are left out, and
 * plural forms that the source lacks stand behind those that it has.
 * @returns undefined when nothing is left.
 */
export function project(
  { group, plurals }: SourceShape,
  texts: Texts,
  options: Projection = {},
): Group | undefined {
  function visit(source: Group, prefix: string): Group | undefined {
    let draft: Draft | undefined;
    for (const name of Object.keys(source)) {
      const node = childOf(source, name);
      if (node === undefined) continue;
      const key = prefix + name;
      const isText = typeof node === "string";
      const projected = isText ? texts.get(key) : visit(node, `${key}.`);
      if (projected !== undefined) {
        draft ??= Draft.like(source);
        if (options.holdsPlaces === true && isList(source)) holdPlaces(draft, source, Number(name));
        draft.set(name, projected);
      }
      if (plurals === undefined || !isText) continue;
      for (const form of plurals.behind(key)) {
        const text = texts.get(form);
        if (text === undefined) continue;
        draft ??= Draft.like(source);
        draft.set(form.slice(prefix.length), text);
      }
    }
    return draft?.end();
  }
  return visit(group, "");
}

/** Fills a list up to an index with empty elements, if the source has nothing to translate in between. */
function holdPlaces({ list }: Draft, source: readonly Node[], index: number): void {
  if (list === undefined || list.length === index) return;
  const between = source.slice(list.length, index);
  if (between.every(isWithoutText)) {
    for (const node of between) list.push(isGroup(node) ? Draft.like(node).end() : "");
  }
}

function isWithoutText(node: Node): boolean {
  if (!isGroup(node)) return node === "";
  for (const [, leaf] of leavesOf(node)) if (typeof leaf === "string" && leaf !== "") return false;
  return true;
}

/** The file of those translations that have a string in the source file; undefined when there are none. */
export function translationFile(source: StringFile | undefined, texts: Texts): StringFile | undefined {
  if (source === undefined) return undefined;
  const kept = new Map<string, string>();
  for (const key of translatableTexts(source).keys()) {
    const text = texts.get(key);
    if (text !== undefined) kept.set(key, text);
  }
  return kept.size === 0 ? undefined : lazyFile(kept, () => project(source, kept) ?? {});
}
