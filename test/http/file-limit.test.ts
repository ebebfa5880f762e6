/** The system's limit of open files: requests are refused for a moment, and the log names the cause once. */
import { expect, it, vi } from "vitest";
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

it.each(["EMFILE", "ENFILE"])("%s is a 503 with Retry-After for reads and writes", async (code) => {
  const { fail, web } = await failing();
  const { call, logged } = web();
  const ask = () =>
    Promise.all([
      call("GET", `${base}/strings`),
      call("GET", `${base}/export?locale=fr`),
      call("POST", `${base}/strings`, { body: { files } }),
      call("GET", "/api/hives"),
      call("POST", "/api/hives", { body: { slug: "x", team: "acme", source_locale: "en" } }),
    ]);
  fail(code);
  for (const { status, json, headers } of await ask()) {
    expect([status, json.code]).toEqual([503, "busy"]);
    expect(headers.get("retry-after")).toBe("1");
  }
  expect(logged).toEqual([
    { error: expect.stringContaining(code), message: expect.stringContaining("open files") },
  ]);
  fail(undefined);
  expect((await call("POST", `${base}/strings`, { body: { files } })).status).toBe(200);
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
