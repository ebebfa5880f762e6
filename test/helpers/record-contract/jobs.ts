/** What a record promises of jobs: one server at a time does each. */
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { openStorage } from "../../../src/service/storage.ts";
import type { StorageRecord } from "../../../src/store/record/record.ts";
import type { MakeRecord, SharedRecord } from "./record-contract.ts";

const open = (record: SharedRecord): StorageRecord => openStorage(record.open()).record;

const isBusy = (error: unknown): boolean => isFailure(error, "busy");

export function describeJobs(make: MakeRecord): void {
  describe("jobs", () => {
    it("are done by one server at a time, which others do not wait for", async () => {
      const record = await make();
      const [one, another] = [open(record), open(record)];
      const result = await one.jobs.hold("mirror-web", async (lock) => {
        await lock.assertHeld();
        await expect(another.jobs.hold("mirror-web", () => Promise.resolve())).rejects.toSatisfy(isBusy);
        expect(await another.jobs.hold("mirror-docs", () => Promise.resolve("another job"))).toBe(
          "another job",
        );
        await lock.assertHeld();
        return "done";
      });
      expect(result).toBe("done");
      expect(await another.jobs.hold("mirror-web", () => Promise.resolve("next"))).toBe("next");
    });

    it("are done by one at a time within a server, too", async () => {
      const { jobs } = open(await make());
      let running = 0;
      const run = async (): Promise<void> => {
        expect(++running).toBe(1);
        await new Promise(setImmediate);
        running--;
      };
      const all = await Promise.allSettled(Array.from({ length: 5 }, () => jobs.hold("webhook-web", run)));
      expect(all.some(({ status }) => status === "fulfilled")).toBe(true);
      for (const one of all) if (one.status === "rejected") expect(isBusy(one.reason)).toBe(true);
    });

    it("that fail can be done again", async () => {
      const record = await make();
      const [one, another] = [open(record), open(record)];
      const failed = one.jobs.hold("pack-web", () => Promise.reject(new Error("no")));
      await expect(failed).rejects.toThrow("no");
      expect(await another.jobs.hold("pack-web", () => Promise.resolve("again"))).toBe("again");
    });

    it("of a server that ends are free for others", async () => {
      const record = await make();
      const [one, another] = [open(record), open(record)];
      await one.jobs.hold("mirror-web", () => Promise.resolve());
      await one.close();
      expect(await another.jobs.hold("mirror-web", () => Promise.resolve("next"))).toBe("next");
    });
  });
}
