/** One opened branch of a Hive: reads it at its HEAD and commits changes to it. */
import { setImmediate } from "node:timers/promises";
import type { BranchName } from "../../domain/commits/branch-name.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { isFailure } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import { toContentInvalid, type BareRepo } from "../../git/bare-repo.ts";
import { changeTree, fileIn } from "../../git/objects/tree.ts";
import type { Branches } from "../../git/refs/branches.ts";
import type { BranchRef } from "../../git/refs/ref.ts";
import type { TagTarget } from "../../git/refs/ref-folder.ts";
import {
  type HiveCache,
  OverviewReader,
  toRecorded,
  type HiveSources,
  type OverviewAtHead,
} from "../content/hive-cache.ts";
import { readSettingsAt, settingsPath, Snapshot, type StoredSettings } from "../content/snapshot.ts";
import type { RevisionStore } from "../history/revision-store.ts";
import type { QuotaClaim } from "../record/record.ts";
import { buildCommit, toBlobs, type HiveChange } from "./hive-commit.ts";

/** The parts that all branches of a Hive share. */
interface HiveParts extends HiveSources {
  readonly revisions: () => RevisionStore;
}

/** How long a commit that was found invalid is not read again. */
const invalidCachedMs = 1_000;

interface OpenedBranch {
  readonly ref: BranchRef;
  /** Called whenever its content was read into memory. */
  readonly used: (hive: Hive) => void;
}

export class Hive {
  readonly #parts: HiveParts;
  readonly #repo: BareRepo;
  readonly #ref: BranchRef;
  readonly #used: OpenedBranch["used"];
  /** Undefined for main itself. */
  readonly #main: Hive | undefined;
  readonly #overviews: OverviewReader;
  #last: Snapshot | undefined;
  #settings: StoredSettings | undefined;
  /** Whether leftovers of a crash were removed, which is done once, after the first commit. */
  #isCleanedUp = false;
  /** The read that is under way, shared by all requests for the same commit. */
  #loading:
    | { readonly oid: Oid; readonly settings: Oid | undefined; readonly snapshot: Promise<Snapshot> }
    | undefined;

  constructor(parts: HiveParts, { ref, used }: OpenedBranch, main?: Hive) {
    this.#parts = parts;
    this.#repo = parts.repo;
    this.#ref = ref;
    this.#used = used;
    this.#main = main;
    this.#overviews = new OverviewReader(parts, () => this.#last);
  }

  /** Opens a branch, which may be missing. It shares caches with main. */
  branch(name: BranchName, used: OpenedBranch["used"]): Hive {
    return new Hive(this.#parts, { ref: this.#repo.branches.ref(name), used }, this);
  }

  get revisions(): RevisionStore {
    return this.#parts.revisions();
  }

  /** The cache of main. */
  get cache(): HiveCache {
    return this.#parts.cache;
  }

  get branches(): Branches {
    return this.#repo.branches;
  }

  /** The snapshot that was last read at HEAD, if it is in memory. */
  get last(): Snapshot | undefined {
    return this.#last;
  }

  /** The approximate memory use in bytes; see {@link Snapshot.bytes}. */
  get bytes(): number {
    return (this.#last?.bytes ?? 0) + (this.#main === undefined ? this.revisions.bytes : 0);
  }

  /** Drops everything from memory; it is read again on demand. */
  evict(): void {
    this.#last = undefined;
    if (this.#main !== undefined) return;
    this.revisions.evict();
    this.cache.evict();
  }

  /** Whether HEAD is still at a commit, by {@link BranchRef.recent}, and a tag, if given, still at its target. */
  isAt(oid: Oid, tag: TagTarget | undefined): boolean {
    return (
      this.#ref.recent() === oid &&
      (tag === undefined || this.#repo.tags.keptRef(tag.name).recent() === tag.target)
    );
  }

  /** The commit of HEAD. @param as of when: see {@link BranchRef.recent}. @throws as {@link BranchRef.read}. */
  head(as: "now" | "recent" = "now"): Oid {
    return (as === "recent" ? this.#ref.recent() : undefined) ?? this.#ref.read();
  }

  /**
   * The Hive at the current HEAD, even if another process moved it; a branch has the settings that main has now.
   * @throws SkepError `not-found` when there is no repository, or no such branch; `content-invalid` when HEAD holds no
   * Hive.
   */
  async snapshot(): Promise<Snapshot> {
    await this.#parts.recorded?.catchUp();
    const snapshot = await this.#snapshot();
    this.#used(this);
    return snapshot;
  }

  async #snapshot(): Promise<Snapshot> {
    const settings = this.#main && (await this.#main.settings());
    const oid = this.#ref.read();
    const last = this.#last;
    // Main itself has its own settings.
    const hasSettings = settings === undefined || last?.storedSettings.commit === settings.commit;
    if (last?.commit.oid === oid && hasSettings) return last;
    const loading = this.#loading;
    if (loading?.oid === oid && loading.settings === settings?.commit) return loading.snapshot;
    return this.#singleFlight(oid, settings, this.#load(oid, settings));
  }

  /** The Hive at a commit that {@link RevisionStore.resolve} gave; see {@link RevisionStore.snapshotAt}. */
  async snapshotAt(oid: Oid, field: string): Promise<Snapshot> {
    await this.#parts.recorded?.catchUp();
    const main = this.#main ?? this;
    const snapshot = await this.revisions.snapshotAt(oid, field, main.last);
    main.#used(main);
    return snapshot;
  }

  /**
   * The first snapshot of a branch that begins at a commit: with the settings that main has now.
   * @throws as {@link snapshot}.
   */
  async snapshotForBranch(oid: Oid): Promise<Snapshot> {
    try {
      return await this.#readWith(oid, await (this.#main ?? this).settings());
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }

  /**
   * The Hive at a commit, to be compared with the present or with other commits: with the settings that main has now, and
   * with the target locales that one of the commits had besides, unless it had another source locale. The commit's own
   * settings do not tell which texts it has: a branch keeps the texts of a locale that main has lost, and a push can bring
   * texts of a locale that its commit does not know.
   * @param compared all of the commits, where there are others.
   * @throws UnreadablePath, or as {@link snapshot}.
   */
  async snapshotForDiff(oid: Oid, compared: readonly Oid[] = [oid]): Promise<Snapshot> {
    const stored = await (this.#main ?? this).settings();
    const { settings } = stored;
    const lost = await this.#lostLocales(settings, compared);
    if (lost.length === 0) return this.#readWith(oid, stored);
    const targetLocales = [...settings.targetLocales, ...lost];
    return this.#readWith(oid, { ...stored, settings: { ...settings, targetLocales } });
  }

  async #readWith(oid: Oid, settings: StoredSettings): Promise<Snapshot> {
    const main = this.#main ?? this;
    const known = this.#last?.commit.oid === oid ? this.#last : main.last;
    const snapshot = await this.revisions.read(oid, known, settings);
    main.#used(main);
    return snapshot;
  }

  /** The target locales that some commits had and the Hive has no more, unless they had another source locale. */
  async #lostLocales(present: HiveSettings, commits: readonly Oid[]): Promise<readonly Locale[]> {
    const lost = new Map<LocaleCode, Locale>();
    for (const oid of commits) {
      const own = await this.revisions.settings(oid);
      if (own?.sourceLocale.code !== present.sourceLocale.code) continue;
      for (const locale of own.targetLocales) lost.set(locale.code, locale);
    }
    for (const { code } of present.targetLocales) lost.delete(code);
    return [...lost.values()];
  }

  /** The settings at HEAD. @throws as {@link snapshot}. */
  async settings(): Promise<StoredSettings> {
    await this.#parts.recorded?.catchUp();
    const oid = this.#ref.read();
    if (this.#last?.commit.oid === oid) return this.#last.storedSettings;
    if (this.#settings?.commit === oid) return this.#settings;
    try {
      const known = this.#last?.storedSettings ?? this.#settings;
      return (this.#settings = await readSettingsAt(this.#repo, oid, known));
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }

  /** Lets all callers that ask for a commit share one read of it. */
  async #singleFlight(
    oid: Oid,
    settings: StoredSettings | undefined,
    snapshot: Promise<Snapshot>,
  ): Promise<Snapshot> {
    const loading = { oid, settings: settings?.commit, snapshot };
    this.#loading = loading;
    const done = (): void => {
      if (this.#loading === loading) this.#loading = undefined;
    };
    try {
      await snapshot;
      done();
    } catch (error) {
      // Invalid content is not read again and again: a broken Hive must not keep the server busy.
      if (isFailure(error, "content-invalid")) setTimeout(done, invalidCachedMs).unref();
      else done();
    }
    return snapshot;
  }

  /** Whether an overview is in memory, perhaps of an earlier HEAD. */
  get hasOverview(): boolean {
    return this.#overviews.isKnown;
  }

  /** See {@link OverviewReader.read}. */
  overview(): Promise<OverviewAtHead> {
    return this.#overviews.read();
  }

  /**
   * Makes one commit on top of a snapshot and moves HEAD to it. Objects are durable before HEAD moves, and HEAD moves
   * only if it is still at the snapshot's commit.
   * @param now in seconds since 1970.
   * @param lock checked just before HEAD moves; if it was lost, HEAD stays.
   * @param creates how many branches there may be, where the commit makes this one.
   * @param quota see {@link RefMove.quota}.
   * @returns the commit; the snapshot's own if nothing changed.
   * @throws SkepError `head-moved` when HEAD has moved meanwhile; as {@link Branches.create}.
   */
  async commit(
    snapshot: Snapshot,
    change: HiveChange,
    how: {
      readonly now: number;
      readonly lock: HeldLock;
      readonly creates?: number;
      readonly quota?: QuotaClaim;
    },
  ): Promise<Oid> {
    const { now, lock, creates, quota } = how;
    const { blobs, paths, files } = await toBlobs(change);
    const { metadata, parents: others = [], quarantined } = change;
    let changed = changeTree(snapshot.tree, paths);
    if (changed.tree.oid === snapshot.tree.oid && others.length === 0) return snapshot.commit.oid;
    // A branch takes over main's settings, so that each of its commits has the settings that it was made with.
    const settings = this.#main && snapshot.storedSettings;
    if (settings !== undefined && fileIn(changed.tree, settingsPath) !== settings.oid)
      changed = changeTree(snapshot.tree, paths.set(settingsPath, settings.oid));
    const { tree, objects } = changed;
    const { commit, object } = buildCommit({
      metadata,
      tree: tree.oid,
      parents: [snapshot.commit.oid, ...others],
      // Histories are searched by time, so times must not decrease even if the clock does. Times of other
      // parents may be wrong.
      time: Math.max(now, snapshot.commit.time),
    });
    const planned = [...blobs, ...objects, object];
    const prepare = async (): Promise<void> => {
      await quarantined?.migrate();
      await this.#repo.writeObjects(planned);
    };
    // The new snapshot is made once, from the files of this change.
    let reading: Promise<Snapshot> | undefined;
    const known = { previous: snapshot, settings, written: { tree, files } };
    const read = (): Promise<Snapshot> => (reading ??= Snapshot.read(this.#repo, commit, known));
    const move = this.#parts.recorded?.moveWith({
      objects: quarantined === undefined ? planned : undefined,
      overview: this.#main === undefined ? async () => toRecorded(await read()) : undefined,
      quota,
    });
    const update = { next: commit.oid, prepare, lock, move };
    if (creates === undefined) await this.#ref.update({ ...update, expected: snapshot.commit.oid });
    else await this.branches.create(this.#ref.name, update, creates);
    await this.#cleanUp();
    this.#publishSnapshot(commit.oid, settings, read);
    return commit.oid;
  }

  /** Reads the snapshot of a new commit after the writer got its response. */
  #publishSnapshot(oid: Oid, settings: StoredSettings | undefined, read: () => Promise<Snapshot>): void {
    const take = async (): Promise<Snapshot> => {
      await setImmediate();
      try {
        this.#last = await read();
        // Caches the counts of the changed snapshot, so that a list of very many Hives opens no repository after a start.
        if (this.#main === undefined) this.#overviews.keep(this.#last);
        return this.#last;
      } catch {
        return this.#load(oid, settings);
      }
    };
    // The commit is made, whatever fails here; the next reader reads it from the repository.
    this.#singleFlight(oid, settings, take()).catch(() => undefined);
  }

  async #cleanUp(): Promise<void> {
    if (this.#isCleanedUp) return;
    this.#isCleanedUp = true;
    // Leftovers do no harm; the next start tries again.
    await this.#repo.removeLeftovers().catch(() => undefined);
  }

  async #load(oid: Oid, settings: StoredSettings | undefined): Promise<Snapshot> {
    try {
      const commit = await this.#repo.readCommit(oid);
      const previous = this.#last ?? this.#main?.last;
      const snapshot = await Snapshot.read(this.#repo, commit, { previous, settings });
      const { folders } = snapshot;
      const known = new Set([...(await this.cache.checkedFolders()), ...(previous?.folders ?? [])]);
      await snapshot.check(known);
      // The cache has the folders of one branch, most of which the other branches share.
      const isNew = this.#main === undefined && [...folders].some((folder) => !known.has(folder));
      if (isNew) await this.cache.keepCheckedFolders(folders);
      this.#repo.releasePacks();
      return (this.#last = snapshot);
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }
}
