/** Backups, packing and the trash keep branches, deleted branches, tags, settings and merges. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { updateHive, deleteHive } from "../../../src/service/admin/hives.ts";
import { restoreHive } from "../../../src/service/admin/trash.ts";
import { backup } from "../../../src/service/operations/backup.ts";
import { restore } from "../../../src/service/operations/record-transfer.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { git } from "../../helpers/process.ts";
import { byCommand, harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const hive = "/api/hives/web";

/** Calls the API of a storage, and expects it to work. */
function callerOf(storage: Storage, token: string) {
  const { call } = harness(storage, token);
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, json } = await call(method, `${hive}${path}`, body === undefined ? {} : { body });
    expect([method, path, status]).toEqual([method, path, status < 300 ? status : "2xx"]);
    return json;
  };
}

/** Changes a text of a branch, which is made first unless it is there. */
async function change(storage: Storage, token: string, branch: string, isNew = true): Promise<void> {
  const call = callerOf(storage, token);
  if (isNew) await call("POST", "/branches", { name: branch });
  const files = { "app.json": { [branch]: `A text of ${branch}` } };
  await call("POST", `/strings?branch=${branch}`, { files });
  await call("POST", `/translations/fr?branch=${branch}`, { files });
}

/** A Hive with a tag, a setting, and branches that are merged, deleted, or neither. */
async function setUp() {
  const storage = openLocalStorage(join(realFolder(), "storage"));
  await makeHive(storage, web, { locales: ["fr"] });
  const token = await makeToken(storage);
  const call = callerOf(storage, token);
  await call("POST", "/strings", { files: { "app.json": { title: "Title" } } });
  for (const branch of ["merged", "open/one", "deleted"]) await change(storage, token, branch);
  await call("POST", "/strings", { files: { "app.json": { more: "More" } } });
  await call("POST", "/branches/merged/merge", {});
  await call("POST", "/tags", { name: "v1" });
  await updateHive(storage, web, { push: "all", maxDeletions: 7 }, byCommand);
  await call("DELETE", "/branches/deleted");
  return { storage, token, call, dir: realFolder() };
}

/** All refs with what they refer to, and what the API says about them. */
async function stateOf(storage: Storage, token: string): Promise<unknown> {
  const call = callerOf(storage, token);
  const repo = storage.hives.folderOf(web);
  const { settings } = await storage.hives.at(web).snapshot();
  return {
    refs: await git(repo, "for-each-ref"),
    graph: await git(repo, "log", "--graph", "--all", "--format=%H %P %s"),
    settings,
    branches: await call("GET", "/branches"),
    changes: await call("GET", "/branches/open%2Fone/changes"),
    history: await call("GET", "/history"),
    tags: await call("GET", "/tags"),
  };
}

/** Expects a storage to be sound, to have a state, and to give the deleted branch back with all of its texts. */
async function expectKept(storage: Storage, token: string, state: unknown): Promise<void> {
  for await (const { hive: slug, problem } of verify(storage, { repair: false }))
    expect.fail(`${slug}: ${problem}`);
  expect(await stateOf(storage, token)).toEqual(state);
  const call = callerOf(storage, token);
  await call("POST", "/branches/deleted/restore");
  expect(await call("GET", "/export?locale=fr&branch=deleted")).toEqual({
    files: { "app.json": '{\n  "deleted": "A text of deleted"\n}\n' },
  });
  await call("DELETE", "/branches/deleted");
}

async function restored(dir: string): Promise<Storage> {
  const storage = openLocalStorage(join(realFolder(), "storage"));
  expect(await restore(storage, dir, { force: false })).toMatchObject({ done: true, problems: [] });
  return storage;
}

describe("branches", () => {
  it("branches, deleted ones, tags, settings and merges are in a backup, and in the next one", async () => {
    const { storage, token, call, dir } = await setUp();
    for (const branch of ["gone", "back"]) await change(storage, token, branch);
    await call("DELETE", "/branches/back");
    expect(await backup(storage, dir)).toMatchObject({ problems: [], unsound: [] });
    await expectKept(await restored(dir), token, await stateOf(storage, token));
    await change(storage, token, "new");
    await change(storage, token, "open/one", false);
    await call("POST", "/branches/open%2Fone/update", {});
    await call("POST", "/branches/merged/merge", { delete: true });
    await updateHive(storage, web, { push: "none" }, byCommand);
    await call("POST", "/tags", { name: "v2" });
    // What is gone, and what has come back, is so in the next backup.
    await call("DELETE", "/branches/gone");
    await call("POST", "/branches/back/restore");
    const { objects, problems } = await backup(storage, dir);
    expect([objects > 0, problems]).toEqual([true, []]);
    await expectKept(await restored(dir), token, await stateOf(storage, token));
    expect(await backup(storage, dir)).toMatchObject({ objects: 0, packs: 0 });
  });

  it("branches, deleted ones, tags, settings and merges stay when a Hive is packed, and git removes what nothing reaches", async () => {
    const { storage, token, dir } = await setUp();
    const state = await stateOf(storage, token);
    await storage.packer.pack(web);
    await expectKept(openLocalStorage(storage.folder), token, state);
    const now = await stateOf(storage, token);
    await git(storage.hives.folderOf(web), "gc", "--quiet", "--prune=now");
    await backup(storage, dir);
    await expectKept(await restored(dir), token, now);
  });

  it("branches, deleted ones, tags, settings and merges come back with a deleted Hive", async () => {
    const { storage, token } = await setUp();
    const state = await stateOf(storage, token);
    await deleteHive(storage, web);
    for await (const { problem } of verify(storage, { repair: false })) expect.fail(problem);
    await restoreHive(storage, { text: "web" });
    await expectKept(storage, token, state);
  });
});
