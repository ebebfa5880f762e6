/** The tables: made and changed by numbered files of SQL, each of which is run once. */
import { readFile } from "node:fs/promises";
import { failure } from "../../domain/errors.ts";
import { settingsFormat } from "../settings/stored-settings.ts";
import { ownFile } from "../../own-files.ts";
import type { DatabaseOptions } from "./address.ts";
import { Database } from "./database.ts";
import { isPostgresError } from "./faults.ts";
import { skepLock, type Sql } from "./session.ts";

/** The numbered files of `schema/`. */
const versions = 1;
/** Statements that only make things faster: other databases with PostgreSQL's protocol may refuse them. */
const tuning = [
  // Packs are compressed already.
  "ALTER TABLE part ALTER COLUMN data SET STORAGE EXTERNAL",
  // Every commit changes a row in place.
  "ALTER TABLE repository SET (fillfactor = 50)",
];
const undefinedTable = "42P01";
/** The `settings_format` of a database while an import fills it, and after an import that did not end. */
export const importing = -1;
/** How long changes of tables may take. */
const withinMs = 60_000;

/**
 * Makes the tables, or changes them to what this version needs.
 * @param mayBeImporting whether the database may be one that an import is filling.
 * @throws SkepError `conflict`, `record-unavailable`.
 */
export async function prepareSchema(database: Database, mayBeImporting = false): Promise<void> {
  const read = (sql: Sql): Promise<number | undefined> => readVersion(sql, mayBeImporting);
  if ((await database.query(read)) === versions) {
    // Keeps earlier versions from starting: they do not know the settings that this one writes.
    await database.query(
      (sql) => sql`
        UPDATE meta SET settings_format = ${settingsFormat}
        WHERE settings_format >= 0 AND settings_format < ${settingsFormat}`,
    );
    return;
  }
  const first = await database.transaction(
    async (sql) => {
      // Under this lock alone, tables are changed.
      await sql`SELECT pg_advisory_xact_lock(${skepLock})`;
      // Reading a table that is missing would end the transaction.
      const [meta] = await sql<{ there: boolean }[]>`SELECT to_regclass('meta') IS NOT NULL AS there`;
      const before = meta?.there === true ? ((await read(sql)) ?? 0) : 0;
      for (let version = before + 1; version <= versions; version++) {
        const name = `store/postgres/schema/${String(version).padStart(3, "0")}.sql`;
        await sql.unsafe(await readFile(ownFile(name), "utf8"));
      }
      if (before === 0) {
        await sql`INSERT INTO meta VALUES (true, ${versions}, ${settingsFormat}, gen_random_uuid(), gen_random_uuid(), 0)`;
      } else await sql`UPDATE meta SET schema_version = ${versions}`;
      return before;
    },
    {
      settle: async (sql) => {
        await sql`SELECT pg_advisory_xact_lock(${skepLock})`;
        return (await read(sql)) === versions;
      },
      withinMs,
    },
  );
  if (first > 0) return;
  for (const statement of tuning) {
    await database
      .query((sql) => sql.unsafe(statement))
      .catch((error: unknown) => {
        if (!isPostgresError(error)) throw error;
      });
  }
}

/** Requires the tables of this version, and changes nothing. @throws SkepError `conflict`, `record-unavailable`. */
export async function requireSchema(database: Database): Promise<void> {
  if ((await database.query((sql) => readVersion(sql, false))) === versions) return;
  throw failure("conflict", "The database holds no storage, or one of another version.");
}

/**
 * Makes a database another one for all servers that have copies of it, which they then drop.
 * @throws SkepError `conflict` when it has no tables of Skep, or an import is filling it; `record-unavailable`.
 */
export async function renewIncarnation(options: DatabaseOptions): Promise<void> {
  const database = new Database(options);
  try {
    const isThere = (await database.query((sql) => readVersion(sql, false))) !== undefined;
    if (!isThere) throw failure("conflict", "The database holds no storage.");
    await database.transaction((sql) => sql`UPDATE meta SET incarnation = gen_random_uuid()`);
  } finally {
    await database.close();
  }
}

/** The version of the tables; undefined where there are none. @throws SkepError `conflict` for a later one. */
async function readVersion(sql: Sql, mayBeImporting: boolean): Promise<number | undefined> {
  let meta: { version: number; format: number } | undefined;
  try {
    [meta] = await sql<{ version: number; format: number }[]>`
      SELECT schema_version AS version, settings_format AS format FROM meta`;
  } catch (error) {
    if (isPostgresError(error) && error.code === undefinedTable) return undefined;
    throw error;
  }
  if (meta === undefined) return undefined;
  if (meta.format === importing && !mayBeImporting) {
    throw failure(
      "conflict",
      "A storage is being imported or restored into this database, or was not to its end: do it again.",
    );
  }
  if (meta.version <= versions && meta.format <= settingsFormat) return meta.version;
  throw failure(
    "conflict",
    `A later version of Skep set this database up: its tables have version ${meta.version} and its settings format ${meta.format}; this version knows up to ${versions} and ${settingsFormat}.`,
  );
}
