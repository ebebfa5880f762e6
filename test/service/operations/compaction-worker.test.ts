/** Which repositories are compacted, and when, with a record and a clock of the test's own. */
import { beforeEach, expect, it } from "vitest";
import { toHiveSlug, type HiveSlug } from "../../../src/domain/names.ts";
import { compactionWorker } from "../../../src/service/operations/compaction-worker.ts";
import type { HiveWorker } from "../../../src/service/operations/hive-worker.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { Clock } from "../../helpers/events/clock.ts";
import { makeHive, memoryStorage } from "../../helpers/storage.ts";

const [web, docs] = [toHiveSlug("web"), toHiveSlug("docs")];
const hour = 3_600_000;

let clock: Clock;
let storage: Storage;
let worker: HiveWorker;
let grown: Set<HiveSlug>;
let asked: (readonly HiveSlug[] | "all")[];
let done: HiveSlug[];
let result: () => Promise<void>;
let logged: string[];

beforeEach(async () => {
  clock = new Clock();
  [grown, asked, done, logged] = [new Set(), [], [], []];
  result = async () => {};
  storage = memoryStorage({ now: clock.now });
  await makeHive(storage, "web");
  const compaction = {
    grown: async (slugs: readonly HiveSlug[] | "all") => {
      asked.push(slugs);
      return [...grown].filter((slug) => slugs === "all" || slugs.includes(slug));
    },
    compact: async (slug: HiveSlug) => {
      await result();
      grown.delete(slug);
      done.push(slug);
      return { changes: 1, before: 2, after: 1 };
    },
  };
  const log = { error: (_: object, message: string) => void logged.push(message) };
  worker = compactionWorker({ storage, log, after: clock.after, compaction });
  worker.start();
  return () => worker.stop();
});

function commit(slug: HiveSlug, times: number): void {
  for (let i = 0; i < times; i++) storage.notifyCommit(slug);
}

it("all are looked at when a server starts and every hour, and those that have grown are compacted", async () => {
  grown.add(web).add(docs);
  await clock.advance(10_000, worker);
  expect(done.toSorted()).toEqual([docs, web]);
  await clock.advance(hour - 20_000, worker);
  grown.add(web);
  expect(asked.filter((one) => one === "all")).toHaveLength(1);
  await clock.advance(30_000, worker);
  expect(done).toHaveLength(3);
});

it("commits by other servers are theirs to look at", async () => {
  await clock.advance(10_000, worker);
  commit(web, 1_000);
  await clock.advance(10_000, worker);
  expect(asked).toEqual(["all"]);
});

it("a compaction that fails is tried again later, and one that another server does is not lost", async () => {
  grown.add(web);
  result = () => Promise.reject(new Error("no room"));
  await clock.advance(10_000, worker);
  expect([done, logged]).toEqual([[], ["could not compact a Hive in the database"]]);
  await storage.record.jobs.hold(`compact-${web}`, async () => {
    result = async () => {};
    await clock.advance(600_000, worker);
    expect(done).toEqual([]);
  });
  await clock.advance(120_000, worker);
  expect(done).toEqual([web]);
});
