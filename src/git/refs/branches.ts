/**
 * The branches of one repository. A deleted one lies below `refs/skep/deleted` for a while: the time of its deletion in
 * milliseconds since 1970, then its name. So packing and backups keep what it reaches, and nobody is shown it.
 */
import { join } from "node:path";
import {
  isBranchName,
  mainBranch,
  unknownBranch,
  type BranchName,
} from "../../domain/commits/branch-name.ts";
import { branchExpiry } from "../../domain/commits/deleted-branch.ts";
import { clashingName } from "../../domain/commits/ref-name.ts";
import { SkepError, failure, isFailure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { BranchRef, branchesFolder, openPackedRefs, type PackedRefs } from "./branch-ref.ts";
import { looseRefNames, readLooseRefs, removeEmptyRefFolder } from "./ref-files.ts";
import { deleteRef, updateRef, type RefUpdate } from "./update-ref.ts";

const deletedFolder = "refs/skep/deleted";

/** A deleted branch that can be restored. */
export interface DeletedBranch {
  readonly name: BranchName;
  readonly commit: Oid;
  /** In milliseconds since 1970. */
  readonly deleted: number;
}

interface UnderLock {
  /** Checks that the caller still holds the Hive's lock; what it throws leaves all refs as they were. */
  readonly assertLockHeld: () => Promise<void>;
}

export class Branches {
  readonly main: BranchRef;
  readonly #fs: DurableFs;
  readonly #gitdir: string;
  readonly #packed: PackedRefs;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#gitdir = gitdir;
    this.#packed = openPackedRefs(fs, gitdir);
    this.main = this.ref(mainBranch);
  }

  /** A branch, which may be missing. */
  ref(name: BranchName): BranchRef {
    return new BranchRef(this.#fs, this.#gitdir, name, this.#packed);
  }

  /** All branches and their commits, main among them. Files that are not refs are left out. */
  async list(): Promise<ReadonlyMap<BranchName, Oid>> {
    const branches = new Map<BranchName, Oid>();
    for (const [path, oid] of await this.#refsIn(branchesFolder))
      if (isBranchName(path)) branches.set(path, oid);
    return branches;
  }

  /** The deleted branches, the last deleted one first. */
  async deleted(): Promise<readonly DeletedBranch[]> {
    const found: DeletedBranch[] = [];
    for (const [path, commit] of await this.#refsIn(deletedFolder)) {
      const [, time, name = ""] = /^([0-9]{1,15})\/(.+)$/s.exec(path) ?? [];
      if (time !== undefined && isBranchName(name)) found.push({ name, commit, deleted: Number(time) });
    }
    return found.toSorted((a, b) => b.deleted - a.deleted);
  }

  /** The files of branches besides main, also of deleted ones, that do not hold an object name. */
  async broken(): Promise<readonly string[]> {
    const main = `${branchesFolder}/${mainBranch}`;
    const found: string[] = [];
    for (const folder of [branchesFolder, deletedFolder]) {
      const loose = await readLooseRefs(this.#fs, this.#gitdir, folder);
      for (const [ref, text] of loose) if (ref !== main && !isOid(text)) found.push(ref);
    }
    return found;
  }

  /**
   * Creates a branch, durably. The caller holds the Hive's lock.
   * @param limit how many branches there may be besides main.
   * @throws SkepError `conflict` when the name is taken, or cannot be stored beside another branch's; `quota` when the
   * limit is reached; `busy` when another process creates the same branch.
   */
  async create(name: BranchName, update: Omit<RefUpdate, "expected">, limit: number): Promise<void> {
    const present = await this.#names();
    const other = clashingName(name, present);
    if (other === name) {
      throw failure("conflict", `The branch ${name} is there already.`, { publicCode: "branch_exists" });
    }
    if (other !== undefined) {
      throw failure("conflict", `The branch ${name} cannot be stored beside the branch ${other}.`, {
        publicCode: "branch_exists",
      });
    }
    checkRoom("This Hive", "branch", present.size - 1, limit);
    await removeEmptyRefFolder(this.#fs, this.#gitdir, `${branchesFolder}/${name}`);
    try {
      await this.ref(name).update({ ...update, expected: undefined });
    } catch (error) {
      if (!isFailure(error, "head-moved")) throw error;
      throw new SkepError(
        "busy",
        "Another process created this branch.",
        { retryAfter: 1 },
        { cause: error },
      );
    }
  }

  /**
   * Deletes a branch, so that it can be restored. The caller holds the Hive's lock. Killed in between, it leaves the
   * branch and the copy of it.
   * @param commit what the branch was read as.
   * @param options.now in milliseconds since 1970.
   * @param options.limit how many of the last deleted branches stay.
   * @throws SkepError `head-moved` when the branch has moved meanwhile.
   */
  async delete(
    name: BranchName,
    commit: Oid,
    { now, limit, assertLockHeld }: { readonly now: number; readonly limit: number } & UnderLock,
  ): Promise<void> {
    // No folder holds two: names of which one is the folder of another were there one after the other.
    const used = new Set((await this.deleted()).map(({ deleted }) => deleted));
    let time = now;
    while (used.has(time)) time++;
    const path = join(this.#gitdir, toDeleted({ name, deleted: time }));
    const update = { expected: undefined, next: commit, prepare: () => Promise.resolve(), assertLockHeld };
    await updateRef(this.#fs, { path, read: () => undefined }, update);
    await this.ref(name).delete({ expected: commit, assertLockHeld });
    // It is deleted. If older ones cannot be removed, they expire.
    await this.forgetDeleted({ limit, now, assertLockHeld }).catch(() => {});
  }

  /** The branch of a name that was deleted last, if it has not expired. @throws SkepError `not-found` otherwise. */
  async lastDeleted(name: BranchName, now: number): Promise<DeletedBranch> {
    const found = (await this.deleted()).find((one) => one.name === name && branchExpiry(one.deleted) > now);
    if (found === undefined) throw unknownBranch(name);
    return found;
  }

  /** Restores a deleted branch. The caller holds the Hive's lock. @throws as {@link create}. */
  async restore(
    branch: DeletedBranch,
    { limit, assertLockHeld }: { readonly limit: number } & UnderLock,
  ): Promise<void> {
    const { name, commit: next } = branch;
    await this.create(name, { next, prepare: () => Promise.resolve(), assertLockHeld }, limit);
    // It is restored. If the copy cannot be removed, it expires.
    await this.#forget(branch, assertLockHeld).catch(() => {});
  }

  /**
   * Removes deleted branches for good. The caller holds the Hive's lock.
   * @param rules.limit how many of the last deleted ones stay.
   * @param rules.now in milliseconds since 1970; those that have expired are removed.
   */
  async forgetDeleted({
    limit = Infinity,
    now,
    assertLockHeld,
  }: { readonly limit?: number; readonly now: number } & UnderLock): Promise<void> {
    for (const [i, branch] of (await this.deleted()).entries()) {
      if (i >= limit || branchExpiry(branch.deleted) <= now) await this.#forget(branch, assertLockHeld);
    }
  }

  async #forget(branch: DeletedBranch, assertLockHeld: UnderLock["assertLockHeld"]): Promise<void> {
    const name = toDeleted(branch);
    const path = join(this.#gitdir, name);
    const read = (): Oid => branch.commit;
    await deleteRef(
      this.#fs,
      this.#gitdir,
      { path, name, read },
      { expected: branch.commit, assertLockHeld },
    );
    await removeEmptyRefFolder(this.#fs, this.#gitdir, `${deletedFolder}/${branch.deleted}`);
  }

  /** The names of all branches. Reading what each is at would take as long as all else that makes one. */
  async #names(): Promise<ReadonlySet<BranchName>> {
    const loose = await looseRefNames(this.#fs, this.#gitdir, branchesFolder);
    const names = [...loose, ...(this.#packed.read()?.keys() ?? [])];
    const prefix = `${branchesFolder}/`;
    const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return new Set(own.filter(isBranchName));
  }

  /** The refs below a folder by their path in it, loose or packed. */
  async #refsIn(folder: string): Promise<ReadonlyMap<string, Oid>> {
    const prefix = `${folder}/`;
    const refs = new Map<string, Oid>();
    // Packing refs writes packed-refs and then removes the loose files, so reading the loose files first misses nothing.
    const loose = await readLooseRefs(this.#fs, this.#gitdir, folder);
    for (const [ref, oid] of this.#packed.read() ?? []) {
      if (ref.startsWith(prefix)) refs.set(ref.slice(prefix.length), oid);
    }
    for (const [ref, text] of loose) {
      if (isOid(text)) refs.set(ref.slice(prefix.length), text);
      else refs.delete(ref.slice(prefix.length));
    }
    return refs;
  }
}

function toDeleted({ name, deleted }: Pick<DeletedBranch, "name" | "deleted">): string {
  return `${deletedFolder}/${deleted}/${name}`;
}
