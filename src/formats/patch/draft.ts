/** The entries of a file while an edit is planned: the existing entries in order, and new ones between them. */
import { FormatError } from "./format-error.ts";
import { excerpt, readableKey } from "../../domain/text.ts";
import type { Entry, GroupNode, TextNode } from "./tree.ts";

export class DraftEntry {
  readonly name: string;
  readonly parent: DraftGroup;
  /** The entry in the file; undefined for a new one. */
  readonly original: Entry | undefined;
  /** The entry's group, existing or new. */
  group: DraftGroup | undefined;
  /** The new text; undefined if the value stays. */
  text: string | undefined;
  isRemoved = false;
  previous: DraftEntry | undefined;
  next: DraftEntry | undefined;

  constructor(name: string, parent: DraftGroup, original?: Entry) {
    this.name = name;
    this.parent = parent;
    this.original = original;
  }

  /** Whether it is an element of a list that has no text, which the elements after it need. */
  get holdsPlace(): boolean {
    if (!this.parent.isList) return false;
    if (this.text !== undefined) return this.text === "";
    if (this.group !== undefined) return this.group.hasNoText;
    return this.original?.node.kind === "other" || this.textNode?.text === "";
  }

  get textNode(): TextNode | undefined {
    return this.original?.node.kind === "text" ? this.original.node : undefined;
  }
}

/** A group of such entries, linked, so that there may be many new ones. */
export class DraftGroup {
  readonly prefix: string;
  readonly isList: boolean;
  /** Whether the source has a list here. */
  isListInSource = false;
  readonly original: GroupNode | undefined;
  /** The entry whose value it is; the root has none. */
  readonly entry: DraftEntry | undefined;
  first: DraftEntry | undefined;
  last: DraftEntry | undefined;
  #byName: Map<string, DraftEntry> | undefined;

  constructor(prefix: string, isList: boolean, entry?: DraftEntry, original?: GroupNode) {
    this.prefix = prefix;
    this.isList = isList;
    this.entry = entry;
    this.original = original;
  }

  *[Symbol.iterator](): Generator<DraftEntry> {
    for (let entry = this.first; entry !== undefined; entry = entry.next) yield entry;
  }

  *kept(): Generator<DraftEntry> {
    for (const entry of this) if (!entry.isRemoved) yield entry;
  }

  get isEmpty(): boolean {
    return this.kept().next().done === true;
  }

  /** Whether it has only groups without texts and empty list elements. */
  get hasNoText(): boolean {
    return [...this.kept()].every((entry) => entry.holdsPlace || entry.group?.hasNoText === true);
  }

  /** The entry of that name that is not removed. */
  named(name: string): DraftEntry | undefined {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const entry of this)
        if (entry.original?.effective === undefined) this.#byName.set(entry.name, entry);
    }
    const found = this.#byName.get(name);
    return found?.isRemoved === true ? undefined : found;
  }

  /** Adds an entry after another of this group, or as its first. */
  insert(entry: DraftEntry, after: DraftEntry | undefined): void {
    entry.previous = after;
    entry.next = after === undefined ? this.first : after.next;
    if (entry.next === undefined) this.last = entry;
    else entry.next.previous = entry;
    if (after === undefined) this.first = entry;
    else after.next = entry;
    this.#byName?.set(entry.name, entry);
  }
}

/** An entry that the file has, and the new ones that follow it; those that are first follow none. */
interface Run {
  readonly entry: DraftEntry | undefined;
  /** The entry in the file. */
  readonly original: Entry | undefined;
  readonly added: readonly DraftEntry[];
}

/** A group as its entries in the file, each with the new entries behind it; it may be removed, and they are not. */
export function* runsOf(group: DraftGroup): Generator<Run> {
  let entry: DraftEntry | undefined;
  let added: DraftEntry[] = [];
  for (const next of group) {
    if (next.original === undefined) {
      if (!next.isRemoved) added.push(next);
      continue;
    }
    yield { entry, original: entry?.original, added };
    [entry, added] = [next, []];
  }
  yield { entry, original: entry?.original, added };
}

/** A file's tree as a draft, with its entries and groups by flattened key. */
export interface Draft {
  readonly root: DraftGroup;
  /** Texts and other leaves by flattened key. */
  readonly leaves: Map<string, DraftEntry>;
  /** Groups by the prefix of their keys; where two have one prefix, the first. */
  readonly groups: Map<string, DraftGroup>;
}

/** Starts a draft that changes nothing. */
export function toDraft(tree: GroupNode): Draft {
  const leaves = new Map<string, DraftEntry>();
  const groups = new Map<string, DraftGroup>();

  function fill(group: DraftGroup, entries: readonly Entry[]): DraftGroup {
    if (!groups.has(group.prefix)) groups.set(group.prefix, group);
    for (const original of entries) {
      const entry = new DraftEntry(original.name, group, original);
      group.insert(entry, group.last);
      if (original.effective !== undefined) continue;
      const key = group.prefix + original.name;
      const { node } = original;
      if (node.kind === "group") {
        entry.group = fill(new DraftGroup(`${key}.`, node.isList, entry, node), node.entries);
      } else leaves.set(key, entry);
    }
    return group;
  }
  return { root: fill(new DraftGroup("", tree.isList, undefined, tree), tree.entries), leaves, groups };
}

/** The entry of a group that is, or is around, another entry. */
export function anchorIn(host: DraftGroup, entry: DraftEntry | undefined): DraftEntry | undefined {
  let anchor = entry;
  while (anchor !== undefined && anchor.parent !== host) anchor = anchor.parent.entry;
  return anchor;
}

/**
 * Adds a text to a group of a draft, or to one around it where its name in the group has other texts below it.
 * @param after the entry that it is to follow, in the group or in one within it; elements of lists are in order.
 * @throws FormatError when its name has texts below it in the root, too.
 */
export function addText(
  draft: Draft,
  group: DraftGroup,
  key: string,
  text: string,
  after: DraftEntry | undefined,
): DraftEntry {
  const name = key.slice(group.prefix.length);
  const other = group.named(name);
  if (other !== undefined && other.group?.hasNoText !== true) {
    if (group.entry !== undefined) return addText(draft, group.entry.parent, key, text, after ?? group.entry);
    throw new FormatError(
      `cannot hold a text for ${excerpt(readableKey(key))}, because it has other keys that start with ${excerpt(readableKey(key))}.`,
    );
  }
  const entry = other ?? new DraftEntry(name, group);
  if (other === undefined)
    group.insert(entry, group.isList ? elementBefore(group, name) : anchorIn(group, after));
  entry.group = undefined;
  entry.text = text;
  draft.leaves.set(key, entry);
  return entry;
}

/** The last element of a list that comes before an index, wherever the source has the text. */
function elementBefore(list: DraftGroup, index: string): DraftEntry | undefined {
  let before = list.last;
  while (before !== undefined && Number(before.name) > Number(index)) before = before.previous;
  return before;
}

/** Adds an empty group to a group. */
export function addGroup(
  draft: Draft,
  group: DraftGroup,
  name: string,
  isList: boolean,
  after: DraftEntry | undefined,
): DraftGroup {
  const entry = new DraftEntry(name, group);
  entry.group = new DraftGroup(`${group.prefix}${name}.`, isList, entry);
  group.insert(entry, after);
  draft.groups.set(entry.group.prefix, entry.group);
  return entry.group;
}

/** The most entries that are searched for a style to copy. */
const nearEntries = 16;

/** The nearest entry with a text in the file, preferably before an entry, else after it. */
export function nearestText(entry: DraftEntry): Entry | undefined {
  for (const way of ["previous", "next"] as const) {
    let near = entry[way];
    for (let steps = 0; near !== undefined && steps < nearEntries; steps++) {
      if (near.textNode !== undefined) return near.original;
      near = near[way];
    }
  }
  return undefined;
}
