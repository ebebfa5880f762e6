/** A primary that ends while servers write, and its synchronous standby, which takes over. */
import { describe, expect, it, onTestFinished } from "vitest";
import { isFailure } from "../../../../src/domain/errors.ts";
import { toHiveSlug, toTokenId } from "../../../../src/domain/names.ts";
import { revokeToken } from "../../../helpers/people/tokens.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { Database } from "../../../../src/store/postgres/database.ts";
import { startStorage } from "../../../../src/commands/serve/process.ts";
import { defaults } from "../../../../src/config/settings.ts";
import { outOfTime, skipTime } from "../../../helpers/limits/held-time.ts";
import { Cluster, cluster, isMissing } from "../../../helpers/postgres/cluster.ts";
import { silenced, startCuttable } from "../../../helpers/postgres/cuttable.ts";
import { openOn } from "../../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken, realFolder } from "../../../helpers/storage.ts";

const web = toHiveSlug("web");

async function keysOf(storage: Storage): Promise<string[]> {
  await storage.hives.recorded(web).refresh();
  const { source } = await (await storage.hives.at(web).snapshot()).content("all");
  return [...source.values()].flatMap(({ group }) => Object.keys(group));
}

describe.skipIf(isMissing())("a failover", () => {
  it("loses no change that was acknowledged, and the old primary is not asked again", async () => {
    const primary = await Cluster.start();
    onTestFinished(() => primary.stop());
    const standby = await primary.standby();
    onTestFinished(() => standby.stop());
    const name = await primary.database();
    const url = primary.url(name).replace(/(127\.0\.0\.1:\d+)/, `$1,127.0.0.1:${standby.port}`);
    const [one, other] = [await openOn(url), await openOn(url)];
    await makeHive(one.storage, "web", { locales: [] });
    const token = await makeToken(one.storage);
    const acknowledged: string[] = [];
    const isDone = (count: number): boolean => acknowledged.length >= count;
    const write = async (storage: Storage, letter: string, until: number): Promise<void> => {
      const { post } = harness(storage, token);
      for (let i = 0; !isDone(until); i++) {
        const key = `${letter}${until}_${i}`;
        const { status } = await post({ "a.php": { [key]: key } });
        expect([200, 503]).toContain(status);
        if (status === 200) acknowledged.push(key);
      }
    };
    const writing = Promise.all([write(one.storage, "a", 40), write(other.storage, "b", 40)]);
    await expect.poll(() => isDone(15), { timeout: 60_000 }).toBe(true);
    await primary.kill();
    await standby.promote();
    await writing;
    const keys = await keysOf(one.storage);
    expect(keys).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(keys).size).toBe(keys.length);
    expect(await keysOf(other.storage)).toEqual(keys);

    // It still calls itself a primary that waits for nobody, and is the first in the address.
    await primary.run();
    await primary.sql("ALTER SYSTEM RESET synchronous_standby_names");
    await primary.sql("SELECT pg_reload_conf()");
    await standby.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'skep'",
    );
    await write(one.storage, "d", acknowledged.length + 1);
    keys.push(acknowledged.at(-1) ?? "");
    expect(await keysOf(other.storage)).toEqual(keys);
    await other.close();
    const again = await openOn(url, other.storage.folder);
    expect(await keysOf(again.storage)).toEqual(keys);
    await write(again.storage, "c", acknowledged.length + 1);
    expect(await keysOf(one.storage)).toEqual([...keys, acknowledged.at(-1)]);
  });

  it("is followed by no answer from before it", async () => {
    const primary = await Cluster.start();
    onTestFinished(() => primary.stop());
    const standby = await primary.standby();
    onTestFinished(() => standby.stop());
    const name = await primary.database();
    const url = primary.url(name).replace("/test", `,127.0.0.1:${standby.port}/test`);
    const [{ storage: busy }, { storage: quiet }] = [await openOn(url), await openOn(url, undefined, false)];
    await makeHive(busy, "web", { locales: [] });
    const token = await makeToken(busy);
    const { call } = harness(quiet, token);
    expect((await call("GET", "/api/hives/web")).status).toBe(200);
    await primary.kill();
    await standby.promote();
    const id = toTokenId(token.split("_")[1] ?? "");
    await expect
      .poll(() => revokeToken(busy, id).then(() => "revoked", String), { timeout: 60_000 })
      .toBe("revoked");
    expect((await call("GET", "/api/hives/web")).status).toBe(401);
  });

  it.each([
    ["answers nothing", false],
    ["is not asked because its client stands still", true],
  ])("is noticed when the old primary %s meanwhile, and then answers again", async (_why, isStill) => {
    const primary = await Cluster.start();
    onTestFinished(() => primary.stop());
    const standby = await primary.standby();
    onTestFinished(() => standby.stop());
    const name = await primary.database();
    await primary.sql("CREATE TABLE place AS SELECT 'old' AS name", name);
    const proxy = await startCuttable(primary.port);
    const url = primary.url(name, proxy.port).replace("/test", `,127.0.0.1:${standby.port}/test`);
    const withinMs = 60_000;
    const database = new Database({ url, withinMs });
    onTestFinished(() => database.close());
    const place = () => database.query((sql) => sql`SELECT name FROM place`);
    // Several connections, which are then idle.
    expect(await Promise.all([place(), place(), place()])).toHaveLength(3);
    const asked = silenced(proxy);
    if (!isStill) {
      await expect(outOfTime(place, asked)).rejects.toSatisfy((error) =>
        isFailure(error, "record-unavailable"),
      );
    }
    await standby.promote();
    await expect.poll(() => standby.sql("SELECT pg_is_in_recovery() AS is")).toEqual([{ is: false }]);
    await standby.sql("UPDATE place SET name = 'new'", name);
    if (isStill) skipTime(2 * withinMs);
    proxy.judge(() => "pass");
    proxy.release();
    expect(await place()).toEqual([{ name: "new" }]);
  });
});

describe.skipIf(isMissing())("a server that starts during a failover", () => {
  /** Starts it. `waits` resolves when it says that it waits, with the reason. */
  function start(database: string, storage = realFolder()) {
    let waits = Promise.resolve("");
    const started = new Promise<Storage>((resolve, reject) => {
      waits = new Promise((say) => {
        const ignore = (): void => {};
        const warn = ({ error }: { readonly error?: unknown }): void => say(String(error));
        const log = { isPretty: false, logsDebug: false, flush: ignore, debug: ignore, info: ignore };
        startStorage({ ...defaults, database, storage }, { ...log, warn, error: ignore })
          .then((opened) => resolve(opened.storage))
          .catch(reject);
      });
    });
    onTestFinished(async () => {
      await started.then(({ record }) => record.close()).catch(() => undefined);
    });
    return { started, waits };
  }

  it("waits for a new primary, and refuses the old one for a minute when it has seen the new one", async () => {
    const primary = await Cluster.start();
    onTestFinished(() => primary.stop());
    const standby = await primary.standby();
    onTestFinished(() => standby.stop());
    const name = await primary.database();
    const url = primary.url(name).replace("/test", `,127.0.0.1:${standby.port}/test`);
    const { storage: before, close } = await openOn(url);
    await makeHive(before, "web", { locales: [] });
    await close();
    await primary.kill();

    const folder = realFolder();
    const { started, waits } = start(url, folder);
    expect(await waits).toMatch(/ECONNREFUSED.*; .*it can only be read from/);
    await standby.promote();
    const storage = await started;
    expect(await keysOf(storage)).toEqual([]);
    await storage.record.close();

    await standby.stop();
    await primary.run();
    const refused = start(url, folder);
    expect(await refused.waits).toMatch(/it was the primary before another one took over; .*ECONNREFUSED/);
    skipTime(60_000);
    await expect(refused.started).rejects.toSatisfy((error) => isFailure(error, "record-unavailable"));
  });

  it("ends at once when an operator has to repair something", async () => {
    const server = await cluster();
    await expect(start(server.url("missing")).started).rejects.toThrow('has no database "missing"');
  });
});
