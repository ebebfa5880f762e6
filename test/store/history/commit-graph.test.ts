/** The commit graph, compared with a plain model. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { CommitGraph } from "../../../src/store/history/commit-graph.ts";
import { commitDag, DagModel, toObjects, type DagCommit } from "./commit-dag.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { runs } from "../../helpers/runs.ts";

/** A graph that reads these commits without git, and drops those that it does not need as soon as it may. */
async function graphOf(dag: readonly DagCommit[]) {
  const repo = await BareRepo.init(new DurableFs(memfsDisk()), "/r.git");
  const objects = toObjects(dag);
  await repo.writeObjects(objects);
  const graph = new CommitGraph({ repo, stream: async () => undefined }, 0);
  return { graph, oids: objects.map(({ oid }) => oid), model: new DagModel(dag, objects) };
}

const names = (commits: readonly { readonly oid: string }[]) => commits.map(({ oid }) => oid);

describe("the commit graph", () => {
  it("answers as a plain model does, in whatever order it is asked", async () => {
    const question = fc.tuple(
      fc.constantFrom("firstParents", "reachable", "trusted", "compare", "merged"),
      fc.nat(),
      fc.nat(),
    );
    await fc.assert(
      fc.asyncProperty(
        commitDag,
        fc.array(question, { minLength: 1, maxLength: 12 }),
        async (dag, questions) => {
          const { graph, oids, model } = await graphOf(dag);
          for (const [what, one, two] of questions) {
            const [first, second] = [one % dag.length, two % dag.length];
            const [tip = oids[0], other = oids[0]] = [oids[first], oids[second]];
            if (tip === undefined || other === undefined) continue;
            if (what === "firstParents")
              expect(names(await graph.firstParents(tip))).toEqual(model.firstParents(first));
            else if (what === "reachable") {
              const reach = await graph.reachable([tip, other], "all");
              const reached = model.reached([first, second]);
              expect(oids.filter((oid) => reach.has(oid))).toEqual(oids.filter((oid) => reached.has(oid)));
              expect(names(reach.startingWith("")).toSorted()).toEqual([...reached].toSorted());
            } else if (what === "trusted") {
              const reach = await graph.reachable([tip], "trusted");
              expect(names(reach.startingWith("")).toSorted()).toEqual([...model.trusted(first)].toSorted());
            } else if (what === "compare") {
              const { base, ...counts } = await graph.compare(tip, other);
              const { newest, ahead, behind } = model.compare(first, second);
              expect(counts).toEqual({ ahead, behind });
              expect(base === undefined ? newest.length === 0 : newest.includes(base)).toBe(true);
            } else expect((await graph.merged(tip, other))?.commit).toBe(model.bringer(first, second));
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe("how a branch came to another", () => {
  const time = 1_700_000_000;
  /** A root, a commit on a branch, its merge, and the commit after it. */
  async function merged(...undoes: readonly (number | undefined)[]) {
    const { graph, oids } = await graphOf([
      { parents: [], time },
      { parents: [0], time },
      { parents: [0, 1], time, operation: "merge" },
      ...undoes.map((one, i) => ({
        parents: [i + 2],
        time,
        operation: one === undefined ? "sync" : "undo",
        undoes: one,
      })),
    ]);
    const [tip, branch] = [oids.at(-1), oids[1]];
    if (tip === undefined || branch === undefined) throw new Error("no commits");
    const found = await graph.merged(tip, branch);
    expect(found?.commit).toBe(oids[2]);
    return found?.undoneBy === undefined ? undefined : oids.indexOf(found.undoneBy);
  }

  it.each<[string, readonly (number | undefined)[], number | undefined]>([
    ["nothing", [], undefined],
    ["other commits", [undefined, 0], undefined],
    ["an undo", [undefined, 2, undefined], 4],
    ["an undo of the undo", [2, 3], undefined],
    ["an undo of that", [2, 3, 4], 3],
    ["another undo of the merge", [2, 3, 2], 5],
  ])("a merge that is followed by %s is told as it stands", async (_, undoes, undoneBy) => {
    expect(await merged(...undoes)).toBe(undoneBy);
  });
});
