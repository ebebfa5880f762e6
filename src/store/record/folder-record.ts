/** The record of a storage in a folder, on one machine: the folder itself. */
import { join, dirname } from "node:path";
import { Locks } from "../../disk/locks/lock.ts";
import { locksFolder, requireStorage } from "../../disk/storage-folder.ts";
import type {
  RecordParts,
  StorageRecord,
  Documents,
  LineFiles,
  SwappedTexts,
  Repositories,
  TrashedRepositories,
} from "./record.ts";
import { readTextNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { appendLines, readLines } from "../../disk/line-file.ts";
import { isFailure } from "../../domain/errors.ts";
import { parseTrashId, toTrashId, type TrashId } from "../../domain/hives/trash.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";

/** A process that finds a job under way tries again later instead of waiting for its end. */
const jobTurnMs = 1_000;

/** Makes the record of a storage whose folder holds its truth. Nothing is read until it is needed. */
export function folderRecord({ fs, root, locks }: Omit<RecordParts, "hives">): StorageRecord {
  const jobLocks = new Locks(fs, join(root, locksFolder), { timeoutMs: jobTurnMs });
  return {
    documents: new FolderDocuments(fs, root, locks),
    repositories: folderRepositories(fs, root),
    jobs: { hold: (name, run) => jobLocks.hold(name, run) },
    version: () => undefined,
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

class FolderDocuments implements Documents {
  readonly lines: LineFiles;
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #locks: Locks;
  /** The folders that this process has made sure of; see {@link DurableFs.makeFolder}. */
  readonly #folders = new Set<string>();

  /** @param root the storage's folder. @param locks for the texts that are changed by {@link change}. */
  constructor(fs: DurableFs, root: string, locks: Locks) {
    this.lines = new FolderLines(fs, root);
    this.#fs = fs;
    this.#root = root;
    this.#locks = locks;
  }

  put(path: string, after: string | undefined, lock: HeldLock): Promise<void> {
    return this.swap(path, { before: readTextNow(this.#fs.disk, join(this.#root, path)), after }, lock);
  }

  putState(path: string, text: string | undefined, lock: HeldLock): Promise<void> {
    return this.put(path, text, lock);
  }

  read(path: string): Promise<string | undefined> {
    return this.#fs.readText(join(this.#root, path));
  }

  change<T>(
    path: string,
    change: (before: string | undefined) => Promise<readonly [after: string | undefined, result: T]>,
  ): Promise<T> {
    // Such as `claims-web` for `claims/web.json`.
    const name = path.replace(/\.[a-z]+$/, "").replaceAll("/", "-");
    return this.#locks.hold(name, async (lock) => {
      const before = await this.read(path);
      const [after, result] = await change(before);
      if (after !== before) await this.swap(path, { before, after }, lock);
      return result;
    });
  }

  /** After its lock was lost, the file belongs to the lock's new holder, and nothing is put back. */
  async swap(path: string, { before, after }: SwappedTexts, lock: HeldLock): Promise<void> {
    try {
      await this.#write(path, after, lock);
    } catch (error) {
      if (!isFailure(error, "lock-lost")) await this.#write(path, before, lock).catch(() => undefined);
      throw error;
    }
  }

  async #write(path: string, text: string | undefined, lock: HeldLock): Promise<void> {
    const file = join(this.#root, path);
    const folder = dirname(path);
    if (text === undefined) {
      await lock.assertHeld();
      return this.#fs.removeFile(file);
    }
    if (folder !== "." && !this.#folders.has(folder)) {
      await this.#fs.makeFolder(dirname(file));
      this.#folders.add(folder);
    }
    await this.#fs.write(file, text, lock);
  }
}

/** The files in a folder that grow by lines. */
export class FolderLines implements LineFiles {
  readonly #fs: DurableFs;
  readonly #root: string;

  constructor(fs: DurableFs, root: string) {
    this.#fs = fs;
    this.#root = root;
  }

  /** @throws SkepError `disk-full`, `storage-missing`, or the system's error. */
  append(path: string, lines: readonly string[]): Promise<void> {
    requireStorage(this.#fs, this.#root);
    return appendLines(this.#fs, join(this.#root, path), lines);
  }

  read(path: string): AsyncIterable<string> {
    return readLines(this.#fs, join(this.#root, path));
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#fs.list(join(this.#root, folder));
  }

  remove(path: string): Promise<void> {
    return this.#fs.removeFile(join(this.#root, path));
  }
}

const suffix = ".git";
/** The deletion note of a repository, in its folder. */
export const deletionNotePath = "skep-deleted.yaml";
/** The prefix of folders that are being removed. */
const removedPrefix = ".old-";

/** @param root the storage's folder. */
function folderRepositories(fs: DurableFs, root: string): Repositories {
  const hives = join(root, "hives");
  return {
    move: (_, apply) => apply(),
    add: async ({ slug }, aside) => {
      await fs.moveFolder(aside, join(hives, slug + suffix));
      return undefined;
    },
    strings: () => Promise.resolve(undefined),
    overview: () => Promise.resolve(undefined),
    trash: new TrashFolder(fs, join(root, "trash"), hives),
  };
}

/** The trash as a folder: the repositories `trash/<id>.git`, each with its deletion note in it. */
class TrashFolder implements TrashedRepositories {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #hives: string;

  constructor(fs: DurableFs, folder: string, hives: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#hives = hives;
  }

  readonly folderOf = (id: TrashId): string => join(this.#folder, id + suffix);

  async list() {
    const entries: TrashId[] = [];
    const foreign: string[] = [];
    for (const name of await this.#fs.list(this.#folder)) {
      const entry = name.endsWith(suffix) ? parseTrashId(name.slice(0, -suffix.length)) : undefined;
      if (entry !== undefined) entries.push(entry.id);
      else if (!name.startsWith(removedPrefix)) foreign.push(name);
    }
    const notes = await Promise.all(entries.map((id) => this.#noteIn(this.folderOf(id))));
    return { repositories: entries.map((id, i) => ({ id, note: notes[i] })), foreign };
  }

  async put(slug: HiveSlug, time: number): Promise<TrashId | undefined> {
    const gitdir = this.#placeOf(slug);
    if (!(await this.#fs.isFolder(gitdir))) return undefined;
    await this.#fs.makeFolder(this.#folder);
    const id = await this.#freeId(slug, time);
    await this.#fs.moveFolder(gitdir, this.folderOf(id));
    return id;
  }

  async date(id: TrashId, time: number): Promise<void> {
    const slug = parseTrashId(id)?.slug;
    if (slug === undefined || !(await this.#fs.isFolder(this.folderOf(id)))) return;
    await this.#fs.moveFolder(this.folderOf(id), this.folderOf(await this.#freeId(slug, time)));
  }

  async take(id: TrashId): Promise<void> {
    const slug = parseTrashId(id)?.slug;
    if (slug !== undefined) await this.#fs.moveFolder(this.folderOf(id), this.#placeOf(slug));
  }

  async remove(id: TrashId): Promise<void> {
    if (!(await this.#fs.isFolder(this.folderOf(id)))) return;
    // Renamed first, because a half-removed repository must not be restored.
    const aside = join(this.#folder, removedPrefix + id);
    await this.#fs.removeFolder(aside);
    await this.#fs.moveFolder(this.folderOf(id), aside);
    await this.#fs.removeFolderInUse(aside);
  }

  async noteHive(slug: HiveSlug, note: string): Promise<void> {
    const gitdir = this.#placeOf(slug);
    if (await this.#fs.isFolder(gitdir)) await this.#fs.write(join(gitdir, deletionNotePath), note);
  }

  note(id: TrashId, note: string): Promise<void> {
    return this.#fs.write(join(this.folderOf(id), deletionNotePath), note);
  }

  async notedHives(): Promise<ReadonlyMap<HiveSlug, string>> {
    const names = (await this.#fs.list(this.#hives)).filter((name) => name.endsWith(suffix));
    const slugs = names.map((name) => name.slice(0, -suffix.length)).filter(isHiveSlug);
    const notes = await Promise.all(slugs.map((slug) => this.#noteIn(this.#placeOf(slug))));
    return new Map(slugs.flatMap((slug, i) => (notes[i] === undefined ? [] : [[slug, notes[i]]])));
  }

  strings(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async #freeId(slug: HiveSlug, time: number): Promise<TrashId> {
    for (let at = time; ; at++) {
      const id = toTrashId(slug, at);
      if (!(await this.#fs.isFolder(this.folderOf(id)))) return id;
    }
  }

  #noteIn(gitdir: string): Promise<string | undefined> {
    return this.#fs.readText(join(gitdir, deletionNotePath));
  }

  #placeOf(slug: HiveSlug): string {
    return join(this.#hives, slug + suffix);
  }
}
