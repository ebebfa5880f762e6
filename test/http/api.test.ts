/** The interface over HTTP, row by row. */
import { beforeEach, describe, expect, it } from "vitest";
import { strings as declared } from "../../src/api/content/strings.ts";
import { translations } from "../../src/api/content/translations.ts";
import { hiveAt } from "../helpers/http/hive-api.ts";
import { type Call, setUpWeb } from "../helpers/storage.ts";

const { listStrings, importStrings, syncStrings } = declared.operations;
const { exportTranslations, importTranslations } = translations.operations;

let call: Call;
const { post, put, fill } = hiveAt(() => call);

beforeEach(async () => {
  ({ call } = await setUpWeb());
});

const strings = "/api/hives/web/strings";
const exported = "/api/hives/web/export";
const listed = async (query = "") => (await call("GET", strings + query)).json;

describe("the list of source strings", () => {
  it("gives files in byte order and keys in file order, with their four fields", async () => {
    await post({
      "b.php": { z: "Z", a: "{count} x|{count} xs" },
      "B.json": { k: "K" },
      "a/b.php": { n: { m: "M" } },
    });
    const reply = await call("GET", strings);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(listStrings.response.strict().parse(reply.json)).toEqual({
      data: [
        { key: "k", source_value: "K", is_plural: false, file: "B.json" },
        { key: "n.m", source_value: "M", is_plural: false, file: "a/b.php" },
        { key: "z", source_value: "Z", is_plural: false, file: "b.php" },
        { key: "a", source_value: "{count} x|{count} xs", is_plural: true, file: "b.php" },
      ],
      meta: { current_page: 1, last_page: 1, per_page: 100, total: 4 },
    });
  });

  it("pages over all files, with 100 a page by default and 500 at most", async () => {
    const many = (n: number, name: string) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`${name}${i}`, "x"]));
    await post({ "a.php": many(350, "a"), "b.php": many(250, "b") });
    expect((await listed()).meta).toEqual({ current_page: 1, last_page: 6, per_page: 100, total: 600 });
    expect((await listed("?per_page=9999")).meta).toEqual({
      current_page: 1,
      last_page: 2,
      per_page: 500,
      total: 600,
    });
    const third = await listed("?page=3&per_page=130");
    expect(third.data.map(({ key }: { key: string }) => key)).toEqual([
      ...Array.from({ length: 90 }, (_, i) => `a${i + 260}`),
      ...Array.from({ length: 40 }, (_, i) => `b${i}`),
    ]);
    expect(await listed("?page=7")).toEqual({
      data: [],
      meta: { current_page: 7, last_page: 6, per_page: 100, total: 600 },
    });
    const far = await listed(`?page=${"9".repeat(400)}`);
    expect([far.data, far.meta.current_page]).toEqual([[], Number.MAX_SAFE_INTEGER]);
  });

  it("can be asked for one file", async () => {
    await post({ "a.php": { a: "x" }, "b.php": { b: "y", c: "z" } });
    expect((await listed("?file=b.php")).meta).toMatchObject({ total: 2, last_page: 1 });
    expect(await listed("?file=nope.php")).toMatchObject({ data: [], meta: { total: 0, last_page: 1 } });
    expect(await listed("?file=../a")).toMatchObject({ data: [] });
    expect(await listed("?file=__proto__")).toMatchObject({ data: [] });
  });

  it("of an empty Hive is one empty page", async () => {
    expect(await listed()).toEqual({
      data: [],
      meta: { current_page: 1, last_page: 1, per_page: 100, total: 0 },
    });
  });

  it.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=x",
    "page=",
    "per_page=0",
    "per_page=1e2",
    "per_page=%20",
    "page=1&page=2",
  ])("refuses %s", async (query) => {
    const reply = await call("GET", `${strings}?${query}`);
    const field = query.split("=")[0] ?? "";
    expect(reply.status).toBe(422);
    expect(reply.json.message).toContain(`${field}: must be`);
    expect(reply.json.errors).toEqual({ [field]: [reply.json.message] });
  });
});

describe("imports and syncs", () => {
  it("count what they did", async () => {
    const first = await post({ "a.php": { a: "x", n: { b: "y" } } });
    expect(first.status).toBe(200);
    expect(importStrings.response.strict().parse(first.json)).toEqual({
      created: 2,
      updated: 0,
      unchanged: 0,
      translations_cleared: 0,
    });
    const again = await post({ "a.php": { a: "new", n: { b: "y" }, c: "z" } });
    expect(again.json).toEqual({ created: 1, updated: 1, unchanged: 1, translations_cleared: 0 });
    const sync = await put({ "a.php": { n: { b: "y" } } });
    expect(syncStrings.response.strict().parse(sync.json)).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      translations_cleared: 0,
      deleted: 2,
    });
  });

  it("leave strings of files that are not named", async () => {
    await post({ "a.php": { a: "x" }, "b.php": { b: "y" } });
    await put({ "a.php": { c: "z" } });
    expect((await listed()).data.map(({ key }: { key: string }) => key)).toEqual(["c", "b"]);
    expect((await put({})).json).toMatchObject({ deleted: 0 });
    expect((await put([])).json).toMatchObject({ deleted: 0 });
  });

  it("keep or clear translations of changed texts", async () => {
    await post({ "a.php": { a: "x", b: "y" } });
    await fill("fr", { "a.php": { a: "X", b: "Y" } });
    await fill("de", { "a.php": { a: "XX" } });
    expect(
      (await post({ "a.php": { a: "x2" } }, { body: { conflict_strategy: "keep" } })).json
        .translations_cleared,
    ).toBe(0);
    expect(
      (await post({ "a.php": { a: "x3" } }, { body: { conflict_strategy: "clear" } })).json
        .translations_cleared,
    ).toBe(2);
    expect((await call("GET", `${exported}?locale=fr`)).json.files).toEqual({
      "a.json": '{\n  "b": "Y"\n}\n',
    });
    expect(
      (await put({ "a.php": { a: "x4", b: "y4" } }, { body: { conflict_strategy: null } })).json,
    ).toMatchObject({
      translations_cleared: 0,
    });
  });

  it("take [] for an empty object everywhere", async () => {
    expect((await post([])).json).toMatchObject({ created: 0 });
    expect((await post({ "v.php": { a: "x", attributes: [] }, "w.php": [] })).json).toMatchObject({
      created: 1,
    });
    expect((await call("GET", `${exported}?locale=en&format=php`)).json.files["v.php"]).toContain(
      "'attributes' => []",
    );
  });

  it("accept unknown members of the body", async () => {
    expect((await post({ "a.php": { a: "x" } }, { body: { whatever: 1 } })).status).toBe(200);
  });

  it("accept a byte order mark", async () => {
    const body = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from('{"files":{"a.php":{"a":"x"}}}'),
    ]);
    expect((await call("POST", strings, { body })).json).toMatchObject({ created: 1 });
  });

  it("let the last of two members with one name win", async () => {
    await call("POST", strings, { body: '{"files":{"a.php":{"a":"1","b":"2","a":"3"}}}' });
    expect((await listed()).data.map((one: { source_value: string }) => one.source_value)).toEqual([
      "3",
      "2",
    ]);
  });

  it.each<[unknown, string, string]>([
    [undefined, "files", "files: is required"],
    ["x", "files", "files: must be an object of file names"],
    [null, "files", "files: must be an object of file names"],
    [["x"], "files", "files: must be an object of file names"],
    [{ "a.php": "x" }, "files.a.php", "files.a.php: must be an object of keys"],
    [{ "auth.php": { login: 1 } }, "files.auth.php.login", "files.auth.php.login: must be text, not number"],
    [{ "a.php": { n: [{ x: null }] } }, "files.a.php.n.0.x", "files.a.php.n.0.x: must be text, not null"],
    [
      { "../a": { a: "x" } },
      "files.../a",
      "files.../a: the file name must have no part that starts with a dot",
    ],
    [{ "a.php": { "a.b": "x", a: { b: "y" } } }, "files.a.php.a.b", "is spelled in two ways"],
    [{ "a.php": { a: "x" }, "A.php": { a: "x" } }, "files.A.php", "only by case"],
  ])("refuse files %j", async (files, field, message) => {
    const reply = await post(files);
    expect(reply.status).toBe(422);
    expect(reply.json.message).toContain(message);
    const told = reply.json.message.replace("; ?leaves=skip leaves out what is not text", "");
    expect(reply.json.errors[field]).toEqual([told]);
    expect((await listed()).meta.total).toBe(0);
  });

  it("say how much more is wrong, and apply nothing", async () => {
    const reply = await post({ "a.php": { ok: "x", a: 1, b: 2, c: 3 } });
    expect(reply.json.message).toBe(
      "files.a.php.a: must be text, not number (and 2 more): files.a.php.b, files.a.php.c; " +
        "?leaves=skip leaves out what is not text",
    );
    expect(Object.keys(reply.json.errors)).toEqual(["files.a.php.a", "files.a.php.b", "files.a.php.c"]);
    expect((await listed()).meta.total).toBe(0);
  });

  it("leave out non-texts on request, keep lists, and count them in the response and the commit", async () => {
    const files = {
      "en.json": { month: [null, "January"], order: [1, 2], number: { precision: 3, unit: "$" }, on: true },
    };
    const body = { files };
    const headers = { "idempotency-key": "once" };
    const reply = await call("PUT", `${strings}?leaves=skip`, { body, headers });
    const counts = {
      created: 3,
      updated: 0,
      unchanged: 0,
      translations_cleared: 0,
      deleted: 0,
      leaves_skipped: 5,
    };
    expect([reply.status, reply.json]).toEqual([200, counts]);
    const texts = listStrings.response
      .parse(await listed())
      .data.map(({ key, source_value: text }) => [key, text]);
    expect(texts).toEqual([
      ["month.0", ""],
      ["month.1", "January"],
      ["number.unit", "$"],
    ]);
    const again = await call("PUT", `${strings}?leaves=skip`, { body, headers });
    expect([again.headers.get("idempotency-replayed"), again.text]).toEqual(["true", reply.text]);
    const french = { "fr.json": { month: [null, "janvier"], number: { precision: 2 }, "month.1": 1 } };
    const translated = await fill("fr", french, { query: "leaves=skip" });
    expect(translated.json).toEqual({ created: 1, updated: 0, skipped: 1, unknown: 0, leaves_skipped: 2 });
    for (const query of ["leaves=keep", "leaves=skip&leaves=skip"]) {
      expect((await call("PUT", `${strings}?${query}`, { body })).json.errors).toHaveProperty("leaves");
    }
    const { json } = await call("GET", "/api/hives/web/export?locale=fr&shape=nested");
    expect(JSON.parse(json.files["en.json"])).toEqual({ month: ["", "janvier"] });
  });

  it("refuse an unknown strategy, and a body that is not an object", async () => {
    const reply = await post({}, { body: { conflict_strategy: "drop" } });
    expect(reply.status).toBe(422);
    expect(reply.json.errors).toEqual({ conflict_strategy: ["conflict_strategy: must be keep or clear"] });
    for (const body of ["[]", "1", "null", '"x"']) {
      expect((await call("PUT", strings, { body })).status).toBe(422);
    }
  });

  it.each(["?dry_rum=1", "?page=1", "?a=1&a=2"])("refuse the misspelt query %s", async (query) => {
    for (const [method, path] of [
      ["POST", strings],
      ["PUT", strings],
      ["POST", "/api/hives/web/translations/fr"],
    ] as const) {
      const reply = await call(method, path + query, { body: { files: { "a.php": { a: "x" } } } });
      expect(reply.status).toBe(422);
      expect(reply.json.message).toContain("is not a known query parameter here");
    }
    expect((await listed()).meta.total).toBe(0);
  });
});

describe("a translation import", () => {
  beforeEach(() =>
    post({ "auth.php": { failed: "Failed", days: ["Mon", "Tue"] }, "en.json": { Hello: "Hello" } }),
  );

  it("counts what it did, by any code of the locale", async () => {
    const reply = await fill("pt-br", {
      "auth.php": { failed: "F", nope: "x", days: [null, ""] },
      "x.php": { a: "b" },
    });
    expect(importTranslations.response.strict().parse(reply.json)).toEqual({
      created: 1,
      updated: 0,
      skipped: 2,
      unknown: 2,
    });
    expect((await fill("pt_BR", { "pt_BR.json": { Hello: "Olá" } })).json.created).toBe(1);
    expect((await fill("pt_BR", { "auth.php": { failed: "G" } })).json).toMatchObject({ skipped: 1 });
    const over = await fill(
      "pt-BR",
      { "auth.php": { failed: "G" } },
      { body: { overwrite_strategy: "overwrite" } },
    );
    expect(over.json).toEqual({ created: 0, updated: 1, skipped: 0, unknown: 0 });
  });

  it("refuses a locale that the Hive does not have, and its source locale, and names the command that adds one", async () => {
    for (const [locale, command] of [
      ["it", "skep locale create web it"],
      ["tl", "skep locale create web tl"],
      ["ru_RU", "skep locale create web ru-RU --custom-code ru_RU"],
      ["en", "skep locale create web CODE"],
      ["%24(rm)", "skep locale create web CODE"],
    ]) {
      const reply = await fill(locale ?? "", { "auth.php": { failed: "x" } });
      expect(reply.status).toBe(422);
      expect(reply.json.errors.locale).toEqual([reply.json.message]);
      expect(reply.json.message).toContain(command);
    }
  });

  it("refuses leaves that are not text, but no name and no key", async () => {
    const reply = await fill("fr", { "auth.php": { failed: 1 } });
    expect(reply.status).toBe(422);
    expect(reply.json.message).toBe(
      "files.auth.php.failed: must be text, not number; ?leaves=skip leaves out what is not text",
    );
    expect((await fill("fr", { "\n": { a: "x" } })).json).toMatchObject({ unknown: 1 });
    expect((await fill("fr", {}, { body: { overwrite_strategy: "no" } })).status).toBe(422);
  });
});

describe("an export", () => {
  beforeEach(async () => {
    await post({ "auth.php": { failed: "Failed", n: { x: "X" } }, "en.json": { Hello: "Hello" } });
    await fill("pt-BR", { "auth.php": { n: { x: "XX" } } });
  });

  it("of one locale has the Hive's files in the format's extension", async () => {
    const json = await call("GET", `${exported}?locale=pt_BR`);
    expect(json.status).toBe(200);
    expect(exportTranslations.response.strict().parse(json.json)).toEqual({
      files: { "auth.json": '{\n  "n.x": "XX"\n}\n', "en.json": "{}\n" },
    });
    const php = await call("GET", `${exported}?locale=PT-br&format=php`);
    expect(php.json.files).toEqual({
      "auth.php": "<?php\n\nreturn [\n    'n' => [\n        'x' => 'XX',\n    ],\n];\n",
      "en.php": "<?php\n\nreturn [];\n",
    });
  });

  it("of all locales is named by their codes", async () => {
    expect(Object.keys((await call("GET", exported)).json.files)).toEqual([
      "en.json",
      "fr.json",
      "de.json",
      "pt_BR.json",
    ]);
    const php = (await call("GET", `${exported}?format=php`)).json.files;
    expect(Object.keys(php)).toContain("pt_BR/auth.php");
    expect(Object.keys(php)).toHaveLength(8);
  });

  it("refuses a locale or a format it does not know", async () => {
    for (const [query, field] of [
      ["locale=it", "locale"],
      ["locale=", "locale"],
      ["format=xml", "format"],
      ["format=JSON", "format"],
      ["locale=fr&locale=de", "locale"],
    ]) {
      const reply = await call("GET", `${exported}?${query}`);
      expect(reply.status).toBe(422);
      expect(reply.json.errors[field ?? ""]).toEqual([reply.json.message]);
    }
  });

  it("keeps its bytes and its ETag while what it is made of is the same", async () => {
    const fr = await call("GET", `${exported}?locale=fr`);
    const etag = fr.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    expect(fr.headers.get("cache-control")).toBe("private, no-cache");
    await fill("de", { "auth.php": { failed: "Fehler" } });
    const again = await call("GET", `${exported}?locale=fr`, {
      headers: { "if-none-match": `"x", ${etag}` },
    });
    expect(again.status).toBe(304);
    expect(again.text).toBe("");
    expect(again.headers.get("etag")).toBe(etag);
    await fill("fr", { "auth.php": { failed: "Raté" } });
    const changed = await call("GET", `${exported}?locale=fr`, { headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it("answers 304 to lists too, to a strong spelling of the ETag, and to *", async () => {
    const etag = (await call("GET", strings)).headers.get("etag") ?? "";
    for (const header of [etag, etag.replace("W/", ""), "*", `W/"a", ${etag} , "b"`]) {
      expect((await call("GET", strings, { headers: { "if-none-match": header } })).status).toBe(304);
    }
    for (const header of ['W/"a"', etag.replaceAll('"', ""), ""]) {
      expect((await call("GET", strings, { headers: { "if-none-match": header } })).status).toBe(200);
    }
  });
});
