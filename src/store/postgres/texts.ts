/** Texts that change often, and files of lines. They are in no copy: each read asks the database. */
import { randomUUID } from "node:crypto";
import { Semaphore } from "../../disk/semaphore.ts";
import type { Documents, LineFiles } from "../record/record.ts";
import type { Database } from "./database.ts";

/** How many lines are read, or written, by one statement. */
const linesAtOnce = 1_000;
/** More than the number of any line: the greatest `bigint`. */
const afterAll = "9223372036854775807";

/** Texts that are changed by comparing their versions. */
export function liveTexts(database: Database): Pick<Documents, "read" | "change"> {
  /** Changes of one path by one server wait for each other. */
  const queues = new Map<string, Semaphore>();
  const readLive = (path: string): Promise<{ version: string; text: string } | undefined> =>
    database.query(async (sql) => {
      const [row] = await sql<{ version: string; text: string }[]>`
        SELECT version, text FROM live WHERE path = ${path}`;
      return row;
    });
  /** @returns false when another server was first. */
  const replace = (path: string, version: string | undefined, text: string | undefined): Promise<boolean> =>
    database.transaction(async (sql) => {
      const { count } =
        version === undefined
          ? await sql`
              INSERT INTO live VALUES (${path}, ${randomUUID()}, ${text ?? ""}) ON CONFLICT (path) DO NOTHING`
          : text === undefined
            ? await sql`DELETE FROM live WHERE path = ${path} AND version = ${version}`
            : await sql`
                UPDATE live SET version = ${randomUUID()}, text = ${text}
                WHERE path = ${path} AND version = ${version}`;
      return count === 1;
    });
  return {
    read: async (path) => (await readLive(path))?.text,
    change: (path, change) => {
      const queue = queues.get(path) ?? new Semaphore(1);
      queues.set(path, queue);
      return queue.run(async () => {
        for (;;) {
          const stored = await readLive(path);
          const [after, result] = await change(stored?.text);
          if (after === stored?.text || (await replace(path, stored?.version, after))) return result;
        }
      });
    },
  };
}

/** The files of lines in a database. */
export function lineFiles(database: Database): LineFiles {
  return {
    append: (path, lines) =>
      database.transaction(async (sql) => {
        await sql`INSERT INTO line_file VALUES (${path}) ON CONFLICT (path) DO NOTHING`;
        for (let at = 0; at < lines.length; at += linesAtOnce) {
          const rows = lines.slice(at, at + linesAtOnce).map((text) => ({ path, text }));
          await sql`INSERT INTO line ${sql(rows)}`;
        }
      }),
    async *read(path) {
      for (let last = "0"; ;) {
        const after = last;
        const rows = await database.query(
          (sql) => sql<{ n: string; text: string }[]>`
            SELECT n, text FROM line WHERE path = ${path} AND n > ${after} ORDER BY n LIMIT ${linesAtOnce}`,
        );
        for (const { text } of rows) yield text;
        const end = rows.at(-1);
        if (end === undefined) return;
        last = end.n;
      }
    },
    async *readBackwards(path) {
      for (let first = afterAll; ;) {
        const before = first;
        const rows = await database.query(
          (sql) => sql<{ n: string; text: string }[]>`
            SELECT n, text FROM line WHERE path = ${path} AND n < ${before} ORDER BY n DESC LIMIT ${linesAtOnce}`,
        );
        for (const { text } of rows) yield text;
        const end = rows.at(-1);
        if (end === undefined) return;
        first = end.n;
      }
    },
    size: (path) =>
      database.query(async (sql) => {
        const [row] = await sql<{ bytes: string }[]>`
          SELECT coalesce(sum(octet_length(text) + 1), 0) AS bytes FROM line WHERE path = ${path}`;
        return Number(row?.bytes ?? 0);
      }),
    list: (folder) =>
      database.query(async (sql) => {
        const prefix = `${folder}/`;
        const rows = await sql<{ path: string }[]>`
          SELECT path FROM line_file WHERE starts_with(path, ${prefix}) ORDER BY path`;
        return rows.map(({ path }) => path.slice(prefix.length));
      }),
    remove: (path) =>
      database.transaction(async (sql) => {
        await sql`DELETE FROM line WHERE path = ${path}`;
        await sql`DELETE FROM line_file WHERE path = ${path}`;
      }),
  };
}
