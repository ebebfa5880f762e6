import { beforeEach, describe, expect, it } from "vitest";
import { harness, makeHive, makeToken, memoryStorage, type Call } from "../../helpers/storage.ts";

let call: Call;

beforeEach(async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  ({ call } = harness(storage, await makeToken(storage)));
});

describe("?shape=nested", () => {
  const nested = (query: string) => call("GET", `/api/hives/web/export?${query}`);

  it("?shape=nested restores the source's nesting in a JSON export of one locale; the default stays flat", async () => {
    const source = { "auth.php": { nav: { home: "Home", out: "Out" }, days: ["Mon", "Tue"] } };
    const french = { "auth.php": { "nav.home": "Accueil", days: ["lun", "mar"] } };
    await call("POST", "/api/hives/web/strings", { body: { files: source } });
    await call("POST", "/api/hives/web/translations/fr", { body: { files: french } });
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
    "shape=nested",
    "shape=flat",
  ])("?shape=nested is refused on shape: %s", async (query) => {
    const { status, json } = await nested(query);
    expect(status).toBe(422);
    expect(Object.keys(json.errors)).toEqual(["shape"]);
    expect(json.message).toMatch(/^shape: /);
  });
});

describe("?names=hive", () => {
  it("?names=hive names the files of one locale as the Hive does, an untranslated one too", async () => {
    const files = { "auth.php": { a: "A" }, "auth.json": { b: "B" }, "admin/menu.yml": {} };
    await call("POST", "/api/hives/web/strings", { body: { files } });
    await call("POST", "/api/hives/web/strings", { body: { files: { "admin/menu.yml": { c: "C" } } } });
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
    "?names=hive is refused on names: %s",
    async (query) => {
      const { status, json } = await call("GET", `/api/hives/web/export?${query}`);
      expect(status).toBe(422);
      expect(Object.keys(json.errors)).toEqual(["names"]);
    },
  );
});
