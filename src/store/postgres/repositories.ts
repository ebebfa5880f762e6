/** The repositories of Hives in a database, and the moves of their refs. */
import { randomUUID } from "node:crypto";
import { failure, type SkepError } from "../../domain/errors.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { toOid } from "../../git/objects/git-object.ts";
import { packPieces } from "../../git/packs/pack-writer.ts";
import { openRefs, Ref } from "../../git/refs/ref.ts";
import { mainRef, readRefs } from "../../git/refs/refs.ts";
import type {
  Compaction,
  OverviewAtMain,
  OwnedHive,
  RecordedOverview,
  RefMove,
  Repositories,
  TakeBack,
  TrashedRepositories,
} from "../record/record.ts";
import { RecordedCompaction } from "./compaction.ts";
import { CopiedRepository, type CopyOptions, type CopyState, type RefChanges } from "./copied-repository.ts";
import type { CopiedSettings } from "./copied-settings.ts";
import { assertHeldIn, Leases } from "./jobs.ts";
import { checkQuota, haveChanged } from "./preconditions.ts";
import { insertPack, packRevisions, uploadPack, type StoredPack } from "./packs.ts";
import { digestOf, isRecorded } from "./ref-digest.ts";
import { recordedTrash, removeAdded, rethrowPlaced } from "./recorded-trash.ts";
import { writeRepositoryId } from "../record/repository-id.ts";
import { textArray, type Sql } from "./session.ts";

export interface RepositoryOptions extends CopyOptions {
  readonly settings: CopiedSettings;
  /** Called after a move. */
  readonly moved: (slug: HiveSlug) => void;
  /** See {@link StorageRecord.refresh}. */
  readonly refresh: (slugs: readonly HiveSlug[]) => Promise<void>;
}

/**
 * The lease of a writer that another server has overtaken. Other servers wait for at most two seconds when its server has
 * died, and for a plan at most twelve.
 */
const writerLease = { leaseMs: 2_000, renewEveryMs: 700, renewForMs: 10_000, waitMs: 30_000 };

export class RecordedRepositories implements Repositories {
  readonly trash: TrashedRepositories;
  readonly compaction: Compaction;
  readonly #options: RepositoryOptions;
  readonly #writers: Leases;
  readonly #copies = new Map<HiveSlug, CopiedRepository>();
  /** Hives whose overviews are read by one query. */
  #asked:
    | { readonly slugs: Set<HiveSlug>; readonly rows: Promise<ReadonlyMap<string, OverviewAtMain>> }
    | undefined;

  constructor(options: RepositoryOptions) {
    this.#options = options;
    this.#writers = new Leases(options.database, writerLease);
    this.compaction = new RecordedCompaction(options);
    this.trash = recordedTrash(options, (slug) => this.copy(slug));
  }

  /** The copy of a Hive's repository, which may be missing. */
  copy(slug: HiveSlug): CopiedRepository {
    const copy = this.#copies.get(slug) ?? new CopiedRepository(this.#options, slug);
    this.#copies.set(slug, copy);
    return copy;
  }

  /** The copy of a Hive's repository, if it is in the folder or was used: unknown slugs take no memory. */
  present(slug: HiveSlug): CopiedRepository | undefined {
    const copy = this.#copies.get(slug) ?? new CopiedRepository(this.#options, slug);
    return this.#copies.has(slug) || copy.isInFolder ? this.copy(slug) : undefined;
  }

  /** All copies that were used. */
  get copies(): ReadonlyMap<HiveSlug, CopiedRepository> {
    return this.#copies;
  }

  readonly markUnreadable = (slug: HiveSlug): void => this.copy(slug).markUnreadable();

  /** Counts as a use of the copy, since the caller is about to read it. */
  readonly isBehind = (slug: HiveSlug): boolean => {
    const copy = this.#copies.get(slug) ?? new CopiedRepository(this.#options, slug);
    if (!this.#copies.has(slug) && copy.isInFolder) this.#copies.set(slug, copy);
    copy.usedAt = performance.now();
    return copy.isBehind;
  };

  /** See {@link Repositories.alone}. The lease only saves work: that no move is lost does not depend on it. */
  alone<T>(slug: HiveSlug, run: () => Promise<T>): Promise<T> {
    return this.#writers.hold(writing(slug), run);
  }

  async move(move: RefMove, apply: () => Promise<void>, lock?: HeldLock): Promise<void> {
    const { fs } = this.#options;
    const copy = this.copy(move.slug);
    const overview = await move.overview?.();
    await copy.queue.run(async () => {
      const state = await copy.load();
      // Another server's move may have come to the folder since the caller read the ref.
      if (state === null || new Ref(openRefs(fs, copy.gitdir), move.name).find() !== move.expected)
        throw behind();
      const pack = move.next === undefined ? undefined : await this.#upload(move);
      const { latest } = copy;
      const made = await this.#moveIn(state, { ...move, pack, recorded: overview }, lock);
      if (made === "waits") throw behind();
      if (made === undefined) {
        copy.noteRefusal(state.head);
        throw behind();
      }
      try {
        await apply();
      } catch {
        // The record has the move; the next refresh applies it to the copy.
        if (copy.latest === latest) copy.latest = { ...state, ...made };
        return;
      }
      await copy.advance(made, [{ name: move.name, before: move.expected ?? null, next: move.next ?? null }]);
      copy.confirm(latest);
    });
    this.#options.moved(move.slug);
  }

  async #upload({ gitdir, name, next, objects }: RefMove): Promise<StoredPack | undefined> {
    const { fs, database } = this.#options;
    if (objects !== undefined) return uploadPack(database, packPieces(objects));
    const refs = await readRefs(fs, gitdir);
    const known = [...refs].flatMap(([ref, oid]) => (isRecorded(ref) && ref !== name ? [oid] : []));
    const before = refs.get(name);
    return packRevisions(database, gitdir, [
      next ?? "",
      ...[...known, before ?? []].flat().map((oid) => `^${oid}`),
    ]);
  }

  /**
   * @returns the change; undefined when the record's ref, or the repository's last change, is another one; `waits` while
   * another server moves refs alone.
   */
  async #moveIn(
    { id: repository, head, seq }: CopyState,
    move: RefMove & {
      readonly pack: StoredPack | undefined;
      readonly recorded: RecordedOverview | undefined;
    },
    lock: HeldLock | undefined,
  ): Promise<Pick<CopyState, "head" | "seq"> | "waits" | undefined> {
    const { database, settings } = this.#options;
    const since = lock && (await settings.heldState(lock));
    const change = async (sql: Sql, id: string): Promise<"made" | Refusal> => {
      const changed = since && haveChanged(sql, since, lock.scope);
      const waits = this.#writers.isTaken(sql, writing(move.slug));
      if (move.quota !== undefined) await checkQuota(sql, move.quota);
      const main = move.name === mainRef ? { ...move.recorded, head: move.next } : undefined;
      const moved =
        main === undefined ? moveHead(sql, id, repository, head) : moveMain(sql, id, repository, head, main);
      const refs: RefChanges = { [move.name]: move.next ?? null };
      const answers = [
        moved,
        moveRef(sql, repository, move),
        sql`
          INSERT INTO change VALUES (${repository}, ${seq + 1}, ${id}, ${JSON.stringify(refs)}::text::jsonb,
            ${move.pack?.id ?? null}, clock_timestamp())`.execute(),
        ...(move.pack === undefined ? [] : insertPack(sql, move.pack)),
      ];
      // After a move by another server the first two change no row, and the INSERT fails: its number is taken.
      await Promise.allSettled(answers);
      if ((await changed) === true) return "lost";
      if (await waits) return "waits";
      for (const [i, answer] of answers.entries()) if (i < 2 && (await countOf(answer)) !== 1) return "moved";
      await Promise.all(answers);
      if (lock !== undefined) await assertHeldIn(sql, lock);
      return "made";
    };
    const settle = async (sql: Sql, id: string): Promise<boolean> => {
      await sql`SELECT head FROM repository WHERE id = ${repository} FOR UPDATE`;
      return (await sql`SELECT 1 FROM change WHERE id = ${id}`).length === 1;
    };
    let made = "";
    const outcome = await database
      .transaction(
        async (sql, id) => {
          const result = await change(sql, id);
          if (result !== "made") throw new NotMade(result);
          made = id;
          return result;
        },
        { settle },
      )
      .catch((error: unknown) => {
        if (error instanceof NotMade) return error.why;
        throw error;
      });
    if (outcome === "lost" && lock !== undefined) throw await settings.lost(lock);
    if (outcome === "made") return { head: made, seq: seq + 1 };
    return outcome === "waits" ? outcome : undefined;
  }

  async add(
    { slug }: OwnedHive,
    aside: string,
    { strings, overview }: RecordedOverview,
    lock: HeldLock,
  ): Promise<TakeBack> {
    const { fs, database, settings } = this.#options;
    const copy = this.copy(slug);
    const id = randomUUID();
    const refs = new Map([...(await readRefs(fs, aside))].filter(([name]) => isRecorded(name)));
    const pack = await packRevisions(database, aside, [...refs.values()]);
    await writeRepositoryId(fs, aside, id);
    await copy.queue.run(async () => {
      const { latest } = copy;
      const head = await settings
        .changePlace(lock, async (sql, change) => {
          await sql`
            INSERT INTO repository VALUES (${id}, ${slug}, ${change}, 1, ${strings}, ${JSON.stringify(overview)}::text::jsonb,
              ${refs.get(mainRef) ?? null}, NULL, NULL, 0, NULL)`;
          await insertFirstChange(sql, { id, change, seq: 1, refs, pack });
          return change;
        })
        .catch(rethrowPlaced(slug));
      await copy.drop();
      await fs.moveFolder(aside, copy.gitdir);
      await copy.keep({ id, head, seq: 1, digest: digestOf(refs) });
      copy.confirm(latest);
    });
    this.#options.moved(slug);
    return (newLock) =>
      copy.queue.run(async () => {
        await settings.changePlace(newLock, (sql) => removeAdded(sql, id));
        await copy.drop();
        return undefined;
      });
  }

  async strings(slugs: readonly HiveSlug[]): Promise<number> {
    const [row] = await this.#options.database.query(
      (sql) => sql<{ sum: number }[]>`
        SELECT COALESCE(sum(strings), 0)::float8 AS sum FROM repository
        WHERE slug = ANY(${textArray(slugs)}::text[]) AND trash IS NULL`,
    );
    return row?.sum ?? 0;
  }

  readonly withBranchesDeletedBy = async (time: number): Promise<readonly HiveSlug[]> => {
    const rows = await this.#options.database.query(
      (sql) => sql<{ slug: string }[]>`
        SELECT DISTINCT slug FROM ref JOIN repository ON id = repository AND trash IS NULL
        WHERE substring(name FROM '^refs/skep/deleted/([0-9]{1,15})/')::bigint <= ${time}`,
    );
    return rows.map(({ slug }) => slug).filter(isHiveSlug);
  };

  async overview(slug: HiveSlug): Promise<OverviewAtMain | undefined> {
    if (this.#asked === undefined) {
      const slugs = new Set<HiveSlug>();
      const rows = Promise.resolve().then(() => {
        this.#asked = undefined;
        return this.#readOverviews([...slugs]);
      });
      this.#asked = { slugs, rows };
    }
    const { slugs, rows } = this.#asked;
    slugs.add(slug);
    return (await rows).get(slug);
  }

  async #readOverviews(slugs: readonly HiveSlug[]): Promise<ReadonlyMap<string, OverviewAtMain>> {
    const rows = await this.#options.database.query(
      (sql) => sql<{ slug: string; head: string; overview: object }[]>`
        SELECT slug, overview_head AS head, overview FROM repository
        WHERE slug = ANY(${textArray(slugs)}::text[]) AND trash IS NULL AND overview IS NOT NULL
          AND overview_head IS NOT NULL`,
    );
    return new Map(rows.map(({ slug, head, overview }) => [slug, { head: toOid(head), overview }]));
  }
}

/** The name of the lease of a Hive's writers. */
function writing(slug: HiveSlug): string {
  return `write-${slug}`;
}

/** Why a move is not made: its ref or repository has moved, its lock was lost, or another server moves refs alone. */
type Refusal = "moved" | "lost" | "waits";

/** Thrown in a transaction to roll it back. */
class NotMade extends Error {
  readonly why: Refusal;

  constructor(why: Refusal) {
    super(why);
    this.why = why;
  }
}

function behind(): SkepError {
  return failure("head-moved", "The Hive was changed by another server.");
}

async function countOf(answer: Promise<unknown>): Promise<number> {
  const result = await answer;
  return typeof result === "object" && result !== null && "count" in result ? Number(result.count) : 0;
}

function moveHead(sql: Sql, id: string, repository: string, head: string): Promise<unknown> {
  return sql`
    UPDATE repository SET head = ${id}, seq = seq + 1
    WHERE id = ${repository} AND head = ${head} AND trash IS NULL`.execute();
}

function moveMain(
  sql: Sql,
  id: string,
  repository: string,
  head: string,
  { strings, overview, head: main }: Partial<RecordedOverview> & { readonly head: string | undefined },
): Promise<unknown> {
  const text = overview === undefined ? null : JSON.stringify(overview);
  return sql`
    UPDATE repository SET head = ${id}, seq = seq + 1, strings = COALESCE(${strings ?? null}::bigint, strings),
      overview = ${text}::text::jsonb, overview_head = ${main ?? null}
    WHERE id = ${repository} AND head = ${head} AND trash IS NULL`.execute();
}

function moveRef(sql: Sql, repository: string, { name, expected, next }: RefMove): Promise<unknown> {
  if (expected === undefined) {
    return sql`INSERT INTO ref VALUES (${repository}, ${name}, ${next ?? ""}) ON CONFLICT DO NOTHING`.execute();
  }
  return next === undefined
    ? sql`DELETE FROM ref WHERE repository = ${repository} AND name = ${name} AND oid = ${expected}`.execute()
    : sql`
        UPDATE ref SET oid = ${next}
        WHERE repository = ${repository} AND name = ${name} AND oid = ${expected}`.execute();
}

/** Inserts a repository's first change: its refs, and a pack of all objects. */
export async function insertFirstChange(
  sql: Sql,
  {
    id,
    change,
    seq,
    refs,
    pack,
  }: {
    readonly id: string;
    readonly change: string;
    readonly seq: number;
    readonly refs: ReadonlyMap<string, string>;
    readonly pack: StoredPack | undefined;
  },
): Promise<void> {
  const rows = Array.from(refs, ([name, oid]) => ({ repository: id, name, oid }));
  for (let at = 0; at < rows.length; at += 1_000)
    await sql`INSERT INTO ref ${sql(rows.slice(at, at + 1_000))}`;
  if (pack !== undefined) await Promise.all(insertPack(sql, pack));
  const json = JSON.stringify(Object.fromEntries(refs));
  await sql`
    INSERT INTO change VALUES (${id}, ${seq}, ${change}, ${json}::text::jsonb, ${pack?.id ?? null}, clock_timestamp())`;
}
