/** Exports a database, as it is at one moment, into an empty folder, which is then a storage of its own. */
import { dirname, join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { appendLines } from "../../disk/line-file.ts";
import { locksFolder } from "../../disk/storage-folder.ts";
import { failure } from "../../domain/errors.ts";
import { newVersion } from "../settings/settings-version.ts";
import { settingsFormat } from "../settings/stored-settings.ts";
import type { DatabaseOptions } from "./address.ts";
import { fillRepository, readRepository } from "./copied-repository.ts";
import { fileOf } from "./copied-settings.ts";
import { Database } from "./database.ts";
import type { TransferCounts } from "./import-storage.ts";
import { writeRepositoryId } from "../record/repository-id.ts";
import { prepareSchema } from "./schema.ts";
import type { Sql } from "./session.ts";

/** How long an export may take. */
const withinMs = 24 * 3_600_000;
const linesAtOnce = 1_000;

export interface ExportOptions {
  readonly fs: DurableFs;
  /** The folder; it is missing or empty. */
  readonly root: string;
  readonly database: DatabaseOptions;
}

/** Exports a storage. @throws SkepError `conflict` when the folder is not empty. */
export async function exportStorage({ fs, root, database: options }: ExportOptions): Promise<TransferCounts> {
  if ((await fs.list(root)).length > 0) throw failure("conflict", `The folder ${root} is not empty.`);
  const database = new Database(options);
  try {
    await prepareSchema(database);
    return await database.snapshot(async (sql) => {
      await sql`SET LOCAL idle_in_transaction_session_timeout = 0`;
      const documents = await exportTexts(fs, root, sql);
      const lines = await exportLines(fs, root, sql);
      const repositories = await sql<{ id: string; slug: string; trash: string | null }[]>`
        SELECT id, slug, trash FROM repository ORDER BY id`;
      let objects = 0;
      for (const { id, slug, trash } of repositories) {
        const gitdir = fileOf(root, trash === null ? `hives/${slug}.git` : `trash/${trash}.git`);
        objects += await exportRepository(fs, sql, { id, gitdir });
      }
      await fs.makeFolder(join(root, "hives"));
      await fs.makeFolder(join(root, locksFolder));
      // Written last: this file makes the folder a storage.
      await fs.write(join(root, "settings-version"), newVersion(settingsFormat));
      return { documents, repositories: repositories.length, objects, lines };
    }, withinMs);
  } finally {
    await database.close();
  }
}

async function exportTexts(fs: DurableFs, root: string, sql: Sql): Promise<number> {
  const rows = await sql<{ path: string; text: string }[]>`
    SELECT path, text FROM document WHERE text IS NOT NULL
    UNION ALL SELECT path, text FROM state WHERE text IS NOT NULL
    UNION ALL SELECT path, text FROM live`;
  for (const { path, text } of rows) {
    const file = fileOf(root, path);
    await fs.makeFolder(dirname(file));
    await fs.write(file, text);
  }
  return rows.length;
}

async function exportLines(fs: DurableFs, root: string, sql: Sql): Promise<number> {
  let count = 0;
  for (const { path } of await sql<{ path: string }[]>`SELECT path FROM line_file`) {
    for (let last: string | undefined = "0"; last !== undefined;) {
      const rows: readonly { n: string; text: string }[] = await sql<{ n: string; text: string }[]>`
        SELECT n, text FROM line WHERE path = ${path} AND n > ${last} ORDER BY n LIMIT ${linesAtOnce}`;
      const texts = rows.map(({ text }) => text);
      if (texts.length > 0) await appendLines(fs, fileOf(root, path), texts);
      count += texts.length;
      last = rows.at(-1)?.n;
    }
  }
  return count;
}

/** @returns how many objects it has. */
async function exportRepository(
  fs: DurableFs,
  sql: Sql,
  { id, gitdir }: { readonly id: string; readonly gitdir: string },
): Promise<number> {
  const reader = { query: <T>(run: (sql: Sql) => Promise<T>): Promise<T> => run(sql) };
  const found = await readRepository({ snapshot: reader.query }, id);
  if (found === undefined) throw new Error(`the repository ${id} is missing`);
  await fs.makeFolder(dirname(gitdir));
  await fillRepository({ fs, database: reader }, gitdir, found);
  await writeRepositoryId(fs, gitdir, id);
  return found.packs.reduce((sum, { objects }) => sum + objects, 0);
}
