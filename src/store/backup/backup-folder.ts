/**
 * A folder that holds a backup. `skep-backup.json` in it says what the last whole one is; it is replaced when all
 * objects are durable, and nothing that it needs is removed before, so a backup that is killed leaves the one before.
 * Beside it the folder is a storage of its own.
 */
import { dirname, join } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { formatManifest, parseManifest, type Backup } from "./backup-manifest.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import type { StreamGit } from "../../git/process/git-stream.ts";
import { repositoryLeftovers } from "../../git/packs/leftovers.ts";
import { storageLeftovers } from "../hives/storage-leftovers.ts";
import type { HeldLock } from "../../disk/locks/lock-file.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { locksFolder } from "../../disk/storage-folder.ts";
import { copyObjects, removeObjects, type ObjectCopy } from "../../git/packs/object-copy.ts";
import { replaceRefs, type Refs } from "../../git/refs/refs.ts";

const manifestName = "skep-backup.json";
/** Another backup into the same folder is not waited for, only the lock of one that was killed. */
const turnMs = 5_000;

export class BackupFolder {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #streamGit: StreamGit;
  readonly #locks: Locks;

  constructor(fs: DurableFs, root: string, streamGit: StreamGit) {
    this.#fs = fs;
    this.#root = root;
    this.#streamGit = streamGit;
    this.#locks = new Locks(fs, join(root, locksFolder), { timeoutMs: turnMs });
  }

  /** The folder of a Hive's repository. */
  folderOf(slug: HiveSlug): string {
    return join(this.#root, "hives", `${slug}.git`);
  }

  /**
   * The last whole backup; undefined when none came to its end.
   * @throws SkepError `not-found` when the folder is of no backup, `content-invalid` when it cannot be read.
   */
  async read(): Promise<Backup | undefined> {
    const text = await this.#fs.readText(join(this.#root, manifestName));
    if (text === undefined) throw failure("not-found", "This folder holds no backup of a storage.");
    return parseManifest(text);
  }

  /**
   * Runs a function while no other process makes a backup into this folder, which is made if it is missing.
   * @throws SkepError `conflict` when it is not empty and holds no backup, `busy` when another backup is made.
   */
  async hold<T>(run: (lock: HeldLock) => Promise<T>): Promise<T> {
    await this.#requireOurs();
    await this.#fs.makeFolder(join(this.#root, locksFolder));
    return this.#locks.hold("backup", async (lock) => {
      if (!(await this.#requireOurs())) await this.#write(undefined, lock);
      for (const { remove } of await storageLeftovers(this.#fs, this.#root)) await remove();
      return run(lock);
    });
  }

  /** Whether there is a manifest. @throws SkepError `conflict` when there is none among other things. */
  async #requireOurs(): Promise<boolean> {
    const names = await this.#fs.list(this.#root);
    if (names.includes(manifestName)) return true;
    if (names.every((name) => name === locksFolder || isTemporary(name))) return false;
    throw failure("conflict", "The folder for the backup is not empty and holds no backup; give a new one.");
  }

  /** Copies the objects of a Hive's repository beside those that are there; see {@link copyObjects}. */
  async copyHive(slug: HiveSlug, from: string): Promise<ObjectCopy> {
    const to = this.folderOf(slug);
    if (!(await this.has(slug))) await this.#makeRepository(slug);
    for (const { remove } of await repositoryLeftovers(this.#fs, to)) await remove();
    return copyObjects(this.#fs, from, to);
  }

  /** Aside first, so that it is there as a whole or not at all. */
  async #makeRepository(slug: HiveSlug): Promise<void> {
    const aside = join(this.#root, "hives", `.new-${slug}`);
    await this.#fs.removeFolder(aside);
    await BareRepo.init(this.#fs, aside);
    await this.#fs.moveFolder(aside, this.folderOf(slug));
  }

  /** Whether there is a repository for a Hive. */
  has(slug: HiveSlug): Promise<boolean> {
    return this.#fs.isFolder(this.folderOf(slug));
  }

  /**
   * Whether everything that refs reach is there, given that all that other refs reach is. True without an installed
   * git, which is what looks.
   */
  async isWhole(slug: HiveSlug, refs: Refs, known: Refs = new Map()): Promise<boolean> {
    const lines = [...new Set(refs.values()), ...Array.from(new Set(known.values()), (oid) => `^${oid}`)];
    try {
      const args = ["rev-list", "--objects", "--quiet", "--stdin"];
      const output = await this.#streamGit(this.folderOf(slug), args, lines);
      // Quiet: it ends without a word, or with an error.
      await output?.[Symbol.asyncIterator]().next();
      return true;
    } catch {
      // What was known may be damaged here, and mended by now.
      return known.size > 0 && this.isWhole(slug, refs);
    }
  }

  /**
   * Makes a backup the folder's last whole one, if the caller still holds its lock; durable when it returns. Then lays
   * the folder out as the storage that it says.
   */
  async finish(backup: Backup, lock: HeldLock): Promise<void> {
    await this.#write(backup, lock);
    await this.layOut(backup);
  }

  #write(backup: Backup | undefined, lock: HeldLock): Promise<void> {
    return this.#fs.write(join(this.#root, manifestName), formatManifest(backup), () => lock.assertHeld());
  }

  /** Writes the settings and refs of a backup, and removes what is not of it. Objects are there already. */
  async layOut({ settings, hives }: Backup): Promise<void> {
    const fs = this.#fs;
    for (const [slug, refs] of hives)
      if (await this.has(slug)) await replaceRefs(fs, this.folderOf(slug), refs);
    for (const [path, text] of settings) {
      if ((await fs.readText(join(this.#root, path))) !== text) {
        await fs.makeFolder(dirname(join(this.#root, path)));
        await fs.write(join(this.#root, path), text);
      }
    }
    for (const folder of ["teams", "tokens", "mirrors"]) {
      for (const name of await fs.list(join(this.#root, folder))) {
        if (!settings.has(`${folder}/${name}`)) await fs.removeFile(join(this.#root, folder, name));
      }
    }
    const kept = new Set(Array.from(hives.keys(), (slug) => `${slug}.git`));
    for (const name of await fs.list(join(this.#root, "hives"))) {
      if (!kept.has(name)) await fs.removeFolder(join(this.#root, "hives", name));
    }
  }

  /** Removes what a copy found superfluous; only after {@link finish}, since the backup before may need it. */
  async prune(slug: HiveSlug, { superfluous }: ObjectCopy): Promise<void> {
    await removeObjects(this.#fs, this.folderOf(slug), superfluous);
  }
}
