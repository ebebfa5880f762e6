/**
 * Histories of real servers with one database under Patroni, whose primary is killed, stands still until it is replaced,
 * and is switched over meanwhile: they look like one server that does one request after the other.
 */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { toTokenId } from "../../../src/domain/names.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { listen } from "../../helpers/events/listen.ts";
import { makeHives, startHistory, type Slot } from "../../helpers/postgres/history.ts";
import { isMissing, PatroniCluster } from "../../helpers/postgres/patroni.ts";
import { openOn } from "../../helpers/postgres/records.ts";
import { request, startServerIn } from "../../helpers/process.ts";
import { makeToken, realFolder } from "../../helpers/storage.ts";

/** Longer than a server takes to answer without its database. */
const patienceMs = 10_000;

/** Runs a change again while the database does not answer. */
async function insist<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isFailure(error, "record-unavailable")) throw error;
    }
  }
}

/** Makes a token, and revokes it: no server takes it from then on, whatever its database does. */
async function expectRevocation(storage: Storage, slots: readonly Slot[]): Promise<void> {
  const token = await insist(() => makeToken(storage));
  const statuses = async (allowed: readonly number[]): Promise<boolean> => {
    const replies = await Promise.all(
      slots.map(({ server }) => request(server, token, "GET", "/api/hives/web")),
    );
    for (const { status, headers } of replies) {
      expect(allowed).toContain(status);
      if (status === 503) expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
    return replies.every(({ status }) => status !== 503);
  };
  await vi.waitUntil(() => statuses([200, 503]), { timeout: 120_000 });
  await insist(() => revokeToken(storage, toTokenId(token.split("_")[1] ?? ""))).catch((error: unknown) => {
    // It was revoked by a try whose outcome was unknown.
    if (!isFailure(error, "not-found")) throw error;
  });
  await vi.waitUntil(() => statuses([401, 503]), { timeout: 120_000 });
}

/** Listens to a Hive as a browser does, which connects again. @returns how many commits it was told of. */
function countEvents({ server }: Slot, token: string): () => number {
  let count = 0;
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const headers = { authorization: `Bearer ${token}` };
  const open = (signal: AbortSignal) => fetch(`${server.url}/api/hives/web/events`, { headers, signal });
  const counting = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { next } = await listen(open);
      while ((await next().catch(() => undefined)) !== undefined) count++;
    }
  };
  // Then no more are counted.
  counting().catch(() => undefined);
  return () => count;
}

describe.skipIf(isMissing())("servers with a database under Patroni", () => {
  it("look like one that does each request once, while the primary is killed, stands still, and is replaced", async () => {
    const cluster = await PatroniCluster.start("skep");
    onTestFinished(() => cluster.stop());
    const url = cluster.url("skep");
    const { storage } = await openOn(url);
    await makeHives(storage);
    const serve = async (): Promise<Slot> => {
      const folder = realFolder();
      return { folder, server: await startServerIn({ SKEP_DATABASE: url }, folder) };
    };
    const [quiet, ...busy] = await Promise.all([serve(), serve(), serve()]);
    const slots = [quiet, ...busy];
    const { isOver, progress, end } = await startHistory({
      slots: busy,
      storage,
      url,
      patienceMs,
      fillMs: 40_000,
      // Most of the time passes while Patroni waits, which needs the machine as well.
      pauseMs: 400,
    });
    const heard = countEvents(quiet, await makeToken(storage));
    await progress();

    const recovered = async (): Promise<void> => {
      await progress();
      await expectRevocation(storage, slots);
      const before = heard();
      await vi.waitUntil(() => isOver() || heard() > before, { timeout: 120_000 });
      await cluster.isWhole();
      await progress();
    };
    let primary = await cluster.primary();
    primary.killPostgres();
    await recovered();

    primary = await cluster.primary();
    primary.kill();
    await cluster.primary(primary);
    await progress();
    await primary.start();
    await recovered();

    primary = await cluster.primary();
    primary.pause();
    await cluster.primary(primary);
    await progress();
    primary.resume();
    // It says that it is the primary until its Patroni looks.
    await expectRevocation(storage, slots);
    await recovered();
    const write = () => primary.sql("CREATE TABLE it_writes ()").then(() => "written", String);
    // It may be starting again.
    const ending = await vi.waitUntil(async () => /written|read-only/.exec(await write())?.[0], 60_000);
    expect(ending).toBe("read-only");

    primary = await cluster.primary();
    const standby = (await cluster.states()).find(({ role }) => role === "sync_standby");
    const switched = await primary.call("/switchover", { leader: primary.name, candidate: standby?.name });
    expect([switched.status, await switched.text()]).toEqual([200, expect.stringContaining("switched over")]);
    await recovered();
    const { unavailable } = await end();
    expect(unavailable).toBeGreaterThan(0);
    expect(await quiet.server.stop()).toBe(0);
    expect(quiet.server.stderr()).not.toContain("uncaught error");
  });
});
