import { expect, it } from "vitest";
import { parseTree, toGitObject } from "../../../src/git/objects/git-object.ts";
import { changeTree, emptyTree } from "../../../src/git/objects/tree.ts";
import { splitObject } from "../../helpers/git/packs.ts";

it("a changed tree lists its entries in the order in which git stores them", () => {
  const { oid } = toGitObject("blob", "x");
  const add = (tree: typeof emptyTree, ...paths: readonly string[]) =>
    changeTree(tree, new Map(paths.map((path) => [path, oid])));
  const first = add(emptyTree, "b", "z/a", "a0");
  // A folder is sorted as if its name ended with a slash.
  for (const paths of [["a"], ["a/x"], ["a.json", "z/B"], ["Z", "z-", "z.0"]]) {
    const { tree, objects } = add(first.tree, ...paths);
    const [root] = objects.slice(-1);
    const stored = root && parseTree(splitObject(root.bytes).content).map(({ name }) => name);
    expect([...tree.entries.keys()]).toEqual(stored);
  }
});
