/** A database as the record of a storage. */
import { describe, expect, it, onTestFinished } from "vitest";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { toTagName } from "../../../src/domain/commits/ref-name.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { createBranch } from "../../../src/service/content/branches.ts";
import { createTag } from "../../../src/service/content/tags.ts";
import { openDatabase } from "../../../src/service/database.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { byCommand, harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");

async function open(url: string, folder = realFolder()): Promise<Storage> {
  const storage = await openDatabase(folder, { url });
  onTestFinished(() => storage.record.close());
  return storage;
}

describe.skipIf(isMissing())("a storage in a database", () => {
  it("is read by a second server, which sees every change at its next request", async () => {
    const server = await cluster();
    const url = server.url(await server.database());
    const [here, there] = [await open(url), await open(url, `${realFolder()}/one/../copy/`)];
    await makeHive(here, "web", { locales: ["fr"] });
    const token = await makeToken(here);
    const [one, other] = [harness(here, token), harness(there, token)];
    const files = { "a.php": { a: "A", b: "B" } };
    expect(await one.post(files)).toMatchObject({
      status: 200,
    });
    const read = await other.call("GET", "/api/hives/web/strings");
    expect([read.status, read.headers.get("etag")]).toEqual([
      200,
      (await one.call("GET", "/api/hives/web/strings")).headers.get("etag"),
    ]);
    expect(read.text).toContain('"b"');
    expect(there.hives.at(web).head()).toBe(here.hives.at(web).head());
  });

  it.each([
    ["is tagged", (one: Storage) => createTag(one, web, { name: toTagName("v1") }, byCommand)],
    ["gets a branch", (one: Storage) => createBranch(one, web, { name: toBranchName("fix") }, byCommand)],
    ["is deleted", (one: Storage) => deleteHive(one, web)],
  ])("has a Hive that %s by a command on a new copy", async (_, change) => {
    const server = await cluster();
    const url = server.url(await server.database());
    await makeHive(await open(url), "web");
    const command = await open(url);
    await command.refresh?.("all");
    await expect(change(command)).resolves.toBeDefined();
  });

  it("tells how much disk it takes", async () => {
    const server = await cluster();
    const { record } = await open(server.url(await server.database()));
    expect(await record.bytes?.()).toBeGreaterThan(10_000);
    expect(record.bytes?.()).toBe(record.bytes?.());
  });
});
