import { dirname } from "node:path";
import { expect, it } from "vitest";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { memfsDisk } from "./memfs-disk.ts";
import { memoryFolder } from "../helpers/storage.ts";

it("a durable write makes a folder again as often as git removes it", async () => {
  const disk = memfsDisk();
  const path = `${memoryFolder()}/objects/ab/cd`;
  let taken = 0;
  const promises = Object.assign(Object.create(disk.promises), {
    open: async (file: string, flags: string) => {
      if (flags === "wx" && taken < 5) {
        taken++;
        await disk.promises.rmdir(dirname(path)).catch(() => {});
      }
      return disk.promises.open(file, flags);
    },
  });
  const fs = new DurableFs(Object.assign(Object.create(disk), { promises }));
  await fs.write(path, "x");
  expect([taken, Buffer.from((await fs.read(path)) ?? []).toString()]).toEqual([5, "x"]);
});

it("a cache is replaced as a whole; what cannot be written leaves the old one, and nothing beside it", async () => {
  const disk = memfsDisk();
  const folder = memoryFolder();
  const fs = new DurableFs(disk);
  await fs.makeFolder(folder);
  const path = `${folder}/kept`;
  await fs.writeCache(path, "old");
  const failing = Object.assign(Object.create(disk.promises), {
    rename: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })),
  });
  const full = new DurableFs(Object.assign(Object.create(disk), { promises: failing }));
  await expect(full.writeCache(path, "new")).rejects.toThrow("full");
  expect([await fs.readText(path), await fs.list(folder)]).toEqual(["old", ["kept"]]);
  await fs.writeCache(path, "new");
  expect(await fs.readText(path)).toBe("new");
  // The folder of a Hive that is deleted meanwhile is not made again.
  await expect(fs.writeCache(`${folder}/gone/kept`, "x")).rejects.toThrow();
  expect(await fs.list(folder)).toEqual(["kept"]);
});
