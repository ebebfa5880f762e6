/**
 * The mirrors of each Hive: `mirrors/<slug>.yaml` lists them, `mirrors/<slug>.state.yaml` holds the outcome of the last
 * pushes. The second may be lost: everything is then pushed again, which changes nothing.
 */
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { storedMirror, storedMirrorState, type Mirror, type MirrorState } from "../../domain/hives/mirror.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { Jobs, StorageRecord } from "../record/record.ts";
import { listForm, ListFiles, type ListPlace } from "./list-files.ts";

export const mirrorLists: ListPlace<HiveSlug, Mirror> = {
  folder: "mirrors",
  ending: ".yaml",
  isName: isHiveSlug,
  form: listForm(["mirrors", "mirrors"], storedMirror),
};

export const mirrorStates: ListPlace<HiveSlug, MirrorState> = {
  folder: "mirrors",
  ending: ".state.yaml",
  isState: true,
  isName: isHiveSlug,
  form: listForm(["mirror-states", "states"], storedMirrorState),
};

export class MirrorStore {
  readonly #jobs: Jobs;
  /** The mirrors of each Hive, in the order they were added; the Hive may have been deleted. */
  readonly lists: ListFiles<HiveSlug, Mirror>;
  readonly #states: ListFiles<HiveSlug, MirrorState>;

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string, { documents, jobs }: Pick<StorageRecord, "documents" | "jobs">) {
    this.#jobs = jobs;
    this.lists = new ListFiles(fs, root, documents, mirrorLists);
    this.#states = new ListFiles(fs, root, documents, mirrorStates);
  }

  /** The state of each mirror of a Hive. @throws as {@link ListFiles.read}. */
  states(slug: HiveSlug): readonly MirrorState[] {
    const known = this.#states.readable(slug);
    return this.lists.read(slug).map((one) => stateOf(one, known));
  }

  /** Replaces the mirrors of a Hive if the caller still holds its lock; on failure they stay as they were. */
  async save(slug: HiveSlug, mirrors: readonly Mirror[], lock: HeldLock): Promise<void> {
    await this.lists.save(slug, mirrors, lock);
    // States without mirrors count for nothing, so that they may stay where they cannot be removed.
    if (mirrors.length === 0) await this.#states.remove(slug, lock).catch(() => undefined);
  }

  /** Removes the mirrors of a Hive if the caller still holds its lock; the remote repositories stay as they are. */
  async forget(slug: HiveSlug, lock: HeldLock): Promise<void> {
    await this.lists.remove(slug, lock);
    // The states are looked for when the mirrors are gone: whoever saves one later sees that they are.
    await this.#states.remove(slug, lock);
  }

  /**
   * Saves the state of one mirror if it still exists, and drops the states of mirrors that do not. The caller holds the
   * lock of {@link lockPush}.
   */
  async saveState(slug: HiveSlug, state: MirrorState, lock: HeldLock): Promise<void> {
    const states = this.states(slug);
    if (!states.some((other) => isSame(other.mirror, state.mirror))) return;
    const after = states.map((other) => (isSame(other.mirror, state.mirror) ? state : other));
    await this.#states.save(slug, after, lock);
    // The Hive may have been deleted meanwhile, which does not wait for pushes.
    if (this.lists.read(slug).length === 0) await this.#states.remove(slug, lock);
  }

  /**
   * Runs a function under the lock for pushing a Hive, so that one process at a time pushes.
   * @throws SkepError `busy` when another process holds it.
   */
  lockPush<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#jobs.hold(`mirror-${slug}`, run, [slug]);
  }

  /** The files of a Hive, by their paths in the storage, for a backup. */
  capture(slug: HiveSlug): readonly (readonly [path: string, text: string])[] {
    const mirrors = this.lists.read(slug);
    return [...this.lists.capture(slug, mirrors), ...this.#states.capture(slug, this.states(slug))];
  }
}

/** The state of a mirror, with its current settings: what it gets may have been changed by hand since the last push. */
function stateOf(one: Mirror, known: readonly MirrorState[]): MirrorState {
  return { ...known.find((state) => isSame(state.mirror, one)), mirror: one };
}

function isSame(one: Mirror, other: Mirror): boolean {
  return one.url === other.url && one.added === other.added;
}
