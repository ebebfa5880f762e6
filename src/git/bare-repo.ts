/** One bare repository: reads its commits, trees and blobs, and writes objects. */
import { join } from "node:path";
import type * as IsomorphicGit from "isomorphic-git";
import { isSystemError } from "../disk/disk.ts";
import { type DurableFs, fileNotFound, type StagedFile } from "../disk/durable-fs.ts";
import { onDemand } from "../on-demand.ts";
import { Semaphore } from "../disk/semaphore.ts";
import { failure } from "../domain/errors.ts";
import type { Oid } from "../domain/names.ts";
import { parseFullCommit, parseAnnotatedTag, type AnnotatedTag } from "./objects/commit-text.ts";
import {
  deflateBytes,
  inflateObject,
  namesNothing,
  parseCommit,
  parseTree,
  type RawTreeEntry,
  type GitObject,
  type ObjectType,
  type CommitInfo,
  type FullCommit,
} from "./objects/git-object.ts";
import { damagedLooseObjects, looseObjectPath, parallelFiles } from "./objects/loose.ts";
import { emptyTree, type Tree, type TreeEntry } from "./objects/tree.ts";
import { repositoryLeftovers } from "./packs/leftovers.ts";
import { GitUnavailable, ReaderEnded, type FoundObject, type PackReader } from "./process/cat-file.ts";
import { Branches } from "./refs/branches.ts";
import { openRefs, type MoveRef, type BranchRef } from "./refs/ref.ts";
import { mainRef } from "./refs/refs.ts";
import { RefFolder, tagRules } from "./refs/ref-folder.ts";
import type { TagName } from "../domain/commits/ref-name.ts";

/** How often reading an object is tried: packings replace packs, but hardly more than two in that time. */
const maxReads = 3;
/** File systems differ in what they keep of modes, links and case, and a storage may move between them. */
const initialConfig = `[core]
	repositoryformatversion = 0
	filemode = false
	bare = true
	symlinks = false
	ignorecase = true
`;
/** Bounds how deep a hostile commit can make the server walk. */
export const maxTreeDepth = 64;

/** Waits until all tasks have settled before it throws, so that none goes on after a failure. */
async function allDone(tasks: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(tasks)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** A path in a commit that Skep cannot read. */
export class UnreadablePath extends Error {
  readonly path: string;

  constructor(path: string, options?: ErrorOptions) {
    super(`cannot read ${path}`, options);
    this.path = path;
  }
}

/** The result, or another value where something cannot be read. @throws what else goes wrong. */
export async function unlessUnreadable<T, U>(result: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof UnreadablePath) return instead;
    throw error;
  }
}

/** Turns an {@link UnreadablePath} into the error for callers, `content-invalid`; any other error stays as it is. */
export function toContentInvalid(commit: Oid, error: unknown): unknown {
  if (!(error instanceof UnreadablePath)) return error;
  return failure("content-invalid", `Hive content at ${commit} is invalid: ${error.path}`, { cause: error });
}

/** Loaded at first use: it takes longer than starting Node, and where git is installed nothing needs it. */
const isomorphicGit = onDemand(() => import("isomorphic-git"));

export class BareRepo {
  readonly branches: Branches;
  readonly tags: RefFolder<TagName>;
  readonly #fs: DurableFs;
  readonly #client: IsomorphicGit.PromiseFsClient;
  readonly gitdir: string;
  readonly #packs: PackReader | undefined;
  readonly #asksPacksFirst: boolean;
  /** isomorphic-git keeps pack indexes here; without it every read parses them again. */
  #cache: object = {};
  readonly #reads = new Semaphore(parallelFiles);
  readonly #writes = new Semaphore(parallelFiles);
  /** The folders of loose objects that this process knows to exist durably. */
  readonly #folders = new Set<string>();

  /**
   * @param packs reads packed objects; isomorphic-git by default.
   * @param options.asksPacksFirst whether most objects that will be read are packed, as the objects of a long history
   * are. Then a read at the same time as one of a damaged object may fail, too.
   * @param options.move see {@link openRefs}.
   */
  constructor(
    fs: DurableFs,
    gitdir: string,
    packs?: PackReader,
    { asksPacksFirst = false, move }: { readonly asksPacksFirst?: boolean; readonly move?: MoveRef } = {},
  ) {
    this.#fs = fs;
    this.#asksPacksFirst = asksPacksFirst;
    this.#packs = packs;
    this.#client = gitFs(fs);
    this.gitdir = gitdir;
    const refs = openRefs(fs, gitdir, move);
    this.branches = new Branches(refs);
    this.tags = new RefFolder(refs, tagRules);
  }

  /** The branch main. */
  get main(): BranchRef {
    return this.branches.main;
  }

  /** Makes an empty bare repository whose HEAD names the branch main. */
  static async init(fs: DurableFs, gitdir: string): Promise<BareRepo> {
    for (const folder of ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"]) {
      await fs.makeFolder(join(gitdir, folder));
    }
    await fs.write(join(gitdir, "config"), initialConfig);
    await fs.write(join(gitdir, "HEAD"), `ref: ${mainRef}\n`);
    return new BareRepo(fs, gitdir);
  }

  /** @throws UnreadablePath when there is no such commit, or it is damaged. */
  async readCommit(oid: Oid): Promise<CommitInfo> {
    return this.readAs(oid, "commit", (content) => parseCommit(oid, content));
  }

  /** As {@link readCommit}, with its author, committer and message. */
  readFullCommit(oid: Oid): Promise<FullCommit> {
    return this.readAs(oid, "commit", (content) => parseFullCommit(oid, content));
  }

  /** @throws UnreadablePath when there is no such blob, or it is damaged. */
  async readBlob(oid: Oid, path: string): Promise<Uint8Array> {
    return this.#read(oid, "blob", path, (content) => content);
  }

  /** Reads and parses an object. @throws UnreadablePath when there is none of that type, or it is damaged. */
  async readAs<T>(oid: Oid, type: ObjectType, parse: (content: Uint8Array) => T): Promise<T> {
    return this.#read(oid, type, `the ${type}`, parse);
  }

  /** The entries of one tree object. @throws UnreadablePath when there is none, it is damaged, or a name is not UTF-8. */
  readFolder(oid: Oid, path: string): Promise<readonly RawTreeEntry[]> {
    return this.#read(oid, "tree", path, parseTree);
  }

  /**
   * Reads a tree with all its folders. Folders that a known tree has under the same object name are taken from there.
   * @throws UnreadablePath for an entry that is not a plain file or folder, or a name that is not UTF-8.
   */
  async readTree(oid: Oid, known?: Tree, path = "", depth = 0): Promise<Tree> {
    if (known?.oid === oid) return known;
    if (oid === emptyTree.oid) return emptyTree;
    if (depth > maxTreeDepth) throw new UnreadablePath(path);
    const entries = await this.readFolder(oid, path);
    const read = entries.map(async (entry): Promise<readonly [string, TreeEntry]> => {
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.mode === "40000") {
        const before = known?.entries.get(entry.name);
        const knownTree = before?.kind === "folder" ? before.tree : undefined;
        return [
          entry.name,
          { kind: "folder", tree: await this.readTree(entry.oid, knownTree, inner, depth + 1) },
        ];
      }
      if (!entry.mode.startsWith("100")) throw new UnreadablePath(inner);
      const mode = entry.mode === "100755" ? "100755" : "100644";
      return [entry.name, { kind: "file", mode, oid: entry.oid }];
    });
    return { oid, entries: new Map(await Promise.all(read)) };
  }

  /**
   * Writes objects durably, in parallel. An existing one is written again, because a crash may have damaged it.
   * @param objects each after those that it names, as they appear in this order: `git gc` beside this process reports an
   * object as corrupt that appears while git looks for it.
   */
  async writeObjects(objects: readonly GitObject[]): Promise<void> {
    const folder = join(this.gitdir, "objects");
    const prefixes = [...new Set(objects.map(({ oid }) => oid.slice(0, 2)))];
    const unknown = prefixes.filter((prefix) => !this.#folders.has(prefix));
    const made = this.#fs.makeFoldersIn(folder, unknown);
    // Small objects first: they are written while a larger one is being deflated.
    const bySize = objects.toSorted((a, b) => a.bytes.byteLength - b.bytes.byteLength);
    const staged = new Map<GitObject, StagedFile>();
    const staging = bySize.map((object) =>
      this.#writes.run(async () => {
        const deflated = await deflateBytes(object.bytes);
        await made;
        const file = await this.#fs.stage(looseObjectPath(this.gitdir, object.oid), deflated);
        if (namesNothing(object)) await file.replace();
        else staged.set(object, file);
      }),
    );
    try {
      await allDone(staging);
      for (const object of objects) await staged.get(object)?.replace();
    } finally {
      for (const file of staged.values()) await file.discard();
    }
    const changed = [
      ...prefixes.map((prefix) => join(folder, prefix)),
      ...(unknown.length > 0 ? [folder] : []),
    ];
    await allDone(changed.map((one) => this.#writes.run(() => this.#fs.syncFolder(one))));
    for (const prefix of unknown) this.#folders.add(prefix);
  }

  async removeLeftovers(): Promise<void> {
    for (const { remove } of await repositoryLeftovers(this.#fs, this.gitdir)) await remove();
  }

  damagedObjects(): Promise<readonly Oid[]> {
    return damagedLooseObjects(this.#fs, this.gitdir);
  }

  async removeLoose(oid: Oid): Promise<void> {
    await this.#fs.removeFile(looseObjectPath(this.gitdir, oid));
  }

  /** Releases the memory and the git process that were used to read packs. */
  releasePacks(): void {
    this.#cache = {};
    this.#packs?.release();
  }

  /** Reads and parses an object; errors name the path. */
  async #read<T>(oid: Oid, type: ObjectType, path: string, parse: (content: Uint8Array) => T): Promise<T> {
    try {
      return parse(await this.#reads.run(() => this.#find(oid, type)));
    } catch (cause) {
      // A failing disk says nothing about the content, and may work again later.
      if (isSystemError(cause)) throw cause;
      throw new UnreadablePath(path === "" ? "/" : path, { cause });
    }
  }

  async #find(oid: Oid, type: ObjectType): Promise<Uint8Array> {
    const first = await this.#askFirst(oid);
    const loose = first === undefined ? await this.#fs.read(looseObjectPath(this.gitdir, oid)) : undefined;
    if (loose !== undefined) return inflateObject(loose, type);
    const found = first ?? (await this.#findPacked(oid));
    if (found?.type === type) return found.content;
    throw new Error(found === undefined ? `there is no ${oid}` : `${oid} is a ${found.type}`);
  }

  /** What git finds where it is asked before loose objects are looked for. */
  async #askFirst(oid: Oid): Promise<FoundObject | undefined> {
    if (this.#asksPacksFirst) return (await this.#askGit(oid))?.found;
    // An open process finds loose objects, too. Looking for the file of a packed object takes as long as asking.
    return this.#packs?.isOpen === true ? this.#packs.read(oid).catch(() => undefined) : undefined;
  }

  async #findPacked(oid: Oid): Promise<FoundObject | undefined> {
    const answer = await this.#askGit(oid);
    if (answer !== undefined) return answer.found;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#readPacked(oid);
      } catch (error) {
        if (attempt === maxReads) throw error;
        // Packs may have been replaced since they were listed, or while they were read.
        this.#cache = {};
      }
    }
  }

  /** What git says of an object; undefined when git cannot be used. */
  async #askGit(oid: Oid): Promise<{ readonly found: FoundObject | undefined } | undefined> {
    if (this.#packs === undefined) return undefined;
    try {
      return { found: await this.#packs.read(oid) };
    } catch (error) {
      if (!(error instanceof GitUnavailable)) throw error;
      // isomorphic-git would read nothing of a pack that is damaged somewhere, and the whole of it each time.
      if (error instanceof ReaderEnded && this.#asksPacksFirst) throw error;
      return undefined;
    }
  }

  /** Reads a packed object by isomorphic-git, where git is not installed. */
  async #readPacked(oid: Oid): Promise<FoundObject> {
    const { fs, gitdir, cache } = { fs: this.#client, gitdir: this.gitdir, cache: this.#cache };
    const git = await isomorphicGit();
    const { type, object, format } = await git.readObject({ fs, gitdir, cache, oid, format: "content" });
    if (format !== "content" || type === undefined) throw new Error(`${oid} was read as ${format}`);
    return { type, content: object };
  }
}

function unsupported(name: string): () => Promise<never> {
  return () => Promise.reject(new Error(`${name} is not needed to read`));
}

/** The file system for isomorphic-git, which only reads. */
function gitFs(fs: DurableFs) {
  const { promises } = fs.disk;
  const client = {
    readFile: async (path: string, options?: { encoding?: BufferEncoding } | BufferEncoding) => {
      const data = Buffer.from(await promises.readFile(path));
      const encoding = typeof options === "string" ? options : options?.encoding;
      return encoding === undefined ? data : data.toString(encoding);
    },
    writeFile: unsupported("writeFile"),
    readdir: (path: string) => fs.list(path),
    mkdir: unsupported("mkdir"),
    // isomorphic-git only asks whether the path exists, and prints unexpected errors.
    stat: (path: string) =>
      promises.stat(path).catch((cause: unknown) => Promise.reject(fileNotFound(path, cause))),
    lstat: (path: string) => promises.lstat(path),
    unlink: unsupported("unlink"),
    rmdir: unsupported("rmdir"),
    readlink: unsupported("readlink"),
    symlink: unsupported("symlink"),
  };
  return { promises: client };
}

export interface PeeledTag {
  /** Undefined when the tag does not lead to a commit, or cannot be read. */
  readonly commit: Oid | undefined;
  /** The annotation of the tag; of several, the outermost. */
  readonly written: AnnotatedTag | undefined;
  /** The tag objects between the ref and the commit, as far as they are known. */
  readonly objects: readonly Oid[];
}

/** The longest chain of tags that is followed. */
const maxDepth = 5;

/** Peels the object that a tag refers to. */
export async function peelTag(repo: BareRepo, target: Oid): Promise<PeeledTag> {
  const objects: Oid[] = [];
  let written: AnnotatedTag | undefined;
  let oid = target;
  while (objects.length <= maxDepth) {
    const tag = await unlessUnreadable(repo.readAs(oid, "tag", parseAnnotatedTag), undefined);
    if (tag === undefined && (await unlessUnreadable(repo.readCommit(oid), undefined)) !== undefined)
      return { commit: oid, written, objects };
    objects.push(oid);
    if (tag === undefined) break;
    written ??= tag;
    oid = tag.object;
  }
  return { commit: undefined, written, objects };
}
