/**
 * The commit graph of one repository in memory, shared by all its branches. It is read once, by the installed git if
 * there is one, and grows with the history.
 *
 * Every accepted request makes one commit, whose first parent is the commit that the branch was at before. So the first
 * parents of a branch's commit are the states that the branch had. Other parents are what merges and pushes brought in.
 */
import { LRUCache } from "lru-cache";
import type { Oid } from "../../domain/names.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { readUnknown, type HistorySource } from "./commit-reader.ts";
import {
  compareTips,
  firstReaching,
  hasCommit,
  parentsOf,
  placed,
  reachedFrom,
  type Commits,
  type Divergence,
  undoOf,
  type GraphCommit,
  type FirstParents,
  type Merged,
  type UnplacedCommit,
} from "./commit-walk.ts";

/** For how many tips the first parents are kept: for the last tips of branches. */
const maxFirstParents = 8;
/** How many sets of reachable commits are kept: of all branches and tags, and of single branches. */
const maxReachable = 6;

export class CommitGraph {
  readonly #source: HistorySource;
  readonly #semaphore = new Semaphore(1);
  /** With a commit, all commits that it reaches are here. */
  #commits = new Map<Oid, GraphCommit>();
  /** Above this number, the commits that no known tip reaches are dropped. */
  #maxCommits = 0;
  readonly #spare: number;
  readonly #firstParentsOf = new LRUCache<Oid, FirstParents>({ max: maxFirstParents });
  readonly #reachable = new LRUCache<string, ReachableCommits>({ max: maxReachable });

  /** @param spare how many commits may be kept that no known tip reaches, beside as many as they reach. */
  constructor(source: HistorySource, spare = 10_000) {
    this.#spare = spare;
    this.#source = source;
  }

  /**
   * A commit and its first parents.
   * @param signal stops the reading of new commits.
   * @throws SkepError `content-invalid` when a commit is missing; the signal's reason.
   */
  firstParents(tip: Oid, signal?: AbortSignal): Promise<FirstParents> {
    return this.#semaphore.run(() => this.#readFirstParents(tip, signal));
  }

  /**
   * The commits that some tips reach.
   * @param tips one at least; best the one with the longest history first.
   * @param which all of them, or the {@link parentsOf.trusted} ones.
   * @throws as {@link firstParents}.
   */
  reachable(
    tips: readonly Oid[],
    which: keyof typeof parentsOf,
    signal?: AbortSignal,
  ): Promise<ReachableCommits> {
    return this.#semaphore.run(async () => {
      const name = `${which} ${tips.join()}`;
      const known = this.#reachable.get(name);
      if (known !== undefined) return known;
      const [first, ...others] = tips;
      const firstParents = first === undefined ? [] : await this.#readFirstParents(first, signal);
      await this.#load(others, signal);
      const from = new Set(others);
      const parents = parentsOf[which];
      for (const commit of firstParents) {
        if (commit.parents.length > 1) for (const parent of parents(commit)) from.add(parent);
      }
      const commits = this.#commits;
      const ofOthers = (commit: GraphCommit) => (hasCommit(firstParents, commit) ? [] : parents(commit));
      const reachable = new ReachableCommits(firstParents, reachedFrom(from, commits, ofOthers), commits);
      this.#reachable.set(name, reachable);
      return reachable;
    });
  }

  /** Whether a tip reaches a commit, which may be unknown. @throws as {@link firstParents}. */
  async reaches(tip: Oid, commit: Oid, signal?: AbortSignal): Promise<boolean> {
    return commit === tip || (await this.reachable([tip], "all", signal)).has(commit);
  }

  /**
   * The {@link parentsOf.trusted} commits that a tip reaches, and another commit does not.
   * @param since undefined for all of them.
   * @throws as {@link firstParents}.
   */
  between(since: Oid | undefined, tip: Oid, signal?: AbortSignal): Promise<Commits> {
    return this.#semaphore.run(async () => {
      const firstParents = await this.#readFirstParents(tip, signal);
      if (since !== undefined) await this.#load([since], signal);
      const start = since === undefined ? undefined : this.#commits.get(since);
      const isBefore = start !== undefined && hasCommit(firstParents, start);
      const later = isBefore ? firstParents.slice(start.position + 1) : firstParents;
      const isLinear = later.every((commit) => parentsOf.trusted(commit).length < 2);
      if (isLinear && (isBefore || start === undefined))
        return new Map(later.map((commit) => [commit.oid, commit]));
      const below = start === undefined ? new Set() : reachedFrom([start.oid], this.#commits, parentsOf.all);
      const parents = (commit: GraphCommit): readonly Oid[] =>
        parentsOf.trusted(commit).filter((oid) => !below.has(oid));
      const reached = below.has(tip) ? [] : reachedFrom([tip], this.#commits, parents);
      return new Map(
        Array.from(reached, (oid) => this.#commits.get(oid))
          .filter((commit) => commit !== undefined)
          .map((commit) => [commit.oid, commit]),
      );
    });
  }

  /** Compares what two tips reach; see {@link compareTips}. @throws as {@link firstParents}. */
  compare(first: Oid, second: Oid, signal?: AbortSignal): Promise<Divergence> {
    return this.#semaphore.run(async () => {
      // Once a history is known, git need not list it again.
      if (this.#firstParentsOf.size === 0) await this.#readFirstParents(second, signal);
      await this.#load([first, second], signal);
      return compareTips(first, second, this.#commits);
    });
  }

  /**
   * The commit among a tip's first parents that brought another commit to it, and the undo of it, if one holds.
   * @returns undefined when the tip does not reach the other one.
   * @throws as {@link firstParents}.
   */
  async merged(tip: Oid, other: Oid, signal?: AbortSignal): Promise<Merged | undefined> {
    const firstParents = await this.firstParents(tip, signal);
    const commit = firstReaching(firstParents, other, this.#commits);
    return commit && { commit: commit.oid, undoneBy: undoOf(commit, firstParents) };
  }

  /** How many of a tip's first parents another tip has too; 0 for a tip that is not known. */
  shared(firstParents: FirstParents, tip: Oid): number {
    for (let commit = this.#commits.get(tip); commit !== undefined; commit = this.#before(commit)) {
      if (hasCommit(firstParents, commit)) return commit.position + 1;
    }
    return 0;
  }

  #before({ parents: [parent] }: GraphCommit): GraphCommit | undefined {
    return parent === undefined ? undefined : this.#commits.get(parent);
  }

  async #readFirstParents(tip: Oid, signal: AbortSignal | undefined): Promise<FirstParents> {
    const known = this.#firstParentsOf.get(tip);
    if (known !== undefined) return known;
    await this.#load([tip], signal);
    const others = [...this.#firstParentsOf.values()];
    const newestFirst: GraphCommit[] = [];
    let older: FirstParents = [];
    for (let commit = this.#commits.get(tip); commit !== undefined; commit = this.#before(commit)) {
      older =
        others
          .find((firstParents) => firstParents[commit.position]?.oid === commit.oid)
          ?.slice(0, commit.position + 1) ?? [];
      if (older.length > 0) break;
      newestFirst.push(commit);
    }
    const firstParents = older.concat(newestFirst.toReversed());
    this.#firstParentsOf.set(tip, firstParents);
    return firstParents;
  }

  /** Reads the unknown commits that some commits reach: of each all of them or, if one is missing, none. */
  async #load(tips: readonly Oid[], signal: AbortSignal | undefined): Promise<void> {
    const before = this.#commits.size;
    for (const tip of tips) {
      if (this.#commits.has(tip)) continue;
      const loaded = tips.filter((oid) => this.#commits.has(oid));
      const known = {
        has: (oid: Oid) => this.#commits.has(oid),
        tips: [...this.#firstParentsOf.keys(), ...loaded],
      };
      this.#add(await readUnknown(this.#source, tip, known, signal));
    }
    if (before > 0 && this.#commits.size > this.#maxCommits) this.#drop(tips);
    if (before === 0) this.#setLimit();
  }

  #add(found: ReadonlyMap<Oid, UnplacedCommit>): void {
    // Most commits come before their parents: in reverse, few have to wait for these.
    for (const first of [...found.values()].toReversed()) {
      const waiting = [first];
      for (let commit = waiting.at(-1); commit !== undefined; commit = waiting.at(-1)) {
        const missing = commit.parents.flatMap((oid) =>
          this.#commits.has(oid) ? [] : (found.get(oid) ?? []),
        );
        for (const parent of missing) waiting.push(parent);
        if (missing.length > 0) continue;
        waiting.pop();
        if (!this.#commits.has(commit.oid)) this.#commits.set(commit.oid, placed(commit, this.#commits));
      }
    }
  }

  /** Drops the commits that no known tip reaches, such as the commits of deleted branches. */
  #drop(tips: readonly Oid[]): void {
    const reached = reachedFrom([...tips, ...this.#firstParentsOf.keys()], this.#commits, parentsOf.all);
    this.#commits = new Map([...this.#commits].filter(([oid]) => reached.has(oid)));
    this.#setLimit();
  }

  #setLimit(): void {
    this.#maxCommits = 2 * this.#commits.size + this.#spare;
  }
}

/** The commits that some tips reach: the first parents of the first tip, and others. */
export class ReachableCommits {
  readonly #firstParents: FirstParents;
  /** Some of these may be first parents, too. */
  readonly #others: ReadonlySet<Oid>;
  readonly #commits: Commits;

  constructor(firstParents: FirstParents, others: ReadonlySet<Oid>, commits: Commits) {
    this.#firstParents = firstParents;
    this.#others = others;
    this.#commits = commits;
  }

  /** Whether a commit is reached. */
  has(oid: Oid): boolean {
    const commit = this.#commits.get(oid);
    return commit !== undefined && (hasCommit(this.#firstParents, commit) || this.#others.has(oid));
  }

  /** The commits that are reached and whose names begin with a prefix. */
  startingWith(prefix: string): readonly GraphCommit[] {
    const found = this.#firstParents.filter(({ oid }) => oid.startsWith(prefix));
    for (const oid of this.#others) {
      const commit = oid.startsWith(prefix) ? this.#commits.get(oid) : undefined;
      if (commit !== undefined && !hasCommit(this.#firstParents, commit)) found.push(commit);
    }
    return found;
  }
}
