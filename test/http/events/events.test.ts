import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { App } from "../../../src/http/app.ts";
import { formatEvent } from "../../../src/http/events/events.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { CommitEvents } from "../../../src/service/events/commit-events.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toOid } from "../../../src/git/objects/git-object.ts";
import { looseObjectPath } from "../../../src/git/objects/loose.ts";
import { faultOf } from "../../helpers/http/described.ts";
import { listen, type EventClient } from "../../helpers/events/listen.ts";
import { eventually } from "../../helpers/eventually.ts";
import { holdLimit } from "../../helpers/limits/held-limit.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { appOn, makeHive, makeToken, type Call, setUpWeb } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
let disk: Disk;
let storage: Storage;
let token: string;
let app: App;
let call: Call;
const start = Date.now();
let now: number;

beforeEach(async () => {
  now = start;
  ({ disk, storage, token, call } = await setUpWeb({
    locales: ["fr", "de"],
    storage: { now: () => now },
    token: { abilities: ["admin"] },
  }));
  app = appOn(storage, { maxStreams: 8, quietMs: 20 }).app;
});

const open = async (
  path: string,
  headers: Record<string, string> = {},
  { as = token, method = "GET", on = app }: { as?: string; method?: string; on?: App } = {},
): Promise<EventClient> =>
  listen(async (signal) =>
    on.fetch(
      new Request(`http://localhost${path}`, {
        method,
        signal,
        headers: { host: "localhost", authorization: `Bearer ${as}`, ...headers },
      }),
    ),
  );
const commit = async (text: string, path = "web/strings", headers = {}): Promise<string> => {
  const body = { files: { "a.php": { a: text } } };
  const reply = await call("POST", `/api/hives/${path}`, { body, headers });
  expect(reply.status).toBe(200);
  return reply.headers.get("x-skep-commit") ?? "";
};
const commitsOf = (events: readonly { data: { commit: string } }[]): readonly string[] =>
  events.map(({ data }) => data.commit);

describe("the stream of one Hive", () => {
  it("tells of each commit, with what it changed and how far the Hive is translated", async () => {
    const { response, ...client } = await open("/api/hives/web/events");
    expect(response.status).toBe(200);
    const before = storage.hives.at(web).head();
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-skep-commit": before,
    });
    expect(headers).not.toHaveProperty("content-encoding");
    const made = await commit("Hello", "web/strings", { "x-commit-ref": "run 7" });
    const [first] = await client.take(1);
    expect(first).toMatchObject({ event: "commit", id: made });
    expect(first?.data).toMatchObject({
      hive: "web",
      branch: "main",
      commit: made,
      previous: before,
      operation: "import",
      ref: "run 7",
      counts: { created: 1 },
      changed_keys: { en: 1 },
      locales: { fr: { translated: 0, empty: 1, total: 1 }, de: { empty: 1 } },
    });
    expect(faultOf(first?.data, ["components", "schemas", "CommitEvent"])).toBeUndefined();
    expect(client.retry()).toBeGreaterThan(0);
    await commit("Bonjour", "web/translations/fr");
    const [second] = await client.take(1);
    expect(second?.data).toMatchObject({
      changed_keys: { fr: 1 },
      locales: { fr: { translated: 1 }, de: { translated: 0 } },
    });
  });

  it("goes on after the last event that the client had, and repeats none", async () => {
    const made = [await commit("1"), await commit("2"), await commit("3")];
    const client = await open("/api/hives/web/events", { "last-event-id": made[0] ?? "" });
    expect(commitsOf(await client.take(2))).toEqual(made.slice(1));
    made.push(await commit("4"));
    expect(commitsOf(await client.take(1))).toEqual(made.slice(3));
    client.leave();
    // The header is later than the parameter, which an event source repeats.
    const again = await open(`/api/hives/web/events?since=${made[0]}`, { "last-event-id": client.id() });
    made.push(await commit("5"));
    expect(commitsOf(await again.take(1))).toEqual(made.slice(4));
  });

  it("goes on through a long history", async () => {
    const first = await commit("0");
    const made: string[] = [];
    for (let i = 1; i <= 40; i++) made.push(await commit(String(i)));
    const client = await open(`/api/hives/web/events?since=${first}`);
    const events = await client.take(40);
    expect(commitsOf(events)).toEqual(made);
    expect(events.map(({ data }) => data.locales === null)).toEqual([...Array(39).fill(true), false]);
  });

  it("a client that left before any event comes back without a gap", async () => {
    const client = await open("/api/hives/web/events");
    await eventually(async () => {
      void client.next().catch(() => undefined);
      expect(client.id()).toBe(storage.hives.at(web).head());
    });
    client.leave();
    const made = await commit("1");
    const again = await open("/api/hives/web/events", { "last-event-id": client.id() });
    expect(commitsOf(await again.take(1))).toEqual([made]);
  });

  it("tells of one branch, until it is deleted", async () => {
    await call("POST", "/api/hives/web/branches", { body: { name: "feature/x" } });
    const client = await open("/api/hives/web/events?branch=feature/x");
    await commit("main");
    const made = await commit("branch", "web/strings?branch=feature/x");
    const [event] = await client.take(1);
    expect(event?.data).toMatchObject({ commit: made, branch: "feature/x" });
    await call("DELETE", "/api/hives/web/branches/feature%2Fx");
    expect(await client.next()).toMatchObject({
      event: "removed",
      data: { hive: "web", branch: "feature/x" },
    });
    expect(await client.next()).toBeUndefined();
    expect((await call("GET", "/api/hives/web/events?branch=feature/x")).status).toBe(404);
  });

  it("tells that the history was rewritten, and goes on from there", async () => {
    const lost = await commit("1");
    const other = await commitOutside(
      { storage, disk, slug: "web" },
      { files: {}, parents: [], isMoved: false },
    );
    const client = await open(`/api/hives/web/events?since=${other}`);
    expect(await client.next()).toEqual({
      event: "reset",
      id: lost,
      data: { hive: "web", branch: "main", commit: lost },
    });
    const made = await commit("2");
    expect(commitsOf(await client.take(1))).toEqual([made]);
  });

  it("goes on from now after an id that is no commit of the branch", async () => {
    await makeHive(storage, "app");
    await call("POST", "/api/hives/web/branches", { body: { name: "feature" } });
    const elsewhere = await commit("1", "web/strings?branch=feature");
    const head = await commit("2");
    const { settings } = (await storage.hives.at(web).snapshot()).objectsOf(toLocale("fr").code);
    for (const id of ["0".repeat(40), settings, elsewhere, storage.hives.at(toHiveSlug("app")).head()]) {
      const client = await open("/api/hives/web/events", { "last-event-id": id });
      expect(await client.next()).toMatchObject({ event: "reset", id: head });
      const all = await open("/api/events?hives=web", { "last-event-id": `web:${id.slice(0, 12)}` });
      expect(await all.next()).toMatchObject({ event: "reset", data: { hive: "web", commit: head } });
      for (const one of [client, all]) one.leave();
      await eventually(() => expect(app.stats().streams).toBe(0));
    }
    for (const id of ["nonsense", head.slice(0, 12), `${head}0`, "x".repeat(8_000)]) {
      expect((await open("/api/hives/web/events", { "last-event-id": id })).response.status).toBe(422);
    }
  });

  it("a commit by hand has its subject as JSON, whatever is in it", async () => {
    const client = await open("/api/hives/web/events");
    const message = "One\r\rid: 0\u2028event: removed\n\ndata: {}\n\nid: x\n";
    const made = await commitOutside({ storage, disk, slug: "web" }, { files: {}, message });
    await commit("wakes the stream");
    const [first] = await client.take(1);
    expect(first).toMatchObject({ event: "commit", id: made });
    expect(first?.data.subject).toBe("One\r\rid: 0\u2028event: removed");
    expect(first?.data.operation).toBeNull();
  });

  it.each([
    ["when its token is revoked", async () => revokeAll()],
    ["when its token has expired", async () => void (now += 2_000)],
  ])("ends %s", async (_, end) => {
    const own = await makeToken(storage, { abilities: ["read"], lifetimeMs: 1_000 });
    const client = await open("/api/hives/web/events", {}, { as: own });
    await end();
    expect(await client.next()).toBeUndefined();
    expect((await call("GET", "/api/hives/web/events", { token: own })).status).toBe(401);
  });

  it("ends when the Hive is deleted, and says so", async () => {
    const client = await open("/api/hives/web/events");
    await deleteHive(storage, web);
    expect(await client.next()).toMatchObject({ event: "removed", data: { hive: "web" } });
    expect(await client.next()).toBeUndefined();
  });

  it("shows that it lives while nothing happens", async () => {
    const client = await open("/api/hives/web/events");
    void client.next().catch(() => undefined);
    await eventually(() => expect(client.comments()).toBeGreaterThan(2));
  });

  it("answers HEAD, and refuses what it does not take", async () => {
    const path = "/api/hives/web/events";
    expect((await call("HEAD", path)).status).toBe(200);
    expect((await call("HEAD", "/api/events")).status).toBe(200);
    expect(app.stats().streams).toBe(0);
    const reader = await makeToken(storage, { abilities: ["write"] });
    const statuses = [
      await call("GET", path, { token: reader }),
      await call("GET", "/api/hives/other/events"),
      await call("GET", path, { headers: { accept: "application/json, text/html;q=0.9" } }),
      await call("GET", path, { headers: { "last-event-id": "\u00e4" } }),
      await call("GET", `${path}?since=v1`),
      await call("GET", `${path}?sinse=1`),
      await call("GET", "/api/events?hives=web,other"),
      await call("GET", "/api/events?since=web"),
    ].map(({ status, json }) => `${status} ${json.code}`);
    expect(statuses).toEqual([
      "403 missing_ability",
      "404 unknown_hive",
      "406 not_acceptable",
      "422 invalid_request",
      "422 invalid_request",
      "422 unknown_parameter",
      "422 invalid_request",
      "422 invalid_request",
    ]);
    for (const accept of ["text/event-stream", "*/*", "text/*;q=0.1"]) {
      expect((await call("HEAD", path, { headers: { accept } })).status).toBe(200);
    }
  });
});

const revokeAll = async (): Promise<void> => {
  for (const { id, expires } of await storage.registry.tokens()) {
    if (expires !== undefined) await revokeToken(storage, id);
  }
};

it.each([
  ["a commit between others", "/api/events?hives=web&since=web:", 1],
  ["the first new commit", "/api/events?hives=web&since=web:", 0],
  ["a commit between others", "/api/hives/web/events?since=", 1],
  ["the first new commit", "/api/hives/web/events?since=", 0],
])("a stream goes on behind a commit whose object is missing: %s, %s", async (_, path, missing) => {
  const before = storage.hives.at(web).head();
  const made = [await commit("1"), await commit("2"), await commit("3")];
  const folder = join(storage.folder, "hives/web.git");
  await new DurableFs(disk).removeFile(looseObjectPath(folder, toOid(made[missing] ?? "")));
  // Another server has read none of them.
  const other = openStorage({ folder: storage.folder, disk });
  const { app: on } = appOn(other);
  const id = path.startsWith("/api/events") ? before.slice(0, 12) : before;
  const client = await open(path + id, {}, { on });
  const events = [];
  do events.push(await client.next());
  while (events.at(-1)?.event === "commit");
  expect(events.at(-1)).toMatchObject({ event: "reset", data: { hive: "web", commit: made[2] } });
  const later = await commit("4");
  expect(commitsOf(await client.take(1))).toEqual([later]);
});

describe("the stream of all Hives", () => {
  beforeEach(async () => {
    await makeHive(storage, "app");
    await makeHive(storage, "theirs", { team: "other" });
  });

  it("tells of all Hives of the team, and goes on in each of them", async () => {
    const client = await open("/api/events");
    const made = [await commit("1")];
    expect(commitsOf(await client.take(1))).toEqual(made);
    client.leave();
    made.push(await commit("2", "app/strings"), await commit("3"), await commit("4", "app/strings"));
    const again = await open("/api/events", { "last-event-id": client.id() });
    const missed = await again.take(3);
    expect(commitsOf(missed).toSorted()).toEqual(made.slice(1).toSorted());
    expect(missed.filter(({ data }) => data.hive === "app").map(({ data }) => data.commit)).toEqual([
      made[1],
      made[3],
    ]);
    const last = await commit("5");
    expect(commitsOf(await again.take(1))).toEqual([last]);
  });

  it("acknowledges one event after the other in the middle of what was missed", async () => {
    const client = await open("/api/events");
    void client.next().catch(() => undefined);
    await eventually(() => expect(client.id()).not.toBe(""));
    client.leave();
    const made = new Set<string>();
    for (let i = 0; i < 4; i++) {
      made.add(await commit(String(i)));
      made.add(await commit(String(i), "app/strings"));
    }
    let id = client.id();
    for (let i = 0; i < 8; i++) {
      const again = await open("/api/events", { "last-event-id": id });
      const [event] = await again.take(1);
      expect(made.delete(event?.data.commit)).toBe(true);
      ({ id } = event ?? { id });
      again.leave();
    }
    expect(made.size).toBe(0);
  });

  it("tells which Hives come and go", async () => {
    const client = await open("/api/events");
    await client.take(0);
    await makeHive(storage, "new");
    expect(await client.next()).toMatchObject({ event: "added", data: { hive: "new" } });
    const made = await commit("1", "new/strings");
    expect(commitsOf(await client.take(1))).toEqual([made]);
    await deleteHive(storage, toHiveSlug("app"));
    expect(await client.next()).toMatchObject({ event: "removed", data: { hive: "app", branch: "main" } });
    client.leave();
    await deleteHive(storage, toHiveSlug("new"));
    const again = await open("/api/events", { "last-event-id": client.id() });
    expect(await again.next()).toMatchObject({ event: "removed", data: { hive: "new" } });
  });

  it("tells a token that is limited to some Hives of these alone", async () => {
    const own = await makeToken(storage, { abilities: ["read"], hives: ["app"] });
    const limited = await open("/api/events", {}, { as: own });
    const chosen = await open("/api/events?hives=app");
    await commit("1");
    const made = await commit("2", "app/strings");
    for (const client of [limited, chosen]) expect(commitsOf(await client.take(1))).toEqual([made]);
    const probing = await open("/api/events", { "last-event-id": "web:0000000,theirs:0000000" }, { as: own });
    const told = await probing.take(3);
    expect(told.map(({ event, data }) => `${event} ${data.hive}`)).toEqual([
      "removed web",
      "removed theirs",
      "added app",
    ]);
  });

  it("ends when its token is revoked", async () => {
    const own = await makeToken(storage, { abilities: ["read"], lifetimeMs: 1_000 });
    const client = await open("/api/events", {}, { as: own });
    await revokeAll();
    expect(await client.next()).toBeUndefined();
  });
});

describe("streams and their server", () => {
  it("leave half of the rest to other teams, and are refused beyond that", async () => {
    await makeHive(storage, "theirs", { team: "other" });
    const theirs = await makeToken(storage, { team: "other", abilities: ["read"] });
    const clients: EventClient[] = [];
    for (let i = 0; i < 4; i++) clients.push(await open("/api/events"));
    const refused = await open("/api/events");
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get("retry-after")).toBe("30");
    expect((await open("/api/events", {}, { as: theirs })).response.status).toBe(200);
    expect(app.stats().streams).toBe(5);
    clients[0]?.leave();
    await eventually(() => expect(app.stats().streams).toBe(4));
    expect((await open("/api/events")).response.status).toBe(200);
  });

  it("end in order when the server does, and tell their clients when to come back", async () => {
    const clients = [await open("/api/hives/web/events"), await open("/api/events")];
    app.endStreams();
    for (const client of clients) {
      expect(await client.next()).toBeUndefined();
      expect(client.retry()).toBeGreaterThanOrEqual(1_000);
    }
    expect(app.stats().streams).toBe(0);
  });

  it("are made only as far as their clients read", async () => {
    const first = await commit("0");
    for (let i = 1; i <= 80; i++) {
      await commit(String(i), "web/strings", { "x-commit-message": "long ".repeat(190) });
    }
    const making = vi.spyOn(CommitEvents.prototype, "event");
    const client = await open(`/api/hives/web/events?since=${first}`);
    await client.take(1);
    for (let i = 0; i < 1_000; i++) await setImmediate();
    expect(making.mock.calls.length).toBeLessThan(60);
    await client.take(79);
    expect(making.mock.calls.length).toBeGreaterThanOrEqual(80);
  });

  it("are ended when their clients take nothing of them, and give their places back", async () => {
    const first = await commit("0");
    for (let i = 1; i <= 40; i++) {
      await commit(String(i), "web/strings", { "x-commit-message": "long ".repeat(190) });
    }
    const stallMs = 54_321;
    const { app: strict } = appOn(storage, { stallMs });
    const stall = holdLimit(stallMs);
    const client = await open(`/api/hives/web/events?since=${first}`, {}, { on: strict });
    await eventually(() => expect(stall.running()).toBe(1));
    expect(strict.stats().streams).toBe(1);
    await stall.pass();
    await eventually(() => expect(strict.stats().streams).toBe(0));
    await expect(client.take(41)).rejects.toThrow();
  });

  it("stop in the middle of what was missed when the Hive gets out of reach", async () => {
    const own = await makeToken(storage, { hives: ["web"], abilities: ["read"] });
    const first = await commit("0");
    for (let i = 1; i <= 40; i++) {
      await commit(String(i), "web/strings", { "x-commit-message": "long ".repeat(190) });
    }
    const client = await open(`/api/hives/web/events?since=${first}`, {}, { as: own });
    await client.take(1);
    const { registry, lockTeam } = storage;
    const tokens = await registry.limitedTo(web);
    await lockTeam(toTeamName("acme"), (lock) => registry.forgetHive(web, tokens, lock));
    const told: string[] = [];
    for (let next = await client.next(); next !== undefined; next = await client.next())
      told.push(next.event);
    expect(told.at(-1)).toBe("removed");
    expect(told.length).toBeLessThan(40);
  });

  it("look at the disk for a commit once for all, however many listen", async () => {
    const { app: roomy } = appOn(storage, { maxStreams: 512 });
    const clients: EventClient[] = [];
    for (let i = 0; i < 100; i++) clients.push(await open("/api/hives/web/events", {}, { on: roomy }));
    const hear = async (made: string): Promise<void> => {
      for (const client of clients) expect((await client.next())?.id).toBe(made);
    };
    await hear(await commit("1"));
    const looks = vi.spyOn(disk, "statSync");
    await hear(await commit("2"));
    expect(looks.mock.calls.length).toBeLessThan(100);
  });

  it("let a page of an allowed origin listen", async () => {
    const { app: shared } = appOn(storage, { corsOrigin: new Set(["https://a.example.org"]) });
    const headers = { origin: "https://a.example.org" };
    const { response } = await open("/api/events", headers, { on: shared });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://a.example.org");
  });
});

it("no text of an event begins a line", () => {
  const text = "a\r\nb\rc\nd";
  const item = { kind: "removed", hive: toHiveSlug("web"), branch: text } as const;
  expect(formatEvent(item)).toBe(
    `event: removed\ndata: ${JSON.stringify({ hive: "web", branch: text })}\n\n`,
  );
});
