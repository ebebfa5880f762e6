/** The states of jobs in the folder, such as what a webhook has received. Other servers' states come a second later. */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { fileOf } from "./copied-settings.ts";
import type { Database } from "./database.ts";
import { assertHeldIn } from "./jobs.ts";

/** A change becomes visible when its transaction ends: each query looks back for longer than any transaction takes. */
const overlapSeconds = 30;
/** After so long, all states are read: the database tells of removed states for an hour only. */
const fullAfterMs = 30 * 60_000;
const stateFolders = ["mirrors", "webhooks"] as const;

export class CopiedStates {
  readonly #parts: { readonly fs: DurableFs; readonly root: string; readonly database: Database };
  /** The versions of the files, so that unchanged ones are not written again. */
  readonly #known = new Map<string, string>();
  readonly #writing = new Semaphore(1);
  /** When the states were last refreshed, on the monotonic clock. */
  #refreshed: number | undefined;

  constructor(parts: { readonly fs: DurableFs; readonly root: string; readonly database: Database }) {
    this.#parts = parts;
  }

  /** See {@link Documents.putState}. */
  put(path: string, text: string | undefined, lock: HeldLock): Promise<void> {
    const version = randomUUID();
    return this.#writing.run(async () => {
      await this.#parts.database.transaction(async (sql) => {
        await sql`
          INSERT INTO state VALUES (${path}, ${version}, ${text ?? null}, clock_timestamp())
          ON CONFLICT (path) DO UPDATE
            SET version = excluded.version, text = excluded.text, changed = excluded.changed`;
        await assertHeldIn(sql, lock);
      });
      await this.#write(path, version, text ?? null);
    });
  }

  /** Takes over what was changed since the last time; all states at first, and after a long time. */
  refresh(): Promise<void> {
    return this.#writing.run(async () => {
      const now = performance.now();
      const age = now - (this.#refreshed ?? -Infinity);
      const isFull = age > fullAfterMs;
      const seconds = isFull ? 0 : age / 1_000 + overlapSeconds;
      const rows = await this.#parts.database.query(
        (sql) => sql<{ path: string; version: string; text: string | null }[]>`
          SELECT path, version, text FROM state
          WHERE ${isFull} OR changed > clock_timestamp() - ${seconds} * INTERVAL '1 second'`,
      );
      for (const { path, version, text } of rows) {
        if (this.#known.get(path) !== version) await this.#write(path, version, text);
      }
      if (isFull) await this.#removeOthers(new Set(rows.map(({ path }) => path)));
      this.#refreshed = now;
    });
  }

  /** Removes the states that the record does not have any more. */
  async #removeOthers(present: ReadonlySet<string>): Promise<void> {
    const { fs, root } = this.#parts;
    for (const folder of stateFolders) {
      for (const name of await fs.list(join(root, folder))) {
        const path = `${folder}/${name}`;
        if (!name.endsWith(".state.yaml") || present.has(path)) continue;
        await fs.removeFile(join(root, path));
        this.#known.delete(path);
      }
    }
  }

  async #write(path: string, version: string, text: string | null): Promise<void> {
    const { fs, root } = this.#parts;
    const file = fileOf(root, path);
    await fs.makeFolder(dirname(file));
    if (text === null) await fs.removeFile(file);
    else await fs.writeCache(file, text);
    this.#known.set(path, version);
  }
}
