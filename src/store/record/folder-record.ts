/** The record of a storage in a folder, on one machine: the folder itself. */
import { join, dirname } from "node:path";
import { Locks } from "../../disk/locks/lock.ts";
import { locksFolder, requireStorage } from "../../disk/storage-folder.ts";
import type {
  RecordParts,
  StorageRecord,
  Documents,
  LineFiles,
  Repositories,
  TrashedRepositories,
} from "./record.ts";
import { readTextNow, statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { appendLines, readLines, readLinesBackwards } from "../../disk/line-file.ts";
import { isFailure } from "../../domain/errors.ts";
import { notInTrash, parseTrashId, toTrashId, type TrashId } from "../../domain/hives/trash.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";

/** A process that finds a job under way tries again later instead of waiting for its end. */
const jobTurnMs = 1_000;

/** Makes the record of a storage whose folder holds its truth. Nothing is read until it is needed. */
export function folderRecord({ fs, root, locks }: Omit<RecordParts, "hives">): StorageRecord {
  const jobLocks = new Locks(fs, join(root, locksFolder), { timeoutMs: jobTurnMs });
  return {
    documents: folderDocuments(fs, root, locks),
    repositories: folderRepositories(fs, root),
    jobs: { hold: (name, run) => jobLocks.hold(name, run) },
    version: () => undefined,
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** @param locks for the texts that are changed by {@link Documents.change}. */
function folderDocuments(fs: DurableFs, root: string, locks: Locks): Documents {
  /** The folders that this process has made sure of; see {@link DurableFs.makeFolder}. */
  const folders = new Set<string>();
  const write = async (path: string, text: string | undefined, lock: HeldLock): Promise<void> => {
    const file = join(root, path);
    const folder = dirname(path);
    if (text === undefined) {
      await lock.assertHeld();
      return fs.removeFile(file);
    }
    if (folder !== "." && !folders.has(folder)) {
      await fs.makeFolder(dirname(file));
      folders.add(folder);
    }
    await fs.write(file, text, lock);
  };
  /** After its lock was lost, the file belongs to the lock's new holder, and nothing is put back. */
  const swap: Documents["swap"] = async (path, { before, after }, lock) => {
    try {
      await write(path, after, lock);
    } catch (error) {
      if (!isFailure(error, "lock-lost")) await write(path, before, lock).catch(() => undefined);
      throw error;
    }
  };
  const put: Documents["put"] = (path, after, lock) =>
    swap(path, { before: readTextNow(fs.disk, join(root, path)), after }, lock);
  const read: Documents["read"] = (path) => fs.readText(join(root, path));
  return {
    lines: folderLines(fs, root),
    swap,
    put,
    putState: put,
    read,
    change: (path, change) => {
      // Such as `claims-web` for `claims/web.json`.
      const name = path.replace(/\.[a-z]+$/, "").replaceAll("/", "-");
      return locks.hold(name, async (lock) => {
        const before = await read(path);
        const [after, result] = await change(before);
        if (after !== before) await swap(path, { before, after }, lock);
        return result;
      });
    },
  };
}

/** The files in a folder that grow by lines. */
export function folderLines(fs: DurableFs, root: string): LineFiles {
  return {
    /** @throws SkepError `disk-full`, `storage-missing`, or the system's error. */
    append: async (path, lines) => {
      requireStorage(fs, root);
      await appendLines(fs, join(root, path), lines);
    },
    read: (path) => readLines(fs, join(root, path)),
    readBackwards: (path) => readLinesBackwards(fs, join(root, path)),
    list: (folder) => fs.list(join(root, folder)),
    size: (path) => Promise.resolve(Number(statNow(fs.disk, join(root, path))?.size ?? 0n)),
    remove: (path) => fs.removeFile(join(root, path)),
  };
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
    add: async ({ slug }, aside, _recorded, lock) => {
      await lock.assertHeld();
      await fs.moveFolder(aside, join(hives, slug + suffix));
      return undefined;
    },
    strings: () => Promise.resolve(undefined),
    overview: () => Promise.resolve(undefined),
    trash: trashFolder(fs, join(root, "trash"), hives),
  };
}

/** The trash as a folder: the repositories `trash/<id>.git`, each with its deletion note in it. */
function trashFolder(fs: DurableFs, trash: string, hives: string): TrashedRepositories {
  const folderOf = (id: TrashId): string => join(trash, id + suffix);
  const placeOf = (slug: HiveSlug): string => join(hives, slug + suffix);
  const noteIn = (gitdir: string): Promise<string | undefined> => fs.readText(join(gitdir, deletionNotePath));
  const freeId = async (slug: HiveSlug, time: number): Promise<TrashId> => {
    for (let at = time; ; at++) {
      const id = toTrashId(slug, at);
      if (!(await fs.isFolder(folderOf(id)))) return id;
    }
  };
  const put: TrashedRepositories["put"] = async (slug, time, lock) => {
    const gitdir = placeOf(slug);
    if (!(await fs.isFolder(gitdir))) return undefined;
    await fs.makeFolder(trash);
    const id = await freeId(slug, time);
    await lock.assertHeld();
    await fs.moveFolder(gitdir, folderOf(id));
    return id;
  };
  return {
    folderOf,
    list: async () => {
      const entries: TrashId[] = [];
      const foreign: string[] = [];
      for (const name of await fs.list(trash)) {
        const entry = name.endsWith(suffix) ? parseTrashId(name.slice(0, -suffix.length)) : undefined;
        if (entry !== undefined) entries.push(entry.id);
        else if (!name.startsWith(removedPrefix)) foreign.push(name);
      }
      const notes = await Promise.all(entries.map((id) => noteIn(folderOf(id))));
      return { repositories: entries.map((id, i) => ({ id, note: notes[i] })), foreign };
    },
    put,
    date: async (id, time) => {
      const slug = parseTrashId(id)?.slug;
      if (slug === undefined || !(await fs.isFolder(folderOf(id)))) return;
      await fs.moveFolder(folderOf(id), folderOf(await freeId(slug, time)));
    },
    take: async (id, _team, lock) => {
      const entry = parseTrashId(id);
      if (entry === undefined) throw notInTrash(id);
      await lock.assertHeld();
      await fs.moveFolder(folderOf(id), placeOf(entry.slug));
      return (newLock) => put(entry.slug, entry.deleted, newLock);
    },
    remove: async (id) => {
      if (!(await fs.isFolder(folderOf(id)))) return;
      // Renamed first, because a half-removed repository must not be restored.
      const aside = join(trash, removedPrefix + id);
      await fs.removeFolder(aside);
      await fs.moveFolder(folderOf(id), aside);
      await fs.removeFolder(aside);
    },
    noteHive: async (slug, note, lock) => {
      const gitdir = placeOf(slug);
      if (await fs.isFolder(gitdir)) await fs.write(join(gitdir, deletionNotePath), note, lock);
    },
    note: (id, note, lock) => fs.write(join(folderOf(id), deletionNotePath), note, lock),
    notedHives: async () => {
      const names = (await fs.list(hives)).filter((name) => name.endsWith(suffix));
      const slugs = names.map((name) => name.slice(0, -suffix.length)).filter(isHiveSlug);
      const notes = await Promise.all(slugs.map((slug) => noteIn(placeOf(slug))));
      return new Map(slugs.flatMap((slug, i) => (notes[i] === undefined ? [] : [[slug, notes[i]]])));
    },
    strings: () => Promise.resolve(undefined),
  };
}
