/** How fresh the copy of a database is for each request. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SkepError } from "../../../src/domain/errors.ts";
import { toHiveSlug, type HiveSlug } from "../../../src/domain/names.ts";
import {
  RecordFreshness,
  type FreshnessOptions,
  type FreshnessResult,
} from "../../../src/http/pipeline/record-freshness.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { appOn, harness, setUpWeb } from "../../helpers/storage.ts";

const slug = toHiveSlug("web");
const unavailable = () =>
  new SkepError("record-unavailable", "The database is gone (db1:5432).", { retryAfter: 5 });

/** A database that can be stopped, and what it was asked. */
function fakeDatabase() {
  const asked: (readonly HiveSlug[] | "all")[] = [];
  const database = {
    asked,
    isDown: false,
    isHanging: false,
    problem: undefined as string | undefined,
    /** Runs as the copy is being refreshed. */
    bring: async () => {},
    refresh: async (hives: readonly HiveSlug[] | "all"): Promise<void> => {
      asked.push(hives);
      if (database.isHanging) await new Promise(() => {});
      if (database.isDown) throw unavailable();
      await database.bring();
    },
  };
  return database;
}

function freshnessOf(options: Partial<FreshnessOptions> = {}) {
  const database = fakeDatabase();
  const results: FreshnessResult[] = [];
  const logged: string[] = [];
  const clock = { now: 0 };
  const known = new Map([["public-id", { slug }]]);
  const freshness = new RecordFreshness(
    {
      refresh: database.refresh,
      problem: () => database.problem,
      publications: { by: async (id) => known.get(id) },
    },
    {
      log: { error: (_, message) => void logged.push(message) },
      slowReadTimeout: 60_000,
      passed: (result) => results.push(result),
      time: () => clock.now,
      ...options,
    },
  );
  const pass = async (path: string, method = "GET"): Promise<void> =>
    freshness.requireFresh(new Request(`http://localhost${path}`, { method }), undefined);
  return { database, results, logged, clock, known, pass };
}

describe("while the database answers", () => {
  it("a request waits until the copy of its Hive is as new as the database", async () => {
    const { database, pass, results } = freshnessOf({ staleness: 60_000 });
    await pass("/api/hives/web/strings");
    await pass("/api/hives/web/strings", "POST");
    await pass("/api/me");
    expect(database.asked).toEqual([[slug], [slug], []]);
    expect(results).toEqual(["fresh", "fresh", "fresh"]);
  });

  it("nothing is asked for what does not depend on it", async () => {
    const { database, pass } = freshnessOf();
    await pass("/docs");
    await pass("/healthz");
    await pass("/api/hives", "OPTIONS");
    expect(database.asked).toEqual([]);
  });

  it("a published file waits for its Hive, also when its channel is new", async () => {
    const { database, pass, known } = freshnessOf();
    await pass("/p/public-id/production/fr.json");
    expect(database.asked).toEqual([[slug]]);
    database.bring = async () => void known.set("new-id", { slug });
    await pass("/p/new-id/production/fr.json");
    expect(database.asked).toEqual([[slug], [], [slug]]);
  });

  it("a large Hive may take long to fetch", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, pass } = freshnessOf();
    let fetched = () => {};
    database.bring = () =>
      database.asked.length > 1 ? Promise.resolve() : new Promise((resolve) => (fetched = resolve));
    const passing = pass("/api/hives/web");
    await vi.advanceTimersByTimeAsync(20_000);
    fetched();
    await passing;
    expect(database.asked.length).toBeGreaterThan(2);
    expect(database.asked.slice(1).flat()).toEqual([]);
  });
});

describe("while the database does not answer", () => {
  it("everything is refused", async () => {
    const { database, pass, results, logged } = freshnessOf();
    await pass("/api/hives/web");
    database.isDown = true;
    await expect(pass("/api/hives/web")).rejects.toMatchObject({ code: "record-unavailable" });
    await expect(pass("/api/me")).rejects.toMatchObject({ code: "record-unavailable" });
    expect(results).toEqual(["fresh", "failed", "failed"]);
    expect(logged).toEqual(["the database does not answer"]);
  });

  it("what it has said before it hung is said", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, pass } = freshnessOf();
    database.isHanging = true;
    for (const problem of [undefined, "The database has no connection left for this server."]) {
      database.problem = problem;
      const passing = pass("/api/hives/web").catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await passing).toMatchObject({ code: "record-unavailable", data: { problem } });
    }
  });

  it("a hanging one is not waited for longer than 5 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, pass } = freshnessOf();
    database.isHanging = true;
    const refused = pass("/api/hives/web").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await refused).toMatchObject({ code: "record-unavailable", data: { retryAfter: 5 } });
  });

  it("reads go on from a copy that is no older than the staleness, and writes do not", async () => {
    const { database, pass, clock, results } = freshnessOf({ staleness: 60_000 });
    await pass("/api/hives/web");
    database.isDown = true;
    clock.now = 59_000;
    await pass("/api/hives/web/strings");
    await pass("/hives/web.git/git-upload-pack", "POST");
    expect(results).toEqual(["fresh", "old", "old"]);
    await expect(pass("/api/hives/web/strings", "POST")).rejects.toMatchObject({
      code: "record-unavailable",
    });
    await expect(pass("/api/hives/app")).rejects.toMatchObject({ code: "record-unavailable" });
    await expect(pass("/", "POST")).rejects.toMatchObject({ code: "record-unavailable" });
    clock.now = 61_000;
    await expect(pass("/api/hives/web")).rejects.toMatchObject({ code: "record-unavailable" });
  });

  it.each(["all", "settings"])("a Hive of the name %s says nothing about others", async (name) => {
    const { database, pass, clock } = freshnessOf({ staleness: 60_000 });
    await pass("/api/hives/web");
    clock.now = 40_000;
    await pass(`/api/hives/${name}`);
    database.isDown = true;
    clock.now = 70_000;
    await expect(pass("/api/hives/web")).rejects.toMatchObject({ code: "record-unavailable" });
  });

  it("published files are answered for an hour", async () => {
    const { database, pass, clock } = freshnessOf();
    const file = "/p/public-id/production/fr.json";
    await pass(file);
    database.isDown = true;
    clock.now = 3_599_000;
    await pass(file);
    clock.now = 3_601_000;
    await expect(pass(file)).rejects.toMatchObject({ code: "record-unavailable" });
  });

  it("a read that may be old waits a second for a hanging one, and others do not", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, pass, results } = freshnessOf({ staleness: 60_000 });
    await pass("/api/hives/web");
    database.isHanging = true;
    const first = pass("/api/hives/web");
    await vi.advanceTimersByTimeAsync(1_000);
    await first;
    await vi.advanceTimersByTimeAsync(4_000);
    const second = pass("/api/hives/web");
    await pass("/api/hives/web");
    expect(results).toEqual(["fresh", "old", "old"]);
    await vi.advanceTimersByTimeAsync(1_000);
    await second;
    expect(results).toEqual(["fresh", "old", "old", "old"]);
  });

  it("one request at a time asks whether it is back, and then all go on", async () => {
    const { database, pass } = freshnessOf();
    database.isDown = true;
    await expect(pass("/api/me")).rejects.toThrow("gone");
    const refused = await Promise.allSettled([pass("/api/me"), pass("/api/hives/web"), pass("/api/team")]);
    expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(database.asked).toHaveLength(2);
    database.isDown = false;
    await Promise.all([pass("/api/me"), pass("/api/hives/web")]);
    expect(database.asked.slice(2)).toEqual([[], [], [slug]]);
  });
});

describe("an application with a database", () => {
  const setUp = async (staleness = 0) => {
    const { storage, token } = await setUpWeb();
    const database = fakeDatabase();
    const withDatabase = { ...storage, refresh: database.refresh };
    const { app } = appOn(withDatabase, { staleness });
    const { call } = harness(withDatabase, token, { staleness });
    return { storage, database, app, call };
  };

  it("answers 503 record_unavailable with Retry-After where it depends on it, and is still alive", async () => {
    const { database, call } = await setUp();
    expect(await call("GET", "/api/hives/web/strings")).toMatchObject({ status: 200 });
    database.isDown = true;
    for (const [method, path] of [
      ["GET", "/api/hives/web/strings"],
      ["GET", "/api/hives"],
      ["POST", "/api/hives"],
      ["GET", "/p/5f0c2a9be14d7730c6a1f0d2/production/fr.json"],
      ["GET", "/api/hives/web"],
    ] as const) {
      const { status, json, headers } = await call(method, path, method === "POST" ? { body: {} } : {});
      expect([status, json.code, headers.get("retry-after")]).toEqual([503, "record_unavailable", "5"]);
    }
    expect(await call("GET", "/healthz")).toMatchObject({ status: 200 });
    expect(await call("GET", "/api/hives/web/strings", { token: null })).toMatchObject({ status: 503 });
  });

  it("answers git with a line of text, and browsers with a page", async () => {
    const { database, app } = await setUp();
    database.isDown = true;
    const answer = async (path: string, accept: string) => {
      const response = await app.fetch(
        new Request(`http://localhost${path}`, {
          headers: { accept, host: "localhost", "user-agent": "git/2.43.0" },
        }),
      );
      return [response.status, await response.text()];
    };
    expect(await answer("/hives/web.git/info/refs?service=git-upload-pack", "*/*")).toEqual([
      503,
      "The database does not answer; try again soon.\n",
    ]);
    const [status, page] = await answer("/hives/web", "text/html");
    expect([status, page]).toEqual([503, expect.stringMatching(/<html[^]*The database does not answer;/)]);
  });

  it("answers with what the refresh brought, also where it had the answer already", async () => {
    const { storage, database, call } = await setUp();
    const revoked = async (): Promise<number> => (await call("GET", "/api/hives/web")).status;
    expect([await revoked(), await revoked()]).toEqual([200, 200]);
    database.bring = async () => {
      database.bring = async () => {};
      for (const { id } of await storage.registry.tokens()) await revokeToken(storage, id);
    };
    expect(await revoked()).toBe(401);
  });

  it("says which part is not ready", async () => {
    const { database, call } = await setUp();
    database.isDown = true;
    expect(await call("GET", "/readyz")).toMatchObject({
      status: 503,
      json: { code: "not_ready", message: "The database does not answer." },
    });
  });
});
