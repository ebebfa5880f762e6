/** A file that is looked at before every answer. */
import { expect, it, vi } from "vitest";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { WatchedFile } from "../../src/disk/watched-file.ts";
import { memfsDisk } from "./memfs-disk.ts";

it("a watched file is not taken for unchanged when reading it fails, however often in one tick of the event loop", async () => {
  const disk = memfsDisk();
  await new DurableFs(disk).write("/tmp/watched", "before");
  const file = new WatchedFile(disk, "/tmp/watched");
  expect(file.recent()).toBe("before");
  await new Promise(setImmediate);
  const look = vi.spyOn(disk, "statSync").mockImplementation(() => {
    throw new Error("EIO");
  });
  expect(() => file.recent()).toThrow("EIO");
  expect(() => file.recent()).toThrow("EIO");
  look.mockRestore();
  expect(file.recent()).toBe("before");
});
