/** A file that is looked at before every answer. */
import { stat } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { WatchedFile } from "../../src/disk/watched-file.ts";
import { beginPollPhase } from "../../src/ticks.ts";
import { memfsDisk } from "./memfs-disk.ts";

it("a watched file is not taken for unchanged when reading it fails, however often in one tick of the event loop", async () => {
  const disk = memfsDisk();
  await new DurableFs(disk).write("/tmp/watched", "before");
  const file = new WatchedFile(disk, "/tmp/watched");
  expect(file.recent()).toBe("before");
  await setImmediate();
  const look = vi.spyOn(disk, "statSync").mockImplementation(() => {
    throw new Error("EIO");
  });
  expect(() => file.recent()).toThrow("EIO");
  expect(() => file.recent()).toThrow("EIO");
  look.mockRestore();
  expect(file.recent()).toBe("before");
});

it("requests of one poll phase share one check of a watched file, and those of the next make another", async () => {
  const disk = memfsDisk();
  await new DurableFs(disk).write("/tmp/watched", "before");
  const file = new WatchedFile(disk, "/tmp/watched");
  const checks = vi.spyOn(disk, "statSync");
  const arrive = (): void => {
    beginPollPhase();
    file.recent();
  };
  // Its callback is in a poll phase.
  await promisify(stat)("/");
  arrive();
  arrive();
  expect(checks).toHaveBeenCalledTimes(1);
  await setImmediate();
  arrive();
  expect(checks).toHaveBeenCalledTimes(2);
});
