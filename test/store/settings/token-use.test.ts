import { describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { authenticate } from "../../../src/service/access.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { makeHive, makeToken, memoryStorage, setUpWeb } from "../../helpers/storage.ts";

const noon = Date.parse("2026-01-31T12:00:00Z");
const day = 86_400_000;

describe("the day on which a token was used last", () => {
  it("is noted for every server of the storage, and kept when another writes", async () => {
    const disk = memfsDisk();
    let now = noon;
    const one = memoryStorage({ disk, now: () => now });
    const other = memoryStorage({ disk, folder: one.folder, now: () => now });
    await makeHive(one, "web");
    const [first, second] = [await makeToken(one), await makeToken(one)];
    await authenticate(one, first);
    await authenticate(other, second);
    expect([...(await other.tokenUse.read()).values()]).toEqual(["2026-01-31"]);
    await one.tokenUse.write();
    now += day;
    await authenticate(other, second);
    await other.tokenUse.write();
    expect([...(await one.tokenUse.read()).values()].toSorted()).toEqual(["2026-01-31", "2026-02-01"]);
  });

  it("is noted once a day however often the same read is repeated", async () => {
    let now = noon;
    const { storage, call } = await setUpWeb({ storage: { now: () => now } });
    for (const expected of ["2026-01-31", "2026-02-01"]) {
      for (let i = 0; i < 3; i++) await call("GET", "/api/hives/web/strings");
      expect([...(await storage.tokenUse.read()).values()]).toEqual([expected]);
      now += day;
    }
  });

  it("is not known where the file is damaged, which is written anew", async () => {
    const disk = memfsDisk();
    const storage = memoryStorage({ disk, now: () => noon });
    await makeHive(storage, "web");
    const token = await makeToken(storage);
    for (const text of ["{", "[]", '{"x": 1}']) {
      await new DurableFs(disk).write(`${storage.folder}/token-use.json`, text);
      expect((await memoryStorage({ disk, folder: storage.folder }).tokenUse.read()).size).toBe(0);
    }
    await authenticate(storage, token);
    await storage.tokenUse.write();
    expect((await memoryStorage({ disk, folder: storage.folder }).tokenUse.read()).size).toBe(1);
  });
});
