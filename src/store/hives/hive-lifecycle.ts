/** Creates Hives, moves them to the trash and back, and repairs their settings. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { deletionTime, hasExpired, isUndated } from "../../domain/deletion-time.ts";
import { type CommitMetadata, commandAuthor } from "../../domain/commits/commit-message.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { isFailure } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { TrashEntry, TrashId } from "../../domain/hives/trash.ts";
import type { HiveSlug, TeamName, Oid } from "../../domain/names.ts";
import type {
  OwnedHive,
  QuotaClaim,
  Repositories,
  RecordedOverview,
  RecordedHive,
  TakeBack,
} from "../record/record.ts";
import { deletionNotePath } from "../record/folder-record.ts";
import type { Registry } from "../settings/registry.ts";
import { deletionForm } from "../settings/settings-files.ts";
import { initHive, buildCommit } from "./hive-commit.ts";
import type { HiveStore } from "./hive-store.ts";
import type { Trash } from "./trash.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import { unlessUnreadable, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitInfo } from "../../git/objects/git-object.ts";
import { toRecorded } from "../content/hive-cache.ts";
import { readSettings, settingsPath, Snapshot } from "../content/snapshot.ts";
import { changeTree, fileIn, type Tree } from "../../git/objects/tree.ts";

export interface HiveLifecycleOptions {
  readonly fs: DurableFs;
  readonly registry: Registry;
  /** The folder of all repositories. */
  readonly folder: string;
  readonly repositories: Repositories;
  readonly trash: Trash;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** Called when settings were repaired by a commit. */
  readonly committed: (slug: HiveSlug) => void;
}

export class HiveLifecycle {
  readonly #hives: HiveStore;
  readonly #options: HiveLifecycleOptions;

  constructor(hives: HiveStore, options: HiveLifecycleOptions) {
    this.#hives = hives;
    this.#options = options;
  }

  /**
   * Creates the repository of a new Hive with a first commit, and then moves it into place. The caller holds the Hive's
   * lock; a repository that is in that place is orphaned and is moved to the trash.
   * @param lock of the Hive, and all that the caller has decided under.
   * @returns see {@link Repositories.add}.
   */
  async create(
    hive: OwnedHive,
    { settings, metadata }: { readonly settings: HiveSettings; readonly metadata: CommitMetadata },
    lock: HeldLock,
  ): Promise<TakeBack | undefined> {
    const { slug } = hive;
    const { fs, folder, repositories } = this.#options;
    const aside = join(folder, `.new-${slug}`);
    await fs.removeFolder(aside);
    try {
      const recorded = await initHive(fs, aside, { settings, metadata, now: this.#seconds() });
      // If the creation is interrupted, the repository goes to the trash of this team.
      await fs.writeCache(join(aside, deletionNotePath), deletionForm.format({ team: hive.team }));
      await this.setAside(slug, lock);
      return await repositories.add(hive, aside, recorded, lock);
    } catch (error) {
      // On a full disk, each attempt would take more of it.
      await fs.removeFolder(aside).catch(() => undefined);
      throw error;
    }
  }

  /** Removes the note of a Hive's creation once its team lists it. A note that stays does no harm. */
  async forgetNote(slug: HiveSlug): Promise<void> {
    const { fs } = this.#options;
    await fs.discard(join(this.#hives.folderOf(slug), deletionNotePath));
  }

  /** The time under which a deletion is recorded now; see {@link deletionTime}. A Hive without a repository has one, too. */
  async timeOfDeletion(branch: HiveBranch): Promise<number> {
    const hive = this.#hives.at(branch);
    const now = this.#options.now();
    try {
      const { time } = await hive.revisions.history.readCommit(hive.head());
      return deletionTime(now, time * 1000);
    } catch (error) {
      // What cannot be read can be deleted all the same.
      if (!isFailure(error, "content-invalid") && !isFailure(error, "not-found")) throw error;
      return deletionTime(now);
    }
  }

  /**
   * Moves a repository that no team lists to the trash.
   * @param lock of the Hive, under which the caller has found this.
   * @param at when it was deleted; see {@link deletionTime}.
   * @returns its entry there; undefined when there was none.
   */
  setAside(
    slug: HiveSlug,
    lock: HeldLock,
    at = deletionTime(this.#options.now()),
  ): Promise<TrashId | undefined> {
    this.#hives.close(slug);
    return this.#options.trash.repositories.put(slug, at, lock);
  }

  /**
   * Moves an orphaned repository, which an interrupted creation, deletion or restoration left, to the trash.
   * @returns its entry there; undefined when it was not moved, or does not exist.
   */
  setAsideOrphan(slug: HiveSlug): Promise<TrashId | undefined> {
    // A process that creates or restores a Hive holds its lock until the Hive is listed. Another server does not, but then
    // this lock is lost as soon as the other one has listed it.
    return this.#hives.lock(slug, async (lock) =>
      (await this.#isListed(slug)) === false ? this.setAside(slug, lock) : undefined,
    );
  }

  /** Finishes interrupted deletions and reverts interrupted restorations. */
  async finishInterruptedDeletions(): Promise<void> {
    // A note says that its team removes, or has removed, the Hive.
    for (const slug of await this.#options.trash.notedHives()) {
      if ((await this.#isListed(slug)) === false) await this.setAsideOrphan(slug);
    }
  }

  /** Whether a Hive is in a team's list; undefined when it may be in a list that cannot be read. */
  async #isListed(slug: HiveSlug): Promise<boolean | undefined> {
    const { teams, problems } = await this.#options.registry.readable();
    if (teams.some(({ hives }) => hives.includes(slug))) return true;
    return problems.length === 0 ? false : undefined;
  }

  async countTrashed(id: TrashId): Promise<number> {
    const { repositories } = this.#options.trash;
    const recorded = await repositories.strings(id);
    const gitdir = repositories.folderOf?.(id);
    if (recorded !== undefined || gitdir === undefined) return recorded ?? 0;
    const { overview } = await this.#hives.openFolder(gitdir).overview();
    return overview?.stringCount ?? 0;
  }

  /**
   * Moves a repository from the trash to its place. The caller then lists the Hive.
   * @param lock of the Hive, and all that the caller has decided under.
   * @returns see {@link TrashedRepositories.take}.
   */
  async restore(
    { id, slug }: Pick<TrashEntry, "id" | "slug">,
    team: TeamName,
    lock: HeldLock,
    quota?: QuotaClaim,
  ): Promise<TakeBack> {
    await this.setAside(slug, lock);
    return this.#options.trash.repositories.take(id, team, lock, quota);
  }

  /** The entry of the trash that a listed Hive without a repository can be taken from: the last one that its team had. */
  async findLost({ slug, team }: OwnedHive): Promise<TrashId | undefined> {
    const { entries } = await this.#options.trash.read();
    return entries.findLast((entry) => entry.slug === slug && (entry.team ?? team) === team)?.id;
  }

  /**
   * Moves the repository of a listed Hive that has none back from the trash; see {@link findLost}.
   * @returns its entry there; undefined when the Hive has a repository by now, is in no list, or has no such entry.
   */
  takeLostBack(hive: OwnedHive): Promise<TrashId | undefined> {
    const { slug, team } = hive;
    return this.#hives.lockTeam(team, (teamLock) =>
      this.#hives.lock(slug, async (hiveLock) => {
        await this.#hives.recorded(slug).refresh();
        const isListed = (await this.#options.registry.team(team))?.hives.includes(slug) === true;
        if (!isListed || this.#hives.repo(slug).main.exists()) return undefined;
        const id = await this.findLost(hive);
        if (id !== undefined) await this.restore({ id, slug }, team, combineLocks(teamLock, hiveLock));
        return id;
      }),
    );
  }

  /** Removes the deleted branches of a Hive that have expired, for good, and dates those that have no time. */
  async purgeBranches(slug: HiveSlug): Promise<void> {
    const now = this.#options.now();
    const { branches } = this.#hives.opened(slug) ?? this.#hives.repo(slug);
    const isDue = (await branches.deleted()).some(
      ({ deleted }) => hasExpired(deleted, now) || (isUndated(deleted) && !isUndated(now)),
    );
    if (!isDue) return;
    await this.#hives.lock(slug, (lock) => branches.forgetDeleted({ now, lock }));
  }

  /** Whether a Hive's settings can be repaired; see {@link findUnreadableSettings}. */
  async hasRepairableSettings(slug: HiveSlug): Promise<boolean> {
    return (await findUnreadableSettings(this.#hives.repo(slug))) !== undefined;
  }

  /** Restores a Hive's last readable settings; false when there is nothing to repair. */
  repairSettings(slug: HiveSlug): Promise<boolean> {
    return this.#hives.lock(slug, async (lock) => {
      const repo = this.#hives.repo(slug);
      const found = await findUnreadableSettings(repo);
      if (found === undefined) return false;
      await repairSettings(repo, found, {
        recorded: this.#hives.recorded(slug),
        now: this.#seconds(),
        lock,
      });
      this.#options.committed(slug);
      return true;
    });
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/** A Hive whose settings cannot be read at HEAD, and the last commit at which they can. */
interface UnreadableSettings {
  readonly head: CommitInfo;
  readonly tree: Tree;
  readonly readable: Oid;
  readonly blob: Oid;
}

/** Finds unreadable settings that can be repaired; undefined when they are readable, or no earlier ones are. */
async function findUnreadableSettings(repo: BareRepo): Promise<UnreadableSettings | undefined> {
  const head = await repo.readCommit(repo.main.read());
  const tree = await repo.readTree(head.tree);
  if (await isReadable(repo, head.oid, tree)) return undefined;
  const tried = new Set([fileIn(tree, settingsPath)]);
  let known = tree;
  for (let [oid] = head.parents; oid !== undefined;) {
    const commit = await repo.readCommit(oid);
    known = await repo.readTree(commit.tree, known);
    const blob = fileIn(known, settingsPath);
    if (blob !== undefined && !tried.has(blob) && (await isReadable(repo, oid, known))) {
      return { head, tree, readable: oid, blob };
    }
    tried.add(blob);
    [oid] = commit.parents;
  }
  return undefined;
}

async function isReadable(repo: BareRepo, commit: Oid, tree: Tree): Promise<boolean> {
  return (await unlessUnreadable(readSettings(repo, commit, tree), undefined)) !== undefined;
}

/**
 * Commits the last readable settings on top of HEAD. The caller holds the Hive's lock.
 * @param now in seconds since 1970.
 * @param lock checked just before HEAD moves; if it was lost, HEAD stays.
 * @throws SkepError `head-moved` when HEAD has moved meanwhile.
 */
async function repairSettings(
  repo: BareRepo,
  { head, tree: broken, readable, blob }: UnreadableSettings,
  { recorded, now, lock }: { readonly recorded: RecordedHive; readonly now: number; readonly lock: HeldLock },
): Promise<void> {
  const subject = `Repair hive.yaml: take it from ${readable.slice(0, 12)}`;
  const { tree, objects } = changeTree(broken, new Map([[settingsPath, blob]]));
  const { commit, object } = buildCommit({
    metadata: { author: commandAuthor, subject, operation: "verify" },
    tree: tree.oid,
    parents: [head.oid],
    time: Math.max(now, head.time),
  });
  const planned = [...objects, object];
  const prepare = (): Promise<void> => repo.writeObjects(planned);
  const overview = (): Promise<RecordedOverview | undefined> =>
    unlessUnreadable(Snapshot.read(repo, commit, { lazy: true }).then(toRecorded), undefined);
  const move = recorded.moveWith({ objects: planned, overview });
  await repo.main.update({ expected: head.oid, next: commit.oid, prepare, lock, move });
}
