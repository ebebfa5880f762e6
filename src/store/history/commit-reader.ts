/** Reads commits for the commit graph: a few as objects, many by the installed git if there is one. */
import { parseCommitMessage } from "../../domain/commits/commit-record.ts";
import { skepCommitter } from "../../domain/commits/commit-message.ts";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { parseFullCommit } from "../../git/objects/commit-text.ts";
import { splitAtNul, type StreamGit } from "../../git/process/git-stream.ts";
import type { ReadCommit } from "./commit-walk.ts";

/** More new commits than these are read by git: starting it costs as much as reading some dozens of commits. */
const maxReadWithoutGit = 16;
const revList = [
  "rev-list",
  "--stdin",
  // What is known may have been removed from the repository since; everything else is looked for afterwards.
  "--ignore-missing",
  "--format=%H%n%P%n%ct%n%ce%n%B%x00",
  // The repository's configuration may set another encoding.
  "--encoding=UTF-8",
];

/** The commits that need not be read. */
export interface KnownCommits {
  readonly has: (oid: Oid) => boolean;
  /** Some of them; all that they reach are known too. None if nothing is known. */
  readonly tips: readonly Oid[];
}

export class CommitReader {
  readonly #repo: BareRepo;
  readonly #gitdir: string;
  readonly #stream: StreamGit;

  constructor(repo: BareRepo, gitdir: string, stream: StreamGit) {
    this.#repo = repo;
    this.#gitdir = gitdir;
    this.#stream = stream;
  }

  /**
   * The unknown commits that a commit reaches; most come after those that reach them.
   * @param signal stops the reading.
   * @throws SkepError `content-invalid` when a commit is missing; the signal's reason.
   */
  async unknown(
    tip: Oid,
    known: KnownCommits,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<Oid, ReadCommit>> {
    const found = new Map<Oid, ReadCommit>();
    // Except for the first time, there are few new commits.
    const withoutGit = known.tips.length === 0 ? 0 : maxReadWithoutGit;
    try {
      const waiting = [tip];
      for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
        if (known.has(oid) || found.has(oid)) continue;
        if (found.size === withoutGit) {
          const all = await this.#readByGit(tip, known.tips, signal);
          if (all !== undefined) return all;
        }
        signal?.throwIfAborted();
        const commit = await this.#read(oid);
        found.set(oid, commit);
        waiting.push(...commit.parents);
      }
    } catch (cause) {
      if (!(cause instanceof UnreadablePath)) throw cause;
      throw failure("content-invalid", "A commit of this Hive's history cannot be read.", { cause });
    }
    return found;
  }

  async #read(oid: Oid): Promise<ReadCommit> {
    const { parents, time, committer, message } = await this.#repo.readAs(oid, "commit", parseFullCommit);
    return { oid, parents, time, ...recordIn(committer.email, message) };
  }

  /** @returns undefined when git is not installed, or cannot read the history either. */
  async #readByGit(
    tip: Oid,
    known: readonly Oid[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<Oid, ReadCommit> | undefined> {
    const lines = await this.#stream(this.#gitdir, revList, [tip, ...known.map((oid) => `^${oid}`)], signal);
    if (lines === undefined) return undefined;
    const read = new Map<Oid, ReadCommit>();
    try {
      for await (const text of splitAtNul(lines)) {
        // rev-list begins each commit with a line of its own.
        const [, oid = "", parents = "", time, email = "", ...message] = text
          .toString("utf8")
          .trimStart()
          .split("\n");
        if (!isOid(oid)) continue;
        const record = recordIn(email, message.join("\n"));
        const name = copied(oid);
        read.set(name, {
          oid: name,
          parents: parents.split(" ").filter(isOid),
          time: Number(time),
          ...record,
        });
      }
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
    return read.has(tip) ? read : undefined;
  }
}

/** Interned names of operations: there are few operations and many commits. */
const operations = new Map<string, string>();

function recordIn(committerEmail: string, message: string): Omit<ReadCommit, "oid" | "parents" | "time"> {
  const { operation, idempotency, ref, undoes, counts } = parseCommitMessage(
    message,
    committerEmail === skepCommitter.email,
  );
  if (operation === undefined) return { operation };
  const known = operations.get(operation);
  const moved = counts.get("moved") ?? 0;
  if (known === undefined && operations.size < 1_000) operations.set(operation, operation);
  return {
    operation: known ?? operation,
    ref: ref === undefined ? undefined : copied(ref),
    idempotency:
      idempotency === undefined
        ? undefined
        : { key: copied(idempotency.key), body: copied(idempotency.body) },
    undoes: undoes === undefined ? undefined : copied(undoes),
    moved: moved > 0 ? moved : undefined,
  };
}

/** The same text, without what it was cut from: a part of a string keeps all of it in memory. */
function copied<T extends string>(text: T): T;
function copied(text: string): string {
  return Buffer.from(text).toString("utf8");
}
