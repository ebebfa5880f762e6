/** Brings a storage's folder into an empty database: the same texts, ids and histories. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { readLines } from "../../disk/line-file.ts";
import { auditFolder, settingsFolders } from "../../disk/storage-folder.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { failure } from "../../domain/errors.ts";
import { mainRef, readRefs } from "../../git/refs/refs.ts";
import { deletionNotePath } from "../record/folder-record.ts";
import type { RecordedOverview } from "../record/record.ts";
import { settingsFormat } from "../settings/stored-settings.ts";
import type { DatabaseOptions } from "./address.ts";
import { readRepository } from "./copied-repository.ts";
import { Database, type TransactionOptions } from "./database.ts";
import { download, packRevisions } from "./packs.ts";
import { digestOf, isRecorded } from "./ref-digest.ts";
import { insertFirstChange } from "./repositories.ts";
import { readRepositoryId } from "../record/repository-id.ts";
import { importing, prepareSchema } from "./schema.ts";
import type { Sql } from "./session.ts";
import { lineFiles } from "./texts.ts";

const suffix = ".git";
const rowsAtOnce = 200;
const linesAtOnce = 1_000;
const contentTables = [
  "document",
  "state",
  "live",
  "line",
  "line_file",
  "part",
  "pack",
  "retired",
  "change",
  "ref",
  "repository",
];
/** How long the statements of one repository may take. */
const withinMs = 60_000;

/** How much was transferred. */
export interface TransferCounts {
  readonly documents: number;
  readonly repositories: number;
  readonly objects: number;
  readonly lines: number;
}

export interface ImportOptions {
  readonly fs: DurableFs;
  /** The storage's folder; nothing changes it meanwhile. */
  readonly root: string;
  readonly database: DatabaseOptions;
  /** What lists and quotas say about the repository in a folder; undefined when it cannot be read. */
  readonly overviewOf: (gitdir: string) => Promise<RecordedOverview | undefined>;
}

/**
 * Imports a storage, reads its repositories back and compares them. Leftovers of an import that did not end are removed
 * first.
 * @throws SkepError `conflict` when something else is in the database, or another import begins; Error when a repository
 * is not read back the same.
 */
export async function importStorage(options: ImportOptions): Promise<TransferCounts> {
  const { fs, root } = options;
  const database = new ImportedDatabase(options.database);
  try {
    await database.begin();
    const documents = await importTexts(fs, root, database);
    let lines = 0;
    for (const name of await fs.list(join(root, auditFolder))) {
      if (!isTemporary(name)) lines += await importLines(fs, root, database, `${auditFolder}/${name}`);
    }
    let [repositories, objects] = [0, 0];
    for (const folder of ["hives", "trash"]) {
      for (const name of await fs.list(join(root, folder))) {
        if (!name.endsWith(suffix) || name.startsWith(".")) continue;
        objects += await importRepository(options, database, folder, name.slice(0, -suffix.length));
        repositories++;
      }
    }
    await database.transaction(
      (sql) =>
        sql`UPDATE meta SET settings_format = ${settingsFormat}, access_version = ${randomUUID()}, access_serial = 1`,
    );
    return { documents, repositories, objects, lines };
  } finally {
    await database.close();
  }
}

/**
 * Makes the tables in a database if it has none.
 * @throws SkepError `conflict` when something else than leftovers of an import is in it.
 */
export async function requireImportable(options: DatabaseOptions): Promise<void> {
  const database = new ImportedDatabase(options);
  try {
    await prepareSchema(database, true);
    await database.query(requireEmpty);
  } finally {
    await database.close();
  }
}

/** Locks the database. @throws SkepError `conflict` when something else than leftovers of an import is in it. */
async function requireEmpty(sql: Sql): Promise<void> {
  const [meta] = await sql<{ format: number; serial: number }[]>`
    SELECT settings_format AS format, access_serial::float8 AS serial FROM meta FOR UPDATE`;
  const [used] = await sql<{ is_used: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM repository) OR EXISTS (SELECT 1 FROM line_file) OR EXISTS (SELECT 1 FROM live)
      AS is_used`;
  if (meta?.format !== importing && (used?.is_used === true || meta?.serial !== 0)) {
    throw failure("conflict", "The database is not empty; a storage is only brought into an empty one.");
  }
}

/** The database of one import: when another import begins in it, each transaction of this one fails. */
class ImportedDatabase extends Database {
  #incarnation: string | undefined;

  /**
   * Makes the tables, removes the leftovers of an import that did not end, and marks the database.
   * @throws SkepError `conflict` when something else is in it.
   */
  async begin(): Promise<void> {
    await prepareSchema(this, true);
    const incarnation = randomUUID();
    await this.transaction(
      async (sql) => {
        await requireEmpty(sql);
        for (const table of contentTables) await sql.unsafe(`DELETE FROM ${table}`);
        // Servers that were started on the empty database can no longer use it.
        await sql`
          UPDATE meta SET settings_format = ${importing}, incarnation = ${incarnation}, access_version = ${randomUUID()}`;
      },
      { withinMs },
    );
    this.#incarnation = incarnation;
  }

  override transaction<T>(
    run: (sql: Sql, id: string) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    return super.transaction(async (sql, id) => {
      if (this.#incarnation !== undefined) {
        const own = await sql`SELECT 1 FROM meta WHERE incarnation = ${this.#incarnation} FOR SHARE`;
        if (own.length === 0) throw failure("conflict", "Another import into this database has begun.");
      }
      return run(sql, id);
    }, options);
  }
}

/** Imports settings, states, and the live texts that are worth keeping. */
async function importTexts(fs: DurableFs, root: string, database: Database): Promise<number> {
  const paths = ["session-key", "token-use.json"];
  for (const folder of [...settingsFolders, "claims", "engine-use", "engine-jobs", "inboxes"]) {
    for (const name of await fs.list(join(root, folder))) {
      if (!isTemporary(name) && /\.(yaml|json)$/.test(name)) paths.push(`${folder}/${name}`);
    }
  }
  let count = 0;
  for (let at = 0; at < paths.length; at += rowsAtOnce) {
    await database.transaction(async (sql) => {
      const some = paths.slice(at, at + rowsAtOnce);
      const texts = await Promise.all(some.map((path) => fs.readText(join(root, path))));
      count += texts.filter((text) => text !== undefined).length;
      await Promise.all(
        some.flatMap((path, i) => (texts[i] === undefined ? [] : insertText(sql, path, texts[i]))),
      );
    });
  }
  return count;
}

function insertText(sql: Sql, path: string, text: string): Promise<unknown> {
  if (path.endsWith(".json"))
    return sql`INSERT INTO live VALUES (${path}, ${randomUUID()}, ${text})`.execute();
  return path.endsWith(".state.yaml")
    ? sql`INSERT INTO state VALUES (${path}, ${randomUUID()}, ${text}, clock_timestamp())`.execute()
    : sql`INSERT INTO document VALUES (${path}, 1, ${text})`.execute();
}

async function importLines(fs: DurableFs, root: string, database: Database, path: string): Promise<number> {
  const files = lineFiles(database);
  let [count, waiting]: [number, string[]] = [0, []];
  const flush = async (): Promise<void> => {
    if (waiting.length > 0) await files.append(path, waiting);
    count += waiting.length;
    waiting = [];
  };
  for await (const line of readLines(fs, join(root, path))) {
    waiting.push(line);
    if (waiting.length === linesAtOnce) await flush();
  }
  await flush();
  return count;
}

/** @returns how many objects it has. */
async function importRepository(
  { fs, root, overviewOf }: ImportOptions,
  database: Database,
  folder: string,
  name: string,
): Promise<number> {
  const gitdir = join(root, folder, name + suffix);
  const id = (await readRepositoryId(fs, gitdir)) ?? randomUUID();
  const refs = new Map([...(await readRefs(fs, gitdir))].filter(([ref]) => isRecorded(ref)));
  const note = await fs.readText(join(gitdir, deletionNotePath));
  const [pack, recorded] = [
    await packRevisions(database, gitdir, [...refs.values()]),
    await overviewOf(gitdir),
  ];
  const trash = folder === "trash" ? name : null;
  const overview = recorded === undefined ? null : JSON.stringify(recorded.overview);
  await database.transaction(
    async (sql, change) => {
      await sql`
        INSERT INTO repository VALUES (${id}, ${trash === null ? name : name.replace(/\..*$/, "")}, ${change}, 1,
          ${recorded?.strings ?? 0}, ${overview}::text::jsonb, ${refs.get(mainRef) ?? null}, ${note ?? null}, NULL, 0, ${trash})`;
      await insertFirstChange(sql, { id, change, seq: 1, refs, pack });
    },
    { withinMs },
  );
  const stored = await readRepository(database, id);
  if (stored === undefined || digestOf(Object.entries(stored.refs)) !== digestOf(refs)) {
    throw new Error(`the refs of ${folder}/${name} differ in the database`);
  }
  // Reading a pack checks its sum.
  for (const one of stored.packs) for await (const piece of download(database, one)) void piece;
  return pack?.objects ?? 0;
}
