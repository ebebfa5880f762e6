/** A follower's copy: whole, no older than it says, and never of another Hive, whatever happens at the primary. */
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toHiveSlug, toTokenId } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { acceptLoss } from "../../../src/service/replication/promotion.ts";
import { purgeTrash, restoreHive } from "../../../src/service/admin/trash.ts";
import { revokeToken } from "../../../src/service/admin/tokens.ts";
import { PrimaryClock } from "../../../src/service/replication/primary-clock.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { fetchGit } from "../../../src/git/process/git-fetch.ts";
import { follow, servePrimary, type Serving } from "./followed.ts";
import { git, request } from "../../helpers/process.ts";
import { makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const strings = "/api/hives/web/strings";
/** Reads that are refused while the Hive is on its way. */
const perHive = [strings, "/api/hives", "/api/team", "/hives/web.git/info/refs?service=git-upload-pack"];
const patience = { timeout: 10_000, interval: 20 };

/** Something that waits until the test lets it go on. */
function pause() {
  const none = (): void => {};
  const result = { begin: none, end: none, begun: Promise.resolve(), ended: Promise.resolve() };
  result.begun = new Promise((resolve) => (result.begin = resolve));
  result.ended = new Promise((resolve) => (result.end = resolve));
  return result;
}

async function start() {
  const primary = await servePrimary();
  await makeHive(primary.storage, "web", { locales: ["fr"] });
  const token = await makeToken(primary.storage, { abilities: ["admin"] });
  const ask = (server: Serving, method: string, path: string, body?: unknown) =>
    request(server, token, method, path, body);
  const add = async (key: string, path = strings): Promise<string> => {
    const { status, headers } = await ask(primary, "POST", path, { files: { "a.php": { [key]: "x" } } });
    expect(status).toBe(200);
    return headers.get("x-skep-commit") ?? "";
  };
  return { primary, token, ask, add };
}

it("a follower has all refs, settings, mirrors and the trash, and answers reads from them", async () => {
  const { primary, token, ask, add } = await start();
  await add("a");
  await ask(primary, "POST", "/api/hives/web/tags", { name: "v1", message: "one" });
  for (const name of ["next", "old"]) await ask(primary, "POST", "/api/hives/web/branches", { name });
  await ask(primary, "DELETE", "/api/hives/web/branches/old");
  await makeHive(primary.storage, "gone");
  await deleteHive(primary.storage, toHiveSlug("gone"));
  const copy = await follow(primary);
  await copy.catchUp();

  const refsOf = (folder: string) => git(join(folder, "hives/web.git"), "for-each-ref");
  expect(await refsOf(copy.storage.folder)).toBe(await refsOf(primary.storage.folder));
  expect(await refsOf(copy.storage.folder)).toContain("refs/skep/deleted/");
  for (const folder of ["teams", "tokens", "trash"]) {
    const of = ({ storage }: Serving) => readdirSync(join(storage.folder, folder));
    await expect
      .poll(() => existsSync(join(copy.storage.folder, folder)) && of(copy), patience)
      .toEqual(of(primary));
  }
  for (const path of [
    strings,
    "/api/hives/web/history",
    "/api/hives",
    "/api/trash",
    "/api/tokens",
    "/api/team",
  ]) {
    const [here, there] = [await ask(copy, "GET", path), await ask(primary, "GET", path)];
    expect(here.json).toEqual(there.json);
    expect(here.headers.get("x-skep-commit")).toBe(there.headers.get("x-skep-commit"));
  }
  await git(
    copy.storage.folder,
    "-c",
    `http.extraHeader=Authorization: Bearer ${token}`,
    "clone",
    "-q",
    `${copy.url}/hives/web.git`,
    "clone",
  );
  expect(await git(join(copy.storage.folder, "clone"), "rev-parse", "v1^{commit}")).toBe(
    await git(join(primary.storage.folder, "hives/web.git"), "rev-parse", "main"),
  );
  expect(await git(join(copy.storage.folder, "hives/web.git"), "fsck", "--strict")).toBe("");
});

it("commits, deleted and renamed branches, restored Hives and revoked tokens reach a follower that is connected", async () => {
  const { primary, token, ask, add } = await start();
  await ask(primary, "POST", "/api/hives/web/branches", { name: "a" });
  const copy = await follow(primary);
  await copy.catchUp();
  const commit = await add("a");
  const commitHere = async () => (await ask(copy, "GET", strings)).headers.get("x-skep-commit");
  await expect.poll(commitHere, patience).toBe(commit);

  // The branch `a` is a file where `a/b` needs a folder.
  await ask(primary, "DELETE", "/api/hives/web/branches/a");
  await ask(primary, "POST", "/api/hives/web/branches", { name: "a/b" });
  await copy.catchUp();
  expect((await ask(copy, "GET", "/api/hives/web/branches")).json).toEqual(
    (await ask(primary, "GET", "/api/hives/web/branches")).json,
  );

  await deleteHive(primary.storage, web);
  await copy.catchUp();
  expect((await ask(copy, "GET", strings)).status).toBe(404);
  await expect.poll(() => readdirSync(join(copy.storage.folder, "trash")), patience).toHaveLength(1);
  await restoreHive(primary.storage, { text: "web" });
  await copy.catchUp();
  expect((await ask(copy, "GET", strings)).headers.get("x-skep-commit")).toBe(commit);
  await expect.poll(() => readdirSync(join(copy.storage.folder, "trash")), patience).toEqual([]);

  // By another process, as a command does it.
  const revokedAt = performance.now();
  await revokeToken(openLocalStorage(primary.storage.folder), toTokenId(token.split("_")[1] ?? ""));
  await expect.poll(async () => (await ask(copy, "GET", strings)).status, patience).toBe(401);
  expect(performance.now() - revokedAt).toBeLessThan(10_000);
});

it("a slug that another team has now shows that team nothing of the Hive that had it before", async () => {
  const { primary, ask, add } = await start();
  await add("secret");
  const copy = await follow(primary);
  await copy.catchUp();
  await deleteHive(primary.storage, web);
  await makeHive(primary.storage, "web", { team: "other" });
  const other = await makeToken(primary.storage, { team: "other" });
  const seen = new Set<number>();
  for (let status = 0; status !== 200;) {
    const found = await request(copy, other, "GET", strings);
    ({ status } = found);
    seen.add(status);
    expect(found.json.data ?? []).toEqual([]);
  }
  expect([...seen].every((status) => [200, 401, 404, 503].includes(status))).toBe(true);
  expect((await ask(copy, "GET", strings)).status).toBe(404);
  const objects = await git(
    join(copy.storage.folder, "hives/web.git"),
    "cat-file",
    "--batch-all-objects",
    "--batch-check",
  );
  expect(objects.match(/ commit /g)).toHaveLength(1);
});

it("what the primary removes for good is removed from the copy, and what is left over there, too", async () => {
  const { primary, add } = await start();
  await add("a");
  const first = await follow(primary);
  await first.catchUp();
  await first.stop();
  await makeHive(openLocalStorage(first.storage.folder), "mine").catch(() => undefined);
  expect(existsSync(join(first.storage.folder, "hives/mine.git"))).toBe(true);
  await deleteHive(primary.storage, web);
  const later = openLocalStorage(primary.storage.folder, { now: () => Date.now() + 31 * 86_400_000 });
  expect(await purgeTrash(later)).toBe(1);
  const again = await follow(primary, { folder: first.storage.folder });
  // It cannot know that the Hive was in the trash meanwhile.
  await expect.poll(() => again.follower.refused, patience).toBe(1);
  await acceptLoss(again.storage, web);
  await again.catchUp();
  await again.follower.stop();
  expect(readdirSync(join(first.storage.folder, "hives"))).toEqual([]);
  expect(readdirSync(join(first.storage.folder, "trash"))).toEqual([]);
});

it("a follower refuses changes, by address and below it, and a storage that is none of its primary's copies cannot follow", async () => {
  const { primary, token } = await start();
  const copy = await follow(primary);
  await copy.catchUp();
  const response = await fetch(`${copy.url}${strings}?dry_run=true`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    redirect: "manual",
  });
  expect([response.status, response.headers.get("location")]).toEqual([
    307,
    `${primary.url}${strings}?dry_run=true`,
  ]);
  const push = await fetch(`${copy.url}/hives/web.git/info/refs?service=git-receive-pack`, {
    redirect: "manual",
  });
  expect(push.status).toBe(307);
  await expect(makeToken(copy.storage)).rejects.toThrow("this storage is a copy");
  const own = await servePrimary();
  await makeHive(own.storage, "web");
  await expect(follow(primary, { folder: own.storage.folder })).rejects.toThrow(
    "is not a copy of another one",
  );
  await copy.stop();
  const stranger = await follow(own, { folder: copy.storage.folder });
  await expect.poll(() => stranger.logged.join(), patience).toContain("a different storage from the one");
  expect(stranger.follower.isFresh()).toBe(false);
});

it("a follower takes the time from its primary, and answers nothing before it has heard from it", async () => {
  const { primary, ask } = await start();
  const expiring = await makeToken(primary.storage, { lifetimeMs: 3_600_000 });
  // An hour and a half behind; the other is as much ahead.
  for (const offset of [-5_400_000, 5_400_000]) {
    const clock = new PrimaryClock();
    clock.set(Date.now() + offset);
    const copy = await follow(primary, { clock });
    await copy.catchUp();
    expect((await request(copy, expiring, "GET", strings)).status).toBe(200);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(60_000);
    expect(copy.follower.lagSeconds).toBeLessThan(60);
  }
  const deaf = await follow(primary, { through: "http://127.0.0.1:9" });
  for (const path of perHive) {
    const { status, json, headers } = await ask(deaf, "GET", path);
    expect([status, json.code, headers.get("retry-after")]).toEqual([503, "lagging", "1"]);
  }
  expect((await ask(deaf, "GET", "/healthz")).status).toBe(200);
  expect((await ask(deaf, "GET", "/readyz")).json.code).toBe("not_ready");
  const page = await fetch(`${deaf.url}/`, { headers: { accept: "text/html" } });
  expect(page.status).toBe(503);
});

it("a Hive that is copied, and that its team's list does not have yet, is not taken for one that does not exist", async () => {
  const { primary, ask } = await start();
  const list = pause();
  const fetched = pause();
  const copy = await follow(primary, {
    fetch: async (order) => {
      await fetched.ended;
      await fetchGit(order);
    },
  });
  const { registry } = copy.storage;
  const write = registry.copy.bind(registry);
  registry.copy = async (files, assertHeld) => {
    list.begin();
    await list.ended;
    await write(files, assertHeld);
  };
  await expect.poll(() => copy.follower.isFresh(), patience).toBe(true);
  fetched.end();
  await list.begun;
  expect(existsSync(join(copy.storage.folder, "hives/web.git"))).toBe(true);
  for (const path of perHive) expect((await ask(copy, "GET", path)).json.code).toBe("lagging");
  // A request that has read its team's list before the Hive was in it.
  const team = copy.storage.registry.team.bind(registry);
  registry.team = async (name) => {
    const before = await team(name);
    list.end();
    await copy.catchUp();
    return before;
  };
  expect((await ask(copy, "GET", strings)).json.code).toBe("lagging");
  registry.team = team;
  for (const path of perHive.slice(0, 3)) expect((await ask(copy, "GET", path)).status).toBe(200);
});

it("a Hive that is not copied yet is not taken for one that does not exist", async () => {
  const { primary, ask } = await start();
  await makeHive(primary.storage, "app");
  const { json: channel } = await ask(primary, "PUT", "/api/hives/web/channels/production", { public: true });
  const limited = await makeToken(primary.storage, { hives: ["app"] });
  const copy = await follow(primary, { fetch: () => Promise.reject(new Error("cut")) });
  await expect.poll(() => copy.follower.isFresh(), patience).toBe(true);
  for (const path of perHive) expect((await ask(copy, "GET", path)).json.code).toBe("lagging");
  const published = await fetch(`${copy.url}${channel.path}manifest.json`);
  expect([published.status, published.headers.get("cache-control")]).toEqual([503, "no-store"]);
  expect((await fetch(`${copy.url}/p/${"0".repeat(24)}/production/fr.json`)).status).toBe(404);
  expect((await request(copy, limited, "GET", strings)).status).toBe(404);
  expect((await ask(copy, "GET", "/api/hives/nope/strings")).status).toBe(404);
  Object.assign(copy.storage.git, { fetch: fetchGit });
  await copy.catchUp();
  expect((await ask(copy, "GET", "/api/hives")).json.hives).toHaveLength(2);
  expect((await fetch(`${copy.url}${channel.path}manifest.json`)).status).toBe(200);
});

it("what is too old is refused, Hive by Hive, also what was answered from memory before", async () => {
  const { primary, ask, add } = await start();
  await makeHive(primary.storage, "app");
  let later = 0;
  const copy = await follow(primary, { time: () => performance.now() + later });
  await copy.catchUp();
  for (let i = 0; i < 3; i++) expect((await ask(copy, "GET", strings)).status).toBe(200);
  // Of web nothing arrives any more.
  Object.assign(copy.storage.git, {
    fetch: (order: Parameters<typeof fetchGit>[0]) =>
      order.url.endsWith("/web.git") ? Promise.reject(new Error("cut")) : fetchGit(order),
  });
  await add("late");
  await expect.poll(() => copy.follower.pending, patience).toBe(1);
  expect((await ask(copy, "GET", strings)).status).toBe(200);
  later = 3_600_000;
  // Of the rest it hears within a second.
  await expect.poll(() => copy.follower.isFresh(), patience).toBe(true);
  expect((await ask(copy, "GET", strings)).json.code).toBe("lagging");
  expect((await ask(copy, "GET", "/api/hives")).status).toBe(503);
  expect((await ask(copy, "GET", "/api/hives/app/strings")).status).toBe(200);
  expect(copy.follower.pending).toBe(1);
  expect(copy.logged.join()).toContain("could not copy from the primary");
  Object.assign(copy.storage.git, { fetch: fetchGit });
  await copy.catchUp();
  expect((await ask(copy, "GET", strings)).json.meta.total).toBe(1);
});

describe("a primary that comes back from an older snapshot of its disk", () => {
  /** A follower that has what the primary lost, and now follows the primary as it was before. */
  async function goBack(change: (start: Awaited<ReturnType<typeof prepare>>) => Promise<unknown>) {
    const started = await prepare();
    const { primary } = started;
    const first = await follow(primary);
    await first.catchUp();
    const snapshot = realFolder();
    cpSync(primary.storage.folder, snapshot, { recursive: true });
    await change(started);
    await first.catchUp();
    await first.stop();
    const restored = await servePrimary(snapshot);
    const copy = await follow(restored, { folder: first.storage.folder });
    const refs = async (server: Serving) => git(join(server.storage.folder, "hives/web.git"), "for-each-ref");
    return { ...started, restored, copy, refs };
  }
  async function prepare() {
    const started = await start();
    await makeHive(started.primary.storage, "app");
    await started.ask(started.primary, "POST", "/api/hives/web/branches", { name: "next" });
    await started.ask(started.primary, "POST", "/api/hives/web/branches", { name: "old" });
    await started.add("kept");
    return started;
  }
  type Started = Awaited<ReturnType<typeof prepare>>;

  it.each<[string, (start: Started) => Promise<unknown>, string]>([
    ["main", ({ add }) => add("lost"), "main"],
    ["a branch", ({ add }) => add("lost", `${strings}?branch=next`), "next"],
    [
      "a new branch",
      async ({ ask, primary, add }) => {
        await ask(primary, "POST", "/api/hives/web/branches", { name: "new" });
        await add("lost", `${strings}?branch=new`);
      },
      "new",
    ],
    [
      "a branch, before others were deleted and made",
      async ({ ask, primary, add }) => {
        await ask(primary, "DELETE", "/api/hives/web/branches/old");
        await ask(primary, "POST", "/api/hives/web/branches", { name: "old/er" });
        await add("lost", `${strings}?branch=next`);
      },
      "next",
    ],
  ])("takes no commit of %s from a follower, unless that is accepted", async (_, change, branch) => {
    const { copy, restored, refs, ask } = await goBack(change);
    const before = await refs(copy);
    await expect.poll(() => copy.follower.refused, patience).toBe(1);
    expect((await ask(copy, "GET", strings)).json.code).toBe("lagging");
    expect(await refs(copy)).toBe(before);
    await expect
      .poll(() => copy.logged.join(), patience)
      .toMatch(`not all commits any more that are here in ${branch}: was it restored`);
    // Other Hives go on.
    await ask(restored, "POST", "/api/hives/app/strings", { files: { "a.php": { a: "x" } } });
    const total = async () => (await ask(copy, "GET", "/api/hives/app/strings")).json.meta.total;
    await expect.poll(total, patience).toBe(1);

    const lost = (await git(join(copy.storage.folder, "hives/web.git"), "rev-parse", branch)).trim();
    await acceptLoss(copy.storage, web);
    await copy.catchUp();
    expect(copy.follower.refused).toBe(0);
    const kept = `${lost} commit\trefs/skep/lost/${branch}/${lost}\n`;
    expect(await refs(copy)).toContain(kept);
    expect((await refs(copy)).replace(kept, "")).toBe(await refs(restored));
    await expect(acceptLoss(copy.storage, web)).rejects.toThrow("has no Hive");
    // It is accepted once.
    expect((await ask(copy, "GET", strings)).json.meta.total).toBe(1);
    for await (const { problem } of verify(copy.storage, { repair: false })) expect(problem).toBe("");
  });

  it("does not take a Hive from a follower that was made after it, unless that is accepted", async () => {
    const { copy, ask } = await goBack(async ({ primary }) => makeHive(primary.storage, "late"));
    await expect.poll(() => copy.follower.refused, patience).toBe(1);
    const folder = join(copy.storage.folder, "hives/late.git");
    expect(existsSync(folder)).toBe(true);
    const logged = () => copy.logged.join();
    await expect.poll(logged, patience).toContain("has this Hive neither in its place nor in its trash");
    expect((await ask(copy, "GET", strings)).status).toBe(200);
    await acceptLoss(copy.storage, toHiveSlug("late"));
    await copy.catchUp();
    expect(existsSync(folder)).toBe(false);
  });

  it("is followed as before when it has the commits again", async () => {
    const { copy, restored, primary } = await goBack(({ add }) => add("lost"));
    await expect.poll(() => copy.follower.refused, patience).toBe(1);
    await git(
      join(restored.storage.folder, "hives/web.git"),
      "fetch",
      "-q",
      primary.storage.folder + "/hives/web.git",
      "main:main",
    );
    await copy.catchUp();
    expect(copy.follower.refused).toBe(0);
    await expect(acceptLoss(copy.storage, web)).rejects.toThrow("has no Hive");
  });
});

it("branches that were deleted and made again at the primary are copied without a question", async () => {
  const { primary, ask, add } = await start();
  const make = () => ask(primary, "POST", "/api/hives/web/branches", { name: "a" });
  await make();
  await add("first", `${strings}?branch=a`);
  const copy = await follow(primary);
  await copy.catchUp();
  await copy.stop();
  await ask(primary, "DELETE", "/api/hives/web/branches/a");
  await make();
  await add("second", `${strings}?branch=a`);
  const again = await follow(primary, { folder: copy.storage.folder });
  await again.catchUp();
  const { json } = await ask(again, "GET", `${strings}?branch=a`);
  expect(json.data.map(({ key }: { key: string }) => key)).toEqual(["second"]);
  expect(again.follower.refused).toBe(0);
});
