/** Checks the owner and the permissions of the files of a storage. */
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { counted } from "../../domain/text.ts";
import { isSystemError, statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { StorageFault } from "./storage-fault.ts";
import { locksFolder, settingsFolders } from "../../disk/storage-folder.ts";

/** The permission bits for users other than the owner and the group. */
const others = 0o007;

/**
 * The user that a storage belongs to, who owns the folders in it. The storage folder itself may belong to another user,
 * as mount points do.
 * @returns undefined when nothing was stored yet.
 */
export async function findOwner(fs: DurableFs, root: string): Promise<number | undefined> {
  for (const name of ["teams", "settings-version", locksFolder]) {
    const stats = await fs.stat(join(root, name));
    if (stats !== undefined) return stats.uid;
  }
  return undefined;
}

/** Finds files that belong to other users, and a storage folder that other users can enter. */
export async function checkOwnership(fs: DurableFs, root: string): Promise<readonly StorageFault[]> {
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
  const whose = `not to the user ${owner} like the storage; to repair it: chown -R ${owner} ${root}`;
  return [
    ...(first === undefined
      ? []
      : [{ problem: `${first} and ${counted(foreign.length - 1, "other path")} belong ${whose}` }]),
    ...(await checkMode(fs, root)),
  ];
}

/** Finds a storage folder that other users can enter. */
export async function checkMode(fs: DurableFs, root: string): Promise<readonly StorageFault[]> {
  const mode = (await fs.stat(root))?.mode ?? 0;
  if ((mode & others) === 0) return [];
  const repair = async (): Promise<string> => {
    await fs.disk.promises.chmod(root, mode & 0o7777 & ~others);
    return "closed it to other users";
  };
  return [{ problem: "every user of this machine can enter the storage folder", repair }];
}

/** How long a caller waits for a check; it goes on in the background. */
const maxWaitMs = 500;
const read = 4;
const readAndChange = 7;

/** Checks, now and then, whether this process has the permissions that it needs on a storage's files. */
export class AccessCheck {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #goodForMs: number;
  /** The folders of objects that were found accessible, with the time of their last change then. */
  readonly #sound = new Map<string, bigint>();
  #checking: Promise<void> | undefined;
  #checkedAt = -Infinity;
  #denied: string | undefined;

  /** @param goodForMs how long a good result is not checked again. */
  constructor(fs: DurableFs, root: string, goodForMs = 30_000) {
    this.#fs = fs;
    this.#root = root;
    this.#goodForMs = goodForMs;
  }

  /**
   * The first path that this process may not read, or not write to; undefined when there is none, or none was found yet.
   * @throws the system's error when the disk fails.
   */
  async findDenied(): Promise<string | undefined> {
    if (this.#denied !== undefined || performance.now() - this.#checkedAt >= this.#goodForMs) {
      this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
      await Promise.race([this.#checking, setTimeout(maxWaitMs, undefined, { ref: false })]);
    }
    return this.#denied;
  }

  async #check(): Promise<void> {
    let denied: string | undefined;
    for await (const { path, mode } of this.#needed()) {
      if (!(await this.#isDenied(path, mode))) continue;
      denied = relative(this.#root, path);
      break;
    }
    this.#denied = denied;
    this.#checkedAt = performance.now();
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

  /** The paths that requests read and change, with the access they need. */
  async *#needed(): AsyncGenerator<{ readonly path: string; readonly mode: number }> {
    const root = this.#root;
    const changed = (...names: readonly string[]) => ({ path: join(root, ...names), mode: readAndChange });
    const readOnly = (...names: readonly string[]) => ({ path: join(root, ...names), mode: read });
    for (const name of ["", locksFolder, "hives", "trash"]) yield changed(name);
    for (const name of settingsFolders) {
      yield changed(name);
      for (const file of await this.#fs.list(join(root, name))) yield readOnly(name, file);
    }
    for (const name of await this.#fs.list(join(root, "hives"))) {
      for (const inner of ["", "refs", "refs/heads", "refs/tags"]) yield changed("hives", name, inner);
      for (const inner of ["refs/heads/main", "packed-refs"]) yield readOnly("hives", name, inner);
      const objects = join("hives", name, "objects");
      // A new folder in it changes its time; the owners of existing folders hardly ever change.
      const at = statNow(this.#fs.disk, join(root, objects))?.ctimeNs;
      if (at === undefined || this.#sound.get(objects) === at) continue;
      yield changed(objects);
      for (const inner of await this.#fs.list(join(root, objects))) yield changed(objects, inner);
      this.#sound.set(objects, at);
    }
  }
}
