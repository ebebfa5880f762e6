/**
 * Moves a ref by one rename, under git's own lock `<ref>.lock`, and only if it is still what it was read as. This
 * protects it against every other writer, git included; the Hive's lock only saves work. The file that is renamed over
 * the ref is a separate one and never the lock file, so that whatever happens to the lock file cannot become the ref.
 */
import { dirname } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { packedRefsPath, parsePackedRefs, withoutPackedRef } from "./ref-files.ts";
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
export interface RefFile {
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
  { path, read, changed }: RefFile,
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

/** The deletion of a ref. */
export interface RefDeletion extends Pick<RefUpdate, "assertLockHeld"> {
  /** What the ref was read as. */
  readonly expected: Oid;
}

/**
 * Deletes a ref, durably: from the packed refs first, so that a crash in between leaves it as it was.
 * @param place has its full name too, such as `refs/heads/feature`. The caller holds the Hive's lock.
 * @throws SkepError `head-moved` when the ref is not as expected, `busy` when git has a lock; the ref is still there then.
 */
export async function deleteRef(
  fs: DurableFs,
  gitdir: string,
  { path, name, read, changed }: RefFile & { readonly name: string },
  { expected, assertLockHeld }: RefDeletion,
): Promise<void> {
  await locked(fs, path, async (lock) => {
    await assertLockHeld?.();
    lock.assertHeld();
    if (read() !== expected) throw failure("head-moved", "The Hive was changed by another process.");
    try {
      await deletePacked(fs, gitdir, name);
      await fs.removeFile(path);
      changed?.();
      await fs.syncFolder(dirname(path));
    } catch (error) {
      // A failed deletion must not be visible.
      if (read() === undefined) await fs.write(path, `${expected}\n`);
      throw error;
    }
  });
}

async function deletePacked(fs: DurableFs, gitdir: string, name: string): Promise<void> {
  const path = packedRefsPath(gitdir);
  const isPacked = async (): Promise<boolean> => parsePackedRefs((await fs.readText(path)) ?? "").has(name);
  if (!(await isPacked())) return;
  await locked(fs, path, async (lock) => {
    const text = withoutPackedRef((await fs.readText(path)) ?? "", name);
    lock.assertHeld();
    await fs.write(path, text);
  });
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
