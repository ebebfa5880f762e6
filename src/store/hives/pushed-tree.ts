/**
 * Checks which files the commits of a push change: only files of locales, notes and the README may change, and only as plain
 * files that every system can check out. Files that a commit has from a parent are not checked again.
 */
import { boundedCache } from "../../bounded-cache.ts";
import { readmePath } from "../../domain/hives/hive-readme.ts";
import { failure, type Issues } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { ownMember } from "../../domain/record.ts";
import { excerpt } from "../../domain/text.ts";
import type { BareRepo } from "../../git/bare-repo.ts";
import type { RawTreeEntry } from "../../git/objects/git-object.ts";
import { fileOfPath, localesFolder } from "../content/locale-files.ts";
import { styleFolder, glossaryPath } from "../content/stored-glossary.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { picturesFolder } from "../content/stored-pictures.ts";

/** A file that differs from the same file in all parents of a commit. */
export interface ChangedBlob {
  readonly path: string;
  readonly oid: Oid;
}

export interface TreeCheck {
  readonly repo: BareRepo;
  readonly sent: { readonly has: (oid: Oid) => boolean };
  /**
   * Trees and files of the Hive that the client may see. The entries of visible trees are added when these are read.
   */
  readonly visible: Set<Oid>;
  readonly locales: ReadonlySet<string>;
  readonly issues: Issues;
}

const maxEntries = 1_000_000;
const keptTrees = 512;
const maxDepth = 64;

type Entries = ReadonlyMap<string, RawTreeEntry>;
const noEntries: Entries = new Map();
const fileMode = "100644";
const folderMode = "40000";

const oddModes = new Map([
  ["120000", "is a symbolic link"],
  ["160000", "is a submodule"],
  ["100755", "is executable; change that with: git update-index --chmod=-x"],
]);

/** Folders and files that pushes cannot change, with the commands for them, which check them as a whole. */
const changedOtherwise: Readonly<Record<string, string>> = {
  [glossaryPath]: "skep glossary import",
  [styleFolder]: "skep style",
  [picturesFolder]: "skep picture",
};

export class PushedTrees {
  /** The trees and files that differ from the parents of their commits. */
  readonly objects = new Set<Oid>();
  /**
   * Objects among these that were not sent and are not known to be visible. They were not read, because an answer to a push
   * must not depend on hidden objects. While there are any, the other results are incomplete.
   */
  readonly unknown = new Set<Oid>();
  readonly #check: TreeCheck;
  readonly #trees = boundedCache<Oid, Entries>(keptTrees);
  #entries = 0;

  constructor(check: TreeCheck) {
    this.#check = check;
  }

  /**
   * Checks the tree of a commit against the trees of its parents.
   * @returns the files that no parent has at the same path.
   * @throws UnreadablePath when a tree cannot be read; SkepError `too-large` when there are far too many files.
   */
  async check(tree: Oid, parents: readonly Oid[]): Promise<readonly ChangedBlob[]> {
    const changed: ChangedBlob[] = [];
    if (!parents.includes(tree)) await this.#compare([], tree, parents, changed);
    return changed;
  }

  /** @param parents the folders of that path in the parents; undefined where there is none. */
  async #compare(
    path: readonly string[],
    tree: Oid | undefined,
    parents: readonly (Oid | undefined)[],
    changed: ChangedBlob[],
  ): Promise<void> {
    if (tree !== undefined) this.objects.add(tree);
    const others = await Promise.all(parents.map((parent) => this.#read(parent)));
    const own = await this.#read(tree);
    const names = new Set([...own.keys(), ...others.flatMap((entries) => [...entries.keys()])]);
    for (const name of names) {
      const entry = own.get(name);
      const before = others.map((entries) => entries.get(name));
      if (before.some((one) => one?.oid === entry?.oid && one?.mode === entry?.mode)) continue;
      const at = [...path, name];
      const problem = this.#problem(at, entry, before);
      if (problem !== undefined) this.#check.issues.add(excerpt(at.join("/"), 255), problem);
      else if (entry === undefined || entry.mode === folderMode) {
        const folders = before.map((one) => (one?.mode === folderMode ? one.oid : undefined));
        // A removed file has no content to check.
        if (entry !== undefined || folders.some((folder) => folder !== undefined)) {
          await this.#compare(at, entry?.oid, folders, changed);
        }
      } else {
        this.#isReadable(entry.oid);
        this.objects.add(entry.oid);
        changed.push({ path: at.join("/"), oid: entry.oid });
      }
    }
  }

  /** Why a push may not change a path; undefined when it may. */
  #problem(
    path: readonly string[],
    entry: RawTreeEntry | undefined,
    before: readonly (RawTreeEntry | undefined)[],
  ): string | undefined {
    const [first, locale, ...rest] = path;
    const isFolder =
      entry === undefined ? before.some((one) => one?.mode === folderMode) : entry.mode === folderMode;
    if (entry !== undefined && entry.mode !== folderMode && entry.mode !== fileMode) {
      return oddModes.get(entry.mode) ?? `has the mode ${entry.mode}, which is none of git's`;
    }
    if (path.length > maxDepth) return "is in too many folders";
    if (first === readmePath && path.length === 1 && !isFolder) return undefined;
    if (first === localesFolder && (isFolder || rest.length > 0)) {
      if (locale === undefined) return undefined;
      if (!this.#check.locales.has(locale)) return "belongs to no locale of this Hive";
      if (isFolder || entry === undefined || fileOfPath(rest.join("/")) !== undefined) return undefined;
      return "is not the name of a file that a Hive can have; they end in .json";
    }
    if (first === notesKind.folder && (isFolder || locale !== undefined)) {
      if (isFolder || entry === undefined || fileOfPath(path.slice(1).join("/")) !== undefined)
        return undefined;
      return "is not the name of a file that a Hive can have; they end in .json";
    }
    const command = ownMember(changedOtherwise, first ?? "");
    if (command !== undefined) return `cannot be changed by a push; use ${command}`;
    return "cannot be changed by a push, which is for locales/, notes/ and README.md";
  }

  /** Whether an object may be read; if not, it is noted. */
  #isReadable(oid: Oid): boolean {
    const { sent, visible } = this.#check;
    if (sent.has(oid) || visible.has(oid)) return true;
    this.unknown.add(oid);
    return false;
  }

  async #read(oid: Oid | undefined): Promise<Entries> {
    if (oid === undefined || !this.#isReadable(oid)) return noEntries;
    const { repo, visible } = this.#check;
    const known = this.#trees.get(oid);
    const entries = known ?? new Map((await repo.readFolder(oid, "a folder")).map((one) => [one.name, one]));
    this.#entries += entries.size + 1;
    if (this.#entries > maxEntries)
      throw failure("too-large", "The folders of this push hold too many files.");
    this.#trees.set(oid, entries);
    if (visible.has(oid)) for (const entry of entries.values()) visible.add(entry.oid);
    return entries;
  }
}
