/** Connections that end before, after and in the middle of the statements of a write. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isFailure } from "../../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName } from "../../../../src/domain/names.ts";
import { updateTeam } from "../../../../src/service/admin/teams.ts";
import { Database } from "../../../../src/store/postgres/database.ts";
import { uploadPack } from "../../../../src/store/postgres/packs.ts";
import { openStorage, type Storage } from "../../../../src/service/storage.ts";
import { outOfTime } from "../../../helpers/limits/held-time.ts";
import { Cluster, cluster, isMissing } from "../../../helpers/postgres/cluster.ts";
import { isCommit, startCuttable, type Judge } from "../../../helpers/postgres/cuttable.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { testDatabase, type TestDatabase } from "../../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken } from "../../../helpers/storage.ts";

const web = toHiveSlug("web");

interface Servers extends TestDatabase {
  readonly here: Storage;
  readonly there: Storage;
  /** Adds strings with these keys, and gives the status. */
  readonly write: (...keys: readonly string[]) => Promise<number>;
}

/** How long each answer is waited for. Shorter than locks are, so that a lock is not what takes too long. */
const withinMs = 60_000;

async function start(): Promise<Servers> {
  const database = await testDatabase(withinMs);
  const here = openStorage((await database.prepare()).options);
  const there = openStorage((await database.prepare()).options);
  await makeHive(here, "web", { locales: [] });
  await updateTeam(here, toTeamName("acme"), { maxStrings: 1_000 });
  const { post } = harness(here, await makeToken(here));
  const write = async (...keys: readonly string[]): Promise<number> => {
    const files = { "a.php": Object.fromEntries(keys.map((key) => [key, key])) };
    return (await post(files)).status;
  };
  return { ...database, here, there, write };
}

/** The keys and the number of commits of a Hive as a server reads it. */
async function read(storage: Storage): Promise<{ keys: readonly string[]; commits: number }> {
  await storage.hives.recorded(web).refresh();
  const snapshot = await storage.hives.at(web).snapshot();
  const keys = [...(await snapshot.content("all")).source.values()].flatMap(({ group }) =>
    Object.keys(group),
  );
  let commits = 0;
  const repo = storage.hives.repo(web);
  for (let next = snapshot.commit.parents[0]; next !== undefined; commits++) {
    [next] = (await repo.readCommit(next)).parents;
  }
  return { keys: keys.toSorted(), commits };
}

/** Waits until a statement waits for what a transaction has locked, as one does that asks how the transaction ended. */
function someoneWaits(name: string): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`;
  return eventually(async () => expect(await (await cluster()).sql(waiting)).not.toEqual([]));
}

/** Applies a verdict to the piece of a number, counted from now on. */
function atPiece(number: number, verdict: ReturnType<Judge>): Judge {
  let count = 0;
  return () => (count++ === number ? verdict : "pass");
}

describe.skipIf(isMissing())("a write", () => {
  it.each(["cut", "cut-after"] as const)(
    "is made once when the connection is %s at any piece",
    async (verdict) => {
      const { here, there, proxy, write } = await start();
      let pieces = 0;
      proxy.judge(() => (pieces++, "pass"));
      expect(await write("first")).toBe(200);
      const expected = ["first"];
      for (let i = 0; i < pieces + 2; i++) {
        proxy.judge(atPiece(i, verdict));
        const status = await write(`k${i}`);
        proxy.judge(() => "pass");
        expect({ i, status }).toEqual({ i, status: 200 });
        expected.push(`k${i}`);
        const [one, other] = [await read(here), await read(there)];
        expect(one).toEqual({ keys: expected.toSorted(), commits: expected.length });
        expect(other).toEqual(one);
      }
    },
  );

  it("is made once when its COMMIT arrives long after its connection has ended", async () => {
    const { name, here, there, proxy, write } = await start();
    let waited = Promise.resolve();
    let isKept = false;
    proxy.judge((sent) => {
      if (isKept || !isCommit(sent)) return "pass";
      isKept = true;
      waited = someoneWaits(name).finally(proxy.release);
      return "stop-and-cut";
    });
    expect(await write("late")).toBe(200);
    await waited;
    expect(await read(here)).toEqual({ keys: ["late"], commits: 1 });
    expect(await read(there)).toEqual({ keys: ["late"], commits: 1 });
  });

  it("is answered with 503 when nothing is known of its COMMIT in time, and is then made once or not at all", async () => {
    const { here, there, proxy, write } = await start();
    const kept = new Promise<void>((resolve) => {
      proxy.judge((sent) => {
        if (!isCommit(sent)) return "pass";
        resolve();
        return "stop";
      });
    });
    expect(await outOfTime(() => write("unknown"), kept)).toBe(503);
    proxy.judge(() => "pass");
    proxy.release();
    expect(await write("unknown", "next")).toBe(200);
    const one = await read(here);
    expect(one.keys).toEqual(["next", "unknown"]);
    expect(await read(there)).toEqual(one);
  });

  it("is answered with 503 while there is no database, and made when it is back", async () => {
    const { here, there, proxy, write } = await start();
    proxy.accept(false);
    proxy.cutAll();
    expect(await outOfTime(() => write("a"))).toBe(503);
    proxy.accept(true);
    expect(await write("b")).toBe(200);
    expect(await read(there)).toEqual({ keys: ["b"], commits: 1 });
    expect(await read(here)).toEqual({ keys: ["b"], commits: 1 });
  });

  it("that is large is given up as early as others while there is no database", async () => {
    const { url, proxy } = await testDatabase();
    const database = new Database({ url, withinMs: 200 });
    onTestFinished(() => database.close());
    await database.query((sql) => sql`SELECT 1`, 60_000);
    proxy.accept(false);
    proxy.cutAll();
    await expect(uploadPack(database, [Buffer.alloc(2 * 1024 * 1024)])).rejects.toMatchObject({
      code: "record-unavailable",
    });
    // An upload to a database that answers may take a minute.
  }, 30_000);

  it("is made when its statements are cancelled, and answered with 503 while they always are", async () => {
    const { name, here, there, write } = await start();
    const postgres = await cluster();
    const limit = (value: string) =>
      postgres.sql(
        `ALTER DATABASE ${name} SET statement_timeout = '${value}';
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
        name,
      );
    // Longer than any limit, as long as there is one.
    await postgres.sql(
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(3600) WHERE current_setting(''statement_timeout'') <> ''0''; RETURN NEW; END';
      CREATE TRIGGER slow BEFORE UPDATE ON repository FOR EACH ROW EXECUTE FUNCTION hold()`,
      name,
    );
    await limit("300ms");
    const held = `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND wait_event = 'PgSleep'`;
    const pids = new Set<unknown>();
    // Each is cancelled, and then tried again by another connection.
    const cancelled = vi.waitUntil(
      async () => {
        for (const { pid } of await postgres.sql(held)) pids.add(pid);
        return pids.size > 1;
      },
      { timeout: 120_000, interval: 10 },
    );
    expect(await outOfTime(() => write("a"), cancelled)).toBe(503);
    expect(pids.size).toBe(2);
    const writing = write("b");
    await limit("0");
    expect(await writing).toBe(200);
    expect(await read(there)).toEqual({ keys: ["b"], commits: 1 });
    expect(await read(here)).toEqual({ keys: ["b"], commits: 1 });
  });

  it("of settings is made once when its connection ends in COMMIT", async () => {
    for (const verdict of ["cut", "cut-after", "stop-and-cut"] as const) {
      const { name, here, there, proxy } = await start();
      let waited = Promise.resolve();
      let isCut = false;
      proxy.judge((sent) => {
        if (isCut || !isCommit(sent)) return "pass";
        isCut = true;
        if (verdict === "stop-and-cut") waited = someoneWaits(name).finally(proxy.release);
        return verdict;
      });
      const token = await makeToken(here, { name: "ci" });
      await waited;
      await there.record.refresh([]);
      expect((await harness(there, token).call("GET", "/api/hives/web/strings")).status).toBe(200);
      expect((await there.registry.tokens()).filter(({ name }) => name === "ci").length).toBe(1);
    }
  });
});

describe.skipIf(isMissing())("a COMMIT whose wait for the standby is cancelled", () => {
  it("is no success: it may be lost by a failover", async () => {
    const cluster = await Cluster.start();
    try {
      const { Database } = await import("../../../../src/store/postgres/database.ts");
      const { prepareSchema } = await import("../../../../src/store/postgres/schema.ts");
      const proxy = await startCuttable(cluster.port);
      const name = await cluster.database();
      const database = new Database({ url: cluster.url(name, proxy.port), withinMs });
      await prepareSchema(database);
      await cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
      await cluster.sql("SELECT pg_reload_conf()");
      let cancelled = 0;
      const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      // The transaction, and the first questions how it has ended.
      const cancelling = (async () => {
        while (cancelled < 4) cancelled += (await cluster.sql(waiting)).length;
      })();
      // The server takes a moment until it waits for the standby.
      const making = async (): Promise<never> => {
        for (;;) {
          const before = cancelled;
          await database.transaction((sql) => sql`INSERT INTO team VALUES ('acme') ON CONFLICT DO NOTHING`);
          expect(cancelled).toBe(before);
        }
      };
      await expect(outOfTime(making, cancelling)).rejects.toSatisfy((error) =>
        isFailure(error, "record-unavailable"),
      );
      await cluster.sql("ALTER SYSTEM RESET synchronous_standby_names");
      await cluster.sql("SELECT pg_reload_conf()");
      await database.transaction((sql) => sql`INSERT INTO team VALUES ('acme') ON CONFLICT DO NOTHING`);
      expect(await cluster.sql("SELECT count(*)::int AS teams FROM team", name)).toEqual([{ teams: 1 }]);
      await database.close();
    } finally {
      await cluster.stop();
    }
  });
});
