/** New groups out of old ones: adding what an import brings, and cutting down to what is translated. */
import { childOf, isEmptyGroup, isList, leavesOf, type Group, type Node, type Texts } from "./string-file.ts";

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

function copyOf(group: Group): Draft {
  return isList(group) ? [...group] : Object.assign(emptyObject(), group);
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
  if (Object.hasOwn(draft, name)) {
    draft[Number(name)] = node;
    return draft;
  }
  return set(Object.assign(emptyObject(), draft), name, node);
}

/**
 * Puts a node under a name. Where a text and a group claim one name, the text keeps it and the group's keys become
 * dotted names beside it.
 */
function assign(draft: Draft, name: string, node: Node): Draft {
  const present = childOf(draft, name);
  if (present === undefined) return set(draft, name, node);
  if (typeof present === "string") {
    return typeof node === "string" ? set(draft, name, node) : assignDotted(draft, name, node);
  }
  if (typeof node === "string") {
    let dissolved: Draft = emptyObject();
    for (const other of Object.keys(draft)) {
      const sibling = childOf(draft, other);
      if (sibling === undefined) continue;
      dissolved = other === name ? assignDotted(dissolved, name, present) : assign(dissolved, other, sibling);
    }
    return set(dissolved, name, node);
  }
  return isEmptyGroup(present) ? set(draft, name, node) : assignDotted(draft, name, node);
}

function assignDotted(draft: Draft, name: string, group: Group): Draft {
  let result = draft;
  for (const [path, leaf] of leavesOf(group, `${name}.`)) {
    if (typeof leaf === "string" || childOf(result, path) === undefined) result = assign(result, path, leaf);
  }
  return result;
}

/**
 * Adds to a group what a payload has and the group has not, following the payload's nesting as far as objects
 * allow, after the present keys of each group. Present keys keep their place and their text.
 * @param isNew tells of a flattened key whether it is to be added.
 */
export function addKeys(present: Group, payload: Group, isNew: (key: string) => boolean, prefix = ""): Group {
  let draft = copyOf(present);
  for (const name of Object.keys(payload)) {
    const node = childOf(payload, name);
    if (node === undefined) continue;
    const key = prefix + name;
    if (typeof node === "string") {
      if (isNew(key)) draft = assign(draft, name, node);
      continue;
    }
    const existing = childOf(draft, name);
    if (existing === undefined) {
      const added = addKeys(emptyLike(node), node, isNew, `${key}.`);
      if (isEmptyGroup(node) || !isEmptyGroup(added)) draft = set(draft, name, added);
    } else if (typeof existing === "string") {
      for (const [path, leaf] of leavesOf(node, `${name}.`)) {
        if (typeof leaf === "string" && isNew(prefix + path)) draft = assign(draft, path, leaf);
      }
    } else {
      draft = set(draft, name, addKeys(existing, node, isNew, `${key}.`));
    }
  }
  return draft;
}

/** The same group with some texts replaced, each at its place. */
export function replaceTexts(group: Group, texts: Texts, prefix = ""): Group {
  const draft = emptyLike(group);
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    const key = prefix + name;
    set(
      draft,
      name,
      typeof node === "string" ? (texts.get(key) ?? node) : replaceTexts(node, texts, `${key}.`),
    );
  }
  return draft;
}

/**
 * The part of a source's group that has texts, holding those texts: the shape of a translation file. A list that is
 * complete from index 0 stays a list, one with gaps becomes an object with index keys, and empty groups are left out.
 * @returns undefined when nothing is left.
 */
export function project(source: Group, texts: Texts, prefix = ""): Group | undefined {
  let draft: Draft = emptyLike(source);
  for (const name of Object.keys(source)) {
    const node = childOf(source, name);
    if (node === undefined) continue;
    const key = prefix + name;
    const projected = typeof node === "string" ? texts.get(key) : project(node, texts, `${key}.`);
    if (projected !== undefined) draft = set(draft, name, projected);
  }
  return isEmptyGroup(draft) ? undefined : draft;
}
