/**
 * Moves a ref by one rename, under git's own lock of it, `<ref>.lock`, and only from where it was read. That is the
 * guard that holds against every other writer, git included; the lock above it only saves work. What is renamed over
 * the ref is a file of ours, never the lock: whatever happens to that name, nobody else's content becomes the ref.
 */
import { dirname } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import type { DurableFs, StagedFile } from "../../disk/durable-fs.ts";
import { RefLock } from "./ref-lock.ts";

/** What stands between an object and the ref. */
export interface RefMove {
  /** What the ref was read as; undefined for one that is not there yet. */
  readonly expected: Oid | undefined;
  readonly next: Oid;
  /** Makes everything durable that the ref will reach. */
  readonly prepare: () => Promise<void>;
  /** Runs last, with the ref locked; what it throws leaves the ref as it was. */
  readonly confirm?: () => Promise<void>;
}

/** A ref as a file, and what it is at now, wherever git keeps it. */
export interface RefPlace {
  readonly path: string;
  readonly read: () => Oid | undefined;
  /** Runs as soon as the ref is elsewhere, for those who remember it. */
  readonly moved?: () => void;
}

/**
 * Moves a ref; durable when it returns. The caller holds the Hive's lock.
 * @throws SkepError `head-moved` when it is elsewhere by now, `busy` when git has it locked; nothing changed then.
 */
export async function moveRef(
  fs: DurableFs,
  place: RefPlace,
  { expected, next, prepare, confirm }: RefMove,
): Promise<void> {
  const lock = new RefLock(fs, place.path);
  const staging = fs.stage(place.path, `${next}\n`);
  const ready = await Promise.allSettled([lock.stage(), prepare(), staging]);
  const discard = async (): Promise<void> => {
    await lock.discard();
    await staging.then(
      (staged) => staged.discard(),
      () => {},
    );
  };
  try {
    const failed = ready.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    await lock.acquire();
  } catch (error) {
    await discard();
    throw error;
  }
  try {
    await replace(fs, place, await staging, expected, async () => {
      await confirm?.();
      lock.assertHeld();
    });
  } finally {
    await lock.release();
  }
}

async function replace(
  fs: DurableFs,
  { path, read, moved }: RefPlace,
  staged: StagedFile,
  expected: Oid | undefined,
  confirm: () => Promise<void>,
): Promise<void> {
  try {
    await confirm();
    if (read() !== expected) throw failure("head-moved", "The Hive was changed by somebody else.");
  } catch (error) {
    await staged.discard();
    throw error;
  }
  await staged.replace();
  moved?.();
  try {
    await fs.syncFolder(dirname(path));
  } catch (error) {
    // It must not be there when its caller is told that it failed; the ref is still locked, so nobody moved it on.
    await (expected === undefined ? fs.removeFile(path) : fs.write(path, `${expected}\n`));
    throw error;
  }
}
