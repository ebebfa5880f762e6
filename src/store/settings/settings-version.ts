/**
 * The file `settings-version`, which every change of a team, a token or a channel replaces: a server checks this one file
 * to know whether what it read of them still holds. It also says in which format all settings files are at least.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isSystemError, readTextNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { copyFile, isStorage, locksFolder } from "../../disk/storage-folder.ts";
import { WatchedFile } from "../../disk/watched-file.ts";
import { failure } from "../../domain/errors.ts";
import { settingsFormat } from "./stored-settings.ts";

/** The prefix of the version while a setting is being changed. */
const changing = "changing ";
/** The end of the version. Versions of Skep from before the first format leave it out. */
const formatMark = / format (\d+)\n$/;

export class SettingsVersion {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #folder: string;
  readonly #path: string;
  readonly #file: WatchedFile;
  /** Whether {@link recent} is ending an interrupted change. */
  #isEnding = false;

  constructor(fs: DurableFs, locks: Locks, folder: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#folder = folder;
    this.#path = join(folder, "settings-version");
    this.#file = new WatchedFile(fs.disk, this.#path);
  }

  /** Whether the folder is a storage; asking never makes it one. */
  exists(): boolean {
    return isStorage(this.#fs, this.#folder);
  }

  /** Makes the folder a storage. @returns false when it was one already. */
  async create(): Promise<boolean> {
    if (this.exists()) return false;
    await this.#fs.makeFolder(join(this.#folder, locksFolder));
    return this.hold(async () => {
      if (this.exists()) return false;
      await this.renew(settingsFormat);
      return true;
    });
  }

  /** The number of the format that all settings files have at least; 0 when an earlier version of Skep wrote some. */
  get format(): number {
    return Number(formatMark.exec(this.#file.read() ?? "")?.[1] ?? 0);
  }

  /**
   * @throws SkepError `conflict` when a later version of Skep wrote the settings, or a database or another storage has
   * newer ones, and `not-found` when the storage cannot be a folder.
   */
  requireUsable(): void {
    const { format } = this.#readable();
    if (format > settingsFormat) {
      const known = `this version reads up to ${settingsFormat}`;
      const problem = `A later version of Skep wrote the storage in ${this.#folder}: its settings have format ${format}, ${known}.`;
      throw failure("conflict", problem);
    }
    if (readTextNow(this.#fs.disk, join(this.#folder, copyFile)) !== undefined) {
      const advice = "use --database; to have it in a folder: skep database export";
      throw failure("conflict", `The storage in ${this.#folder} is the copy of a database: ${advice}`);
    }
    // Earlier versions had followers, which copied a storage to other machines.
    const path = join(this.#folder, "replication.yaml");
    const [, role, value] =
      /^(follows|superseded_by): *(.+)$/m.exec(readTextNow(this.#fs.disk, path) ?? "") ?? [];
    if (role === undefined) return;
    const problem =
      role === "follows"
        ? `The storage in ${this.#folder} is a follower's copy of the one at ${value}, and this version has no followers`
        : `Another server took over from the storage in ${this.#folder}, and may have newer texts`;
    throw failure("conflict", `${problem}. Remove its replication.yaml to use it as a storage of its own.`);
  }

  #readable(): this {
    try {
      this.#file.read();
    } catch (error) {
      if (!isSystemError(error, "ENOTDIR")) throw error;
      throw failure("not-found", `${this.#folder} is a file or within one: the storage must be a folder.`);
    }
    return this;
  }

  /**
   * The version: what was read under it holds as long as it stays the same. It is checked once per tick of the event loop,
   * and undefined while a setting is being changed.
   */
  recent(): string | undefined {
    const version = this.#file.recent();
    if (!isChanging(version)) return version;
    // The process that began the change may have been killed; nothing else would end the change then.
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.endInterruptedChange()
        .catch(() => undefined)
        .finally(() => (this.#isEnding = false));
    }
    return undefined;
  }

  /** As {@link recent}, but checked with each call, and no change is ended. Empty where there never was a change. */
  current(): string | undefined {
    const version = this.#file.read() ?? "";
    return isChanging(version) ? undefined : version;
  }

  /** Whether a change of a setting was interrupted. A change that is under way is waited for. */
  async hasInterruptedChange(): Promise<boolean> {
    return this.current() === undefined && this.hold(async () => this.current() === undefined);
  }

  /**
   * Ends an interrupted change of a setting: each file is either as it was before or as it is after the change, and may
   * be cached again. Every change is made under the lock, so holding it means that no change is under way.
   */
  async endInterruptedChange(): Promise<void> {
    if (this.current() !== undefined) return;
    await this.hold(async () => {
      if (this.current() === undefined) await this.renew();
    });
  }

  /** Runs a function under the lock that every change is made under. */
  hold<T>(run: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#locks.hold("settings", run);
  }

  /** Tells that a change begins: nothing is kept that is read now. The caller holds the lock. */
  begin(): Promise<void> {
    return this.#fs.write(this.#path, changing + newVersion(this.format));
  }

  /** Tells that a change is over. The caller holds the lock. @returns the new version. */
  async renew(format = this.format): Promise<string> {
    const version = newVersion(format);
    await this.#fs.write(this.#path, version);
    this.#file.invalidate();
    return version;
  }
}

function isChanging(version: string | undefined): boolean {
  return version?.startsWith(changing) === true;
}

/** The text of the file after a change, which no earlier one was. */
export function newVersion(format: number): string {
  return `${randomBytes(16).toString("hex")} format ${format}\n`;
}
