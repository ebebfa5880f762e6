/** A database that takes everything and says nothing, as behind a network that has lost its way. */
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../../src/domain/errors.ts";
import { openStorage } from "../../../../src/service/storage.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { outOfTime, takeTime } from "../../../helpers/limits/held-time.ts";
import { isMissing } from "../../../helpers/postgres/cluster.ts";
import { silenced, type Cuttable } from "../../../helpers/postgres/cuttable.ts";
import { testDatabase } from "../../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken } from "../../../helpers/storage.ts";

const strings = "/api/hives/web/strings";

/** How long each answer is waited for. Shorter than locks are, so that a lock is not what takes too long. */
const withinMs = 60_000;

/** @param limitMs how long each answer is waited for; a server does 5 s by default. */
async function start(limitMs = withinMs) {
  const { prepare, proxy } = await testDatabase(limitMs);
  const storage = openStorage((await prepare()).options);
  await makeHive(storage, "web", { locales: [] });
  const { call, post } = harness(storage, await makeToken(storage));
  const write = (key: string) => post({ "a.json": { [key]: key } });
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
    const { proxy, call, write, ask } = await start(5_000);
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
    const { proxy, write } = await start();
    // When the first has its lock, and the others wait for it.
    let hasBegun = false;
    const isOut = new Promise<void>((resolve) => {
      proxy.judge((sent) => {
        hasBegun ||= sent.includes("BEGIN");
        if (!hasBegun) return "pass";
        resolve();
        return "stop";
      });
    });
    const before = performance.now();
    const replies = await outOfTime(
      () => Promise.all(Array.from({ length: 30 }, (_, i) => write(`k${i}`))),
      isOut,
    );
    // One after the other, they would take 30 limits.
    expect(performance.now() - before).toBeLessThan(15 * withinMs);
    // The lock's own limit may be over first for one that waited long for its turn.
    for (const { status, json } of replies)
      expect([status, json.code]).toEqual([503, expect.stringMatching(/^(record_unavailable|busy)$/)]);
    proxy.judge(() => "pass");
    expect((await write("later")).status).toBe(200);
  });

  it("has every request answered with 503 in the end, and each write made once or not at all", async () => {
    const { proxy, call, write } = await start();
    proxy.judge(() => "stop");
    const replies = await outOfTime(() =>
      Promise.all([
        ...Array.from({ length: 30 }, (_, i) => write(`k${i}`)),
        ...Array.from({ length: 30 }, () => call("GET", strings)),
      ]),
    );
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
    const { prepare, proxy } = await testDatabase(withinMs);
    const { record } = openStorage((await prepare()).options);
    await record.refresh("all");
    const sent = silenced(proxy);
    const pass = takeTime();
    const ended: string[] = [];
    const end = async (which: string): Promise<void> => {
      await expect(record.refresh("all")).rejects.toSatisfy((e) => isFailure(e, "record-unavailable"));
      ended.push(which);
    };
    const before = end("before");
    await sent;
    await pass(withinMs / 2);
    const after = end("after");
    await pass(withinMs / 2 + 1_000);
    await before;
    expect(ended).toEqual(["before"]);
    // Only so much time is left of its own limit: one that began with the end of the other would not be over.
    await pass(withinMs / 2);
    await after;
  });

  it("is read again soon after it answers, also by a server without requests", async () => {
    const { prepare, proxy } = await testDatabase(withinMs);
    const [here, there] = [openStorage((await prepare()).options), openStorage((await prepare()).options)];
    await makeHive(here, "web", { locales: [] });
    const version = there.record.version();
    const sent = silenced(proxy);
    // These queries fail, and so do the polls for changes.
    const isAway = (error: unknown): boolean => isFailure(error, "record-unavailable");
    await expect(outOfTime(() => here.record.refresh("all"), sent)).rejects.toSatisfy(isAway);
    await expect(outOfTime(() => there.record.refresh("all"))).rejects.toSatisfy(isAway);
    proxy.judge(() => "pass");
    proxy.release();
    // On a busy machine, the connections that were silent can take all the time of a write.
    let hives = 0;
    await eventually(() => makeHive(here, `app${hives++}`, { locales: [] }));
    // No request comes there: only the poll for changes reads.
    await eventually(() => expect(there.record.version()).not.toBe(version));
  });
});
