/** What a server does for its followers: tells them what changed, gives them repositories, and gives way to a newer one. */
import type { Readable } from "node:stream";
import { failure } from "../../domain/errors.ts";
import type { FollowerEntry } from "../../domain/replication/follower.ts";
import type { NewsRequest, ReplicationNews } from "../../domain/replication/news.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { Log } from "../../log.ts";
import type { CloneRequest } from "../operations/clones.ts";
import type { Storage } from "../storage.ts";
import { ReplicationFeed } from "./feed.ts";
import { authenticateFollower } from "./followers.ts";
import { demote } from "./promotion.ts";
import { withTimeout } from "../../deadline.ts";

/** How many repositories are sent at once, besides the clones of users. */
const maxUploads = 8;

export class PrimaryDuties {
  readonly #storage: Storage;
  readonly #feed: ReplicationFeed;
  readonly #uploads = new Semaphore(maxUploads);
  readonly #timeoutMs: number;
  readonly #log: Log;

  /** @param options.cloneTimeout how long git may take for one request. */
  constructor(storage: Storage, { cloneTimeout, log }: { readonly cloneTimeout: number; readonly log: Log }) {
    this.#storage = storage;
    this.#log = log;
    this.#timeoutMs = cloneTimeout;
    this.#feed = new ReplicationFeed(storage);
  }

  /** See {@link authenticateFollower}. @throws SkepError `conflict` when this storage is itself a copy. */
  async authenticate(authorization: string | null): Promise<FollowerEntry> {
    if (this.#storage.replication.read()?.follows !== undefined) {
      throw failure(
        "conflict",
        "This server is a follower itself, and cannot be followed: follow its primary.",
      );
    }
    return authenticateFollower(this.#storage, authorization);
  }

  /**
   * What has changed; see {@link ReplicationFeed.news}. A newer generation than this server's is noted: from then on
   * nothing can be changed here.
   * @throws SkepError `conflict` when the follower is a copy of another storage, or names a generation that no server can
   * have; `forbidden` when it names a newer one, and may only read.
   */
  async news(
    { name, mayTakeOver }: FollowerEntry,
    { after, wait, storage: id, generation = 0 }: NewsRequest,
    signal: AbortSignal,
  ): Promise<ReplicationNews> {
    const { replication } = this.#storage;
    const state = await replication.readOrCreate();
    if (id !== undefined && id !== state.id) {
      throw failure("conflict", "This server has a different storage from the one that is followed.");
    }
    if (generation > Math.max(state.generation, state.supersededBy ?? 0)) {
      if (!mayTakeOver) {
        const why = `The secret of ${name} may only read. To say that another server took over, run skep demote here.`;
        throw failure("forbidden", why);
      }
      await demote(this.#storage, generation);
      this.#log.error(
        { follower: name, generation },
        "another server took over: nothing can be changed here",
      );
    }
    return this.#feed.news(after, wait * 1_000, signal);
  }

  /**
   * Git's answer about a repository, with all its refs. The caller must read it to the end or destroy it.
   * @throws SkepError `not-implemented` without git, `not-found` when there is no such repository.
   */
  async upload(gitdir: string, { signal: gone, ...request }: CloneRequest): Promise<Readable> {
    const { git, replicated } = this.#storage;
    const signal = withTimeout(gone, this.#timeoutMs);
    if (!(await replicated.has(gitdir))) throw failure("not-found", "There is no such repository.");
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        const output = await git.uploadPack(gitdir, { ...request, signal, showsAll: true });
        if (output === undefined) throw failure("not-implemented", "git is not installed on the server.");
        resolve(output);
        if (!output.closed) await new Promise((closed) => output.once("close", closed));
      };
      this.#uploads.run(run).catch(reject);
    });
  }
}
