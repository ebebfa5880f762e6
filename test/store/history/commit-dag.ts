/** Random histories with merges: plain graphs of commits, and the same as objects of git. */
import fc from "fast-check";
import type { Oid } from "../../../src/domain/names.ts";
import { formatCommitMessage, skepCommitter } from "../../../src/domain/commits/commit-message.ts";
import { toCommit, type GitObject } from "../../../src/git/objects/git-object.ts";
import { emptyTree } from "../../../src/git/objects/tree.ts";

/** A commit of a history; its name is its position in the array of all of them. */
export interface DagCommit {
  /** Positions before its own. */
  readonly parents: readonly number[];
  readonly time: number;
  readonly operation?: string;
  readonly undoes?: number;
}

/** Histories in which times rise, or are equal, from parents to children; or do whatever they like. */
export const commitDag: fc.Arbitrary<readonly DagCommit[]> = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.record({
        parents: fc.uniqueArray(fc.nat(6), { minLength: 0, maxLength: 3 }),
        step: fc.nat(2),
        operation: fc.constantFrom(undefined, "sync", "merge", "push"),
      }),
      { minLength: 1, maxLength: 24, size: "max" },
    ),
  )
  .map(([isSkewed, drawn]) => {
    const commits: DagCommit[] = [];
    for (const [i, { parents: back, step, operation }] of drawn.entries()) {
      const parents = back.map((distance) => i - 1 - distance).filter((parent) => parent >= 0);
      const after = Math.max(1_700_000_000, ...parents.map((parent) => commits[parent]?.time ?? 0));
      commits.push({
        parents,
        time: isSkewed ? 1_700_000_000 + ((step * 7 + i * 5) % 11) : after + step,
        operation,
      });
    }
    return commits;
  });

/** The commits of a history as git stores them, in the same order. */
export function toObjects(dag: readonly DagCommit[]): readonly GitObject[] {
  const objects: GitObject[] = [];
  for (const [i, { parents, time, operation, undoes }] of dag.entries()) {
    const named = undoes === undefined ? {} : { undoes: objects[undoes]?.oid ?? "" };
    const message =
      operation === undefined
        ? `Commit ${i}\n`
        : formatCommitMessage({ subject: `Commit ${i}`, operation, ...named });
    const committer = operation === undefined ? { name: "S", email: "s@example.org" } : skepCommitter;
    const oids = parents.map((parent) => objects[parent]?.oid).filter((oid) => oid !== undefined);
    objects.push(
      toCommit({ tree: emptyTree.oid, parents: oids, author: committer, committer, time, message }),
    );
  }
  return objects;
}

/** A plain model of what {@link CommitGraph} tells. */
export class DagModel {
  readonly #dag: readonly DagCommit[];
  readonly #oids: readonly Oid[];

  constructor(dag: readonly DagCommit[], objects: readonly GitObject[]) {
    this.#dag = dag;
    this.#oids = objects.map(({ oid }) => oid);
  }

  reached(tips: readonly number[]): ReadonlySet<Oid> {
    return new Set([...this.#reached(tips)].map((i) => this.#name(i)));
  }

  firstParents(tip: number): readonly Oid[] {
    const [parent] = this.#dag[tip]?.parents ?? [];
    return [...(parent === undefined ? [] : this.firstParents(parent)), this.#name(tip)];
  }

  trusted(tip: number): ReadonlySet<Oid> {
    const found = new Set([tip]);
    for (const i of found) {
      const { operation, parents = [] } = this.#dag[i] ?? {};
      for (const parent of operation === "merge" ? parents : parents.slice(0, 1)) found.add(parent);
    }
    return new Set(Array.from(found, (i) => this.#name(i)));
  }

  compare(first: number, second: number) {
    const [one, two] = [this.#reached([first]), this.#reached([second])];
    const common = [...one].filter((i) => two.has(i));
    const below = this.#reached(common.flatMap((i) => this.#dag[i]?.parents ?? []));
    const bases = common.filter((i) => !below.has(i));
    const newest = Math.max(...bases.map((i) => this.#dag[i]?.time ?? 0));
    return {
      ahead: [...one].filter((i) => !two.has(i)).length,
      behind: [...two].filter((i) => !one.has(i)).length,
      bases: bases.length,
      newest: bases.filter((i) => this.#dag[i]?.time === newest).map((i) => this.#name(i)),
    };
  }

  /** The oldest first parent that reaches a commit. */
  bringer(tip: number, other: number): Oid | undefined {
    return this.firstParents(tip).find((oid) => this.#reached([this.#oids.indexOf(oid)]).has(other));
  }

  #reached(tips: readonly number[]): ReadonlySet<number> {
    const reached = new Set(tips);
    for (const i of reached) for (const parent of this.#dag[i]?.parents ?? []) reached.add(parent);
    return reached;
  }

  #name(i: number): Oid {
    const oid = this.#oids[i];
    if (oid === undefined) throw new Error(`no commit ${i}`);
    return oid;
  }
}
