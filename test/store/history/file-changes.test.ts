/** The changes of files by commits, of which a limited number is remembered. */
import { expect, it, vi } from "vitest";
import { ChangesOfCommits } from "../../../src/store/history/file-changes.ts";
import { addCommit, emptyRepo, files, sourceLocale, type Commit } from "./text-history.ts";

const [x = expect.fail()] = files;

it("changes of commits are all found, also where more are asked for at once than are remembered", async () => {
  const repo = await emptyRepo();
  const commits: Commit[] = [];
  for (const text of ["1", "2", "3", "4"])
    await addCommit(repo, commits, { changes: [[sourceLocale, x, `{"a":"${text}"}`]], person: "dev" });
  const changes = new ChangesOfCommits({ repo, stream: async () => undefined }, 2);
  const search = { name: "all", filter: {}, pick: <T>(found: T): T => found };
  const countsOf = async (some: readonly Commit[]): Promise<readonly number[]> => {
    const compared = some.map(({ oid, parents }) => ({
      oid,
      parents: parents.map((at) => commits[at]?.oid ?? expect.fail()),
    }));
    const found = await changes.of(compared, search);
    return some.map(({ oid }) => found.get(oid)?.length ?? 0);
  };
  expect(await countsOf(commits.slice(0, 2))).toEqual([1, 1]);
  const read = vi.spyOn(repo, "readCommit");
  expect(await countsOf(commits.slice(0, 2))).toEqual([1, 1]);
  expect(read).not.toHaveBeenCalled();
  expect(await countsOf(commits)).toEqual([1, 1, 1, 1]);
});
