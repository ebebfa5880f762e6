/**
 * The `<group>` elements of XLIFF. They are places alone: the keys of units are the same in a group and outside. While a
 * file is changed, its groups have names that keys cannot have, so that units are placed as in groups of other formats.
 */
import type { Group, Node } from "../../domain/strings/string-file.ts";
import { leavesOf } from "../../domain/strings/string-file.ts";
import { movedTo } from "../patch/copied-entry.ts";
import type { Entry, GroupNode } from "../patch/nodes.ts";
import type { TreeEdit } from "../patch/plan-edit.ts";
import { errorAt, indentOf } from "../patch/source-text.ts";
import { elementGroup, ownElements, type XmlElement } from "../patch/xml-tree.ts";
import type { XliffNames } from "./xliff-names.ts";
import { keyOf } from "./xliff-unit.ts";

/** What the name of a group begins with. */
const mark = "\0";

/** Where the units of the source file stand. */
export interface SourceGroups {
  readonly text: string;
  /** The groups by the prefixes of their units, such as `\0=menu.`. */
  readonly groups: ReadonlyMap<string, GroupNode>;
  /** The prefixes of the units that are in groups, by their keys. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** The units of a part of a file, in the groups that they stand in. */
export interface UnitsReader {
  readonly text: string;
  readonly names: XliffNames;
  readonly toEntry: (unit: XmlElement) => Entry;
  /** What the source file has, for the file of another locale. */
  readonly source?: SourceGroups | undefined;
}

/** The element as a group of its units and of the groups with units. @throws FormatError for what is neither. */
export function unitTree(parent: XmlElement, reader: UnitsReader): GroupNode {
  return elementGroup(parent, entriesIn(parent, "", reader));
}

function entriesIn(parent: XmlElement, prefix: string, reader: UnitsReader): readonly Entry[] {
  const { names, text, source, toEntry } = reader;
  let nameless = 0;
  return ownElements(parent).flatMap((child): Entry | readonly Entry[] => {
    if (child.name === names.unit) return toEntry(child);
    if (names.beside.includes(child.name)) return [];
    if (child.name !== "group") throw errorAt(text, child.start, `has a <${child.tag}> among its units`);
    const name = idOf(child, names) ?? likeSource(child, prefix, reader) ?? `${mark}#${nameless++}`;
    const entries = entriesIn(child, `${prefix}${name}.`, reader);
    // A group without units is left alone, unless the source file has some in it.
    if (entries.length === 0 && source?.groups.has(`${prefix}${name}.`) !== true) return [];
    return { name, start: child.start, end: child.end, node: elementGroup(child, entries) };
  });
}

/** The name of a group by its id, whose dots are none of the key. */
function idOf({ attributes }: XmlElement, { key }: XliffNames): string | undefined {
  const id = attributes.get("id") || attributes.get(key);
  return id ? `${mark}=${id.replaceAll(".", mark)}` : undefined;
}

/** The name of the group of the source file that has a unit of this one, which has no id. */
function likeSource(
  group: XmlElement,
  prefix: string,
  { names, source }: Pick<UnitsReader, "names" | "source">,
): string | undefined {
  if (source === undefined) return undefined;
  for (const unit of unitsBelow(group, names)) {
    const own = source.prefixes.get(keyOf(unit, names));
    if (own?.startsWith(prefix) === true && own !== prefix)
      return own.slice(prefix.length, own.indexOf(".", prefix.length));
  }
  return undefined;
}

/** The units in a group, in groups within it too. */
function* unitsBelow(group: XmlElement, names: XliffNames): Generator<XmlElement> {
  for (const child of ownElements(group)) {
    if (child.name === names.unit) yield child;
    if (child.name === "group") yield* unitsBelow(child, names);
  }
}

/** The units of a tree, whatever groups they are in. */
export function unitsOf({ entries }: GroupNode): readonly Entry[] {
  return entries.flatMap((entry) => (entry.node.kind === "group" ? unitsOf(entry.node) : entry));
}

/** Where the units of a tree stand. */
export function groupsIn(tree: GroupNode, text: string): SourceGroups {
  const groups = new Map<string, GroupNode>();
  const prefixes = new Map<string, string>();
  const visit = ({ entries }: GroupNode, prefix: string): void => {
    for (const { name, node } of entries) {
      if (node.kind === "group") {
        const own = `${prefix}${name}.`;
        if (!groups.has(own)) groups.set(own, node);
        visit(node, own);
      } else if (prefix !== "") prefixes.set(name, prefix);
    }
  };
  visit(tree, "");
  return { text, groups, prefixes };
}

/** An edit of units as one of the tree that has their groups. @param prefixOf a key, as its unit stands or is to stand. */
export function inGroups(edit: TreeEdit, prefixOf: (key: string) => string): TreeEdit {
  const placed = (key: string): string => prefixOf(key) + key;
  const { texts, removed, shape, order } = edit;
  return {
    ...edit,
    texts: new Map(Array.from(texts, ([key, text]) => [placed(key), text])),
    removed: new Set(Array.from(removed, placed)),
    shape: shapeIn(shape, order, prefixOf),
    order: order && new Map(Array.from(order.keys(), (key) => [placed(key), ""])),
  };
}

/** The texts of the source file in groups, which are in the order of the file where that is known. */
function shapeIn(shape: Group, order: TreeEdit["order"], prefixOf: (key: string) => string): Group {
  // No prototypes: `__proto__` is a name like any other.
  const root: Record<string, Node> = Object.create(null);
  const groups = new Map([["", root]]);
  const groupOf = (prefix: string): Record<string, Node> => {
    const known = groups.get(prefix);
    if (known !== undefined) return known;
    const group: Record<string, Node> = Object.create(null);
    const outer = prefix.slice(0, prefix.lastIndexOf(".", prefix.length - 2) + 1);
    groupOf(outer)[prefix.slice(outer.length, -1)] = group;
    groups.set(prefix, group);
    return group;
  };
  const leaves = new Map(leavesOf(shape));
  for (const key of new Set([...(order?.keys() ?? []), ...leaves.keys()])) {
    const leaf = leaves.get(key);
    if (leaf !== undefined) groupOf(prefixOf(key))[key] = leaf;
  }
  return root;
}

/** The tags of a group as the source file has it, with what stands there before its units. */
export function groupTags(
  { groups, text }: SourceGroups,
  prefix: string,
  indent: string,
  lineEnd: string,
): readonly [open: string, close: string] {
  const group = groups.get(prefix);
  const [first] = group?.entries ?? [];
  if (group === undefined || first === undefined) return ["<group>", "</group>"];
  const open = text.slice(group.start, first.start).trimEnd();
  return [movedTo(open, indentOf(text, group.start), indent, lineEnd), text.slice(group.innerEnd, group.end)];
}
