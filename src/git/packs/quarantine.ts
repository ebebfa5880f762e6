/**
 * The objects of a push that is not accepted yet. Git puts them into a folder of their own beside the repository's
 * objects, where nothing looks for them, so that a refused push leaves nothing behind.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskFull, translateDiskErrors, type DurableFs } from "../../disk/durable-fs.ts";
import { failure, SkepError } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { deflateBytes, toGitObject, type GitObject, objectTypes } from "../objects/git-object.ts";
import { looseObjectPath } from "../objects/loose.ts";
import { CatFile, GitUnavailable, type FoundObject, type PackReader } from "../process/cat-file.ts";
import { gitEnvironment, runGit, startGit, type GitEnd } from "../process/installed-git.ts";
import { findUnreachable, findVisible } from "../refs/reachable.ts";

const folderName = "quarantine";

/** The folder in a repository; it looks like a repository that has objects only. */
export function quarantinePath(gitdir: string): string {
  return join(gitdir, folderName);
}

/** Git has the objects in quarantine alone. Paths are relative to the repository, which is git's working directory. */
const ownObjects = { ...gitEnvironment, GIT_OBJECT_DIRECTORY: `${folderName}/objects` };
/** Git has the objects of the repository, too. */
const allObjects = { ...ownObjects, GIT_ALTERNATE_OBJECT_DIRECTORIES: "objects" };

/**
 * What is in quarantine need not be durable. Few threads and little memory, because this runs beside a server; the size
 * of the objects was checked before.
 */
const settings = ["core.fsync=none", "pack.threads=1", "core.bigFileThreshold=1g"];

export interface ObjectInfo {
  readonly type: string;
  readonly size: number;
}

export interface Unpacked {
  readonly sent: ReadonlyMap<Oid, ObjectInfo>;
  /** Reads them, and all objects of the repository: also those that the client may not see. */
  readonly reader: PackReader;
  /** See {@link findVisible}. */
  readonly visibleCommits: (oids: ReadonlySet<Oid>) => Promise<ReadonlySet<Oid>>;
  /** See {@link findUnreachable}. */
  readonly hiddenObjects: (oids: ReadonlySet<Oid>) => Promise<ReadonlySet<Oid>>;
}

export interface PushedPack {
  readonly bytes: Uint8Array;
  /** The names of the objects that some of its objects are stored as differences to. */
  readonly bases: ReadonlySet<Oid>;
  /** How large these may be together, in bytes. */
  readonly maxBaseBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Puts a pack into the quarantine of a repository, whose folder exists and is empty. Git checks each object as
 * `git fsck --strict` does; whether the objects that they name are there is left to the caller.
 * @returns undefined when git is not installed.
 * @throws SkepError `malformed` when git refuses the pack, `too-large`, `disk-full`; Error when the machine fails; the
 * signal's reason; what {@link startGit} throws.
 */
export type UnpackGit = (gitdir: string, pack: PushedPack) => Promise<Unpacked | undefined>;

/**
 * See {@link UnpackGit}; by the installed git. It gets the pack, and of the repository only the visible objects that
 * others are stored as differences to: with all objects, its answers would tell whether a hidden one exists.
 */
export const unpackGit: UnpackGit = async (gitdir, { bytes, bases, maxBaseBytes, signal }) => {
  const unreachable = await findUnreachable(gitdir, bases, signal);
  if (unreachable === undefined) return undefined;
  const visible = new Set([...bases].filter((oid) => !unreachable.has(oid)));
  const reader = quarantineReader(gitdir);
  try {
    await translateDiskErrors(() => copyBases(reader, gitdir, visible, maxBaseBytes));
    const args = ["index-pack", "--stdin", "--fix-thin", "--fsck-objects"];
    const all = [...settings.flatMap((one) => ["-c", one]), ...args, `--max-input-size=${bytes.byteLength}`];
    const git = await startGit(gitdir, all, { env: ownObjects, leadsGroup: true, signal });
    if (git === undefined) return undefined;
    git.stdout.resume();
    git.stdin.end(bytes);
    const end = await git.ended;
    signal.throwIfAborted();
    if (end.code !== 0) throw explainFailure(end);
    const sent = await listObjects(gitdir, signal);
    for (const oid of visible) sent.delete(oid);
    return {
      sent,
      reader,
      visibleCommits: async (oids) => required(await findVisible(gitdir, oids, signal)),
      hiddenObjects: async (oids) => required(await findUnreachable(gitdir, oids, signal)),
    };
  } catch (error) {
    reader.release();
    throw error;
  }
};

/**
 * What git prints when the disk is full, and when the machine fails otherwise. No pack can make git print this: lines with
 * text of a pack begin with `error: object`.
 */
const fullDisk =
  /^(?:fatal|error): (?!object ).*(?:No space left on device|Disk quota exceeded|File too large|Out of diskspace)$/m;
const failingMachine =
  /^fatal: .*(?:Input\/output error|Read-only file system|Permission denied|Too many open files|Cannot allocate memory|Out of memory, .*)$/im;

/** The error for a git that has not unpacked a pack: a fault of the pack, or of this machine. */
export function explainFailure({ code, signal, stderr }: Pick<GitEnd, "code" | "signal" | "stderr">): Error {
  if (signal === "SIGXFSZ" || fullDisk.test(stderr)) return diskFull(new Error(stderr));
  const lines = stderr.split("\n").map((line) => line.replace(/^(?:error|fatal): /, "").trim());
  const problem = lines.filter((line) => line !== "").join("; ");
  if (code === null || failingMachine.test(stderr)) {
    return new Error(`git index-pack ended with ${code ?? signal}: ${problem}`);
  }
  return failure("malformed", `git refuses the objects of this push: ${problem}`);
}

/** Copies objects of the repository into quarantine. @throws SkepError `too-large`. */
async function copyBases(
  reader: PackReader,
  gitdir: string,
  oids: ReadonlySet<Oid>,
  maxBytes: number,
): Promise<void> {
  let total = 0;
  for (const oid of oids) {
    const object = await readObject(reader, oid);
    total += object.bytes.byteLength;
    if (total > maxBytes) {
      const what = "The objects that the files of this push are stored as differences to";
      throw failure("too-large", `${what} are larger than ${maxBytes} bytes together.`);
    }
    const path = looseObjectPath(quarantinePath(gitdir), oid);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await deflateBytes(object.bytes));
  }
}

async function listObjects(gitdir: string, signal: AbortSignal): Promise<Map<Oid, ObjectInfo>> {
  const args = ["cat-file", "--batch-all-objects", "--batch-check"];
  const listed = required(await runGit(gitdir, args, { env: ownObjects, signal }));
  const objects = new Map<Oid, ObjectInfo>();
  for (const line of listed.stdout.split("\n")) {
    const [oid = "", type = "", size] = line.split(" ");
    if (isOid(oid)) objects.set(oid, { type, size: Number(size) });
  }
  return objects;
}

function required<T>(found: T | undefined): T {
  if (found === undefined) throw new Error("git is not there any more");
  return found;
}

/** Reads by git alone: nothing else knows where these objects are. */
function quarantineReader(gitdir: string): PackReader {
  const git = new CatFile(gitdir, allObjects);
  const read = (oid: Oid): Promise<FoundObject | undefined> =>
    git.read(oid).catch((cause: unknown) => {
      if (!(cause instanceof GitUnavailable)) throw cause;
      throw new SkepError("busy", "git ended while this push was being read.", { retryAfter: 1 }, { cause });
    });
  return {
    read,
    get isOpen() {
      return git.isOpen;
    },
    release: () => git.release(),
  };
}

export interface QuarantineOptions {
  readonly fs: DurableFs;
  readonly gitdir: string;
  readonly unpack: UnpackGit;
}

/**
 * Puts a pack into quarantine while a function runs. The caller makes sure that no other process does so in the same
 * repository.
 * @throws SkepError `not-implemented` without git; what {@link UnpackGit} and the function throw.
 */
export async function inQuarantine<T>(
  { fs, gitdir, unpack }: QuarantineOptions,
  pack: PushedPack,
  run: (unpacked: Unpacked) => Promise<T>,
): Promise<T> {
  const folder = quarantinePath(gitdir);
  // What a process left behind that was killed.
  await fs.removeFolder(folder);
  let unpacked: Unpacked | undefined;
  try {
    await fs.makeFolder(join(folder, "objects/pack"));
    unpacked = await unpack(gitdir, pack);
    if (unpacked === undefined) {
      throw failure("not-implemented", "Pushing is not possible: git is not installed on the server.");
    }
    return await run(unpacked);
  } finally {
    unpacked?.reader.release();
    // What cannot be removed does not make an accepted push fail; the next push removes it, or says why it cannot.
    await fs.removeFolder(folder).catch(() => {});
  }
}

/** How many bytes of objects are in memory at once while they are copied. */
const batchBytes = 8 * 1024 * 1024;

/**
 * Copies objects out of quarantine.
 * @param oids with each object before the objects that it names; they are written in reverse.
 * @param write writes objects durably, in the given order.
 * @throws Error when one is missing.
 */
export async function migrateObjects(
  { reader }: Unpacked,
  oids: readonly Oid[],
  write: (objects: readonly GitObject[]) => Promise<void>,
): Promise<void> {
  let batch: GitObject[] = [];
  let size = 0;
  for (const oid of oids.toReversed()) {
    const object = await readObject(reader, oid);
    batch.push(object);
    size += object.bytes.byteLength;
    if (size < batchBytes) continue;
    await write(batch);
    batch = [];
    size = 0;
  }
  await write(batch);
}

/** @throws Error when it is missing. */
async function readObject(reader: PackReader, oid: Oid): Promise<GitObject> {
  const found = await reader.read(oid);
  const type = objectTypes.find((one) => one === found?.type);
  const object = found && type && toGitObject(type, found.content);
  if (object?.oid !== oid) throw new Error(`${oid} is missing`);
  return object;
}
