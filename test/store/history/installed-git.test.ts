/** The commit graph, compared with the installed git. */
import nodeFs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { streamGit } from "../../../src/git/process/git-stream.ts";
import { CommitGraph } from "../../../src/store/history/commit-graph.ts";
import { commitDag, DagModel, toObjects, type DagCommit } from "./commit-dag.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

/** Two commits with as many best common ancestors as any two have. */
function mostCrossed(dag: readonly DagCommit[], model: DagModel): readonly number[] {
  const pairs = dag.flatMap((_, one) => Array.from({ length: one + 1 }, (__, two) => [one, two] as const));
  const count = ([one, two]: readonly [number, number]) => model.compare(one, two).bases;
  return pairs.toSorted((a, b) => count(b) - count(a))[0] ?? [];
}

it("lines, merge bases and counts are those of the installed git, also where merges crossed", async () => {
  const folder = join(realFolder(), "r.git");
  const repo = await BareRepo.init(new DurableFs(nodeFs), folder);
  const histories = fc.sample(commitDag, { numRuns: 40, seed: 11 }).map((dag) => {
    const objects = toObjects(dag);
    return { objects, tips: mostCrossed(dag, new DagModel(dag, objects)).map((i) => objects[i]?.oid) };
  });
  await repo.writeObjects(histories.flatMap(({ objects }) => objects));
  const ask = async (...args: string[]) => (await git(folder, ...args)).trim();
  let crossed = 0;
  for (const { tips } of histories) {
    const [tip, other] = tips;
    if (tip === undefined || other === undefined) continue;
    const graph = new CommitGraph({ repo, stream: streamGit });
    const [firstParents, counts, bases] = await Promise.all([
      ask("rev-list", "--first-parent", "--reverse", tip),
      ask("rev-list", "--left-right", "--count", `${tip}...${other}`),
      // It fails where there is none.
      ask("merge-base", "--all", tip, other).catch(() => ""),
    ]);
    expect((await graph.firstParents(tip)).map(({ oid }) => oid).join("\n")).toBe(firstParents);
    const { base, ahead, behind } = await graph.compare(tip, other);
    expect(`${ahead}\t${behind}`).toBe(counts);
    expect(bases.split("\n")).toContain(base ?? "");
    if (bases.includes("\n")) crossed++;
  }
  expect(crossed).toBeGreaterThan(5);
});
