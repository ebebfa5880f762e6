/**
 * One ref of a repository: read at every request, moved by one rename under git's own lock `<ref>.lock`, and only if it
 * is still what it was read as. This protects it against every other writer, git included; the Hive's lock only saves
 * work. The file that is renamed over the ref is a separate one and never the lock file, so that whatever happens to the
 * lock file cannot become the ref.
 */
import { dirname, join } from "node:path";
import { isSystemError, statNow } from "../../disk/disk.ts";
import type { DurableFs, StagedFile } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { ParsedFile } from "../../disk/watched-file.ts";
import { mainBranch, unknownBranch, type BranchName } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { packedRefsPath, parsePackedRefs, withoutPackedRef } from "./ref-files.ts";
import { RefLock } from "./ref-lock.ts";

/** A move of a ref, when all checks have been made and the ref is locked. */
export interface CheckedMove {
  readonly gitdir: string;
  /** The full name, such as `refs/heads/main`. */
  readonly name: string;
  /** What the ref is; undefined for a ref that does not exist yet. */
  readonly expected: Oid | undefined;
  /** Undefined for a deletion. */
  readonly next: Oid | undefined;
}

/**
 * Makes a move, where a ref of the repository is not moved by the repository alone.
 * @param apply moves the ref in the repository, durably; when it throws, the ref is as it was.
 * @param lock the caller's.
 */
export type MoveRef = (move: CheckedMove, apply: () => Promise<void>, lock?: HeldLock) => Promise<void>;

export interface RefPlace {
  readonly fs: DurableFs;
  readonly gitdir: string;
  /** Its packed refs, by their full names. */
  readonly packed: ParsedFile<ReadonlyMap<string, Oid>>;
  readonly move: MoveRef;
}

const onlyApply: MoveRef = (_, apply) => apply();

/** Opens the refs of a repository. @param move makes all moves of its refs. */
export function openRefs(fs: DurableFs, gitdir: string, move: MoveRef = onlyApply): RefPlace {
  return { fs, gitdir, packed: new ParsedFile(fs.disk, packedRefsPath(gitdir), parsePackedRefs), move };
}

export interface RefUpdate {
  /** What the ref was read as; undefined for a ref that does not exist yet. */
  readonly expected: Oid | undefined;
  readonly next: Oid;
  /** Makes all objects durable that the ref will reach and that are not there yet. */
  readonly prepare?: () => Promise<void>;
  /** Checked with the ref locked, just before it moves; what it throws leaves the ref as it was. */
  readonly lock?: HeldLock;
  /** Makes the move instead of {@link RefPlace.move}, for callers who know more about it. */
  readonly move?: MoveRef;
}

export type NewRef = Omit<RefUpdate, "expected">;

export interface RefDeletion extends Pick<RefUpdate, "lock"> {
  /** What the ref was read as. */
  readonly expected: Oid;
}

/** A ref in a file of its own. `oid` is undefined when the file does not hold an object name. */
interface Loose {
  readonly oid: Oid | undefined;
}

export class Ref {
  /** The full name, such as `refs/heads/main`. */
  readonly fullName: string;
  readonly #at: RefPlace;
  readonly #path: string;
  readonly #loose: ParsedFile<Loose>;

  constructor(at: RefPlace, fullName: string) {
    this.fullName = fullName;
    this.#at = at;
    this.#path = join(at.gitdir, fullName);
    this.#loose = new ParsedFile(at.fs.disk, this.#path, parseLoose);
  }

  /** The object that the ref refers to; undefined when there is no such ref, or its file is broken. */
  find(): Oid | undefined {
    const loose = this.#readLoose("read");
    // Packing refs writes packed-refs and then removes the loose file: a second read finds a ref that moved in between.
    return loose === undefined
      ? (this.#at.packed.read()?.get(this.fullName) ?? this.#readLoose("read")?.oid)
      : loose.oid;
  }

  /** As {@link find}, but checked once per tick of the event loop. */
  recent(): Oid | undefined {
    const loose = this.#readLoose("recent");
    return loose === undefined ? this.#at.packed.recent()?.get(this.fullName) : loose.oid;
  }

  /** Whether the ref's file does not hold an object name. */
  get isBroken(): boolean {
    const loose = this.#readLoose("read");
    return loose !== undefined && loose.oid === undefined;
  }

  /**
   * Moves or creates the ref, durably. The caller holds the Hive's lock.
   * @throws SkepError `head-moved` when the ref is not as expected, `busy` when git has it locked; nothing changed then.
   */
  async update({ expected, next, prepare, lock: callersLock, move }: RefUpdate): Promise<void> {
    const { fs } = this.#at;
    const lock = new RefLock(fs, this.#path);
    // 1. Everything slow is made durable in parallel, before the ref is locked.
    const [staging, locking, preparing] = await Promise.allSettled([
      fs.stage(this.#path, `${next}\n`),
      lock.stage(),
      prepare?.(),
    ]);
    try {
      valueOf(locking);
      valueOf(preparing);
      const staged = valueOf(staging);
      // 2. No other writer can move the ref from here on.
      await lock.acquire();
      // 3. The last checks: of the caller's lock, of the ref's lock, and of the ref's value.
      await callersLock?.assertHeld();
      this.#assertIs(expected, lock);
      // 4. The ref moves, still locked.
      await this.#move(expected, next, () => this.#replace(staged, expected), callersLock, move);
    } finally {
      if (staging.status === "fulfilled") await staging.value.discard();
      await lock.release();
    }
  }

  /**
   * Deletes the ref, durably: from the packed refs first, so that a crash in between leaves it as it was. The caller
   * holds the Hive's lock.
   * @throws SkepError `head-moved` when the ref is not as expected, `busy` when git has a lock; the ref is still there then.
   */
  async delete({ expected, lock: callersLock }: RefDeletion): Promise<void> {
    const { fs } = this.#at;
    await locked(fs, this.#path, async (lock) => {
      await callersLock?.assertHeld();
      this.#assertIs(expected, lock);
      await this.#move(expected, undefined, () => this.#remove(expected), callersLock);
    });
  }

  #move(
    expected: Oid | undefined,
    next: Oid | undefined,
    apply: () => Promise<void>,
    lock: HeldLock | undefined,
    move = this.#at.move,
  ): Promise<void> {
    return move({ gitdir: this.#at.gitdir, name: this.fullName, expected, next }, apply, lock);
  }

  /** Renames a staged file over the ref. */
  async #replace(staged: StagedFile, expected: Oid | undefined): Promise<void> {
    const { fs } = this.#at;
    await staged.replace();
    this.#loose.invalidate();
    // The move is made durable, or reverted, as a failed update must not be visible.
    try {
      await fs.syncFolder(dirname(this.#path));
    } catch (error) {
      await (expected === undefined ? fs.removeFile(this.#path) : fs.write(this.#path, `${expected}\n`));
      throw error;
    }
  }

  async #remove(expected: Oid): Promise<void> {
    const { fs } = this.#at;
    try {
      await this.#deletePacked();
      await fs.removeFile(this.#path);
      this.#loose.invalidate();
      await fs.syncFolder(dirname(this.#path));
    } catch (error) {
      // A failed deletion must not be visible.
      if (this.find() === undefined) await fs.write(this.#path, `${expected}\n`);
      throw error;
    }
  }

  #assertIs(expected: Oid | undefined, lock: RefLock): void {
    lock.assertHeld();
    if (this.find() !== expected) throw failure("head-moved", "The Hive was changed by another process.");
  }

  async #deletePacked(): Promise<void> {
    const { fs, gitdir } = this.#at;
    const path = packedRefsPath(gitdir);
    const read = async (): Promise<string> => (await fs.readText(path)) ?? "";
    if (!parsePackedRefs(await read()).has(this.fullName)) return;
    await locked(fs, path, async (lock) => {
      const text = withoutPackedRef(await read(), this.fullName);
      lock.assertHeld();
      await fs.write(path, text);
    });
  }

  #readLoose(how: "read" | "recent"): Loose | undefined {
    try {
      return this.#loose[how]();
    } catch (error) {
      // It is the folder of other refs, one of its folders is a ref, or it is too long for a file name.
      if (isSystemError(error, "EISDIR", "ENOTDIR", "ENAMETOOLONG")) return undefined;
      throw error;
    }
  }
}

export const branchesFolder = "refs/heads";

export class BranchRef extends Ref {
  readonly name: BranchName;
  /** Whether there is a repository. */
  readonly exists: () => boolean;

  constructor(at: RefPlace, name: BranchName = mainBranch) {
    super(at, `${branchesFolder}/${name}`);
    this.name = name;
    this.exists = () => statNow(at.fs.disk, join(at.gitdir, "objects")) !== undefined;
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

  /** The commit that the branch refers to; undefined when there is none. @throws as {@link read} for one that is broken. */
  override find(): Oid | undefined {
    const oid = super.find();
    if (oid !== undefined || !this.isBroken) return oid;
    const repair = `remove it, then: git update-ref ${this.fullName} <commit>`;
    throw failure("content-invalid", `This Hive's ${this.fullName} is not a commit; to repair it, ${repair}`);
  }
}

function parseLoose(text: string): Loose {
  const oid = text.trimEnd();
  return { oid: isOid(oid) ? oid : undefined };
}

async function locked(fs: DurableFs, path: string, run: (lock: RefLock) => Promise<void>): Promise<void> {
  const lock = new RefLock(fs, path);
  await lock.stage();
  try {
    await lock.acquire();
    await run(lock);
  } finally {
    await lock.release();
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}
