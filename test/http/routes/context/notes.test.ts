/** Notes over HTTP: what the app says, what the team says, and how both follow their strings. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../../src/disk/disk.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { commitOutside } from "../../../helpers/outside.ts";
import { commitOf, hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
let disk: Disk;
let storage: Storage;
let call: Call;
const web = hiveAt(() => call);
const { undo, head, fill, history } = web;

const prepared = prepareWeb({ locales: ["fr", "ru"] }, async (web) => {
  ({ call } = web);
  await put({ open: "Open", close: "Close" });
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

const on = (path: string, branch?: string) =>
  `${hive}${path}${branch === undefined ? "" : `${path.includes("?") ? "&" : "?"}branch=${branch}`}`;
const put = (texts: object, notes?: object, query = "", more: object = {}) =>
  web.put({ "a.json": texts }, { query, body: { notes, ...more } });
const texts = { open: "Open", close: "Close" };
const say = (keys: object, branch?: string, more: object = {}) =>
  call("PATCH", on("/notes", branch), { body: { files: { "a.json": keys }, ...more } });
const notesOf = async (query = "", branch?: string) =>
  (await call("GET", on(`/notes${query}`, branch))).json.data;
const note = (key: string, app: object | null, team: object | null = null, file = "a.json") => ({
  file,
  key,
  app,
  team,
});

/** More tags than anybody has. */
const manyTags = Array.from({ length: 100_000 }, (_, i) => `t${i}`);

describe("what the app says", () => {
  it("comes with its files, and goes with what they say no more", async () => {
    await put(texts, {
      "a.json": { open: { note: "A verb" }, close: { max_length: 9 }, gone: { note: "x" } },
    });
    expect(await notesOf()).toEqual([note("open", { note: "A verb" }), note("close", { max_length: 9 })]);
    await put(texts, { "a.json": { open: { note: "A verb" } } });
    expect(await notesOf()).toEqual([note("open", { note: "A verb" })]);
  });

  it("stays where a file is not named, as by clients that know nothing of notes", async () => {
    await put(texts, { "a.json": { open: { note: "A verb" } } });
    await put({ ...texts, open: "Open it" });
    await call("PUT", `${hive}/strings`, {
      body: { files: { "b.json": { x: "X" } }, notes: { "b.json": {} } },
    });
    expect(await notesOf()).toEqual([note("open", { note: "A verb" })]);
  });

  it("is a commit of its own where nothing else changed, and none where nothing changed", async () => {
    const notes = { "a.json": { open: { note: "A verb" } } };
    const before = await head();
    const { json } = await put(texts, notes);
    expect(json).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    const after = await head();
    expect(after).not.toBe(before);
    const [{ subject }] = (await history()).json.data;
    expect(subject).toBe("Sync source strings: notes changed");
    await put(texts, notes);
    expect(await head()).toBe(after);
  });

  it("makes no commit by a place in the code alone, which the next commit has", async () => {
    await put(texts, { "a.json": { open: { note: "A verb", where: ["a.ts:1"] } } });
    const before = await head();
    const moved = { "a.json": { open: { note: "A verb", where: ["a.ts:2"] } } };
    await put(texts, moved);
    expect(await head()).toBe(before);
    await put({ ...texts, more: "More" }, moved);
    expect(await notesOf()).toEqual([note("open", { note: "A verb", where: ["a.ts:2"] })]);
  });

  it("is changed only where the app's files changed it since their base", async () => {
    await put(texts, { "a.json": { open: { note: "1" }, close: { note: "1" } } });
    const base = await head();
    await put(texts, { "a.json": { open: { note: "2" }, close: { note: "1" } } });
    const sent = { "a.json": { open: { note: "1" }, close: { note: "3" } } };
    await put(texts, sent, `base=${base}`);
    expect(await notesOf()).toEqual([note("open", { note: "2" }), note("close", { note: "3" })]);
    const files = { base_files: { "a.json": texts }, base_notes: { "a.json": { close: { note: "3" } } } };
    await put(texts, { "a.json": {} }, "", files);
    expect(await notesOf()).toEqual([note("open", { note: "2" })]);
  });

  it("stays at strings that are neither in the files nor in a base without notes", async () => {
    const all = { ...texts, more: "More" };
    await put(all, { "a.json": { open: { note: "1" }, more: { note: "of others" } } });
    await put(texts, { "a.json": {} }, "", { base_files: { "a.json": texts } });
    expect(await notesOf()).toEqual([note("more", { note: "of others" })]);
    const said = { "a.json": { close: { note: "2" } } };
    expect(
      (await call("PUT", `${hive}/strings`, { body: { files: {}, base_files: {}, notes: said } })).status,
    ).toBe(200);
    expect(await notesOf()).toEqual([note("close", { note: "2" }), note("more", { note: "of others" })]);
  });

  it("goes to where its string was moved since the base, and leaves the notes of other files there", async () => {
    const both = { "a.json": texts, "b.json": { more: "More" } };
    const notes = { "a.json": { open: { note: "1" } }, "b.json": { more: { note: "b" } } };
    const send = (files: unknown, said: unknown, query = "") =>
      call("PUT", `${hive}/strings?detect_moves=true${query}`, { body: { files, notes: said } });
    expect((await send(both, notes)).status).toBe(200);
    const base = await head();
    const moves = [{ from: { file: "a.json", key: "open" }, to: { file: "b.json", key: "start" } }];
    expect((await call("POST", `${hive}/keys/move`, { body: { moves } })).status).toBe(200);
    const sent = await send({ "a.json": texts }, { "a.json": { open: { note: "2" } } }, `&base=${base}`);
    expect(sent.status).toBe(200);
    expect(await notesOf()).toEqual([
      expect.objectContaining({ file: "b.json", key: "more", app: { note: "b" } }),
      expect.objectContaining({ file: "b.json", key: "start", app: { note: "2" } }),
    ]);
  });

  it("makes nothing stale", async () => {
    await fill("fr", { "a.json": { open: "Ouvrir" } });
    await put(texts, { "a.json": { open: { note: "A verb" } } });
    expect((await call("GET", `${hive}/stale`)).json.data).toEqual([]);
  });

  it.each([
    ["a member that an app cannot set", { open: { ask: "?" } }, "notes.a.json.open.ask"],
    ["a long text", { open: { note: "x".repeat(2001) } }, "notes.a.json.open.note"],
    ["a tag with a comma", { open: { tags: ["a,b"] } }, "notes.a.json.open.tags.0"],
    ["100,000 tags", { open: { tags: manyTags } }, "notes.a.json.open.tags"],
    ["no object", { open: "A verb" }, "notes.a.json.open"],
    ["a length of nothing", { open: { max_length: 0 } }, "notes.a.json.open.max_length"],
    ["a place that turns its direction", { open: { where: ["a\u202e.ts"] } }, "notes.a.json.open.where.0"],
    ["what is not to be kept", { open: { keep: false } }, "notes.a.json.open.keep"],
  ])("is refused with %s", async (_, keys, field) => {
    const before = await head();
    const { status, json } = await put({ ...texts, more: "More" }, { "a.json": keys });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect(await head()).toBe(before);
  });
});

it.each([
  ["PUT", `${hive}/strings`, { files: { "a.json": texts }, notes: [] }],
  ["PUT", `${hive}/strings`, { files: { "a.json": texts }, notes: { "a.json": [] } }],
  ["PATCH", `${hive}/notes`, { files: [], expected: [] }],
  ["PATCH", `${hive}/notes`, { files: { "a.json": [] }, expected: { "a.json": [] } }],
])("an empty list counts as an empty object, as PHP sends it: %s %s %j", async (method, path, body) => {
  // The call holds the request to the document.
  expect((await call(method, path, { body })).status).toBe(200);
});

describe("what the team says", () => {
  it("is changed member by member, and stays when the app pushes", async () => {
    expect((await say({ open: { note: "A verb", tags: ["menu"] }, nope: { note: "?" } })).json).toEqual({
      created: 1,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      unknown: 1,
    });
    await put(texts, { "a.json": { open: { note: "From the app" } } });
    expect(
      (await say({ open: { tags: null, max_length: 8, max_length_unit: "columns" } })).json.updated,
    ).toBe(1);
    const team = { note: "A verb", max_length: 8, max_length_unit: "columns" };
    expect(await notesOf()).toEqual([note("open", { note: "From the app" }, team)]);
    expect((await say({ open: { note: "A verb" } })).json.unchanged).toBe(1);
    const gone = { note: null, max_length: null, max_length_unit: null };
    expect((await say({ open: gone })).json.deleted).toBe(1);
    expect(await notesOf()).toEqual([note("open", { note: "From the app" }, null)]);
  });

  it("is a 409 where a member is not as expected, and others may be anything", async () => {
    await say({ open: { note: "A verb", max_length: 8 } });
    const expected = { "a.json": { open: { note: "A noun" } } };
    const refused = await say({ open: { note: "x" } }, undefined, { expected });
    expect(refused).toMatchObject({ status: 409, json: { code: "expected_conflict", total: 1 } });
    const met = { "a.json": { open: { note: "A verb", tags: null } } };
    expect((await say({ open: { note: "x" } }, undefined, { expected: met })).status).toBe(200);
  });

  it("is only planned by a dry run, and bound to If-Match", async () => {
    const before = await head();
    const body = { files: { "a.json": { open: { note: "A verb" } } } };
    const dry = await call("PATCH", `${hive}/notes?dry_run=1`, { body });
    expect(dry.json).toMatchObject({ created: 1, commit: before });
    expect(await notesOf()).toEqual([]);
    const headers = { "if-match": `"${"0".repeat(40)}"` };
    expect((await call("PATCH", `${hive}/notes`, { body, headers })).status).toBe(412);
  });

  it("is but for questions and answers not for tokens that are limited to locales", async () => {
    const token = await makeToken(storage, { locales: ["fr"] });
    const change = async (open: object): Promise<unknown> => {
      const body = { files: { "a.json": { open } } };
      const { status, json } = await call("PATCH", `${hive}/notes`, { body, token });
      return status === 200 ? status : [status, json.code];
    };
    const refused = [403, "limited_token"];
    expect(await change({ note: "A verb" })).toEqual(refused);
    expect(await change({ ask: "A verb?", tags: ["x"] })).toEqual(refused);
    expect(await change({ ask: "A verb?" })).toBe(200);
    expect(await change({ ask: null })).toEqual(refused);
    expect(await change({ ask: null, note: "It is" })).toBe(200);
    expect(await change({ note: null })).toEqual(refused);
  });

  it.each([
    ["app", { app: { note: "x" } }],
    ["pictures", { pictures: [] }],
    ["note", { note: "" }],
    ["tags", { tags: manyTags }],
  ])("has no %s to be set so", async (member, change) => {
    const { status, json } = await say({ open: change });
    expect([status, Object.keys(json.errors)]).toEqual([422, [`files.a.json.open.${member}`]]);
  });

  it("keeps markup and names of objects as they are", async () => {
    const hostile = "<script>alert(1)</script>\n=cmd()";
    await put(JSON.parse('{"__proto__": "P", "constructor": "C"}'));
    await say(
      JSON.parse(`{"__proto__": {"note": ${JSON.stringify(hostile)}}, "constructor": {"keep": true}}`),
    );
    expect(await notesOf()).toEqual([
      note("__proto__", null, { note: hostile }),
      note("constructor", null, { keep: true }),
    ]);
  });
});

describe("a list of notes", () => {
  it.each(["notes", "strings", "untranslated?locale=fr", "export?locale=fr"])(
    "of 100,000 tags is refused: %s",
    async (path) => {
      const { status, json } = await call(
        "GET",
        `${hive}/${path}${path.includes("?") ? "&" : "?"}tag=${manyTags.join(",")}`,
      );
      expect([status, Object.keys(json.errors)]).toEqual([422, ["tag"]]);
    },
  );

  it("is of a file, a key, a tag of either side, or an earlier state", async () => {
    await put(texts, { "a.json": { open: { tags: ["menu"] } } });
    const before = await head();
    await say({ close: { tags: ["dialog", "menu"] }, open: { note: "x" } });
    const keys = async (query: string) => (await notesOf(query)).map(({ key }: { key: string }) => key);
    expect(await keys("?tag=menu")).toEqual(["open", "close"]);
    expect(await keys("?tag=dialog,other")).toEqual(["close"]);
    expect(await keys("?key=open&file=a.json")).toEqual(["open"]);
    expect(await keys("?file=b.json")).toEqual([]);
    expect(await notesOf(`?at=${before}`)).toEqual([note("open", { tags: ["menu"] })]);
    expect((await call("GET", `${hive}/notes?tag=,`)).status).toBe(422);
  });
});

describe("lists of strings", () => {
  const untranslated = async (query = "") =>
    (await call("GET", `${hive}/untranslated?locale=fr${query}`)).json.data;
  const keysOf = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);

  it("have the notes of each, if they are asked for", async () => {
    await put(texts, { "a.json": { open: { note: "A verb" } } });
    const notes = { app: { note: "A verb" }, team: null };
    const { data } = (await call("GET", `${hive}/strings?include=notes`)).json;
    expect(data).toMatchObject([
      { key: "open", notes },
      { key: "close", notes: null },
    ]);
    expect(await untranslated("&include=notes")).toMatchObject([{ notes }, { notes: null }]);
    expect((await call("GET", `${hive}/strings`)).json.data[0]).not.toHaveProperty("notes");
    await say({ close: { ask: "?" } });
    expect((await untranslated("&include=notes"))[1].notes).toEqual({ app: null, team: { ask: "?" } });
  });

  it("are of strings with one of some tags", async () => {
    await say({ open: { tags: ["menu"] } });
    const list = async (tag: string) => (await call("GET", `${hive}/strings?tag=${tag}`)).json;
    expect(await list("menu,x")).toMatchObject({ data: [{ key: "open" }], meta: { total: 1 } });
    expect(await list("x")).toMatchObject({ data: [], meta: { total: 0 } });
    expect(keysOf(await untranslated("&tag=menu"))).toEqual(["open"]);
    await say({ open: { tags: null }, close: { tags: ["menu"] } });
    expect((await list("menu")).data).toMatchObject([{ key: "close" }]);
  });

  it("leave out what is to be kept as it is, which does not count either", async () => {
    await put({ open: "Open", n_one: "One", n_other: "Others" });
    const stats = async () => (await call("GET", hive)).json.locales.fr;
    expect(await stats()).toMatchObject({ empty: 3, total: 3 });
    await put({ open: "Open", n_one: "One", n_other: "Others" }, { "a.json": { open: { keep: true } } });
    expect(await stats()).toMatchObject({ empty: 2, total: 2 });
    expect(keysOf(await untranslated())).toEqual(["n_one", "n_other"]);
    await say({ n_one: { keep: true }, n_other: { keep: true } });
    await fill("fr", { "a.json": { n_one: "Un", open: "O" } });
    expect(await stats()).toMatchObject({ translated: 0, empty: 0, total: 0, translated_percent: 100 });
    await say({ n_one: { keep: null }, n_other: { keep: null } });
    expect(await stats()).toMatchObject({ translated: 1, empty: 1, total: 2 });
  });

  it("have no form of what is to be kept, of those that the source lacks either", async () => {
    await put(
      { n_one: "One", n_other: "Others" },
      { "a.json": { n_one: { keep: true }, n_other: { keep: true } } },
    );
    const { json } = await call("GET", `${hive}/untranslated?locale=ru`);
    expect(json.data).toEqual([]);
  });
});

describe("a limit of length", () => {
  const translate = (keys: object, query = "") => web.translate("fr", { "a.json": keys }, { query });
  const findings = async () => (await call("GET", `${hive}/checks?locale=fr`)).json;

  it("is told where a translation is longer, as a reader counts, and refuses nothing", async () => {
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    await put(texts, {
      "a.json": { open: { max_length: 3 }, close: { max_length: 4, max_length_unit: "columns" } },
    });
    const { status, json } = await translate({ open: "👩‍👩‍👧é!!", close: "閉じる" });
    expect(status).toBe(200);
    const found = [
      {
        key: "open",
        check: "length",
        severity: "warning",
        message: "has 4 characters, and may have at most 3 characters",
      },
      { key: "close", check: "length", message: "has 6 columns, and may have at most 4 columns" },
    ];
    expect(json).toMatchObject({ findings: found, findings_total: 2 });
    expect(await findings()).toMatchObject({ data: found, counts: { fr: { error: 0, warning: 2 } } });
    await translate({ open: "👩‍👩‍👧é!", close: "閉る" });
    expect((await findings()).data).toEqual([]);
  });

  it("is that of the team where it has one, counts at once, and can be accepted", async () => {
    await put(texts, { "a.json": { open: { max_length: 3 } } });
    await translate({ open: "Ouvrir" });
    expect((await findings()).meta.total).toBe(1);
    await say({ open: { max_length: 6 } });
    expect((await findings()).meta.total).toBe(0);
    await say({ open: { max_length: 5 } });
    const finding = { locale: "fr", file: "a.json", key: "open", check: "length" };
    const accepted = await call("POST", `${hive}/checks/accept`, { body: finding });
    expect(accepted.json).toEqual({ accepted: 1, unknown: 0 });
    expect((await findings()).meta.total).toBe(0);
  });

  it("of other counts for the forms that the source lacks", async () => {
    await put({ n_one: "One", n_other: "Others" }, { "a.json": { n_other: { max_length: 2 } } });
    const { json } = await fill("ru", { "a.json": { n_few: "Many", n_one: "On" } });
    expect(json.findings).toMatchObject([{ key: "n_few", check: "length" }]);
  });
});

describe("an export of some tags", () => {
  it("has the strings that have one, of the source and of translations, with all plural forms", async () => {
    await put({ nav: { open: "Open", close: "Close" }, n_one: "One", n_other: "Others" });
    const menu = { tags: ["menu"] };
    await say({ "nav.open": menu, n_one: menu, n_other: menu });
    await fill("ru", { "a.json": { nav: { open: "O", close: "C" }, n_other: "M", n_few: "F" } });
    const exported = async (query: string) => {
      const { files } = (await call("GET", `${hive}/export?${query}`)).json;
      return Object.fromEntries(
        Object.entries<string>(files).map(([name, text]) => [name, JSON.parse(text)]),
      );
    };
    expect(await exported("locale=en&tag=menu&shape=nested")).toEqual({
      "a.json": { nav: { open: "Open" }, n_one: "One", n_other: "Others" },
    });
    expect(await exported("locale=ru&tag=menu")).toEqual({
      "a.json": { "nav.open": "O", n_other: "M", n_few: "F" },
    });
    expect((await exported("tag=x"))["ru.json"]).toEqual({});
    await say({ "nav.close": { tags: ["menu"] } });
    expect((await exported("locale=ru&tag=menu"))["a.json"]).toMatchObject({ "nav.close": "C" });
  });
});

describe("notes", () => {
  it("move with the key and the file, and go with the string", async () => {
    await put(texts, { "a.json": { open: { note: "A verb" } } });
    await say({ open: { ask: "Which?" }, close: { note: "x" } });
    const moves = [{ from: { file: "a.json", key: "open" }, to: { file: "b.json", key: "menu.open" } }];
    expect((await call("POST", `${hive}/keys/move`, { body: { moves } })).status).toBe(200);
    const moved = note("menu.open", { note: "A verb" }, { ask: "Which?" }, "b.json");
    expect(await notesOf()).toEqual([note("close", null, { note: "x" }), moved]);
    const gone = await put({ other: "Other" });
    expect(await notesOf()).toEqual([moved]);
    await undo(commitOf(gone));
    expect(await notesOf()).toEqual([note("close", null, { note: "x" }), moved]);
  });

  it("of a detected move are those that the app sends under the new key", async () => {
    await put(texts, { "a.json": { open: { note: "A verb" } } });
    await say({ open: { note: "Ours" } });
    await put(
      { start: "Open", close: "Close" },
      { "a.json": { start: { note: "Still" } } },
      "detect_moves=1",
    );
    expect(await notesOf()).toEqual([note("start", { note: "Still" }, { note: "Ours" })]);
  });

  it("are undone, also by themselves, and not where they have changed since", async () => {
    const first = commitOf(await say({ open: { note: "1", tags: ["a"] } }));
    const second = commitOf(await say({ open: { note: "2" } }));
    expect(await undo(first)).toMatchObject({ status: 409, json: { code: "undo_conflict" } });
    expect((await undo(second)).status).toBe(200);
    expect(await notesOf()).toEqual([note("open", null, { note: "1", tags: ["a"] })]);
    await say({ open: { note: "3" } });
    expect((await undo(first, { body: { on_conflict: "skip" } })).json).toMatchObject({ skipped: 1 });
    expect(await notesOf()).toEqual([note("open", null, { note: "3" })]);
  });

  it("are merged by key and member; the same member is a conflict, and the app's never is", async () => {
    await put(texts, { "a.json": { open: { note: "0" } } });
    await say({ open: { note: "0", tags: ["a"] }, close: { note: "0" } });
    await call("POST", `${hive}/branches`, { body: { name: "b" } });
    await say({ open: { note: "branch" }, close: { max_length: 5 } }, "b");
    await call("PUT", on("/strings", "b"), {
      body: { files: { "a.json": texts }, notes: { "a.json": { open: { note: "branch" } } } },
    });
    await say({ open: { tags: ["b"] }, close: { note: "main" } });
    await put(texts, { "a.json": { open: { note: "main" } } });
    const merge = (body = {}) => call("POST", `${hive}/branches/b/merge`, { body });
    expect((await merge()).status).toBe(200);
    expect(await notesOf()).toEqual([
      note("open", { note: "branch" }, { note: "branch", tags: ["b"] }),
      note("close", null, { note: "main", max_length: 5 }),
    ]);
    await say({ close: { tags: ["y"] } });
    await say({ close: { tags: ["x"] } }, "b");
    const conflict = {
      file: "a.json",
      key: "close",
      reason: "note",
      member: "tags",
      main: '["y"]',
      branch: '["x"]',
    };
    expect(await merge()).toMatchObject({
      status: 409,
      json: { code: "merge_conflict", total: 1, conflicts: [conflict] },
    });
    expect((await merge({ on_conflict: "branch" })).json).toMatchObject({ settled: 1 });
    expect((await notesOf())[1].team).toEqual({ note: "main", max_length: 5, tags: ["x"] });
  });

  it.each([
    ["main", "of main"],
    ["branch", "of b"],
  ])("of a string that both sides changed are those of %s where its text is", async (winner, text) => {
    await call("POST", `${hive}/branches`, { body: { name: "b" } });
    const send = (said: string, branch?: string) => {
      const body = { files: { "a.json": { open: said } }, notes: { "a.json": { open: { note: said } } } };
      return call("POST", on("/strings", branch), { body });
    };
    await send("of b", "b");
    await send("of main");
    const merged = await call("POST", `${hive}/branches/b/merge`, { body: { on_conflict: winner } });
    expect(merged.status).toBe(200);
    expect(await notesOf()).toEqual([note("open", { note: text })]);
  });

  it("of a string that the other side moved are merged where it is", async () => {
    await say({ open: { note: "0" } });
    await call("POST", `${hive}/branches`, { body: { name: "b" } });
    const moves = [{ from: { file: "a.json", key: "open" }, to: { file: "a.json", key: "start" } }];
    await call("POST", on("/keys/move", "b"), { body: { moves } });
    await say({ open: { tags: ["main"] } });
    await say({ start: { note: "branch" } }, "b");
    expect((await call("POST", `${hive}/branches/b/merge`, { body: {} })).status).toBe(200);
    expect(await notesOf()).toEqual([note("start", null, { note: "branch", tags: ["main"] })]);
  });

  it("of a string that one side deleted go with it, without a conflict", async () => {
    await say({ open: { note: "0" } });
    await call("POST", `${hive}/branches`, { body: { name: "b" } });
    await call("PUT", on("/strings", "b"), { body: { files: { "a.json": { close: "Close" } } } });
    await say({ open: { note: "1" } });
    expect((await call("POST", `${hive}/branches/b/merge`, { body: {} })).status).toBe(200);
    expect(await notesOf()).toEqual([]);
  });

  it("that cannot be read are a 503 there alone, and stay as they are", async () => {
    await say({ open: { note: "1" } });
    const files = { "notes/a.json.json": '{"open": {"team": {"colour": 1}}}\n' };
    await commitOutside({ storage, disk, slug: "web" }, { files });
    expect(await call("GET", `${hive}/notes`)).toMatchObject({
      status: 503,
      json: { code: "content_invalid" },
    });
    expect((await say({ close: { note: "x" } })).status).toBe(503);
    expect((await call("GET", `${hive}/strings`)).status).toBe(200);
    expect((await put({ close: "Close it" }, { "a.json": { close: { note: "x" } } })).status).toBe(200);
    expect((await call("GET", `${hive}/notes`)).status).toBe(503);
  });
});
