/** The time of a database on a server: it follows the database, also back. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { importSource } from "../../../src/service/content/imports.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { DatabaseClock } from "../../../src/store/postgres/database-clock.ts";
import { sourceFiles } from "../../helpers/hive.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { byCommand, harness, makeHive, makeToken } from "../../helpers/storage.ts";

const year = 365 * 86_400_000;
const start = Date.UTC(2026, 0);

describe("the clock of a database", () => {
  let monotonic: number;
  let steps: number[];
  let clock: DatabaseClock;

  beforeEach(() => {
    monotonic = 1_000;
    steps = [];
    // This machine's clock is wrong.
    clock = new DatabaseClock(
      (ms) => steps.push(ms),
      () => monotonic,
      () => start + year,
    );
  });

  /** The database answers, after a while, with a time that it read in the middle. */
  const measure = (time: number, took = 0): void => {
    const sent = monotonic;
    monotonic += took;
    clock.measured(time, sent, monotonic);
  };

  it("is this machine's until the database has answered, and then the database's", () => {
    expect(clock.now()).toBe(start + year);
    measure(start);
    expect(clock.now()).toBe(start);
    monotonic += 500;
    expect([clock.now(), steps]).toEqual([start + 500, []]);
  });

  it("goes forward and back with the database, and tells of it", () => {
    measure(start);
    measure(start + year);
    expect(clock.now()).toBe(start + year);
    monotonic += 10;
    measure(start + 10);
    expect(clock.now()).toBe(start + 10);
    expect(steps).toEqual([year, -year]);
  });

  it("stands still for a small correction, and does not go back", () => {
    measure(start);
    expect(clock.now()).toBe(start);
    measure(start - 300);
    expect(clock.now()).toBe(start);
    monotonic += 400;
    expect([clock.now(), steps]).toEqual([start + 100, []]);
  });

  it("learns nothing from an answer that took so long that it contradicts nothing", () => {
    measure(start);
    measure(start + 9_000, 10_000);
    measure(start + 10_000);
    expect([clock.now(), steps]).toEqual([start + 10_000, []]);
  });
});

/** A database whose clock can be set, and two storages on it. */
async function withClock() {
  const { name, prepare } = await testDatabase(undefined, false);
  const server = await cluster();
  const sql = (text: string) => server.sql(text, name);
  await sql(`
    CREATE TABLE test_clock (ahead interval);
    INSERT INTO test_clock VALUES ('0');
    CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM public.test_clock';
    ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  const storages = [openStorage((await prepare()).options), openStorage((await prepare()).options)] as const;
  return { storages, set: (ahead: string) => sql(`UPDATE test_clock SET ahead = '${ahead}'`) };
}

describe.skipIf(isMissing())("a server that ran while the database's clock was a year ahead", () => {
  const web = toHiveSlug("web");
  const write = (storage: Storage, key: string) =>
    importSource(
      storage,
      web,
      { files: sourceFiles({ [`${key}.json`]: { [key]: key } }), mode: "import", conflictStrategy: "keep" },
      byCommand,
    );
  const timeOfHead = async ({ hives }: Storage): Promise<number> =>
    (await hives.at(web).revisions.history.readCommit(hives.at(web).head())).time;

  it("accepts tokens again, does jobs, and dates commits as their histories allow", async () => {
    const {
      storages: [storage, other],
      set,
    } = await withClock();
    await makeHive(storage, "web");
    await makeHive(storage, "app");
    const token = await makeToken(storage, { lifetimeMs: 86_400_000 });
    const { call } = harness(storage, token);
    const status = async (): Promise<number> => (await call("GET", "/api/hives")).status;
    expect(await status()).toBe(200);
    const lead = (server: Storage): Promise<string> =>
      server.record.jobs.hold("purge", () => Promise.resolve("led"));
    await set("1 year");
    expect(await status()).toBe(401);
    await write(storage, "ahead");
    expect(await lead(storage)).toBe("led");
    await set("0");
    expect(await lead(other)).toBe("led");
    expect(await status()).toBe(200);
    const ahead = await timeOfHead(storage);
    expect(ahead * 1_000).toBeGreaterThan(storage.now() + year / 2);
    // A history does not go back.
    await write(storage, "after");
    expect(await timeOfHead(storage)).toBe(ahead);
    // Others have the time that it is.
    await makeHive(storage, "new");
    const created = storage.hives.at(toHiveSlug("new"));
    const { time } = await created.revisions.history.readCommit(created.head());
    expect(time * 1_000).toBeLessThanOrEqual(storage.now());
  });
});
