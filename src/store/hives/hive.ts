/** The opened repository of one Hive: reads it at HEAD and commits changes to it. */
import { setImmediate } from "node:timers/promises";
import type { DurableFs } from "../../disk/durable-fs.ts";
import {
  formatCommitMessage,
  skepCommitter,
  type CommitMetadata,
} from "../../domain/commits/commit-message.ts";
import { isFailure } from "../../domain/errors.ts";
import { hiveReadme, readmePath } from "../../domain/hives/hive-readme.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import type { Steps } from "../../domain/steps.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { formatFile } from "../../domain/strings/string-file.ts";
import { toContentInvalid, BareRepo, type CommitInfo } from "../../git/bare-repo.ts";
import {
  toBlob,
  toCommit,
  toGitObject,
  type CommitFields,
  type GitObject,
} from "../../git/objects/git-object.ts";
import { changeTree, emptyTree } from "../../git/objects/tree.ts";
import type { TagTarget } from "../../git/refs/tags.ts";
import { inSlices } from "../../slices.ts";
import type { CheckedFolders } from "../content/checked-folders.ts";
import { blobPath, type WrittenFile } from "../content/locale-files.ts";
import type { OverviewCache } from "../content/overview-cache.ts";
import { settingsPath, Snapshot } from "../content/snapshot.ts";
import { staleMarkersPath } from "../content/stale-markers.ts";
import type { RevisionStore } from "../history/revision-store.ts";
import { formatHiveSettings } from "../settings/hive-settings-file.ts";
import { OverviewReader, type OverviewAtHead } from "./hive-overview.ts";

/** The content of one commit. */
export interface HiveChange<Metadata = CommitMetadata> {
  readonly metadata: Metadata;
  readonly writes?: readonly FileWrite[];
  readonly staleMarkers?: readonly FileWrite[];
  readonly settings?: HiveSettings;
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
  /** The Hive as it was at earlier commits. */
  readonly revisions: RevisionStore;
  readonly #repo: BareRepo;
  readonly #checked: CheckedFolders;
  readonly #overviews: OverviewReader;
  #last: Snapshot | undefined;
  /** Whether leftovers of a crash were removed, which is done once, after the first commit. */
  #isTidy = false;
  /** The read that is under way, shared by all requests for the same commit. */
  #loading: { readonly oid: Oid; readonly snapshot: Promise<Snapshot> } | undefined;

  constructor(repo: BareRepo, checked: CheckedFolders, overviews: OverviewCache, revisions: RevisionStore) {
    this.#repo = repo;
    this.#checked = checked;
    this.revisions = revisions;
    this.#overviews = new OverviewReader(repo, overviews, () => this.#last);
  }

  /** The snapshot that was last read at HEAD, if it is in memory. */
  get last(): Snapshot | undefined {
    return this.#last;
  }

  /** The approximate memory use in bytes; see {@link Snapshot.bytes}. */
  get bytes(): number {
    return (this.#last?.bytes ?? 0) + this.revisions.bytes;
  }

  /** Drops everything from memory; it is read again on demand. */
  evict(): void {
    this.#last = undefined;
    this.revisions.evict();
  }

  /** Whether its repository exists. */
  exists(): boolean {
    return this.#repo.main.exists();
  }

  /** Whether HEAD is still at a commit, by {@link MainRef.recent}, and a tag, if given, still at its target. */
  isAt(oid: Oid, tag: TagTarget | undefined): boolean {
    return this.#repo.main.recent() === oid && (tag === undefined || this.revisions.tags.isAt(tag));
  }

  /**
   * The Hive at the current HEAD, even if another process moved it.
   * @throws SkepError `not-found` when there is no repository, `content-invalid` when HEAD holds no Hive.
   */
  async snapshot(): Promise<Snapshot> {
    const oid = this.#repo.main.read();
    if (this.#last?.commit.oid === oid) return this.#last;
    if (this.#loading?.oid === oid) return this.#loading.snapshot;
    return this.#singleFlight(oid, this.#load(oid));
  }

  /** Lets all callers that ask for a commit share one read of it. */
  async #singleFlight(oid: Oid, snapshot: Promise<Snapshot>): Promise<Snapshot> {
    const loading = { oid, snapshot };
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

  /** See {@link OverviewReader.read}. */
  overview(): Promise<OverviewAtHead> {
    return this.#overviews.read();
  }

  /**
   * Makes one commit on top of a snapshot and moves HEAD to it. Objects are durable before HEAD moves, and HEAD moves
   * only if it is still at the snapshot's commit.
   * @param now in seconds since 1970.
   * @param assertLockHeld runs just before HEAD moves; if it throws, HEAD stays.
   * @returns the commit; the snapshot's own if nothing changed.
   * @throws SkepError `head-moved` when HEAD has moved meanwhile.
   */
  async commit(
    snapshot: Snapshot,
    change: HiveChange,
    { now, assertLockHeld }: { readonly now: number; readonly assertLockHeld: () => Promise<void> },
  ): Promise<Oid> {
    const { blobs, paths, files } = await inSlices(toBlobs(change));
    const { tree, objects } = changeTree(snapshot.tree, paths);
    if (tree.oid === snapshot.tree.oid) return snapshot.commit.oid;
    // The history is searched by time, so times must not decrease even if the clock does.
    const time = Math.max(now, snapshot.commit.time);
    const parents = [snapshot.commit.oid];
    const commit = toCommit({ ...commitFields(change.metadata), tree: tree.oid, parents, time });
    const prepare = (): Promise<void> => this.#repo.writeObjects([...blobs, ...objects, commit]);
    await this.#repo.main.update({
      expected: snapshot.commit.oid,
      next: commit.oid,
      prepare,
      assertLockHeld,
    });
    await this.#tidy();
    const info = { oid: commit.oid, tree: tree.oid, parents, time };
    this.#publishSnapshot(info, { previous: snapshot, written: { tree, files } });
    return commit.oid;
  }

  /** Makes the snapshot of a new commit from what was just written, after the writer got its response. */
  #publishSnapshot(commit: CommitInfo, known: Parameters<typeof Snapshot.read>[2]): void {
    const take = async (): Promise<Snapshot> => {
      await setImmediate();
      try {
        return (this.#last = await Snapshot.read(this.#repo, commit, known));
      } catch {
        return this.#load(commit.oid);
      }
    };
    // The commit is made, whatever fails here; the next reader reads it from the repository.
    this.#singleFlight(commit.oid, take()).catch(() => undefined);
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

  async #load(oid: Oid): Promise<Snapshot> {
    try {
      const commit = await this.#repo.readCommit(oid);
      const snapshot = await Snapshot.read(this.#repo, commit, { previous: this.#last });
      const { folders } = snapshot;
      const checked = new Set([...(await this.#checked.read()), ...(this.#last?.folders ?? [])]);
      await snapshot.check(checked);
      if ([...folders].some((folder) => !checked.has(folder))) await this.#checked.write(folders);
      this.#repo.releasePacks();
      return (this.#last = snapshot);
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }
}

interface Blobs {
  readonly blobs: readonly GitObject[];
  readonly paths: ReadonlyMap<string, Oid | undefined>;
  readonly files: ReadonlyMap<Oid, WrittenFile>;
}

/** The blobs of a change, their paths, and the files they hold. */
function* toBlobs({ writes = [], staleMarkers = [], settings }: HiveChange): Steps<Blobs> {
  const blobs: GitObject[] = [];
  const paths = new Map<string, Oid | undefined>();
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
      const { oid, bytes } = put(path, yield* toBlob(yield* formatFile(content)));
      files.set(oid, { content, bytes: bytes.byteLength });
    }
  }
  for (const { locale, file, content } of staleMarkers) {
    yield;
    const path = staleMarkersPath(locale, file);
    if (content === undefined) paths.set(path, undefined);
    else put(path, yield* toBlob(yield* formatFile(content)));
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
}
