/** The trash of a database: its rows of repositories that have an id there. */
import type { HeldLock } from "../../disk/held-lock.ts";
import { SkepError } from "../../domain/errors.ts";
import {
  notInTrash,
  parseTrashId,
  toTrashId,
  type TrashEntry,
  type TrashId,
} from "../../domain/hives/trash.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { TrashedRepositories, TrashedRepository } from "../record/record.ts";
import type { CopiedRepository } from "./copied-repository.ts";
import type { CopiedSettings } from "./copied-settings.ts";
import type { Database } from "./database.ts";
import { checkQuota } from "./preconditions.ts";
import { isPostgresError } from "./faults.ts";
import type { Sql } from "./session.ts";

const uniqueViolation = "23505";

interface TrashOptions {
  readonly database: Database;
  readonly settings: CopiedSettings;
  /** See {@link StorageRecord.refresh}. */
  readonly refresh: (slugs: readonly HiveSlug[]) => Promise<void>;
}

function beingPlaced(slug: HiveSlug): SkepError<"busy"> {
  return new SkepError("busy", `Another server is creating or restoring the Hive "${slug}".`, {
    retryAfter: 5,
  });
}

/** Turns the error of a second repository in one place, which another server has put there, into `busy`. */
export function rethrowPlaced(slug: HiveSlug): (error: unknown) => never {
  return (error) => {
    throw isPostgresError(error) && error.code === uniqueViolation ? beingPlaced(slug) : error;
  };
}

interface FoundRepository {
  readonly id: string;
  readonly base: string | null;
}

/** Removes a repository for good, whose row is locked. */
async function removeRepository(sql: Sql, { id, base }: FoundRepository): Promise<void> {
  const packs = sql`SELECT pack FROM change WHERE repository = ${id} AND pack IS NOT NULL`;
  await sql`DELETE FROM part WHERE pack IN (${packs}) OR pack = ${base}`;
  await sql`DELETE FROM pack WHERE id IN (${packs}) OR id = ${base}`;
  await sql`DELETE FROM change WHERE repository = ${id}`;
  await sql`DELETE FROM ref WHERE repository = ${id}`;
  await sql`DELETE FROM repository WHERE id = ${id}`;
}

/** Removes a repository for good that was added and never listed. Another server may have moved it to the trash. */
export async function removeAdded(sql: Sql, repository: string): Promise<void> {
  const [found] = await sql<FoundRepository[]>`
    SELECT id, base FROM repository WHERE id = ${repository} FOR UPDATE`;
  if (found !== undefined) await removeRepository(sql, found);
}

/** Moves a repository to the trash, under the first id from a time on that no other one has. */
async function moveToFreeId(sql: Sql, repository: string, slug: HiveSlug, time: number): Promise<TrashId> {
  for (let at = time; ; at++) {
    const id = toTrashId(slug, at);
    const others = await sql`SELECT 1 FROM repository WHERE trash = ${id}`;
    if (others.length > 0) continue;
    await sql`UPDATE repository SET trash = ${id} WHERE id = ${repository}`;
    return id;
  }
}

/** The trash as rows of repositories. */
export function recordedTrash(
  { database, settings, refresh }: TrashOptions,
  copyOf: (slug: HiveSlug) => CopiedRepository,
): TrashedRepositories {
  /** Another server that found the repository unlisted may have moved it there already, under another id. */
  const takeBack = (repository: string, { slug, deleted }: Omit<TrashEntry, "team">, lock: HeldLock) => {
    const copy = copyOf(slug);
    return copy.queue.run(async () => {
      const { latest } = copy;
      const id = await settings.changePlace(lock, async (sql) => {
        const [found] = await sql<{ trash: TrashId | null }[]>`
          SELECT trash FROM repository WHERE id = ${repository} FOR UPDATE`;
        return found && (found.trash ?? (await moveToFreeId(sql, repository, slug, deleted)));
      });
      await copy.drop();
      copy.confirm(latest);
      return id;
    });
  };
  return {
    list: async () => {
      const rows = await database.query(
        (sql) => sql<{ id: TrashId; note: string | null }[]>`
          SELECT trash AS id, note FROM repository WHERE trash IS NOT NULL`,
      );
      const repositories = rows.map(({ id, note }): TrashedRepository => ({ id, note: note ?? undefined }));
      return { repositories, foreign: [] };
    },
    put: (slug, time, lock) => {
      const copy = copyOf(slug);
      return copy.queue.run(async () => {
        const present = await database.query(
          (sql) => sql`SELECT 1 FROM repository WHERE slug = ${slug} AND trash IS NULL`,
        );
        if (present.length === 0) return undefined;
        const { latest } = copy;
        const id = await settings.changePlace(lock, async (sql) => {
          const [found] = await sql<{ id: string }[]>`
            SELECT id FROM repository WHERE slug = ${slug} AND trash IS NULL FOR UPDATE`;
          return found && moveToFreeId(sql, found.id, slug, time);
        });
        await copy.drop();
        copy.confirm(latest);
        return id;
      });
    },
    date: async (id, time) => {
      const slug = parseTrashId(id)?.slug;
      if (slug === undefined) return;
      await database.transaction(async (sql) => {
        const [found] = await sql<{ id: string }[]>`SELECT id FROM repository WHERE trash = ${id} FOR UPDATE`;
        if (found !== undefined) await moveToFreeId(sql, found.id, slug, time);
      });
    },
    take: async (id, _team, lock, quota) => {
      const entry = parseTrashId(id);
      if (entry === undefined) throw notInTrash(id);
      const repository = await settings
        .changePlace(lock, async (sql) => {
          if (quota !== undefined) await checkQuota(sql, quota);
          const [taken] = await sql<{ id: string }[]>`
            UPDATE repository SET trash = NULL WHERE trash = ${id} RETURNING id`;
          if (taken === undefined) throw notInTrash(id);
          return taken.id;
        })
        .catch(rethrowPlaced(entry.slug));
      await refresh([entry.slug]);
      return (newLock) => takeBack(repository, entry, newLock);
    },
    remove: (id) =>
      database.transaction(async (sql) => {
        const [found] = await sql<FoundRepository[]>`
          SELECT id, base FROM repository WHERE trash = ${id} FOR UPDATE`;
        if (found !== undefined) await removeRepository(sql, found);
      }),
    noteHive: (slug, note, lock) =>
      settings.whileCurrent(
        lock,
        (sql) => sql`UPDATE repository SET note = ${note} WHERE slug = ${slug} AND trash IS NULL`,
      ),
    note: (id, note, lock) =>
      settings.whileCurrent(lock, (sql) => sql`UPDATE repository SET note = ${note} WHERE trash = ${id}`),
    notedHives: async () => {
      const rows = await database.query(
        (sql) => sql<{ slug: string; note: string }[]>`
          SELECT slug, note FROM repository WHERE trash IS NULL AND note IS NOT NULL`,
      );
      return new Map(rows.flatMap(({ slug, note }) => (isHiveSlug(slug) ? [[slug, note]] : [])));
    },
    strings: async (id) => {
      const [row] = await database.query(
        (sql) =>
          sql<{ strings: number }[]>`SELECT strings::float8 AS strings FROM repository WHERE trash = ${id}`,
      );
      return row?.strings ?? 0;
    },
  };
}
