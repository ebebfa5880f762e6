/** Tells whether the path of a local mirror leads into the storage itself. */
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { isSystemError } from "../../disk/disk.ts";

/** The suffixes that git tries after a path to find a repository. */
const suffixes = ["", "/.git", ".git", "/.git/.git", ".git/.git"];
const pointer = /^gitdir: (.+?)\s*$/;

/**
 * Whether git, given an absolute path, would open a folder or anything inside it: symbolic links, `..`, suffixes that
 * git adds and `.git` files are followed.
 */
export async function leadsInto(path: string, folder: string): Promise<boolean> {
  const root = await realPath(folder);
  const isInside = async (candidate: string): Promise<boolean> => {
    // `..` has two meanings: the system follows links first, others only shorten the text.
    for (const real of [await realPath(candidate), await realPath(resolve(candidate))]) {
      if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return true;
    }
    return false;
  };
  for (const suffix of suffixes) {
    const candidate = path.replace(/\/+$/, "") + suffix;
    if (await isInside(candidate)) return true;
    const target = await readPointer(candidate);
    if (target !== undefined && (await isInside(target))) return true;
  }
  return false;
}

/** The target of a `.git` file, as work trees and submodules have one. */
async function readPointer(path: string): Promise<string | undefined> {
  try {
    const [, target] = pointer.exec(await readFile(path, "utf8")) ?? [];
    if (target === undefined) return undefined;
    return isAbsolute(target) ? target : `${dirname(path)}/${target}`;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** A path with the symbolic links resolved in the part of it that exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path === "" ? "/" : path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const above = dirname(path);
    return above === path ? path : join(await realPath(above), basename(path));
  }
}
