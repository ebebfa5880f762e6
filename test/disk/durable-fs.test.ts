import { expect, it } from "vitest";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { memoryDisk, memoryFolder } from "../helpers/storage.ts";

it("a durable write makes a folder again as often as git removes it", async () => {
  const disk = memoryDisk();
  const path = `${memoryFolder()}/objects/ab/cd`;
  let taken = 0;
  const promises = Object.assign(Object.create(disk.promises), {
    open: async (file: string, flags: string) => {
      if (flags === "wx" && taken < 5) {
        taken++;
        await disk.promises.rmdir(`${path}/..`).catch(() => {});
      }
      return disk.promises.open(file, flags);
    },
  });
  const fs = new DurableFs(Object.assign(Object.create(disk), { promises }));
  await fs.write(path, "x");
  expect([taken, Buffer.from((await fs.read(path)) ?? []).toString()]).toEqual([5, "x"]);
});
