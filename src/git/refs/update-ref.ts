/**
 * Moves a ref by one rename, under git's own lock `<ref>.lock`, and only if it is still what it was read as. This
 * protects it against every other writer, git included; the Hive's lock only saves work. The file that is renamed over
 * the ref is a separate one and never the lock file, so that whatever happens to the lock file cannot become the ref.
 */
import { dirname } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { RefLock } from "./ref-lock.ts";

export interface RefUpdate {
  /** What the ref was read as; undefined for a ref that does not exist yet. */
  readonly expected: Oid | undefined;
  readonly next: Oid;
  /** Makes all objects durable that the ref will reach. */
  readonly prepare: () => Promise<void>;
  /** Runs with the ref locked, just before it moves; if it throws, the ref stays as it was. */
  readonly assertLockHeld?: () => Promise<void>;
}

/** The file of a ref, and a function that reads the ref, loose or packed. */
export interface RefPlace {
  readonly path: string;
  readonly read: () => Oid | undefined;
  /** Runs as soon as the ref has changed, to invalidate caches. */
  readonly changed?: () => void;
}

/**
 * Moves or creates a ref, durably. The caller holds the Hive's lock.
 * @throws SkepError `head-moved` when the ref is not as expected, `busy` when git has it locked; nothing changed then.
 */
export async function updateRef(
  fs: DurableFs,
  { path, read, changed }: RefPlace,
  { expected, next, prepare, assertLockHeld }: RefUpdate,
): Promise<void> {
  const lock = new RefLock(fs, path);
  // 1. Everything slow is made durable in parallel, before the ref is locked.
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
    // 3. The last checks: of the caller's lock, of the ref's lock, and of the ref's value.
    await assertLockHeld?.();
    lock.assertHeld();
    if (read() !== expected) throw failure("head-moved", "The Hive was changed by another process.");
    // 4. The ref moves.
    await staged.replace();
    changed?.();
    // 5. The move is made durable, or reverted, as a failed update must not be visible. The ref is still locked.
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
