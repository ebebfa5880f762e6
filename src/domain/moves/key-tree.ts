/** A file's groups under construction, leaf by leaf, in any order of keys. */
import { emptyRecord } from "../record.ts";
import {
  childOf,
  isEmptyGroup,
  isList,
  leavesOf,
  maxDepth,
  type Group,
  type Node,
} from "../strings/string-file.ts";

/** How a file spells a key: the names of its groups and its own, and which of the groups are lists. */
export interface Spelling {
  readonly names: readonly string[];
  /** For each name, whether the group that holds it is a list. */
  readonly inList: readonly boolean[];
}

/** A leaf of a file: a text, or an empty group. */
export interface SpelledLeaf extends Spelling {
  readonly key: string;
  readonly node: Node;
}

/** The leaves of a group, in its order. @param above what leads to the group. */
export function spelledLeaves(
  group: Group,
  above: Spelling & { readonly prefix: string } = { prefix: "", names: [], inList: [] },
  found: SpelledLeaf[] = [],
): readonly SpelledLeaf[] {
  const inList = [...above.inList, isList(group)];
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    const key = above.prefix + name;
    const names = [...above.names, name];
    if (typeof node === "string" || isEmptyGroup(node)) found.push({ key, node, names, inList });
    else spelledLeaves(node, { prefix: `${key}.`, names, inList }, found);
  }
  return found;
}

class Container {
  readonly isList: boolean;
  readonly nodes = new Map<string, Node | Container>();

  constructor(list: boolean) {
    this.isList = list;
  }

  /** Sets a leaf. A group that is in its place gives way to a text: its leaves become dotted names beside it. */
  set(name: string, node: Node): void {
    const present = this.nodes.get(name);
    if (!(present instanceof Container)) {
      if (present === undefined || typeof node === "string") this.nodes.set(name, node);
      return;
    }
    if (typeof node !== "string") return;
    this.nodes.set(name, node);
    for (const [path, leaf] of leavesOf(present.end(), `${name}.`)) this.set(path, leaf);
  }

  end(): Group {
    const nodes: [string, Node][] = [];
    for (const [name, node] of this.nodes) {
      nodes.push([name, node instanceof Container ? node.end() : node]);
    }
    if (this.isList && nodes.every(([name], i) => name === String(i))) return nodes.map(([, node]) => node);
    const object = emptyRecord<Node>();
    for (const [name, node] of nodes) object[name] = node;
    return object;
  }
}

/**
 * Builds a group from leaves. Where a text and a group claim one name, the text has it and the group's keys become dotted
 * names beside it. A list stays one as long as its elements come without gaps.
 */
export class KeyTree {
  readonly #root: Container;

  constructor(isListed: boolean) {
    this.#root = new Container(isListed);
  }

  add({ names, inList }: Spelling, node: Node): void {
    let group = this.#root;
    for (const [i, name] of names.entries()) {
      const present = group.nodes.get(name);
      if (i === names.length - 1 || typeof present === "string") {
        group.set(names.slice(i).join("."), node);
        return;
      }
      const inner = present instanceof Container ? present : new Container(inList[i + 1] === true);
      group.nodes.set(name, inner);
      group = inner;
    }
  }

  end(): Group {
    return this.#root.end();
  }
}

/** How many of the names lead through groups that are there. */
function depthIn(group: Group, names: readonly string[]): number {
  let current: Node | undefined = group;
  for (const [i, name] of names.entries()) {
    current = typeof current === "object" ? childOf(current, name) : undefined;
    if (typeof current !== "object" || isEmptyGroup(current)) return i;
  }
  return names.length;
}

/**
 * How a string is spelled under another key. Names of the old spelling with which the new key ends are kept. The rest goes
 * into groups that the file has already; what remains is nested, or one dotted name if the old spelling was dotted.
 * @param target the file that it comes to, as it is before.
 */
export function respelled(
  { names, inList }: Spelling,
  { from, to, target }: { readonly from: string; readonly to: string; readonly target: Group },
): Spelling {
  let kept = 0;
  let rest: string | undefined = to;
  while (rest !== undefined && kept < names.length) {
    const name: string = names[names.length - 1 - kept] ?? "";
    if (rest === name) rest = undefined;
    else if (rest.endsWith(`.${name}`)) rest = rest.slice(0, -name.length - 1);
    else break;
    kept++;
  }
  const stay = names.slice(names.length - kept);
  const wereInList = inList.slice(inList.length - kept);
  // The first name that stays may come into another group.
  if (rest === undefined && from === to) return { names, inList };
  const changed = rest === undefined ? [] : toNames(rest, names.slice(0, names.length - kept), target);
  const all = [...changed, ...stay];
  if (all.length > maxDepth) return { names: [to], inList: [isList(target)] };
  // Groups above it that stay are lists where they were.
  const stayInList = changed.map(
    (_, i) => inList[i] === true && changed.slice(0, i).every((name, j) => name === names[j]),
  );
  return { names: all, inList: [...stayInList, ...wereInList] };
}

function toNames(key: string, were: readonly string[], target: Group): readonly string[] {
  const parts = key.split(".");
  const depth = Math.min(depthIn(target, parts), parts.length - 1);
  const isDotted = were.some((name) => name.includes("."));
  return isDotted ? [...parts.slice(0, depth), parts.slice(depth).join(".")] : parts;
}
