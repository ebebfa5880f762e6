/** The glossary and the styles over HTTP: what they say, what is in git, and what checks find by them. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../../src/disk/disk.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import { filesOf } from "../../../../src/git/objects/tree.ts";
import { commitOutside } from "../../../helpers/outside.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, setUpWeb, type Call } from "../../../helpers/storage.ts";

const slug = toHiveSlug("web");
const hive = "/api/hives/web";
const glossary = `${hive}/glossary`;
const file = { source: "file", translations: { fr: { text: "fichier", forbidden: ["archive"] } } };
let call: Call;
let disk: Disk;
let storage: Storage;
const web = hiveAt(() => call);
const { undo, head, post, fill } = web;

beforeEach(async () => {
  ({ call, disk, storage } = await setUpWeb({
    locales: ["fr", "pt-BR=pt_BR"],
    token: { abilities: ["admin"] },
  }));
});

const merge = (terms: unknown, query = "") => call("POST", `${glossary}${query}`, { body: { terms } });
const sync = (terms: unknown) => call("PUT", glossary, { body: { terms } });
const list = async (query = "") => (await call("GET", `${glossary}${query}`)).json.data;

async function stored(): Promise<string[]> {
  const { tree } = await storage.hives.at(slug).snapshot();
  return Array.from(filesOf(tree), ({ path }) => path).filter((path) => /^(?:glossary|style)/.test(path));
}

async function findings(): Promise<string[]> {
  const { json } = await call("GET", `${hive}/checks`);
  return json.data.map(
    (one: Record<string, string>) => `${one.locale} ${one.key} ${one.check} ${one.found ?? ""}`,
  );
}

describe("the glossary", () => {
  it("merges terms, which it gives ids, and lists them by their spelling with all members", async () => {
    expect((await merge([file, { source: "Skep", keep: true, match: "exact" }])).json).toEqual({
      created: 2,
      updated: 0,
      unchanged: 0,
    });
    const [first, second] = await list();
    expect(first).toMatchObject({
      source: "Skep",
      keep: true,
      match: "exact",
      case: false,
      meaning: null,
      part_of_speech: null,
      translations: {},
    });
    expect(second).toMatchObject({
      source: "file",
      match: "word",
      translations: { fr: { text: "fichier", accepted: [], forbidden: ["archive"], keep: false } },
    });
    expect(first.id).toMatch(/^[a-z0-9]+$/);
    const before = await head();
    expect((await merge([file])).json).toEqual({ created: 0, updated: 0, unchanged: 1 });
    expect(await head()).toBe(before);
    const brazilian = { source: "file", translations: { pt_BR: { text: "arquivo" } } };
    expect((await merge([brazilian])).json).toEqual({ created: 0, updated: 1, unchanged: 0 });
    expect((await list())[1]).toMatchObject({
      id: second.id,
      translations: { fr: { text: "fichier" }, pt_BR: { text: "arquivo" } },
    });
    expect(await stored()).toEqual(["glossary.json"]);
  });

  it("is searched in sources, meanings and translations, and in pages", async () => {
    await merge([file, { source: "Open", meaning: "a state" }, { source: "Open", meaning: "to open" }]);
    const sources = async (query: string) =>
      (await list(query)).map((one: { source: string; meaning: string }) => one.meaning ?? one.source);
    expect(await sources("?search=FICH")).toEqual(["file"]);
    expect(await sources("?search=archive")).toEqual(["file"]);
    expect(await sources("?search=state")).toEqual(["a state"]);
    expect(await sources("?search=nothing")).toEqual([]);
    const { json } = await call("GET", `${glossary}?per_page=2&page=2`);
    expect(json.meta).toEqual({ current_page: 2, last_page: 2, per_page: 2, total: 3 });
  });

  it("becomes what a sync gives, keeps ids, and loses its file with its last term", async () => {
    await merge([file, { source: "Open" }]);
    const [, known] = await list();
    expect((await sync([{ source: "file" }, { source: "new" }])).json).toEqual({
      created: 1,
      updated: 1,
      deleted: 1,
      unchanged: 0,
    });
    expect((await list()).map((one: { id: string }) => one.id)).toContain(known.id);
    expect((await list("?search=file"))[0].translations).toEqual({});
    expect((await sync([])).json).toMatchObject({ deleted: 2 });
    expect(await stored()).toEqual([]);
  });

  it("loses a term by its id", async () => {
    await merge([file]);
    const [{ id }] = await list();
    expect((await call("DELETE", `${glossary}/${id}`)).json).toEqual({ deleted: 1 });
    expect(await call("DELETE", `${glossary}/${id}`)).toMatchObject({
      status: 404,
      json: { code: "unknown_term" },
    });
  });

  it("keeps to preconditions, dry runs and idempotency keys", async () => {
    const before = await head();
    expect((await merge([file], "?dry_run=1")).json).toMatchObject({ created: 1 });
    expect(await head()).toBe(before);
    const stale = { headers: { "if-match": `"${"0".repeat(40)}"` } };
    expect((await call("POST", glossary, { body: { terms: [file] }, ...stale })).status).toBe(412);
    const once = { body: { terms: [file] }, headers: { "idempotency-key": "k" } };
    expect((await call("POST", glossary, once)).json).toEqual({ created: 1, updated: 0, unchanged: 0 });
    const again = await call("POST", glossary, once);
    expect(again.json).toEqual({ created: 1, updated: 0, unchanged: 0 });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  it.each([
    ["terms.0.source", [{ source: " " }]],
    ["terms.0.source", [{ source: "a\u202Eb" }]],
    ["terms.0.source", [{ source: "x".repeat(201) }]],
    ["terms.0.source", [{ source: "\ud800" }]],
    ["terms.1.match", [file, { source: "a", match: "regex" }]],
    ["terms.0", [{ source: "a", unknown: true }]],
    ["terms.0.id", [{ id: "../x", source: "a" }]],
    ["terms.0.meaning", [{ source: "a", meaning: "\u0000" }]],
    ["terms.0.translations.xx", [{ source: "a", translations: { xx: { text: "b" } } }]],
    ["terms.0.translations.en", [{ source: "a", translations: { en: { text: "b" } } }]],
    ["terms.0.translations.pt-BR", [{ source: "a", translations: { pt_BR: {}, "pt-BR": {} } }]],
    [
      "terms.0.translations.fr.forbidden.0",
      [{ source: "a", translations: { fr: { forbidden: ["\u2066"] } } }],
    ],
    [
      "terms.0.translations.fr.accepted",
      [{ source: "a", translations: { fr: { accepted: Array(21).fill("a") } } }],
    ],
    ["terms", Array.from({ length: 20_001 }, () => ({ source: "a" }))],
  ])("refuses %s where it is wrong, and writes nothing", async (field, terms) => {
    const before = await head();
    for (const answer of [await merge(terms), await sync(terms)]) {
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.json.errors)).toEqual([field]);
    }
    expect(await head()).toBe(before);
  });

  it("is not changed by tokens for reading or for some locales", async () => {
    const reader = await makeToken(storage, { abilities: ["read"] });
    const french = await makeToken(storage, { abilities: ["write"], locales: ["fr"] });
    expect((await call("POST", glossary, { token: reader, body: { terms: [file] } })).status).toBe(403);
    const limited = await call("POST", glossary, { token: french, body: { terms: [file] } });
    expect(limited).toMatchObject({ status: 403, json: { code: "limited_token" } });
    expect((await call("PUT", `${hive}/style/fr`, { token: french, body: { text: "x" } })).status).toBe(403);
  });

  it("has markup as text, and nothing else", async () => {
    const markup = { source: "<script>alert(1)</script>", meaning: "<b>" };
    expect((await merge([markup])).status).toBe(200);
    expect((await list())[0]).toMatchObject(markup);
  });

  it("is 503 where it cannot be read, which stops nothing else", async () => {
    await merge([file]);
    const files = { "glossary.json": '{"terms":[{"id":"1","source":"a","unknown":1}]}' };
    await commitOutside({ storage, disk, slug }, { files });
    expect(await call("GET", glossary)).toMatchObject({ status: 503, json: { code: "content_invalid" } });
    expect((await merge([file])).status).toBe(503);
    expect((await call("GET", `${hive}/checks`)).status).toBe(200);
    expect((await post({ "a.json": { a: "The file" } })).status).toBe(200);
  });
});

describe("the findings of terms", () => {
  const translate = (text: string, query = "") => web.translate("fr", { "a.json": { k: text } }, { query });

  beforeEach(async () => {
    await post({ "a.json": { k: "Open the file" } });
  });

  it("come with the answer of a write, are warnings, and refuse nothing", async () => {
    await merge([file]);
    await call("PATCH", hive, { body: { checks: { level: "refuse" } } });
    const { status, json } = await translate("Ouvrir la chose");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      created: 1,
      findings: [{ check: "term-missing", severity: "warning", expected: "fichier" }],
    });
    expect((await call("GET", `${hive}/checks`)).json.counts).toEqual({ fr: { error: 0, warning: 1 } });
  });

  it("follow the glossary, and are accepted as others are", async () => {
    await translate("Ouvrir l'archive");
    expect(await findings()).toEqual([]);
    await merge([file]);
    expect(await findings()).toEqual(["fr k term-forbidden archive"]);
    const [{ id }] = await list();
    await merge([{ id, source: "file", translations: { fr: { forbidden: [] } } }]);
    expect(await findings()).toEqual(["fr k term-missing "]);
    const accepted = { locale: "fr", file: "a.json", key: "k", check: "term-missing" };
    expect((await call("POST", `${hive}/checks/accept`, { body: accepted })).json).toEqual({
      accepted: 1,
      unknown: 0,
    });
    expect(await findings()).toEqual([]);
    await sync([]);
    expect(await findings()).toEqual([]);
  });

  it.each<[string, () => ReturnType<Call>, readonly string[]]>([
    ["a write", () => translate("Ouvrir"), ["findings"]],
    ["a dry run", () => translate("Ouvert", "dry_run=true"), ["findings"]],
    ["the list of findings", () => call("GET", `${hive}/checks`), ["data"]],
    [
      "a search",
      () => call("GET", `${hive}/search?locale=fr`),
      ["data", "0", "translations", "0", "findings"],
    ],
    ["a string", () => call("GET", `${hive}/string?file=a.json&key=k`), ["translations", "0", "findings"]],
    [
      "work on it",
      () => call("POST", `${hive}/work`, { body: { locale: "fr", want: ["stale"], claim: false } }),
      ["items", "0", "findings"],
    ],
  ])("are not asked for in %s of a string that is not to be translated", async (_, ask, path) => {
    const found = async () => {
      const { json } = await ask();
      return path.reduce((value, name) => value?.[name], json) ?? [];
    };
    await merge([file]);
    await translate("Ouvrir la chose");
    await post({ "a.json": { k: "Open a file" } });
    const isMissing = expect.objectContaining({ check: "term-missing" });
    expect(await found()).toEqual([isMissing]);
    await translate("Ouvrir la chose");
    await post({ "a.json": { k: "Open this file" } });
    await call("PATCH", `${hive}/notes`, { body: { files: { "a.json": { k: { keep: true } } } } });
    expect(await found()).toEqual([]);
  });

  it("are those of main's glossary on a branch, and a merge leaves it", async () => {
    await call("POST", `${hive}/branches`, { body: { name: "b" } });
    await merge([file]);
    expect(
      (await fill("fr", { "a.json": { k: "Ouvrir" } }, { query: "branch=b" })).json.findings,
    ).toHaveLength(1);
    expect((await call("GET", `${hive}/checks?branch=b`)).json.data).toHaveLength(1);
    expect((await call("POST", `${hive}/branches/b/merge`, { body: {} })).status).toBe(200);
    expect(await list()).toHaveLength(1);
  });

  it("are those of the commit at an earlier state", async () => {
    await translate("Ouvrir");
    const before = await head();
    await merge([file]);
    const after = await head();
    expect((await call("GET", `${hive}/checks?at=${before}`)).json.data).toEqual([]);
    expect((await call("GET", `${hive}/checks?at=${after}`)).json.data).toHaveLength(1);
  });
});

describe("the glossary of another Hive", () => {
  const brand = "/api/hives/brand/glossary";

  beforeEach(async () => {
    await call("POST", "/api/hives", { body: { slug: "brand", locales: ["fr"] } });
    await post({ "a.json": { k: "Open the file" } });
    await fill("fr", { "a.json": { k: "Ouvrir" } });
  });

  it("counts once its Hive can be read again", async () => {
    await call("PATCH", hive, { body: { glossary: "brand" } });
    await call("POST", brand, { body: { terms: [file] } });
    const path = "locales/fr/a.json.json";
    await commitOutside({ storage, disk, slug: "brand" }, { files: { [path]: "{" } });
    // Twice, so that the second answer is the first one.
    for (let i = 0; i < 2; i++) expect(await findings()).toEqual([]);
    await commitOutside({ storage, disk, slug: "brand" }, { files: { [path]: undefined } });
    expect(await findings()).toEqual(["fr k term-missing "]);
  });

  it("counts where it is chosen, behind the own terms, as it is now", async () => {
    expect((await call("PATCH", hive, { body: { glossary: "brand" } })).json).toMatchObject({
      glossary: "brand",
    });
    expect((await call("GET", hive)).json).toMatchObject({ glossary: "brand" });
    expect(await findings()).toEqual([]);
    await call("POST", brand, { body: { terms: [file] } });
    expect(await findings()).toEqual(["fr k term-missing "]);
    await merge([{ source: "File", translations: { fr: { text: "ouvrir" } } }]);
    expect(await findings()).toEqual([]);
    await sync([]);
    expect(await findings()).toHaveLength(1);
    expect((await call("PATCH", hive, { body: { glossary: null } })).json).toMatchObject({ glossary: null });
    expect(await findings()).toEqual([]);
  });

  it.each(["web", "nope", "../x", "other"])("cannot be that of %s", async (name) => {
    await call("POST", "/api/hives", { body: { slug: "other", source_locale: "de" } });
    const { status, json } = await call("PATCH", hive, { body: { glossary: name } });
    expect(status).toBe(422);
    expect(Object.keys(json.errors)).toEqual(["glossary"]);
  });

  it("cannot be that of a Hive out of the token's reach, and ends with the Hive", async () => {
    const token = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
    expect((await call("PATCH", hive, { token, body: { glossary: "brand" } })).status).toBe(422);
    await call("POST", brand, { body: { terms: [file] } });
    await call("PATCH", hive, { body: { glossary: "brand" } });
    expect(await findings()).toHaveLength(1);
    await call("DELETE", "/api/hives/brand");
    expect(await findings()).toEqual([]);
  });
});

describe("an undo", () => {
  it("takes back terms and styles, but for what has changed since", async () => {
    await merge([file]);
    const [term] = await list();
    await sync([{ source: "other" }]);
    const synced = await head();
    await merge([{ source: "later" }]);
    expect((await undo(synced)).json).toMatchObject({ restored: 1, updated: 0, deleted: 1, skipped: 0 });
    expect((await list()).map((one: { source: string }) => one.source)).toEqual(["file", "later"]);
    expect((await list())[0]).toEqual(term);
    await call("PUT", `${hive}/style/fr`, { body: { text: "Vous." } });
    const styled = await head();
    await call("PUT", `${hive}/style/fr`, { body: { text: "Tu." } });
    expect(await undo(styled)).toMatchObject({ status: 409, json: { code: "undo_conflict" } });
    expect((await undo(styled, { body: { on_conflict: "skip" } })).json).toMatchObject({ skipped: 1 });
    expect((await undo(await head())).json).toMatchObject({ updated: 1 });
    expect((await call("GET", `${hive}/style/fr`)).json.text).toBe("Vous.");
    await merge([{ source: "later", meaning: null, keep: true }]);
    const changed = await head();
    const [, later] = await list();
    await call("DELETE", `${glossary}/${later.id}`);
    expect(await undo(changed)).toMatchObject({ status: 409 });
  });

  it("brings back no style of a locale that the Hive does not have, nor a term beside its like", async () => {
    await call("PUT", `${hive}/style/pt_BR`, { body: { text: "Você." } });
    expect((await call("DELETE", `${hive}/locales/pt_BR`)).status).toBe(200);
    const removed = await head();
    expect((await undo(removed)).json.conflicts).toEqual([
      { locale: "pt-BR", file: "style/pt-BR.md", key: "" },
    ]);
    await merge([file]);
    await sync([]);
    const emptied = await head();
    await merge([file]);
    const [now] = await list();
    expect(await undo(emptied)).toMatchObject({ status: 409 });
    expect((await undo(emptied, { body: { on_conflict: "skip" } })).json).toMatchObject({
      restored: 0,
      skipped: 1,
    });
    expect(await list()).toEqual([now]);
  });
});

describe("the style of a locale", () => {
  it("is text, by any code of the locale, empty at first, and goes with an empty text", async () => {
    const style = `${hive}/style/pt_BR`;
    expect((await call("GET", style)).json).toEqual({ locale: "pt_BR", text: "" });
    const { json } = await call("PUT", `${hive}/style/pt-br`, {
      body: { text: "Diga <b>você</b>.\r\nSem gíria. \n" },
    });
    expect(json).toEqual({ locale: "pt_BR", text: "Diga <b>você</b>.\nSem gíria." });
    expect((await call("GET", style)).json).toEqual(json);
    expect(await stored()).toEqual(["style/pt-BR.md"]);
    await call("PUT", style, { body: { text: " " } });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["xx", "locale"],
    ["..%2F..%2Fhive.yaml", "locale"],
    ["fr%00", "locale"],
  ])("is refused for the locale %s", async (code) => {
    const { status } = await call("PUT", `${hive}/style/${code}`, { body: { text: "x" } });
    expect([404, 422]).toContain(status);
    expect(await stored()).toEqual([]);
  });

  it.each([["x".repeat(4001)], ["a\u202Eb"], ["\u0000"], ["\ud800"]])(
    "is refused with a wrong text",
    async (text) => {
      const { status, json } = await call("PUT", `${hive}/style/fr`, { body: { text } });
      expect(status).toBe(422);
      expect(Object.keys(json.errors)).toEqual(["text"]);
      const long = await call("PUT", `${hive}/style/fr`, { body: { text: "😀".repeat(4000) } });
      expect(long.status).toBe(200);
    },
  );
});
