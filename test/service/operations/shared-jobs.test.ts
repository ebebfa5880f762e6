/** The jobs of several servers on one database: each is done once, and goes on when a server ends. */
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toWebhookUrl, type DeliveryOutcome } from "../../../src/domain/hives/webhook.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { installedGit } from "../../../src/git/programs.ts";
import { toWebhookBody } from "../../../src/http/schemas/event-schemas.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { addMirror, listMirrors } from "../../../src/service/admin/mirrors.ts";
import { purgeInBackground } from "../../../src/service/admin/trash.ts";
import { addWebhook, listWebhooks } from "../../../src/service/admin/webhooks.ts";
import type { HiveWorker } from "../../../src/service/operations/hive-worker.ts";
import { mirrorWorker } from "../../../src/service/operations/mirror-worker.ts";
import { engineWorker } from "../../../src/service/operations/engine-worker.ts";
import { webhookWorker } from "../../../src/service/operations/webhook-worker.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { LeaseOptions } from "../../../src/store/postgres/jobs.ts";
import { askedOf, modelOf } from "../../helpers/engines/answering.ts";
import { Clock } from "../../helpers/events/clock.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase, type TestDatabase } from "../../helpers/postgres/records.ts";
import { byCommand, harness, makeHive, makeToken, type Harness } from "../../helpers/storage.ts";
import { webhookOwner } from "../../helpers/events/webhook-owner.ts";

const web = toHiveSlug("web");
const acme = toTeamName("acme");
const day = 86_400_000;

/** A server, with a network of its own. */
interface Server extends Harness {
  readonly storage: Storage;
}

describe.skipIf(isMissing())("of several servers on one database", () => {
  let clock: Clock;
  let database: TestDatabase;
  let token: string;
  let servers: readonly Server[];
  /** What all servers sent and pushed. */
  let sent: string[];
  let pushed: string[];
  /** The keys of each request to an engine. */
  let asked: (readonly string[])[];
  let thinks: () => Promise<void>;
  let answer: (commit: string) => DeliveryOutcome | Promise<DeliveryOutcome>;

  /** Opens one more server. @param leases how long it keeps a job without renewing that. */
  async function open(leases?: LeaseOptions): Promise<Server> {
    const { options } = await database.prepare(undefined, leases);
    const storage = openStorage({
      ...options,
      now: clock.now,
      git: {
        ...installedGit(),
        push: async ({ commit }) => {
          pushed.push(commit);
          return { kind: "pushed" };
        },
      },
      sendToEngine: async (request) => {
        asked.push(askedOf(request).items.map(({ key }) => String(key)));
        await thinks();
        return modelOf((source) => `[fr] ${source}`)(request);
      },
      sendWebhook: async ({ body }) => {
        const { commit } = JSON.parse(body).data;
        sent.push(commit);
        return answer(commit);
      },
    });
    if (token === "") {
      await makeHive(storage, "web");
      token = await makeToken(storage, { abilities: ["admin"] });
    }
    return { ...harness(storage, token), storage, logged: [] };
  }

  const start = (
    kind: typeof webhookWorker | typeof mirrorWorker | typeof engineWorker,
    { storage, logged }: Server,
  ): HiveWorker<string> | HiveWorker => {
    const log = { error: (fields: object, message: string) => void logged.push({ ...fields, message }) };
    const worker = kind({ storage, log, format: toWebhookBody, after: clock.after, random: () => 1 });
    worker.start();
    return worker;
  };

  async function commit({ post }: Server, text: string): Promise<string> {
    const reply = await post({ "a.php": { a: text } });
    expect(reply.status).toBe(200);
    return reply.headers.get("x-skep-commit") ?? "";
  }

  beforeEach(async () => {
    clock = new Clock();
    [sent, pushed, asked] = [[], [], []];
    answer = () => ({ kind: "received" });
    thinks = () => Promise.resolve();
    [database, token] = [await testDatabase(), ""];
    servers = [await open(), await open()];
  });

  const pair = (): readonly [Server, Server] => {
    const [here, there] = servers;
    if (here === undefined || there === undefined) throw new Error("a server is missing");
    return [here, there];
  };

  it("each commit by any of them is sent to a webhook once, in order", async () => {
    const [here, there] = pair();
    await addWebhook(here.storage, webhookOwner(acme), { url: toWebhookUrl("https://ci.example.org/hook") });
    const workers = servers.map((server) => start(webhookWorker, server));
    const made: string[] = [];
    for (let i = 0; i < 3; i++) {
      made.push(await commit(here, `here ${i}`), await commit(there, `there ${i}`));
      await clock.until(() => sent.length >= made.length);
    }
    await clock.advance(10_000, ...workers);
    expect(sent).toEqual(made);
    expect(servers.map(({ logged }) => logged)).toEqual([[], []]);
    for (const worker of workers) await worker.stop();
  });

  it("what a stopped server was sending is sent by another one, and its result counts for nothing", async () => {
    const [there] = pair();
    const stopped = await open({ leaseMs: day, renewEveryMs: day });
    await addWebhook(there.storage, webhookOwner(acme), { url: toWebhookUrl("https://ci.example.org/hook") });
    await stopped.storage.record.refresh([]);
    let finish: (outcome: DeliveryOutcome) => void = () => {};
    answer = () => new Promise((resolve) => (finish = resolve));
    const one = start(webhookWorker, stopped);
    const first = await commit(stopped, "1");
    await clock.until(() => sent.length === 1);
    answer = () => ({ kind: "received" });
    // As if its lease had not been renewed for so long.
    await (await cluster()).sql("UPDATE job SET until = clock_timestamp()", database.name);
    const other = start(webhookWorker, there);
    const second = await commit(there, "2");
    await clock.until(() => sent.length === 3);
    await clock.advance(10_000, other);
    expect(sent).toEqual([first, first, second]);
    finish({ kind: "failed", error: "it is gone" });
    await one.settled();
    const [problem] = stopped.logged;
    expect(problem).toMatchObject({ message: "could not deliver events of a Hive to webhooks" });
    for (const worker of [one, other]) await worker.stop();
    expect(await listWebhooks(there.storage, acme)).toMatchObject([{ status: "received", pending: 0 }]);
  });

  it("each state of a Hive is pushed to a mirror by one of them", async () => {
    const [here, there] = pair();
    await addMirror(here.storage, web, toMirrorUrl("ssh://git@example.org/web.git"));
    const workers = servers.map((server) => start(mirrorWorker, server));
    await clock.until(() => pushed.length === 1);
    const made = await commit(there, "1");
    await clock.until(() => pushed.length === 2);
    await clock.advance(60_000, ...workers);
    expect(pushed).toEqual([expect.any(String), made]);
    for (const { storage, logged } of servers) {
      // As a request does; otherwise the server that did not commit hears of it a second later.
      await storage.record.refresh([web]);
      await storage.record.jobs.hold("another job", () => Promise.resolve());
      expect([await listMirrors(storage), logged]).toMatchObject([[{ status: "pushed" }], []]);
    }
    for (const worker of workers) await worker.stop();
  });

  it("a rule of a locale is followed by a server that did not set it, and that nobody asks for the Hive", async () => {
    const [here, there] = pair();
    await commit(here, "Wrong");
    await here.call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m" } });
    const worker = start(engineWorker, there);
    // It has looked at the Hive, which has no rule yet.
    await there.storage.record.refresh("all");
    await clock.advance(10_000, worker);
    const auto = { engine: "gpt" };
    const { status } = await here.call("PATCH", "/api/hives/web/locales/fr", { body: { auto } });
    expect([status, asked]).toEqual([200, []]);
    await clock.until(() => asked.length === 1);
    await worker.stop();
    expect(there.logged).toEqual([]);
  });

  it("a string is asked for once, also where a server has lost its job in the middle of a batch", async () => {
    const [there] = pair();
    const stopped = await open({ leaseMs: day, renewEveryMs: day });
    const texts = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`s${i}`, `Text ${i}`]));
    await there.post({ "a.json": texts });
    await there.call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m" } });
    const started = await there.call("POST", "/api/hives/web/translate", { body: { locales: ["fr"] } });
    let answers = (): void => {};
    thinks = () => new Promise((resolve) => (answers = resolve));
    const one = start(engineWorker, stopped);
    // The strings are claimed for three minutes of this clock, which must not go by until the engine is asked.
    await clock.until(
      () => asked.length === 1,
      () => wait(50),
    );
    thinks = () => Promise.resolve();
    // As if its lease had not been renewed for so long.
    await (await cluster()).sql("UPDATE job SET until = clock_timestamp()", database.name);
    const other = start(engineWorker, there);
    await clock.advance(10_000, other);
    const [first = [], second = []] = asked;
    expect([first.length, second.length, first.filter((key) => second.includes(key))]).toEqual([25, 5, []]);
    answers();
    await one.settled();
    await clock.advance(200_000, one, other);
    const { json } = await there.call("GET", `/api/hives/web/translate/${started.json.id}`);
    expect([json.state, asked.flat().length, new Set(asked.flat()).size]).toEqual(["done", 30, 30]);
    const { files } = (await there.exported("locale=fr")).json;
    expect(JSON.parse(files["a.json"])).toMatchObject({ s0: "[fr] Text 0", s29: "[fr] Text 29" });
    for (const worker of [one, other]) await worker.stop();
    expect([stopped.logged, there.logged]).toEqual([[], []]);
  });

  it("a Hive whose time in the trash is over is purged, whoever does it", async () => {
    const [here, there] = pair();
    await deleteHive(here.storage, web, byCommand);
    clock.time += 31 * day;
    const failed: unknown[] = [];
    const purging = servers.map(({ storage }) => purgeInBackground(storage, (error) => failed.push(error)));
    await Promise.all(purging.map((one) => one.stop()));
    expect(failed).toEqual([]);
    expect(await there.storage.record.repositories.trash.list()).toMatchObject({ repositories: [] });
  });
});
