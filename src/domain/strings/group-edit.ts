/** New groups out of old ones: adding what an import brings, and cutting down to what is translated. */
import {
  childOf,
  isEmptyGroup,
  isList,
  leavesOf,
  type Group,
  type Node,
  type StringFile,
  type Texts,
} from "./string-file.ts";
import { isStepDone, type Steps } from "../steps.ts";

/** A group under construction; lists are turned into objects as soon as they can no longer be lists. */
type Draft = Node[] | Record<string, Node>;

function emptyObject(): Record<string, Node> {
  // No prototype: `__proto__` is a name like any other.
  const object: Record<string, Node> = Object.create(null);
  return object;
}

function emptyLike(group: Group): Draft {
  return isList(group) ? [] : emptyObject();
}

function* copyOf(group: Group): Steps<Draft> {
  if (isList(group)) return [...group];
  const copy = emptyObject();
  for (const name of Object.keys(group)) {
    if (isStepDone()) yield;
    const node = group[name];
    if (node !== undefined) copy[name] = node;
  }
  return copy;
}

function isGroup(node: Node | undefined): node is Group {
  return typeof node === "object";
}

function set(draft: Draft, name: string, node: Node): Draft {
  if (!Array.isArray(draft)) {
    draft[name] = node;
    return draft;
  }
  if (name === String(draft.length)) {
    draft.push(node);
    return draft;
  }
  if (childOf(draft, name) !== undefined) {
    draft[Number(name)] = node;
    return draft;
  }
  return set(Object.assign(emptyObject(), draft), name, node);
}

/**
 * Adds to a group what a payload has and the group has not, following the payload's nesting as far as objects
 * allow, after the present keys of each group. Present keys keep their place and their text. Where a text and a group
 * claim one name, the text has it and the group's keys become dotted names beside it.
 * @param isNew tells of a flattened key whether it is to be added.
 */
export function* addKeys(
  present: Group,
  payload: Group,
  isNew: (key: string) => boolean,
  prefix = "",
): Steps<Group> {
  const dissolved = yield* dissolvedNames(present, payload, (path) => isNew(prefix + path));
  let draft = yield* dissolved.size === 0 ? copyOf(present) : dissolve(present, dissolved);
  for (const name of Object.keys(payload)) {
    if (isStepDone()) yield;
    const node = childOf(payload, name);
    if (node === undefined) continue;
    if (typeof node === "string") {
      if (isNew(prefix + name)) draft = set(draft, name, node);
    } else if (dissolved.has(name)) {
      for (const [path, leaf] of leavesOf(node, `${name}.`)) {
        if (isStepDone()) yield;
        if (typeof leaf === "string" && isNew(prefix + path)) draft = set(draft, path, leaf);
      }
    } else {
      const existing = childOf(draft, name);
      if (isGroup(existing)) {
        draft = set(draft, name, yield* addKeys(existing, node, isNew, `${prefix + name}.`));
      } else if (existing === undefined) {
        const added = yield* addKeys(emptyLike(node), node, isNew, `${prefix + name}.`);
        if (isEmptyGroup(node) || !isEmptyGroup(added)) draft = set(draft, name, added);
      }
    }
  }
  return draft;
}

/**
 * The names whose groups, present or new, give way to a text of that name. A key of such a group becomes a text too,
 * under a dotted name, and may make a further group give way. Each group is looked through once.
 */
function* dissolvedNames(
  present: Group,
  payload: Group,
  isNew: (path: string) => boolean,
): Steps<ReadonlySet<string>> {
  const dissolved = new Set<string>();
  const waiting: string[] = [];
  for (const name of Object.keys(payload)) {
    if (isStepDone()) yield;
    const node = childOf(payload, name);
    const other = childOf(present, name);
    if (typeof node === "string" ? isGroup(other) && isNew(name) : typeof other === "string")
      waiting.push(name);
  }
  function* dissolveGroup(
    group: Node | undefined,
    name: string,
    counts: (path: string) => boolean,
  ): Steps<void> {
    if (!isGroup(group)) return;
    for (const [path, leaf] of leavesOf(group, `${name}.`)) {
      if (isStepDone()) yield;
      const isText = typeof leaf === "string" && counts(path);
      if (isText && (isGroup(childOf(present, path)) || isGroup(childOf(payload, path)))) waiting.push(path);
    }
  }
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (dissolved.has(name)) continue;
    dissolved.add(name);
    yield* dissolveGroup(childOf(present, name), name, () => true);
    yield* dissolveGroup(childOf(payload, name), name, isNew);
  }
  return dissolved;
}

/** The group with some of its groups replaced, each at its place, by their leaves under dotted names. */
function* dissolve(group: Group, names: ReadonlySet<string>): Steps<Draft> {
  const draft = emptyObject();
  for (const name of Object.keys(group)) {
    if (isStepDone()) yield;
    const node = childOf(group, name);
    if (node === undefined) continue;
    if (!isGroup(node) || !names.has(name)) {
      draft[name] = node;
      continue;
    }
    for (const [path, leaf] of leavesOf(node, `${name}.`)) {
      if (isStepDone()) yield;
      const isFree =
        childOf(group, path) === undefined && childOf(draft, path) === undefined && !names.has(path);
      if (typeof leaf === "string" || isFree) draft[path] = leaf;
    }
  }
  return draft;
}

/**
 * The group without some keys. A group goes with the last of its keys, and a list that comes to have gaps becomes an
 * object with index keys.
 * @param isGone tells of a flattened key whether it goes.
 */
export function* removeKeys(group: Group, isGone: (key: string) => boolean, prefix = ""): Steps<Group> {
  let draft = emptyLike(group);
  for (const name of Object.keys(group)) {
    if (isStepDone()) yield;
    const node = childOf(group, name);
    if (node === undefined) continue;
    const key = prefix + name;
    if (typeof node === "string") {
      if (!isGone(key)) draft = set(draft, name, node);
      continue;
    }
    const left = yield* removeKeys(node, isGone, `${key}.`);
    if (isEmptyGroup(node) || !isEmptyGroup(left)) draft = set(draft, name, left);
  }
  return draft;
}

/** The same group with some texts replaced, each at its place. */
export function* replaceTexts(group: Group, texts: Texts, prefix = ""): Steps<Group> {
  const draft = emptyLike(group);
  for (const name of Object.keys(group)) {
    if (isStepDone()) yield;
    const node = childOf(group, name);
    if (node === undefined) continue;
    const key = prefix + name;
    set(
      draft,
      name,
      typeof node === "string" ? (texts.get(key) ?? node) : yield* replaceTexts(node, texts, `${key}.`),
    );
  }
  return draft;
}

interface Projection {
  /** Takes the texts that are in it, in its order. */
  readonly kept?: Map<string, string>;
  /** Whether elements of lists that have nothing to translate hold their places, with empty texts. */
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
export function* project(
  { group, plurals }: SourceShape,
  texts: Texts,
  options: Projection = {},
): Steps<Group | undefined> {
  function* visit(source: Group, prefix: string): Steps<Group | undefined> {
    let draft: Draft | undefined;
    for (const name of Object.keys(source)) {
      if (isStepDone()) yield;
      const node = childOf(source, name);
      if (node === undefined) continue;
      const key = prefix + name;
      const isText = typeof node === "string";
      const projected = isText ? texts.get(key) : yield* visit(node, `${key}.`);
      if (projected !== undefined) {
        if (typeof projected === "string") options.kept?.set(key, projected);
        draft ??= emptyLike(source);
        if (options.holdsPlaces === true && isList(source)) holdPlaces(draft, source, Number(name));
        draft = set(draft, name, projected);
      }
      if (plurals === undefined || !isText) continue;
      for (const form of plurals.behind(key)) {
        const text = texts.get(form);
        if (text === undefined) continue;
        options.kept?.set(form, text);
        draft = set(draft ?? emptyLike(source), form.slice(prefix.length), text);
      }
    }
    return draft;
  }
  return yield* visit(group, "");
}

/** Fills a list up to an index from a source's, if the elements between have nothing to translate. */
function holdPlaces(draft: Draft, source: readonly Node[], index: number): void {
  if (!Array.isArray(draft) || draft.length === index) return;
  const between = source.slice(draft.length, index);
  if (between.every(isWithoutText)) {
    for (const node of between) draft.push(isGroup(node) ? emptyLike(node) : "");
  }
}

function isWithoutText(node: Node): boolean {
  if (!isGroup(node)) return node === "";
  for (const [, leaf] of leavesOf(node)) if (typeof leaf === "string" && leaf !== "") return false;
  return true;
}

/** The file of the translations that a source file has strings for; undefined when there is none. */
export function* translationFile(
  source: StringFile | undefined,
  texts: Texts,
): Steps<StringFile | undefined> {
  if (source === undefined) return undefined;
  const kept = new Map<string, string>();
  const group = yield* project(source, texts, { kept });
  return group && { group, texts: kept, hasEmptyGroup: false, plurals: undefined };
}
