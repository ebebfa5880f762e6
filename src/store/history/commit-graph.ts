/**
 * The commit graph of one repository in memory, shared by all its branches. It is read once, by the installed git if
 * there is one, and grows with the history.
 *
 * The line of a tip follows first parents only. A branch of Skep's has one commit on its line for every accepted request:
 * a state that the branch had. What merges and pushes brought in stands below their other parents.
 */
import { LRUCache } from "lru-cache";
import type { Oid } from "../../domain/names.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { BareRepo } from "../../git/bare-repo.ts";
import type { StreamGit } from "../../git/process/git-stream.ts";
import { CommitReader } from "./commit-reader.ts";
import {
  compareTips,
  firstReaching,
  isOnLine,
  parentsOf,
  placed,
  reachedFrom,
  type Commits,
  type Comparison,
  undoOf,
  type GraphCommit,
  type Line,
  type Merged,
  type ReadCommit,
} from "./commit-walk.ts";

/** How many lines are kept: one for every commit at which a branch was lately. */
const maxLines = 8;
/** How many sets of reached commits are kept: of all branches and tags, and of single branches. */
const maxReaches = 6;
export class CommitGraph {
  readonly #reader: CommitReader;
  readonly #semaphore = new Semaphore(1);
  /** With a commit, all that it reaches are here. */
  #commits = new Map<Oid, GraphCommit>();
  /** When there are more, those that no kept line needs are dropped. */
  #maxCommits = 0;
  readonly #spare: number;
  readonly #lines = new LRUCache<Oid, Line>({ max: maxLines });
  readonly #reaches = new LRUCache<string, Reach>({ max: maxReaches });

  /** @param spare how many commits may be kept that no line needs, beside as many as lines need. */
  constructor(repo: BareRepo, gitdir: string, stream: StreamGit, spare = 10_000) {
    this.#spare = spare;
    this.#reader = new CommitReader(repo, gitdir, stream);
  }

  /**
   * The line of a tip.
   * @param signal stops the reading of new commits.
   * @throws SkepError `content-invalid` when a commit is missing; the signal's reason.
   */
  line(tip: Oid, signal?: AbortSignal): Promise<Line> {
    return this.#semaphore.run(() => this.#line(tip, signal));
  }

  /**
   * What some tips reach.
   * @param tips one at least; best the one with the longest line first.
   * @param which all that they reach, or what of it can be believed to be Skep's where it says so.
   * @throws as {@link line}.
   */
  reach(tips: readonly Oid[], which: keyof typeof parentsOf, signal?: AbortSignal): Promise<Reach> {
    return this.#semaphore.run(async () => {
      const name = `${which} ${tips.join()}`;
      const known = this.#reaches.get(name);
      if (known !== undefined) return known;
      const [first, ...others] = tips;
      const line = first === undefined ? [] : await this.#line(first, signal);
      await this.#load(others, signal);
      const from = new Set(others);
      const parents = parentsOf[which];
      for (const commit of line) {
        if (commit.parents.length > 1) for (const parent of parents(commit)) from.add(parent);
      }
      const commits = this.#commits;
      const besideLine = (commit: GraphCommit) => (isOnLine(line, commit) ? [] : parents(commit));
      const reach = new Reach(line, reachedFrom(from, commits, besideLine), commits);
      this.#reaches.set(name, reach);
      return reach;
    });
  }

  /** Compares what two tips reach; see {@link compareTips}. @throws as {@link line}. */
  compare(first: Oid, second: Oid, signal?: AbortSignal): Promise<Comparison> {
    return this.#semaphore.run(async () => {
      // Once a line is known, git need not list it again.
      if (this.#lines.size === 0) await this.#line(second, signal);
      await this.#load([first, second], signal);
      return compareTips(first, second, this.#commits);
    });
  }

  /**
   * The commit on a tip's line that brought another tip to it, and the undo of it that holds.
   * @returns undefined when the tip does not reach the other one.
   * @throws as {@link line}.
   */
  async merged(tip: Oid, other: Oid, signal?: AbortSignal): Promise<Merged | undefined> {
    const line = await this.line(tip, signal);
    const commit = firstReaching(line, other, this.#commits);
    return commit && { commit: commit.oid, undoneBy: undoOf(commit, line) };
  }

  /** How many commits at the beginning of a line are on the line of another tip too; 0 for a tip that is not known. */
  shared(line: Line, tip: Oid): number {
    for (let commit = this.#commits.get(tip); commit !== undefined; commit = this.#before(commit)) {
      if (isOnLine(line, commit)) return commit.position + 1;
    }
    return 0;
  }

  #before({ parents: [parent] }: GraphCommit): GraphCommit | undefined {
    return parent === undefined ? undefined : this.#commits.get(parent);
  }

  async #line(tip: Oid, signal: AbortSignal | undefined): Promise<Line> {
    const known = this.#lines.get(tip);
    if (known !== undefined) return known;
    await this.#load([tip], signal);
    const others = [...this.#lines.values()];
    const newestFirst: GraphCommit[] = [];
    let older: Line = [];
    for (let commit = this.#commits.get(tip); commit !== undefined; commit = this.#before(commit)) {
      older =
        others.find((line) => line[commit.position]?.oid === commit.oid)?.slice(0, commit.position + 1) ?? [];
      if (older.length > 0) break;
      newestFirst.push(commit);
    }
    const line = older.concat(newestFirst.toReversed());
    this.#lines.set(tip, line);
    return line;
  }

  /** Reads the unknown commits that some commits reach: of each all of them or, if one is missing, none. */
  async #load(tips: readonly Oid[], signal: AbortSignal | undefined): Promise<void> {
    const before = this.#commits.size;
    for (const tip of tips) {
      if (this.#commits.has(tip)) continue;
      const loaded = tips.filter((oid) => this.#commits.has(oid));
      const known = { has: (oid: Oid) => this.#commits.has(oid), tips: [...this.#lines.keys(), ...loaded] };
      this.#add(await this.#reader.unknown(tip, known, signal));
    }
    if (before > 0 && this.#commits.size > this.#maxCommits) this.#drop(tips);
    if (before === 0) this.#setLimit();
  }

  #add(found: ReadonlyMap<Oid, ReadCommit>): void {
    // Most commits come after those that reach them, so that few have to wait for their parents.
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

  /** Drops the commits that neither the tips nor the kept lines reach, such as those of deleted branches. */
  #drop(tips: readonly Oid[]): void {
    const reached = reachedFrom([...tips, ...this.#lines.keys()], this.#commits, parentsOf.all);
    this.#commits = new Map([...this.#commits].filter(([oid]) => reached.has(oid)));
    this.#setLimit();
  }

  #setLimit(): void {
    this.#maxCommits = 2 * this.#commits.size + this.#spare;
  }
}

/** What some tips reach: the line of the first of them, and commits beside it. */
export class Reach {
  readonly #line: Line;
  /** Some of these may be on the line too. */
  readonly #beside: ReadonlySet<Oid>;
  readonly #commits: Commits;

  constructor(line: Line, beside: ReadonlySet<Oid>, commits: Commits) {
    this.#line = line;
    this.#beside = beside;
    this.#commits = commits;
  }

  /** Whether a commit is reached. */
  has(oid: Oid): boolean {
    const commit = this.#commits.get(oid);
    return commit !== undefined && (isOnLine(this.#line, commit) || this.#beside.has(oid));
  }

  /** The commits that are reached and whose names begin with a prefix. */
  startingWith(prefix: string): readonly GraphCommit[] {
    const found = this.#line.filter(({ oid }) => oid.startsWith(prefix));
    for (const oid of this.#beside) {
      const commit = oid.startsWith(prefix) ? this.#commits.get(oid) : undefined;
      if (commit !== undefined && !isOnLine(this.#line, commit)) found.push(commit);
    }
    return found;
  }
}
