/** One branch: read at every request, moved by one rename (see update-ref.ts). */
import { join } from "node:path";
import { mainBranch, unknownBranch, type BranchName } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { isSystemError, statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { packedRefsPath, parsePackedRefs } from "./ref-files.ts";
import { deleteRef, updateRef, type RefDeletion, type RefPlace, type RefUpdate } from "./update-ref.ts";

/** The packed refs of a repository, which its branches share. */
export type PackedRefs = ParsedFile<ReadonlyMap<string, Oid>>;

/** Opens the packed refs of a repository. */
export function openPackedRefs(fs: DurableFs, gitdir: string): PackedRefs {
  return new ParsedFile(fs.disk, packedRefsPath(gitdir), parsePackedRefs);
}

/** The folder of all branches. */
export const branchesFolder = "refs/heads";

export class BranchRef {
  readonly name: BranchName;
  readonly #fs: DurableFs;
  readonly #gitdir: string;
  readonly #ref: string;
  /** `oid` is undefined when the file does not hold an object name. */
  readonly #loose: ParsedFile<{ readonly oid: Oid | undefined }>;
  readonly #packed: PackedRefs;

  constructor(
    fs: DurableFs,
    gitdir: string,
    name: BranchName = mainBranch,
    packed: PackedRefs = openPackedRefs(fs, gitdir),
  ) {
    this.name = name;
    this.#fs = fs;
    this.#gitdir = gitdir;
    this.#ref = `${branchesFolder}/${name}`;
    this.#loose = new ParsedFile(fs.disk, join(gitdir, this.#ref), parseLoose);
    this.#packed = packed;
  }

  /**
   * The commit that the branch refers to now.
   * @throws SkepError `not-found` when there is no repository, or no such branch; `content-invalid` when it has no main,
   * or the branch is not a commit.
   */
  read(): Oid {
    // Packing refs writes packed-refs and then removes the loose file: a second read finds a ref that moved in between.
    const oid = this.find() ?? this.#readLoose();
    if (oid !== undefined) return oid;
    if (!this.exists()) throw failure("not-found", "This Hive has no repository.");
    if (this.name === mainBranch) throw failure("content-invalid", "This Hive has no branch main.");
    throw unknownBranch(this.name);
  }

  /** As {@link read}, but checked once per tick of the event loop; undefined when it cannot be read. */
  recent(): Oid | undefined {
    const loose = this.#readFile(() => this.#loose.recent());
    return loose === undefined ? this.#packed.recent()?.get(this.#ref) : loose.oid;
  }

  /** Whether the repository exists. */
  exists(): boolean {
    return statNow(this.#fs.disk, join(this.#gitdir, "objects")) !== undefined;
  }

  /** The commit that the branch refers to; undefined when there is none. @throws as {@link read} for one that is broken. */
  find(): Oid | undefined {
    return this.#readLoose() ?? this.#packed.read()?.get(this.#ref);
  }

  /** Moves the branch to another commit; see {@link updateRef}. */
  update(update: RefUpdate): Promise<void> {
    return updateRef(this.#fs, this.#place(), update);
  }

  /** Deletes the branch; see {@link deleteRef}. */
  delete(deletion: RefDeletion): Promise<void> {
    return deleteRef(this.#fs, this.#gitdir, { ...this.#place(), name: this.#ref }, deletion);
  }

  #place(): RefPlace {
    const path = join(this.#gitdir, this.#ref);
    return { path, read: () => this.find(), changed: () => this.#loose.invalidate() };
  }

  #readLoose(): Oid | undefined {
    const loose = this.#readFile(() => this.#loose.read());
    if (loose === undefined || loose.oid !== undefined) return loose?.oid;
    const mend = `remove it, then: git update-ref ${this.#ref} <commit>`;
    throw failure("content-invalid", `This Hive's ${this.#ref} is not a commit; to mend it, ${mend}`);
  }

  #readFile<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      // It is the folder of other branches, or one of its folders is a branch.
      if (isSystemError(error, "EISDIR", "ENOTDIR")) return undefined;
      throw error;
    }
  }
}

function parseLoose(text: string): { readonly oid: Oid | undefined } {
  const oid = text.trimEnd();
  return { oid: isOid(oid) ? oid : undefined };
}
