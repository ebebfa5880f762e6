/** Trees in memory, and the new tree objects that a change of some files needs. */
import type { Oid } from "../../domain/names.ts";
import { inTreeOrder, toTree, type GitObject, type TreeMode } from "./git-object.ts";

export type TreeEntry =
  | { readonly kind: "file"; readonly mode: TreeMode; readonly oid: Oid }
  | { readonly kind: "folder"; readonly tree: Tree };

export interface Tree {
  readonly oid: Oid;
  readonly entries: ReadonlyMap<string, TreeEntry>;
}

export interface TreeFile {
  readonly path: string;
  readonly oid: Oid;
}

/** The tree without entries. Git stores no empty folders, so only a root can be empty. */
export const emptyTree: Tree = { oid: toTree([]).oid, entries: new Map() };

/** The folder at a path of names, or undefined when there is none. */
export function folderAt(tree: Tree, path: readonly string[]): Tree | undefined {
  let folder: Tree | undefined = tree;
  for (const name of path) {
    const entry: TreeEntry | undefined = folder?.entries.get(name);
    folder = entry?.kind === "folder" ? entry.tree : undefined;
  }
  return folder;
}

/** The blob of a file directly in a folder, or undefined. */
export function fileIn(tree: Tree, name: string): Oid | undefined {
  const entry = tree.entries.get(name);
  return entry?.kind === "file" ? entry.oid : undefined;
}

/** The blob of the file at a path, or undefined. */
export function fileAt(tree: Tree, path: string): Oid | undefined {
  const names = path.split("/");
  const folder = folderAt(tree, names.slice(0, -1));
  return folder && fileIn(folder, names.at(-1) ?? "");
}

/** The names directly in a folder that are another file or folder in the other one, or only in one of them. */
export function differingNames(one: Tree, other: Tree): ReadonlySet<string> {
  const oidOf = (tree: Tree, name: string): Oid | undefined => {
    const entry = tree.entries.get(name);
    return entry?.kind === "folder" ? entry.tree.oid : entry?.oid;
  };
  const names = [...one.entries.keys(), ...other.entries.keys()];
  return new Set(names.filter((name) => oidOf(one, name) !== oidOf(other, name)));
}

/** All files below a folder, with paths relative to it. */
export function* filesOf(tree: Tree, prefix = ""): Generator<TreeFile> {
  for (const [name, entry] of tree.entries) {
    if (entry.kind === "file") yield { path: prefix + name, oid: entry.oid };
    else yield* filesOf(entry.tree, `${prefix + name}/`);
  }
}

/**
 * Changes files in a tree. Folders that become empty are removed; everything else stays as it is.
 * @param changes path → blob, or undefined to remove the file.
 * @returns the new tree and the tree objects that are new.
 */
export function changeTree(
  tree: Tree,
  changes: ReadonlyMap<string, Oid | undefined>,
): { tree: Tree; objects: readonly GitObject[] } {
  const entries = new Map(tree.entries);
  const objects: GitObject[] = [];
  const inFolders = new Map<string, Map<string, Oid | undefined>>();
  for (const [path, oid] of changes) {
    const slash = path.indexOf("/");
    if (slash !== -1) {
      const name = path.slice(0, slash);
      const inner = inFolders.get(name) ?? new Map<string, Oid | undefined>();
      inFolders.set(name, inner.set(path.slice(slash + 1), oid));
    } else if (oid === undefined) entries.delete(path);
    else entries.set(path, { kind: "file", mode: "100644", oid });
  }
  for (const [name, inner] of inFolders) {
    const changed = changeTree(folderAt(tree, [name]) ?? emptyTree, inner);
    for (const object of changed.objects) objects.push(object);
    if (changed.tree.entries.size > 0) entries.set(name, { kind: "folder", tree: changed.tree });
    // A removal below a name must not take away a file that has this name now.
    else if (entries.get(name)?.kind === "folder") entries.delete(name);
  }
  // Whoever lists a folder finds the same order in this tree as in the same one that was read.
  const ordered = inTreeOrder(
    Array.from(entries, ([name, entry]) =>
      entry.kind === "file"
        ? { mode: entry.mode, name, oid: entry.oid, entry }
        : { mode: "40000", name, oid: entry.tree.oid, entry },
    ),
  );
  const object = toTree(ordered);
  const changed = new Map(ordered.map(({ name, entry }) => [name, entry]));
  return {
    tree: { oid: object.oid, entries: changed },
    objects: entries.size > 0 ? [...objects, object] : objects,
  };
}
