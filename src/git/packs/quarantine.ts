/**
 * The objects of a push that is not accepted yet. Git puts them into a folder of their own beside the repository's
 * objects, where nothing looks for them, so that a refused push leaves nothing behind.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { failure, SkepError } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { toGitObject, type GitObject, type ObjectType } from "../objects/git-object.ts";
import { CatFile, GitUnavailable, type FoundObject, type PackReader } from "../process/cat-file.ts";
import { gitEnvironment, runGit, startGit } from "../process/installed-git.ts";

const folderName = "quarantine";

/** The folder in a repository; it looks like a repository that has objects only. */
export function quarantinePath(gitdir: string): string {
  return join(gitdir, folderName);
}

/** Relative to the repository, which is git's working directory. */
const environment = {
  ...gitEnvironment,
  GIT_OBJECT_DIRECTORY: `${folderName}/objects`,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: "objects",
};

/**
 * What is in quarantine need not be durable. Few threads and little memory, because this runs beside a server; the size
 * of the objects was checked before.
 */
const settings = ["core.fsync=none", "pack.threads=1", "pack.indexVersion=2", "core.bigFileThreshold=1g"];

/** A pack in quarantine. */
export interface Unpacked {
  /** The objects that the pack has. */
  readonly sent: ReadonlySet<Oid>;
  /** Those of the repository that git has added to it, because others are stored as differences to them. */
  readonly bases: ReadonlySet<Oid>;
  /** Reads them, and the objects of the repository. */
  readonly reader: PackReader;
  /**
   * The commits that a commit reaches and that no branch or tag does.
   * @param limit at most so many are given.
   * @throws SkepError `malformed` when one cannot be read; the signal's reason.
   */
  readonly newCommits: (tip: Oid, limit: number) => Promise<readonly Oid[]>;
}

/**
 * Puts a pack into the quarantine of a repository, whose folder exists and is empty. Git checks each object as
 * `git fsck --strict` does, and that the objects that it names are there.
 * @returns undefined when git is not installed.
 * @throws SkepError `malformed` when git refuses the pack; the signal's reason; what {@link startGit} throws.
 */
export type UnpackGit = (
  gitdir: string,
  pack: Uint8Array,
  signal: AbortSignal,
) => Promise<Unpacked | undefined>;

/** See {@link UnpackGit}; by the installed git. */
export const unpackGit: UnpackGit = async (gitdir, pack, signal) => {
  const args = ["index-pack", "--stdin", "--fix-thin", "--strict", `--max-input-size=${pack.byteLength}`];
  const options = { env: environment, leadsGroup: true, signal };
  const git = await startGit(gitdir, [...settings.flatMap((one) => ["-c", one]), ...args], options);
  if (git === undefined) return undefined;
  git.stdout.resume();
  git.stdin.end(pack);
  const { code, stderr } = await git.ended;
  signal.throwIfAborted();
  if (code !== 0) {
    const lines = stderr.split("\n").map((line) => line.replace(/^(?:error|fatal): /, "").trim());
    const problem = lines.filter((line) => line !== "").join("; ");
    throw failure("malformed", `git refuses the objects of this push: ${problem || "it ended early"}`);
  }
  const folder = join(quarantinePath(gitdir), "objects/pack");
  const index = (await readdir(folder)).find((name) => name.endsWith(".idx"));
  return {
    ...(await readIndex(index === undefined ? undefined : join(folder, index), pack.byteLength)),
    reader: new QuarantineReader(gitdir),
    newCommits: (tip, limit) => listNewCommits(gitdir, tip, limit, signal),
  };
};

async function listNewCommits(
  gitdir: string,
  tip: Oid,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Oid[]> {
  const args = ["rev-list", `--max-count=${limit}`, tip, "--not", "--branches", "--tags"];
  const found = await runGit(gitdir, args, { env: environment, signal });
  if (found?.code === 0) return found.stdout.split("\n").filter(isOid);
  throw failure("malformed", "This push lacks commits that it needs.");
}

const hashBytes = 20;
const fanOutBytes = 8 + 256 * 4;

/** The objects that an index of version 2 has: those before the end of the pack as it was sent, and those behind it. */
async function readIndex(
  path: string | undefined,
  packBytes: number,
): Promise<Pick<Unpacked, "sent" | "bases">> {
  const sent = new Set<Oid>();
  const bases = new Set<Oid>();
  if (path === undefined) return { sent, bases };
  const index = await readFile(path);
  const count = index.readUInt32BE(fanOutBytes - 4);
  const offsets = fanOutBytes + count * (hashBytes + 4);
  for (let i = 0; i < count; i++) {
    const at = fanOutBytes + i * hashBytes;
    const oid = index.toString("hex", at, at + hashBytes);
    if (isOid(oid)) (index.readUInt32BE(offsets + i * 4) < packBytes - hashBytes ? sent : bases).add(oid);
  }
  return { sent, bases };
}

/** Reads by git alone: nothing else knows where these objects are. */
class QuarantineReader implements PackReader {
  readonly #git: CatFile;

  constructor(gitdir: string) {
    this.#git = new CatFile(gitdir, environment);
  }

  async read(oid: Oid): Promise<FoundObject | undefined> {
    try {
      return await this.#git.read(oid);
    } catch (error) {
      if (!(error instanceof GitUnavailable)) throw error;
      throw new SkepError(
        "busy",
        "git ended while this push was being read.",
        { retryAfter: 1 },
        { cause: error },
      );
    }
  }

  get isOpen(): boolean {
    return this.#git.isOpen;
  }

  release(): void {
    this.#git.release();
  }
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
  pack: Uint8Array,
  signal: AbortSignal,
  run: (unpacked: Unpacked) => Promise<T>,
): Promise<T> {
  const folder = quarantinePath(gitdir);
  // What a process left behind that was killed.
  await fs.removeFolderInUse(folder);
  let unpacked: Unpacked | undefined;
  try {
    await fs.makeFolder(join(folder, "objects/pack"));
    unpacked = await unpack(gitdir, pack, signal);
    if (unpacked === undefined) {
      throw failure("not-implemented", "Pushing is not possible: git is not installed on the server.");
    }
    return await run(unpacked);
  } finally {
    unpacked?.reader.release();
    // What cannot be removed does not make an accepted push fail; the next push removes it, or says why it cannot.
    await fs.removeFolderInUse(folder).catch(() => {});
  }
}

const types: readonly ObjectType[] = ["blob", "tree", "commit", "tag"];
/** How many bytes of objects are in memory at once while they are copied. */
const batchBytes = 8 * 1024 * 1024;

/**
 * Copies objects out of quarantine.
 * @param write writes some durably.
 * @throws Error when one is missing.
 */
export async function adoptObjects(
  { reader }: Unpacked,
  oids: readonly Oid[],
  write: (objects: readonly GitObject[]) => Promise<void>,
): Promise<void> {
  let batch: GitObject[] = [];
  let size = 0;
  for (const oid of oids) {
    const found = await reader.read(oid);
    const type = types.find((one) => one === found?.type);
    const object = found && type && toGitObject(type, found.content);
    if (object?.oid !== oid) throw new Error(`${oid} is not in quarantine`);
    batch.push(object);
    size += object.bytes.byteLength;
    if (size < batchBytes) continue;
    await write(batch);
    batch = [];
    size = 0;
  }
  await write(batch);
}
