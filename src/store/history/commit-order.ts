/** Which commits a commit reaches, and their order in a history. */
import type { Idempotency } from "../../domain/commits/commit-message.ts";
import type { Oid } from "../../domain/names.ts";

/** The fields of a commit that are kept in memory. */
export interface GraphCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** The committer's time in seconds since 1970. */
  readonly time: number;
  /** Undefined for commits that Skep did not make. */
  readonly operation: string | undefined;
  /** The app's own commit or CI run, where its caller named that. */
  readonly ref?: string | undefined;
  /** What it was made for, where its caller named that. */
  readonly idempotency?: Idempotency | undefined;
}

export type Commits = ReadonlyMap<Oid, GraphCommit>;

/** All commits that some commits reach, themselves included. */
export function reachedFrom(tips: Iterable<Oid>, commits: Commits): ReadonlySet<Oid> {
  const reached = new Set<Oid>(tips);
  // Iterating over a set includes elements that are added meanwhile.
  for (const oid of reached) for (const parent of commits.get(oid)?.parents ?? []) reached.add(parent);
  return reached;
}

/** The commits that a tip reaches, oldest first: no commit before its parents, otherwise by time. */
export function ordered(tip: Oid, commits: Commits): readonly GraphCommit[] {
  const reached = reachedFrom([tip], commits);
  const children = new Map<Oid, number>();
  for (const oid of reached) {
    for (const parent of new Set(commits.get(oid)?.parents)) {
      children.set(parent, (children.get(parent) ?? 0) + 1);
    }
  }
  const newestFirst: GraphCommit[] = [];
  const ready = [tip].flatMap((oid) => commits.get(oid) ?? []);
  for (;;) {
    // There are as many ready commits as parallel lines of history, which is few.
    const next = ready.reduce<GraphCommit | undefined>(
      (newest, one) => (newest === undefined || one.time > newest.time ? one : newest),
      undefined,
    );
    if (next === undefined) break;
    ready.splice(ready.indexOf(next), 1);
    newestFirst.push(next);
    for (const parent of new Set(next.parents)) {
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      const commit = commits.get(parent);
      if (left === 0 && commit !== undefined) ready.push(commit);
    }
  }
  return newestFirst.toReversed();
}
