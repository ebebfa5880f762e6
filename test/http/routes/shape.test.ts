import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, setUpWeb } from "../../helpers/storage.ts";

let call: Call;
const { post, fill, exported } = hiveAt(() => call);

beforeEach(async () => {
  ({ call } = await setUpWeb());
});

describe("?shape=nested", () => {
  const nested = (query: string) => exported(query);

  it("restores the source's nesting in a JSON export of one locale; the default stays flat", async () => {
    const source = { "auth.php": { nav: { home: "Home", out: "Out" }, days: ["Mon", "Tue"] } };
    const french = { "auth.php": { "nav.home": "Accueil", days: ["lun", "mar"] } };
    await post(source);
    await fill("fr", french);
    const contentOf = async (query: string): Promise<unknown> =>
      JSON.parse((await nested(query)).json.files["auth.json"]);
    const flat = { "nav.home": "Accueil", "days.0": "lun", "days.1": "mar" };
    for (let i = 0; i < 2; i++) {
      expect(await contentOf("locale=fr&shape=nested")).toEqual({
        nav: { home: "Accueil" },
        days: ["lun", "mar"],
      });
      expect(await contentOf("locale=fr&shape=flat")).toEqual(flat);
      expect(await contentOf("locale=fr")).toEqual(flat);
    }
  });

  it.each([
    "locale=fr&shape=deep",
    "locale=fr&shape=",
    "locale=fr&shape=nested&shape=nested",
    "locale=fr&shape=nested&format=php",
    "locale=fr&shape=flat&format=php",
    "shape=nested&format=php",
    "shape=deep",
  ])("is refused on shape: %s", async (query) => {
    const { status, json } = await nested(query);
    expect(status).toBe(422);
    expect(Object.keys(json.errors)).toEqual(["shape"]);
    expect(json.message).toMatch(/^shape: /);
  });
});

describe("?shape=nested of all locales", () => {
  it("has the stems of files as the first level, and goes back in whole", async () => {
    const source = {
      "auth.php": { nav: { home: "Home" }, days: ["Mon", "Tue"] },
      "en.json": { Hello: "Hello", auth: "Auth" },
    };
    await post(source);
    const french = {
      "auth.php": { nav: { home: "Accueil" } },
      "fr.json": { auth: "Auth." },
    };
    const imported = await fill("fr", french);
    expect(imported.json).toMatchObject({ created: 2, unknown: 0 });
    const read = async (query: string) => (await call("GET", `/api/hives/web/export${query}`)).json.files;
    for (let i = 0; i < 2; i++) {
      const files = await read("?shape=nested");
      expect(Object.keys(files)).toEqual(Object.keys(await read("")));
      expect(JSON.parse(files["fr.json"])).toMatchObject({ auth: "Auth.", "auth.nav.home": "Accueil" });
      expect(await read("?shape=flat")).toEqual(await read(""));
      expect(await read("")).not.toEqual(files);
      const back = await fill("fr", { "fr.json": JSON.parse(files["fr.json"]) }, { query: "strict=true" });
      expect(back.json).toEqual({ created: 0, updated: 0, skipped: 2, unknown: 0 });
    }
  });

  it("goes back in where its files are nested as deep as may be", async () => {
    const deepest = Array.from({ length: 31 }).reduce<unknown>((inner) => ({ d: inner }), { x: "Deep" });
    await post({ "auth.php": deepest });
    const files = (await exported("shape=nested")).json.files;
    const body = { files: { "fr.json": JSON.parse(files["en.json"]) } };
    const back = await call("POST", "/api/hives/web/translations/fr", { body });
    expect(back.json).toEqual({ created: 1, updated: 0, skipped: 0, unknown: 0 });
    const deeper = await fill("fr", { x: { d: body.files } });
    expect(deeper.json.message).toContain("is nested deeper than 33 levels");
  });
});

describe("?names=hive", () => {
  it("names the files of one locale as the Hive does, an untranslated one too", async () => {
    const files = { "auth.php": { a: "A" }, "auth.json": { b: "B" }, "admin/menu.yml": {} };
    await post(files);
    await post({ "admin/menu.yml": { c: "C" } });
    const exported = async (query: string) =>
      (await call("GET", `/api/hives/web/export?${query}`)).json.files;
    const named = {
      "admin/menu.yml": '{\n  "c": "C"\n}\n',
      "auth.json": expect.any(String),
      "auth.php": expect.any(String),
    };
    expect(await exported("locale=en&names=hive")).toEqual(named);
    expect(Object.keys(await exported("locale=fr&names=hive"))).toEqual(Object.keys(named));
    expect(Object.keys(await exported("locale=en&names=export"))).toContain("auth.php.json");
    expect(Object.keys(await exported("locale=en"))).toContain("auth.php.json");
  });

  it.each(["names=hive", "locale=fr&format=php&names=hive", "locale=fr&names=own"])(
    "is refused on names: %s",
    async (query) => {
      const { status, json } = await exported(query);
      expect(status).toBe(422);
      expect(Object.keys(json.errors)).toEqual(["names"]);
    },
  );
});
