/** Finds the files that a pattern matches. Nothing is read through a symbolic link. */
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "../api/client-error.ts";
import { literalName, matcherOf, nameMatcher, type Captures, type Pattern } from "./pattern.ts";

/** Folders that hold other people's files. A pattern enters them only where it names them. */
const ignoredFolders = new Set(["node_modules", "vendor"]);

/** A file that a pattern matched. */
export interface MatchedFile {
  /** Below the folder, with slashes. */
  readonly path: string;
  readonly captures: Captures;
}

/** The entries of folders, each read once: a pattern that begins with `**` visits every folder for each locale. */
export class Listings {
  readonly folder: string;
  readonly #folders = new Map<string, Promise<readonly Dirent[]>>();

  /** @param folder the folder that all patterns begin at. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** @param path below the folder. */
  read(path: string): Promise<readonly Dirent[]> {
    const read = this.#folders.get(path) ?? readFolder(join(this.folder, path));
    this.#folders.set(path, read);
    return read;
  }

  /** The entries of a folder, if it was read before. */
  known(path: string): Promise<readonly Dirent[]> | undefined {
    return this.#folders.get(path);
  }
}

/**
 * Finds the files of one locale.
 * @param listings of the tree, also from earlier calls.
 * @param code stands for `{locale}`.
 * @returns the files in the order of their paths.
 * @throws ClientError `misuse` when the pattern leads through a symbolic link, or to something that is no file.
 */
export async function findFiles(
  listings: Listings,
  pattern: Pattern,
  code: string,
): Promise<readonly MatchedFile[]> {
  const { folder } = listings;
  const { segments } = pattern;
  const last = segments.length - 1;
  const paths = new Set<string>();

  /** Finds what the names from index `i` on match below a folder. */
  async function visit(below: string, i: number): Promise<void> {
    const segment = segments[i];
    if (segment === undefined) return;
    const literal = literalName(segment, code);
    if (literal !== undefined) {
      const path = below + literal;
      const listed = await listings.known(below);
      const found =
        listed === undefined
          ? await lstatIfAny(join(folder, path))
          : listed.find(({ name }) => name === literal);
      if (found !== undefined) await enter(path, found, i);
      return;
    }
    const entries = await listings.read(below);
    if (segment === "**") {
      await visit(below, i + 1);
      // Links to folders are not followed: they may lead in circles.
      const folders = entries.filter((entry) => entry.isDirectory() && isVisited(entry.name));
      for (const { name } of folders) await visit(`${below}${name}/`, i);
      return;
    }
    const matches = nameMatcher(segment, code);
    for (const entry of entries) {
      if (!matches(entry.name) || (i < last && !isVisited(entry.name))) continue;
      // A folder may be called as files are.
      if (i === last && entry.isDirectory()) continue;
      await enter(below + entry.name, entry, i);
    }
  }

  async function enter(path: string, found: Stats | Dirent, i: number): Promise<void> {
    const position = { file: join(folder, path) };
    if (found.isSymbolicLink()) {
      throw fileError(
        "misuse",
        position,
        `is a symbolic link, which ${pattern.text} leads through; files are read and written in the folder of skep.yaml alone`,
      );
    }
    if (i < last) {
      if (found.isDirectory()) await visit(`${path}/`, i + 1);
    } else if (found.isFile()) paths.add(path);
    else throw fileError("misuse", position, `is not a file, but ${pattern.text} names it as one`);
  }

  await visit("", 0);
  const match = matcherOf(pattern, code);
  return [...paths].toSorted().map((path) => ({ path, captures: match(path) ?? [] }));
}

/** Whether wildcards enter all folders of what one of them matched. */
export function isVisitedPath(matched: string): boolean {
  return matched.split("/").slice(0, -1).every(isVisited);
}

function isVisited(folder: string): boolean {
  return !folder.startsWith(".") && !ignoredFolders.has(folder);
}

async function lstatIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readFolder(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
