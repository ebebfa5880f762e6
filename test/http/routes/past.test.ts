/** The past over HTTP: `at`, tags and history. */
import { beforeEach, describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { history as declared } from "../../../src/api/content/history.ts";
import { tags } from "../../../src/api/content/tags.ts";
import { addLocales, removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { commitOf, hiveAt } from "../../helpers/http/hive-api.ts";
import { byCommand, type Call, makeHive, makeToken, type Reply, setUpWeb } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
let now: number;
let storage: Storage;
let call: Call;
const { put, translate, exported, history } = hiveAt(() => call);

beforeEach(async () => {
  now = Date.parse("2026-03-01T12:00:00Z");
  ({ storage, call } = await setUpWeb({
    locales: ["fr", "pt-BR=pt_BR"],
    storage: { now: () => now },
    token: { name: "CI" },
  }));
});

const hive = "/api/hives/web";
const tag = (body: unknown, headers = {}) => call("POST", `${hive}/tags`, { body, headers });
const at = (revision: string) => call("GET", `${hive}/strings?at=${encodeURIComponent(revision)}`);
const exportAt = (query: string) => exported(query);
const textsOf = ({ json }: Reply) =>
  Object.fromEntries(
    json.data.map((one: { key: string; source_value: string }) => [one.key, one.source_value]),
  );

/** Three days, each with a commit at noon. */
async function threeDays(): Promise<string[]> {
  const commits: string[] = [];
  for (const day of ["02", "03", "04"]) {
    now = Date.parse(`2026-03-${day}T12:00:00Z`);
    commits.push(commitOf(await put({ "a.php": { a: day } })));
  }
  return commits;
}

describe("?at=", () => {
  it("takes a commit, an abbreviated commit, a tag, main, a date or a time", async () => {
    const [first = "", second = "", third = ""] = await threeDays();
    await tag({ name: "v1.2", at: second });
    for (const [revision, commit, day] of [
      [first, first, "02"],
      [first.toUpperCase(), first, "02"],
      [second.slice(0, 12), second, "03"],
      [second.slice(0, 12).toUpperCase(), second, "03"],
      ["v1.2", second, "03"],
      ["main", third, "04"],
      ["2026-03-02", first, "02"],
      ["2026-03-03T11:59:59Z", first, "02"],
      ["2026-03-03T12:00", second, "03"],
      ["2026-03-03T13:00+02:00", first, "02"],
      ["2026-03-03T14:00 02:00", second, "03"],
      ["2999-01-01", third, "04"],
    ]) {
      const reply = await at(revision ?? "");
      expect([reply.status, commitOf(reply), textsOf(reply)], revision).toEqual([200, commit, { a: day }]);
      const isImmutable = revision?.length === 40;
      const expected = isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache";
      expect(reply.headers.get("cache-control"), revision).toBe(expected);
      const again = await call("GET", `${hive}/strings?at=${encodeURIComponent(revision ?? "")}`, {
        headers: { "if-none-match": reply.headers.get("etag") ?? "" },
      });
      expect([again.status, commitOf(again)], revision).toEqual([304, commit]);
      expect(again.headers.get("cache-control"), revision).toBe(expected);
      const exported = await exportAt(`locale=en&at=${encodeURIComponent(revision ?? "")}`);
      expect(JSON.parse(exported.json.files["a.json"])).toEqual({ a: day });
    }
  });

  it.each([
    "HEAD",
    "--help",
    "-n1",
    "main~1",
    "main^",
    "@",
    "@{1}",
    "..",
    "main..main",
    "../../../etc/passwd",
    "refs/heads/main",
    "refs/tags/v1",
    ":/Sync",
    "main:hive.yaml",
    "",
    "\0",
    "v1\0",
    "v1\n",
    "x".repeat(5_000),
    "%",
    "a".repeat(40),
    "abcdef0",
    "nope",
    "2026-02-28",
    "2026-03-01T11:59:59Z",
    "2026-02-30",
    "yesterday",
    "v1.lock",
    "__proto__",
  ])("is a 422 for %j", async (revision) => {
    await threeDays();
    for (const reply of [await at(revision), await exportAt(`at=${encodeURIComponent(revision)}`)]) {
      expect(reply.status).toBe(422);
      expect(reply.json.errors).toEqual({ at: [reply.json.message] });
      expect(reply.text.length).toBeLessThan(1_000);
      expect(reply.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("is a 422 when given twice, and reveals nothing outside one's reach", async () => {
    expect((await call("GET", `${hive}/strings?at=main&at=main`)).json.errors).toEqual({
      at: ["at: must be given once"],
    });
    await makeHive(storage, "secret", { team: "rival" });
    for (const slug of ["secret", "nope"]) {
      for (const path of ["strings?at=main", "export?at=HEAD", "tags", "history", "history/main"]) {
        expect((await call("GET", `/api/hives/${slug}/${path}`)).status).toBe(404);
      }
      expect((await call("POST", `/api/hives/${slug}/tags`, { body: { name: "v1" } })).status).toBe(403);
    }
  });

  it("names locales as they were called then, and finds them by the codes of then and now", async () => {
    await put({ "a.php": { a: "A" } });
    const before = commitOf(await translate("pt_BR", { "a.php": { a: "AA" } }));
    await changeLocale(storage, web, "pt-BR", { customCode: toLocale("pt-BR=pt").customCode }, byCommand);
    await addLocales(storage, web, [toLocale("it")], byCommand);
    await removeLocale(storage, web, "fr", byCommand);
    expect(Object.keys((await exportAt(`at=${before}`)).json.files)).toEqual([
      "en.json",
      "fr.json",
      "pt_BR.json",
    ]);
    for (const [code, text, isImmutable] of [
      ["pt_BR", "AA", true],
      ["pt-BR", "AA", true],
      ["pt", "AA", false],
      ["fr", undefined, true],
      ["it", undefined, false],
    ] as const) {
      const reply = await exportAt(`at=${before}&locale=${code}`);
      expect(JSON.parse(reply.json.files["a.json"]), code).toEqual(text === undefined ? {} : { a: text });
      expect(reply.headers.get("cache-control")?.includes("immutable"), code).toBe(isImmutable);
    }
    expect((await exportAt(`at=${before}&locale=xx`)).json.errors).toHaveProperty("locale");
  });

  it("gives the same bytes for ever, and shares them with HEAD if they are the same", async () => {
    await put({ "a.php": { a: "A" } });
    const commit = commitOf(await translate("fr", { "a.php": { a: "AA" } }));
    const head = await exportAt("locale=fr");
    await translate("pt_BR", { "a.php": { a: "other" } });
    const then = await exportAt(`locale=fr&at=${commit}`);
    expect([then.text, then.headers.get("etag")]).toEqual([head.text, head.headers.get("etag")]);
    await translate("fr", { "a.php": { a: "new" } });
    expect((await exportAt(`locale=fr&at=${commit}`)).text).toBe(then.text);
    expect((await exportAt("locale=fr&at=main")).text).toBe((await exportAt("locale=fr")).text);
  });
});

describe("every answer about a Hive", () => {
  it("every response about a Hive names its commit, for writes the one they made", async () => {
    const made = await put({ "a.php": { a: "A" } });
    expect(commitOf(made)).toMatch(/^[0-9a-f]{40}$/);
    expect(commitOf(await put({ "a.php": { a: "A" } }))).toBe(commitOf(made));
    for (const path of ["strings", "export", "history", "tags", `history/${commitOf(made)}`]) {
      expect(commitOf(await call("GET", `${hive}/${path}`))).toBe(commitOf(made));
    }
    const translated = await translate("fr", { "a.php": { a: "AA" } });
    expect(commitOf(await call("GET", `${hive}/strings`))).toBe(commitOf(translated));
    expect(commitOf(translated)).not.toBe(commitOf(made));
  });
});

describe("tags", () => {
  it("mark a commit, say who did it and why, and never move", async () => {
    const [first = "", , third = ""] = await threeDays();
    const headers = { "x-commit-message": "the release", "x-commit-ref": "https://ci.example.org/7" };
    const made = await tag({ name: "v1.2", at: "2026-03-02" }, headers);
    expect([made.status, commitOf(made)]).toEqual([201, first]);
    expect(tags.operations.createTag.response.strict().parse(made.json)).toEqual({
      name: "v1.2",
      commit: first,
      time: "2026-03-04T12:00:00Z",
      tagger: { name: "CI", email: expect.stringContaining("@tokens.skep.invalid") },
      message: "the release",
      ref: "https://ci.example.org/7",
    });
    expect((await tag({ name: "release/2" })).json).toMatchObject({
      commit: third,
      message: null,
      ref: null,
    });
    for (const name of ["v1.2", "V1.2", "release", "Release/3", "release/2/x"]) {
      expect([name, (await tag({ name })).status]).toEqual([name, 409]);
    }
    const list = await call("GET", `${hive}/tags`);
    expect(tags.operations.listTags.response.strict().parse(list.json)).toEqual({
      data: [(await call("GET", `${hive}/tags?page=1&per_page=1`)).json.data[0], made.json],
      meta: { current_page: 1, last_page: 1, per_page: 100, total: 2 },
    });
    expect((await call("GET", `${hive}/tags?page=2&per_page=1`)).json.data).toEqual([made.json]);
    expect((await call("GET", `${hive}/tags?page=9`)).json).toMatchObject({ data: [], meta: { total: 2 } });
    expect(textsOf(await at("v1.2"))).toEqual({ a: "02" });
    await put({ "a.php": { a: "new" } });
    expect(textsOf(await at("v1.2"))).toEqual({ a: "02" });
    expect(textsOf(await at("release/2"))).toEqual({ a: "04" });
  });

  it.each<[string, unknown]>([
    ["name", {}],
    ["name", { name: null }],
    ["name", { name: ["v1"] }],
    ["name", { name: "" }],
    ["name", { name: "a..b" }],
    ["name", { name: "x.lock" }],
    ["name", { name: "main" }],
    ["name", { name: "abcdef0" }],
    ["name", { name: "2026-03-01" }],
    ["name", { name: "a\nb" }],
    ["name", { name: "../../heads/main" }],
    ["name", { name: "e\u0301" }],
    ["at", { name: "v1", at: "HEAD" }],
    ["at", { name: "v1", at: "main~1" }],
    ["at", { name: "v1", at: 7 }],
    ["at", { name: "v1", at: "2020-01-01" }],
    ["body", "text"],
  ])("are refused on %s: %j", async (field, body) => {
    const reply = await tag(JSON.stringify(body), { "content-type": "application/json" });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    expect((await call("GET", `${hive}/tags`)).json.meta.total).toBe(0);
  });

  it("creating a tag requires the write ability, takes no query, and succeeds once of many at once", async () => {
    const reader = await makeToken(storage, { abilities: ["read"] });
    expect((await call("POST", `${hive}/tags`, { token: reader, body: { name: "v1" } })).status).toBe(403);
    expect((await call("POST", `${hive}/tags?nam=x`, { body: { name: "v1" } })).status).toBe(422);
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, i) => tag({ name: i % 2 ? "v1" : "V1" })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });
});

describe("the history", () => {
  it("lists commits by page", async () => {
    await threeDays();
    const reply = await history("per_page=2");
    expect(declared.operations.listHistory.response.strict().parse(reply.json).meta).toEqual({
      current_page: 1,
      last_page: 2,
      per_page: 2,
      total: 4,
    });
    expect(reply.json.data[0]).toMatchObject({
      time: "2026-03-04T12:00:00Z",
      operation: "sync",
      counts: { updated: 1 },
      subject: "Sync source strings: 1 updated",
      message: null,
      ref: null,
    });
    const { data } = (await history("since=2026-03-02&until=2026-03-03")).json;
    expect(data.map(({ time }: { time: string }) => time.slice(8, 10))).toEqual(["03", "02"]);
    expect((await history("page=99999999999999999999")).json.data).toEqual([]);
    expect((await history(`file=${"../".repeat(50)}`)).json.meta.total).toBe(0);
    expect((await history("operation=constructor")).json.meta.total).toBe(0);
    for (const [field, value] of [
      ["since", "yes terday"],
      ["since", "v9"],
      ["until", "--help"],
      ["locale", "../.."],
      ["page", "0"],
      ["key", "a&key=b"],
    ]) {
      const refused = await history(`${field}=${value}`);
      expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, [field]]);
    }
  });

  it("lists the commits since a revision, and up to one", async () => {
    await threeDays();
    const commits = async (query: string): Promise<string[]> => {
      const { data } = (await history(query)).json;
      return data.map(({ commit }: { commit: string }) => commit);
    };
    const all = await commits("");
    const [, third = "", second = ""] = all;
    await call("POST", `${hive}/tags`, { body: { name: "v1", at: second } });
    expect(await commits("since=v1")).toEqual(all.slice(0, 2));
    expect(await commits(`until=${third.slice(0, 9)}`)).toEqual(all.slice(1));
    expect(await commits(`since=v1&until=${third}`)).toEqual([third]);
    expect(await commits("since=main")).toEqual([]);
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
    await put({ "a.php": { z: "Z" } }, { query: "branch=next" });
    expect(await commits("branch=next&since=main")).toHaveLength(1);
  });

  it("shows what a commit changed, key by key", async () => {
    await threeDays();
    await translate("pt_BR", { "a.php": { a: "AA" } });
    const commit = commitOf(await put({ "a.php": { b: "B" } }));
    const reply = await call("GET", `${hive}/history/${commit.slice(0, 10)}?per_page=2`);
    expect(declared.operations.getCommit.response.strict().parse(reply.json)).toMatchObject({
      commit: { commit, operation: "sync", counts: { created: 1, deleted: 1 } },
      data: [
        { locale: "en", file: "a.php", key: "b", before: null, after: "B" },
        { locale: "en", file: "a.php", key: "a", before: "04", after: null },
      ],
      meta: { current_page: 1, last_page: 2, per_page: 2, total: 3 },
    });
    const { data } = (await call("GET", `${hive}/history/main?per_page=2&page=2`)).json;
    expect(data).toEqual([{ locale: "pt_BR", file: "a.php", key: "a", before: "AA", after: null }]);
    const key = await history("file=a.php&key=a&locale=en");
    expect(key.json.data.map(({ changes }: { changes: { after: string }[] }) => changes[0]?.after)).toEqual([
      null,
      "04",
      "03",
      "02",
    ]);
    for (const text of ["HEAD", "--help", "a".repeat(40), "%2e%2e%2fx", "main~1"]) {
      expect((await call("GET", `${hive}/history/${text}`)).status).toBe(404);
    }
  });
});
