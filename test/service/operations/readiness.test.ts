/** Whether a server is ready: what is looked at, how often, and what is said. */
import nodeFs from "node:fs";
import { describe, expect, it } from "vitest";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { Readiness } from "../../../src/service/operations/readiness.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { SkepError } from "../../../src/domain/errors.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { Locks } from "../../../src/disk/locks/lock.ts";
import { harness, makeHive, makeToken, memoryDisk, memoryFolder, realFolder } from "../../helpers/storage.ts";

/** A disk whose calls that write fail with a code. */
function unwritable(code: string): Disk {
  const disk = memoryDisk();
  const fail = (): Promise<never> =>
    Promise.reject(Object.assign(new Error(`${code}: no, '/secret/place'`), { code }));
  return Object.assign(Object.create(disk), {
    promises: Object.assign(Object.create(disk.promises), { mkdir: fail, open: fail }),
    mkdir: (_: string, done: (error: Error) => void) =>
      done(Object.assign(new Error(`${code}: no, '/secret/place'`), { code })),
  });
}

/** A disk on which there is room for the names of files, but for no bytes. */
function fullDisk(disk: Disk): Disk {
  const open: Disk["promises"]["open"] = async (...args) => {
    const file = await disk.promises.open(...args);
    const writeFile = async (data: Uint8Array): Promise<void> => {
      if (data.length > 0) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    };
    return Object.assign(Object.create(file), {
      writeFile,
      sync: () => file.sync(),
      close: () => file.close(),
    });
  };
  return Object.assign(Object.create(disk), {
    promises: Object.assign(Object.create(disk.promises), { open }),
  });
}

const quiet = { error: () => {} };

describe("GET /readyz", () => {
  it("needs no token, and leaves nothing behind", async () => {
    const disk = memoryDisk();
    const folder = memoryFolder();
    const storage = openStorage({ folder, disk });
    await storage.registry.version.create();
    const { call } = harness(storage, undefined);
    const reply = await call("GET", "/readyz");
    expect([reply.status, reply.json]).toEqual([200, { status: "ready" }]);
    expect(await new DurableFs(disk).list(`${folder}/locks`)).toEqual([]);
    expect((await call("HEAD", "/readyz")).status).toBe(200);
    expect((await call("POST", "/readyz")).headers.get("allow")).toBe("GET, HEAD");
  });

  it.each([
    ["EROFS", "The storage cannot be written to."],
    ["EACCES", "The storage cannot be written to."],
    ["ENOSPC", "The disk is full."],
  ])("answers 503 without a path when writing fails with %s, and logs why", async (code, message) => {
    const storage = openStorage({ folder: memoryFolder(), disk: unwritable(code) });
    const { call, logged } = harness(storage, undefined);
    const reply = await call("GET", "/readyz");
    expect([reply.status, reply.json]).toEqual([503, { message, code: "not_ready" }]);
    expect(reply.headers.get("retry-after")).toBe("1");
    expect((await call("GET", "/healthz")).status).toBe(200);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ message: `not ready: ${message}` });
  });

  it("answers 503 on a disk that still has room for an empty file", async () => {
    const folder = memoryFolder();
    const disk = memoryDisk();
    await openStorage({ folder, disk }).registry.version.create();
    const { call } = harness(openStorage({ folder, disk: fullDisk(disk) }), undefined);
    const reply = await call("GET", "/readyz");
    expect([reply.status, reply.json]).toEqual([503, { message: "The disk is full.", code: "not_ready" }]);
  });

  it("answers 503 while somebody holds its lock, and 200 again afterwards", async () => {
    const folder = realFolder();
    const fs = new DurableFs((await import("node:fs")).default);
    let now = 0;
    const storage = openStorage({ folder, disk: fs.disk, now: () => now });
    await storage.registry.version.create();
    const { call } = harness(storage, undefined);
    await new Locks(fs, `${folder}/locks`).hold("ready", async () => {
      const reply = await call("GET", "/readyz");
      expect([reply.status, reply.json]).toEqual([
        503,
        { message: "A lock cannot be obtained.", code: "not_ready" },
      ]);
    });
    expect((await call("GET", "/readyz")).status).toBe(503);
    now += 1_000;
    expect((await call("GET", "/readyz")).status).toBe(200);
  });
});

describe("a storage that is unmounted", () => {
  it.each(["is gone", "is an empty mount point"])(
    "is not ready, and nothing is created where it %s",
    async (how) => {
      const root = realFolder();
      const folder = `${root}/storage`;
      let now = Date.now();
      const storage = openStorage({ folder, disk: nodeFs, now: () => (now += 1_000) });
      await makeHive(storage, "web");
      const { call, post } = harness(
        storage,
        await makeToken(storage, { abilities: ["read", "write", "admin"] }),
      );
      const calls = () =>
        Promise.all([
          call("GET", "/api/hives/web/strings"),
          post({ "a.php": { a: "A" } }),
          call("POST", "/api/hives", { body: { slug: "app" } }),
          call("POST", "/api/tokens", { body: {} }),
          call("GET", "/readyz"),
        ]);
      expect((await calls()).map(({ status }) => status)).toEqual([200, 200, 201, 201, 200]);
      nodeFs.renameSync(folder, `${root}/away`);
      if (how === "is an empty mount point") nodeFs.mkdirSync(folder);
      for (const { status, json } of await calls()) {
        expect([status, json.message]).toEqual([503, "The storage is not there."]);
      }
      await expect(storage.lockTeam(toTeamName("acme"), async () => {})).rejects.toThrow("is not there");
      await storage.packer.pack(toHiveSlug("web")).catch(() => undefined);
      expect(nodeFs.readdirSync(root)).toEqual(how === "is gone" ? ["away"] : ["away", "storage"]);
      if (how === "is an empty mount point") nodeFs.rmdirSync(folder);
      nodeFs.renameSync(`${root}/away`, folder);
      expect((await calls()).map(({ status }) => status)).toEqual([200, 200, 409, 201, 200]);
    },
  );

  it("a storage is ready without its folder of locks, as in a copy", async () => {
    const folder = realFolder();
    await openStorage({ folder, disk: nodeFs }).registry.version.create();
    nodeFs.rmSync(`${folder}/locks`, { recursive: true });
    const { call } = harness(openStorage({ folder, disk: nodeFs }), undefined);
    expect((await call("GET", "/readyz")).status).toBe(200);
  });
});

describe("a readiness check", () => {
  function counted(probe: () => Promise<void>) {
    let looks = 0;
    let now = 0;
    const storage: Pick<Storage, "probe" | "now"> = {
      now: () => now,
      probe: () => {
        looks++;
        return probe();
      },
    };
    const readiness = new Readiness(storage, quiet, 100);
    return { readiness, looks: () => looks, pass: (ms: number) => (now += ms) };
  }

  it("is made once a second, however many ask", async () => {
    const { readiness, looks, pass } = counted(() => Promise.resolve());
    await Promise.all(Array.from({ length: 100 }, () => readiness.problem()));
    pass(999);
    await readiness.problem();
    expect(looks()).toBe(1);
    pass(1);
    await readiness.problem();
    expect(looks()).toBe(2);
    pass(-500_000);
    await readiness.problem();
    expect(looks()).toBe(3);
  });

  it("does not cache a failure longer than a success", async () => {
    let fails = true;
    const { readiness, pass } = counted(() =>
      fails ? Promise.reject(new SkepError("busy", "x", { retryAfter: 1 })) : Promise.resolve(),
    );
    expect(await readiness.problem()).toBe("A lock cannot be obtained.");
    fails = false;
    pass(1_000);
    expect(await readiness.problem()).toBeUndefined();
  });

  it("says of a database that hangs what it has said before", async () => {
    const hangs = () => new Promise<never>(() => {});
    const storage = { now: () => 0, probe: () => Promise.resolve(), refresh: hangs };
    const said = "The database has no connection left for this server.";
    expect(await new Readiness(storage, quiet, 100).problem()).toBe("The database does not answer.");
    expect(await new Readiness({ ...storage, recordProblem: () => said }, quiet, 100).problem()).toBe(said);
  });

  it("times out on a disk that hangs, and is not started again meanwhile", async () => {
    const { readiness, looks } = counted(() => new Promise<never>(() => {}));
    const answers = await Promise.all([readiness.problem(), readiness.problem()]);
    expect(answers).toEqual(["The storage does not answer.", "The storage does not answer."]);
    expect(looks()).toBe(1);
  });
});
