/** One branch. */
import { join } from "node:path";
import { mainBranch, unknownBranch, type BranchName } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { statNow } from "../../disk/disk.ts";
import { Ref, type RefPlace } from "./ref.ts";

/** The folder of all branches. */
export const branchesFolder = "refs/heads";

export class BranchRef extends Ref {
  readonly name: BranchName;
  readonly #exists: () => boolean;

  constructor(at: RefPlace, name: BranchName = mainBranch) {
    super(at, `${branchesFolder}/${name}`);
    this.name = name;
    this.#exists = () => statNow(at.fs.disk, join(at.gitdir, "objects")) !== undefined;
  }

  /**
   * The commit that the branch refers to now.
   * @throws SkepError `not-found` when there is no repository, or no such branch; `content-invalid` when it has no main,
   * or the branch is not a commit.
   */
  read(): Oid {
    const oid = this.find();
    if (oid !== undefined) return oid;
    if (!this.exists()) throw failure("not-found", "This Hive has no repository.");
    if (this.name === mainBranch) throw failure("content-invalid", "This Hive has no branch main.");
    throw unknownBranch(this.name);
  }

  /** Whether the repository exists. */
  exists(): boolean {
    return this.#exists();
  }

  /** The commit that the branch refers to; undefined when there is none. @throws as {@link read} for one that is broken. */
  override find(): Oid | undefined {
    const oid = super.find();
    if (oid !== undefined || !this.isBroken) return oid;
    const repair = `remove it, then: git update-ref ${this.fullName} <commit>`;
    throw failure("content-invalid", `This Hive's ${this.fullName} is not a commit; to repair it, ${repair}`);
  }
}
