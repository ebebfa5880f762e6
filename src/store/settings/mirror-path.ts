/** Whether a mirror on this machine's disk is in the storage itself, by whatever way. */
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { isSystemError } from "../../disk/disk.ts";

/** What git tries after a path that it is given, to find the repository. */
const suffixes = ["", "/.git", ".git", "/.git/.git", ".git/.git"];
const pointer = /^gitdir: (.+?)\s*$/;

/**
 * Whether git, given an absolute path, would end in a folder or in something that lies in it: links, `..`, names that
 * git adds and files that point to a repository are followed.
 */
export async function leadsInto(path: string, folder: string): Promise<boolean> {
  const root = await realPath(folder);
  const isInside = async (candidate: string): Promise<boolean> => {
    // Both readings of `..`: that of the system, which follows links first, and that of the text.
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

/** Where a `.git` file of a work tree or submodule points to. */
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

/** A path with its links followed as far as it exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path === "" ? "/" : path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const above = dirname(path);
    return above === path ? path : join(await realPath(above), basename(path));
  }
}
