/**
 * Packing: the installed git puts the objects of a Hive into one pack, while the Hive is read and written.
 *
 * It never drops an object, reachable or not, because it may belong to a commit that the branch is about to move to.
 * Superfluous files are removed only after the new pack is durable, so a kill at any moment, or two packings at once,
 * leave at worst a redundant copy. Refs are not touched.
 */
import { join } from "node:path";
import { isFailure, unlessFailed } from "../../domain/errors.ts";
import { isOid, type HiveSlug } from "../../domain/names.ts";
import { fileIdentity } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { GitEnded, type GitResult, type RunGit } from "../process/installed-git.ts";
import { listLooseObjects, looseFolders } from "../objects/loose.ts";
import { packLeftovers } from "./leftovers.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { listPacks, removePacks, syncPacks } from "./packs.ts";

export type Packing =
  /** How many loose objects there were. */
  | { readonly kind: "packed"; readonly loose: number }
  | { readonly kind: "nothing-to-do" | "busy" | "no-repository" | "no-git" | "stopped" }
  | { readonly kind: "failed"; readonly reason: string };

export interface PackerOptions {
  readonly fs: DurableFs;
  /** The folder of lock files. */
  readonly locks: string;
  readonly folderOf: (slug: HiveSlug) => string;
  readonly runGit: RunGit;
}

/** Long enough for millions of objects. The limit keeps a hanging git from holding the lock for ever. */
const timeLimitMs = 30 * 60_000;
/** How long a packing waits for another one: practically not at all. */
const briefMs = 500;

/**
 * These overrule the repository's own settings. One thread and little memory, because this runs beside a server;
 * isomorphic-git reads index version 2 only.
 */
const settings = [
  ["pack.packSizeLimit", "0"],
  ["pack.threads", "1"],
  ["pack.windowMemory", "128m"],
  ["pack.deltaCacheSize", "64m"],
  ["core.fsync", "all"],
  ["core.fsyncMethod", "fsync"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);
const packObjects = [
  ...settings,
  ...(
    "pack-objects --all --reflog --indexed-objects --keep-unreachable --pack-loose-unreachable --local " +
    "--honor-pack-keep --keep-true-parents --delta-base-offset --index-version=2 --window=10 --depth=50 " +
    "--compression=6 --no-write-bitmap-index --non-empty --quiet objects/pack/pack"
  ).split(" "),
];
const prunePacked = ["prune-packed", "--quiet"];

/** Every sixteenth folder. Object names are evenly distributed, so these hold a sixteenth of the objects. */
const sampled = Array.from({ length: 16 }, (_, i) => `${i.toString(16)}7`);
const allFolders = 256;

export class Packer {
  readonly #options: PackerOptions;
  readonly #shortWait: Locks;
  readonly #longWait: Locks;

  constructor(options: PackerOptions) {
    this.#options = options;
    this.#shortWait = new Locks(options.fs, options.locks, { timeoutMs: briefMs });
    this.#longWait = new Locks(options.fs, options.locks, { timeoutMs: timeLimitMs });
  }

  /** Whether there is a git to pack with. */
  async isPossible(): Promise<boolean> {
    return (await this.#options.runGit(undefined, ["version"])) !== undefined;
  }

  /** Estimates how many loose objects a Hive has, from a count in some of their folders. */
  async estimateLoose(slug: HiveSlug): Promise<number> {
    return (await this.#countLoose(slug, sampled)) * (allFolders / sampled.length);
  }

  /**
   * Packs one Hive, unless another process is packing it.
   * @param signal stops it; leftovers are harmless.
   * @throws the system's error when the disk fails.
   */
  pack(slug: HiveSlug, signal?: AbortSignal): Promise<Packing> {
    const packing = this.#shortWait.hold(lockName(slug), (lock) => this.#packLocked(slug, lock, signal));
    return unlessFailed(packing, ["busy"], () => ({ kind: "busy" }));
  }

  /**
   * Runs a function while no process is packing the Hive.
   * @throws SkepError `busy` when a packing does not end.
   */
  withoutPacking<T>(slug: HiveSlug, run: () => Promise<T>): Promise<T> {
    return this.#longWait.hold(lockName(slug), run);
  }

  async #packLocked(slug: HiveSlug, lock: HeldLock, signal: AbortSignal | undefined): Promise<Packing> {
    const { fs, folderOf } = this.#options;
    const gitdir = folderOf(slug);
    const objects = join(gitdir, "objects");
    const repository = fileIdentity(fs.disk, objects);
    if (repository === undefined) return { kind: "no-repository" };
    for (const { remove } of await packLeftovers(fs, gitdir)) await remove();
    const loose = await this.#countLoose(slug);
    const before = await listPacks(fs, gitdir);
    if (loose === 0 && before.length < 2) return { kind: "nothing-to-do" };

    const made = await this.#git(gitdir, packObjects, signal);
    // Meanwhile the Hive may have been deleted, and another one created in its place.
    if (fileIdentity(fs.disk, objects) !== repository) return { kind: "no-repository" };
    if (!("stdout" in made)) return made;
    const packs = made.stdout.split("\n").filter(isOid);
    const names = packs.map((hash) => `pack-${hash}`);
    await syncPacks(fs, gitdir, names);
    await lock.assertHeld();
    if (names.length > 0) {
      await removePacks(
        fs,
        gitdir,
        before.filter((pack) => !names.includes(pack)),
      );
    }
    const folders = await looseFolders(fs, gitdir);
    const pruned = await this.#git(gitdir, prunePacked, signal);
    // git also removes the folders that it emptied, and writers would have to make each of them again.
    if (fileIdentity(fs.disk, objects) === repository) {
      await fs.makeFoldersIn(objects, folders);
      // Writers that know a folder rely on it being durable.
      await fs.syncFolder(objects);
    }
    return "stdout" in pruned ? { kind: "packed", loose } : pruned;
  }

  /** Runs git. @returns its output, or how the packing ended instead. */
  async #git(
    gitdir: string,
    args: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<GitResult | Packing> {
    try {
      const limits = { inBackground: true, timeLimitMs, signal };
      const result = await this.#options.runGit(gitdir, args, limits);
      if (result === undefined) return { kind: "no-git" };
      if (result.code === 0) return result;
      const [reason = ""] = result.stderr.trim().split("\n").slice(-1);
      return { kind: "failed", reason: reason === "" ? `git ended with ${result.code}` : reason };
    } catch (error) {
      if (signal?.aborted === true) return { kind: "stopped" };
      if (!isFailure(error, "content-invalid") && !(error instanceof GitEnded)) throw error;
      return { kind: "failed", reason: error.message };
    }
  }

  async #countLoose(slug: HiveSlug, folders?: readonly string[]): Promise<number> {
    const { fs, folderOf } = this.#options;
    return (await listLooseObjects(fs, folderOf(slug), folders)).length;
  }
}

function lockName(slug: HiveSlug): string {
  return `pack-${slug}`;
}
