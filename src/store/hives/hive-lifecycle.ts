/** Creates Hives, moves them to the trash and back, and repairs their settings. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { branchExpiry } from "../../domain/commits/deleted-branch.ts";
import type { CommitMetadata } from "../../domain/commits/commit-message.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { TrashEntry, TrashId } from "../../domain/hives/trash.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Registry } from "../settings/registry.ts";
import type { Deletion } from "../settings/settings-files.ts";
import { initHive } from "./hive-commit.ts";
import type { HiveStore } from "./hive-store.ts";
import { findUnreadableSettings, repairSettings } from "./settings-repair.ts";
import type { Trash } from "./trash.ts";

export interface HiveLifecycleOptions {
  readonly fs: DurableFs;
  readonly registry: Registry;
  /** The folder of all repositories. */
  readonly folder: string;
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
   */
  async create(slug: HiveSlug, settings: HiveSettings, metadata: CommitMetadata): Promise<void> {
    const { fs, folder } = this.#options;
    const aside = join(folder, `.new-${slug}`);
    await fs.removeFolder(aside);
    await initHive(fs, aside, { settings, metadata, now: this.#seconds() });
    await this.setAside(slug);
    await fs.moveFolder(aside, this.#hives.folderOf(slug));
  }

  /**
   * Moves a repository that no team lists to the trash. The caller holds the Hive's lock.
   * @param at when it was deleted, in milliseconds since 1970.
   * @returns its new path; undefined when there was none.
   */
  async setAside(slug: HiveSlug, at = this.#options.now()): Promise<string | undefined> {
    const { fs, trash } = this.#options;
    const gitdir = this.#hives.folderOf(slug);
    this.#hives.close(slug);
    if (!(await fs.isFolder(gitdir))) return undefined;
    return trash.put(slug, gitdir, at);
  }

  /**
   * Moves an orphaned repository, which an interrupted creation, deletion or restoration left, to the trash.
   * @returns its new path; undefined when it was not moved, or does not exist.
   */
  setAsideOrphan(slug: HiveSlug): Promise<string | undefined> {
    // A process that creates or restores a Hive holds its lock until the Hive is listed.
    return this.#hives.lock(slug, async () =>
      (await this.#isListed(slug)) === false ? this.setAside(slug) : undefined,
    );
  }

  /** Finishes interrupted deletions and reverts interrupted restorations. */
  async finishInterruptedDeletions(): Promise<void> {
    const { trash, folder } = this.#options;
    // A note says that its team removes, or has removed, the Hive.
    for (const slug of await trash.notedIn(folder)) {
      if ((await this.#isListed(slug)) === false) await this.setAsideOrphan(slug);
    }
  }

  /** Whether a Hive is in a team's list; undefined when it may be in a list that cannot be read. */
  async #isListed(slug: HiveSlug): Promise<boolean | undefined> {
    const { teams, problems } = await this.#options.registry.readable();
    if (teams.some(({ hives }) => hives.includes(slug))) return true;
    return problems.length === 0 ? false : undefined;
  }

  /** Writes the deletion note into a Hive's repository before its team removes it. The caller holds the Hive's lock. */
  async noteDeletion(slug: HiveSlug, deletion: Deletion): Promise<void> {
    const { fs, trash } = this.#options;
    const gitdir = this.#hives.folderOf(slug);
    if (await fs.isFolder(gitdir)) await trash.note(gitdir, deletion);
  }

  /** The number of source strings of a repository in the trash. */
  async countTrashed(id: TrashId): Promise<number> {
    const { overview } = await this.#hives.openFolder(this.#options.trash.folderOf(id)).overview();
    return overview?.stringCount ?? 0;
  }

  /** Moves a repository from the trash to its place. The caller holds the Hive's lock, and then lists the Hive. */
  async restore({ id, slug }: TrashEntry): Promise<void> {
    await this.setAside(slug);
    await this.#options.trash.take(id, this.#hives.folderOf(slug));
  }

  /** Removes the deleted branches of a Hive that have expired, for good. */
  async purgeBranches(slug: HiveSlug): Promise<void> {
    const now = this.#options.now();
    const { branches } = this.#hives.opened(slug) ?? this.#hives.repo(this.#hives.folderOf(slug));
    const expired = (await branches.deleted()).some(({ deleted }) => branchExpiry(deleted) <= now);
    if (!expired) return;
    await this.#hives.lock(slug, (lock) => branches.forgetDeleted({ now, lock }));
  }

  /** Whether a Hive's settings can be repaired; see {@link findUnreadableSettings}. */
  async hasRepairableSettings(slug: HiveSlug): Promise<boolean> {
    return (await findUnreadableSettings(this.#hives.repo(this.#hives.folderOf(slug)))) !== undefined;
  }

  /** Restores a Hive's last readable settings; false when there is nothing to repair. */
  repairSettings(slug: HiveSlug): Promise<boolean> {
    return this.#hives.lock(slug, async (lock) => {
      const repo = this.#hives.repo(this.#hives.folderOf(slug));
      const found = await findUnreadableSettings(repo);
      if (found === undefined) return false;
      await repairSettings(repo, found, { now: this.#seconds(), lock });
      this.#options.committed(slug);
      return true;
    });
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}
