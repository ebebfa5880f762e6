/** Reads that wait for a commit: how many may wait, what wakes them, and what they cost meanwhile. */
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { toGitObject } from "../../../src/git/objects/git-object.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { CommitWaits } from "../../../src/service/events/commit-waits.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { eventually } from "../../helpers/eventually.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { harness, makeHive, makeToken, memoryDisk, memoryStorage } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const acme = toTeamName("acme");
const never = toGitObject("blob", "never a commit").oid;

let disk: Disk;
let storage: Storage;
let waits: CommitWaits;

/** Callers that wait until the test is over. */
function waiting(count: number, team = acme): Promise<void>[] {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  return Array.from({ length: count }, () => waits.wait(team, web, never, leaving.signal));
}

beforeEach(async () => {
  disk = memoryDisk();
  storage = memoryStorage({ disk });
  await makeHive(storage, "web");
  waits = new CommitWaits(storage);
});

it("a read waits until the commit is there, whoever moves the branch to it", async () => {
  const { signal } = new AbortController();
  const [head, commit] = [
    storage.hives.at(web).head(),
    await commitOutside({ storage, disk, slug: "web" }, { files: { "a.txt": "a" }, isMoved: false }),
  ];
  await waits.wait(acme, web, head, signal);
  const arrival = Promise.all([waits.wait(acme, web, commit, signal), waits.wait(acme, web, commit, signal)]);
  const repo = new BareRepo(new DurableFs(disk), storage.hives.folderOf(web));
  await repo.main.update({ expected: head, next: commit, prepare: async () => {} });
  await expect(arrival).resolves.toEqual([undefined, undefined]);
});

it("every read of a Hive can name a commit, and nothing else can", async () => {
  const { call, post, exported } = harness(
    storage,
    await makeToken(storage, { abilities: ["read", "write"] }),
  );
  const strings = "/api/hives/web/strings";
  const write = async (text: string) => {
    const made = await post({ "a.json": { a: text } });
    return made.headers.get("x-skep-commit") ?? "";
  };
  const commit = await write("a");
  const read = await call("GET", `${strings}?min_commit=${commit}`);
  expect([read.status, read.headers.get("x-skep-commit")]).toEqual([200, commit]);
  // One that is contained is as good.
  await write("b");
  expect((await exported(`min_commit=${commit}`)).status).toBe(200);
  for (const wrong of ["main", commit.slice(0, 10), `${commit}&min_commit=${commit}`])
    expect((await call("GET", `${strings}?min_commit=${wrong}`)).status).toBe(422);
  expect((await call("GET", `/api/hives?min_commit=${commit}`)).status).toBe(422);
});

it("reads that wait look at their branch only when a ref of the Hive has moved", async () => {
  const listeners = new Set<() => void>();
  const watchRefs = (_: unknown, listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  waits = new CommitWaits({ hives: storage.hives, changes: { watchRefs } });
  // Each look asks its own storage once. What other storages of this process do does not count.
  const asked = vi.spyOn(storage.hives, "at");
  void Promise.allSettled(waiting(100));
  const looks = async (count: number): Promise<void> => {
    await eventually(() => expect(asked).toHaveBeenCalledTimes(count));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toHaveBeenCalledTimes(count);
  };
  // Each looked before it waited, and one for all of them since: once when the first came, once more for the others.
  await looks(102);
  for (const wake of listeners) wake();
  await looks(103);
});

it("a bounded number of reads waits, with room for other teams; reads that need not wait go on", async () => {
  const outcomes = waiting(5_000);
  const refused = vi.fn<(error: unknown) => void>();
  for (const outcome of outcomes) outcome.catch(refused);
  await eventually(() => expect(refused.mock.calls.length).toBeGreaterThan(2_900));
  expect(refused.mock.calls[0]?.[0]).toMatchObject({ code: "busy", data: { retryAfter: 1 } });
  const [other] = waiting(1, toTeamName("other"));
  other?.catch(refused);
  const before = refused.mock.calls.length;
  await waits.wait(acme, web, storage.hives.at(web).head(), new AbortController().signal);
  expect(refused).toHaveBeenCalledTimes(before);
});
