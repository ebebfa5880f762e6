/** The key that signs the console's sessions: one for all servers of a storage, made when it is first needed. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { WatchedFile } from "../../disk/watched-file.ts";
import type { Documents } from "../record/record.ts";

const path = "session-key";
const keyBytes = 32;
const keyText = /^[0-9a-f]{64}\n$/;

/**
 * The key lies beside the settings and is no part of a backup: what is restored begins without sessions. Removing the
 * file ends all sessions of the storage.
 */
export class SessionKey {
  readonly #documents: Documents;
  readonly #locks: Locks;
  readonly #file: WatchedFile;

  constructor(fs: DurableFs, locks: Locks, folder: string, documents: Documents) {
    this.#documents = documents;
    this.#locks = locks;
    this.#file = new WatchedFile(fs.disk, join(folder, path));
  }

  /** The key as it is now; undefined when there is none, so that there can be no session either. */
  read(): Buffer | undefined {
    const text = this.#file.read();
    return text !== undefined && keyText.test(text) ? Buffer.from(text.trim(), "hex") : undefined;
  }

  /** The key, made if there is none or the file holds something else. @throws SkepError `disk-full`, `storage-missing`. */
  async readOrCreate(): Promise<Buffer> {
    return (
      this.read() ??
      this.#locks.hold("sessions", async (lock) => {
        const present = this.read();
        if (present !== undefined) return present;
        const key = randomBytes(keyBytes);
        await this.#documents.put(path, `${key.toString("hex")}\n`, lock);
        return key;
      })
    );
  }
}
