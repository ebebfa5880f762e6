/**
 * Finds the locale files that each commit changes, by the installed git for many commits, otherwise by comparing trees.
 */
import type { LRUCache } from "lru-cache";
import { boundedCache } from "../../bounded-cache.ts";
import { type LocaleCode, isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { isOid, storedPath, type FileName, type Oid } from "../../domain/names.ts";
import { unlessUnreadable } from "../../git/bare-repo.ts";
import type { HistorySource } from "./commit-reader.ts";
import type { GraphCommit } from "./commit-walk.ts";
import { splitAtNul } from "../../git/process/git-stream.ts";
import { fileOfPath, localesFolder, changedBlobs, type BlobChange } from "../content/locale-files.ts";
import { differingNames, emptyTree, folderAt, type Tree } from "../../git/objects/tree.ts";
import { sidecars } from "../../domain/plans/sidecars.ts";

/** Only files of this locale, or of this name in any locale; all files if neither is given. */
export interface PathFilter {
  readonly locale?: LocaleCode;
  readonly file?: FileName;
}

/** A locale file that a commit changed. A merge is compared with its first parent. */
export interface FileChange extends BlobChange {
  readonly locale: LocaleCode;
}

export interface CommitChanges {
  readonly oid: Oid;
  readonly files: readonly FileChange[];
}

type ComparedCommit = Pick<GraphCommit, "oid" | "parents">;

/** More commits than these are compared by git. */
const maxComparedWithoutGit = 32;

/**
 * The commits that change a file that matches the filter, in the same order.
 * @param signal stops it.
 * @throws the signal's reason.
 */
export async function* changesOf(
  source: HistorySource,
  commits: readonly ComparedCommit[],
  filter: PathFilter,
  signal?: AbortSignal,
): AsyncGenerator<CommitChanges> {
  const lines =
    commits.length > maxComparedWithoutGit ? await askGit(source, commits, filter, signal) : undefined;
  if (lines !== undefined) {
    yield* parseDiffTree(lines);
    return;
  }
  let known: Tree | undefined;
  for (const { oid, parents } of commits) {
    signal?.throwIfAborted();
    const tree = (known = await treeOf(source, oid, known));
    const [parent] = parents;
    const before = parent === undefined ? emptyTree : await treeOf(source, parent, tree);
    const files = [...compareTrees(before, tree, filter)];
    if (files.length > 0) yield { oid, files };
  }
}

/** What is looked for in commits. */
export interface ChangeSearch {
  /** Identifies the search: the same name must find the same changes of the same commit. */
  readonly name: string;
  readonly filter: PathFilter;
  /** Takes those changes of a commit that count. */
  readonly pick: (files: readonly FileChange[]) => readonly FileChange[];
}

/** The changes of files by single commits, of which those that were asked for last are kept. */
export class ChangesOfCommits {
  readonly #source: HistorySource;
  readonly #known: LRUCache<string, readonly FileChange[]>;

  /** @param max of how many commits they are kept. */
  constructor(source: HistorySource, max: number) {
    this.#source = source;
    this.#known = boundedCache(max);
  }

  /** The changes by each of some commits. */
  async of(
    commits: readonly ComparedCommit[],
    { name, filter, pick }: ChangeSearch,
  ): Promise<ReadonlyMap<Oid, readonly FileChange[]>> {
    const nameOf = (oid: Oid): string => `${name} ${oid}`;
    // What is known now may be forgotten as soon as others are remembered.
    const known = new Map(commits.map(({ oid }) => [oid, this.#known.get(nameOf(oid))]));
    const unknown = commits.filter(({ oid }) => known.get(oid) === undefined);
    const found = new Map<Oid, readonly FileChange[]>();
    for await (const { oid, files } of changesOf(this.#source, unknown, filter)) found.set(oid, pick(files));
    for (const { oid } of unknown) this.#known.set(nameOf(oid), found.get(oid) ?? []);
    return new Map(commits.map(({ oid }) => [oid, known.get(oid) ?? found.get(oid) ?? []]));
  }

  clear(): void {
    this.#known.clear();
  }
}

function askGit(
  { repo, stream }: HistorySource,
  commits: readonly ComparedCommit[],
  filter: PathFilter,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<Buffer> | undefined> {
  const flags = ["--stdin", "-z", "-r", "--root", "--no-renames", "--no-ext-diff"];
  // git takes the second name of a line for the only parent.
  const lines = commits.map(({ oid, parents }) => [oid, ...parents.slice(0, 1)].join(" "));
  return stream(repo.gitdir, ["diff-tree", ...flags, "--", pathspecOf(filter)], lines, signal);
}

/** An unreadable tree counts as empty: a commit from outside must not hide the rest of the history. */
export async function treeOf({ repo }: HistorySource, oid: Oid, known: Tree | undefined): Promise<Tree> {
  const read = async (): Promise<Tree> => repo.readTree((await repo.readCommit(oid)).tree, known);
  return unlessUnreadable(read(), emptyTree);
}

function* compareTrees(before: Tree, after: Tree, { locale, file }: PathFilter): Generator<FileChange> {
  const [was, is] = [foldersOf(before), foldersOf(after)];
  for (const code of locale === undefined
    ? new Set([...was.entries.keys(), ...is.entries.keys()])
    : [locale]) {
    if (!isStoredLocaleCode(code)) continue;
    const changes = changedBlobs(folderAt(was, [code]) ?? emptyTree, folderAt(is, [code]) ?? emptyTree);
    for (const change of changes) {
      if (file === undefined || change.file === file) yield { locale: code, ...change };
    }
  }
}

function foldersOf(tree: Tree): Tree {
  return folderAt(tree, [localesFolder]) ?? emptyTree;
}

/** The folders that have one for each locale: of texts, and of the values beside translations. */
const foldersByLocale = new Set([
  localesFolder,
  ...sidecars.filter(({ by }) => by === "translation").map(({ folder }) => folder),
]);

/** Where two commits differ. */
export interface ChangedPlaces {
  /** The locales of which texts differ. */
  readonly texts: ReadonlySet<LocaleCode>;
  /** These, and the locales of which values beside texts differ. */
  readonly locales: ReadonlySet<LocaleCode>;
  /** The names of all other files and folders of the Hive that differ. */
  readonly others: ReadonlySet<string>;
}

/** Where two commits differ, by their trees alone. @param from undefined for the empty tree. */
export async function changedPlaces(
  source: HistorySource,
  from: Oid | undefined,
  to: Oid,
): Promise<ChangedPlaces> {
  const after = await treeOf(source, to, undefined);
  const before = from === undefined ? emptyTree : await treeOf(source, from, after);
  const texts = new Set<LocaleCode>();
  const locales = new Set<LocaleCode>();
  const others = new Set<string>();
  for (const name of differingNames(before, after)) {
    if (!foldersByLocale.has(name)) {
      others.add(name);
      continue;
    }
    const foldersIn = (tree: Tree): Tree => folderAt(tree, [name]) ?? emptyTree;
    for (const code of differingNames(foldersIn(before), foldersIn(after))) {
      if (!isStoredLocaleCode(code)) others.add(name);
      else {
        locales.add(code);
        if (name === localesFolder) texts.add(code);
      }
    }
  }
  return { texts, locales, others };
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
 * Reads what `git diff-tree --stdin -z -r` writes: a commit's name, then its changes, each with its path after it.
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

/** `:<mode> <mode> <blob> <blob> <status>`; a blob of zeros is none. */
function toChange(text: string): Pick<FileChange, "before" | "after"> {
  const [before, after] = text
    .split(" ")
    .slice(2, 4)
    .map((blob) => (isOid(blob) && !/^0+$/.test(blob) ? blob : undefined));
  return { before, after };
}

function toNamed(path: string): Pick<FileChange, "locale" | "file"> | undefined {
  const [, locale = "", rest = ""] = /^locales\/([^/]+)\/(.+)$/s.exec(path) ?? [];
  const file = fileOfPath(rest);
  return isStoredLocaleCode(locale) && file !== undefined ? { locale, file } : undefined;
}
