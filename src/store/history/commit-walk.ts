/** Walks over the commits of a repository: which commits some tips reach, and where two tips parted. */
import type { Idempotency } from "../../domain/commits/commit-message.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import type { Oid } from "../../domain/names.ts";

/** A commit as it is kept in memory. */
export interface GraphCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** The committer's time in seconds since 1970. */
  readonly time: number;
  /**
   * Undefined for commits that Skep did not make. This and the fields below can only be trusted in
   * {@link parentsOf.trusted} commits: anybody may have written the others.
   */
  readonly operation: string | undefined;
  /** The app's own commit or CI run (`X-Commit-Ref`), if the caller named it. */
  readonly ref?: string;
  /** The request that made it, if the caller named that by an `Idempotency-Key`. */
  readonly idempotency?: Idempotency;
  readonly undoes?: string;
  /** Who or what made its texts, if the caller said so. */
  readonly origin?: OriginKind;
  /** The id of the person who made it, if one did. */
  readonly person?: string;
  /** How many source strings it moved, if any. */
  readonly moved?: number;
  /** In how many source strings the Hive differed from the files of an import or a sync after it, if any. */
  readonly differing?: number;
  /** How many first parents are before it. */
  readonly position: number;
  /** One more than the greatest generation of its parents; 0 for a first commit. */
  readonly generation: number;
}

export type UnplacedCommit = Omit<GraphCommit, "position" | "generation">;

/** A commit and its first parents, from the oldest to the commit itself: each is the first parent of the next. */
export type FirstParents = readonly GraphCommit[];

export type Commits = ReadonlyMap<Oid, GraphCommit>;

type ParentsOf = (commit: GraphCommit) => readonly Oid[];

export const parentsOf = {
  all: ({ parents }) => parents,
  /**
   * The parents that Skep made, of a commit by Skep: the first parent, and the tip of a branch that the commit merges.
   * Pushed parents are not among them.
   */
  trusted: ({ operation, parents }) =>
    operation === "merge" || operation === "update" ? parents : parents.slice(0, 1),
} as const satisfies Record<string, ParentsOf>;

/** Gives a commit its position and generation, from its parents, which have theirs. */
export function placed(commit: UnplacedCommit, commits: Commits): GraphCommit {
  const { oid, time, operation, ref, idempotency, undoes, origin, person, moved, differing } = commit;
  const parents = commit.parents.flatMap((parent) => commits.get(parent) ?? []);
  const [first] = parents;
  // A copy by spreading would take twice the memory. The names of parents are the same strings as their own.
  return {
    oid,
    parents: parents.map((parent) => parent.oid),
    time,
    operation,
    ref,
    idempotency,
    undoes,
    origin,
    person,
    moved,
    differing,
    position: first === undefined ? 0 : first.position + 1,
    generation: parents.reduce((most, { generation }) => Math.max(most, generation + 1), 0),
  } satisfies Record<keyof GraphCommit, unknown>;
}

/** All commits that a walk from some commits finds, themselves included. */
export function reachedFrom(tips: Iterable<Oid>, commits: Commits, parents: ParentsOf): ReadonlySet<Oid> {
  const reached = new Set<Oid>(tips);
  for (const oid of reached) {
    const commit = commits.get(oid);
    // Iterating over a set includes elements that are added meanwhile.
    if (commit !== undefined) for (const parent of parents(commit)) reached.add(parent);
  }
  return reached;
}

/** Whether a commit is among some first parents. */
export function hasCommit(firstParents: FirstParents, { oid, position }: GraphCommit): boolean {
  return firstParents[position]?.oid === oid;
}

/** How commits came to a branch. */
export interface Merged {
  /** The commit of the branch that brought them. */
  readonly commit: Oid;
  /** The undo of that commit, if one holds. */
  readonly undoneBy: Oid | undefined;
}

/** The oldest of some first parents that reaches a commit; undefined when none does. */
export function firstReaching(
  firstParents: FirstParents,
  oid: Oid,
  commits: Commits,
): GraphCommit | undefined {
  const sought = commits.get(oid);
  if (sought === undefined || hasCommit(firstParents, sought)) return sought;
  const seen = new Set<Oid>();
  return firstParents.find(({ parents: [, ...others] }) => {
    for (let next = others.pop(); next !== undefined; next = others.pop()) {
      const commit = commits.get(next);
      if (commit === undefined || seen.has(next) || hasCommit(firstParents, commit)) continue;
      seen.add(next);
      for (const parent of commit.parents) others.push(parent);
    }
    return seen.has(oid);
  });
}

/**
 * The last undo of a commit that holds: one that is not undone itself.
 * @param firstParents has the commit.
 * @returns the name of the undo; undefined when there is none.
 */
export function undoOf({ oid, position }: GraphCommit, firstParents: FirstParents): Oid | undefined {
  const taken = new Set<string>();
  // Newest first, an undo is known to be undone before it counts.
  for (const commit of firstParents.slice(position + 1).toReversed()) {
    if (commit.undoes === undefined || taken.has(commit.oid)) continue;
    if (commit.undoes === oid) return commit.oid;
    taken.add(commit.undoes);
  }
  return undefined;
}

/** How the commits that two tips reach differ. */
export interface Divergence {
  /** Their best common ancestor; undefined when they have none. */
  readonly base: Oid | undefined;
  /** How many commits only the first reaches. */
  readonly ahead: number;
  /** How many commits only the second reaches. */
  readonly behind: number;
}

/** Reached from the first tip, from the second, and by a commit that both reach. */
const fromFirst = 1;
const fromSecond = 2;
const belowCommon = 4;

/**
 * Compares what two tips reach. A best common ancestor is one that no other common ancestor reaches; if merges have
 * crossed there are several, and the newest counts.
 *
 * Commits are visited by descending generation, so each after all commits that reach it. The walk ends when all waiting
 * commits are common.
 */
export function compareTips(first: Oid, second: Oid, commits: Commits): Divergence {
  const levels = new Map<number, GraphCommit[]>();
  const marks = new Map<GraphCommit, number>();
  // How many waiting commits are not below a common one.
  let open = 0;
  const mark = (oid: Oid, added: number): void => {
    const commit = commits.get(oid);
    if (commit === undefined) return;
    const before = marks.get(commit);
    const after = (before ?? 0) | added;
    marks.set(commit, after);
    if (before === undefined) {
      const level = levels.get(commit.generation);
      if (level === undefined) levels.set(commit.generation, [commit]);
      else level.push(commit);
    }
    const wasOpen = before !== undefined && (before & belowCommon) === 0;
    open += Number((after & belowCommon) === 0) - Number(wasOpen);
  };
  mark(first, fromFirst);
  mark(second, fromSecond);
  let [ahead, behind] = [0, 0];
  const bases: GraphCommit[] = [];
  for (let generation = Math.max(...levels.keys()); open > 0; generation--) {
    for (const commit of levels.get(generation) ?? []) {
      let reached = marks.get(commit) ?? 0;
      if ((reached & belowCommon) === 0) open--;
      if (reached === fromFirst) ahead++;
      else if (reached === fromSecond) behind++;
      else if ((reached & belowCommon) === 0) {
        bases.push(commit);
        reached |= belowCommon;
      }
      for (const parent of commit.parents) mark(parent, reached);
    }
    levels.delete(generation);
  }
  // Of several with one time, any will do, as long as it is the same one each time.
  const [base] = bases.toSorted((a, b) => b.time - a.time || (a.oid < b.oid ? -1 : 1));
  return { base: base?.oid, ahead, behind };
}
