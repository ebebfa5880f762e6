/** The folder of a copy: one process has it at a time, and nothing but a copy is ever removed. */
import { readFileSync } from "node:fs";
import { mkdir, open, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError, type Disk, type DiskFile, statNow } from "../../disk/disk.ts";
import { DurableFs } from "../../disk/durable-fs.ts";
import { systemStart } from "../../disk/host-claim.ts";
import { copyFile, isStorage } from "../../disk/storage-folder.ts";
import { failure } from "../../domain/errors.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { CopiedRepository } from "./copied-repository.ts";

const lockFile = "copy.lock";

/** A disk without fsync: what a power cut takes from a copy is fetched again. */
export function unsyncedDisk(disk: Disk): Disk {
  const openUnsynced = async (path: string, flags: string, mode?: number): Promise<DiskFile> => {
    const file = await disk.promises.open(path, flags, mode);
    return {
      read: (...args) => file.read(...args),
      writeFile: (data) => file.writeFile(data),
      sync: () => Promise.resolve(),
      close: () => file.close(),
    };
  };
  return {
    promises: { ...disk.promises, open: openUnsynced },
    statSync: (path, options) => disk.statSync(path, options),
    readFileSync: (path) => disk.readFileSync(path),
    rmdirSync: (path) => disk.rmdirSync(path),
  };
}

/**
 * Takes the folder of a copy for this process; it may be missing.
 * @returns a function that gives it up.
 * @throws SkepError `conflict` when another process has it, or it is a storage and no copy.
 */
export async function claimCopy(root: string, disk: Disk): Promise<() => Promise<void>> {
  const fs = new DurableFs(disk);
  if (isStorage(fs, root) && (await fs.readText(join(root, copyFile))) === undefined) {
    throw failure(
      "conflict",
      `The folder ${root} is a storage of its own and no copy of a database; name another folder with --storage, or bring it into the database: skep database import`,
    );
  }
  await mkdir(root, { recursive: true });
  const path = join(root, lockFile);
  const own = ownerText(process.pid, startOf(process.pid));
  for (;;) {
    try {
      const file = await open(path, "wx");
      await file.writeFile(own);
      await file.close();
      return () => unlink(path).catch(() => undefined);
    } catch (error) {
      if (!isSystemError(error, "EEXIST")) throw error;
    }
    const text = await readFile(path, "utf8").catch(() => "");
    if (isAlive(text)) {
      throw failure(
        "conflict",
        `Another process works on the copy in ${root}; give each server a folder of its own.`,
      );
    }
    await unlink(path).catch(() => undefined);
  }
}

function isAlive(text: string): boolean {
  const [, pid = ""] = /"pid":(\d+)/.exec(text) ?? [];
  const started = startOf(Number(pid));
  return started !== undefined && text === ownerText(Number(pid), started);
}

/** Identifies a process, also where the start of the system is not known. */
function ownerText(pid: number, started: string | undefined): string {
  return JSON.stringify({ pid, started, boot: systemStart() });
}

/** When a process was started; undefined where there is none, or the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    // The second field is a name in brackets that may have spaces.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Empties a copy, but for the files that mark it as one. */
export async function dropCopy(fs: DurableFs, root: string): Promise<void> {
  for (const name of await fs.list(root)) {
    if (name === lockFile || name === copyFile) continue;
    const path = join(root, name);
    if (await fs.isFolder(path)) await fs.removeFolder(path);
    else await fs.removeFile(path);
  }
}

/** Removes the repositories that an earlier process was fetching, or has taken out of their places. */
export async function removeUnfinished(fs: DurableFs, root: string): Promise<void> {
  const hives = join(root, "hives");
  for (const name of await fs.list(hives)) {
    if (name.startsWith(".")) await fs.removeFolder(join(hives, name));
  }
}

/** Longer than a request takes. A clone that has begun goes on, because a removed copy stays on the disk for a while. */
const unusedMs = 10 * 60_000;
/** Objects are spread evenly over so many folders, and a file takes a block at least. */
const [objectFolders, blockBytes] = [256, 4_096];
/** The least that a repository takes. */
const leastBytes = 64 * 1024;

export interface CopyBudget {
  readonly fs: DurableFs;
  /** The storage's folder. */
  readonly root: string;
  readonly maxBytes: number;
  readonly copyOf: (slug: HiveSlug) => CopiedRepository;
  /** The Hives whose changes somebody waits for: their copies stay. */
  readonly watched: () => readonly HiveSlug[];
}

/** Removes copies until the others fit into the budget, or are in use. @returns the Hives whose copies were removed. */
export async function evictCopies(
  { fs, root, maxBytes, copyOf, watched }: CopyBudget,
  afterMs = unusedMs,
): Promise<readonly HiveSlug[]> {
  const copies: { readonly slug: HiveSlug; readonly copy: CopiedRepository; readonly bytes: number }[] = [];
  for (const name of await fs.list(join(root, "hives"))) {
    const slug = name.endsWith(".git") ? name.slice(0, -".git".length) : "";
    if (!isHiveSlug(slug)) continue;
    const copy = copyOf(slug);
    copies.push({ slug, copy, bytes: await estimateBytes(fs, copy.gitdir) });
  }
  let total = copies.reduce((sum, { bytes }) => sum + bytes, 0);
  const kept = new Set(watched());
  const removed: HiveSlug[] = [];
  for (const { slug, copy, bytes } of copies.toSorted((a, b) => a.copy.usedAt - b.copy.usedAt)) {
    if (total <= maxBytes) break;
    if (kept.has(slug) || !(await copy.evict(afterMs))) continue;
    total -= bytes;
    removed.push(slug);
  }
  return removed;
}

/** About how much a repository takes: its packs, and as many other objects as one of their folders suggests. */
async function estimateBytes(fs: DurableFs, gitdir: string): Promise<number> {
  const packs = join(gitdir, "objects", "pack");
  const sizes = (await fs.list(packs)).map((name) => Number(statNow(fs.disk, join(packs, name))?.size ?? 0));
  const loose = (await fs.list(join(gitdir, "objects", "17"))).length * objectFolders * blockBytes;
  return sizes.reduce((sum, size) => sum + size, leastBytes + loose);
}
