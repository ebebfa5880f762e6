/** A database that takes everything and says nothing, as behind a network that has lost its way. */
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../../src/domain/errors.ts";
import { openStorage } from "../../../../src/service/storage.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { isMissing } from "../../../helpers/postgres/cluster.ts";
import type { Cuttable } from "../../../helpers/postgres/cuttable.ts";
import { testDatabase } from "../../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken } from "../../../helpers/storage.ts";

const strings = "/api/hives/web/strings";

/** Keeps back what is sent from now on. @returns resolves when something was. */
function silenced(proxy: Cuttable): Promise<void> {
  return new Promise((resolve) => {
    proxy.judge(() => {
      resolve();
      return "stop";
    });
  });
}

/** @param withinMs how long each answer is waited for; as a server does by default. */
async function start(withinMs = 5_000) {
  const { prepare, proxy } = await testDatabase(withinMs);
  const storage = openStorage((await prepare()).options);
  await makeHive(storage, "web", { locales: [] });
  const { call } = harness(storage, await makeToken(storage));
  const write = (key: string) => call("POST", strings, { body: { files: { "a.json": { [key]: key } } } });
  expect((await write("first")).status).toBe(200);
  const ask = (): Promise<{ readonly status: number }> =>
    storage.record.documents.read("claims/web.json").then(
      () => ({ status: 200 }),
      () => ({ status: 503 }),
    );
  return { proxy, call, write, ask };
}

/** Ways for a database to be gone, and how it comes back. */
const outages: readonly {
  readonly what: string;
  readonly begin: (proxy: Cuttable) => void;
  readonly end: (proxy: Cuttable) => void;
  readonly statuses: readonly number[];
}[] = [
  {
    what: "refuses connections",
    begin: (proxy) => {
      proxy.accept(false);
      proxy.cutAll();
    },
    end: (proxy) => proxy.accept(true),
    statuses: [503],
  },
  {
    what: "takes connections and says nothing",
    begin: (proxy) => {
      proxy.judge(() => "stop");
      proxy.cutAll();
    },
    end: (proxy) => proxy.judge(() => "pass"),
    statuses: [503],
  },
  {
    what: "says nothing on the connections there are, and never will",
    begin: (proxy) => {
      proxy.judge(() => "stop");
      proxy.deafen();
    },
    end: (proxy) => proxy.judge(() => "pass"),
    statuses: [503],
  },
  {
    what: "has forgotten the connections there are",
    begin: (proxy) => proxy.deafen(),
    end: () => {},
    // A write whose COMMIT was not answered may end so.
    statuses: [200, 503],
  },
];

describe.skipIf(isMissing())("a database that does not answer", () => {
  it.each(outages)("is asked as soon as it is back where it $what", async ({ begin, end, statuses }) => {
    const { proxy, call, write, ask } = await start();
    for (let round = 0; round < 2; round++) {
      // So that there are several connections.
      await Promise.all(Array.from({ length: 5 }, (_, i) => write(`before${i}`)));
      begin(proxy);
      const replies = await Promise.all([
        ...Array.from({ length: 10 }, (_, i) => write(`k${i}`)),
        ...Array.from({ length: 10 }, () => call("GET", strings)),
        // More than there are connections.
        ...Array.from({ length: 12 }, ask),
      ]);
      for (const { status } of replies) expect(statuses).toContain(status);
      end(proxy);
      const later = await Promise.all([
        ...Array.from({ length: 10 }, (_, i) => write(`later${i}`)),
        ...Array.from({ length: 10 }, () => call("GET", strings)),
        ...Array.from({ length: 12 }, ask),
      ]);
      expect(later.map(({ status }) => status)).toEqual(later.map(() => 200));
    }
  });

  it("lets no write wait for all that wait before it", async () => {
    const { proxy, write } = await start(1_000);
    let isOut = false;
    // When the first has its lock, and the others wait for it.
    proxy.judge((sent) => {
      isOut ||= sent.includes("BEGIN");
      return isOut ? "stop" : "pass";
    });
    const began = performance.now();
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => write(`k${i}`)));
    for (const { status, json } of replies) expect([status, json.code]).toEqual([503, "record_unavailable"]);
    expect(performance.now() - began).toBeLessThan(15_000);
    proxy.judge(() => "pass");
    expect((await write("later")).status).toBe(200);
  });

  it("has every request answered with 503 in the end, and each write made once or not at all", async () => {
    const { proxy, call, write } = await start();
    proxy.judge(() => "stop");
    const replies = await Promise.all([
      ...Array.from({ length: 30 }, (_, i) => write(`k${i}`)),
      ...Array.from({ length: 30 }, () => call("GET", strings)),
    ]);
    for (const { status, json, headers } of replies) {
      expect([status, json.code]).toEqual([503, "record_unavailable"]);
      expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
    proxy.judge(() => "pass");
    proxy.release();
    await expect.poll(async () => (await write("last")).status, { timeout: 60_000 }).toBe(200);
    const { json } = await call("GET", `${strings}?per_page=500`);
    const keys: readonly string[] = json.data.map(({ key }: { key: string }) => key);
    expect(keys).toEqual(expect.arrayContaining(["first", "last"]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("delays no request by the time limits of earlier requests", async () => {
    const withinMs = 1_000;
    const { prepare, proxy } = await testDatabase(withinMs);
    const { record } = openStorage((await prepare()).options);
    await record.refresh("all");
    const sent = silenced(proxy);
    const end = async (): Promise<number> => {
      await expect(record.refresh("all")).rejects.toSatisfy((e) => isFailure(e, "record-unavailable"));
      return performance.now();
    };
    const before = end();
    await sent;
    const after = end();
    expect((await after) - (await before)).toBeLessThan(withinMs * 0.9);
  });

  it("is read again soon after it answers, also by a server without requests", async () => {
    const { prepare, proxy } = await testDatabase(1_000);
    const [here, there] = [openStorage((await prepare()).options), openStorage((await prepare()).options)];
    await makeHive(here, "web", { locales: [] });
    const version = there.record.version();
    await silenced(proxy);
    // These queries fail, and so do the polls for changes.
    await expect(here.record.refresh("all")).rejects.toThrow();
    await expect(here.record.refresh("all")).rejects.toThrow();
    proxy.judge(() => "pass");
    proxy.release();
    // On a busy machine, the connections that were silent can take all the time of a write.
    let hives = 0;
    await eventually(() => makeHive(here, `app${hives++}`, { locales: [] }));
    // No request comes there: only the poll for changes reads.
    await expect.poll(() => there.record.version(), { timeout: 10_000 }).not.toBe(version);
  });
});
