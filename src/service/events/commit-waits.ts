/** Waits for commits that callers have seen elsewhere. */
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { SkepError, unlessFailed } from "../../domain/errors.ts";
import type { Oid, TeamName } from "../../domain/names.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { withTimeout } from "../../deadline.ts";
import type { Storage } from "../storage.ts";

const maxWaitMs = 5_000;
/** How many reads of all teams may wait at once: as many as a server has connections, since one that waits costs little. */
const maxWaits = 4_096;
const retryAfter = 1;

/** The part of a storage that is needed. */
type WatchedHives = Pick<Storage, "hives"> & { readonly changes: Pick<Storage["changes"], "watchRefs"> };

export class CommitWaits {
  readonly #storage: WatchedHives;
  readonly #branches = new Map<string, WaitedBranch>();
  readonly #places = new FairSemaphore({
    size: maxWaits,
    maxWaiting: 0,
    refusal: "Too many reads of this team wait for a commit; try again soon.",
    retryAfter,
  });

  constructor(storage: WatchedHives) {
    this.#storage = storage;
  }

  /**
   * Resolves when a branch has a commit; usually it has it already.
   * @param gone fires when the caller has left.
   * @throws SkepError `busy` when too many reads of the team wait, and (`lagging`) when the commit does not come within
   * 5 s.
   */
  async wait(team: TeamName, branch: HiveBranch, commit: Oid, gone: AbortSignal): Promise<void> {
    if (await hasCommit(this.#storage, branch, commit)) return;
    const release = await this.#places.acquire(team, gone);
    const name = `${slugOf(branch)} ${branchNameOf(branch)}`;
    const waited = this.#branches.get(name) ?? new WaitedBranch(this.#storage, branch);
    this.#branches.set(name, waited);
    try {
      if (!(await waited.until(commit, withTimeout(gone, maxWaitMs)))) throw lagging(commit);
    } finally {
      if (waited.isUnused && this.#branches.get(name) === waited) this.#branches.delete(name);
      release();
    }
  }
}

async function hasCommit({ hives }: WatchedHives, branch: HiveBranch, commit: Oid): Promise<boolean> {
  const hive = hives.at(branch);
  const read = async (): Promise<boolean> => hive.revisions.graph.reaches(hive.head(), commit);
  // Perhaps the branch or the Hive has not arrived either.
  return unlessFailed(read(), ["not-found"], () => false);
}

/** Reads that wait for the same commit. */
interface Waiting {
  /** Whether somebody looks for the commit, and whether they must look again. */
  state: "idle" | "looking" | "look again";
  readonly found: Set<(has: boolean) => void>;
  readonly failed: Set<(error: unknown) => void>;
}

/** The reads that wait for commits of a branch. However many wait for a commit, one looks for it when a ref has moved. */
class WaitedBranch {
  readonly #storage: WatchedHives;
  readonly #branch: HiveBranch;
  readonly #waiting = new Map<Oid, Waiting>();
  #unwatch: (() => void) | undefined;

  constructor(storage: WatchedHives, branch: HiveBranch) {
    this.#storage = storage;
    this.#branch = branch;
  }

  get isUnused(): boolean {
    return this.#waiting.size === 0;
  }

  /** @returns whether the branch has the commit before the signal fires. @throws what looking for it throws. */
  async until(commit: Oid, signal: AbortSignal): Promise<boolean> {
    const waiting = this.#waiting.get(commit) ?? { state: "idle", found: new Set(), failed: new Set() };
    this.#waiting.set(commit, waiting);
    this.#unwatch ??= this.#storage.changes.watchRefs(slugOf(this.#branch), () => {
      for (const [each, its] of this.#waiting) void this.#look(each, its);
    });
    let leave: (() => void) | undefined;
    try {
      return await new Promise<boolean>((found, failed) => {
        waiting.found.add(found);
        waiting.failed.add(failed);
        const end = (): void => found(false);
        signal.addEventListener("abort", end);
        if (signal.aborted) end();
        leave = () => {
          signal.removeEventListener("abort", end);
          waiting.found.delete(found);
          waiting.failed.delete(failed);
        };
        // It may have come between the caller's look and the watch.
        void this.#look(commit, waiting);
      });
    } finally {
      leave?.();
      if (waiting.found.size === 0 && this.#waiting.get(commit) === waiting) this.#waiting.delete(commit);
      if (this.isUnused) {
        this.#unwatch?.();
        this.#unwatch = undefined;
      }
    }
  }

  /** Tells those who wait for a commit when it is there. Never rejects. */
  async #look(commit: Oid, waiting: Waiting): Promise<void> {
    if (waiting.state !== "idle") {
      waiting.state = "look again";
      return;
    }
    try {
      do {
        waiting.state = "looking";
        if (await hasCommit(this.#storage, this.#branch, commit)) {
          for (const found of waiting.found) found(true);
        }
      } while (isLookedForAgain(waiting));
    } catch (error) {
      for (const failed of waiting.failed) failed(error);
    } finally {
      waiting.state = "idle";
    }
  }
}

/** The compiler does not see that others change the state meanwhile. */
function isLookedForAgain({ state }: Waiting): boolean {
  return state === "look again";
}

function lagging(commit: Oid): SkepError {
  const message = `The commit ${commit} has not arrived here within ${maxWaitMs / 1_000} s.`;
  return new SkepError("busy", message, { retryAfter }, { publicCode: "lagging" });
}
