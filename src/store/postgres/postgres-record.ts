/**
 * A PostgreSQL database as the record of a storage. The storage's folder is its copy: it is brought up to date before it is
 * read, and every change is made in the database first.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DurableFs } from "../../disk/durable-fs.ts";
import type { Disk } from "../../disk/disk.ts";
import type { HeldLock, LockScope } from "../../disk/held-lock.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { locksFolder } from "../../disk/storage-folder.ts";
import { failure } from "../../domain/errors.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { Documents, Jobs, RecordParts, StorageRecord } from "../record/record.ts";
import { newVersion } from "../settings/settings-version.ts";
import { settingsFormat } from "../settings/stored-settings.ts";
import type { DatabaseOptions } from "./address.ts";
import { evictCopies, claimCopy, dropCopy, removeUnfinished } from "./copy-folder.ts";
import type { CopiedRepository } from "./copied-repository.ts";
import {
  bootId,
  CopiedSettings,
  noSettings,
  readCopy,
  readDocuments,
  writeCopy,
  type ChangedDocument,
  type CopyOfSettings,
} from "./copied-settings.ts";
import { CopiedStates } from "./copied-states.ts";
import { lineFiles, liveTexts } from "./texts.ts";
import { Database, inTime } from "./database.ts";
import { DatabaseClock } from "./database-clock.ts";
import { Leases, type LeaseOptions } from "./jobs.ts";
import { ChangeNotices } from "./change-notices.ts";
import { RecordedRepositories } from "./repositories.ts";
import { prepareSchema, requireSchema } from "./schema.ts";
import { textArray, type SeenHistory, type Sql } from "./session.ts";
import { tidy } from "./compaction.ts";

/** How often the record is asked for changes by others. With very many Hives, asking takes at most a part of the time. */
const [pollMs, maxPollMs] = [1_000, 10_000];
/** Calls of `refresh` within this time have one time limit. */
const togetherMs = 1_000;
const maxShare = 20;
const tidyEveryMs = 3_600_000;
/** How long after the start of the process the database is tidied for the first time. */
const firstTidyMs = 60_000;
/** How often the size of the copies is estimated. */
const weighEveryMs = 300_000;
/** How often the database is, at most. */
const sizeEveryMs = 60_000;

export interface PostgresOptions {
  readonly database: DatabaseOptions;
  /** The folder of the copy; it may be missing. */
  readonly folder: string;
  readonly disk: Disk;
  readonly leases?: LeaseOptions;
  /** Whether changes by others are looked for without being asked; they are if not told otherwise. */
  readonly polls?: boolean | undefined;
  /** How many bytes the copies may take about, besides those in use. */
  readonly copyBytes?: number | undefined;
  /** Called when the database's clock was set, with the milliseconds by which it was. */
  readonly clockStepped?: ((ms: number) => void) | undefined;
  /** Whether nothing is written: a database without tables, or with those of another version, is refused. */
  readonly isOnlyRead?: boolean | undefined;
}

/** A database that was reached, and a folder that may be its copy. */
export interface PreparedRecord {
  /** The time of the database in milliseconds since 1970; see {@link DatabaseClock.now}. */
  readonly now: () => number;
  readonly open: (parts: RecordParts) => PostgresRecord;
  /** Ends the connections. */
  readonly close: () => Promise<void>;
}

/**
 * Connects to a database, makes its tables if there are none and it may be written, and makes a folder its copy.
 * @throws SkepError `malformed`, `conflict`, `record-unavailable`.
 */
export async function prepareRecord(options: PostgresOptions): Promise<PreparedRecord> {
  const { folder, disk } = options;
  const release = await claimCopy(folder, disk);
  let database: Database | undefined;
  try {
    const fs = new DurableFs(disk);
    const noted = await readCopy(fs, folder);
    const known = noted?.boot === bootId() ? noted : undefined;
    const clock = new DatabaseClock(options.clockStepped);
    let record: PostgresRecord | undefined;
    let history = noted?.history;
    const sawHistory = (seen: SeenHistory): void => {
      history = seen;
      record?.sawHistory(seen);
    };
    const connected = (database = new Database(options.database, history, sawHistory));
    await (options.isOnlyRead === true ? requireSchema(connected) : prepareSchema(connected));
    const [meta] = await connected.query(
      (sql) => sql<{ incarnation: string }[]>`SELECT incarnation FROM meta WHERE settings_format >= 0`,
    );
    if (meta === undefined)
      throw failure("conflict", "The database is being filled, or is not one of Skep: try again.");
    const { incarnation } = meta;
    // All settings are brought anew: a part of the copy may have been removed since.
    let state: CopyOfSettings = { incarnation, boot: bootId(), history, ...noSettings };
    if (known?.incarnation !== incarnation) await dropCopy(fs, folder);
    await removeUnfinished(fs, folder);
    // Marked before there is anything in it: an unmarked storage is never dropped.
    await writeCopy(fs, folder, state);
    await fs.makeFolder(join(folder, locksFolder));
    await fs.writeCache(join(folder, "settings-version"), newVersion(settingsFormat));
    const locks = new Locks(fs, join(folder, locksFolder));
    const now = await readDocuments(connected, state.serial);
    const settings = new CopiedSettings({ fs, root: folder, locks, database: connected }, state);
    await settings.takeOver(now.settings, now.documents, state.serial);
    state = settings.lookForRemovedFolders();
    const open = (parts: RecordParts): PostgresRecord =>
      (record = new PostgresRecord({ ...options, connected, clock, release, state }, parts));
    const close = async (): Promise<void> => {
      await record?.close();
      await connected.close();
      await release();
    };
    return { now: () => clock.now(), open, close };
  } catch (error) {
    await database?.close();
    await release();
    throw error;
  }
}

interface Answer {
  readonly since: number;
  readonly settings: Pick<CopyOfSettings, "version" | "serial">;
  readonly documents: readonly ChangedDocument[];
}

/** The calls of `refresh` that one query answers: all that came before it is sent. */
interface Batch {
  /** When the last of them came: it may wait for the query before, too. */
  since: number;
  readonly slugs: Set<HiveSlug>;
  isAll: boolean;
  readonly answer: Promise<Answer>;
  /** The refreshes by their Hives: calls for the same Hives share one. */
  readonly refreshing: Map<string, Promise<void>>;
}

interface Connected extends PostgresOptions {
  readonly connected: Database;
  readonly clock: DatabaseClock;
  readonly release: () => Promise<void>;
  readonly state: CopyOfSettings;
}

export class PostgresRecord implements StorageRecord {
  readonly documents: Documents;
  readonly repositories: RecordedRepositories;
  readonly jobs: Jobs;
  readonly #options: Connected;
  readonly #database: Database;
  readonly #parts: RecordParts;
  readonly #settings: CopiedSettings;
  readonly #notices: ChangeNotices;
  /** The batch of the next query. */
  #next: Batch | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #poll: NodeJS.Timeout | undefined;
  #tidied = firstTidyMs - tidyEveryMs;
  #weighed = 0;
  #sized = -Infinity;
  #bytes = Promise.resolve(Number.NaN);
  #isClosed = false;

  constructor(options: Connected, parts: RecordParts) {
    const { connected: database, state } = options;
    const { fs, root, locks } = parts;
    this.#options = options;
    this.#database = database;
    this.#parts = parts;
    this.#settings = new CopiedSettings({ fs, root, locks, database }, state);
    const states = new CopiedStates({ fs, root, database });
    this.documents = {
      put: (path, text, lock) => this.#settings.put(path, text, lock),
      swap: (path, texts, lock) => this.#settings.swap(path, texts, lock),
      putState: (path, text, lock) => states.put(path, text, lock),
      ...liveTexts(database),
      lines: lineFiles(database),
    };
    this.#notices = new ChangeNotices(database, (slugs) => this.#refreshWatched(slugs));
    this.repositories = new RecordedRepositories({
      fs,
      root,
      database,
      settings: this.#settings,
      replaced: (slug) => parts.hives.replaced(slug),
      changed: (slug) => parts.hives.changed(slug),
      moved: (slug) => this.#notices.send(slug),
      refresh: (slugs) => this.refresh(slugs),
    });
    const leases = new Leases(database, options.leases);
    this.jobs = {
      hold: <T>(name: string, run: (lock: HeldLock) => Promise<T>, hives: readonly HiveSlug[] = []) =>
        leases.hold(name, async (lock) => {
          await Promise.all([states.refresh(), this.refresh(hives)]);
          return run(lock);
        }),
    };
    if (options.polls !== false) this.#pollIn(pollMs, states);
  }

  readonly version = (scope?: LockScope): string => this.#settings.versionOf(scope);

  readonly problem = (): string | undefined => this.#database.problem;

  readonly connections = (): number => this.#database.connections;

  /** See {@link StorageRecord.probe}. */
  readonly probe = async (): Promise<void> => {
    if (this.#database.isFull) await this.#database.probeRoom();
  };

  /** See {@link StorageRecord.bytes}. */
  readonly bytes = (): Promise<number> => {
    if (performance.now() - this.#sized >= sizeEveryMs) {
      this.#sized = performance.now();
      this.#bytes = this.#readBytes().catch(() => Number.NaN);
    }
    return this.#bytes;
  };

  async #readBytes(): Promise<number> {
    const [row] = await this.#database.query(
      (sql) => sql<{ bytes: number }[]>`
        SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
    );
    return row?.bytes ?? Number.NaN;
  }

  /** Notes that the database has a newer history than the copy. */
  sawHistory(history: SeenHistory): void {
    this.#settings.sawHistory(history);
  }

  /**
   * For `all`, only the settings are refreshed now, and each repository when it is read, see
   * {@link Repositories.isBehind}. One query answers all calls that came before it was sent; later calls take the next.
   */
  readonly refresh = (hives: readonly HiveSlug[] | "all"): Promise<void> => {
    const batch = (this.#next ??= this.#makeBatch());
    batch.since = performance.now();
    // A call a while after others has a time limit of its own. No Hive is named "*".
    const key = `${Math.floor(batch.since / togetherMs)} ${hives === "all" ? "*" : hives.join(" ")}`;
    const known = batch.refreshing.get(key);
    if (known !== undefined) return known;
    if (hives === "all") batch.isAll = true;
    else for (const slug of hives) batch.slugs.add(slug);
    const refreshing = this.#refreshWith(batch.answer, hives);
    batch.refreshing.set(key, refreshing);
    return refreshing;
  };

  async #refreshWith(answer: Promise<Answer>, hives: readonly HiveSlug[] | "all"): Promise<void> {
    const { settings, documents, since } = await inTime(answer, this.#database.withinMs);
    // As when the connection was made anew, and the database has another history than the copy.
    if (!(await this.#settings.takeOver(settings, documents, since))) return this.refresh(hives);
    const copies = hives === "all" ? [] : hives.flatMap((slug) => this.repositories.present(slug) ?? []);
    await Promise.all(copies.map((copy) => copy.catchUp()));
  }

  async completeCopy(): Promise<void> {
    await this.refresh("all");
    for (const copy of this.repositories.copies.values()) await copy.catchUp();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#poll);
    await this.#notices.close();
    await this.#database.close();
    await this.#options.release();
  }

  #makeBatch(): Batch {
    const answer = this.#asking.then(async () => {
      // Requests that came together call within two turns of the event loop: one query is for all of them.
      await nextTurn();
      await nextTurn();
      this.#next = undefined;
      return this.#query(batch);
    });
    const batch: Batch = { since: 0, slugs: new Set(), isAll: false, answer, refreshing: new Map() };
    this.#asking = answer.catch(() => undefined);
    return batch;
  }

  async #query({ since: came, slugs, isAll }: Batch): Promise<Answer> {
    const { incarnation, version, serial: since } = this.#settings.lookForRemovedFolders();
    const sent = performance.now();
    const some = textArray([...slugs]);
    // Two statements: PostgreSQL would look at every repository for a statement that serves both cases.
    const left = this.#database.withinMs - (sent - came);
    const ask = (sql: Sql) =>
      isAll
        ? sql<RefreshRow[]>`
            SELECT m.incarnation, m.access_version AS version, m.access_serial::float8 AS serial,
              extract(epoch FROM clock_timestamp())::float8 * 1000 AS now, r.slug, r.id, r.head
            FROM meta m LEFT JOIN repository r ON r.trash IS NULL`
        : sql<RefreshRow[]>`
            SELECT m.incarnation, m.access_version AS version, m.access_serial::float8 AS serial,
              extract(epoch FROM clock_timestamp())::float8 * 1000 AS now, r.slug, r.id, r.head
            FROM meta m LEFT JOIN repository r ON r.trash IS NULL AND r.slug = ANY(${some}::text[])`;
    const rows = await this.#database.ask(ask, left);
    const [first] = rows;
    if (first?.incarnation !== incarnation) {
      throw failure("storage-missing", "The database was replaced by another one; start the server again.");
    }
    this.#options.clock.measured(first.now, sent, performance.now());
    const found = new Map(rows.map((row) => [row.slug, row]));
    for (const slug of isAll ? this.repositories.copies.keys() : slugs) {
      const copy = this.repositories.present(slug);
      if (copy !== undefined) copy.latest = null;
    }
    for (const { slug, id, head } of found.values()) {
      if (slug !== null && isHiveSlug(slug) && id !== null && head !== null) {
        this.repositories.copy(slug).latest = { id, head };
      }
    }
    const settings = { version: first.version, serial: first.serial };
    if (first.version === version && first.serial === since) return { since, settings, documents: [] };
    return { since, ...(await readDocuments(this.#database, since)) };
  }

  #pollIn(ms: number, states: CopiedStates): void {
    if (this.#isClosed) return;
    this.#poll = setTimeout(() => {
      const start = performance.now();
      const polling = Promise.all([this.#refreshWatched("all"), states.refresh(), this.#notices.listen()]);
      // It may take long, and nobody waits for it.
      void this.#cleanUp().catch(() => undefined);
      // Requests that need the record report its errors. A database that does not answer is asked without a longer pause,
      // so that its return is noticed soon.
      void polling
        .then(
          () => (performance.now() - start) * maxShare,
          () => 0,
        )
        .then((pause) => this.#pollIn(Math.min(Math.max(pollMs, pause), maxPollMs), states));
    }, ms).unref();
  }

  /** Refreshes the watched Hives after changes by other servers. */
  async #refreshWatched(slugs: readonly HiveSlug[] | "all"): Promise<void> {
    const watched = new Set(this.#parts.hives.watched());
    await this.refresh(slugs === "all" ? "all" : slugs.filter((slug) => watched.has(slug)));
    for (const slug of watched) await this.repositories.present(slug)?.catchUp();
  }

  /** Keeps the copies within their budget, and tidies the database unless another server does so. */
  async #cleanUp(): Promise<void> {
    const { copyBytes: maxBytes } = this.#options;
    if (maxBytes !== undefined && performance.now() - this.#weighed >= weighEveryMs) {
      this.#weighed = performance.now();
      const { fs, root, hives } = this.#parts;
      const copyOf = (slug: HiveSlug): CopiedRepository => this.repositories.copy(slug);
      await evictCopies({ fs, root, maxBytes, copyOf, watched: () => hives.watched() });
    }
    if (performance.now() - this.#tidied < tidyEveryMs) return;
    this.#tidied = performance.now();
    await this.jobs.hold("tidy", () => tidy(this.#database));
  }
}

interface RefreshRow {
  readonly incarnation: string;
  readonly version: string;
  readonly serial: number;
  readonly now: number;
  readonly slug: string | null;
  readonly id: string | null;
  readonly head: string | null;
}
