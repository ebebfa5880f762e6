/** Locales that inherit from others: how they are set, and what exports and channels give of them. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
const locales = ["de", "de-AT=de_AT", "de-CH", "fr", "gsw"];
let call: Call;
let writer: string;
const web = hiveAt(() => call);
const { history } = web;

const source = { a: "A {x}", b: "B", c: "C", n_one: "{n} thing", n_other: "{n} things" };
const prepared = prepareWeb({ locales, token: { abilities: ["admin"] } }, async (made) => {
  await made.put({ "app.json": source });
  await made.call("PATCH", hive, { body: { checks: { syntax: [{ files: "*", syntax: "icu" }] } } });
  return makeToken(made.storage, { abilities: ["read", "write"], review: "always" });
});

beforeEach(async () => {
  ({ call, made: writer } = await prepared());
});

const translate = (locale: string, texts: object, token?: string) =>
  web.translate(locale, { "app.json": texts }, { token });
const inherit = (locale: string, inherits: string | null) =>
  call("PATCH", `${hive}/locales/${locale}`, { body: { inherits } });
const exported = async (query: string) => {
  const { json } = await call("GET", `${hive}/export?${query}`);
  return JSON.parse(json.files["app.json"]);
};

describe("a locale that inherits", () => {
  it("is set by any code, shown with the locale, and kept by other changes", async () => {
    expect((await inherit("de_AT", "DE")).json).toMatchObject({
      code: "de-AT",
      custom_code: "de_AT",
      inherits: "de",
    });
    await call("PATCH", `${hive}/locales/de-AT`, { body: { custom_code: "at" } });
    const { data } = (await call("GET", `${hive}/locales`)).json;
    expect(data.map(({ inherits }: { inherits: string | null }) => inherits)).toEqual([
      null,
      null,
      "de",
      null,
      null,
      null,
    ]);
    expect((await inherit("at", null)).json.inherits).toBeNull();
    const { data: commits } = (await history()).json;
    expect(commits[0].subject).toBe("Let locale de-AT inherit from none");
  });

  it.each<readonly [locale: string, inherits: unknown, code: string]>([
    ["de_AT", "xx", "unknown_locale"],
    ["de_AT", "en-XA", "unknown_locale"],
    ["de_AT", "en", "invalid_request"],
    ["de_AT", "de-AT", "invalid_request"],
    ["de_AT", 1, "invalid_request"],
    ["en", "de", "invalid_request"],
    ["de", "de_AT", "invalid_request"],
    ["de", "gsw", "invalid_request"],
    ["fr", "gsw", "invalid_request"],
  ])("is refused where it cannot be: %s from %j", async (locale, inherits, code) => {
    for (const [own, other] of [
      ["de_AT", "de"],
      ["de-CH", "de-AT"],
      ["gsw", "de-CH"],
    ] as const)
      expect((await inherit(own, other)).status).toBe(200);
    const { status, json } = await call("PATCH", `${hive}/locales/${locale}`, { body: { inherits } });
    expect([status, json.code, Object.keys(json.errors)]).toEqual([422, code, ["inherits"]]);
  });

  it("keeps the locale that it inherits from in the Hive", async () => {
    await inherit("de_AT", "de");
    const { status, json } = await call("DELETE", `${hive}/locales/de`);
    expect([status, json.code]).toEqual([409, "conflict"]);
    expect(json.message).toContain("de_AT");
    await inherit("de_AT", null);
    expect((await call("DELETE", `${hive}/locales/de`)).status).toBe(200);
  });
});

describe("an export with missing=fallback", () => {
  beforeEach(async () => {
    await inherit("de_AT", "de");
    await inherit("de-CH", "de_AT");
    await translate("de", { a: "A {x} de", b: "B de", n_one: "{n} Ding", n_other: "{n} Dinge" });
    await translate("de_AT", { b: "B at", n_other: "{n} Dinger" });
  });

  it("gives the own text, then the nearest that is inherited, then the source text", async () => {
    expect(await exported("locale=de_AT")).toEqual({ b: "B at", n_other: "{n} Dinger" });
    // A plural string is inherited whole: not the one form that is missing.
    const whole = { a: "A {x} de", b: "B at", c: "C", n_one: "{n} thing", n_other: "{n} Dinger" };
    expect(await exported("locale=de_AT&missing=fallback")).toEqual(whole);
    expect(await exported("locale=de-CH&missing=fallback")).toEqual(whole);
    await translate("de-CH", { a: "A {x} ch" });
    expect(await exported("locale=de-CH&missing=fallback")).toEqual({ ...whole, a: "A {x} ch" });
    expect(await exported("locale=fr&missing=fallback")).toEqual(await exported("locale=fr&missing=source"));
    const all = (await call("GET", `${hive}/export?missing=fallback`)).json.files;
    expect(JSON.parse(all["de_AT.json"])).toEqual(whole);
  });

  it("follows the texts and the settings of all that it inherits from, at each state", async () => {
    const ofA = async (more = "") => (await exported(`locale=de-CH&missing=fallback${more}`)).a;
    const before = (await history()).json.data[0].commit;
    expect(await ofA()).toBe("A {x} de");
    await translate("de", { a: "A {x} neu" });
    expect(await ofA()).toBe("A {x} neu");
    await inherit("de_AT", null);
    expect(await ofA()).toBe("A {x}");
    expect(await ofA(`&at=${before}`)).toBe("A {x} de");
  });

  it("takes no text that is not approved, or has errors, from any of them", async () => {
    await translate("de_AT", { a: "falsch" });
    await translate("de_AT", { b: "wartet" }, writer);
    await translate("de-CH", { b: "wartet" }, writer);
    const given = await exported("locale=de-CH&missing=fallback&state=approved&failing=omit");
    expect([given.a, given.b]).toEqual(["A {x} de", "B at"]);
    const instead = await exported("locale=de-CH&missing=fallback&failing=source");
    expect([instead.a, instead.b]).toEqual(["A {x} de", "wartet"]);
  });
});

describe("a channel with missing=fallback", () => {
  const ask = (path: string) => call("GET", path, { token: null });

  it("publishes what an export gives, also at content addresses, which never change", async () => {
    await inherit("de_AT", "de");
    await inherit("de-CH", "de_AT");
    await translate("de", { a: "A {x} de", b: "B de" });
    await translate("de_AT", { a: "falsch" });
    await translate("de_AT", { b: "wartet" }, writer);
    const rules = { missing: "fallback", state: "approved", failing: "omit", shape: "flat" };
    const { json: channel } = await call("POST", `${hive}/channels`, { body: { name: "app", ...rules } });
    expect(channel.missing).toBe("fallback");
    const filesOf = async () => (await ask(`${channel.path}manifest.json`)).json.files;
    const before = await filesOf();
    for (const name of ["de.json", "de_AT.json", "de-CH.json", "en.json", "fr.json"]) {
      const live = await ask(channel.path + name);
      expect((await ask(before[name])).json).toEqual(live.json);
      expect(live.json).toMatchObject(name.startsWith("de") ? { a: "A {x} de", b: "B de", c: "C" } : source);
    }
    await translate("de", { b: "B neu" });
    const after = await filesOf();
    expect(after["fr.json"]).toBe(before["fr.json"]);
    for (const name of ["de.json", "de_AT.json", "de-CH.json"]) {
      expect([(await ask(before[name])).json.b, (await ask(after[name])).json.b]).toEqual(["B de", "B neu"]);
      expect((await ask(channel.path + name)).json.b).toBe("B neu");
    }
    await call("PATCH", `${hive}/channels/app`, { body: { missing: "leave", tag: "none" } });
    expect((await call("GET", `${hive}/channels/app`)).json.missing).toBeNull();
  });

  it("fills gaps with source texts alone with missing=source", async () => {
    const { json: channel } = await call("POST", `${hive}/channels`, {
      body: { name: "app", missing: "source", shape: "flat" },
    });
    const { files } = (await ask(`${channel.path}manifest.json`)).json;
    for (const address of [`${channel.path}fr.json`, files["fr.json"]])
      expect((await ask(address)).json).toEqual(source);
  });
});

describe("what is inherited", () => {
  const stats = async (locale: string) => (await call("GET", hive)).json.locales[locale];
  const listed = async (locale: string, query = "") => {
    const { json } = await call("GET", `${hive}/untranslated?locale=${locale}${query}`);
    return json.data.map(({ key, state }: { key: string; state: string }) => `${key} ${state}`);
  };
  const asked = async (locale: string) => {
    const { json } = await call("POST", `${hive}/work`, {
      body: { locale, want: ["missing"], max_items: 50 },
    });
    return json.items.map(({ key }: { key: string }) => key);
  };

  beforeEach(async () => {
    await inherit("de_AT", "de");
    await inherit("de-CH", "de_AT");
    await translate("de", { a: "A {x} de", b: "B de", n_one: "{n} Ding" });
  });

  it("is counted by itself, as translated, and is not missing", async () => {
    expect(await stats("de_AT")).toMatchObject({
      translated: 0,
      inherited: 3,
      empty: 2,
      total: 5,
      translated_percent: 60,
    });
    await translate("de_AT", { b: "B at", n_other: "{n} Dinger" });
    expect(await stats("de_AT")).toMatchObject({
      translated: 2,
      inherited: 1,
      empty: 2,
      total: 5,
      translated_percent: 60,
    });
    expect(await stats("de-CH")).toMatchObject({ translated: 0, inherited: 3, empty: 2, total: 5 });
    expect(await stats("fr")).toMatchObject({ inherited: 0, empty: 5 });
    // A plural string that the locale has a form of is its own.
    expect(await listed("de_AT")).toEqual(["c missing", "n_one missing"]);
    expect(await listed("de-CH")).toEqual(["c missing", "n_one missing"]);
    expect(await listed("de")).toEqual(["c missing", "n_other missing"]);
  });

  it("is not asked for, and is again where it is inherited no more", async () => {
    expect(await asked("de_AT")).toEqual(["c", "n_other"]);
    await call("DELETE", `${hive}/translations/de`, { body: { files: { "app.json": ["a"] } } });
    expect(await listed("de-CH")).toEqual(["a missing", "c missing", "n_other missing"]);
    await inherit("de_AT", null);
    expect(await stats("de-CH")).toMatchObject({ inherited: 0, empty: 5 });
    expect(await stats("de_AT")).toMatchObject({ inherited: 0, empty: 5 });
  });

  it("counts for min_complete, and stands for a locale of which too little is translated", async () => {
    const left = async (query: string) =>
      (await call("GET", `${hive}/export?${query}`)).json.left_out.map(
        ({ locale }: { locale: string }) => locale,
      );
    expect(await left("min_complete=60")).toEqual(["fr", "gsw"]);
    await translate("de", { c: "C de", n_other: "{n} Dinge" });
    await translate("de_AT", { a: "A {x} at" });
    for (const key of ["b", "c"]) await translate("de_AT", { [key]: "wartet" }, writer);
    expect(await left("min_complete=100&state=approved")).toEqual(["de_AT", "fr", "gsw"]);
    const query = "min_complete=100&state=approved&missing=fallback";
    expect(await left(query)).toEqual(["fr", "gsw"]);
    const texts = { a: "A {x} de", b: "B de", c: "C de", n_one: "{n} Ding", n_other: "{n} Dinge" };
    expect(await exported(`locale=de_AT&${query}`)).toEqual(texts);
    const body = { name: "app", min_complete: 100, state: "approved", missing: "fallback", shape: "flat" };
    const { path } = (await call("POST", `${hive}/channels`, { body })).json;
    const manifest = (await call("GET", `${path}manifest.json`, { token: null })).json;
    expect(Object.keys(manifest.files)).toEqual(["en.json", "de.json", "de_AT.json", "de-CH.json"]);
    for (const address of [`${path}de_AT.json`, manifest.files["de_AT.json"]])
      expect((await call("GET", address, { token: null })).json).toEqual(texts);
    expect((await call("GET", `${path}fr.json`, { token: null })).status).toBe(404);
  });
});
