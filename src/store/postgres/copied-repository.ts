/**
 * The copy of one repository in the folder. A file in it says which change of which repository it has, and holds a digest
 * of its refs: a copy that was changed by something else is fetched anew.
 */
import { dirname, join } from "node:path";
import { z } from "zod";
import { statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { failure } from "../../domain/errors.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import { packedRefsPath, removeEmptyRefFolder, withoutPackedRef } from "../../git/refs/ref-files.ts";
import { mainRef, readRefs, replaceRefs } from "../../git/refs/refs.ts";
import { toOid } from "../../git/objects/git-object.ts";
import type { Database } from "./database.ts";
import { storePacks, UnreadablePack, type StoredPack } from "./packs.ts";
import { digestOf, isRecorded, withChange, type RefChange } from "./ref-digest.ts";
import { deletionNotePath } from "../record/folder-record.ts";
import { writeRepositoryId } from "../record/repository-id.ts";

const stateFile = "skep-copy";
/** How many changes are fetched at once. */
const changesAtOnce = 256;
/** Packs that are not larger are fetched with their changes. */
const smallPackBytes = 32 * 1024;
/** How long reading a list of changes may take. */
const readMs = 30_000;
/** How often a copy is begun anew because the record changed while it was fetched. */
const maxFetches = 3;

const stateForm = z.strictObject({
  id: z.uuid(),
  head: z.uuid(),
  seq: z.int(),
  digest: z.string(),
});
/** What a copy has: a change of a repository, and the digest of the refs after it. */
export type CopyState = z.output<typeof stateForm>;

/** The object ids of refs after a change, by their names; null for a deleted ref. */
export type RefChanges = Readonly<Record<string, string | null>>;

interface Change {
  readonly seq: number;
  readonly id: string;
  readonly refs: RefChanges;
  readonly pack: StoredPack | undefined;
}

/** The parts that a copy works with. */
export interface CopyOptions {
  readonly fs: DurableFs;
  readonly database: Database;
  /** The storage's folder. */
  readonly root: string;
  /** Called when another repository is in a Hive's place, or none. */
  readonly replaced: (slug: HiveSlug) => void;
  /** Called when another server has moved refs. */
  readonly changed: (slug: HiveSlug) => void;
}

export class CopiedRepository {
  /** Moves by this server and the application of others' changes, one after the other. */
  readonly queue = new Semaphore(1);
  readonly gitdir: string;
  readonly #options: CopyOptions;
  readonly #slug: HiveSlug;
  /** Undefined until it was read; null where there is no copy that can be used. */
  #state: CopyState | null | undefined;
  /**
   * The repository and the change that the record had when it was last asked; null for no repository. Each answer is an
   * object of its own, which {@link confirm} compares by identity.
   */
  latest: Pick<CopyState, "id" | "head"> | null | undefined;

  constructor(options: CopyOptions, slug: HiveSlug) {
    this.#options = options;
    this.#slug = slug;
    this.gitdir = join(options.root, "hives", `${slug}.git`);
  }

  /** When it was last asked for, on the clock of this process; 0 for never. */
  usedAt = 0;
  /** The change at which the record refused a move, although the folder was as the move expects. */
  #refusedAt: string | undefined;
  /** The last change at which the copy could not be read. */
  #doubtedAt: string | undefined;

  /** Whether it is known to be older than the record. */
  get isBehind(): boolean {
    // A copy whose state was not read yet may be older, too.
    if (this.#state == null) return this.latest === undefined ? !this.#hasStateFile() : this.latest !== null;
    return this.latest !== undefined && !this.#isAt(this.latest);
  }

  /** Whether there is something in its place. */
  get isInFolder(): boolean {
    return statNow(this.#options.fs.disk, this.gitdir) !== undefined;
  }

  /** Whether there is a copy in the folder. It may be deleted at any moment, so this looks each time. */
  #hasStateFile(): boolean {
    return statNow(this.#options.fs.disk, join(this.gitdir, stateFile)) !== undefined;
  }

  /** Whether it is there, and main was not moved after its state was written: by a move under way, or by another program. */
  #isIntact(): boolean {
    const { disk } = this.#options.fs;
    const state = statNow(disk, join(this.gitdir, stateFile));
    const main = statNow(disk, join(this.gitdir, mainRef));
    return state !== undefined && (main === undefined || main.ctimeNs <= state.ctimeNs);
  }

  #isAt(latest: Pick<CopyState, "id" | "head"> | null): boolean {
    if (latest === null || this.#state == null) return latest === null && this.#state === null;
    return this.#state.id === latest.id && this.#state.head === latest.head;
  }

  /** Makes the copy as new as the record was when it was last asked. */
  async catchUp(): Promise<void> {
    this.usedAt = performance.now();
    if (this.latest === undefined) return;
    const isIntact = this.latest === null || this.#isIntact();
    if (this.#isAt(this.latest) && this.#refusedAt === undefined && isIntact) return;
    await this.queue.run(async () => {
      const wasTouched = !this.#isIntact();
      if (wasTouched) this.#state = undefined;
      const state = await this.load();
      if (wasTouched && state !== null) await this.keep(state);
      const { latest } = this;
      // The record refused a move from this change: another program has changed the refs of the folder.
      if (this.#refusedAt !== undefined && latest?.head === this.#refusedAt) this.#state = null;
      this.#refusedAt = undefined;
      if (latest !== undefined && !this.#isAt(latest)) await this.#fetch();
      // A folder that is there without being a usable copy.
      else if (this.#state === null && (await this.#options.fs.isFolder(this.gitdir))) await this.drop();
      this.confirm(latest);
    });
  }

  /**
   * Notes that the record has the change that the copy has.
   * @param asked the value of {@link latest} before this was found out. If the record has answered since, its answer stays:
   * it may name a later change. An older answer may still come after this: then the copy counts as behind, and asks once
   * more. Only null has no identity, but no server deletes a Hive between its addition and this: no team has it yet.
   */
  confirm(asked: CopiedRepository["latest"]): void {
    if (this.latest === asked) this.latest = this.#state;
  }

  /** Reads the state of the copy; null where there is no copy that can be used. The caller is in its {@link queue}. */
  async load(): Promise<CopyState | null> {
    return (this.#state ??= (await this.#read()) ?? null);
  }

  async #read(): Promise<CopyState | undefined> {
    const text = await this.#options.fs.readText(join(this.gitdir, stateFile));
    const { data } = stateForm.safeParse(text === undefined ? undefined : jsonOrUndefined(text));
    if (data === undefined) return undefined;
    return digestOf(await readRefs(this.#options.fs, this.gitdir)) === data.digest ? data : undefined;
  }

  /** Notes that the folder has a further change. */
  async advance(to: Pick<CopyState, "head" | "seq">, changes: readonly RefChange[]): Promise<void> {
    if (this.#state == null) return;
    const digest = changes.reduce((sum, change) => withChange(sum, change), this.#state.digest);
    await this.keep({ ...this.#state, ...to, digest });
  }

  /** Writes the state of the copy. */
  async keep(state: CopyState): Promise<void> {
    await this.#options.fs.writeCache(join(this.gitdir, stateFile), JSON.stringify(state));
    this.#state = state;
  }

  /** See {@link Repositories.markUnreadable}. */
  markUnreadable(): void {
    if (this.#state == null || this.#state.head === this.#doubtedAt) return;
    this.#doubtedAt = this.#state.head;
    this.#refusedAt = this.#state.head;
  }

  /** Notes that the record refused a move from the change that the copy has. */
  noteRefusal(head: string): void {
    this.#refusedAt = head;
  }

  /** Takes the repository out of its place. It is removed ten minutes later, so that reads under way go on. */
  async drop(): Promise<void> {
    const { fs, root, replaced } = this.#options;
    if (await fs.isFolder(this.gitdir)) {
      // Not a name of what a write left: nobody else may remove it earlier.
      const aside = join(root, "hives", `.kept-${this.#slug}-${Date.now()}`);
      await fs.moveFolder(this.gitdir, aside);
      setTimeout(() => void fs.removeFolder(aside).catch(() => undefined), 600_000).unref();
    }
    this.#state = null;
    replaced(this.#slug);
  }

  /** Takes it out of its place to save room, unless it was used lately. @returns whether it did. */
  evict(unusedMs: number): Promise<boolean> {
    return this.queue.run(async () => {
      if (performance.now() - this.usedAt < unusedMs) return false;
      // A request for it from now on waits until it is gone, and fetches it.
      this.#state = null;
      await this.drop();
      return true;
    });
  }

  async #fetch(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        if (await this.#fetchOnce()) return;
      } catch (error) {
        // A compaction may have replaced the packs meanwhile.
        if (tries === maxFetches || !(error instanceof UnreadablePack)) throw error;
      }
    }
  }

  /** @returns whether it is as new as the record. */
  async #fetchOnce(): Promise<boolean> {
    const state = this.#state ?? undefined;
    const found = await this.#changesSince(state);
    if (found === undefined) {
      await this.drop();
      return true;
    }
    const [first, ...changes] = found.changes;
    if (state === undefined || first?.seq !== state.seq || first.id !== state.head || found.id !== state.id) {
      await this.#fetchWhole(found.id);
      return true;
    }
    await storePacks(
      this.#options,
      this.gitdir,
      changes.flatMap(({ pack }) => pack ?? []),
    );
    const moves = await this.#moveRefs(changes);
    const last = changes.at(-1);
    if (last !== undefined) {
      await this.advance({ head: last.id, seq: last.seq }, moves);
      this.#options.changed(this.#slug);
    }
    return changes.length < changesAtOnce;
  }

  /** The change that a copy has, and those after it; undefined where no repository is in this place. */
  async #changesSince(
    state: CopyState | undefined,
  ): Promise<{ readonly id: string; readonly changes: readonly Change[] } | undefined> {
    const rows = await this.#options.database.query(
      (sql) => sql<ChangeRow[]>`
        SELECT r.id AS repository, c.seq::float8 AS seq, c.id, c.refs, c.pack, p.parts, p.bytes::float8 AS bytes,
          p.objects::float8 AS objects, p.sha256, part.data
        FROM repository r
        LEFT JOIN change c ON c.repository = r.id AND c.seq >= ${state?.seq ?? -1} AND r.id = ${state?.id ?? null}
        LEFT JOIN pack p ON p.id = c.pack
        LEFT JOIN part ON part.pack = c.pack AND p.parts = 1 AND p.bytes <= ${smallPackBytes} AND c.seq > ${state?.seq ?? 0}
        WHERE r.slug = ${this.#slug} AND r.trash IS NULL
        ORDER BY c.seq LIMIT ${changesAtOnce + 1}`,
      readMs,
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    return { id: first.repository, changes: rows.flatMap((row) => toChange(row) ?? []) };
  }

  /** Moves refs without locks: no git process moves refs of a copy, and all moves by Skep are in the queue. */
  async #moveRefs(changes: readonly Change[]): Promise<readonly RefChange[]> {
    const { fs } = this.#options;
    const before = await readRefs(fs, this.gitdir);
    const after = new Map<string, string | null>();
    for (const { refs } of changes) {
      for (const [name, oid] of Object.entries(refs)) {
        if (!isRecorded(name)) throw failure("content-invalid", `The database holds a ref ${name}.`);
        after.set(name, oid);
      }
    }
    const moves: RefChange[] = [];
    for (const [name, next] of after) {
      const path = join(this.gitdir, name);
      moves.push({ name, before: before.get(name) ?? null, next });
      if (next === null) {
        const packed = (await fs.readText(packedRefsPath(this.gitdir))) ?? "";
        const without = withoutPackedRef(packed, name);
        if (without !== packed) await fs.writeCache(packedRefsPath(this.gitdir), without);
        await fs.removeFile(path);
      } else {
        await removeEmptyRefFolder(fs, this.gitdir, name);
        await fs.makeFolder(dirname(path));
        await fs.writeCache(path, `${next}\n`);
      }
    }
    return moves;
  }

  /** Fetches a repository as a whole beside its place, and moves it there. */
  async #fetchWhole(id: string): Promise<void> {
    const { replaced } = this.#options;
    const found = await readRepository(this.#options.database, id);
    if (found === undefined) return this.drop();
    const aside = join(this.#options.root, "hives", `.copy-${this.#slug}`);
    await fillRepository(this.#options, aside, found);
    await this.drop();
    await this.#options.fs.moveFolder(aside, this.gitdir);
    await writeRepositoryId(this.#options.fs, this.gitdir, id);
    const refs = new Map(Object.entries(found.refs).map(([name, oid]) => [name, toOid(oid)]));
    await this.keep({ id, head: found.head, seq: found.seq, digest: digestOf(refs) });
    replaced(this.#slug);
    this.#options.changed(this.#slug);
  }
}

/** A repository at one moment. */
export interface WholeRepository {
  readonly id: string;
  readonly head: string;
  readonly seq: number;
  readonly note: string | null;
  readonly refs: Readonly<Record<string, string>>;
  /** The pack of all objects up to the change of this number, if there is one. */
  readonly base: string | null;
  readonly base_seq: number;
  readonly packs: readonly StoredPack[];
}

/** Reads the refs and the list of packs of a repository; undefined where there is none. */
export function readRepository(
  database: Pick<Database, "snapshot">,
  id: string,
): Promise<WholeRepository | undefined> {
  return database.snapshot(async (sql) => {
    const [[found], refs, packs, bases] = await Promise.all([
      sql<
        Pick<WholeRepository, "head" | "seq" | "note" | "base" | "base_seq">[]
      >`SELECT head, seq::float8 AS seq, note, base, base_seq::float8 AS base_seq FROM repository WHERE id = ${id}`,
      sql<{ name: string; oid: string }[]>`SELECT name, oid FROM ref WHERE repository = ${id}`,
      sql<StoredPack[]>`
        SELECT p.id, p.parts, p.bytes::float8 AS bytes, p.objects::float8 AS objects, p.sha256
        FROM repository r
        JOIN change c ON c.repository = r.id AND c.seq > r.base_seq
        JOIN pack p ON p.id = c.pack
        WHERE r.id = ${id} ORDER BY c.seq`,
      sql<StoredPack[]>`
        SELECT p.id, p.parts, p.bytes::float8 AS bytes, p.objects::float8 AS objects, p.sha256
        FROM repository r JOIN pack p ON p.id = r.base WHERE r.id = ${id}`,
    ]);
    if (found === undefined) return undefined;
    const all = Object.fromEntries(refs.map(({ name, oid }) => [name, oid]));
    return { id, ...found, refs: all, packs: [...bases, ...packs] };
  }, readMs);
}

/** Makes a bare repository from the record. */
export async function fillRepository(
  options: Parameters<typeof storePacks>[0],
  gitdir: string,
  { refs, packs, note }: WholeRepository,
): Promise<void> {
  const { fs } = options;
  await fs.removeFolder(gitdir);
  await BareRepo.init(fs, gitdir);
  await storePacks(options, gitdir, packs);
  await replaceRefs(fs, gitdir, new Map(Object.entries(refs).map(([name, oid]) => [name, toOid(oid)])));
  if (note !== null) await fs.write(join(gitdir, deletionNotePath), note);
}

interface ChangeRow {
  readonly repository: string;
  readonly seq: number | null;
  readonly id: string | null;
  readonly refs: RefChanges;
  readonly pack: string | null;
  readonly parts: number;
  readonly bytes: number;
  readonly objects: number;
  readonly sha256: string;
  readonly data: Buffer | null;
}

function toChange({ seq, id, refs, pack, data, ...stored }: ChangeRow): Change | undefined {
  if (seq === null || id === null) return undefined;
  const { parts, bytes, objects, sha256 } = stored;
  const stores =
    pack === null ? undefined : { id: pack, parts, bytes, objects, sha256, data: data ?? undefined };
  return { seq, id, refs, pack: stores };
}
