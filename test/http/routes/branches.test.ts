/** Branches over HTTP: made, read, written to, deleted and restored. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { addLocales, removeLocale } from "../../../src/service/admin/locales.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { commitOf, hiveAt } from "../../helpers/http/hive-api.ts";
import { byCommand, type Call, harness, makeToken, prepareWeb } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const hive = "/api/hives/web";
let now: number;
let storage: Storage;
let call: Call;
const { put, translate, branch } = hiveAt(() => call);

const options = { locales: ["fr"], storage: { now: () => now }, token: { name: "CI" } };
const prepared = prepareWeb(options, async (web) => {
  ({ call } = web);
  await put({ "a.php": { a: "A", b: "B" } });
  await translate("fr", { "a.php": { a: "Fr A" } });
});
beforeEach(async () => {
  now = Date.parse("2026-03-01T12:00:00Z");
  ({ storage, call } = await prepared());
});

const create = (name: string, more: object = {}) =>
  call("POST", `${hive}/branches`, { body: { name, ...more } });
const on = (path: string, branch?: string) =>
  branch === undefined
    ? `${hive}${path}`
    : `${hive}${path}${path.includes("?") ? "&" : "?"}branch=${encodeURIComponent(branch)}`;
const textsOf = async (branch?: string, at = "") => {
  const { json } = await call("GET", on(`/strings${at}`, branch));
  return Object.fromEntries(
    json.data.map((one: { key: string; source_value: string }) => [one.key, one.source_value]),
  );
};
const path = (name: string) => `${hive}/branches/${encodeURIComponent(name)}`;

describe("a branch", () => {
  it("begins at main, and has its own strings and translations from then on", async () => {
    const made = await create("feature/login");
    expect([made.status, made.json]).toEqual([
      201,
      expect.objectContaining({
        name: "feature/login",
        commit: commitOf(made),
        base: commitOf(made),
        ahead: 0,
        behind: 0,
      }),
    ]);
    await branch("feature/login").put({ "a.php": { a: "A2", c: "C" } });
    expect(await textsOf("feature/login")).toEqual({ a: "A2", c: "C" });
    expect(await textsOf()).toEqual({ a: "A", b: "B" });

    await call("POST", on("/translations/fr", "feature/login"), {
      body: { files: { "a.php": { c: "Fr C" } }, overwrite_strategy: "overwrite" },
    });
    const exported = async (branch?: string) =>
      (await call("GET", on("/export?locale=fr&format=json", branch))).json.files["a.json"];
    expect(JSON.parse(await exported("feature/login"))).toEqual({ a: "Fr A", c: "Fr C" });
    expect(JSON.parse(await exported())).toEqual({ a: "Fr A" });
  });

  it("begins at any revision", async () => {
    const old = commitOf(await call("GET", `${hive}/strings`));
    await put({ "a.php": { a: "later" } });
    const made = await create("old", { from: old });
    expect(made.json).toMatchObject({ commit: old, base: old, ahead: 0, behind: 1 });
    expect(await textsOf("old")).toEqual({ a: "A", b: "B" });
    expect((await create("none", { from: "nope" })).json.errors.from).toHaveLength(1);
  });

  it("is listed with its merge base and its distance from main", async () => {
    const {
      json: { base },
    } = await create("b/one");
    await create("a");
    const { headers } = await branch("b/one").put({ "a.php": { a: "A2" } });
    await put({ "a.php": { a: "A", b: "B", c: "C" } });
    await put({ "a.php": { a: "A", b: "B", c: "C2" } });
    const { json } = await call("GET", `${hive}/branches`);
    expect(json.meta.total).toBe(2);
    expect(json.data).toEqual([
      expect.objectContaining({ name: "a", commit: base, base, ahead: 0, behind: 2, changed_keys: {} }),
      {
        name: "b/one",
        commit: headers.get("x-skep-commit"),
        base,
        ahead: 1,
        behind: 2,
        changed_keys: { en: 2 },
        time: "2026-03-01T12:00:00Z",
        author: expect.objectContaining({ name: "CI" }),
      },
    ]);
    expect((await call("GET", path("b/one"))).json).toEqual(json.data[1]);
    expect((await call("GET", `${hive}/branches?per_page=1&page=2`)).json.data).toEqual([json.data[1]]);
  });

  it.each([
    ["a name that is taken", "x/y"],
    ["a name that differs by case alone", "X/y"],
    ["the folder of another", "x"],
    ["a name in another", "x/y/z"],
    ["main", "main"],
    ["Main", "Main"],
    ["a name in main", "main/x"],
  ])("is refused for %s", async (_, name) => {
    await create("x/y");
    const { status, json } = await create(name);
    expect([status, json.code]).toEqual([409, "branch_exists"]);
  });

  it.each([
    "",
    "HEAD",
    "a b",
    "-x",
    "a..b",
    "x.lock",
    "a/",
    "1234567",
    "2026-03-01",
    "refs/heads/x",
    "a:b",
    "é".normalize("NFD"),
    "y".repeat(201),
  ])("cannot be called %j", async (name) => {
    const { status, json } = await create(name);
    expect([status, Object.keys(json.errors)]).toEqual([422, ["name"]]);
  });

  it("is limited in number", async () => {
    const limits = { ...storage.limits, maxBranches: 1 };
    const limited = harness({ ...storage, limits }, await makeToken(storage, {})).call;
    expect((await limited("POST", `${hive}/branches`, { body: { name: "a" } })).status).toBe(201);
    const { status, json } = await limited("POST", `${hive}/branches`, { body: { name: "b" } });
    expect([status, json.code]).toEqual([422, "limit_reached"]);
  });
});

describe("?branch=", () => {
  it("that is unknown is a 404 for reads, a 422 for writes", async () => {
    for (const name of ["nope", "a/b", "..", "main/x"]) {
      const read = await call("GET", on("/strings", name));
      expect([read.status, read.json.code]).toEqual([404, "unknown_branch"]);
      const write = await branch(name).put({ "a.php": { a: "A" } });
      expect([write.status, write.json.code, Object.keys(write.json.errors)]).toEqual([
        422,
        "unknown_branch",
        ["branch"],
      ]);
    }
    expect((await call("GET", `${hive}/strings?branch=`)).status).toBe(422);
    expect((await call("GET", `${hive}/strings?branch=a&branch=b`)).status).toBe(422);
    await create("x/y");
    expect((await call("GET", on("/strings", "x"))).status).toBe(404);
  });

  it("main is the same as none", async () => {
    expect(await textsOf("main")).toEqual(await textsOf());
  });

  it("is refused for settings, which are those of main", async () => {
    await create("x");
    const { call: admin } = harness(storage, await makeToken(storage, { abilities: ["admin"] }));
    const replies = [
      await admin("PATCH", on("", "x"), { body: { name: "X" } }),
      await admin("POST", on("/locales", "x"), { body: { code: "de" } }),
      await admin("POST", on("/tags", "x"), { body: { name: "v1" } }),
    ];
    expect(replies.map(({ status, json }) => [status, json.code])).toEqual(
      replies.map(() => [422, "unknown_parameter"]),
    );
  });

  it("compares If-Match with the HEAD of the branch, and repeats requests by branch", async () => {
    await create("x");
    const main = commitOf(await call("GET", `${hive}/strings`));
    const key = { "idempotency-key": "k" };
    const first = await branch("x").put(
      { "a.php": { a: "X" } },
      { headers: { ...key, "if-match": `"${main}"` } },
    );
    expect(first.status).toBe(200);
    expect(
      (await branch("x").put({ "a.php": { a: "Y" } }, { headers: { "if-match": `"${main}"` } })).status,
    ).toBe(412);
    const again = await branch("x").put({ "a.php": { a: "X" } }, { headers: key });
    expect([commitOf(again), again.headers.get("idempotency-replayed")]).toEqual([commitOf(first), "true"]);
    const other = await put({ "a.php": { a: "X" } }, { headers: key });
    expect(other.headers.get("idempotency-replayed")).toBeNull();
    // An error names the HEAD of the branch.
    const refused = await call("GET", on("/strings?at=nope", "x"));
    expect([refused.status, commitOf(refused)]).toEqual([422, commitOf(first)]);
  });

  it("with ?at= means the branch as it was", async () => {
    await create("x");
    now += 60_000;
    await branch("x").put({ "a.php": { a: "X1" } });
    const then = new Date(now).toISOString();
    now += 60_000;
    await branch("x").put({ "a.php": { a: "X2" } });
    expect(await textsOf("x", `?at=${then}`)).toEqual({ a: "X1" });
    expect(await textsOf("x", "?at=main")).toEqual({ a: "A", b: "B" });
    expect(await textsOf(undefined, `?at=${then}`)).toEqual({ a: "A", b: "B" });
    // A commit is found from anywhere as long as a branch reaches it.
    const commit = commitOf(await call("GET", on("/strings", "x")));
    expect(await textsOf(undefined, `?at=${commit}`)).toEqual({ a: "X2" });
    await call("DELETE", path("x"));
    expect((await call("GET", `${hive}/strings?at=${commit}`)).status).toBe(422);
  });

  it("shows history, keys, progress, untranslated and stale texts of the branch, and undoes there", async () => {
    await create("x");
    const changed = await branch("x").put({ "a.php": { a: "A2", b: "B" } });
    const keys = await call("GET", on("/keys", "x"));
    expect(keys.json.total).toBe(2);
    expect((await call("GET", on("", "x"))).json.stats.fr).toMatchObject({ warning: 1 });
    expect((await call("GET", on(""))).json.stats.fr).toMatchObject({ warning: 0 });
    expect((await call("GET", on("/stale", "x"))).json.data).toHaveLength(1);
    expect((await call("GET", on("/stale"))).json.data).toHaveLength(0);
    expect((await call("GET", on("/untranslated?locale=fr", "x"))).json.meta.total).toBe(2);
    expect((await call("GET", on("/untranslated?locale=fr"))).json.meta.total).toBe(1);
    const history = await call("GET", on("/history", "x"));
    expect(history.json.data[0].commit).toBe(commitOf(changed));
    expect((await call("GET", on("/history"))).json.meta.total).toBe(history.json.meta.total - 1);
    expect((await call("GET", on(`/history/${commitOf(changed)}`, "x"))).json.data).toHaveLength(1);

    const confirmed = await call("POST", on("/stale/confirm", "x"), {
      body: { locale: "fr", file: "a.php", keys: ["a"] },
    });
    expect(confirmed.json.confirmed).toBe(1);
    const undone = await call("POST", on("/undo?dry_run=true", "x"), { body: { commit: commitOf(changed) } });
    expect(undone.json.updated).toBe(1);
    expect((await call("POST", on("/undo"), { body: { commit: commitOf(changed) } })).status).toBe(422);
    expect((await call("POST", on("/undo", "x"), { body: { commit: commitOf(changed) } })).status).toBe(200);
    expect(await textsOf("x")).toEqual({ a: "A", b: "B" });
    const removed = await call("DELETE", on("/translations/fr", "x"), {
      body: { files: { "a.php": ["a"] } },
    });
    expect(removed.json.deleted).toBe(1);
    expect((await call("GET", on("/untranslated?locale=fr"))).json.meta.total).toBe(1);
  });
});

describe("the settings of a branch", () => {
  it("are those that main has now", async () => {
    await create("x");
    const locales = async () => (await call("GET", on("", "x"))).json.locales;
    expect(Object.keys(await locales())).toEqual(["fr"]);
    await addLocales(storage, web, [toLocale("de")], byCommand);
    expect(Object.keys(await locales())).toEqual(["fr", "de"]);
    const body = { files: { "a.php": { a: "De A" } }, overwrite_strategy: "overwrite" };
    const imported = await call("POST", on("/translations/de", "x"), { body });
    expect(imported.json.created).toBe(1);
    // A commit of a branch holds the settings that it was made with.
    const at = `/export?locale=de&format=json&at=${commitOf(imported)}`;
    expect((await call("GET", on(at, "x"))).json.files).toEqual({ "a.json": '{\n  "a": "De A"\n}\n' });
    await removeLocale(storage, web, "de", byCommand);
    expect(Object.keys(await locales())).toEqual(["fr"]);
    expect((await call("POST", on("/translations/de", "x"), { body })).status).toBe(422);
  });

  it("that change take an answer of the branch out of the caches", async () => {
    await create("x");
    const first = await call("GET", on("/export", "x"));
    await addLocales(storage, web, [toLocale("de")], byCommand);
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    const second = await call("GET", on("/export", "x"), { headers });
    expect([second.status, Object.keys(second.json.files).length]).toEqual([
      200,
      Object.keys(first.json.files).length + 1,
    ]);
    await put({ "a.php": { a: "only on main" } });
    const same = { "if-none-match": second.headers.get("etag") ?? "" };
    expect((await call("GET", on("/export", "x"), { headers: same })).status).toBe(304);
  });
});

describe("a deleted branch", () => {
  it("is gone, and can be restored until it expires", async () => {
    await create("feature/x");
    const { headers } = await branch("feature/x").put({ "a.php": { a: "X" } });
    const deleted = await call("DELETE", path("feature/x"));
    expect([deleted.status, deleted.json]).toEqual([
      200,
      { name: "feature/x", expires: "2026-03-31T12:00:00.000Z" },
    ]);
    expect((await call("GET", on("/strings", "feature/x"))).status).toBe(404);
    expect((await call("GET", `${hive}/branches`)).json.data).toEqual([]);
    expect((await call("DELETE", path("feature/x"))).json.code).toBe("unknown_branch");

    const restored = await call("POST", `${path("feature/x")}/restore`);
    expect([restored.status, restored.json.commit]).toEqual([201, headers.get("x-skep-commit")]);
    expect(await textsOf("feature/x")).toEqual({ a: "X" });
    expect((await call("POST", `${path("feature/x")}/restore`)).status).toBe(404);
  });

  it("makes room for names that it stood in the way of, and comes back last deleted first", async () => {
    await create("a");
    await branch("a").put({ "a.php": { a: "1" } });
    await call("DELETE", path("a"));
    await create("a/b");
    await branch("a/b").put({ "a.php": { a: "2" } });
    const conflict = await call("POST", `${path("a")}/restore`);
    expect([conflict.status, conflict.json.code]).toEqual([409, "branch_exists"]);
    await call("DELETE", path("a/b"));
    await create("a");
    await branch("a").put({ "a.php": { a: "3" } });
    await call("DELETE", path("a"));
    await call("POST", `${path("a")}/restore`);
    expect(await textsOf("a")).toEqual({ a: "3" });
    await call("DELETE", path("a"));
    await call("POST", `${path("a/b")}/restore`);
    expect(await textsOf("a/b")).toEqual({ a: "2" });
  });

  it("is main never; If-Match is about the branch", async () => {
    const refused = await call("DELETE", path("main"));
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ["branch"]]);
    await create("x");
    const main = commitOf(await call("GET", `${hive}/strings`));
    const { headers } = await branch("x").put({ "a.php": { a: "X" } });
    expect((await call("DELETE", path("x"), { headers: { "if-match": `"${main}"` } })).status).toBe(412);
    const match = { "if-match": `"${headers.get("x-skep-commit")}"` };
    expect((await call("DELETE", path("x"), { headers: match })).status).toBe(200);
  });

  it("expires after 30 days", async () => {
    await create("x");
    await call("DELETE", path("x"));
    now += 30 * 86_400_000 - 1;
    await storage.lifecycle.purgeBranches(web);
    expect(await storage.hives.at(web).branches.deleted()).toHaveLength(1);
    now += 1;
    expect((await call("POST", `${path("x")}/restore`)).json.code).toBe("unknown_branch");
    await storage.lifecycle.purgeBranches(web);
    expect(await storage.hives.at(web).branches.deleted()).toHaveLength(0);
  });

  const doors = {
    "a DELETE": async (limited: Call) => {
      const { status, json } = await limited("DELETE", path("c"));
      return [status, json.code, json.message];
    },
    "a merge": async (limited: Call) => {
      const { status, json } = await limited("POST", `${path("c")}/merge`, { body: { delete: true } });
      return [status, json.branch_deleted === true ? undefined : "limit_reached", json.not_deleted];
    },
  };

  it.each(Object.entries(doors))("is kept for 30 days: %s of one too many is refused", async (_, end) => {
    const limits = { ...storage.limits, maxBranches: 2 };
    const limited = harness({ ...storage, limits }, await makeToken(storage, {})).call;
    const begun = now;
    for (const name of ["a", "b"]) {
      await limited("POST", `${hive}/branches`, { body: { name } });
      expect((await limited("DELETE", path(name))).status).toBe(200);
      now += 1_000;
    }
    await limited("POST", `${hive}/branches`, { body: { name: "c" } });
    const [, code, why] = await end(limited);
    expect([code, why]).toEqual(["limit_reached", expect.stringContaining("2 deleted branches")]);
    const { branches } = storage.hives.at(web);
    expect((await branches.deleted()).map(({ name }) => name)).toEqual(["b", "a"]);
    expect(Array.from((await branches.list()).keys())).toContain("c");
    now = begun + 30 * 86_400_000;
    expect((await end(limited)).slice(0, 2)).toEqual([200, undefined]);
    expect((await branches.deleted()).map(({ name }) => name)).toEqual(["c", "b"]);
  });
});
