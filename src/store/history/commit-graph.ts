/**
 * The commit graph of one repository in memory: which commits are reachable, in which order, and made by which
 * operation. It is read once, by the installed git if there is one, and grows with the history.
 */
import { parseCommitMessage } from "../../domain/commits/commit-record.ts";
import { skepCommitter } from "../../domain/commits/commit-message.ts";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { ordered, reachedFrom, type GraphCommit } from "./commit-order.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { splitAtNul, type StreamGit } from "../../git/process/git-stream.ts";
import { parseFullCommit } from "../../git/objects/commit-text.ts";

/** More new commits than these are read by git: starting it costs as much as reading some dozens of commits. */
const maxReadWithoutGit = 16;
// The encoding is given because the repository's configuration may set another one.
const format = ["--format=%H%n%P%n%ct%n%ce%n%B%x00", "--encoding=UTF-8"];

export class CommitGraph {
  readonly #repo: BareRepo;
  readonly #gitdir: string;
  readonly #stream: StreamGit;
  readonly #semaphore = new Semaphore(1);
  #commits = new Map<Oid, GraphCommit>();
  #line: { readonly tip: Oid; readonly commits: readonly GraphCommit[] } | undefined;
  /** The object names of all commits in {@link #line}. */
  #ancestors = new Set<Oid>();

  constructor(repo: BareRepo, gitdir: string, stream: StreamGit) {
    this.#repo = repo;
    this.#gitdir = gitdir;
    this.#stream = stream;
  }

  /**
   * The commits that the branch reaches, oldest first.
   * @param signal stops the reading of new commits.
   * @throws SkepError `content-invalid` when a commit is missing; the signal's reason.
   */
  async line(tip: Oid, signal?: AbortSignal): Promise<readonly GraphCommit[]> {
    return this.#semaphore.run(async () => {
      if (this.#line?.tip === tip) return this.#line.commits;
      await this.#load(tip, signal);
      const since = this.#line && this.#since(this.#line.tip, tip);
      if (this.#line !== undefined && since !== undefined) {
        this.#line = { tip, commits: [...this.#line.commits, ...since] };
        for (const { oid } of since) this.#ancestors.add(oid);
      } else {
        this.#line = { tip, commits: ordered(tip, this.#commits) };
        // After a reset of the branch, commits that it no longer reaches are dropped.
        this.#commits = new Map(this.#line.commits.map((commit) => [commit.oid, commit]));
        this.#ancestors = new Set(this.#commits.keys());
      }
      return this.#line.commits;
    });
  }

  /** Whether the branch reaches a commit. @throws as {@link line}. */
  async isAncestor(oid: Oid, tip: Oid, signal?: AbortSignal): Promise<boolean> {
    await this.line(tip, signal);
    return this.#ancestors.has(oid);
  }

  /** All commits that some commits reach. @throws as {@link line}. */
  async reached(tips: readonly Oid[], signal?: AbortSignal): Promise<ReadonlySet<Oid>> {
    return this.#semaphore.run(async () => {
      for (const tip of tips) await this.#load(tip, signal);
      return reachedFrom(tips, this.#commits);
    });
  }

  /** The commits between two, oldest first; undefined unless a short line of commits with one parent connects them. */
  #since(before: Oid, tip: Oid): readonly GraphCommit[] | undefined {
    const newestFirst: GraphCommit[] = [];
    for (let oid = tip; oid !== before;) {
      const commit = this.#commits.get(oid);
      const [parent, other] = commit?.parents ?? [];
      if (commit === undefined || parent === undefined || other !== undefined) return undefined;
      newestFirst.push(commit);
      if (newestFirst.length > maxReadWithoutGit) return undefined;
      oid = parent;
    }
    return newestFirst.toReversed();
  }

  /** Reads the unknown commits that a commit reaches: all of them or, if one is missing, none. */
  async #load(tip: Oid, signal: AbortSignal | undefined): Promise<void> {
    const found = new Map<Oid, GraphCommit>();
    // Except for the first time, there are few new commits.
    const withoutGit = this.#commits.size === 0 ? 0 : maxReadWithoutGit;
    try {
      const waiting = [tip];
      for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
        if (this.#commits.has(oid) || found.has(oid)) continue;
        if (found.size === withoutGit && (await this.#loadByGit(tip, found, signal))) break;
        signal?.throwIfAborted();
        const commit = await this.#read(oid);
        found.set(oid, commit);
        waiting.push(...commit.parents);
      }
    } catch (cause) {
      if (!(cause instanceof UnreadablePath)) throw cause;
      throw failure("content-invalid", "A commit of this Hive's history cannot be read.", { cause });
    }
    for (const [oid, commit] of found) this.#commits.set(oid, commit);
  }

  async #read(oid: Oid): Promise<GraphCommit> {
    const { parents, time, committer, message } = await this.#repo.readAs(oid, "commit", parseFullCommit);
    return { oid, parents, time, ...recordIn(committer.email, message) };
  }

  /** @returns false when git is not installed, or cannot read the history either. */
  async #loadByGit(
    tip: Oid,
    found: Map<Oid, GraphCommit>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const known = this.#line === undefined ? [] : [`^${this.#line.tip}`];
    const lines = await this.#stream(
      this.#gitdir,
      ["rev-list", "--stdin", ...format],
      [tip, ...known],
      signal,
    );
    if (lines === undefined) return false;
    const read = new Map<Oid, GraphCommit>();
    try {
      for await (const text of splitAtNul(lines)) {
        // rev-list begins each commit with a line of its own.
        const [, oid = "", parents = "", time, email = "", ...message] = text
          .toString("utf8")
          .trimStart()
          .split("\n");
        if (!isOid(oid)) continue;
        const record = recordIn(email, message.join("\n"));
        read.set(oid, { oid, parents: parents.split(" ").filter(isOid), time: Number(time), ...record });
      }
    } catch {
      signal?.throwIfAborted();
      return false;
    }
    for (const [oid, commit] of read) found.set(oid, commit);
    return true;
  }
}

/** Interned names of operations: there are few operations and many commits. */
const operations = new Map<string, string>();

function recordIn(committerEmail: string, message: string): Omit<GraphCommit, "oid" | "parents" | "time"> {
  const { operation, idempotency, ref } = parseCommitMessage(message, committerEmail === skepCommitter.email);
  if (operation === undefined) return { operation };
  const known = operations.get(operation);
  if (known === undefined && operations.size < 1_000) operations.set(operation, operation);
  return {
    operation: known ?? operation,
    ...(ref === undefined ? {} : { ref }),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
}
