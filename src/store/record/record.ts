/**
 * The record holds the truth of a storage. It is the storage's folder, or a database. With a database, the folder is a
 * copy that may be deleted at any moment. Reads use the folder in both cases.
 */
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock, LockScope } from "../../disk/held-lock.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import type { TrashId } from "../../domain/hives/trash.ts";
import type { HiveSlug, Oid, TeamName } from "../../domain/names.ts";
import type { GitObject } from "../../git/objects/git-object.ts";
import type { CheckedMove, MoveRef } from "../../git/refs/ref.ts";

/** The record of one opened storage. */
export interface StorageRecord {
  readonly documents: Documents;
  readonly repositories: Repositories;
  readonly jobs: Jobs;
  /**
   * The version of the settings in the copy; undefined where the folder is the record. It changes with every change of
   * settings that the copy takes over: a lock that was taken under another version is lost, because what its holder has
   * read may no longer hold (see `LockOptions`).
   * @param scope counts only the changes that concern somebody who reads these.
   */
  readonly version: (scope?: LockScope) => string | undefined;
  /**
   * Makes the copy at least as new as the record was when this was called: the settings, and the repositories of some
   * Hives. For `all`, it only finds out which copies are behind ({@link Repositories.isBehind}); each is refreshed when it
   * is read. Does nothing where the folder is the record.
   * @throws SkepError `record-unavailable`.
   */
  readonly refresh: (hives: readonly HiveSlug[] | "all") => Promise<void>;
  /**
   * Fetches everything that the copy lacks, for callers that read its files. Missing where the folder is the record.
   */
  readonly completeCopy?: () => Promise<void>;
  /** Why a database does nothing, if it has said so lately. Missing where the folder is the record. */
  readonly problem?: () => string | undefined;
  /** How many connections to a database there are. Missing where the folder is the record. */
  readonly connections?: () => number;
  /**
   * How much disk a database takes, as it was within the last minute; NaN if unknown. Missing where the folder is the
   * record.
   */
  readonly bytes?: () => Promise<number>;
  /**
   * Finds out whether a record that could not store anything can again; a record that had no such fault does nothing.
   * @throws SkepError `disk-full`, `record-unavailable`.
   */
  readonly probe?: () => Promise<void>;
  /** Ends connections and timers. */
  readonly close: () => Promise<void>;
}

/** The parts of a storage that its record uses. */
export interface RecordParts {
  readonly fs: DurableFs;
  /** The storage's folder. */
  readonly root: string;
  /** Locks of the folder; they take their versions from the record. */
  readonly locks: Locks;
  /** The Hives of the opened storage, which a record with a copy tells of changes by others. */
  readonly hives: {
    /** Called when another repository is in a Hive's place, or none: nothing of the Hive may stay in memory. */
    readonly replaced: (slug: HiveSlug) => void;
    /** Called when refs of a Hive have moved in the folder. */
    readonly changed: (slug: HiveSlug) => void;
    /** The Hives whose changes somebody waits for. */
    readonly watched: () => readonly HiveSlug[];
  };
}

/** The files of a storage besides its repositories, by their paths in the storage, such as `teams/web.yaml`. */
export interface Documents {
  /**
   * Replaces settings. Rights depend on them, so every server knows of a change at its next request. Durable on return; on
   * failure the file stays as it was.
   * @param text undefined to remove the file.
   * @param lock checked just before the change. The change is only made if no settings have changed since the lock was
   * taken; a change made here does not count.
   * @throws SkepError `lock-lost`, `disk-full`, `record-unavailable`.
   */
  put(path: string, text: string | undefined, lock: HeldLock): Promise<void>;
  /**
   * Replaces a file that no plan of a write depends on, such as the sessions of a person, if it still has the text
   * `before`. Every server knows of the change at its next request, and no write has to be planned again.
   * @throws as {@link put}; SkepError `lock-lost` when the file has another text.
   */
  swap(path: string, texts: SwappedTexts, lock: HeldLock): Promise<void>;
  /**
   * Replaces the state of a job, such as what a webhook has received. No write depends on it; other servers see it about
   * a second later.
   * @throws as {@link put}.
   */
  putState(path: string, text: string | undefined, lock: HeldLock): Promise<void>;
  /** Reads a text that changes often and that no right depends on, such as claims. It is in no copy of a database. */
  read(path: string): Promise<string | undefined>;
  /**
   * Changes such a text; one change at a time over all servers.
   * @param change gives the text after it (undefined removes it), and a result. It may run more than once.
   */
  change<T>(
    path: string,
    change: (before: string | undefined) => Promise<readonly [after: string | undefined, result: T]>,
  ): Promise<T>;
  /** Files that grow by lines, such as the audit log. Lines are durable on return. */
  readonly lines: LineFiles;
}

/** The texts of a file; undefined where it is missing. */
export interface SwappedTexts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface LineFiles {
  append(path: string, lines: readonly string[]): Promise<void>;
  /** The lines of a file, the oldest first; none where it is missing. */
  read(path: string): AsyncIterable<string>;
  /** The same, the newest first; only some of them are in memory at a time. */
  readBackwards(path: string): AsyncIterable<string>;
  /** The names of the files in a folder. */
  list(folder: string): Promise<readonly string[]>;
  /** About how many bytes a file has; 0 where it is missing. */
  size(path: string): Promise<number>;
  remove(path: string): Promise<void>;
}

/** One move of a ref of a Hive's repository. */
export interface RefMove extends CheckedMove {
  readonly slug: HiveSlug;
  /**
   * All objects that the ref will reach and the record's refs do not reach. A caller that knows only some of them gives
   * none, such as after a push, of which it knows only the objects that Skep added. Then git finds them:
   * `rev-list --objects next --not` the record's refs.
   */
  readonly objects?: readonly GitObject[];
  /**
   * Computes the numbers that lists and quotas use after the move. Given for every move of main, and for no other ref. It
   * reads everything that the move changes. It gives undefined for a commit that cannot be read: then the recorded number
   * of strings stays as it is, and no overview is known.
   */
  readonly overview?: () => Promise<RecordedOverview | undefined>;
  /** The quota to check, if the move adds strings. */
  readonly quota?: QuotaClaim;
}

/** Numbers of a Hive, for which a record need not read its repository. */
export interface RecordedOverview {
  readonly strings: number;
  /** JSON, as {@link Repositories.overview} gives it back. */
  readonly overview: object;
}

/** The overview that was recorded with a move of main. */
export interface OverviewAtMain {
  /** The commit that main moved to. */
  readonly head: Oid;
  readonly overview: object;
}

/**
 * Takes a repository out of a Hive's place again, wherever it is by now, for a caller that has put it there and whose lock
 * was lost before the Hive was listed. No team may list the Hive.
 * @param lock under which the caller has found that.
 * @returns the repository's entry in the trash; undefined when it has none.
 * @throws SkepError `lock-lost`, `record-unavailable`.
 */
export type TakeBack = (lock: HeldLock) => Promise<TrashId | undefined>;

/** The quota of a team that a change must keep. */
export interface QuotaClaim {
  readonly team: TeamName;
  /** The team's other Hives. */
  readonly others: readonly HiveSlug[];
  /**
   * Checks the quota, while no other change can add strings to these Hives.
   * @param elsewhere how many strings the team's other Hives have together.
   * @throws SkepError `quota`.
   */
  readonly check: (elsewhere: number) => void;
}

/** A Hive, and the team that has it. */
export interface OwnedHive {
  readonly slug: HiveSlug;
  readonly team: TeamName;
}

/** The repositories of a storage's Hives. */
export interface Repositories {
  /**
   * Moves a ref: in the record, and then in the folder. The objects are in the folder already. The caller holds the ref's
   * lock in the folder until this ends, so nothing that a record does here may wait for that lock.
   * @param apply moves the ref in the folder. Where the folder is the record, that is all.
   * @param lock checked just before the move, as in {@link Documents.put}; of a lock with a scope, other settings may have
   * changed.
   * @throws SkepError `head-moved` when the record's ref is not as expected (the copy is behind: refresh, and plan again);
   * `lock-lost`; `quota`; `record-unavailable`; any error of `apply`, unless the record has the move already: then the
   * next refresh repairs the copy.
   */
  move(move: RefMove, apply: () => Promise<void>, lock?: HeldLock): Promise<void>;
  /**
   * Runs a function that plans and makes a move of a Hive's refs, while moves by other servers are refused as `head-moved`.
   * It waits for other servers that do the same. Missing where the folder is the record: its locks do this.
   * @throws SkepError `busy` when that takes too long; `record-unavailable`.
   */
  alone?<T>(slug: HiveSlug, run: () => Promise<T>): Promise<T>;
  /**
   * Adds the repository of a Hive, and moves it to the Hive's place, which must be empty.
   * @param aside the folder beside that place in which the caller has filled the repository.
   * @param lock under which the caller has decided this; checked just before, as in {@link Documents.put}.
   * @returns what removes it for good. Missing where the folder is the record: there the repository goes to the trash.
   * @throws SkepError `lock-lost`, `busy`, `record-unavailable`.
   */
  add(
    hive: OwnedHive,
    aside: string,
    recorded: RecordedOverview,
    lock: HeldLock,
  ): Promise<TakeBack | undefined>;
  /** How many source strings some Hives have; undefined where the folder is the record: then the caller counts. */
  strings(slugs: readonly HiveSlug[]): Promise<number | undefined>;
  /** The overview last recorded for a Hive; undefined where none is known. It does not need the Hive's copy. */
  overview(slug: HiveSlug): Promise<OverviewAtMain | undefined>;
  /**
   * Whether the folder's copy of a repository is known to be older than the record. {@link StorageRecord.refresh} with the
   * Hive updates it. Missing where the folder is the record.
   */
  readonly isBehind?: (slug: HiveSlug) => boolean;
  /**
   * Notes that the folder's copy of a repository cannot be read, so that the next refresh fetches it anew. This is done
   * once for each change of the record, because the fault may be in the record. Missing where the folder is the record.
   */
  readonly markUnreadable?: (slug: HiveSlug) => void;
  /**
   * The Hives with branches that were deleted at a time, in milliseconds since 1970, or before. Missing where the folder is
   * the record.
   */
  readonly withBranchesDeletedBy?: (time: number) => Promise<readonly HiveSlug[]>;
  /** Missing where the folder is the record: then the folder is packed, as every copy is. */
  readonly compaction?: Compaction;
  readonly trash: TrashedRepositories;
}

/** The result of a compaction. */
export interface Compacted {
  /** How many changes became a part of the base. */
  readonly changes: number;
  /** The bytes of the repository's packs in the record, before and after. */
  readonly before: number;
  readonly after: number;
}

/** Replaces the packs of many changes by one, so that a record takes less space for a repository. */
export interface Compaction {
  /** Finds, among some or all Hives, the ones whose compaction saves much space or time. */
  grown(slugs: readonly HiveSlug[] | "all"): Promise<readonly HiveSlug[]>;
  /**
   * Replaces the packs of a Hive's repository in the record by one pack of all objects that its refs reach.
   * @param lock of the job; it is checked in the transaction that replaces the packs.
   * @returns undefined when there was nothing to do, or the repository was compacted or deleted meanwhile.
   * @throws SkepError `lock-lost`, `disk-full`, `record-unavailable`; the signal's reason; Error when git fails.
   */
  compact(slug: HiveSlug, lock: HeldLock, signal: AbortSignal): Promise<Compacted | undefined>;
}

/** A repository in the trash. */
export interface TrashedRepository {
  readonly id: TrashId;
  /** The text of its deletion note. */
  readonly note: string | undefined;
}

/**
 * The repositories of deleted Hives. A repository may have a deletion note, which is written before it is put here, and
 * stays with it when it is taken out. Whether a repository belongs here depends on the teams' lists, so each change takes
 * the lock under which its caller has read them, and is only made while that lock is held, as in {@link Documents.put}.
 * What has an id here is removed and dated by that id alone.
 */
export interface TrashedRepositories {
  /** All, in no order, and the names of files and folders in the trash that Skep did not put there. */
  list(): Promise<{
    readonly repositories: readonly TrashedRepository[];
    readonly foreign: readonly string[];
  }>;
  /**
   * Moves the repository in a Hive's place to the trash; undefined when there is none.
   * @param time of the deletion in milliseconds since 1970; a little later if another one has that time.
   * @throws SkepError `lock-lost`, `record-unavailable`.
   */
  put(slug: HiveSlug, time: number, lock: HeldLock): Promise<TrashId | undefined>;
  /**
   * Moves a repository to its Hive's place, which must be empty.
   * @param team that has it from now on.
   * @param quota of that team, where the repository has strings.
   * @returns what moves it back to the trash, under the same id where that is free.
   * @throws SkepError `lock-lost`, `quota`, `busy`, `record-unavailable`; when it is not in the trash.
   */
  take(id: TrashId, team: TeamName, lock: HeldLock, quota?: QuotaClaim): Promise<TakeBack>;
  /** Gives a repository the id for another time of its deletion, as {@link put} does, if it exists. */
  date(id: TrashId, time: number): Promise<void>;
  /** Removes a repository for good, if it exists. */
  remove(id: TrashId): Promise<void>;
  /** Writes the deletion note of the repository in a Hive's place, if there is one. */
  noteHive(slug: HiveSlug, note: string, lock: HeldLock): Promise<void>;
  /** Writes the deletion note of a repository in the trash. */
  note(id: TrashId, note: string, lock: HeldLock): Promise<void>;
  /** The Hives with repositories in their places that have a deletion note, with these. */
  notedHives(): Promise<ReadonlyMap<HiveSlug, string>>;
  /** How many source strings a repository has; undefined where the folder is the record: then the caller counts. */
  strings(id: TrashId): Promise<number | undefined>;
  /** The folder of a repository, for verification and backups. Missing where a database is the record. */
  readonly folderOf?: (id: TrashId) => string;
}

/** Work that one server at a time does: packing, mirrors, webhooks, removal of what expired. */
export interface Jobs {
  /**
   * Runs a function if no other server or process does the job of that name.
   * @param run has to check its lock before it writes a result.
   * @param hives are refreshed first, and so are the states of jobs, so that `run` sees the work of the server that had
   * the job before.
   * @throws SkepError `busy` when another one does it; as {@link StorageRecord.refresh} does.
   */
  hold<T>(name: string, run: (lock: HeldLock) => Promise<T>, hives?: readonly HiveSlug[]): Promise<T>;
}

/** The parts of a record that the stores of Hives use. */
export type HiveRecord = Pick<StorageRecord, "repositories" | "refresh">;

export class RecordedHive {
  readonly #record: HiveRecord;
  readonly #slug: HiveSlug;

  constructor(record: HiveRecord, slug: HiveSlug) {
    this.#record = record;
    this.#slug = slug;
  }

  /** Makes a move of one of its refs; see {@link Repositories.move}. */
  readonly move = (move: Omit<RefMove, "slug">, apply: () => Promise<void>, lock?: HeldLock): Promise<void> =>
    this.#record.repositories.move({ ...move, slug: this.#slug }, apply, lock);

  /** As {@link move}, with objects, overview and quota that the caller knows. */
  moveWith(known: Pick<RefMove, "objects" | "overview" | "quota">): MoveRef {
    return (move, apply, lock) => this.move({ ...move, ...known }, apply, lock);
  }

  /** Runs a function while no other server moves its refs, on its newest state; see {@link Repositories.alone}. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const { repositories } = this.#record;
    const refreshed = (): Promise<T> => this.refresh().then(run);
    return repositories.alone?.(this.#slug, refreshed) ?? refreshed();
  }

  /** Whether its repository in the folder is known to be older than the record. */
  get isBehind(): boolean {
    return this.#record.repositories.isBehind?.(this.#slug) ?? false;
  }

  /** Makes its repository in the folder at least as new as the record is now. */
  refresh(): Promise<void> {
    return this.#record.refresh([this.#slug]);
  }

  /**
   * Refreshes it if it {@link isBehind}. Call it before reading the refs or files of a Hive that the request does not
   * name.
   */
  async catchUp(): Promise<void> {
    if (this.isBehind) await this.refresh();
  }

  /** See {@link Repositories.overview}. */
  overview(): Promise<OverviewAtMain | undefined> {
    return this.#record.repositories.overview(this.#slug);
  }
}
