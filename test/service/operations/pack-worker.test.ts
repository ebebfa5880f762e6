/** When Hives are packed, with a clock of the test's own. */
import { expect, it } from "vitest";
import { toHiveSlug, type HiveSlug } from "../../../src/domain/names.ts";
import { packWorker } from "../../../src/service/operations/pack-worker.ts";
import { Clock } from "../../helpers/events/clock.ts";
import { makeHive, memoryStorage } from "../../helpers/storage.ts";

const hour = 3_600_000;

it("a Hive is looked at a second after a commit, also when the clock is set back by hours meanwhile", async () => {
  const clock = new Clock();
  let offset = 0;
  const storage = memoryStorage({ now: () => clock.now() + offset });
  await makeHive(storage, "web");
  const looked: HiveSlug[] = [];
  const packer = {
    isPossible: async () => true,
    estimateLoose: async (slug: HiveSlug) => (looked.push(slug), 10),
    pack: async () => ({ kind: "packed", loose: 10 }) as const,
  };
  const worker = packWorker({
    storage: Object.assign(storage, { packer }),
    log: { error: () => {} },
    after: clock.after,
    packAfter: 1,
    withoutGit: () => {},
  });
  worker.start();
  await clock.advance(5_000, worker);
  for (let packings = 1; packings <= 2; packings++) {
    storage.notifyCommit(toHiveSlug("web"));
    offset -= 3 * hour;
    await clock.advance(10_000, worker);
    expect(looked).toHaveLength(packings);
  }
  await worker.stop();
});
