/** Several servers on one database, and what becomes of their copies. */
import { randomBytes } from "node:crypto";
import nodeFs, {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toWebhookUrl } from "../../../src/domain/hives/webhook.ts";
import { toHiveSlug, toTeamName, type HiveSlug } from "../../../src/domain/names.ts";
import { purgeInBackground } from "../../../src/service/admin/trash.ts";
import { addWebhook } from "../../../src/service/admin/webhooks.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { endSessions, resumeSession } from "../../../src/service/sessions.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import type { Sql } from "../../../src/store/postgres/session.ts";
import { makePerson, signInAs } from "../../helpers/people/people.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase, type TestDatabase } from "../../helpers/postgres/records.ts";
import { git, skep } from "../../helpers/process.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  realFolder,
  runBeforeRename,
  type Harness,
} from "../../helpers/storage.ts";
import { webhookOwner } from "../../helpers/events/webhook-owner.ts";

const web = toHiveSlug("web");

interface Server extends Harness {
  readonly storage: Storage;
  readonly disk: Disk;
  readonly close: () => Promise<void>;
}

async function start(database: TestDatabase, token?: string, folder = realFolder()): Promise<Server> {
  const prepared = await database.prepare(folder);
  const storage = openStorage(prepared.options);
  if (token === undefined) await makeHive(storage, "web", { locales: [] });
  const asked = harness(storage, token ?? (await makeToken(storage)));
  return { ...asked, storage, disk: prepared.options.disk, close: prepared.close };
}

async function two(withinMs?: number, polls?: boolean) {
  const database = await testDatabase(withinMs, polls);
  const here = await start(database);
  const token = await makeToken(here.storage);
  return { database, here, token, there: await start(database, token) };
}

async function problemsOf(storage: Storage): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const { problem } of verify(storage, { repair: false })) problems.push(problem);
  return problems;
}

const write = async ({ call }: Server, key: string, slug = "web"): Promise<number> =>
  (await hiveAt(() => call, slug).post({ [`${key.slice(0, 9)}.php`]: { key } })).status;

/** How many strings a server reads. */
async function count({ storage }: Server, slug = web): Promise<number> {
  await storage.hives.recorded(slug).refresh();
  return (await storage.hives.at(slug).snapshot()).index.stringCount;
}

describe.skipIf(isMissing())("servers on one database", () => {
  it("forget what came after the time to which the database was restored", async () => {
    const { database, here, token, there } = await two();
    expect(await write(here, "kept")).toBe(200);
    expect([await count(here), await count(there)]).toEqual([1, 1]);
    const folders = [here, there].map(({ storage }) => storage.folder);
    const servers = [here, there];
    const stop = async (): Promise<void> =>
      void (await Promise.all(servers.splice(0).map(({ close }) => close())));
    await stop();
    const server = await cluster();
    // Databases are only copied and renamed while nobody is connected.
    const backup = await server.database(database.name);
    const startAll = async (): Promise<void> => {
      for (const folder of folders) servers.push(await start(database, token, folder));
    };
    await startAll();
    for (const [i, key] of ["lost1", "lost2"].entries())
      expect(await write(servers[i] ?? here, key)).toBe(200);
    expect(await Promise.all(servers.map((one) => count(one)))).toEqual([3, 3]);
    const lostToken = await makeToken((servers[0] ?? here).storage);
    const read = ({ call }: Server) => call("GET", "/api/hives/web/strings", { token: lostToken });
    expect(await Promise.all(servers.map(async (one) => (await read(one)).status))).toEqual([200, 200]);
    await stop();
    await server.sql(`DROP DATABASE ${database.name}`);
    await server.sql(`ALTER DATABASE ${backup} RENAME TO ${database.name}`);
    // A server with a new copy works before the others, so that numbers of changes come again with other content.
    const fresh = await start(database, token);
    for (const key of ["new1", "new2"]) {
      expect(await write(fresh, key)).toBe(200);
      await makeToken(fresh.storage);
    }
    await fresh.close();
    expect(await skep("record", "renew", "--database", database.url)).toMatchObject({ code: 0, stderr: "" });
    await startAll();
    for (const one of servers) {
      expect([await count(one), (await read(one)).status]).toEqual([3, 401]);
      const { json } = await one.call("GET", "/api/hives/web/strings");
      expect(json.data.map(({ file }: { readonly file: string }) => file)).toEqual([
        "kept.php",
        "new1.php",
        "new2.php",
      ]);
    }
    expect(await write(servers[0] ?? here, "after")).toBe(200);
    expect(await count(servers[1] ?? here)).toBe(4);
  });

  it.each([1, 10])("make each of 50 simultaneous changes once, spread over %i Hives", async (hives) => {
    const { here, there } = await two();
    const slugs = ["web", ...Array.from({ length: hives - 1 }, (_, i) => `web${i}`)];
    for (const slug of slugs.slice(1)) await makeHive(here.storage, slug, { locales: [] });
    const writes = Array.from({ length: 50 }, (_, i) =>
      write(i % 2 === 0 ? here : there, `k${i}`, slugs[i % slugs.length]),
    );
    const statuses = await Promise.all(writes);
    const made = statuses.filter((status) => status === 200).length;
    // Writers that wait for a lock for too long are told so.
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
    for (const server of [here, there]) {
      const counts = await Promise.all(slugs.map((slug) => count(server, toHiveSlug(slug))));
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(made);
    }
    expect(made).toBe(50);
  });

  it("read the last change, also when it is made while an earlier one is fetched", async () => {
    const { here, there } = await two();
    await count(there);
    expect(await write(here, "a")).toBe(200);
    let reading: Promise<number> | undefined;
    runBeforeRename(there.disk, "skep-copy", async () => {
      expect(await write(here, "b")).toBe(200);
      reading = count(there);
      // The record answers one question after the other.
      await there.storage.record.refresh([]);
    });
    expect(await count(there)).toBeGreaterThan(0);
    expect(await reading).toBe(2);
  });

  it("send one query for all requests that wait for it, and see everything that was acknowledged before it", async () => {
    // A time limit that lets no query be given up or sent again while the others are made, however busy the machine is.
    const { database, here, there } = await two(600_000, false);
    await count(there);
    const asks = vi.spyOn(Database.prototype, "ask");
    let pieces = 0;
    database.proxy.judge(() => (pieces++ === 0 ? "stop" : "pass"));
    const first = there.storage.record.refresh([web]);
    await expect.poll(() => pieces).toBeGreaterThan(0);
    database.proxy.judge(() => "pass");
    const reads: Promise<void>[] = [];
    for (let n = 1; n <= 10; n++) {
      expect(await write(here, `k${n}`)).toBe(200);
      for (let i = 0; i < 5; i++) {
        reads.push(count(there).then((found) => expect(found).toBe(10)));
        await nextTurn();
      }
    }
    database.proxy.release();
    await Promise.all([first, ...reads]);
    expect(asks.mock.contexts.filter((database, _, [first]) => database === first)).toHaveLength(2);
    for (let n = 11; n <= 20; n++) {
      expect(await write(here, `k${n}`)).toBe(200);
      for (let i = 0; i < 5; i++) {
        reads.push(count(there).then((found) => expect(found).toBeGreaterThanOrEqual(n)));
        await nextTurn();
      }
    }
    await Promise.all(reads);
  });

  it.each([
    { what: "once while somebody signs in and out elsewhere", isSetting: false, plans: 1 },
    { what: "again after a person was added elsewhere", isSetting: true, plans: 2 },
  ])("plan a write $what", async ({ isSetting, plans }) => {
    const { here, there } = await two();
    const anna = await makePerson(there.storage);
    // The key of all sessions is a setting, and is made with the first.
    await signInAs(there.storage, anna);
    await count(here);
    const hive = here.storage.hives.at(web);
    const commit = hive.commit.bind(hive);
    let commits = 0;
    vi.spyOn(hive, "commit").mockImplementation(async (...args) => {
      if (commits++ === 0) {
        const session = await resumeSession(there.storage, await signInAs(there.storage, anna));
        if (isSetting) await makePerson(there.storage, { id: "ben" });
        else if (session !== undefined) await endSessions(there.storage, session, "this");
        await here.storage.record.refresh([]);
      }
      return commit(...args);
    });
    expect(await write(here, "a")).toBe(200);
    expect(commits).toBe(plans);
  });

  it("hear of each other's commits to Hives that somebody watches", async () => {
    const { here, there } = await two();
    let heard = 0;
    const stop = there.storage.changes.watchRefs(web, () => heard++);
    await there.storage.hives.recorded(web).refresh();
    const before = there.storage.hives.at(web).head();
    expect(await write(here, "a")).toBe(200);
    await expect.poll(() => there.storage.hives.at(web).head(), { timeout: 120_000 }).not.toBe(before);
    expect(heard).toBeGreaterThan(0);
    stop();
  });

  it("refuse the result of a job that another server has taken over", async () => {
    const database = await testDatabase();
    const [one, other] = [await database.prepare(), await database.prepare()];
    const [here, there] = [openStorage(one.options).record, openStorage(other.options).record];
    const path = "mirrors/web.state.yaml";
    const lost = here.jobs.hold("mirror-web", async (lock) => {
      // As when this server stands still for longer than a lease.
      await cluster().then((server) => server.sql("UPDATE job SET until = clock_timestamp()", database.name));
      await there.jobs.hold("mirror-web", (held) => there.documents.putState(path, "theirs\n", held));
      await here.documents.putState(path, "too late\n", lock);
    });
    await expect(lost).rejects.toSatisfy((error) => isFailure(error, "lock-lost"));
    const states = await cluster().then((server) => server.sql("SELECT text FROM state", database.name));
    expect(states).toEqual([{ text: "theirs\n" }]);
  });

  it("remove expired branches of Hives of which they have no copy, and fetch no others", async () => {
    const { database, here } = await two();
    await makeHive(here.storage, "app", { locales: [] });
    expect(await here.call("POST", "/api/hives/web/branches", { body: { name: "old" } })).toMatchObject({
      status: 201,
    });
    expect((await here.call("DELETE", "/api/hives/web/branches/old")).status).toBe(200);
    const { options, now } = await database.prepare();
    const later = openStorage({ ...options, now: () => now() + 31 * 86_400_000 });
    const errors: unknown[] = [];
    const deletedAt = async (slug: HiveSlug) => {
      await here.storage.hives.recorded(slug).refresh();
      return (await here.storage.hives.repo(slug).branches.deleted()).length;
    };
    expect(await deletedAt(web)).toBe(1);
    await purgeInBackground(later, (error) => errors.push(error)).stop();
    expect(errors).toEqual([]);
    expect(await deletedAt(web)).toBe(0);
    expect(readdirSync(join(options.folder, "hives")).filter((name) => name.endsWith(".git"))).toEqual([
      "web.git",
    ]);
  });

  it("renew the jobs that they do", async () => {
    const database = await testDatabase();
    const leases = { leaseMs: 60_000, renewEveryMs: 20 };
    const { jobs } = openStorage((await database.prepare(realFolder(), leases)).options).record;
    const until = async () => (await (await cluster()).sql("SELECT until FROM job", database.name))[0]?.until;
    await jobs.hold("pack-web", async (lock) => {
      const first = await until();
      await expect.poll(until).not.toEqual(first);
      await lock.assertHeld();
    });
  });
});

/** Hides from the test when the system started, as a service may be kept from it. */
function hideSystemStart(): void {
  const read = nodeFs.readFileSync;
  const spy = vi.spyOn(nodeFs, "readFileSync").mockImplementation((path, options) => {
    if (String(path).endsWith("/boot_id")) throw Object.assign(new Error("hidden"), { code: "ENOENT" });
    return read(path, options);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

async function systemOf({ name }: TestDatabase): Promise<unknown> {
  const [row] = await (
    await cluster()
  ).sql("SELECT system_identifier::text AS id FROM pg_control_system()", name);
  return row?.id;
}

it.skipIf(isMissing())(
  "leaves nothing of a Hive that is made again after another server changed settings",
  async () => {
    const { here, there } = await two();
    const { registry } = here.storage;
    const save = registry.saveTeam.bind(registry);
    const saving = vi.spyOn(registry, "saveTeam").mockImplementationOnce(async (...args) => {
      await makeToken(there.storage);
      return save(...args);
    });
    await makeHive(here.storage, "app");
    expect(saving).toHaveBeenCalledTimes(2);
    expect(await write(there, "a", "app")).toBe(200);
    expect(await here.storage.record.repositories.trash.list()).toEqual({ repositories: [], foreign: [] });
    expect(await problemsOf(here.storage)).toEqual([]);
  },
);

describe.skipIf(isMissing())("a copy", () => {
  it("may be deleted while its server runs, in whole or in part", async () => {
    const { here, there } = await two();
    await write(here, "a");
    expect(await count(there)).toBe(1);
    rmSync(there.storage.hives.folderOf(web), { recursive: true });
    expect(await count(there)).toBe(1);
    expect(await write(there, "b")).toBe(200);
    expect(await count(here)).toBe(2);
  });

  it.each([
    ["tokens"],
    ["copy.json"],
    ["people", "copy.json", "teams", "tokens", "settings-version", "hives"],
  ])(
    "has all settings again after the removal of %s, also in a server that is started later",
    async (...names) => {
      const { database, here, there, token } = await two();
      const { folder } = there.storage;
      for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
      await makeToken(here.storage);
      expect(await write(there, "a")).toBe(200);
      await there.close();
      rmSync(join(folder, "tokens"), { recursive: true });
      expect(await write(await start(database, token, folder), "b")).toBe(200);
      expect(await count(here)).toBe(2);
    },
  );

  it("of a Hive that was just made stays, though an answer from before the Hive comes after it", async () => {
    const database = await testDatabase(undefined, false);
    const here = await start(database);
    const app = toHiveSlug("app");
    const gitdir = here.storage.hives.folderOf(app);
    let refreshed: Promise<void> | undefined;
    runBeforeRename(here.disk, "/skep-id", async () => {
      let hasAnswer = (): void => {};
      const answered = new Promise<void>((resolve) => (hasAnswer = resolve));
      vi.spyOn(Database.prototype, "ask").mockImplementationOnce(async function <T>(
        this: Database,
        run: (sql: Sql) => Promise<T>,
        withinMs: number,
      ): Promise<T> {
        const rows = await this.ask(run, withinMs);
        hasAnswer();
        await vi.waitFor(() => statSync(join(gitdir, "skep-copy")), { timeout: 120_000, interval: 1 });
        return rows;
      });
      refreshed = here.storage.record.refresh([app]);
      await answered;
    });
    await makeHive(here.storage, "app", { locales: [] });
    const { ino } = statSync(gitdir);
    await refreshed;
    expect(statSync(gitdir).ino).toBe(ino);
    expect(await write(here, "a", "app")).toBe(200);
    expect(await count(here, app)).toBe(1);
  });

  it("that is still empty gives a new webhook the present commit of each Hive", async () => {
    const { here, there } = await two();
    const url = toWebhookUrl("https://example.org/");
    const { since } = await addWebhook(there.storage, webhookOwner(toTeamName("acme")), { url });
    expect(since).toEqual({ web: here.storage.hives.at(web).head() });
  });

  it.each([
    ["few objects are cut short", 10, (file: string) => truncateSync(file, 20)],
    ["few objects are gone", 10, (file: string) => rmSync(file)],
    ["packs are cut short", 20_000, (file: string) => truncateSync(file, 200)],
    ["packs are gone", 20_000, (file: string) => rmSync(file)],
  ])("whose %s is never read as if it were whole, and is fetched anew", async (_, keys, damage) => {
    const database = await testDatabase();
    const here = await start(database);
    const token = await makeToken(here.storage);
    const texts = Array.from({ length: keys }, (__, i) => [`k${i}`, randomBytes(8).toString("hex")]);
    expect((await here.post({ "a.json": Object.fromEntries(texts) })).status).toBe(200);
    let there = await start(database, token);
    const { folder } = there.storage;
    expect(await count(there)).toBe(keys);
    const gitdir = there.storage.hives.folderOf(web);
    const read = async (): Promise<number> => {
      const { status, json } = await there.call("GET", "/api/hives/web/strings");
      expect(status === 200 ? [200, json.meta.total] : [status, json.code]).toEqual(
        status === 200 ? [200, keys] : [503, "content_invalid"],
      );
      return status;
    };
    for (const isRunning of [true, false]) {
      if (!isRunning) await there.close();
      for (const file of readdirSync(join(gitdir, "objects"), { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue;
        const path = join(file.parentPath, file.name);
        chmodSync(path, 0o600);
        damage(path);
      }
      if (isRunning) there.storage.hives.close(web);
      else there = await start(database, token, folder);
      await expect.poll(read, { timeout: 120_000 }).toBe(200);
      expect(await git(gitdir, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
    }
    expect(await write(there, "b")).toBe(200);
    expect(await count(here)).toBe(keys + 1);
  });

  it("whose refs were changed by hand is fetched anew, at the next request and at the next start", async () => {
    const { database, token, here, there } = await two();
    await write(here, "a");
    await count(there);
    const gitdir = there.storage.hives.folderOf(web);
    const main = join(gitdir, "refs/heads/main");
    const change = async (): Promise<void> => {
      await git(gitdir, "update-ref", "refs/heads/main", "refs/heads/main~1");
      // The clock of files stands still for some milliseconds.
      while (statSync(main).ctimeMs <= statSync(join(gitdir, "skep-copy")).ctimeMs) chmodSync(main, 0o644);
    };
    await change();
    expect(await count(there)).toBe(1);
    await change();
    expect(await write(there, "b")).toBe(200);
    expect([await count(there), await count(here)]).toEqual([2, 2]);
    await change();
    await there.close();
    const again = await start(database, token, there.storage.folder);
    expect(await count(again)).toBe(2);
    expect(await git(gitdir, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  });

  it("that is older than the database catches up, also with branches, tags and settings", async () => {
    const { database, here, there, token } = await two();
    await count(there);
    await there.close();
    const older = join(realFolder(), "older");
    cpSync(there.storage.folder, older, { recursive: true, filter: (path) => !path.endsWith(".lock") });
    for (let i = 0; i < 5; i++) await write(here, `k${i}`);
    const another = await makeToken(here.storage);
    const again = await start(database, another, older);
    // As for a list of all Hives.
    await again.storage.record.refresh("all");
    expect((await again.storage.hives.at(web).snapshot()).index.stringCount).toBe(5);
    expect(await count(again)).toBe(5);
    expect((await again.call("GET", "/api/hives/web/strings")).status).toBe(200);
    expect(await write(again, "last")).toBe(200);
    expect(token).not.toBe(another);
  });

  it("of another database is dropped, and a storage of its own is refused", async () => {
    const [one, other] = [await testDatabase(), await testDatabase()];
    const first = await start(one);
    await first.close();
    const second = openStorage((await other.prepare(first.storage.folder)).options);
    expect(await second.registry.teams()).toEqual([]);
    expect(second.hives.repo(web).main.exists()).toBe(false);

    const own = realFolder();
    mkdirSync(join(own, "teams"));
    writeFileSync(join(own, "teams", "acme.yaml"), "");
    await expect(other.prepare(own)).rejects.toThrow("storage of its own");
  });

  it("is fetched from the packs of very many changes, and removes unfinished repositories", async () => {
    const { database, here, there, token } = await two();
    for (let i = 0; i < 12; i++) await write(here, `k${i}`);
    await write(here, "large".padEnd(90_000, "x"));
    await there.close();
    const unfinished = join(there.storage.folder, "hives", ".copy-web");
    mkdirSync(unfinished, { recursive: true });
    const again = await start(database, token, there.storage.folder);
    expect(await count(again)).toBe(13);
    const gitdir = again.storage.hives.folderOf(web);
    expect(await git(gitdir, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
    expect(existsSync(unfinished)).toBe(false);
  });

  it.each([true, false])("belongs to one process; the system tells when it started: %s", async (tells) => {
    if (!tells) hideSystemStart();
    const database = await testDatabase();
    const { storage, close } = await start(database);
    await expect(database.prepare(storage.folder)).rejects.toThrow("Another process");
    await close();
    await (await database.prepare(storage.folder)).close();
  });

  it("goes back to the settings of a database that was restored from an earlier time", async () => {
    const database = await testDatabase();
    const { storage, close } = await start(database);
    await close();
    const server = await cluster();
    const name = await server.database(database.name);
    const later = await start(database, "", storage.folder);
    await makeToken(later.storage);
    await later.close();
    // The same database, by its ids, as it was before the last token.
    await server.sql(`DROP DATABASE ${database.name} WITH (FORCE)`);
    await server.sql(`ALTER DATABASE ${name} RENAME TO ${database.name}`);
    const before = openStorage((await database.prepare()).options);
    const after = openStorage((await database.prepare(storage.folder)).options);
    expect(await after.registry.tokens()).toEqual(await before.registry.tokens());
  });

  it("knows after a restart of the system that a primary is an old one", async () => {
    const database = await testDatabase(500);
    const { storage, close } = await start(database);
    await close();
    const path = join(storage.folder, "copy.json");
    const copy: unknown = JSON.parse(readFileSync(path, "utf8"));
    const before = { boot: "of before", history: { system: await systemOf(database), timeline: 99 } };
    writeFileSync(path, JSON.stringify(Object.assign({}, copy, before)));
    await expect(database.prepare(storage.folder)).rejects.toThrow("was the primary before");
  });
});
