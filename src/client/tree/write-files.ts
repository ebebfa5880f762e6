/**
 * Writes files of an app's tree, all or none. New content goes to temporary files beside their targets, and what is there
 * is kept under a second name. A journal in the folder of `skep.yaml` says what is under way, so that a pull that was
 * killed is finished or taken back by the next one: a file system can rename one file at a time only.
 */
import { messageOf } from "../../domain/errors.ts";
import type { Stats } from "node:fs";
import * as promises from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { z } from "zod";
import { ClientError, fileError } from "../api/client-error.ts";
import { statInside, lstatIfAny, hasCode } from "./files.ts";

/** The file system calls that are used; tests stop a write after each of them. */
export type WriteDisk = Pick<
  typeof promises,
  "chmod" | "copyFile" | "link" | "lstat" | "mkdir" | "open" | "rename" | "rm" | "rmdir"
>;

export interface FileWrite {
  /** Below the folder, with slashes. */
  readonly path: string;
  /** Undefined removes the file. */
  readonly bytes: Uint8Array | undefined;
  /** What the file held when the new content was made; undefined where there was no file. */
  readonly before: Uint8Array | undefined;
  /** A file whose permissions a new file takes. */
  readonly like: string;
}

/**
 * Until `renaming` everything is taken back by the next run, from then on it is finished, and under `undoing` it is
 * taken back again.
 */
const states = ["preparing", "renaming", "undoing"] as const;

const journalSchema = z.object({
  state: z.enum(states),
  files: z.array(
    z.object({
      path: z.string().refine(isInside),
      /** Identifies the former state of the target; null if it did not exist. */
      stamp: z.string().nullable(),
      /** Whether the target is removed; an empty file beside it says that this is still to be done. */
      isRemoval: z.boolean().optional(),
    }),
  ),
  /** Folders that were made, the outer ones first. */
  folders: z.array(z.string().refine(isInside)),
});
type Journal = z.output<typeof journalSchema>;

function isInside(path: string): boolean {
  return path.split("/").every((name) => !["", ".", "..", ".git"].includes(name)) && !path.includes("\\");
}

/** The process that writes, and a random part; `.new` is a journal that was not in its place yet. */
const journalName = /^\.skep-pull-(([0-9]+)-[0-9a-z]+)\.json(\.new)?$/;

/** Nothing is written for this long: a journal of this age is of a process that has ended, whoever has its id now. */
const longestRunMs = 60 * 60 * 1000;

class Run {
  readonly #disk: WriteDisk;
  readonly #folder: string;
  readonly #id: string;
  #journal: Journal;

  constructor(disk: WriteDisk, folder: string, id: string, journal: Journal) {
    this.#disk = disk;
    this.#folder = folder;
    this.#id = id;
    this.#journal = journal;
  }

  get #journalPath(): string {
    return join(this.#folder, `.skep-pull-${this.#id}.json`);
  }

  /** A name beside a target. It follows from the journal's own, so that a journal can name nothing else. */
  #beside(i: number, kind: "new" | "old"): string {
    const path = this.#journal.files[i]?.path ?? "";
    return join(this.#folder, posix.dirname(path), `.skep-${this.#id}-${i}.${kind}`);
  }

  async enter(state: Journal["state"]): Promise<void> {
    this.#journal = { ...this.#journal, state };
    const temporary = `${this.#journalPath}.new`;
    await writeDurably(this.#disk, temporary, Buffer.from(JSON.stringify(this.#journal)), 0o600);
    await this.#disk.rename(temporary, this.#journalPath);
    await syncFolder(this.#disk, this.#folder);
  }

  async prepare(writes: readonly FileWrite[]): Promise<void> {
    for (const folder of this.#journal.folders) await this.#makeFolder(folder);
    for (const [i, write] of writes.entries()) {
      const target = join(this.#folder, write.path);
      const like = await this.#disk.lstat(
        write.before === undefined ? join(this.#folder, write.like) : target,
      );
      await writeDurably(this.#disk, this.#beside(i, "new"), write.bytes ?? Buffer.of(), like.mode & 0o7777);
      if (write.before !== undefined) await keep(this.#disk, target, this.#beside(i, "old"));
    }
  }

  /** A new folder has the permissions of the one that it is in. */
  async #makeFolder(path: string): Promise<void> {
    const folder = join(this.#folder, path);
    await this.#disk.mkdir(folder);
    const { mode } = await this.#disk.lstat(dirname(folder));
    await this.#disk.chmod(folder, mode & 0o7777);
  }

  /** Puts the new files in their places. */
  async rename({ isRecovery }: { readonly isRecovery: boolean }): Promise<void> {
    for (const [i, file] of this.#journal.files.entries()) {
      const temporary = this.#beside(i, "new");
      if (isRecovery && (await lstatIfAny(temporary, this.#disk)) === undefined) continue;
      const target = join(this.#folder, file.path);
      const found = statInside(this.#folder, file.path);
      if (file.isRemoval === true && stampOf(found) === file.stamp) {
        await this.#disk.rm(target);
        await this.#disk.rm(temporary);
      } else if (stampOf(found) === file.stamp) await this.#disk.rename(temporary, target);
      // The file was changed after the run was killed; that change stays.
      else if (!isRecovery) throw changedMeanwhile(target);
    }
    for (const folder of new Set(this.#journal.files.map(({ path }) => posix.dirname(path)))) {
      await syncFolder(this.#disk, join(this.#folder, folder));
    }
  }

  async undo(): Promise<void> {
    for (const [i, file] of this.#journal.files.entries()) {
      const target = join(this.#folder, file.path);
      const [old, temporary] = [this.#beside(i, "old"), this.#beside(i, "new")];
      const isThere = (await lstatIfAny(target, this.#disk)) !== undefined;
      const wasRenamed =
        file.isRemoval === true ? !isThere : (await lstatIfAny(temporary, this.#disk)) === undefined;
      if (!wasRenamed) continue;
      if (file.stamp === null) await this.#disk.rm(target, { force: true });
      else if ((await lstatIfAny(old, this.#disk)) !== undefined) await this.#disk.rename(old, target);
    }
  }

  /** Removes the files beside the targets, empty new folders on request, and the journal last. */
  async end({ removeFolders }: { readonly removeFolders: boolean }): Promise<void> {
    for (const i of this.#journal.files.keys()) {
      // In this order: a file whose new content is missing counts as renamed.
      await this.#disk.rm(this.#beside(i, "old"), { force: true });
      await this.#disk.rm(this.#beside(i, "new"), { force: true });
    }
    if (removeFolders) {
      for (const folder of this.#journal.folders.toReversed()) {
        // A folder that is not empty holds files that others created.
        await this.#disk.rmdir(join(this.#folder, folder)).catch(() => {});
      }
    }
    await this.#disk.rm(`${this.#journalPath}.new`, { force: true });
    await this.#disk.rm(this.#journalPath, { force: true });
    await syncFolder(this.#disk, this.#folder);
  }

  /** Finishes or takes back a run that was killed. */
  async recover(): Promise<void> {
    const { state, files, folders } = this.#journal;
    for (const { path } of files) statInside(this.#folder, path);
    // A name that need not exist: only the folders are looked at.
    for (const path of folders) statInside(this.#folder, `${path}/.skep-${this.#id}`);
    if (state === "renaming") await this.rename({ isRecovery: true });
    if (state === "undoing") await this.undo();
    await this.end({ removeFolders: state !== "renaming" });
  }
}

/**
 * Writes files, all or none.
 * @throws ClientError `conflict` when a file changed since it was read; `misuse` when a path leads through a symbolic
 * link; `error` when a file cannot be written. Nothing is changed then.
 */
export async function writeFiles(
  folder: string,
  writes: readonly FileWrite[],
  disk: WriteDisk = promises,
): Promise<void> {
  if (writes.length === 0) return;
  const files: Journal["files"] = [];
  for (const { path, bytes, before } of writes) {
    const stamp = await checkUnchanged(folder, path, before);
    files.push({ path, stamp, isRemoval: bytes === undefined });
  }
  const folders = await missingFolders(folder, writes);
  const id = `${process.pid}-${Math.random().toString(36).slice(2, 10)}`;
  const run = new Run(disk, folder, id, { state: "preparing", files, folders });
  try {
    await run.enter("preparing");
    await run.prepare(writes);
    await run.enter("renaming");
  } catch (error) {
    await run.end({ removeFolders: true });
    throw unwritten(error);
  }
  try {
    await run.rename({ isRecovery: false });
  } catch (error) {
    await run.enter("undoing");
    await run.undo();
    await run.end({ removeFolders: true });
    throw unwritten(error);
  }
  await run.end({ removeFolders: false });
}

/** Whether a run that was killed left something to do in a folder, or one is under way. */
export async function hasInterruptedWrites(folder: string): Promise<boolean> {
  return (await promises.readdir(folder)).some((name) => journalName.test(name));
}

/**
 * Finishes, or takes back, what runs that were killed left in a folder.
 * @returns whether there was anything.
 * @throws ClientError `unavailable` when such a run is still under way.
 */
export async function finishInterruptedWrites(folder: string): Promise<boolean> {
  let isAny = false;
  for (const name of await promises.readdir(folder)) {
    const [, id, pid, isUnfinished] = journalName.exec(name) ?? [];
    if (id === undefined) continue;
    const path = join(folder, name);
    if (isAlive(Number(pid)) && !(await isOld(path))) {
      // Whoever removed the journal would keep a tree that is half old and half new.
      const problem = `another skep pull is writing here (process ${pid}); if that process is not a pull, one that was killed is finished an hour after it by the next`;
      throw fileError("unavailable", { file: path }, problem);
    }
    if (isUnfinished === undefined) await new Run(promises, folder, id, await readJournal(path)).recover();
    // Beside the journal of the state before, or before anything was done.
    else await promises.rm(path, { force: true });
    isAny = true;
  }
  return isAny;
}

async function isOld(path: string): Promise<boolean> {
  const found = await lstatIfAny(path);
  return found !== undefined && Date.now() - found.mtimeMs > longestRunMs;
}

async function readJournal(path: string): Promise<Journal> {
  try {
    return journalSchema.parse(JSON.parse(await promises.readFile(path, "utf8")));
  } catch (cause) {
    const problem = "is not a journal of skep pull, but has the name of one; remove it";
    throw fileError("error", { file: path }, problem, { cause });
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

async function checkUnchanged(
  folder: string,
  path: string,
  before: Uint8Array | undefined,
): Promise<string | null> {
  const found = statInside(folder, path);
  const bytes = found && (await promises.readFile(join(folder, path)));
  const isSame = before === undefined || bytes === undefined ? before === bytes : bytes.equals(before);
  if (!isSame) throw changedMeanwhile(join(folder, path));
  return stampOf(found);
}

function changedMeanwhile(file: string): ClientError {
  return fileError("conflict", { file }, "was changed meanwhile; nothing was written. Run the command again");
}

function stampOf(found: Stats | undefined): string | null {
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** The folders that the files need and that are not there, the outer ones first. */
async function missingFolders(folder: string, writes: readonly FileWrite[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const { path } of writes) {
    const names = posix.dirname(path).split("/");
    for (let i = 1; i <= names.length; i++) {
      const below = names.slice(0, i).join("/");
      if (below !== "." && (await lstatIfAny(join(folder, below))) === undefined) missing.add(below);
    }
  }
  return [...missing];
}

async function writeDurably(disk: WriteDisk, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await disk.open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Keeps a file under a second name. Where a file system has no hard links, a copy does the same. */
async function keep(disk: WriteDisk, target: string, kept: string): Promise<void> {
  try {
    await disk.link(target, kept);
  } catch {
    await disk.copyFile(target, kept);
  }
}

/** Renames are durable once their folder is. Some systems cannot open folders, and do that by themselves. */
async function syncFolder(disk: WriteDisk, path: string): Promise<void> {
  let folder;
  try {
    folder = await disk.open(path, "r");
    await folder.sync();
  } catch {
    // See above.
  } finally {
    await folder?.close();
  }
}

function unwritten(error: unknown): Error {
  if (error instanceof ClientError) return error;
  const problem = `The files could not be written, and are as they were: ${messageOf(error)}`;
  return new ClientError("error", problem, { cause: error });
}
