/** The folders that one command on a database works in. */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openDatabase,
  openUnsynced,
  type DatabaseOptions,
  type DatabaseStorageOptions,
} from "../../service/database.ts";
import type { Storage } from "../../service/storage.ts";
import { atEnd } from "./output.ts";
import { endSignals } from "./signals.ts";

const settledAfterMs = 50;

/** Removes a folder that operations in progress, or a git that has not ended, may make again. */
function removeForGood(folder: string): void {
  const timer = new Int32Array(new SharedArrayBuffer(4));
  for (let attempts = 0; attempts < 20; attempts++) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Something was written to it meanwhile.
    }
    Atomics.wait(timer, 0, 0, settledAfterMs);
    if (!existsSync(folder)) return;
  }
}

/**
 * Makes a folder in the system's folder for temporary files. It is removed when the command or the process ends.
 * @param close runs before that at the end of the command.
 */
function makeTemporaryFolder(close: () => Promise<unknown>): string {
  const folder = join(tmpdir(), `skep-copy-${randomUUID()}`);
  const remove = (): void => removeForGood(folder);
  // Before the folder is made, so that no signal can leave it behind.
  process.once("exit", remove);
  const end = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of endSignals) process.once(signal, end);
  mkdirSync(folder, { mode: 0o700 });
  atEnd(async () => {
    await close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.off("exit", remove);
    for (const signal of endSignals) process.off(signal, end);
  });
  return folder;
}

/**
 * Opens a database with a temporary copy, which is removed when the command or the process ends.
 * @throws as {@link openDatabase}.
 */
export async function openTemporaryCopy(
  database: DatabaseOptions,
  options?: DatabaseStorageOptions,
): Promise<Storage> {
  const folder = makeTemporaryFolder(() => opening.then(({ record }) => record.close()));
  const opening = openDatabase(folder, database, options);
  const storage = await opening;
  await storage.record.refresh("all");
  return storage;
}

/** Opens an empty storage in a temporary folder, which is removed when the command or the process ends. */
export function openTemporaryStorage(): Storage {
  return openUnsynced(makeTemporaryFolder(() => Promise.resolve()));
}
