/**
 * Replaces the packs of a repository's changes by one with all objects, its base. The base is made from the record and
 * never from a copy, so that damage of a copy never comes into the record.
 */
import { createReadStream } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { withTimeout } from "../../deadline.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { listPacks } from "../../git/packs/packs.ts";
import { runGit } from "../../git/process/installed-git.ts";
import type { Compacted, Compaction } from "../record/record.ts";
import {
  fillRepository,
  readRepository,
  type CopyOptions,
  type WholeRepository,
} from "./copied-repository.ts";
import { assertHeldIn } from "./jobs.ts";
import { insertPack, uploadPack, type PartReader, type StoredPack } from "./packs.ts";
import type { Database } from "./database.ts";
import { textArray } from "./session.ts";

/** Below both bounds, one pack would save little. */
const manyChanges = 256;
const manyBytes = 8 * 1024 * 1024;
/** So many changes make a first fetch slow, however small they are. */
const tooManyChanges = 4_096;
/** How long a compaction may take: less than the hour after which parts without a pack are removed. */
const timeLimitMs = 30 * 60_000;
/** Room for the fetched packs, the new pack, and git's temporary files. */
const diskFactor = 3;
const readMs = 30_000;

const settings = ["core.fsync=none", "pack.threads=1", "repack.writeBitmaps=false"];
// The changes were fetched as one pack, in which git would look for no new differences without -f.
const repack = [...settings.flatMap((one) => ["-c", one]), "repack", "-a", "-d", "-f", "-q"];
const fsck = ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"];

type Check = () => Promise<void>;

export class RecordedCompaction implements Compaction {
  readonly #options: Pick<CopyOptions, "fs" | "database" | "root">;

  constructor(options: Pick<CopyOptions, "fs" | "database" | "root">) {
    this.#options = options;
  }

  /** A repository first has to outgrow its largest pack, so that compaction stays in proportion to what was written. */
  async grown(slugs: readonly HiveSlug[] | "all"): Promise<readonly HiveSlug[]> {
    const [isAll, some] = slugs === "all" ? [true, []] : [false, slugs];
    const rows = await this.#options.database.query(
      (sql) => sql<{ slug: HiveSlug }[]>`
        SELECT slug FROM (
          SELECT r.slug, count(*) AS changes, sum(p.bytes) + COALESCE(max(b.bytes), 0) AS bytes,
            GREATEST(max(p.bytes), max(b.bytes)) AS largest
          FROM repository r
          JOIN change c ON c.repository = r.id AND c.seq > r.base_seq
          JOIN pack p ON p.id = c.pack
          LEFT JOIN pack b ON b.id = r.base
          WHERE r.trash IS NULL AND (${isAll} OR r.slug = ANY(${textArray(some)}::text[]))
          GROUP BY r.id, r.slug
        ) one
        WHERE changes >= ${tooManyChanges}
          OR bytes > 2 * largest AND (changes >= ${manyChanges} OR bytes - largest >= ${manyBytes})`,
      readMs,
    );
    return rows.map(({ slug }) => slug);
  }

  async compact(slug: HiveSlug, lock: HeldLock, signal: AbortSignal): Promise<Compacted | undefined> {
    const { fs, database, root } = this.#options;
    const ending = withTimeout(signal, timeLimitMs);
    const check: Check = async () => {
      ending.throwIfAborted();
      await lock.assertHeld();
    };
    const found = await this.#read(slug);
    if (found === undefined || found.seq === found.base_seq) return undefined;
    const before = found.packs.reduce((sum, { bytes }) => sum + bytes, 0);
    await this.#requireRoom(before * diskFactor);
    const reader: PartReader = {
      query: async (run, withinMs) => {
        await check();
        return database.query(run, withinMs);
      },
    };
    const gitdir = join(root, "hives", `.new-compact-${slug}`);
    try {
      await fillRepository({ fs, database: reader }, gitdir, { ...found, note: null });
      for (const args of [repack, fsck]) {
        await check();
        await runOrFail(gitdir, args, ending);
      }
      const [name, ...others] = await listPacks(fs, gitdir);
      if (name === undefined || others.length > 0) throw new Error("git repack has not left one pack");
      const pack = await uploadPack(
        database,
        readChecked(join(gitdir, "objects/pack", `${name}.pack`), check),
      );
      await check();
      if (pack === undefined || !(await this.#switch(found, pack, lock))) return undefined;
      return { changes: found.seq - found.base_seq, before, after: pack.bytes };
    } finally {
      await fs.removeFolder(gitdir);
    }
  }

  async #read(slug: HiveSlug): Promise<WholeRepository | undefined> {
    const { database } = this.#options;
    const [row] = await database.query(
      (sql) => sql<{ id: string }[]>`SELECT id FROM repository WHERE slug = ${slug} AND trash IS NULL`,
    );
    return row && readRepository(database, row.id);
  }

  async #requireRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#options.root);
    if (bavail * bsize > bytes) return;
    throw failure("disk-full", `Compaction needs ${Math.ceil(bytes / 1e6)} MB for a while.`);
  }

  /** @returns false when the repository is gone, or has another base. */
  #switch({ id, seq, base, base_seq }: WholeRepository, pack: StoredPack, lock: HeldLock): Promise<boolean> {
    return this.#options.database.transaction(async (sql) => {
      await assertHeldIn(sql, lock);
      const { count } = await sql`
        UPDATE repository SET base = ${pack.id}, base_seq = ${seq}
        WHERE id = ${id} AND base_seq = ${base_seq} AND base IS NOT DISTINCT FROM ${base}`;
      if (count !== 1) return false;
      await Promise.all(insertPack(sql, pack));
      await sql`INSERT INTO retired VALUES (${id}, ${seq}, ${base}, clock_timestamp())`;
      return true;
    });
  }
}

async function* readChecked(file: string, check: Check): AsyncGenerator<Uint8Array> {
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    await check();
    yield piece;
  }
}

async function runOrFail(gitdir: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const result = await runGit(gitdir, args, {
    leadsGroup: true,
    inBackground: true,
    timeLimitMs,
    signal,
  });
  if (result?.code === 0) return;
  throw new Error(`git could not compact a repository: ${result?.stderr.slice(0, 1_000) ?? "it is missing"}`);
}

/** How long statements about very many rows may take. */
const withinMs = 60_000;

/** Removes leftovers of failed writes and replaced packs, an hour later by the database's clock, for readers under way. */
export async function tidy(database: Database): Promise<void> {
  const retired = await database.query(
    (sql) => sql<{ repository: string; seq: number }[]>`
      SELECT repository, seq::float8 AS seq FROM retired
      WHERE at < clock_timestamp() - INTERVAL '1 hour' ORDER BY seq`,
  );
  for (const { repository, seq } of retired) await removeRetired(database, repository, seq);
  await database.transaction(
    async (sql) => {
      await sql`
        DELETE FROM part WHERE uploaded < clock_timestamp() - INTERVAL '1 hour'
          AND NOT EXISTS (SELECT 1 FROM pack WHERE pack.id = part.pack)`;
      await sql`DELETE FROM outcome WHERE at < clock_timestamp() - INTERVAL '1 hour'`;
      await sql`DELETE FROM state WHERE text IS NULL AND changed < clock_timestamp() - INTERVAL '1 hour'`;
      await sql`DELETE FROM job WHERE until < clock_timestamp() - INTERVAL '1 day'`;
    },
    { withinMs },
  );
}

/** Removes what a newer base has replaced: the base before it, the changes before `seq`, and the pack of the change `seq`. */
async function removeRetired(database: Database, repository: string, seq: number): Promise<void> {
  await database.transaction(
    async (sql) => {
      const packs = sql`
        SELECT pack FROM change WHERE repository = ${repository} AND seq <= ${seq} AND pack IS NOT NULL
        UNION ALL SELECT base FROM retired WHERE repository = ${repository} AND seq = ${seq} AND base IS NOT NULL`;
      await sql`DELETE FROM part WHERE pack IN (${packs})`;
      await sql`DELETE FROM pack WHERE id IN (${packs})`;
      await sql`DELETE FROM change WHERE repository = ${repository} AND seq < ${seq}`;
      await sql`UPDATE change SET pack = NULL WHERE repository = ${repository} AND seq = ${seq}`;
      await sql`DELETE FROM retired WHERE repository = ${repository} AND seq = ${seq}`;
    },
    { withinMs },
  );
}
