/** What a server tells its followers, whom it tells it, and when it gives way to a newer one. */
import { expect, it, onTestFinished, vi } from "vitest";
import { toFollowerName, toHiveSlug } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { restoreHive } from "../../../src/service/admin/trash.ts";
import { addFollower, removeFollower } from "../../../src/service/replication/followers.ts";
import { demote } from "../../../src/service/replication/promotion.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { harness, makeHive, type Call, type Reply, setUpWeb } from "../../helpers/storage.ts";

const path = "/api/replication";
const strings = "/api/hives/web/strings";
const name = toFollowerName("north");

async function start(mayTakeOver = false) {
  const { folder, disk, storage, token, call, logged } = await setUpWeb({ token: { abilities: ["admin"] } });
  const secret = await addFollower(storage, name, mayTakeOver);
  const ask = (query = "", options: Parameters<Call>[2] = {}): Promise<Reply> =>
    call("GET", path + query, { token: secret, ...options });
  /** Changes something as another process does it. */
  const other = openStorage({ folder, disk });
  return { storage, other, call, token, secret, ask, logged };
}

const add = (call: Call, key: string, slug = "web"): Promise<Reply> =>
  call("POST", `/api/hives/${slug}/strings`, { body: { files: { "a.php": { [key]: "x" } } } });

it("followers are told everything first, and then only what has changed", async () => {
  const { call, ask, token } = await start();
  const { json: first } = await ask();
  expect(first).toMatchObject({ generation: 1, superseded_by: null, complete: true, trash: {} });
  expect(Object.keys(first.settings).toSorted()).toEqual([
    "teams/acme.yaml",
    `tokens/${token.split("_")[1]}.yaml`,
  ]);
  expect(first.hives).toEqual({
    web: {
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      team: "acme",
      refs: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  });
  expect((await ask(`?after=${first.version}`)).json).toMatchObject({
    complete: false,
    settings: {},
    hives: {},
  });

  await add(call, "a");
  const { json: next } = await ask(`?after=${first.version}`);
  expect(next).toMatchObject({ complete: false, settings: {} });
  expect(next.hives.web.id).toBe(first.hives.web.id);
  expect(next.hives.web.refs).not.toBe(first.hives.web.refs);
  expect((await ask("?after=other-1")).json).toMatchObject({ complete: true, hives: next.hives });
});

it("followers that wait are told of commits, tags, branches and revoked tokens as they happen", async () => {
  const { call, ask, token, other } = await start();
  let { version } = (await ask()).json;
  const whileWaiting = async (change: () => Promise<unknown>): Promise<Reply["json"]> => {
    const waiting = ask(`?after=${version}&wait=20`);
    await change();
    const { json } = await waiting;
    ({ version } = json);
    return json;
  };
  expect(Object.keys((await whileWaiting(() => add(call, "a"))).hives)).toEqual(["web"]);
  const tag = () => call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
  expect(Object.keys((await whileWaiting(tag)).hives)).toEqual(["web"]);
  const branch = () => call("POST", "/api/hives/web/branches", { body: { name: "next" } });
  expect(Object.keys((await whileWaiting(branch)).hives)).toEqual(["web"]);
  // By another process: found by looking.
  const drop = () => add(harness(other, token).call, "b");
  expect(Object.keys((await whileWaiting(drop)).hives)).toEqual(["web"]);
  const id = token.split("_")[1] ?? "";
  const revoked = await whileWaiting(() => call("DELETE", `/api/tokens/${id}`));
  expect(revoked.settings).toEqual({ [`tokens/${id}.yaml`]: null });
});

it("a revoked token is told while a Hive cannot be looked at, and the Hive later", async () => {
  const { storage, call, ask, token } = await start();
  const { version } = (await ask()).json;
  await makeHive(storage, "app");
  // A Hive gets its id under its lock.
  let unlock = (): void => {};
  const locked = storage.hives.lock(toHiveSlug("app"), () => new Promise<void>((end) => (unlock = end)));
  const id = token.split("_")[1] ?? "";
  expect((await call("DELETE", `/api/tokens/${id}`)).status).toBe(200);
  const { json: early } = await ask(`?after=${version}&wait=20`);
  expect(early).toMatchObject({ version, complete: false, settings_only: true, hives: {}, trash: {} });
  expect(early.settings[`tokens/${id}.yaml`]).toBeNull();
  unlock();
  await locked;
  const { json: later } = await ask(`?after=${version}&wait=20`);
  expect(later).toMatchObject({ settings: early.settings, settings_only: false });
  expect(Object.keys(later.hives)).toEqual(["app"]);
});

it("a deleted Hive goes to the followers' trash and comes back with its id, and its slug has another id meanwhile", async () => {
  const { storage, ask } = await start();
  const first = (await ask()).json;
  await deleteHive(storage, toHiveSlug("web"));
  const gone = (await ask(`?after=${first.version}`)).json;
  expect(gone.hives).toEqual({ web: null });
  const [[entry, trashed] = ["", undefined]] = Object.entries(gone.trash);
  expect(entry).toMatch(/^web\./);
  expect(trashed).toEqual({ id: first.hives.web.id, note: { team: "acme" } });

  await makeHive(storage, "web", { team: "other" });
  const again = (await ask(`?after=${gone.version}`)).json;
  expect(again.hives.web.team).toBe("other");
  expect(again.hives.web.id).not.toBe(first.hives.web.id);

  await deleteHive(storage, toHiveSlug("web"));
  await restoreHive(storage, { text: entry });
  const restored = (await ask(`?after=${again.version}`)).json;
  expect(restored.hives.web).toMatchObject({ id: first.hives.web.id, team: "acme" });
  expect(restored.trash[entry]).toBeNull();
});

it("nobody but a follower is told anything, and one that was removed is refused", async () => {
  const { storage, ask, token, secret } = await start();
  for (const wrong of [null, token, `${secret}x`, "skepf_south_000000000000000000000000000000"]) {
    const { status, json, headers } = await ask("", { token: wrong });
    expect([status, json.code]).toEqual([401, "invalid_token"]);
    expect(headers.get("www-authenticate")).toContain("Bearer");
  }
  for (const place of ["/hives/web.git/info/refs", "/trash/x.git/info/refs", "/nope"]) {
    expect((await ask(place, { token })).status).toBe(401);
  }
  expect((await ask("/hives/..%2fteams.git/info/refs?service=git-upload-pack")).status).toBe(404);
  expect((await ask("/trash/web.git/info/refs?service=git-upload-pack")).status).toBe(404);
  expect((await ask("?wait=x")).status).toBe(422);
  await removeFollower(storage, name);
  expect((await ask()).status).toBe(401);
});

it("a secret that may only read names no newer generation, and none names one that cannot be", async () => {
  for (const mayTakeOver of [false, true]) {
    const { storage, call, ask } = await start(mayTakeOver);
    const { storage: id } = (await ask()).json;
    for (const generation of [2, 1_002, 999_999_999, "9".repeat(15)]) {
      if (mayTakeOver && generation === 2) continue;
      const { status, json } = await ask(`?storage=${id}&generation=${generation}`);
      expect([status, json.code]).toEqual(mayTakeOver ? [409, "conflict"] : [403, "forbidden"]);
    }
    expect((await ask(`?storage=${id}&generation=${"9".repeat(16)}`)).status).toBe(422);
    expect(storage.replication.read()?.supersededBy).toBeUndefined();
    expect((await add(call, "a")).status).toBe(200);
  }
});

it("a server that was superseded says so with each response, also with those that it had in memory, and in its log", async () => {
  for (const how of ["by a follower", "by a command"]) {
    const { call, ask, other, logged } = await start(true);
    const reads = [strings, "/api/hives", "/api/hives/web/export", "/readyz", "/api/hives/nope"];
    const shown = async (path: string): Promise<string | null> =>
      (await call("GET", path)).headers.get("x-skep-superseded-by");
    for (const path of [...reads, ...reads]) expect(await shown(path)).toBeNull();
    const { storage: id } = (await ask()).json;
    if (how === "by a command") await demote(other, 2);
    else expect((await ask(`?storage=${id}&generation=2`)).status).toBe(200);
    for (const path of [...reads, ...reads]) expect(await shown(path)).toBe("2");
    expect((await add(call, "a")).headers.get("x-skep-superseded-by")).toBe("2");
    // The readiness that was checked before holds for a second.
    await vi.waitFor(async () => expect((await call("GET", "/readyz")).status).toBe(503), 5_000);
    const messages = logged.map(({ message }) => message);
    expect(messages).toContain("not ready: Another server took over from this one.");
    if (how === "by a follower") {
      expect(messages).toContain("another server took over: nothing can be changed here");
    }
  }
});

it("a server that hears of a newer generation of its storage refuses all changes, also after a restart", async () => {
  const { call, ask, other, token } = await start(true);
  const { storage: id } = (await ask()).json;
  expect((await ask(`?storage=${"1".repeat(32)}&generation=9`)).status).toBe(409);
  expect((await add(call, "a")).status).toBe(200);
  expect((await ask(`?storage=${id}&generation=3`)).json).toMatchObject({ generation: 1, superseded_by: 3 });
  for (const one of [call, harness(other, token).call]) {
    const { status, json, headers } = await add(one, "b");
    expect([status, json.code, headers.get("retry-after")]).toEqual([503, "read_only", "30"]);
    expect((await one("GET", "/api/hives/web/strings")).json.meta.total).toBe(1);
  }
  // Also below the requests: what commands and unfinished writes would change.
  await expect(deleteHive(other, toHiveSlug("web"))).rejects.toThrow("generation 3");
  expect((await call("GET", "/api/hives")).json.hives).toHaveLength(1);
});

it("a write that has its lock when a newer generation is heard of is refused before it moves anything", async () => {
  const { storage, call } = await start();
  const { registry, replication } = storage;
  const before = storage.hives.at(toHiveSlug("web")).head();
  const read = registry.token.bind(registry);
  let asked = 0;
  registry.token = async (id) => {
    // The second time is that under the Hive's lock.
    if (++asked === 2)
      await replication.change((state) => ({ ...(state ?? { id: "", generation: 1 }), supersededBy: 2 }));
    return read(id);
  };
  onTestFinished(() => void (registry.token = read));
  expect((await add(call, "a")).json.code).toBe("read_only");
  expect(storage.hives.at(toHiveSlug("web")).head()).toBe(before);
});
