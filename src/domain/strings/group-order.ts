/** Restores the position of keys that are added back to a group. */
import { append } from "../group-by.ts";
import { emptyRecord } from "../record.ts";
import { childOf, isList, leavesOf, type Group, type Node } from "./string-file.ts";

/** Which keys are added back, and where they were. */
export interface FormerOrder {
  readonly isBack: (key: string) => boolean;
  /** The position of a flattened key in the earlier file; undefined if it was not in it. */
  readonly rankOf: (key: string) => number | undefined;
}

/**
 * Moves each name that was added to a group behind the nearest present name that preceded it; if there is none, it comes
 * first. All other names keep their order. Lists and integer-like names have an order of their own.
 */
export function restoreOrder(group: Group, order: FormerOrder, prefix = ""): Group {
  const nodes = new Map<string, Node>();
  const rankedNames: RankedName[] = [];
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    const path = prefix + name;
    const ranked = rankedName(name, typeof node === "string" ? [path] : keysBelow(node, path), order);
    const isAsItWas = typeof node === "string" || ranked.isBack;
    nodes.set(name, isAsItWas ? node : restoreOrder(node, order, `${path}.`));
    rankedNames.push(ranked);
  }
  if (isList(group)) return [...nodes.values()];

  const behind = new Map<string | undefined, string[]>();
  let nearest: string | undefined;
  for (const { name, rank, isBack } of rankedNames.toSorted((a, b) => compareRanks(a.rank, b.rank))) {
    if (rank === undefined) continue;
    if (!isBack) nearest = name;
    else append(behind, nearest, name);
  }
  const draft = emptyRecord<Node>();
  const put = (name: string): void => {
    const node = nodes.get(name);
    if (node !== undefined) draft[name] = node;
  };
  behind.get(undefined)?.forEach(put);
  for (const { name, isBack } of rankedNames) {
    if (isBack) continue;
    put(name);
    behind.get(name)?.forEach(put);
  }
  return draft;
}

interface RankedName {
  readonly name: string;
  /** The former position of the first of its keys. */
  readonly rank: number | undefined;
  /** Whether all of its keys are added back. */
  readonly isBack: boolean;
}

function rankedName(name: string, keys: Iterable<string>, { isBack, rankOf }: FormerOrder): RankedName {
  let rank: number | undefined;
  let count = 0;
  let back = 0;
  for (const key of keys) {
    count++;
    if (isBack(key)) back++;
    const keyRank = rankOf(key);
    if (keyRank !== undefined && (rank === undefined || keyRank < rank)) rank = keyRank;
  }
  return { name, rank, isBack: count > 0 && back === count };
}

function keysBelow(group: Group, path: string): readonly string[] {
  return leavesOf(group, `${path}.`).flatMap(([key, leaf]) => (typeof leaf === "string" ? [key] : []));
}

function compareRanks(a = Infinity, b = Infinity): number {
  return a === b ? 0 : a - b;
}
