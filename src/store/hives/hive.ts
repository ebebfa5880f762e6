/** One opened branch of a Hive: reads it at its HEAD and commits changes to it. */
import { setImmediate } from "node:timers/promises";
import type { DurableFs } from "../../disk/durable-fs.ts";
import {
  formatCommitMessage,
  skepCommitter,
  type CommitMetadata,
} from "../../domain/commits/commit-message.ts";
import type { BranchName } from "../../domain/commits/branch-name.ts";
import { isFailure } from "../../domain/errors.ts";
import { hiveReadme, readmePath } from "../../domain/hives/hive-readme.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import type { Steps } from "../../domain/steps.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { formatGroup } from "../../domain/strings/string-file.ts";
import { toContentInvalid, BareRepo, type CommitInfo } from "../../git/bare-repo.ts";
import { toCommit, toGitObject, type CommitFields, type GitObject } from "../../git/objects/git-object.ts";
import { changeTree, emptyTree, fileIn } from "../../git/objects/tree.ts";
import type { Branches } from "../../git/refs/branches.ts";
import type { TagTarget } from "../../git/refs/tags.ts";
import { inSlices } from "../../slices.ts";
import type { BranchRef } from "../../git/refs/branch-ref.ts";
import { HiveCache } from "../content/hive-cache.ts";
import { blobPath, type WrittenFile } from "../content/locale-files.ts";
import {
  readSettingsAt,
  settingsPath,
  Snapshot,
  type KnownContent,
  type StoredSettings,
} from "../content/snapshot.ts";
import { acceptedFolder, markersPath, staleFolder } from "../content/stale-markers.ts";
import type { RevisionStore } from "../history/revision-store.ts";
import { formatHiveSettings } from "../settings/hive-settings-file.ts";
import { OverviewReader, type OverviewAtHead } from "./hive-overview.ts";

/** The content of one commit. */
export interface HiveChange<Metadata = CommitMetadata> {
  readonly metadata: Metadata;
  readonly writes?: readonly FileWrite[];
  readonly staleMarkers?: readonly FileWrite[];
  /** The files of findings that were accepted. */
  readonly accepted?: readonly FileWrite[];
  /** Only on main, whose settings are those of all branches. */
  readonly settings?: HiveSettings;
  /** The commits that a merge brings in; then there is a commit even if nothing changes. */
  readonly parents?: readonly Oid[];
  /** What is taken as it is from objects that are not in the repository yet. */
  readonly adopted?: Adopted;
}

/** Objects that come with a commit. */
interface Adopted {
  /** The files that they bring, beside those of the change: path → blob, or undefined to remove the file. */
  readonly files: ReadonlyMap<string, Oid | undefined>;
  /** Makes the objects durable in the repository. */
  readonly adopt: () => Promise<void>;
}

/** What all branches of a Hive share. */
interface HiveParts {
  readonly repo: BareRepo;
  readonly cache: HiveCache;
  readonly revisions: () => RevisionStore;
}

/** How long a commit that was found invalid is not read again. */
const invalidCachedMs = 1_000;

/** The fields of a commit that come from its metadata. */
export function commitFields(
  metadata: CommitMetadata,
): Pick<CommitFields, "author" | "committer" | "message"> {
  return { author: metadata.author, committer: skepCommitter, message: formatCommitMessage(metadata) };
}

export class Hive {
  readonly #parts: HiveParts;
  readonly #repo: BareRepo;
  readonly #ref: BranchRef;
  /** Undefined for main itself. */
  readonly #main: Hive | undefined;
  readonly #overviews: OverviewReader;
  #last: Snapshot | undefined;
  #settings: StoredSettings | undefined;
  /** Whether leftovers of a crash were removed, which is done once, after the first commit. */
  #isTidy = false;
  /** The read that is under way, shared by all requests for the same commit. */
  #loading:
    | { readonly oid: Oid; readonly settings: Oid | undefined; readonly snapshot: Promise<Snapshot> }
    | undefined;

  /** Opens main, or another branch beside it. */
  constructor(parts: HiveParts, ref = parts.repo.main, main?: Hive) {
    this.#parts = parts;
    this.#repo = parts.repo;
    this.#ref = ref;
    this.#main = main;
    this.#overviews = new OverviewReader(parts.repo, parts.cache, () => this.#last);
  }

  /** Opens a branch of main's, which may be missing. It shares with main what both read. */
  branch(name: BranchName): Hive {
    return new Hive(this.#parts, this.#repo.branches.ref(name), this);
  }

  /** The Hive as it was at earlier commits. */
  get revisions(): RevisionStore {
    return this.#parts.revisions();
  }

  /** The cache of main. */
  get cache(): HiveCache {
    return this.#parts.cache;
  }

  /** The branches of the repository. */
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

  /** Whether its repository exists. */
  exists(): boolean {
    return this.#ref.exists();
  }

  /** Whether HEAD is still at a commit, by {@link BranchRef.recent}, and a tag, if given, still at its target. */
  isAt(oid: Oid, tag: TagTarget | undefined): boolean {
    return this.#ref.recent() === oid && (tag === undefined || this.revisions.tags.isAt(tag));
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
    const settings = this.#main && (await this.#main.settings());
    const oid = this.#ref.read();
    const last = this.#last;
    if (last?.commit.oid === oid && isFrom(last, settings)) return last;
    const loading = this.#loading;
    if (loading?.oid === oid && loading.settings === settings?.commit) return loading.snapshot;
    return this.#singleFlight(oid, settings, this.#load(oid, settings));
  }

  /** What a branch has that begins at a commit, with the settings that main has now. @throws as {@link snapshot}. */
  async beginningAt(oid: Oid): Promise<Snapshot> {
    const main = this.#main ?? this;
    const known = { previous: main.last, settings: await main.settings(), lazy: true };
    try {
      return await Snapshot.read(this.#repo, await this.#repo.readCommit(oid), known);
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }

  /** The settings at HEAD. @throws as {@link snapshot}. */
  async settings(): Promise<StoredSettings> {
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

  /** See {@link OverviewReader.isKnown}. */
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
   * @param assertLockHeld runs just before HEAD moves; if it throws, HEAD stays.
   * @param creates how many branches there may be, where the commit makes this one.
   * @returns the commit; the snapshot's own if nothing changed.
   * @throws SkepError `head-moved` when HEAD has moved meanwhile; as {@link Branches.create}.
   */
  async commit(
    snapshot: Snapshot,
    change: HiveChange,
    {
      now,
      assertLockHeld,
      creates,
    }: {
      readonly now: number;
      readonly assertLockHeld: () => Promise<void>;
      readonly creates?: number;
    },
  ): Promise<Oid> {
    const { blobs, paths, files } = await inSlices(toBlobs(change));
    const { parents: others = [], adopted } = change;
    const changed = changeTree(snapshot.tree, paths);
    if (changed.tree.oid === snapshot.tree.oid && others.length === 0) return snapshot.commit.oid;
    // So each commit of a branch has the settings that it was made with.
    const settings = this.#main && snapshot.storedSettings;
    const { tree, objects } =
      settings === undefined || fileIn(changed.tree, settingsPath) === settings.oid
        ? changed
        : changeTree(snapshot.tree, paths.set(settingsPath, settings.oid));
    // The line is searched by time, so times must not decrease even if the clock does. Those of other parents may be wrong.
    const time = Math.max(now, snapshot.commit.time);
    const parents = [snapshot.commit.oid, ...others];
    const commit = toCommit({ ...commitFields(change.metadata), tree: tree.oid, parents, time });
    const prepare = async (): Promise<void> => {
      await adopted?.adopt();
      await this.#repo.writeObjects([...blobs, ...objects, commit]);
    };
    const update = { next: commit.oid, prepare, assertLockHeld };
    if (creates === undefined) await this.#ref.update({ ...update, expected: snapshot.commit.oid });
    else await this.branches.create(this.#ref.name, update, creates);
    await this.#tidy();
    const info = { oid: commit.oid, tree: tree.oid, parents, time };
    this.#publishSnapshot(info, { previous: snapshot, settings, written: { tree, files } });
    return commit.oid;
  }

  /** Makes the snapshot of a new commit from what was just written, after the writer got its response. */
  #publishSnapshot(commit: CommitInfo, known: KnownContent): void {
    const take = async (): Promise<Snapshot> => {
      await setImmediate();
      try {
        this.#last = await Snapshot.read(this.#repo, commit, known);
        // Counted by what has changed, so that a list of very many Hives opens no repository after a start.
        if (this.#main === undefined) this.#overviews.keep(this.#last);
        return this.#last;
      } catch {
        return this.#load(commit.oid, known.settings);
      }
    };
    // The commit is made, whatever fails here; the next reader reads it from the repository.
    this.#singleFlight(commit.oid, known.settings, take()).catch(() => undefined);
  }

  async #tidy(): Promise<void> {
    if (this.#isTidy) return;
    this.#isTidy = true;
    try {
      await this.#repo.removeLeftovers();
    } catch {
      // Leftovers do no harm; the next start tries again.
    }
  }

  async #load(oid: Oid, settings: StoredSettings | undefined): Promise<Snapshot> {
    try {
      const commit = await this.#repo.readCommit(oid);
      const previous = this.#last ?? this.#main?.last;
      const snapshot = await Snapshot.read(this.#repo, commit, { previous, settings });
      const { folders } = snapshot;
      const known = new Set([...(await this.cache.checkedFolders()), ...(previous?.folders ?? [])]);
      await snapshot.check(known);
      // The cache has the folders of one branch, and most of these are those of the others.
      const isNew = this.#main === undefined && [...folders].some((folder) => !known.has(folder));
      if (isNew) await this.cache.keepCheckedFolders(folders);
      this.#repo.releasePacks();
      return (this.#last = snapshot);
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }
}

/** Whether a snapshot has the settings at a commit of main; of main itself it has its own. */
function isFrom({ storedSettings }: Snapshot, settings: StoredSettings | undefined): boolean {
  return settings === undefined || storedSettings.commit === settings.commit;
}

interface Blobs {
  readonly blobs: readonly GitObject[];
  readonly paths: Map<string, Oid | undefined>;
  readonly files: ReadonlyMap<Oid, WrittenFile>;
}

/** The blobs of a change, their paths, and the files they hold. */
function* toBlobs({
  writes = [],
  staleMarkers = [],
  accepted = [],
  settings,
  adopted,
}: HiveChange): Steps<Blobs> {
  const blobs: GitObject[] = [];
  const paths = new Map<string, Oid | undefined>(adopted?.files);
  const files = new Map<Oid, WrittenFile>();
  const put = (path: string, blob: GitObject): GitObject => {
    blobs.push(blob);
    paths.set(path, blob.oid);
    return blob;
  };
  for (const { locale, file, content } of writes) {
    yield;
    const path = blobPath(locale, file);
    if (content === undefined) paths.set(path, undefined);
    else {
      const { oid, bytes } = put(path, toGitObject("blob", formatGroup(content.group)));
      files.set(oid, { content, bytes: bytes.byteLength });
    }
  }
  const markers = [
    ...staleMarkers.map((write) => [staleFolder, write] as const),
    ...accepted.map((write) => [acceptedFolder, write] as const),
  ];
  for (const [folder, { locale, file, content }] of markers) {
    yield;
    const path = markersPath(folder, locale, file);
    if (content === undefined) paths.set(path, undefined);
    else put(path, toGitObject("blob", formatGroup(content.group)));
  }
  if (settings !== undefined) put(settingsPath, toGitObject("blob", formatHiveSettings(settings)));
  return { blobs, paths, files };
}

interface FirstCommit {
  readonly settings: HiveSettings;
  readonly metadata: CommitMetadata;
  /** In seconds since 1970. */
  readonly now: number;
}

/** Creates a repository with a first commit, durably. */
export async function initHive(
  fs: DurableFs,
  gitdir: string,
  { settings, metadata, now }: FirstCommit,
): Promise<void> {
  const repo = await BareRepo.init(fs, gitdir);
  const blob = toGitObject("blob", formatHiveSettings(settings));
  const readme = toGitObject("blob", hiveReadme);
  const paths = new Map([
    [settingsPath, blob.oid],
    [readmePath, readme.oid],
  ]);
  const { tree, objects } = changeTree(emptyTree, paths);
  const commit = toCommit({ ...commitFields(metadata), tree: tree.oid, parents: [], time: now });
  const prepare = (): Promise<void> => repo.writeObjects([blob, readme, ...objects, commit]);
  await repo.main.update({ expected: undefined, next: commit.oid, prepare });
  // So that a list of very many Hives opens no repository.
  const overview = { settings, stringCount: 0, translatableCount: 0 };
  await new HiveCache(fs, gitdir).keepOverview(commit.oid, overview);
}
