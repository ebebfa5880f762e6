/** Keys that cannot stand in one file: a text on one side of a merge where the other has a group. */
import { childOf, leavesOf, type Group } from "../strings/string-file.ts";

/** A key that the other side adds, and the present keys in its way. */
export interface PathClash {
  readonly key: string;
  readonly inTheWay: readonly string[];
}

interface Keys {
  /** Whether the other side's file adds this key of its own. */
  readonly isAdded: (key: string) => boolean;
  /** Whether this key of the present file stays, and the other side's file does not have it. */
  readonly staysAlone: (key: string) => boolean;
}

/**
 * Finds where one file has a text and the other has a group of the same name, and both are to stay. A dotted name such as
 * `a.b` is no group, so it can stand beside `a`.
 */
export function findPathClashes(present: Group, other: Group, keys: Keys): readonly PathClash[] {
  const clashes: PathClash[] = [];
  function visit(ours: Group, theirs: Group, prefix: string): void {
    for (const name of Object.keys(theirs)) {
      const node = childOf(theirs, name);
      const here = childOf(ours, name);
      if (node === undefined || here === undefined || (typeof node === "string" && typeof here === "string"))
        continue;
      const key = prefix + name;
      if (typeof node === "string") {
        const inTheWay = keys.isAdded(key) ? textsBelow(here, key, keys.staysAlone) : [];
        if (inTheWay.length > 0) clashes.push({ key, inTheWay });
      } else if (typeof here === "string") {
        if (!keys.staysAlone(key)) continue;
        for (const added of textsBelow(node, key, keys.isAdded))
          clashes.push({ key: added, inTheWay: [key] });
      } else visit(here, node, `${key}.`);
    }
  }
  visit(present, other, "");
  return clashes;
}

function textsBelow(
  node: Group | string,
  key: string,
  isWanted: (key: string) => boolean,
): readonly string[] {
  const found: string[] = [];
  if (typeof node === "string") return found;
  for (const [path, leaf] of leavesOf(node, `${key}.`)) {
    if (typeof leaf === "string" && isWanted(path)) found.push(path);
  }
  return found;
}
