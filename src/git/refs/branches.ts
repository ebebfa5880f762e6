/**
 * The branches of one repository. A deleted one lies below `refs/skep/deleted` for a while: the time of its deletion in
 * milliseconds since 1970, then its name. So packing and backups keep what it reaches, and nobody is shown it.
 */
import {
  isBranchName,
  mainBranch,
  unknownBranch,
  type BranchName,
} from "../../domain/commits/branch-name.ts";
import { deletionTime, hasExpired, isUndated } from "../../domain/deletion-time.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { isFailure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { removeEmptyRefFolder } from "./ref-files.ts";
import { RefFolder, type RefRules } from "./ref-folder.ts";
import { type NewRef, type RefPlace, BranchRef, branchesFolder } from "./ref.ts";

const deletedFolder = "refs/skep/deleted";
const deletedPattern = /^([0-9]{1,15})\/(.+)$/s;
type DeletedName = `${number}/${string}`;

export interface DeletedBranch {
  readonly name: BranchName;
  readonly commit: Oid;
  /** In milliseconds since 1970. */
  readonly deleted: number;
}

const branchRules: RefRules<BranchName> = {
  folder: branchesFolder,
  isName: isBranchName,
  kind: "branch",
  // Main.
  notCounted: 1,
  taken: "is there already.",
  takenCode: "branch_exists",
  besideCode: "branch_exists",
};

/** A change under the Hive's lock, which the caller holds. Where that was lost, all refs stay as they were. */
interface UnderLock {
  readonly lock: HeldLock;
}

export class Branches {
  readonly main: BranchRef;
  readonly #at: RefPlace;
  readonly #refs: RefFolder<BranchName>;
  readonly #deleted: RefFolder<DeletedName>;

  constructor(at: RefPlace) {
    this.#at = at;
    this.#refs = new RefFolder(at, branchRules);
    this.#deleted = new RefFolder(at, {
      ...branchRules,
      folder: deletedFolder,
      isName: (path): path is DeletedName => deletedPattern.test(path),
    });
    this.main = this.ref(mainBranch);
  }

  /** A branch, which may be missing. */
  ref(name: BranchName): BranchRef {
    return new BranchRef(this.#at, name);
  }

  /** All branches and their commits, main among them. Files that are not refs are left out. */
  list(): Promise<ReadonlyMap<BranchName, Oid>> {
    return this.#refs.list();
  }

  /** The deleted branches, the last deleted one first. */
  async deleted(): Promise<readonly DeletedBranch[]> {
    const found = Array.from(await this.#deleted.list()).flatMap(([path, commit]): DeletedBranch[] => {
      const [, time, name = ""] = deletedPattern.exec(path) ?? [];
      return isBranchName(name) ? [{ name, commit, deleted: Number(time) }] : [];
    });
    return found.toSorted((a, b) => b.deleted - a.deleted);
  }

  /** The files of branches besides main, also of deleted ones, that do not hold an object name. */
  async broken(): Promise<readonly string[]> {
    const found = [...(await this.#refs.broken()), ...(await this.#deleted.broken())];
    return found.filter((ref) => ref !== this.main.fullName);
  }

  /**
   * Creates a branch; see {@link RefFolder.create}.
   * @param limit how many branches there may be besides main.
   */
  create(name: BranchName, created: NewRef, limit: number): Promise<void> {
    return this.#refs.create(name, created, limit);
  }

  /**
   * Deletes a branch, so that it can be restored. The caller holds the Hive's lock. Killed in between, it leaves the
   * branch and the copy of it.
   * @param commit what the branch was read as.
   * @param options.deleted the time of the deletion; see {@link deletionTime}.
   * @param options.now in milliseconds since 1970.
   * @param options.limit how many deleted branches there may be that can still be restored.
   * @throws SkepError `quota` when there are as many; `head-moved` when the branch has moved meanwhile.
   */
  async delete(
    name: BranchName,
    commit: Oid,
    {
      now,
      deleted = deletionTime(now),
      limit,
      lock,
    }: { readonly deleted?: number; readonly now: number; readonly limit: number } & UnderLock,
  ): Promise<void> {
    const kept = (await this.deleted()).filter((one) => !hasExpired(one.deleted, now));
    checkRoom("This Hive", "deleted branch", kept.length, limit);
    const time = await this.#keep(name, commit, deleted, lock);
    try {
      await this.ref(name).delete({ expected: commit, lock });
    } catch (error) {
      if (isFailure(error, "head-moved"))
        await this.#forget({ name, commit, deleted: time }, lock).catch(() => {});
      throw error;
    }
    // It is deleted. Those that have expired can be removed later.
    await this.forgetDeleted({ now, lock }).catch(() => {});
  }

  /** The branch of a name that was deleted last, if it has not expired. @throws SkepError `not-found` otherwise. */
  async lastDeleted(name: BranchName, now: number): Promise<DeletedBranch> {
    const found = (await this.deleted()).find((one) => one.name === name && !hasExpired(one.deleted, now));
    if (found === undefined) throw unknownBranch(name);
    return found;
  }

  /** Restores a deleted branch. The caller holds the Hive's lock. @throws as {@link create}. */
  async restore(
    branch: DeletedBranch,
    { limit, lock }: { readonly limit: number } & UnderLock,
  ): Promise<void> {
    const { name, commit: next } = branch;
    await this.create(name, { next, lock }, limit);
    // It is restored. If the copy cannot be removed, it expires.
    await this.#forget(branch, lock).catch(() => {});
  }

  /**
   * Removes deleted branches for good, and dates those that have no time. The caller holds the Hive's lock.
   * @param rules.now in milliseconds since 1970; those that have expired are removed.
   */
  async forgetDeleted({ now, lock }: { readonly now: number } & UnderLock): Promise<void> {
    for (const branch of await this.deleted()) {
      const { name, commit, deleted } = branch;
      const isOver = hasExpired(deleted, now);
      if (!isOver && (!isUndated(deleted) || isUndated(now))) continue;
      if (!isOver) await this.#keep(name, commit, now, lock);
      await this.#forget(branch, lock);
    }
  }

  /** Keeps a copy of a branch under a time, or a little later. @returns that time. */
  async #keep(name: BranchName, commit: Oid, deleted: number, lock: HeldLock): Promise<number> {
    // No folder holds two: names of which one is the folder of another were there one after the other.
    const used = new Set((await this.deleted()).map((branch) => branch.deleted));
    let time = deleted;
    while (used.has(time)) time++;
    await this.#deleted.ref(`${time}/${name}`).update({ expected: undefined, next: commit, lock });
    return time;
  }

  async #forget(branch: DeletedBranch, lock: HeldLock): Promise<void> {
    const { name, commit, deleted } = branch;
    await this.#deleted.ref(`${deleted}/${name}`).delete({ expected: commit, lock });
    await removeEmptyRefFolder(this.#at.fs, this.#at.gitdir, `${deletedFolder}/${deleted}`);
  }
}
