/** Reads the moves that commits of a branch made from their messages. */
import { boundedCache, cachedPromise } from "../../bounded-cache.ts";
import { parseCommitMessage, type MoveRecord } from "../../domain/commits/commit-message.ts";
import { composeMoves, reversed, type Move } from "../../domain/move.ts";
import { detectMoves } from "../../domain/moves/detection.ts";
import { movesOfRecord } from "../../domain/moves/recorded.ts";
import type { Oid } from "../../domain/names.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import type { BareRepo } from "../../git/bare-repo.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { GraphCommit } from "./commit-walk.ts";

/** How many records are kept. */
const maxRecords = 256;

const noMoves: MoveRecord = { strings: [], files: [] };

export class RecordedMoves {
  readonly #repo: BareRepo;
  readonly #graph: CommitGraph;
  readonly #sourceAt: (commit: Oid) => Promise<SourceFiles>;
  readonly #records = boundedCache<Oid, Promise<MoveRecord>>(maxRecords);

  /** @param sourceAt gives the source strings at a commit; none if they cannot be read. */
  constructor(repo: BareRepo, graph: CommitGraph, sourceAt: (commit: Oid) => Promise<SourceFiles>) {
    this.#repo = repo;
    this.#graph = graph;
    this.#sourceAt = sourceAt;
  }

  /**
   * The moves that a commit's message names. If there were too many for a message, they are found from its change.
   * @param commit a trusted commit, see {@link RevisionStore.isTrusted}.
   */
  recordOf(commit: GraphCommit): Promise<MoveRecord> {
    if ((commit.moved ?? 0) === 0) return Promise.resolve(noMoves);
    return cachedPromise(this.#records, commit.oid, () => this.#read(commit));
  }

  /** The moves of single strings that a commit made; as {@link recordOf}. */
  async of(commit: GraphCommit): Promise<readonly Move[]> {
    const record = await this.recordOf(commit);
    if (record.files.length === 0) return record.strings;
    const [before, after] = await this.#sources(commit);
    return movesOfRecord(record, before, after);
  }

  /**
   * The addresses to which strings were moved after a commit.
   * @param tip the tip of a branch that was at the commit, or to which a merge brought it.
   */
  async since(commit: Oid, tip: Oid): Promise<readonly Move[]> {
    const firstParents = await this.#graph.firstParents(tip);
    if (!firstParents.some(({ moved = 0 }) => moved > 0)) return [];
    const start = firstParents.some(({ oid }) => oid === commit)
      ? commit
      : (await this.#graph.merged(tip, commit))?.commit;
    const place = firstParents.findIndex(({ oid }) => oid === start);
    return place === -1 ? [] : this.#along(firstParents.slice(place + 1));
  }

  /**
   * How strings were moved from one commit to another, along the first parents of both: back from the first commit to their
   * common one, and on to the second.
   * @param from a trusted commit.
   */
  async between(from: Oid, to: Oid): Promise<readonly Move[]> {
    const [back, forth] = [await this.#graph.firstParents(from), await this.#graph.firstParents(to)];
    const shared = this.#graph.shared(forth, from);
    const movedBack = reversed(await this.#along(back.slice(shared)));
    return composeMoves(movedBack, await this.#along(forth.slice(shared)));
  }

  /** The moves of some commits, each of which follows the one before it. */
  async #along(commits: readonly GraphCommit[]): Promise<readonly Move[]> {
    let moves: readonly Move[] = [];
    for (const one of commits) if ((one.moved ?? 0) > 0) moves = composeMoves(moves, await this.of(one));
    return moves;
  }

  async #read(commit: GraphCommit): Promise<MoveRecord> {
    const { moves } = parseCommitMessage((await this.#repo.readFullCommit(commit.oid)).message, true);
    if (moves !== undefined) return moves;
    const detected = await detectMoves(...(await this.#sources(commit)));
    return { strings: detected.moves, files: [] };
  }

  async #sources({
    oid,
    parents: [parent],
  }: GraphCommit): Promise<[before: SourceFiles, after: SourceFiles]> {
    return [parent === undefined ? new Map() : await this.#sourceAt(parent), await this.#sourceAt(oid)];
  }
}
