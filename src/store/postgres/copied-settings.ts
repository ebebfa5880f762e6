/** The settings in the folder: a copy of the documents in a database, with the number of the last change that it has. */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { z } from "zod";
import { statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock, LockScope } from "../../disk/held-lock.ts";
import { systemStart } from "../../disk/host-claim.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { copyFile, settingsFolders } from "../../disk/storage-folder.ts";
import { failure, SkepError } from "../../domain/errors.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import type { SwappedTexts } from "../record/record.ts";
import { SettingsVersion } from "../settings/settings-version.ts";
import type { Database } from "./database.ts";
import { assertHeldIn } from "./jobs.ts";
import type { Sql } from "./session.ts";
import { haveChanged, renewVersion, SettingsChanges } from "./preconditions.ts";

const stateForm = z.strictObject({
  incarnation: z.uuid(),
  /** Identifies the system's start: a restart may lose parts of a copy, which is written without fsync. */
  boot: z.string(),
  /** See {@link SeenHistory}. */
  history: z.strictObject({ system: z.string(), timeline: z.int() }).optional(),
  version: z.string(),
  serial: z.int(),
});
/** What the folder is a copy of, and which change of the settings it has. */
export type CopyOfSettings = z.output<typeof stateForm>;

/** The change of the settings that a copy without settings has. */
export const noSettings = { version: "00000000-0000-0000-0000-000000000000", serial: -1 };

const sessionKey = "session-key";

/** A document as the record has it; null for one that was removed. */
export interface ChangedDocument {
  readonly path: string;
  readonly text: string | null;
  readonly serial: number;
}

/**
 * Reads of which database a folder is a copy; undefined where there is no copy. One with another {@link bootId} is from
 * before a restart of the system.
 */
export async function readCopy(fs: DurableFs, root: string): Promise<CopyOfSettings | undefined> {
  const text = await fs.readText(join(root, copyFile));
  const { data } = stateForm.safeParse(text === undefined ? undefined : jsonOrUndefined(text));
  return data;
}

/** Notes of which database a folder is a copy. */
export function writeCopy(fs: DurableFs, root: string, state: CopyOfSettings): Promise<void> {
  return fs.writeCache(join(root, copyFile), JSON.stringify(state));
}

/** Identifies the start of the system. Where that is not known, it is random, and no copy by an earlier process is used. */
export function bootId(): string {
  return systemStart() ?? randomUUID();
}

interface SettingsParts {
  readonly fs: DurableFs;
  readonly root: string;
  readonly locks: Locks;
  readonly database: Database;
}

/**
 * The file of a path in the storage.
 * @throws SkepError `content-invalid` for a path outside: a writer of the database may not write to the whole disk.
 */
export function fileOf(root: string, path: string): string {
  const file = join(root, path);
  if (file.startsWith(join(root, "/"))) return file;
  throw failure("content-invalid", `The database holds something at ${path}.`);
}

/** Reads the documents that were changed after a change of the settings. */
export async function readDocuments(
  database: Database,
  since: number,
): Promise<{
  readonly settings: Pick<CopyOfSettings, "version" | "serial">;
  readonly documents: readonly ChangedDocument[];
}> {
  const rows = await database.query(
    (sql) => sql<
      { version: string; meta: number; path: string | null; text: string | null; serial: number }[]
    >`
      SELECT m.access_version AS version, m.access_serial::float8 AS meta, d.path, d.text, d.serial::float8 AS serial
      FROM meta m LEFT JOIN document d ON d.serial > ${since}`,
  );
  const [first] = rows;
  if (first === undefined) throw failure("storage-missing", "The database has lost its table meta.");
  const documents = rows.flatMap(({ path, text, serial }) => (path === null ? [] : [{ path, text, serial }]));
  return { settings: { version: first.version, serial: first.meta }, documents };
}

/** A document has another text than the one that is to be replaced. */
class AnotherText extends Error {}

export class CopiedSettings {
  readonly #fs: DurableFs;
  readonly #root: string;
  readonly #database: Database;
  readonly #settings: SettingsVersion;
  /** Serialises changes by this server with changes that it takes over, so that the folder has each change as a whole. */
  readonly #writing = new Semaphore(1);
  #state: CopyOfSettings;
  /** What the folder has of the settings, by the names in it. */
  readonly #names: Set<string>;
  readonly #changes = new SettingsChanges();

  constructor({ fs, root, locks, database }: SettingsParts, state: CopyOfSettings) {
    this.#fs = fs;
    this.#root = root;
    this.#database = database;
    this.#settings = new SettingsVersion(fs, locks, root);
    this.#state = state;
    this.#names = new Set([copyFile, sessionKey, ...settingsFolders].filter((name) => this.#has(name)));
  }

  #has(name: string): boolean {
    return statNow(this.#fs.disk, join(this.#root, name)) !== undefined;
  }

  /**
   * Looks on the disk for parts of the settings that were removed from the folder; then all are brought again.
   * @returns what the folder is a copy of.
   */
  lookForRemovedFolders(): CopyOfSettings {
    const missing = [...this.#names].filter((name) => !this.#has(name));
    for (const name of missing) this.#names.delete(name);
    if (missing.length > 0) this.#state = { ...this.#state, ...noSettings };
    return this.#state;
  }

  /** See {@link StorageRecord.version}. */
  versionOf(scope?: LockScope): string {
    return this.#changes.versionOf(scope);
  }

  /** Notes a newer history of the database, after which all settings are brought anew. */
  sawHistory(history: CopyOfSettings["history"]): void {
    this.#state = { ...this.#state, history, ...noSettings };
  }

  /** Changes a document in the database, and then in the folder; see {@link Documents.put}. */
  async put(path: string, text: string | undefined, lock: HeldLock): Promise<void> {
    await this.#writing.run(async () => {
      const { version: expected } = await this.heldState(lock);
      const version = randomUUID();
      const serial = await this.#database.transaction(async (sql) => {
        const changed = await renewVersion(sql, expected, version);
        if (changed === undefined) return undefined;
        await sql`
          INSERT INTO document VALUES (${path}, ${changed}, ${text ?? null})
          ON CONFLICT (path) DO UPDATE SET serial = excluded.serial, text = excluded.text`;
        await assertHeldIn(sql, lock);
        return changed;
      });
      if (serial === undefined) throw await this.lost(lock);
      try {
        await this.#made(path, text, { version, serial });
      } finally {
        lock.advance(() => this.#changes.add([path]));
      }
    });
  }

  /** Changes a document by which no lock is lost; see {@link Documents.swap}. */
  async swap(path: string, { before, after }: SwappedTexts, lock: HeldLock): Promise<void> {
    await this.#writing.run(async () => {
      await lock.assertHeld();
      const serial = await this.#database
        .transaction(async (sql) => {
          const [meta] = await sql<{ serial: number }[]>`
            UPDATE meta SET access_serial = access_serial + 1 RETURNING access_serial::float8 AS serial`;
          const { count } = await sql`
            INSERT INTO document VALUES (${path}, ${meta?.serial ?? 0}, ${after ?? null})
            ON CONFLICT (path) DO UPDATE SET serial = excluded.serial, text = excluded.text
            WHERE document.text IS NOT DISTINCT FROM ${before ?? null}`;
          if (count === 0) throw new AnotherText();
          await assertHeldIn(sql, lock);
          return meta?.serial ?? 0;
        })
        .catch((error: unknown) => {
          if (error instanceof AnotherText) return undefined;
          throw error;
        });
      if (serial === undefined) throw await this.lost(lock);
      await this.#made(path, after, { version: this.#state.version, serial });
    });
  }

  /** Takes over a change by this server. */
  async #made(
    path: string,
    text: string | undefined,
    { version, serial }: Pick<CopyOfSettings, "version" | "serial">,
  ): Promise<void> {
    try {
      await this.#write(path, text ?? null);
      await this.#keepNext(version, serial);
    } catch (error) {
      // The change is made; the next refresh brings all settings again.
      this.#state = { ...this.#state, version, serial: -1 };
      throw error;
    }
  }

  /** Notes a change. Where another server has swapped a text before it, the next refresh brings both. */
  #keepNext(version: string, serial: number): Promise<void> {
    const { serial: last } = this.#state;
    return this.#keep({ ...this.#state, version, serial: serial === last + 1 ? serial : last });
  }

  /** The settings in the database that a lock belongs to. @throws SkepError `lock-lost`. */
  async heldState(lock: HeldLock): Promise<Pick<CopyOfSettings, "version" | "serial">> {
    for (;;) {
      const version = this.versionOf();
      await lock.assertHeld();
      if (version === this.versionOf()) return this.#state;
    }
  }

  /**
   * Changes which repository is in the place of a Hive, if the settings are still those that the holder of a lock has read:
   * by these it has decided whether a repository may be there.
   * @throws SkepError `lock-lost`.
   */
  changePlace<T>(lock: HeldLock, run: (sql: Sql, id: string) => Promise<T>): Promise<T> {
    return this.#writing.run(async () => {
      const { version: expected } = await this.heldState(lock);
      const version = randomUUID();
      const result = await this.#database.transaction(async (sql, id) => {
        const serial = await renewVersion(sql, expected, version);
        if (serial === undefined) return undefined;
        const value = await run(sql, id);
        await assertHeldIn(sql, lock);
        return { serial, value };
      });
      if (result === undefined) throw await this.lost(lock);
      await this.#keepNext(version, result.serial);
      return result.value;
    });
  }

  /**
   * Runs statements in a transaction that ends before the settings change, if they are still those that the holder of a
   * lock has read.
   * @throws SkepError `lock-lost`.
   */
  async whileCurrent(lock: HeldLock, run: (sql: Sql) => Promise<unknown>): Promise<void> {
    const expected = await this.heldState(lock);
    const isCurrent = await this.#database.transaction(async (sql) => {
      if (await haveChanged(sql, expected, undefined)) return false;
      await run(sql);
      await assertHeldIn(sql, lock);
      return true;
    });
    if (!isCurrent) throw await this.lost(lock);
  }

  /** The error for a holder whose settings have changed in the database: its outermost lock is lost. */
  async lost(lock: HeldLock): Promise<Error> {
    lock.lose();
    await lock.assertHeld();
    return new SkepError("lock-lost", "The settings have changed.", { name: "settings" });
  }

  /**
   * Takes over changed documents.
   * @param to the change that the record has.
   * @param documents all that were changed after the change `since`.
   * @returns false when all became doubtful meanwhile, so that they have to be asked for again.
   */
  async takeOver(
    to: Pick<CopyOfSettings, "version" | "serial">,
    documents: readonly ChangedDocument[],
    since: number,
  ): Promise<boolean> {
    if (to.serial <= this.#state.serial) return true;
    return this.#settings.hold(() =>
      this.#writing.run(async () => {
        const { serial } = this.#state;
        if (to.serial <= serial) return true;
        if (serial < since) return false;
        // Only texts were swapped: what was read under locks still holds.
        if (to.version === this.#state.version && serial >= 0) {
          for (const { path, text } of documents) await this.#write(path, text);
          await this.#keep({ ...this.#state, ...to });
          return true;
        }
        await this.#settings.begin();
        try {
          if (serial < 0) await this.#removeOthers(documents);
          for (const { path, text, serial: changed } of documents) {
            if (changed > serial) await this.#write(path, text);
          }
          await this.#keep({ ...this.#state, ...to });
          const changed = documents.filter((one) => one.serial > serial);
          this.#changes.add(serial < 0 ? "all" : changed.map(({ path }) => path));
          return true;
        } finally {
          await this.#settings.renew();
        }
      }),
    );
  }

  /** Removes the settings that the record does not have. */
  async #removeOthers(documents: readonly ChangedDocument[]): Promise<void> {
    const present = new Set(documents.flatMap(({ path, text }) => (text === null ? [] : [path])));
    if (!present.has(sessionKey)) await this.#write(sessionKey, null);
    for (const folder of settingsFolders) {
      for (const name of await this.#fs.list(join(this.#root, folder))) {
        const path = `${folder}/${name}`;
        if (name.endsWith(".yaml") && !name.includes(".state.") && !present.has(path))
          await this.#write(path, null);
      }
    }
  }

  async #write(path: string, text: string | null): Promise<void> {
    const file = fileOf(this.#root, path);
    if (text === null) {
      this.#names.delete(path);
      return this.#fs.removeFile(file);
    }
    await this.#fs.makeFolder(dirname(file));
    await this.#fs.writeCache(file, text);
    this.#names.add(path.replace(/\/.*/s, ""));
  }

  async #keep(state: CopyOfSettings): Promise<void> {
    await writeCopy(this.#fs, this.#root, state);
    this.#names.add(copyFile);
    this.#state = state;
  }
}
