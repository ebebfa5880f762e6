/** Whose the files of a storage are, and what the process that works on them may not do. */
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { counted } from "../../domain/text.ts";
import { isSystemError, statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Finding } from "../../domain/finding.ts";
import { locksFolder } from "../../disk/storage-folder.ts";

/** What users other than the owner and their group may do. */
const others = 0o007;

/**
 * The user that a storage belongs to: who made its first team. The folder itself may be somebody else's, as a mount
 * point is.
 * @returns undefined where nothing was stored yet.
 */
export async function findOwner(fs: DurableFs, root: string): Promise<number | undefined> {
  for (const name of ["teams", "settings-version", locksFolder]) {
    const stats = await fs.stat(join(root, name));
    if (stats !== undefined) return stats.uid;
  }
  return undefined;
}

/** What of a storage belongs to other users, and whether other users can come to it. */
export async function checkOwnership(fs: DurableFs, root: string): Promise<readonly Finding[]> {
  const owner = await findOwner(fs, root);
  if (owner === undefined) return [];
  const foreign: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    const inner = (await fs.list(folder)).map((name) => join(folder, name));
    const all = await Promise.all(inner.map((path) => fs.stat(path)));
    for (const [i, path] of inner.entries()) {
      if (all[i] === undefined) continue;
      if (all[i].uid !== owner) foreign.push(relative(root, path));
      if (all[i].isDirectory()) await walk(path);
    }
  };
  await walk(root);
  const [first] = foreign;
  const whose = `not to the user ${owner} like the storage; to mend it: chown -R ${owner} ${root}`;
  return [
    ...(first === undefined
      ? []
      : [{ problem: `${first} and ${counted(foreign.length - 1, "other path")} belong ${whose}` }]),
    ...(await checkMode(fs, root)),
  ];
}

async function checkMode(fs: DurableFs, root: string): Promise<readonly Finding[]> {
  const mode = (await fs.stat(root))?.mode ?? 0;
  if ((mode & others) === 0) return [];
  const repair = async (): Promise<string> => {
    await fs.disk.promises.chmod(root, mode & 0o7777 & ~others);
    return "closed it to them";
  };
  return [{ problem: "every user of this machine can come into the storage's folder", repair }];
}

/** How long whoever asks waits for a look. */
const patienceMs = 500;
const read = 4;
const readAndChange = 7;

/** Looks, now and then, whether this process may do with a storage's files what it has to. */
export class AccessCheck {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #goodForMs: number;
  /** The folders of objects in which all was well, and when each was changed last then. */
  readonly #sound = new Map<string, bigint>();
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #denied: string | undefined;

  /** @param goodForMs how long what was found is taken to be still so, where it is good. */
  constructor(fs: DurableFs, root: string, goodForMs = 30_000) {
    this.#fs = fs;
    this.#root = root;
    this.#goodForMs = goodForMs;
  }

  /**
   * The first path that this process may not read, or in which it may not write; undefined when there is none, or none
   * was found yet. @throws the system's error when the disk fails.
   */
  async findDenied(): Promise<string | undefined> {
    if (this.#denied !== undefined || performance.now() - this.#lookedAt >= this.#goodForMs) {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
      await Promise.race([this.#looking, setTimeout(patienceMs, undefined, { ref: false })]);
    }
    return this.#denied;
  }

  async #look(): Promise<void> {
    let denied: string | undefined;
    for await (const { path, mode } of this.#worked()) {
      if (!(await this.#isDenied(path, mode))) continue;
      denied = relative(this.#root, path);
      break;
    }
    this.#denied = denied;
    this.#lookedAt = performance.now();
  }

  async #isDenied(path: string, mode: number): Promise<boolean> {
    try {
      await this.#fs.disk.promises.access(path, mode);
      return false;
    } catch (error) {
      if (isSystemError(error, "EACCES", "EPERM")) return true;
      if (isSystemError(error, "ENOENT", "ENOTDIR")) return false;
      throw error;
    }
  }

  /** What is read and changed by requests; whoever stops here has found something. */
  async *#worked(): AsyncGenerator<{ readonly path: string; readonly mode: number }> {
    const root = this.#root;
    const changed = (...names: readonly string[]) => ({ path: join(root, ...names), mode: readAndChange });
    const readOnly = (...names: readonly string[]) => ({ path: join(root, ...names), mode: read });
    for (const name of ["", locksFolder, "hives", "trash"]) yield changed(name);
    for (const name of ["teams", "tokens", "mirrors"]) {
      yield changed(name);
      for (const file of await this.#fs.list(join(root, name))) yield readOnly(name, file);
    }
    for (const name of await this.#fs.list(join(root, "hives"))) {
      for (const inner of ["", "refs", "refs/heads", "refs/tags"]) yield changed("hives", name, inner);
      for (const inner of ["refs/heads/main", "packed-refs"]) yield readOnly("hives", name, inner);
      const objects = join("hives", name, "objects");
      // A folder more in it changes it, and whose a folder is hardly changes.
      const at = statNow(this.#fs.disk, join(root, objects))?.ctimeNs;
      if (at === undefined || this.#sound.get(objects) === at) continue;
      yield changed(objects);
      for (const inner of await this.#fs.list(join(root, objects))) yield changed(objects, inner);
      this.#sound.set(objects, at);
    }
  }
}
