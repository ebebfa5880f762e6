/**
 * A folder that holds a backup. Its manifest `skep-backup.json` describes the last complete backup. It is replaced once
 * all objects are durable, and nothing that it needs is removed before, so a killed backup leaves the previous one
 * usable. Apart from the manifest, the folder is a complete storage.
 */
import { dirname, join } from "node:path";
import { z } from "zod";
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import type { StreamGit } from "../../git/process/git-stream.ts";
import { repositoryLeftovers } from "../../git/packs/leftovers.ts";
import { storageLeftovers } from "../../disk/leftovers.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { locksFolder, teamFolders } from "../../disk/storage-folder.ts";
import { copyObjects, removeObjects, type ObjectCopy } from "../../git/packs/object-copy.ts";
import { replaceRefs, type Refs } from "../../git/refs/refs.ts";
import { hiveSlug, oid, time } from "../../domain/hives/stored-fields.ts";

const manifestName = "skep-backup.json";
/** Long enough for the lock of a killed backup to become stale; a running backup is not waited for. */
const lockTimeoutMs = 5_000;

export class BackupFolder {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #streamGit: StreamGit;
  readonly #locks: Locks;

  constructor(fs: DurableFs, root: string, streamGit: StreamGit) {
    this.#fs = fs;
    this.#root = root;
    this.#streamGit = streamGit;
    this.#locks = new Locks(fs, join(root, locksFolder), { timeoutMs: lockTimeoutMs });
  }

  folderOf(slug: HiveSlug): string {
    return join(this.#root, "hives", `${slug}.git`);
  }

  /**
   * The last complete backup; undefined when none was completed.
   * @throws SkepError `not-found` when the folder holds no backup, `content-invalid` when it cannot be read.
   */
  async read(): Promise<Backup | undefined> {
    const text = await this.#fs.readText(join(this.#root, manifestName));
    if (text === undefined) throw failure("not-found", "This folder holds no backup of a storage.");
    return parseManifest(text);
  }

  /**
   * Runs a function while no other process makes a backup into this folder, which is created if it is missing.
   * @throws SkepError `conflict` when it is not empty and holds no backup, `busy` when another backup is under way.
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

  /** Whether there is a manifest. @throws SkepError `conflict` when there is none, and the folder is not empty. */
  async #requireOurs(): Promise<boolean> {
    const names = await this.#fs.list(this.#root);
    if (names.includes(manifestName)) return true;
    if (names.every((name) => name === locksFolder || isTemporary(name))) return false;
    throw failure("conflict", "The folder for the backup is not empty and holds no backup; give a new one.");
  }

  /** Copies the objects of a Hive's repository into the backup's; see {@link copyObjects}. */
  async copyHive(slug: HiveSlug, from: string): Promise<ObjectCopy> {
    const to = this.folderOf(slug);
    if (!(await this.has(slug))) await this.#makeRepository(slug);
    for (const { remove } of await repositoryLeftovers(this.#fs, to)) await remove();
    return copyObjects(this.#fs, from, to);
  }

  /** Creates a repository under a temporary name and moves it into place, so that it is never there incomplete. */
  async #makeRepository(slug: HiveSlug): Promise<void> {
    const aside = join(this.#root, "hives", `.new-${slug}`);
    await this.#fs.removeFolder(aside);
    await BareRepo.init(this.#fs, aside);
    await this.#fs.moveFolder(aside, this.folderOf(slug));
  }

  has(slug: HiveSlug): Promise<boolean> {
    return this.#fs.isFolder(this.folderOf(slug));
  }

  /**
   * Whether all objects that refs reach exist, given that all that `known` refs reach do. It is checked by git, and true
   * where git is not installed.
   */
  async isWhole(slug: HiveSlug, refs: Refs, known: Refs = new Map()): Promise<boolean> {
    const lines = [
      ...new Set(refs.values()),
      ...Array.from(new Set(known.values()), (commit) => `^${commit}`),
    ];
    try {
      const args = ["rev-list", "--objects", "--quiet", "--stdin"];
      const output = await this.#streamGit(this.folderOf(slug), args, lines);
      // With --quiet, git prints nothing and only fails when an object is missing.
      await output?.[Symbol.asyncIterator]().next();
      return true;
    } catch {
      // The objects of the known refs may have been damaged and repaired.
      return known.size > 0 && this.isWhole(slug, refs);
    }
  }

  /**
   * Makes a backup the last complete one of the folder, durably, if the caller still holds its lock. Then writes its
   * settings and refs.
   */
  async finish(backup: Backup, lock: HeldLock): Promise<void> {
    await this.#write(backup, lock);
    await this.layOut(backup);
  }

  #write(backup: Backup | undefined, lock: HeldLock): Promise<void> {
    return this.#fs.write(join(this.#root, manifestName), formatManifest(backup), lock);
  }

  /** Writes the settings and refs of a backup, whose objects are there already, and removes all other files. */
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
    for (const folder of teamFolders) {
      for (const name of await fs.list(join(this.#root, folder))) {
        if (!settings.has(`${folder}/${name}`)) await fs.removeFile(join(this.#root, folder, name));
      }
    }
    const kept = new Set(Array.from(hives.keys(), (slug) => `${slug}.git`));
    for (const name of await fs.list(join(this.#root, "hives"))) {
      if (!kept.has(name)) await fs.removeFolder(join(this.#root, "hives", name));
    }
  }

  /** Removes superfluous objects after a copy; only after {@link finish}, since the previous backup may need them. */
  async prune(slug: HiveSlug, { superfluous }: ObjectCopy): Promise<void> {
    await removeObjects(this.#fs, this.folderOf(slug), superfluous);
  }
}

/** A storage at one time, without its objects. */
export interface Backup {
  /** When the backup was begun, as ISO 8601: it contains everything that was acknowledged before. */
  readonly time: string;
  /** The files of teams, tokens, persons, mirrors, channels, webhooks and engines, by their paths in the storage. */
  readonly settings: ReadonlyMap<string, string>;
  readonly hives: ReadonlyMap<HiveSlug, Refs>;
}

const format = 1;
const settingsPath = z
  .string()
  .regex(/^(?:teams|tokens|people|mirrors|channels|webhooks|engines)\/[A-Za-z0-9][A-Za-z0-9.-]*\.yaml$/);
// What git accepts in ASCII, and anything beyond. Nothing else may become a line of `packed-refs`.
const refName = z.string().regex(/^refs\/(?:(?![~^:?*[\\])[!-}]|\P{ASCII})+$/u);

const manifest = z.object({
  format: z.literal(format),
  /** Null until the first backup into this folder is complete. */
  backup: z
    .object({
      time,
      settings: z.array(z.tuple([settingsPath, z.string()])),
      hives: z.array(z.tuple([hiveSlug, z.array(z.tuple([refName, oid]))])),
    })
    .nullable(),
});

/** @throws SkepError `content-invalid` when it is not a manifest, or one of a later version. */
function parseManifest(text: string): Backup | undefined {
  try {
    const { backup } = manifest.parse(JSON.parse(text));
    if (backup === null) return undefined;
    return {
      time: backup.time,
      settings: new Map(backup.settings),
      hives: new Map(backup.hives.map(([name, refs]) => [name, new Map(refs)])),
    };
  } catch (cause) {
    throw failure("content-invalid", "This backup cannot be read by this version of Skep.", { cause });
  }
}

/** @param backup undefined while there is none. */
function formatManifest(backup: Backup | undefined): string {
  const content = backup && {
    time: backup.time,
    settings: [...backup.settings],
    hives: Array.from(backup.hives, ([name, refs]) => [name, [...refs]]),
  };
  // An unreadable manifest must not replace a readable one.
  return `${JSON.stringify(manifest.parse({ format, backup: content ?? null }), null, 1)}\n`;
}

/** In the order in which they are moved. */
const contents = ["hives", ...teamFolders.toReversed()];

export class Restoration {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #root: string;

  constructor(fs: DurableFs, locks: Locks, root: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#root = root;
  }

  /** The folder that everything is written to first. */
  get aside(): string {
    return join(this.#root, "restoring");
  }

  /**
   * Fills the storage with what a function writes to {@link aside}. If that returns false, the storage stays empty.
   * @throws SkepError `conflict` when the storage is not empty; what the function throws.
   */
  async fill(layOut: () => Promise<boolean>): Promise<boolean> {
    await this.#fs.makeFolder(join(this.#root, locksFolder));
    return this.#locks.hold("restore", async (lock) => {
      await this.#clear();
      try {
        if (!(await layOut())) return false;
        await lock.assertHeld();
        for (const name of contents) {
          const from = join(this.aside, name);
          if (await this.#fs.isFolder(from)) await this.#fs.moveFolder(from, join(this.#root, name));
        }
        return true;
      } finally {
        await this.#fs.removeFolder(this.aside);
      }
    });
  }

  /**
   * Removes an unfinished restoration. All content beside it is its own, because it began in an empty storage and has
   * no team yet.
   */
  async #clear(): Promise<void> {
    const fs = this.#fs;
    const isUnfinished =
      (await fs.isFolder(this.aside)) && (await fs.list(join(this.#root, "teams"))).length === 0;
    for (const name of [...contents, "trash"]) {
      const folder = join(this.#root, name);
      if ((await fs.list(folder)).length === 0) continue;
      if (!isUnfinished || name === "trash") {
        throw failure("conflict", `The storage is not empty: it has ${name}. Restore into a new one.`);
      }
      await fs.removeFolder(folder);
    }
    await fs.removeFolder(this.aside);
  }
}
