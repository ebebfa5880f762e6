/** Writers of one Hive on several servers with one database: none is overtaken for ever, and none holds the others up. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toHiveSlug, toTeamName, toTokenId } from "../../../src/domain/names.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { importSource } from "../../../src/service/content/imports.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { Leases } from "../../../src/store/postgres/jobs.ts";
import { skipTime } from "../../helpers/limits/held-time.ts";
import { sourceFiles } from "../../helpers/hive.ts";
import { eventually } from "../../helpers/eventually.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { byCommand, makeHive, makeToken } from "../../helpers/storage.ts";

const [web, app] = [toHiveSlug("web"), toHiveSlug("app")];

function importFile(storage: Storage, file: string, context = byCommand, slug = web) {
  const files = sourceFiles({ [file]: { key: file } });
  return importSource(storage, slug, { files, mode: "import", conflictStrategy: "keep" }, context);
}

/** @returns a function that waits until the storage has tried to move a ref, and tells how that ended. */
function watchMoves({ record: { repositories } }: Storage): () => Promise<"made" | "refused"> {
  const move = repositories.move.bind(repositories);
  let ended: (how: "made" | "refused") => void = () => {};
  vi.spyOn(repositories, "move").mockImplementation(async (...args) => {
    await move(...args).catch((error: unknown) => {
      ended("refused");
      throw error;
    });
    ended("made");
  });
  return () => new Promise((resolve) => (ended = resolve));
}

async function servers() {
  const { name, prepare } = await testDatabase(60_000);
  const [here, there] = (await Promise.all([prepare(), prepare()])).map(({ options }) => options);
  if (here === undefined || there === undefined) throw new Error("no servers");
  const storages = { here: openStorage(here), there: openStorage(there) };
  await makeHive(storages.here, "web");
  await storages.there.hives.recorded(web).refresh();
  const server = await cluster();
  return { ...storages, name, sql: async (text: string) => [...(await server.sql(text, name))] };
}

async function filesOf(storage: Storage): Promise<readonly string[]> {
  await storage.hives.recorded(web).refresh();
  return [...(await (await storage.hives.at(web).snapshot()).content([])).source.keys()].toSorted();
}

describe.skipIf(isMissing())("writers of a Hive on several servers", () => {
  it("plan once more when another one was faster, even if others write all the time", async () => {
    const { here, there, sql } = await servers();
    const moved = watchMoves(there);
    const others: Promise<unknown>[] = [];
    const outcomes: string[] = [];
    const leases: unknown[] = [];
    // The other server writes each time this one plans.
    const reauthorise = async (): Promise<void> => {
      const outcome = moved();
      others.push(importFile(there, `other${others.length}.json`));
      outcomes.push(await outcome);
      leases.push(
        ...(await sql(
          `SELECT name, until <= clock_timestamp() + INTERVAL '2 s' AS ends FROM job WHERE name LIKE 'write-%'`,
        )),
      );
    };
    await importFile(here, "long.json", { ...byCommand, caller: { ...byCommand.caller, reauthorise } });
    expect(outcomes).toEqual(["made", "refused"]);
    expect(leases).toEqual([{ name: "write-web", ends: true }]);
    await Promise.all(others);
    const files = ["long.json", "other0.json", "other1.json"];
    expect([await filesOf(here), await filesOf(there)]).toEqual([files, files]);
    expect(await sql("SELECT 1 FROM job WHERE name LIKE 'write-%' AND until > clock_timestamp()")).toEqual(
      [],
    );
  });

  it("do not overtake a revocation that waits for another one", async () => {
    const { here, there, name, sql } = await servers();
    await makeHive(here, "app", { team: "other" });
    const token = toTokenId((await makeToken(here)).split("_")[1] ?? "");
    await there.record.refresh([app, web]);
    const database = new Database({ url: (await cluster()).url(name), withinMs: 60_000 });
    onTestFinished(() => database.close());
    let ending: Promise<unknown> = Promise.resolve();
    const done: string[] = [];
    const note = (what: string) => (): number => done.push(what);
    const areWaiting = (count: number) =>
      eventually(async () => {
        const found = await sql(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        expect(found.length + done.length).toBe(count);
      });
    await database.transaction(async (own) => {
      await own`SELECT 1 FROM repository WHERE slug = 'web' FOR UPDATE`;
      const all = [importFile(there, "first.json").then(note("first"))];
      await areWaiting(1);
      all.push(revokeToken(here, token).then(note("revoked")));
      await areWaiting(2);
      all.push(importFile(there, "second.json", byCommand, app).then(note("second")));
      await areWaiting(3);
      expect(done).toEqual([]);
      ending = Promise.all(all);
    });
    await ending;
    // The revocation goes on as soon as the database has the first write, whose server may hear of that later.
    expect(done.toSorted()).toEqual(["first", "revoked", "second"]);
    expect(done.at(-1)).toBe("second");
  });

  describe.each(["that the writer's server knows of", "that it does not know of yet"])(
    "a change of settings %s",
    (what) => {
      const change = (storage: Storage, path: string, team = "acme") =>
        storage.lockTeam(toTeamName(team), (lock) =>
          storage.registry.change(path, (before) => `# ${before ?? ""}`, lock),
        );
      it.each<[string, number, (there: Storage, own: string) => Promise<unknown>]>([
        ["a token of another team", 1, (there) => makeToken(there, { team: "other" })],
        ["another token of the team", 1, (there) => makeToken(there)],
        ["the caller's token", 2, (there, own) => change(there, own)],
        ["the caller's team", 2, (there) => change(there, "teams/acme.yaml")],
        ["another team", 1, (there) => change(there, "teams/other.yaml", "other")],
        ["a person", 2, (there) => change(there, "people/lea.yaml")],
        ["the team's webhooks", 1, (there) => change(there, "webhooks/acme.yaml")],
        ["a Hive of another team", 1, (there) => makeHive(there, "more", { team: "other" })],
        ["a Hive of the team", 2, (there) => makeHive(there, "more")],
      ])(
        "lets a write be planned again where it concerns it: %s: planned %d times",
        async (_, plans, run) => {
          const { here, there } = await servers();
          await makeHive(there, "app", { team: "other" });
          const token = toTokenId((await makeToken(here)).split("_")[1] ?? "");
          await Promise.all([here.record.refresh([web]), there.record.refresh([web])]);
          const [team, own = ""] = here.registry.scopeOf(toTeamName("acme"), token);
          expect([team, own]).toEqual(["teams/acme.yaml", `tokens/${token}.yaml`]);
          let planned = 0;
          const reauthorise = async (): Promise<void> => {
            if (++planned > 1) return;
            await run(there, own);
            if (what.startsWith("that the writer's")) await here.record.refresh([web]);
          };
          const caller = { ...byCommand.caller, scope: [team ?? "", own], reauthorise };
          await importFile(here, "long.json", { ...byCommand, caller });
          expect(planned).toBe(plans);
          expect(await filesOf(there)).toEqual(["long.json"]);
        },
      );
    },
  );

  it("wait for the lease of a server that has died", async () => {
    const { here, sql } = await servers();
    await sql(
      "INSERT INTO job VALUES ('write-web', gen_random_uuid(), 1, clock_timestamp() + INTERVAL '9 minutes')",
    );
    const moved = watchMoves(here);
    const outcome = moved();
    const importing = importFile(here, "late.json");
    expect(await outcome).toBe("refused");
    expect(await filesOf(here)).toEqual([]);
    await sql("UPDATE job SET until = clock_timestamp()");
    await importing;
    expect(await filesOf(here)).toEqual(["late.json"]);
  });

  it("do not wait for leases from when the database's clock was ahead", async () => {
    const { here, sql } = await servers();
    const ahead = "gen_random_uuid(), 1, clock_timestamp() + INTERVAL '1 year'";
    await sql(`INSERT INTO job VALUES ('write-web', ${ahead}), ('mirror-web', ${ahead})`);
    await importFile(here, "now.json");
    expect(await filesOf(here)).toEqual(["now.json"]);
    expect(await here.record.jobs.hold("mirror-web", () => Promise.resolve("done"))).toBe("done");
    expect(await here.record.repositories.alone?.(web, () => Promise.resolve("alone"))).toBe("alone");
  });

  it("lose a lease that they no longer renew", async () => {
    const { url, name } = await testDatabase();
    const database = new Database({ url });
    onTestFinished(() => database.close());
    const options = { leaseMs: 60_000, renewEveryMs: 10, waitMs: 120_000 };
    const renewForMs = 30_000;
    const [one, other] = [new Leases(database, { ...options, renewForMs }), new Leases(database, options)];
    const server = await cluster();
    const until = async () => (await server.sql("SELECT until FROM job", name))[0]?.until;
    const next = await one.hold("write-web", async () => {
      const first = await until();
      await eventually(async () => expect(await until()).not.toEqual(first));
      // From now on it renews nothing. Renewals that were under way may still arrive.
      const stops = vi.spyOn(globalThis, "clearInterval");
      skipTime(renewForMs);
      await eventually(() => expect(stops).toHaveBeenCalled());
      const taken = vi.fn<() => Promise<string>>(() => Promise.resolve("next"));
      const waiting = other.hold("write-web", taken);
      await eventually(async () => {
        await server.sql("UPDATE job SET until = clock_timestamp() WHERE epoch = 1", name);
        expect(taken).toHaveBeenCalled();
      });
      return waiting;
    });
    expect(next).toBe("next");
  });
});
