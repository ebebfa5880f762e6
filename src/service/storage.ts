/** A storage folder, opened: what every operation works on. */
import { join, resolve } from "node:path";
import type { Disk } from "../store/disk.ts";
import { DurableFs } from "../store/durable-fs.ts";
import { HiveStore } from "../store/hive-store.ts";
import type { HeldLock } from "../store/lock-file.ts";
import { Locks, type LockOptions } from "../store/lock.ts";
import { Registry } from "../store/registry.ts";
import type { TeamName } from "../domain/names.ts";

export interface Storage {
  readonly registry: Registry;
  readonly hives: HiveStore;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** Holds a team's lock while a function runs; a Hive's lock is taken inside it, never around it. */
  readonly lockTeam: <T>(team: TeamName, run: (lock: HeldLock) => Promise<T>) => Promise<T>;
}

export interface StorageOptions {
  /** The folder; made when something is first written to it. */
  readonly folder: string;
  readonly disk: Disk;
  /** Defaults to the clock. */
  readonly now?: () => number;
  readonly locks?: LockOptions;
}

/** Opens a storage folder. Nothing is read before it is asked for. */
export function openStorage({ folder, disk, now = Date.now, locks: lockOptions }: StorageOptions): Storage {
  const root = resolve(folder);
  const fs = new DurableFs(disk);
  const locks = new Locks(fs, join(root, "locks"), lockOptions);
  return {
    registry: new Registry(fs, root),
    hives: new HiveStore({ fs, locks, folder: join(root, "hives"), now }),
    now,
    lockTeam: (team, run) => locks.hold(`team-${team}`, run),
  };
}
