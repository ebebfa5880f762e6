/** Plans which entries of a file are changed, removed and added, and where new entries stand. */
import { extraKeys } from "../../domain/strings/flattened-keys.ts";
import { SourceOrder } from "../../domain/strings/source-order.ts";
import { childOf, isList, leavesOf, type Group, type Texts } from "../../domain/strings/string-file.ts";
import {
  addGroup,
  addText,
  anchorIn,
  runsOf,
  toDraft,
  type Draft,
  type DraftEntry,
  type DraftGroup,
} from "./draft.ts";
import { fileRoot, otherNode, type Entry, type GroupNode } from "./tree.ts";

export interface TreeEdit {
  /** Whether the file is the source file, of which a file of another locale is made. */
  readonly isSource: boolean;
  /** Texts by flattened key, in the order in which keys that are new to the file stand in it. */
  readonly texts: Texts;
  /** The flattened keys that leave the file, if they are in it. */
  readonly removed: ReadonlySet<string>;
  /** The content of the source file: new keys are nested, and placed beside their neighbours, as they are in it. */
  readonly shape: Group;
  /**
   * The texts of the source file in its order, where it is known: an object, such as `shape`, has integers first among its
   * names.
   */
  readonly order?: Pick<Texts, "keys"> | undefined;
}

/** How the file of a locale is to change: its bytes, or its text. */
export interface FileEdit<F = Uint8Array> extends TreeEdit {
  /**
   * The file that is changed: the locale's own file, or, where there is none yet, the source file, of which only what
   * is no text of the source stays.
   */
  readonly template: F;
  /** The source file, from which some formats copy what stands beside a text. */
  readonly source?: F | undefined;
}

/**
 * The draft of a file after an edit.
 * @param isFlat whether new keys stand in the root as they are; by default where the file has dotted keys and no groups.
 * @throws FormatError when the file cannot hold a new text.
 */
export function planEdit(tree: GroupNode, edit: TreeEdit, isFlat?: boolean): Draft {
  const draft = toDraft(tree);
  for (const [key, entry] of draft.leaves) changeLeaf(entry, key, edit);
  removeEmptied(draft.root, edit);
  placeNew(draft, edit, isFlat);
  removeUnused(draft);
  return draft;
}

/**
 * Plans where new entries stand in a format whose entries have several texts, or come and go with what belongs to them.
 * @param present the entries that stay, by their names and in the order of the file.
 * @param wanted the names of all entries that have texts, in the order of an edit's texts.
 * @param source the names of the source file's entries, in its order.
 * @returns the names of new entries by the entry that they stand behind; undefined for those that come first.
 */
export function planEntries<T>(
  present: ReadonlyMap<string, T>,
  wanted: Iterable<string>,
  source: Iterable<string>,
): ReadonlyMap<T | undefined, readonly string[]> {
  const [texts, order] = [namesAsTexts(wanted), namesAsTexts(source)];
  const nowhere = { start: 0, end: 0 };
  const entries = Array.from(present.keys(), (name): Entry => {
    return { name, ...nowhere, node: otherNode(nowhere) };
  });
  const edit = { isSource: false, texts, removed: noKeys, shape: Object.fromEntries(order), order };
  const { root } = planEdit(fileRoot("", entries), edit, true);
  return new Map(
    Array.from(runsOf(root), ({ entry, added }) => [
      entry && present.get(entry.name),
      added.map(({ name }) => name),
    ]),
  );
}

function namesAsTexts(names: Iterable<string>): Texts {
  return new Map(Array.from(names, (name) => [name, name]));
}

const noKeys: ReadonlySet<string> = new Set();

/** The names of the source's entries, behind the wanted ones that it lacks and that come before all that it has. */
export function withLeading(wanted: Iterable<string>, source: Iterable<string>): ReadonlySet<string> {
  const known = new Set(source);
  const leading = extraKeys(new Set(wanted), known).get(undefined) ?? [];
  return new Set([...leading, ...known]);
}

/** Removes new groups whose texts were added elsewhere. */
function removeUnused({ groups }: Draft): void {
  for (const group of groups.values()) {
    for (let at = group; at.entry !== undefined && at.original === undefined && at.isEmpty;) {
      at.entry.isRemoved = true;
      at = at.entry.parent;
    }
  }
}

function changeLeaf(entry: DraftEntry, key: string, { texts, isSource, removed }: TreeEdit): void {
  const text = texts.get(key);
  const node = entry.textNode;
  if (text !== undefined) {
    // An empty text is only a placeholder for a value that is not a text.
    if (node === undefined ? text !== "" : text !== node.text) entry.text = text;
  } else if (node !== undefined && (isSource ? !entry.holdsPlace : removed.has(key))) {
    entry.isRemoved = true;
  }
}

/** Removes groups that have lost all their texts and have nothing else. */
function removeEmptied(group: DraftGroup, edit: TreeEdit): boolean {
  let hasLost = false;
  let hasKept = false;
  for (const entry of group) {
    if (entry.group !== undefined && removeEmptied(entry.group, edit)) entry.isRemoved = true;
    if (entry.original?.effective !== undefined) continue;
    if (entry.isRemoved) hasLost = true;
    else if (!entry.holdsPlace || edit.texts.has(group.prefix + entry.name)) hasKept = true;
  }
  // A value that programs pass over would count without the other one.
  for (const entry of group)
    if (entry.original?.effective !== undefined)
      entry.isRemoved = edit.isSource || group.named(entry.name) === undefined;
  if (!hasLost || hasKept) return false;
  for (const entry of group) entry.isRemoved = true;
  return true;
}

/** The places of new texts, found by going through the source's content and the texts in their common order. */
function placeNew(draft: Draft, { texts, shape, order }: TreeEdit, hasNoGroups: boolean | undefined): void {
  const isNew = (key: string): boolean => texts.has(key) && !isPresent(draft.leaves.get(key));
  if (![...texts.keys()].some(isNew)) return;
  const sourceKeys = new Set<string>();
  for (const [key, leaf] of leavesOf(shape)) if (typeof leaf === "string") sourceKeys.add(key);
  const extras = extraKeys(texts, sourceKeys);
  const isFlat = hasNoGroups ?? isFlatFile(draft.root, shape);
  const source = new SourceOrder(order);
  /** The texts of the file that were gone through. */
  const passed = new Set<DraftEntry>();
  let firsts: ReadonlyMap<DraftGroup, DraftEntry> | undefined;

  /** Adds the keys that the source lacks and that follow one of its keys. */
  function placeExtras(after: string | undefined, previous: DraftEntry | undefined): DraftEntry | undefined {
    let last = previous;
    for (const key of extras.get(after) ?? []) {
      const present = draft.leaves.get(key);
      if (isPresent(present)) last = present;
      else {
        const known = deepestHost(draft, key);
        const isNested = known === draft.root && !isFlat;
        const host = isNested
          ? hostFor(draft, pathIn(shape, key), shape, (group) => anchorIn(group, last) ?? group.last)
          : known;
        const text = texts.get(key) ?? "";
        last = addText(draft, host, key, text, anchorIn(host, last) ?? host.last);
      }
    }
    return last;
  }

  /** @param previous the entry that the keys of the group follow. */
  function visit(
    group: Group,
    names: readonly string[],
    previous: DraftEntry | undefined,
  ): DraftEntry | undefined {
    let last = previous;
    let sibling: DraftEntry | undefined;
    const prefix = names.map((name) => `${name}.`).join("");
    const inFile = draft.groups.get(prefix);
    if (inFile !== undefined && isList(group)) inFile.isListInSource = true;
    for (const name of source.namesIn(group, prefix)) {
      const node = childOf(group, name);
      if (node === undefined) continue;
      const key = prefix + name;
      const path = [...names, name];
      if (typeof node !== "string") {
        const before = last;
        last = visit(node, path, last);
        if (last !== before) sibling = last;
        continue;
      }
      const present = draft.leaves.get(key);
      if (isPresent(present)) last = sibling = present;
      else if (texts.has(key)) last = sibling = place(key, path, group, sibling, last);
      if (last !== undefined) passed.add(last);
      last = placeExtras(key, last);
    }
    return last;
  }

  function place(
    key: string,
    path: readonly string[],
    group: Group,
    sibling: DraftEntry | undefined,
    previous: DraftEntry | undefined,
  ): DraftEntry {
    const text = texts.get(key) ?? "";
    const name = path.at(-1) ?? "";
    const beside = sibling ?? nextSibling(group, key.slice(0, key.length - name.length));
    let host: DraftGroup;
    let anchor: DraftEntry | undefined;
    if (beside === undefined) {
      const anchorOf = (inner: DraftGroup) => anchorIn(inner, previous) ?? anchorAhead(inner);
      host = isFlat ? draft.root : hostFor(draft, path, shape, anchorOf);
      anchor = anchorOf(host);
    } else {
      host = hostBeside(beside, key);
      anchor = sibling === undefined ? anchorIn(host, beside)?.previous : anchorIn(host, previous);
    }
    if (host.isList && isList(group)) anchor = holdPlaces(draft, host, group, Number(name), anchor);
    return addText(draft, host, key, text, anchor);
  }

  /**
   * What precedes the first entry that a group of the file has from the source, if that is still to come, and else its
   * last.
   */
  function anchorAhead(host: DraftGroup): DraftEntry | undefined {
    firsts ??= firstsIn(draft, shape, source);
    const first = firsts.get(host);
    return first === undefined || passed.has(first) ? host.last : anchorIn(host, first)?.previous;
  }

  /** The first entry in the file of a text that is in a group, or in one within it. */
  function nextSibling(group: Group, prefix: string): DraftEntry | undefined {
    for (const name of source.namesIn(group, prefix)) {
      const node = childOf(group, name);
      const entry =
        typeof node === "object" ? nextSibling(node, `${prefix}${name}.`) : draft.leaves.get(prefix + name);
      if (isPresent(entry)) return entry;
    }
    return undefined;
  }

  visit(shape, [], placeExtras(undefined, undefined));
}

/** Adds the empty elements that stand right before an element in the source's list. */
function holdPlaces(
  draft: Draft,
  host: DraftGroup,
  source: readonly unknown[],
  index: number,
  anchor: DraftEntry | undefined,
): DraftEntry | undefined {
  let from = index;
  while (from > 0 && source[from - 1] === "" && host.named(String(from - 1)) === undefined) from--;
  let last = anchor;
  for (let i = from; i < index; i++) last = addText(draft, host, `${host.prefix}${i}`, "", last);
  return last;
}

function isPresent(entry: DraftEntry | undefined): entry is DraftEntry {
  return entry !== undefined && !entry.isRemoved;
}

/** Whether a file has dotted keys where the source has groups. */
function isFlatFile(root: DraftGroup, shape: Group): boolean {
  let isFlat = false;
  for (const entry of root.kept()) {
    if (entry.group?.isEmpty === false) return false;
    if (entry.name.includes(".") && childOf(shape, entry.name) === undefined) isFlat = true;
  }
  return isFlat;
}

/** The innermost group around an entry in which a key can stand. */
function hostBeside({ parent }: DraftEntry, key: string): DraftGroup {
  let host = parent;
  while (host.entry !== undefined && !key.startsWith(host.prefix)) host = host.entry.parent;
  return host;
}

/** Keeps a group that may have lost all its entries, and the groups around it. */
function revive({ entry }: DraftGroup): void {
  if (entry === undefined) return;
  entry.isRemoved = false;
  revive(entry.parent);
}

function deepestHost({ groups, root }: Draft, key: string): DraftGroup {
  for (let dot = key.lastIndexOf("."); dot !== -1; dot = dot === 0 ? -1 : key.lastIndexOf(".", dot - 1)) {
    const host = groups.get(key.slice(0, dot + 1));
    if (host !== undefined && isAttached(host)) return host;
  }
  return root;
}

function isAttached(group: DraftGroup): boolean {
  return group.entry === undefined || (group.entry.group === group && !group.entry.isRemoved);
}

/** The names of the source's groups around a key, and the rest of the key. */
function pathIn(group: Group, key: string): readonly string[] {
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) {
    const inner = childOf(group, key.slice(0, dot));
    if (typeof inner === "object") return [key.slice(0, dot), ...pathIn(inner, key.slice(dot + 1))];
  }
  return [key];
}

/** For each group of a file that has texts of the source, in groups within it too, the first of them in the source's order. */
function firstsIn(draft: Draft, shape: Group, source: SourceOrder): ReadonlyMap<DraftGroup, DraftEntry> {
  const firsts = new Map<DraftGroup, DraftEntry>();
  const visit = (group: Group, prefix: string): void => {
    for (const name of source.namesIn(group, prefix)) {
      const node = childOf(group, name);
      if (typeof node === "object") visit(node, `${prefix}${name}.`);
      const entry = typeof node === "string" ? draft.leaves.get(prefix + name) : undefined;
      if (!isPresent(entry)) continue;
      for (let host: DraftGroup | undefined = entry.parent; host !== undefined && !firsts.has(host);) {
        firsts.set(host, entry);
        host = host.entry?.parent;
      }
    }
  };
  visit(shape, "");
  return firsts;
}

/**
 * The group that a new text stands in. Groups on its path are made as the source has them, as far as texts allow.
 * @param anchorOf gives the entry of a group that a new one follows.
 */
function hostFor(
  draft: Draft,
  path: readonly string[],
  shape: Group,
  anchorOf: (host: DraftGroup) => DraftEntry | undefined,
): DraftGroup {
  let host = draft.root;
  let from = shape;
  for (const name of path.slice(0, -1)) {
    const node = childOf(from, name);
    if (node === undefined || typeof node === "string") return host;
    from = node;
    const prefix = `${host.prefix}${name}.`;
    const known = draft.groups.get(prefix);
    const named = host.named(name);
    const isFree = named === undefined || named.group === known;
    if (known?.entry !== undefined && known.entry.group === known && isFree) {
      revive(known);
      host = known;
    } else if (named === undefined) {
      host = addGroup(draft, host, name, isList(node), anchorOf(host));
    } else return host;
  }
  return host;
}
