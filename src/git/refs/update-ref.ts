/**
 * Moves a ref by one rename, under git's own lock of it, `<ref>.lock`, and only from where it was read. That is the
 * guard that holds against every other writer, git included; the lock above it only saves work. What is renamed over
 * the ref is a file of ours, never the lock: whatever happens to that name, only our content becomes the ref.
 */
import { dirname } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { RefLock } from "./ref-lock.ts";

export interface RefUpdate {
  /** What the ref was read as; undefined for one that is not there yet. */
  readonly expected: Oid | undefined;
  readonly next: Oid;
  /** Makes everything durable that the ref will reach. */
  readonly prepare: () => Promise<void>;
  /** Runs with the ref locked, just before it moves; what it throws leaves the ref as it was. */
  readonly assertLockHeld?: () => Promise<void>;
}

/** A ref as a file, and what it is at now, wherever git keeps it. */
export interface RefPlace {
  readonly path: string;
  readonly read: () => Oid | undefined;
  /** Runs as soon as the ref has changed, for those who remember it. */
  readonly changed?: () => void;
}

/**
 * Moves a ref, or makes one; durable when it returns. The caller holds the Hive's lock.
 * @throws SkepError `head-moved` when it is elsewhere by now, `busy` when git has it locked; nothing changed then.
 */
export async function updateRef(
  fs: DurableFs,
  { path, read, changed }: RefPlace,
  { expected, next, prepare, assertLockHeld }: RefUpdate,
): Promise<void> {
  const lock = new RefLock(fs, path);
  // 1. What takes long is made durable side by side, before the ref is locked.
  const [staging, locking, preparing] = await Promise.allSettled([
    fs.stage(path, `${next}\n`),
    lock.stage(),
    prepare(),
  ]);
  try {
    valueOf(locking);
    valueOf(preparing);
    const staged = valueOf(staging);
    // 2. No other writer can move the ref from here on.
    await lock.acquire();
    // 3. The last checks: by the caller, of the lock, and of where the ref is.
    await assertLockHeld?.();
    lock.assertHeld();
    if (read() !== expected) throw failure("head-moved", "The Hive was changed by another process.");
    // 4. The ref moves.
    await staged.replace();
    changed?.();
    // 5. The move is made durable, or taken back: an update that fails must not be seen. The ref is still locked.
    try {
      await fs.syncFolder(dirname(path));
    } catch (error) {
      await (expected === undefined ? fs.removeFile(path) : fs.write(path, `${expected}\n`));
      throw error;
    }
  } finally {
    if (staging.status === "fulfilled") await staging.value.discard();
    await lock.release();
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}
