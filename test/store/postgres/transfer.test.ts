/** A storage on its way into a database and back. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { toTagName } from "../../../src/domain/commits/ref-name.ts";
import { toHiveSlug, toPersonId, toTeamName } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { createBranch } from "../../../src/service/content/branches.ts";
import { createTag } from "../../../src/service/content/tags.ts";
import { openDatabase, openUnsynced } from "../../../src/service/database.ts";
import { backup } from "../../../src/service/operations/backup.ts";
import {
  exportFromDatabase,
  importIntoDatabase,
  restoreIntoDatabase,
} from "../../../src/service/operations/record-transfer.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { git } from "../../helpers/process.ts";
import { byCommand, harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const [web, docs] = [toHiveSlug("web"), toHiveSlug("docs")];

/** A storage with a bit of everything. */
async function fill(storage: Storage): Promise<string> {
  await makeHive(storage, "web", { locales: ["fr"] });
  await makeHive(storage, "docs", { locales: [] });
  const token = await makeToken(storage, { abilities: ["admin"] });
  const { post } = harness(storage, token);
  const files = {
    "a.php": Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, `text ${i}`])),
  };
  expect((await post(files)).status).toBe(200);
  await createBranch(storage, web, { name: toBranchName("fix") }, byCommand);
  await createTag(storage, web, { name: toTagName("v1") }, byCommand);
  await deleteHive(storage, docs, byCommand);
  await storage.record.documents.change("claims/web.json", async () => ["{}\n", undefined]);
  await storage.inboxes.update(toPersonId("anna"), () => ({ seen: "2026-01-01T00:00:00.000Z" }));
  return token;
}

/** All texts of a storage, and the refs of its repositories. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ["teams", "tokens", "people", "claims", "inboxes", "audit"]) {
    if (!existsSync(join(folder, name))) continue;
    for (const file of readdirSync(join(folder, name), { withFileTypes: true })) {
      if (file.isFile()) found[`${name}/${file.name}`] = readFileSync(join(folder, name, file.name), "utf8");
    }
  }
  for (const name of ["hives", "trash"]) {
    if (!existsSync(join(folder, name))) continue;
    for (const repository of readdirSync(join(folder, name)).filter((one) => one.endsWith(".git"))) {
      found[`${name}/${repository}`] = await git(join(folder, name, repository), "for-each-ref");
    }
  }
  return found;
}

describe.skipIf(isMissing())("a storage", () => {
  it("moves into a database with everything in it, and back into a folder that opens by itself", async () => {
    const [folder, back] = [realFolder(), join(realFolder(), "back")];
    const here = openLocalStorage(folder);
    const token = await fill(here);
    const { url, prepare } = await testDatabase();
    const counts = await importIntoDatabase(here, { url });
    expect(counts).toMatchObject({ repositories: 2 });
    expect(counts.documents).toBeGreaterThan(2);

    const storage = openStorage((await prepare()).options);
    const read = harness(storage, token);
    // What lists say is in the database: the repositories stay there.
    expect((await read.call("GET", "/api/hives")).json.data).toMatchObject([
      { slug: "web", string_count: 500 },
    ]);
    expect(existsSync(join(storage.folder, "hives/web.git"))).toBe(false);
    const before = await harness(here, token).call("GET", "/api/hives/web/strings?limit=500");
    await storage.record.refresh([web]);
    expect((await read.call("GET", "/api/hives/web/strings?limit=500")).json).toEqual(before.json);
    expect((await storage.trash.read()).entries.map(({ slug }) => slug)).toEqual([docs]);

    expect(await exportFromDatabase({ url }, back)).toEqual(counts);
    expect(await contentOf(back)).toEqual(await contentOf(folder));
    const findings = [];
    for await (const finding of verify(openLocalStorage(back), { repair: false })) findings.push(finding);
    expect(findings).toEqual([]);
  });

  it("is refused by a database that is not empty, and can be imported again after an import that did not end", async () => {
    const here = openLocalStorage(realFolder());
    await fill(here);
    const { url, prepare } = await testDatabase();
    const storage = openStorage((await prepare()).options);
    await makeHive(storage, "other");
    await expect(importIntoDatabase(here, { url })).rejects.toThrow("not empty");

    const server = await cluster();
    const name = await server.database();
    const database = { url: server.url(name) };
    await importIntoDatabase(here, database);
    await server.sql("UPDATE meta SET settings_format = -1", name);
    await expect(exportFromDatabase(database, join(realFolder(), "x"))).rejects.toThrow("do it again");
    expect(await importIntoDatabase(here, database)).toMatchObject({ repositories: 2 });
  });

  it("stays as one import has brought it when another one goes on that was begun before", async () => {
    const [here, other] = [openLocalStorage(realFolder()), openLocalStorage(realFolder())];
    await fill(here);
    await createTeam(other, toTeamName("acme"), undefined);
    const counted = await testDatabase();
    let transactions = 0;
    const begins = (sent: Buffer): boolean => sent.includes("BEGIN") && !sent.includes("READ ONLY");
    counted.proxy.judge((sent) => (begins(sent) && transactions++, "pass"));
    await importIntoDatabase(here, { url: counted.url });
    expect(transactions).toBeGreaterThan(4);
    const server = await cluster();
    for (let stopped = 0; stopped < transactions; stopped++) {
      const { name, url, proxy } = await testDatabase();
      let count = 0;
      const isStopped = new Promise<void>((stop) => {
        proxy.judge((sent) => {
          if (begins(sent)) count++;
          if (count <= stopped) return "pass";
          stop();
          return "stop";
        });
      });
      const first = importIntoDatabase(here, { url });
      first.catch(() => undefined);
      await isStopped;
      const counts = await importIntoDatabase(other, { url: server.url(name) });
      proxy.judge(() => "pass");
      proxy.release();
      await expect(first).rejects.toThrow(/^(Another import|The database is not empty)/);
      expect(await exportFromDatabase({ url }, join(realFolder(), "x"))).toEqual(counts);
    }
  });

  it("is compared by verify with the numbers that the database gives for lists", async () => {
    const here = openLocalStorage(realFolder());
    await fill(here);
    const server = await cluster();
    const name = await server.database();
    const url = server.url(name);
    await importIntoDatabase(here, { url });
    const find = async (): Promise<readonly string[]> => {
      const storage = await openDatabase(realFolder(), { url });
      const findings = [];
      for await (const { problem } of verify(storage, { repair: false })) findings.push(problem);
      await storage.record.close();
      return findings;
    };
    expect(await find()).toEqual([]);
    await server.sql("UPDATE repository SET strings = 3, overview_head = repeat('0', 40)", name);
    expect(await find()).toEqual([
      "the database counts 3 strings, and the Hive has 500",
      expect.stringMatching(/^the database lists the Hive at 0{40}, and main is at /),
    ]);
  });
});

describe.skipIf(isMissing())("a backup", () => {
  async function backedUp(): Promise<{ readonly folder: string; readonly dir: string }> {
    const [folder, dir] = [realFolder(), join(realFolder(), "backup")];
    const storage = openLocalStorage(folder);
    await fill(storage);
    await backup(storage, dir);
    return { folder, dir };
  }
  const restore = (url: string, dir: string, force = false) =>
    restoreIntoDatabase(openUnsynced(realFolder()), { url }, dir, { force });

  it("is restored into an empty database, on which servers that were started before do nothing more", async () => {
    const { folder, dir } = await backedUp();
    const { url, prepare } = await testDatabase();
    const early = openStorage((await prepare()).options);
    expect(await restore(url, dir)).toMatchObject({
      done: true,
      problems: [],
      hives: 1,
      tokens: 1,
      teams: 1,
    });
    await expect(early.record.refresh("all")).rejects.toThrow("start the server again");
    await expect(makeHive(early, "other")).rejects.toThrow("start the server again");

    const back = join(realFolder(), "back");
    await exportFromDatabase({ url }, back);
    // The trash and claims are not backed up.
    for (const name of ["trash", "claims", "inboxes"]) rmSync(join(folder, name), { recursive: true });
    expect(await contentOf(back)).toEqual(await contentOf(folder));
  });

  it("leaves the database empty when it has faults, unless it is forced, and is refused by one that is not empty", async () => {
    const { dir } = await backedUp();
    const objects = join(dir, "hives/web.git/objects");
    const damaged = readdirSync(objects).find((name) => name.length === 2) ?? "";
    rmSync(join(objects, damaged), { recursive: true });
    const { url, prepare } = await testDatabase();
    const { done, problems } = await restore(url, dir);
    expect([done, problems.length > 0]).toEqual([false, true]);
    const storage = openStorage((await prepare()).options);
    expect(await storage.registry.teams()).toEqual([]);
    await expect(restore(url, join(dir, "hives"))).rejects.toThrow("holds no backup");

    await makeHive(storage, "other");
    const aside = realFolder();
    const refused = restoreIntoDatabase(openUnsynced(aside), { url }, dir, { force: true });
    await expect(refused).rejects.toThrow("not empty");
    expect(readdirSync(aside)).toEqual([]);
  });
});
