/** Find and replace over HTTP: what is found, what is replaced, what stays, and who may. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../../src/service/storage.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeHive, makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";

const base = "/api/hives/web";
let storage: Storage;
let call: Call;
const { translate, put, post, undo, exported, history } = hiveAt(() => call);

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into
type Json = any;

const source = {
  "a.json": {
    hello: "Hello {{name}}",
    board: "Your dashboard",
    item_one: "{{count}} file",
    item_other: "{{count}} files",
    empty: "Nothing",
  },
  "b.json": { home: "Dashboard" },
};
const french = {
  "a.json": {
    hello: "Bonjour {{name}}, le Tableau",
    board: "Votre tableau",
    item_one: "{{count}} tableau",
    item_other: "{{count}} tableaux",
  },
  "b.json": { home: "Tableau" },
};

const prepared = prepareWeb({ locales: ["fr", "de", "pt-BR=pt_BR"] }, async (web) => {
  ({ storage, call } = web);
  await put(source);
  await translate("fr", french);
  await translate("de", { "b.json": { home: "Das Tableau" } });
  await translate("pt_BR", { "b.json": { home: "O Tableau" } });
});
beforeEach(async () => {
  ({ storage, call } = await prepared());
});

const replace = (body: Json, { query = "", ...options }: Json = {}) =>
  call("POST", `${base}/replace${query}`, {
    body: { find: "tableau", replace: "panneau", ...body },
    ...options,
  });
const preview = async (body: Json, options: Json = {}): Promise<Json> => {
  const { status, json, text } = await replace(body, { query: "?dry_run=true", ...options });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return json;
};
const found = async (body: Json, options: Json = {}): Promise<string[]> =>
  (await preview(body, options)).items.map(({ locale, key, after }: Json) => `${locale} ${key}: ${after}`);
const texts = async (locale = "fr"): Promise<Record<string, string>> => {
  const { files } = (await exported(`locale=${locale}`)).json;
  return { ...JSON.parse(files["a.json"]), ...JSON.parse(files["b.json"]) };
};
const commits = async (): Promise<Json[]> => (await history()).json.data;

describe("what is found", () => {
  it("is listed by a dry run, in all locales, with what would become of it", async () => {
    const json = await preview({});
    expect(json).toMatchObject({ replaced: 7, changed: 0, refused: 0, more: false });
    expect(json.items[1]).toEqual({
      locale: "fr",
      file: "a.json",
      key: "board",
      before: "Votre tableau",
      after: "Votre panneau",
      findings: [],
      expected: { source: { other: "Your dashboard" }, translation: { other: "Votre tableau" } },
    });
    expect(json.items.map(({ locale, key }: Json) => `${locale} ${key}`)).toEqual([
      "fr hello",
      "fr board",
      "fr item_one",
      "fr item_other",
      "fr home",
      "de home",
      "pt_BR home",
    ]);
    expect(await texts()).toMatchObject({ board: "Votre tableau" });
  });

  it.each<[object, string[]]>([
    [{ locale: "de" }, ["de home: Das panneau"]],
    [{ locale: "pt-BR" }, ["pt_BR home: O panneau"]],
    [{ files: ["b.json"], locale: "fr" }, ["fr home: panneau"]],
    [{ files: ["b"], locale: "fr" }, []],
    [{ q: "your", locale: "fr" }, ["fr board: Votre panneau"]],
    [{ q: "votre" }, ["fr board: Votre panneau"]],
    [{ state: "plural", whole_word: true }, ["fr item_one: {{count}} panneau"]],
    [{ state: "stale" }, []],
    [
      { case: true, find: "Tableau", locale: "fr" },
      ["fr hello: Bonjour {{name}}, le panneau", "fr home: panneau"],
    ],
    [{ find: "name" }, []],
    [{ find: "bonjour ", replace: "" }, ["fr hello: {{name}}, le Tableau"]],
    [{ tags: ["top"] }, []],
    [{ find: "absent" }, []],
  ])("is what %j selects", async (body, expected) => {
    expect(await found(body)).toEqual(expected);
  });

  it("is at most a thousand texts", async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, `text ${i}`]));
    await post({ "c.json": many });
    await translate("fr", {
      "c.json": Object.fromEntries(Object.keys(many).map((key) => [key, `truc ${key}`])),
    });
    const all = await preview({ find: "truc" });
    expect([all.items.length, all.more]).toEqual([1_000, true]);
    expect((await replace({ find: "truc" })).json).toMatchObject({ replaced: 1_000, more: true });
    expect((await replace({ find: "truc" })).json).toEqual({ replaced: 1, changed: 0, refused: 0 });
  });
});

describe("what is replaced", () => {
  it("is one commit over files and locales, which can be undone", async () => {
    const before = await commits();
    const { json, headers } = await replace({ whole_word: true });
    expect(json).toEqual({ replaced: 6, changed: 0, refused: 0 });
    const [made, ...earlier] = await commits();
    expect([made.commit, earlier.length]).toEqual([headers.get("x-skep-commit"), before.length]);
    expect(made).toMatchObject({
      subject: "Replace text in translations: 6 replaced",
      operation: "replace",
      message: "“tableau” → “panneau”",
    });
    expect(await texts()).toMatchObject({
      hello: "Bonjour {{name}}, le panneau",
      board: "Votre panneau",
      item_one: "{{count}} panneau",
      item_other: "{{count}} tableaux",
      home: "panneau",
    });
    expect(await texts("de")).toMatchObject({ home: "Das panneau" });
    await undo(made.commit);
    expect(await texts()).toEqual({ ...french["a.json"], ...french["b.json"] });
  });

  it("is no commit where nothing is found", async () => {
    const before = await commits();
    expect((await replace({ find: "absent" })).json).toEqual({ replaced: 0, changed: 0, refused: 0 });
    expect(await commits()).toEqual(before);
  });

  it("is what the items name, as long as they are as expected", async () => {
    const { items } = await preview({ locale: "fr", whole_word: true });
    await translate("fr", { "a.json": { board: "Ton tableau" } });
    const { json } = await replace({ whole_word: true, items: items.slice(1, 4) });
    expect(json).toEqual({ replaced: 2, changed: 1, refused: 0 });
    expect(await texts()).toMatchObject({
      hello: "Bonjour {{name}}, le Tableau",
      board: "Ton tableau",
      item_one: "{{count}} panneau",
      home: "panneau",
    });
    // A changed source text, a string that is no more, and a text without what is looked for.
    await post({ "a.json": { hello: "Hi {{name}}" } });
    const gone = { ...items[0], key: "gone" };
    const others = await replace({ items: [items[0], gone, { ...items[3], file: "../x" }] });
    expect(others.json).toMatchObject({ replaced: 0, changed: 3 });
    expect((await replace({ find: "absent", items })).json).toMatchObject({ replaced: 0, changed: 4 });
  });

  it("leaves stale what is stale", async () => {
    await post({ "b.json": { home: "Start" } });
    const stale = async () => (await call("GET", `${base}/stale?locale=fr`)).json.data;
    const [before] = await stale();
    expect(before).toMatchObject({ key: "home", old_source_value: "Dashboard" });
    await replace({ locale: "fr" });
    expect(await stale()).toEqual([{ ...before, translation: "panneau" }]);
  });

  it("waits for a review where the writer's texts do", async () => {
    const model = await makeToken(storage, { name: "Model", review: "always" });
    await replace({ locale: "de" }, { token: model });
    const waiting = (await call("GET", `${base}/review`)).json.data;
    expect(waiting).toMatchObject([{ translation: "Das panneau", approved: "Das Tableau", author: "Model" }]);
    expect(
      (await preview({ locale: "de", find: "panneau", replace: "x", state: "waiting" })).items,
    ).toHaveLength(1);
  });

  it("is on the branch that is named, and is compared with the head that is expected", async () => {
    await call("POST", `${base}/branches`, { body: { name: "next" } });
    await replace({ locale: "fr" }, { query: "?branch=next" });
    expect(await texts()).toMatchObject({ board: "Votre tableau" });
    const exported = (await call("GET", `${base}/export?locale=fr&branch=next`)).json;
    expect(JSON.parse(exported.files["a.json"])).toMatchObject({ board: "Votre panneau" });
    const [{ commit }] = await commits();
    const stale = commit.replace(/^./, (digit: string) => (digit === "0" ? "1" : "0"));
    expect((await replace({}, { headers: { "if-match": `"${stale}"` } })).status).toBe(412);
    expect((await replace({}, { headers: { "if-match": `"${commit}"` } })).status).toBe(200);
  });

  it("is replaced once by a request that is repeated", async () => {
    const headers = { "idempotency-key": "once" };
    const body = { replace: "tableau tableau", case: true, locale: "fr" };
    const first = await replace(body, { headers });
    const again = await replace(body, { headers });
    expect(first.json).toMatchObject({ replaced: 3, changed: 0, refused: 0 });
    expect(again.json).toEqual({ replaced: 3, changed: 0, refused: 0 });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await texts()).toMatchObject({ board: "Votre tableau tableau" });
  });
});

describe("what stays", () => {
  it("is a text whose arguments or tags would be others, which is named", async () => {
    const json = await preview({ replace: "{{x}}", whole_word: true, locale: "fr" });
    expect(json).toMatchObject({ replaced: 0, refused: 4 });
    expect(json.items[0]).toMatchObject({
      before: "Bonjour {{name}}, le Tableau",
      after: "Bonjour {{name}}, le {{x}}",
      code: "arguments_changed",
      message: expect.any(String),
    });
    const { json: done } = await replace({ replace: "{{x}}", whole_word: true }, { query: "?checks=warn" });
    expect(done).toMatchObject({ replaced: 0, refused: 6 });
    expect(done.items).toHaveLength(6);
  });

  it("is a text that would have an error that it has not yet, unless the caller lets it pass", async () => {
    const sources = { free: "%s has 5 percent", plain: "5 percent" };
    await post({ "c.strings": sources });
    await translate("fr", { "c.strings": { free: "%s a 5 pourcent", plain: "5 pourcent" } });
    const body = { find: "pourcent", replace: "%" };
    const finding = { check: "syntax", severity: "error", locale: "fr", key: "free", expected: "%%" };
    const message = expect.stringContaining("%%");
    const named = { key: "free", code: "check_failed", message, findings: [finding] };
    expect((await preview(body)).items).toMatchObject([named, { key: "plain", after: "5 %" }]);
    expect((await replace(body)).json).toMatchObject({ replaced: 1, refused: 1, items: [named] });
    const strict = await makeToken(storage, { checks: "strict" });
    const { status, json } = await replace(body, { query: "?checks=warn", token: strict });
    expect([status, json.code]).toEqual([403, "limited_token"]);
    const passed = (await replace(body, { query: "?checks=warn" })).json;
    expect(passed).toMatchObject({ replaced: 1, refused: 0, findings: [finding] });
  });

  it("is a text that would be empty", async () => {
    const { json } = await replace({ replace: "", locale: "fr", files: ["b.json"] });
    expect(json).toMatchObject({ replaced: 0, refused: 1, items: [{ key: "home", code: "empty_text" }] });
  });

  it("is no text that has the error already, unless the Hive refuses errors", async () => {
    // Without its argument, and with another one.
    await translate("fr", { "a.json": { hello: "Bonjour {{nom}}, le tableau" } });
    const body = { locale: "fr", q: "hello" };
    const [hello] = (await preview(body)).items;
    expect(hello.findings).toMatchObject([{ check: "argument-extra", severity: "error" }]);
    expect(hello).not.toHaveProperty("code");
    const admin = await makeToken(storage, { abilities: ["admin", "read", "write"] });
    await call("PATCH", base, { body: { checks: { level: "refuse" } }, token: admin });
    expect((await preview(body)).items).toMatchObject([{ code: "check_failed" }]);
    expect((await replace({ locale: "fr" })).json).toMatchObject({ replaced: 4, refused: 1 });
    expect((await replace(body, { query: "?checks=warn" })).json).toMatchObject({ replaced: 1 });
    expect(await texts()).toMatchObject({ hello: "Bonjour {{nom}}, le panneau" });
  });

  it("is a text that cannot be read, which is named", async () => {
    await translate("fr", { "a.json": { hello: "Bonjour {{name, le tableau" } });
    const [hello] = (await preview({ locale: "fr" })).items;
    expect(hello).toMatchObject({ code: "unreadable", before: hello.after });
  });
});

describe("who may replace", () => {
  it.each<[object, number, string]>([
    [{ abilities: ["read"] }, 403, "missing_ability"],
    [{ abilities: ["write"] }, 403, "missing_ability"],
    [{ hives: ["shop"] }, 403, "no_hive_access"],
  ])("is not a token with %j", async (options, status, code) => {
    await makeHive(storage, "shop");
    const token = await makeToken(storage, options);
    for (const query of ["", "?dry_run=true"]) {
      const refused = await replace({}, { token, query });
      expect([refused.status, refused.json.code]).toEqual([status, code]);
    }
  });

  it("is limited to their own locales", async () => {
    const token = await makeToken(storage, { locales: ["de", "pt-BR"] });
    expect(await found({}, { token })).toEqual(["de home: Das panneau", "pt_BR home: O panneau"]);
    const { items } = await preview({ locale: "fr" });
    for (const body of [{ locale: "fr" }, { items: items.slice(0, 1) }]) {
      const refused = await replace(body, { token });
      expect([refused.status, refused.json.code]).toEqual([403, "limited_token"]);
    }
    expect((await replace({}, { token })).json).toMatchObject({ replaced: 2 });
  });

  it.each<[string, object]>([
    ["find", { find: "" }],
    ["find", { find: "x".repeat(201) }],
    ["find", { find: "\0" }],
    ["find", { find: 1 }],
    ["replace", { replace: "x".repeat(201) }],
    ["replace", { replace: "\ud800" }],
    ["whole_word", { whole_word: "yes" }],
    ["case", { case: 1 }],
    ["locale", { locale: "xx" }],
    ["locale", { locale: "en" }],
    ["files", { files: "a.json" }],
    ["tags.0", { tags: ["a,b"] }],
    ["state", { state: "new" }],
    ["q", { q: "x".repeat(1_001) }],
    ["items", { items: {} }],
    ["items.0.expected", { items: [{ locale: "fr", file: "a.json", key: "board" }] }],
    [
      "items.1.key",
      {
        items: Array.from({ length: 2 }, () => ({
          locale: "fr",
          file: "a",
          key: "b",
          expected: { source: {}, translation: {} },
        })),
      },
    ],
    [
      "items",
      {
        items: Array.from({ length: 1_001 }, () => ({
          locale: "fr",
          file: "a",
          key: "b",
          expected: { source: {}, translation: {} },
        })),
      },
    ],
  ])("names what is wrong: %s in %j", async (field, body) => {
    const { status, json } = await replace(body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });
});
