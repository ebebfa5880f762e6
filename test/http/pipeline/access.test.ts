/** Who may do what, in which order it is checked, and what an error looks like. */
import { beforeEach, describe, expect, it } from "vitest";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { toHiveSlug, toTeamName, toTokenId } from "../../../src/domain/names.ts";
import { errorResponse } from "../../../src/http/schemas/schemas.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { harness, makeHive, makeToken, prepareWeb, type Harness } from "../../helpers/storage.ts";

let now: number;
let storage: Storage;
let api: Harness;

const prepared = prepareWeb({ storage: { now: () => now } }, async (web) => {
  await makeHive(web.storage, "app");
  await makeHive(web.storage, "theirs", { team: "other" });
});
beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  const web = await prepared();
  ({ storage } = web);
  api = web;
});

const list = "/api/hives/web/strings";
const files = { files: { "a.php": { a: "x" } } };

/** What every write endpoint accepts; each ignores the members of the others. */
const anyBody = { ...files, locale: "fr", file: "a.php", keys: [] };

/** Every endpoint: method, path below a Hive, and the ability it takes. */
const endpoints = [
  ["GET", "strings", "read"],
  ["POST", "strings", "write"],
  ["PUT", "strings", "write"],
  ["GET", "export", "read"],
  ["POST", "translations/fr", "write"],
  ["GET", "stale", "read"],
  ["GET", "untranslated?locale=fr", "read"],
  ["POST", "stale/confirm", "write"],
] as const;

describe("authentication", () => {
  it.each<[string, string | undefined]>([
    ["no header", undefined],
    ["another scheme", "Basic c2tlcDp4"],
    ["no token", "Bearer "],
    ["no token of ours", "Bearer x"],
    ["an unknown id", `Bearer skep_nope_${"a".repeat(32)}`],
    ["a path for an id", `Bearer skep_../../x_${"a".repeat(32)}`],
    ["two tokens", "Bearer a b"],
  ])("refuses %s", async (_, authorization) => {
    for (const [method, path] of endpoints) {
      const reply = await api.call(method, `/api/hives/web/${path}`, {
        token: null,
        headers: authorization === undefined ? {} : { authorization },
      });
      expect(reply.status).toBe(401);
      const isToken = /^Bearer [^ ]+$/.test(authorization ?? "");
      const code = isToken ? "invalid_token" : "missing_token";
      expect(reply.json).toEqual({ message: "Unauthenticated.", code });
      expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="skep"');
    }
  });

  it("refuses a token with another secret, a longer one, and one that was revoked", async () => {
    const token = await makeToken(storage);
    const [, id = ""] = token.split("_");
    expect((await api.call("GET", list, { token })).status).toBe(200);
    for (const wrong of [
      token.slice(0, -1) + (token.endsWith("x") ? "y" : "x"),
      `${token}x`,
      token.replace(id, id.toUpperCase()),
    ]) {
      expect((await api.call("GET", list, { token: wrong })).status).toBe(401);
    }
    await revokeToken(storage, toTokenId(id));
    expect((await api.call("GET", list, { token })).status).toBe(401);
  });

  it("refuses a token from the moment it expires", async () => {
    const token = await makeToken(storage, { lifetimeMs: 1000 });
    now += 999;
    expect((await api.call("GET", list, { token })).status).toBe(200);
    now += 1;
    expect((await api.call("GET", list, { token })).status).toBe(401);
  });

  it("takes the scheme in any case", async () => {
    const token = await makeToken(storage);
    for (const scheme of ["bearer", "BEARER"]) {
      const reply = await api.call("GET", list, {
        token: null,
        headers: { authorization: `${scheme} ${token}` },
      });
      expect(reply.status).toBe(200);
    }
  });
});

describe("abilities and reach", () => {
  it.each(endpoints)("%s %s requires %s, which admin implies", async (method, path, ability) => {
    const other = ability === "read" ? "write" : "read";
    const call = async (abilities: ("read" | "write" | "admin")[], slug = "web") =>
      api.call(method, `/api/hives/${slug}/${path}`, {
        token: await makeToken(storage, { abilities }),
        ...(ability === "write" ? { body: anyBody } : {}),
      });
    expect((await call([other])).status).toBe(403);
    expect((await call([ability])).status).toBe(200);
    expect((await call(["admin"])).status).toBe(200);
    // Outside its reach a Hive that exists and one that does not look alike.
    const outside = await call(["read", "write"], "theirs");
    const missing = await call(["read", "write"], "nope");
    expect(outside.status).toBe(ability === "read" ? 404 : 403);
    expect([missing.status, missing.text]).toEqual([outside.status, outside.text]);
    expect((await call([other], "theirs")).status).toBe(403);
  });

  it("access stops at the Hives that a token lists", async () => {
    const token = await makeToken(storage, { hives: ["app"] });
    expect((await api.call("GET", "/api/hives/app/strings", { token })).status).toBe(200);
    expect((await api.call("GET", list, { token })).status).toBe(404);
    expect((await api.call("POST", list, { token, body: files })).status).toBe(403);
    expect((await api.call("POST", "/api/hives/app/strings", { token, body: files })).status).toBe(200);
  });

  it("the reach of a token that listed a deleted Hive does not come back with the slug", async () => {
    const token = await makeToken(storage, { hives: ["app"] });
    await deleteHive(storage, toHiveSlug("app"));
    await makeHive(storage, "app");
    expect((await api.call("GET", "/api/hives/app/strings", { token })).status).toBe(404);
  });

  it("are checked before the body", async () => {
    const token = await makeToken(storage, { abilities: ["read"] });
    expect((await api.call("POST", list, { token, body: "{" })).status).toBe(403);
    expect((await api.call("POST", "/api/hives/nope/strings", { body: "{" })).status).toBe(403);
    expect((await api.call("POST", list, { token: "x", body: "{" })).status).toBe(401);
  });
});

describe("the quota", () => {
  it("the quota's error has the message, and no errors member", async () => {
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 1 });
    const reply = await api.post({ "a.php": { a: "x", b: "y" } });
    expect(reply.status).toBe(422);
    expect(reply.json).toEqual({
      message: "String limit reached for your plan.",
      code: "quota_exceeded",
      limit: 1,
      used: 0,
      requested: 2,
      details: expect.any(String),
    });
    expect((await api.call("POST", list, { body: files })).status).toBe(200);
    expect((await api.call("POST", "/api/hives/app/strings", { body: files })).status).toBe(422);
  });
});

describe("errors", () => {
  it.each<[number, string, string, Parameters<Harness["call"]>[2]]>([
    [400, "POST", list, { body: '{"files":' }],
    [400, "POST", list, { body: "" }],
    [400, "POST", list, { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
    [400, "GET", "/api/hives/%ff/strings", {}],
    [404, "GET", "/nope", {}],
    [404, "GET", "/api/hives/web/strings/x", {}],
    [404, "GET", "/api/hives/web%2Fstrings/strings", {}],
    [404, "GET", "/api/hives/..%2Fweb/strings", {}],
    [405, "DELETE", list, {}],
    [405, "POST", "/api/hives/web/export", {}],
    [405, "GET", "/api/hives/web/translations/fr", {}],
    [413, "POST", list, { body: `{"files":{},"x":"${"x".repeat(1024 * 1024)}"}` }],
    [415, "POST", list, { body: "{}", headers: { "content-type": "text/plain" } }],
    [415, "POST", list, { body: "{}", headers: { "content-type": "application/json; charset=latin1" } }],
    [415, "POST", list, { body: "{}", headers: { "content-encoding": "gzip" } }],
  ])("the error %i for %s %s is JSON with a message", async (status, method, path, options) => {
    const reply = await api.call(method, path, options);
    expect(reply.status).toBe(status);
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(errorResponse.strict().parse(reply.json)).toEqual({
      message: expect.stringMatching(/./),
      code: expect.any(String),
    });
  });

  it("name the methods that are allowed", async () => {
    expect((await api.call("DELETE", list)).headers.get("allow")).toBe("GET, HEAD, POST, PUT");
    expect((await api.call("PUT", "/api/hives/web/translations/fr")).headers.get("allow")).toBe(
      "POST, DELETE",
    );
  });

  it.each([
    "application/json",
    "Application/JSON; charset=UTF-8",
    'application/json;charset="utf-8"',
    "application/vnd.api+json",
  ])("there is no error for the content type %s", async (type) => {
    const reply = await api.call("POST", list, { body: files, headers: { "content-type": type } });
    expect(reply.status).toBe(200);
  });

  it.each([
    ["of any kind", new Error("secret /path"), "unexpected error"],
    [
      "of a module that is there no more",
      Object.assign(new Error("Cannot find module 'secret /path'"), { code: "ERR_MODULE_NOT_FOUND" }),
      "its files were replaced while it ran: restart it",
    ],
  ])("unexpected errors show an id and nothing else, and are logged: %s", async (_, error, message) => {
    const broken = {
      ...storage,
      hives: Object.create(storage.hives, {
        at: {
          value: () => {
            throw error;
          },
        },
      }),
    };
    const { call, logged } = harness(broken, await makeToken(storage));
    const reply = await call("GET", list);
    expect(reply.status).toBe(500);
    expect(Object.keys(reply.json)).toEqual(["message", "code", "request_id"]);
    expect(reply.text).not.toMatch(/secret|path|at /);
    expect(logged).toMatchObject([
      { request_id: reply.json.request_id, error: expect.stringContaining("secret"), message },
    ]);
  });
});

describe("addresses", () => {
  it("may have repeated slashes", async () => {
    for (const path of ["//api/hives/web/strings", "/api//hives///web/strings", "/api/hives/web/strings/"]) {
      expect((await api.call("GET", path)).status).toBe(200);
    }
  });

  it("HEAD is answered as GET without a body", async () => {
    const reply = await api.call("HEAD", list);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe("");
    expect(Number(reply.headers.get("content-length"))).toBeGreaterThan(10);
  });

  it("the health check answers without a token", async () => {
    const reply = await api.call("GET", "/healthz", { token: null });
    expect([reply.status, reply.json]).toEqual([200, { status: "ok" }]);
    expect((await api.call("POST", "/healthz", { token: null })).status).toBe(405);
  });
});
