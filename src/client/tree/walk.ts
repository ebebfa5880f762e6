/** Finds the files that a pattern matches. Nothing is read through a symbolic link. */
import { hasCode } from "./files.ts";
import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileError } from "../api/client-error.ts";
import { literalName, matcherOf, nameMatcher, type Captures, type Pattern } from "./pattern.ts";

/** Folders that hold other people's files. A pattern enters them only where it names them. */
const ignoredFolders = new Set(["node_modules", "vendor"]);

export interface MatchedFile {
  /** Below the folder, with slashes. */
  readonly path: string;
  readonly captures: Captures;
}

/** The entries of folders, each read once: a pattern that begins with `**` visits every folder for each locale. */
export class Listings {
  readonly folder: string;
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, Dirent>>>();
  readonly #links = new Map<string, Promise<void>>();

  /** @param folder the folder that all patterns begin at. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** The symbolic links that were passed over, in the order of their paths. */
  get links(): readonly string[] {
    return [...this.#links.keys()].toSorted();
  }

  /** @param path below the folder; with a slash at its end, or empty. */
  read(path: string): Promise<ReadonlyMap<string, Dirent>> {
    const read = this.#folders.get(path) ?? readFolder(join(this.folder, path));
    this.#folders.set(path, read);
    return read;
  }

  /** The entry of a path below the folder; undefined where there is none. */
  async entry(path: string): Promise<Dirent | undefined> {
    const start = path.lastIndexOf("/") + 1;
    return (await this.read(path.slice(0, start))).get(path.slice(start));
  }

  /**
   * Finds a link on a path, which is passed over then.
   * @throws ClientError `misuse` when the link leads out of the folder.
   */
  async isLinked(path: string): Promise<boolean> {
    const names = path.split("/");
    for (const i of names.keys()) {
      const at = names.slice(0, i + 1).join("/");
      const found = await this.entry(at);
      if (found === undefined) return false;
      if (found.isSymbolicLink()) {
        await this.passOver(at);
        return true;
      }
    }
    return false;
  }

  /** Passes over a link. @throws ClientError `misuse` when it leads out of the folder. */
  async passOver(link: string): Promise<void> {
    const checked = this.#links.get(link) ?? checkInside(this.folder, link);
    this.#links.set(link, checked);
    await checked;
  }
}

async function checkInside(folder: string, link: string): Promise<void> {
  const file = join(folder, link);
  // A link to nothing leads nowhere.
  const target = await realpath(file).catch(() => folder);
  const way = relative(await realpath(folder), target);
  if (!leadsOut(way)) return;
  const problem =
    "is a symbolic link that leads out of the folder of skep.yaml; nothing outside is read or written";
  throw fileError("misuse", { file }, problem);
}

/** Whether a path that is relative to a folder leads out of it. */
export function leadsOut(way: string): boolean {
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/**
 * Finds the files of one locale.
 * @param listings of the tree, also from earlier calls.
 * @param code stands for `{locale}`.
 * @returns the files in the order of their paths, none of them behind a symbolic link.
 * @throws ClientError `misuse` when a link leads out of the folder, or the pattern names something that is no file.
 */
export async function findFiles(
  listings: Listings,
  pattern: Pattern,
  code: string,
): Promise<readonly MatchedFile[]> {
  const { segments } = pattern;
  const last = segments.length - 1;
  const paths = new Set<string>();

  /** Finds what the names from index `i` on match below a folder. */
  async function visit(below: string, i: number): Promise<void> {
    const segment = segments[i];
    if (segment === undefined) return;
    const entries = await listings.read(below);
    const literal = literalName(segment, code);
    if (literal !== undefined) {
      const found = entries.get(literal);
      if (found !== undefined) await enter(below + literal, found, i);
      return;
    }
    if (segment === "**") {
      await visit(below, i + 1);
      // Links to folders are not followed: they may lead in circles.
      const folders = [...entries.values()].filter((entry) => entry.isDirectory() && isVisited(entry.name));
      for (const { name } of folders) await visit(`${below}${name}/`, i);
      return;
    }
    const matches = nameMatcher(segment, code);
    for (const entry of entries.values()) {
      if (!matches(entry.name) || (i < last && !isVisited(entry.name))) continue;
      // A folder may be called as files are.
      if (i === last && entry.isDirectory()) continue;
      await enter(below + entry.name, entry, i);
    }
  }

  async function enter(path: string, found: Dirent, i: number): Promise<void> {
    if (found.isSymbolicLink()) await listings.passOver(path);
    else if (i < last) {
      if (found.isDirectory()) await visit(`${path}/`, i + 1);
    } else if (found.isFile()) paths.add(path);
    else {
      const file = join(listings.folder, path);
      throw fileError("misuse", { file }, `is not a file, but ${pattern.text} names it as one`);
    }
  }

  await visit("", 0);
  const match = matcherOf(pattern, code);
  return [...paths].toSorted().map((path) => ({ path, captures: match(path) ?? [] }));
}

/** Whether wildcards enter all folders of a path that one of them matched. */
export function isVisitedPath(matched: string): boolean {
  return matched.split("/").slice(0, -1).every(isVisited);
}

function isVisited(folder: string): boolean {
  return !folder.startsWith(".") && !ignoredFolders.has(folder);
}

async function readFolder(path: string): Promise<ReadonlyMap<string, Dirent>> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return new Map(entries.map((entry) => [entry.name, entry]));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return new Map();
    throw error;
  }
}
