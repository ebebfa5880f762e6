/** What all background workers have in common. */
import { expect, it } from "vitest";
import { SkepError } from "../../../src/domain/errors.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { HiveWorker } from "../../../src/service/operations/hive-worker.ts";
import { memoryStorage } from "../../helpers/storage.ts";

it.each([
  ["that failed", new Error("EIO")],
  ["on which another process works", new SkepError("busy", "It is busy.", { retryAfter: 1 })],
])("a clock that is set back does not extend the rest of a Hive %s", async (_, error) => {
  let now = Date.UTC(2026, 0, 1, 12);
  let runs = 0;
  let next = (): void => {};
  const web = toHiveSlug("web");
  const work = {
    hiveOf: () => web,
    units: async () => [web],
    dueAt: async () => 0,
    run: async () => {
      runs++;
      throw error;
    },
    restMs: 1_000,
    busyRestMs: 10_000,
    maxRuns: 1,
    problems: { list: "list", run: "run" },
  };
  const worker = new HiveWorker(work, {
    storage: memoryStorage({ now: () => now }),
    log: { error: () => {} },
    after: (_ms, run) => {
      next = run;
      return () => {};
    },
  });
  const check = async (): Promise<number> => {
    next();
    await worker.settled();
    return runs;
  };
  worker.wakeIn(0);
  expect([await check(), await check()]).toEqual([1, 1]);
  now -= 3_600_000;
  expect(await check()).toBe(2);
  now += 3_600_000;
  await worker.stop();
});
