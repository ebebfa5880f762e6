/** Waits for commits that callers have seen elsewhere. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { SkepError, unlessFailed } from "../../domain/errors.ts";
import type { Oid, TeamName } from "../../domain/names.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { withTimeout } from "../../deadline.ts";
import type { Storage } from "../storage.ts";
import { Waker } from "./waker.ts";

const maxWaitMs = 5_000;
/** How many reads of all teams may wait at once. */
const maxWaits = 512;
const retryAfter = 1;

/** The part of a storage that is needed. */
type WatchedHives = Pick<Storage, "hives"> & { readonly changes: Pick<Storage["changes"], "watchRefs"> };

export class CommitWaits {
  readonly #storage: WatchedHives;
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
    if (await this.#has(branch, commit)) return;
    const release = await this.#places.acquire(team, gone);
    const signal = withTimeout(gone, maxWaitMs);
    const waker = new Waker();
    signal.addEventListener("abort", waker.wake);
    const unwatch = this.#storage.changes.watchRefs(slugOf(branch), waker.wake);
    try {
      while (!(await this.#has(branch, commit))) {
        if (signal.aborted) throw lagging(commit);
        await waker.sleep(maxWaitMs);
      }
    } finally {
      unwatch();
      release();
    }
  }

  async #has(branch: HiveBranch, commit: Oid): Promise<boolean> {
    const hive = this.#storage.hives.at(branch);
    const read = async (): Promise<boolean> => hive.revisions.graph.reaches(hive.head(), commit);
    // Perhaps the branch or the Hive has not arrived either.
    return unlessFailed(read(), ["not-found"], () => false);
  }
}

function lagging(commit: Oid): SkepError {
  const message = `The commit ${commit} has not arrived here within ${maxWaitMs / 1_000} s.`;
  return new SkepError("busy", message, { retryAfter }, { publicCode: "lagging" });
}
