import nodeFs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { Locks } from "../../../src/disk/locks/lock.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { folderRecord } from "../../../src/store/record/folder-record.ts";
import type { HeldLock } from "../../../src/disk/held-lock.ts";
import { describeRecord, type SharedRecord } from "../../helpers/record-contract/record-contract.ts";
import { describeRepositories } from "../../helpers/record-contract/repositories.ts";
import { memoryDisk, memoryFolder, realFolder } from "../../helpers/storage.ts";

async function folderOf(): Promise<SharedRecord> {
  const [disk, folder] = [memoryDisk(), memoryFolder()];
  const storage = openStorage({ folder, disk });
  await storage.registry.version.create();
  const { promises } = disk;
  const works = { rename: promises.rename.bind(promises), unlink: promises.unlink.bind(promises) };
  return {
    open: () => ({ folder, disk }),
    break: async () => {
      const fail = (path: string): Promise<never> => Promise.reject(new Error(`cannot change ${path}`));
      Object.assign(promises, { rename: fail, unlink: fail });
      return async () => void Object.assign(promises, works);
    },
  };
}

describeRecord("a folder in memory", folderOf);

const lock: HeldLock = { assertHeld: () => Promise.resolve(), advance: (change) => change(), lose: () => {} };

it.each(["after\n", undefined])(
  "puts the earlier text back when a change to %j may not be durable",
  async (text) => {
    const disk = memoryDisk();
    const [fs, root] = [new DurableFs(disk), memoryFolder()];
    const { documents } = folderRecord({ fs, root, locks: new Locks(fs, join(root, "locks")) });
    await documents.put("teams/acme.yaml", "before\n", lock);
    const open = disk.promises.open.bind(disk.promises);
    let failures = 1;
    disk.promises.open = async (path, flags, mode) => {
      const file = await open(path, flags, mode);
      if (!path.endsWith("/teams") || failures === 0) return file;
      const now = await documents.read("teams/acme.yaml");
      if (now === "before\n") return file;
      failures--;
      throw new Error("no fsync");
    };
    await expect(documents.put("teams/acme.yaml", text, lock)).rejects.toThrow("no fsync");
    expect(failures).toBe(0);
    expect(await documents.read("teams/acme.yaml")).toBe("before\n");
  },
);

it("locks live texts by the names that earlier versions use", async () => {
  const [disk, folder] = [memoryDisk(), memoryFolder()];
  const storage = openStorage({ folder, disk });
  await storage.registry.version.create();
  for (const [path, name] of [
    ["claims/a-web.json", "claims-a-web"],
    ["device-codes.json", "device-codes"],
    ["token-use.json", "token-use"],
  ]) {
    const held = await storage.record.documents.change(`${path}`, async (before) => [
      before,
      disk.statSync(join(folder, "locks", `${name}.lock`), { bigint: true, throwIfNoEntry: false }),
    ]);
    expect(held).toBeDefined();
  }
});

describeRepositories("a folder on the real disk", () => {
  const options = { disk: nodeFs, folder: realFolder() };
  return Promise.resolve(() => options);
});
