/** Reads commits for the commit graph: a few as objects, many by the installed git if there is one. */
import { skepCommitter, parseCommitMessage } from "../../domain/commits/commit-message.ts";
import { failure } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { splitAtNul, type StreamGit } from "../../git/process/git-stream.ts";
import type { UnplacedCommit } from "./commit-walk.ts";

/** More new commits than these are read by git: starting it costs as much as reading some dozens of commits. */
const maxReadWithoutGit = 16;
const revList = [
  "rev-list",
  "--stdin",
  // Known commits may have been removed from the repository since; the other commits are checked afterwards.
  "--ignore-missing",
  "--format=%H%n%P%n%ct%n%ce%n%B%x00",
  // The repository's configuration may set another encoding.
  "--encoding=UTF-8",
];

export interface HistorySource {
  readonly repo: BareRepo;
  /** Streams the output of the installed git. */
  readonly stream: StreamGit;
}

/** The commits that need not be read. */
interface KnownCommits {
  readonly has: (oid: Oid) => boolean;
  /** Known tips: all commits that they reach are known, too. */
  readonly tips: readonly Oid[];
}

/**
 * The unknown commits that a commit reaches; most come before their parents.
 * @param signal stops the reading.
 * @throws SkepError `content-invalid` when a commit is missing; the signal's reason.
 */
export async function readUnknown(
  source: HistorySource,
  tip: Oid,
  known: KnownCommits,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Oid, UnplacedCommit>> {
  const found = new Map<Oid, UnplacedCommit>();
  // Except for the first time, there are few new commits.
  const withoutGit = known.tips.length === 0 ? 0 : maxReadWithoutGit;
  try {
    const waiting = [tip];
    for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
      if (known.has(oid) || found.has(oid)) continue;
      if (found.size === withoutGit) {
        const all = await readByGit(source, tip, known.tips, signal);
        if (all !== undefined) return all;
      }
      signal?.throwIfAborted();
      const { parents, time, committer, message } = await source.repo.readFullCommit(oid);
      found.set(oid, { oid, parents, time, ...recordIn(committer.email, message) });
      waiting.push(...parents);
    }
  } catch (cause) {
    if (!(cause instanceof UnreadablePath)) throw cause;
    throw failure("content-invalid", "A commit of this Hive's history cannot be read.", { cause });
  }
  return found;
}

/** @returns undefined when git is not installed, or cannot read the history either. */
async function readByGit(
  { repo, stream }: HistorySource,
  tip: Oid,
  known: readonly Oid[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Oid, UnplacedCommit> | undefined> {
  const lines = await stream(repo.gitdir, revList, [tip, ...known.map((oid) => `^${oid}`)], signal);
  if (lines === undefined) return undefined;
  const read = new Map<Oid, UnplacedCommit>();
  try {
    for await (const text of splitAtNul(lines)) {
      // rev-list begins each commit with a line of its own.
      const [, name = "", parents = "", time, email = "", ...message] = text
        .toString("utf8")
        .trimStart()
        .split("\n");
      if (!isOid(name)) continue;
      const oid = copied(name);
      const record = recordIn(email, message.join("\n"));
      read.set(oid, { oid, parents: parents.split(" ").filter(isOid), time: Number(time), ...record });
    }
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
  return read.has(tip) ? read : undefined;
}

/** Interned names of operations and ids of persons: there are few of them and many commits. */
const interned = new Map<string, string>();

function intern(name: string): string {
  const known = interned.get(name);
  if (known === undefined && interned.size < 2_000) interned.set(name, name);
  return known ?? name;
}

function recordIn(committerEmail: string, message: string): Omit<UnplacedCommit, "oid" | "parents" | "time"> {
  const isSkep = committerEmail === skepCommitter.email;
  const { operation, idempotency, ref, undoes, counts, origin, person } = parseCommitMessage(message, isSkep);
  if (operation === undefined) return { operation };
  const countOf = (name: string): number | undefined => counts.get(name) || undefined;
  return {
    operation: intern(operation),
    ref: ref && copied(ref),
    idempotency: idempotency && { key: copied(idempotency.key), body: copied(idempotency.body) },
    undoes: undoes && copied(undoes),
    origin: origin?.kind,
    person: person && intern(copied(person)),
    moved: countOf("moved"),
    differing: countOf("differing"),
  };
}

/** A copy of a text, which does not keep the longer text in memory from which it was cut. */
function copied<T extends string>(text: T): T;
function copied(text: string): string {
  return Buffer.from(text).toString("utf8");
}
