/** Storages in databases of tests. */
import nodeFs from "node:fs";
import { unsyncedDisk } from "../../../src/store/postgres/copy-folder.ts";
import { onTestFinished } from "vitest";
import { installedGit } from "../../../src/git/programs.ts";
import { openStorage, type Storage, type StorageOptions } from "../../../src/service/storage.ts";
import { prepareRecord, type PreparedRecord } from "../../../src/store/postgres/postgres-record.ts";
import type { LeaseOptions } from "../../../src/store/postgres/jobs.ts";
import { realFolder } from "../storage.ts";
import { cluster } from "./cluster.ts";
import { startCuttable, type Cuttable } from "./cuttable.ts";

/** A database that storages are opened on, behind a proxy that can cut their connections. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  readonly proxy: Cuttable;
  /** Connects to the database, for one more storage on a new copy. */
  readonly prepare: (folder?: string, leases?: LeaseOptions) => Promise<Prepared>;
}

export interface Prepared extends PreparedRecord {
  readonly options: StorageOptions;
}

let template: Promise<string> | undefined;

/** A database with tables and nothing in them. */
async function makeTemplate(): Promise<string> {
  const server = await cluster();
  const name = await server.database();
  const options = { folder: realFolder(), disk: unsyncedDisk(nodeFs), polls: false };
  const { close } = await prepareRecord({ ...options, database: { url: server.url(name) } });
  await close();
  return name;
}

/** Makes a database; what is opened on it is closed with the test. @param polls see {@link PostgresOptions}. */
export async function testDatabase(
  /** How long the database is waited for: usually longer than the slowest machine takes. */
  withinMs = 120_000,
  polls?: boolean,
): Promise<TestDatabase> {
  const server = await cluster();
  template ??= makeTemplate();
  const name = await server.database(await template);
  // Each database has an incarnation of its own.
  await server.sql("UPDATE meta SET incarnation = gen_random_uuid()", name);
  const proxy = await startCuttable(server.port);
  const url = server.url(name, proxy.port);
  const prepare = async (folder = realFolder(), leases?: LeaseOptions): Promise<Prepared> => {
    const disk = unsyncedDisk(nodeFs);
    const prepared = await prepareRecord({ folder, disk, database: { url, withinMs }, leases, polls });
    onTestFinished(() => prepared.close());
    return {
      ...prepared,
      options: {
        folder,
        disk,
        git: installedGit(),
        now: prepared.now,
        record: prepared.open,
        // As long as the database is waited for, usually: nobody is told to come back on a slow machine.
        locks: { timeoutMs: 120_000 },
      },
    };
  };
  return { name, url, proxy, prepare };
}

/**
 * Opens the storage of a database that is no {@link testDatabase}; it is closed with the test.
 * @param polls see {@link PostgresOptions}.
 */
export async function openOn(
  url: string,
  folder = realFolder(),
  polls?: boolean,
): Promise<{ readonly storage: Storage; readonly close: () => Promise<void> }> {
  const disk = unsyncedDisk(nodeFs);
  const { now, open: record, close } = await prepareRecord({ folder, disk, database: { url }, polls });
  onTestFinished(close);
  return { storage: openStorage({ folder, disk, git: installedGit(), now, record }), close };
}
