/** What a machine lacks: open files, room on its disk. Requests are refused, and the log names the cause once. */
import { expect, it, vi } from "vitest";
import { MachineFaults } from "../../src/service/machine-faults.ts";
import { openStorage } from "../../src/service/storage.ts";
import { CrashDisk, SystemError } from "../helpers/crash-disk.ts";
import { harness, makeHive, makeToken, memoryDisk, memoryFolder } from "../helpers/storage.ts";

const base = "/api/hives/web";
const files = { "a.json": { a: "A" } };

/** The application on a disk whose operations fail with a code, as long as there is one. */
async function failing() {
  const disk = new CrashDisk();
  const folder = memoryFolder();
  const made = openStorage({ disk: memoryDisk(disk), folder });
  await makeHive(made, "web", { locales: ["fr"] });
  const token = await makeToken(made, { abilities: ["admin"] });
  /** @param operation the one that fails; all if not given. */
  const fail = (code: string | undefined, operation?: number): void => {
    disk.before = (n, name, path) => {
      if (code !== undefined && (operation ?? n) === n) throw new SystemError(code, name, path);
    };
  };
  // Nothing is cached yet by the one that is asked.
  const web = () => harness(openStorage({ disk: memoryDisk(disk), folder }), token);
  return { disk, fail, web };
}

it.each([
  ["EMFILE", 503, "busy", "1", "open files"],
  ["ENFILE", 503, "busy", "1", "open files"],
  ["ENOSPC", 507, "disk_full", null, "disk is full"],
  ["EDQUOT", 507, "disk_full", null, "disk is full"],
] as const)("%s is a %i for reads and writes", async (code, refusal, name, retryAfter, said) => {
  const { fail, web } = await failing();
  const { call, logged, post, exported } = web();
  const ask = () =>
    Promise.all([
      call("GET", `${base}/strings`),
      exported("locale=fr"),
      post(files),
      call("GET", "/api/hives"),
      call("POST", "/api/hives", { body: { slug: "x", team: "acme", source_locale: "en" } }),
    ]);
  fail(code);
  for (const { status, json, headers } of await ask()) {
    expect([status, json.code]).toEqual([refusal, name]);
    expect(headers.get("retry-after")).toBe(retryAfter);
  }
  expect(logged).toEqual([{ error: expect.stringContaining(code), message: expect.stringContaining(said) }]);
  fail(undefined);
  expect((await post(files)).status).toBe(200);
  fail("EIO");
  expect((await web().call("GET", `${base}/strings`)).status).toBe(500);
});

it.each(["export?locale=fr", "history", "search?text=A"])(
  "is a 503 wherever GET %s meets it",
  async (path) => {
    const { fail, web, disk } = await failing();
    expect((await web().call("POST", `${base}/strings`, { body: { files } })).status).toBe(200);
    const begin = disk.operations.length;
    await web().call("GET", `${base}/${path}`);
    const count = disk.operations.length - begin;
    for (let n = 1; n <= count; n++) {
      fail("EMFILE", disk.operations.length + n);
      const { status, json } = await web().call("GET", `${base}/${path}`);
      expect(status === 200 || json.code, String(n)).toBe(status === 200 || "busy");
      fail(undefined);
    }
  },
);

it("is logged once a minute also where no request says so, since no connection is accepted", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const logged: unknown[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const faults = new MachineFaults({ error: note });
  const check = (code?: string) =>
    faults.check(() =>
      code === undefined
        ? Promise.resolve({ close: () => Promise.resolve() })
        : Promise.reject(new SystemError(code, "open", "/dev/null")),
    );
  await check();
  expect(logged).toEqual([]);
  for (const [ms, code, times] of [
    [0, "EMFILE", 1],
    [10_000, "ENFILE", 1],
    [50_000, "ENFILE", 2],
  ] as const) {
    vi.advanceTimersByTime(ms);
    await check(code);
    expect(logged).toHaveLength(times);
  }
  vi.useRealTimers();
});

it("is logged once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { fail, web } = await failing();
  const { call, logged } = web();
  fail("EMFILE");
  for (const [ms, times] of [
    [0, 1],
    [59_000, 1],
    [1_000, 2],
  ] as const) {
    vi.advanceTimersByTime(ms);
    expect((await call("GET", `${base}/strings`)).status).toBe(503);
    expect(logged).toHaveLength(times);
  }
  vi.useRealTimers();
});
