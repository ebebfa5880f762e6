/**
 * The file `replication.yaml`: which storages are copies of one another, and which of them may be written to. A storage
 * without it never had a follower.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { SkepError } from "../../domain/errors.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { locksFolder } from "../../disk/storage-folder.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { positive } from "../settings/fields.ts";
import { storedForm } from "../settings/stored-settings.ts";

export interface Replication {
  /** The same in all copies of one storage. */
  readonly id: string;
  /** How often a copy was promoted; a follower has its primary's number. */
  readonly generation: number;
  /** The address of the primary, in a follower's storage. */
  readonly follows?: string;
  /** The generation of a server that took over from this one. */
  readonly supersededBy?: number;
}

/** The form of the file. */
export const replicationForm = storedForm(
  "replication",
  z
    .strictObject({
      id: z.string().regex(/^[0-9a-f]{32}$/),
      generation: positive,
      follows: z.url().optional(),
      superseded_by: positive.optional(),
    })
    .transform(({ superseded_by: supersededBy, ...rest }): Replication => ({ ...rest, supersededBy })),
  ({ id, generation, follows, supersededBy }: Replication) => {
    return { id, generation, follows, superseded_by: supersededBy };
  },
);

const retryAfter = 30;

function readOnly(why: string): SkepError {
  return new SkepError("busy", why, { retryAfter }, { publicCode: "read_only" });
}

export class ReplicationState {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  /** Waits no longer than it takes until the lock of a killed process does not count any more. */
  readonly #following: Locks;
  readonly #path: string;
  readonly #file: ParsedFile<Replication>;

  constructor(fs: DurableFs, locks: Locks, folder: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#following = new Locks(fs, join(folder, locksFolder), { timeoutMs: 5_000 });
    this.#path = join(folder, "replication.yaml");
    this.#file = new ParsedFile(fs.disk, this.#path, replicationForm.parse);
  }

  /** What the file says now; undefined when there is none. @throws SkepError `content-invalid`. */
  read(): Replication | undefined {
    return this.#file.read();
  }

  /** The generation of a server that took over, checked once per tick of the event loop; undefined if that cannot be read. */
  recentSupersededBy(): number | undefined {
    try {
      return this.#file.recent()?.supersededBy;
    } catch {
      return undefined;
    }
  }

  /** Whether this is a follower's storage, or another server took over: who writes tells others of what is new. */
  isCopyOrSuperseded(): boolean {
    const { follows, supersededBy } = this.read() ?? {};
    return follows !== undefined || supersededBy !== undefined;
  }

  /** @throws SkepError `busy` (`read_only`) when this is a follower's storage, or another server took over. */
  assertWritable(): void {
    const state = this.read();
    if (state === undefined) return;
    if (state.follows !== undefined) {
      throw readOnly(
        `Nothing can be changed here: this storage is a copy of the one at ${state.follows}. To make changes here, stop its server and promote it: skep promote`,
      );
    }
    if (state.supersededBy !== undefined) {
      throw readOnly(
        `Nothing can be changed here: another server took over from this one (generation ${state.supersededBy}).`,
      );
    }
  }

  /** What the file says, which is made if there is none. */
  async readOrCreate(): Promise<Replication> {
    return this.read() ?? this.change((before) => before ?? newReplication());
  }

  /** Replaces the file by what a function makes of it. @throws what the function throws; SkepError `busy`, `disk-full`. */
  change(update: (before: Replication | undefined) => Replication): Promise<Replication> {
    return this.#locks.hold("replication", async (lock) => {
      const before = this.read();
      const after = update(before);
      if (after !== before) {
        await this.#fs.write(this.#path, replicationForm.format(after), lock);
        this.#file.invalidate();
      }
      return after;
    });
  }

  /**
   * Runs a function while no other process follows with this storage, or promotes it.
   * @throws SkepError `busy` when another process does so.
   */
  hold<T>(run: (assertHeld: () => Promise<void>) => Promise<T>): Promise<T> {
    return this.#following.hold("follow", (lock) => run(() => lock.assertHeld()));
  }
}

function newReplication(): Replication {
  return { id: randomBytes(16).toString("hex"), generation: 1 };
}
