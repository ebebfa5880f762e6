/** Tokens that would be more than they are. */
import { once } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../src/domain/errors.ts";
import { toHiveSlug, toTeamName, toTokenId } from "../../src/domain/names.ts";
import { deleteHive } from "../../src/service/admin/hives.ts";
import type { Storage } from "../../src/service/storage.ts";
import { listTokens } from "../helpers/people/tokens.ts";
import { hiveAt } from "../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  prepareWeb,
  watchLocks,
  type Call,
  type WebOptions,
} from "../helpers/storage.ts";

let now: number;
let storage: Storage;
let call: Call;
const { post } = hiveAt(() => call);
/** Manages web, and nothing else, for a day. */
let limited: string;

const day = 86_400_000;

const options: WebOptions = { token: { abilities: ["admin"], hives: ["web"], lifetimeMs: day } };
const prepared = prepareWeb({ ...options, storage: { now: () => now } }, async (web) => {
  await makeHive(web.storage, "app");
  await makeHive(web.storage, "theirs", { team: "rival" });
});
beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  ({ storage, call, token: limited } = await prepared());
});

const idOf = (token: string): string => token.split("_")[1] ?? "";

/** Every way to manage something: method, path, body. */
const management = [
  ["POST", "/api/hives", { slug: "new" }],
  ["PATCH", "/api/hives/web", { name: "x" }],
  ["DELETE", "/api/hives/web", undefined],
  ["POST", "/api/hives/web/locales", { code: "it" }],
  ["PATCH", "/api/hives/web/locales/fr", { custom_code: "x" }],
  ["DELETE", "/api/hives/web/locales/fr", undefined],
  ["DELETE", "/api/hives/web/files?file=a.php", undefined],
  ["GET", "/api/tokens", undefined],
  ["POST", "/api/tokens", {}],
  ["DELETE", "/api/tokens/x", undefined],
] as const;

describe("a token without the admin ability", () => {
  it.each(management)("manages nothing, whatever else it may: %s %s", async (method, path, body) => {
    const token = await makeToken(storage, { abilities: ["read", "write"] });
    const reply = await call(method, path, { token, body });
    expect([reply.status, reply.json.message]).toEqual([403, "This token lacks the admin ability."]);
    const torn = method === "GET" ? {} : { body: "{" };
    // Before the body is looked at, and before the query.
    expect((await call(method, `${path.split("?")[0]}?x=1`, { token, ...torn })).status).toBe(403);
    expect((await call(method, path, { token: null, body })).status).toBe(401);
    expect((await call(method, path, { token: `${token}x`, ...torn })).status).toBe(401);
  });
});

describe("a token that is limited to some Hives", () => {
  it("makes no Hive", async () => {
    const reply = await call("POST", "/api/hives", { body: "{" });
    expect([reply.status, reply.json.message]).toEqual([403, "This token is limited to some Hives."]);
  });

  it.each(["app", "theirs", "nobody"])("manages no other: %s", async (slug) => {
    for (const [method, path, body] of [
      ["PATCH", "", { name: "x" }],
      ["DELETE", "", undefined],
      ["POST", "/locales", { code: "it" }],
      ["PATCH", "/locales/fr", { custom_code: "x" }],
      ["DELETE", "/locales/fr", undefined],
      ["DELETE", "/files?file=a.php", undefined],
    ] as const) {
      const reply = await call(method, `/api/hives/${slug}${path}`, { body });
      expect([reply.status, reply.json.message]).toEqual([
        403,
        "This token has no admin access to that Hive; is its slug right?",
      ]);
    }
    expect((await call("GET", `/api/hives/${slug}/locales`)).status).toBe(404);
  });

  it.each<[string, unknown]>([
    ["hives", { hives: "all" }],
    ["hives", { hives: ["app"] }],
    ["hives", { hives: ["web", "app"] }],
    ["hives", { hives: ["theirs"] }],
    ["hives", { hives: ["nobody"] }],
    ["expires", { expires: "2026-01-02T00:00:00.001Z" }],
    ["expires", { expires: "9999-12-31T23:59:59Z" }],
  ])("creates no token that reaches further, by %s: %j", async (field, body) => {
    const before = (await listTokens(storage)).length;
    const reply = await call("POST", "/api/tokens", { body: { abilities: ["read"], ...Object(body) } });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    expect((await listTokens(storage)).length).toBe(before);
  });

  it("learns nothing about other Hives by asking for tokens", async () => {
    const ask = async (slug: string) =>
      (await call("POST", "/api/tokens", { body: { hives: [slug] } })).text.replaceAll(slug, "*");
    expect(await ask("app")).toBe(await ask("nobody"));
    expect(await ask("theirs")).toBe(await ask("nobody"));
  });

  it("cannot pass its limits on by a chain of tokens, or outlive itself", async () => {
    const second = (await call("POST", "/api/tokens", { body: { abilities: ["admin"] } })).json.token;
    for (const body of [{ hives: "all" }, { hives: ["app"] }, { expires: "2026-01-03T00:00:00Z" }]) {
      expect((await call("POST", "/api/tokens", { token: second, body })).status).toBe(422);
    }
    const third = (await call("POST", "/api/tokens", { token: second, body: { expires: null } })).json.token;
    now += day;
    for (const token of [second, third]) {
      expect((await call("GET", "/api/hives/web/strings", { token })).status).toBe(401);
    }
  });

  it("sees and revokes only tokens that reach no further", async () => {
    const within = await makeToken(storage, { hives: ["web"] });
    const beyond = [
      await makeToken(storage, { hives: ["web", "app"] }),
      await makeToken(storage, { hives: ["app"] }),
      await makeToken(storage),
      await makeToken(storage, { team: "rival" }),
      await makeToken(storage, { team: "rival", hives: ["theirs"] }),
    ];
    const { data, meta } = (await call("GET", "/api/tokens")).json;
    expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [idOf(limited), idOf(within)].toSorted(),
    );
    expect(meta.total).toBe(2);
    const unknown = await call("DELETE", "/api/tokens/nope");
    for (const token of beyond) {
      const reply = await call("DELETE", `/api/tokens/${idOf(token)}`);
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
      expect(await storage.registry.token(toTokenId(idOf(token)))).toBeDefined();
    }
    expect((await call("DELETE", `/api/tokens/${idOf(within)}`)).status).toBe(200);
  });

  it("a token whose Hives are gone reaches nothing, and sees no other such tokens", async () => {
    await makeToken(storage, { hives: ["web"] });
    await deleteHive(storage, toHiveSlug("web"));
    const { data } = (await call("GET", "/api/tokens")).json;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([idOf(limited)]);
    const made = await call("POST", "/api/tokens", { body: {} });
    expect([made.status, made.json.hives]).toEqual([201, []]);
    await makeHive(storage, "web");
    for (const token of [limited, made.json.token]) {
      expect((await call("GET", "/api/hives/web/strings", { token })).status).toBe(404);
    }
  });
});

describe("an admin of another team", () => {
  it("sees, creates and revokes nothing here", async () => {
    const token = await makeToken(storage, { team: "rival", abilities: ["admin"] });
    expect((await call("GET", "/api/tokens", { token })).json.data).toHaveLength(1);
    expect((await call("DELETE", `/api/tokens/${idOf(limited)}`, { token })).status).toBe(404);
    expect((await call("POST", "/api/tokens", { token, body: { hives: ["web"] } })).status).toBe(422);
    const made = await call("POST", "/api/tokens", { token, body: { abilities: ["admin"], team: "acme" } });
    expect((await call("GET", "/api/hives/web/strings", { token: made.json.token })).status).toBe(404);
    expect((await call("GET", "/api/team", { token })).json.name).toBe("rival");
    expect((await call("DELETE", "/api/hives/web", { token })).status).toBe(403);
  });
});

describe("a token that is revoked while its request waits", () => {
  it.each(management.filter(([method]) => method !== "GET"))(
    "changes nothing: %s %s",
    async (method, path, body) => {
      const token = await makeToken(storage, { abilities: ["admin"] });
      const tokens = (await listTokens(storage)).length;
      const locksAskedFor = watchLocks();
      let resolve = (): void => {};
      const open = new Promise<void>((done) => (resolve = done));
      const held = storage.lockTeam(toTeamName("acme"), () => open);
      const waiting = call(method, path, { token, body });
      // The test itself, and the request.
      await locksAskedFor(2);
      const { registry } = storage;
      await registry.removeToken(toTokenId(idOf(token)), {
        assertHeld: async () => {},
        advance: (change) => change(),
        lose: () => {},
      });
      resolve();
      await held;
      expect((await waiting).status).toBe(401);
      expect((await listTokens(storage)).length).toBe(tokens - 1);
      expect(await registry.teams()).toMatchObject([{ hives: ["web", "app"] }, { hives: ["theirs"] }]);
    },
  );
});

describe("a Hive that is deleted while writes to it wait", () => {
  it("is out of their reach", async () => {
    const token = await makeToken(storage, { abilities: ["admin"] });
    const { headers } = await post({ "a.php": { x: "X" } }, { token });
    const writes = [
      ["POST", "/api/hives/web/strings", { files: {} }],
      ["POST", "/api/hives/web/translations/fr", { files: {} }],
      ["POST", "/api/hives/web/undo", { commit: headers.get("x-skep-commit") }],
      ["POST", "/api/hives/web/tags", { name: "v1" }],
      ["PATCH", "/api/hives/web", { name: "x" }],
      ["DELETE", "/api/hives/web", undefined],
    ] as const;
    const locksAskedFor = watchLocks();
    const waiting = await storage.hives.lock(toHiveSlug("web"), async () => {
      const deleted = call("DELETE", "/api/hives/web", { token });
      // The test has the Hive's lock; the deletion has the team's, and waits for the Hive's. The others wait for either.
      await locksAskedFor(3);
      const others = writes.map(([method, path, body]) => call(method, path, { token, body }));
      await locksAskedFor(3 + writes.length);
      return [deleted, ...others];
    });
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual([200, ...writes.map(() => 403)]);
  });

  it("a clone request ends with the token before what is queued is done", async () => {
    const admin = await makeToken(storage, { abilities: ["admin"] });
    const token = await makeToken(storage);
    const team = toTeamName("acme");
    const free = new AbortController();
    const locksAskedFor = watchLocks();
    const busy = storage.lockTeam(team, () => once(free.signal, "abort"));
    const { call: queue } = harness(storage, token);
    const queued = Array.from({ length: 20 }, (_, i) =>
      queue("POST", "/api/hives/web/strings", { body: { files: { "a.php": { [`k${i}`]: "x" } } } }),
    );
    // The lock that the test has, and one for each write.
    await locksAskedFor(21);
    const revoking = queue("DELETE", `/api/tokens/${idOf(token)}`, { token: admin });
    await locksAskedFor(22);
    free.abort();
    await busy;
    expect((await revoking).status).toBe(200);
    expect((await Promise.all(queued)).map(({ status }) => status)).toEqual(queued.map(() => 401));
  });
});

describe("settings that cannot be read", () => {
  const unreadable = failure("content-invalid", "The settings file teams/rival.yaml is invalid.");

  it("unreadable settings of another team are not named", async () => {
    const registry = new Proxy(storage.registry, {
      get: (target, name) => {
        if (name === "teams") return () => Promise.reject(unreadable);
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const admin = await makeToken(storage, { abilities: ["admin"] });
    const { call: fresh } = harness({ ...storage, registry }, admin);
    const reply = await fresh("POST", "/api/hives", { body: { slug: "new" } });
    expect(reply.status).toBe(503);
    expect(reply.text).not.toContain("rival");
    // What needs no other team goes on.
    expect((await fresh("PATCH", "/api/hives/web", { body: { name: "x" } })).status).toBe(200);
    expect((await fresh("DELETE", "/api/hives/app")).status).toBe(200);
  });
});
