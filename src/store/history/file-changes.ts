/**
 * Finds the locale files that each commit changes, by the installed git for many commits, otherwise by comparing trees.
 */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { isOid, storedPath, type FileName, type Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import type { GraphCommit } from "./commit-order.ts";
import { splitAtNul, type StreamGit } from "../../git/process/git-stream.ts";
import { fileOfPath, localesFolder } from "../content/locale-files.ts";
import { emptyTree, filesOf, folderAt, type Tree } from "../../git/objects/tree.ts";

/** Only files of this locale, or of this name in any locale; all files if neither is given. */
export interface PathFilter {
  readonly locale?: LocaleCode | undefined;
  readonly file?: FileName | undefined;
}

/** A locale file that a commit changed; in a merge, it differs from each parent's. */
export interface FileChange {
  readonly locale: LocaleCode;
  readonly file: FileName;
  /** The blob at each parent; undefined where the file is missing. A first commit has no parent. */
  readonly before: readonly (Oid | undefined)[];
  readonly after: Oid | undefined;
}

export interface CommitChanges {
  readonly oid: Oid;
  readonly files: readonly FileChange[];
}

/** More commits than these are compared by git. */
const maxComparedWithoutGit = 32;

export class FileChanges {
  readonly #repo: BareRepo;
  readonly #gitdir: string;
  readonly #stream: StreamGit;

  constructor(repo: BareRepo, gitdir: string, stream: StreamGit) {
    this.#repo = repo;
    this.#gitdir = gitdir;
    this.#stream = stream;
  }

  /**
   * The commits that change a file that matches the filter, in the same order.
   * @param signal stops it.
   * @throws the signal's reason.
   */
  async *of(
    commits: readonly GraphCommit[],
    filter: PathFilter,
    signal?: AbortSignal,
  ): AsyncGenerator<CommitChanges> {
    const lines =
      commits.length > maxComparedWithoutGit ? await this.#ask(commits, filter, signal) : undefined;
    if (lines !== undefined) {
      yield* parseDiffTree(lines);
      return;
    }
    let known: Tree | undefined;
    for (const commit of commits) {
      signal?.throwIfAborted();
      const { files, tree } = await this.#compare(commit, filter, known);
      known = tree;
      if (files.length > 0) yield { oid: commit.oid, files };
    }
  }

  #ask(
    commits: readonly GraphCommit[],
    filter: PathFilter,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<Buffer> | undefined> {
    const flags = ["--stdin", "-z", "-r", "-c", "--root", "--no-renames", "--no-ext-diff"];
    const names = commits.map(({ oid }) => oid);
    return this.#stream(this.#gitdir, ["diff-tree", ...flags, "--", pathspecOf(filter)], names, signal);
  }

  async #compare(commit: GraphCommit, filter: PathFilter, known: Tree | undefined) {
    const tree = await this.#tree(commit.oid, known);
    const parents = await Promise.all(commit.parents.map((parent) => this.#tree(parent, tree)));
    return { tree, files: [...compareTrees(parents, tree, filter)] };
  }

  /** An unreadable tree counts as empty: a commit from outside must not hide the rest of the history. */
  async #tree(oid: Oid, known: Tree | undefined): Promise<Tree> {
    try {
      return await this.#repo.readTree((await this.#repo.readCommit(oid)).tree, known);
    } catch (error) {
      if (error instanceof UnreadablePath) return emptyTree;
      throw error;
    }
  }
}

function* compareTrees(
  parents: readonly Tree[],
  tree: Tree,
  { locale, file }: PathFilter,
): Generator<FileChange> {
  const all = [...parents, tree];
  const folders = all.map((one) => folderAt(one, [localesFolder]) ?? emptyTree);
  const codes = new Set(folders.flatMap((folder) => [...folder.entries.keys()])).values();
  for (const code of locale === undefined ? codes : [locale]) {
    if (!isStoredLocaleCode(code)) continue;
    const within = folders.map((folder) => folderAt(folder, [code]) ?? emptyTree);
    const now = within.at(-1);
    if (within.slice(0, -1).some((before) => before.oid === now?.oid)) continue;
    const blobs = within.map(
      (folder) => new Map(Array.from(filesOf(folder), ({ path, oid }) => [path, oid])),
    );
    const paths = file === undefined ? new Set(blobs.flatMap((one) => [...one.keys()])) : [storedPath(file)];
    for (const path of paths) {
      const name = fileOfPath(path);
      const oids = blobs.map((one) => one.get(path));
      const before = oids.slice(0, -1);
      const after = oids.at(-1);
      const differs = before.length > 0 ? before.every((oid) => oid !== after) : after !== undefined;
      if (name !== undefined && differs) yield { locale: code, file: name, before, after };
    }
  }
}

/** A pathspec for git in which the characters of a name have no special meaning. */
function pathspecOf({ locale, file }: PathFilter): string {
  if (file === undefined) {
    return `:(literal)${localesFolder}${locale === undefined ? "" : `/${locale}`}`;
  }
  if (locale !== undefined) return `:(literal)${localesFolder}/${locale}/${storedPath(file)}`;
  return `:(glob)${localesFolder}/*/${storedPath(file).replaceAll(/[[\]*?\\]/g, "\\$&")}`;
}

/**
 * Reads what `git diff-tree --stdin -z -r -c` writes: a commit's name, then its changes, each with its path after it.
 */
async function* parseDiffTree(lines: AsyncIterable<Buffer>): AsyncGenerator<CommitChanges> {
  let oid: Oid | undefined;
  let files: FileChange[] = [];
  let change: Pick<FileChange, "before" | "after"> | undefined;
  for await (const bytes of splitAtNul(lines)) {
    const text = bytes.toString("utf8");
    if (change !== undefined) {
      const named = toNamed(text);
      if (named !== undefined) files.push({ ...named, ...change });
      change = undefined;
    } else if (text.startsWith(":")) change = toChange(text);
    else if (isOid(text)) {
      if (oid !== undefined && files.length > 0) yield { oid, files };
      oid = text;
      files = [];
    }
  }
  if (oid !== undefined && files.length > 0) yield { oid, files };
}

/** `:<mode>… <mode> <blob>… <blob> <status>`: as many of each as there are parents, and one for the commit. */
function toChange(text: string): Pick<FileChange, "before" | "after"> {
  const parents = text.length - text.replace(/^:+/, "").length;
  const blobs = text
    .slice(parents)
    .split(" ")
    .slice(parents + 1, 2 * parents + 2);
  const oids = blobs.map((blob) => (isOid(blob) && !/^0+$/.test(blob) ? blob : undefined));
  return { before: oids.slice(0, -1), after: oids.at(-1) };
}

function toNamed(path: string): Pick<FileChange, "locale" | "file"> | undefined {
  const [, locale = "", rest = ""] = /^locales\/([^/]+)\/(.+)$/s.exec(path) ?? [];
  const file = fileOfPath(rest);
  return isStoredLocaleCode(locale) && file !== undefined ? { locale, file } : undefined;
}
