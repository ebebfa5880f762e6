/** Pseudo-locales in exports and channels: made from the source texts, and nowhere else. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { prepareWeb } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
const source = {
  "app.json": {
    greeting: "Hello {{name}}",
    brand: "Skep",
    short: "Save all",
    item_one: "{{count}} item",
    item_other: "{{count}} items",
  },
  "en.json": { title: "Title", none: "" },
};
let call: Call;
const { post, fill } = hiveAt(() => call);

const prepared = prepareWeb(
  { locales: ["fr", "pt-BR=pt_BR"], token: { abilities: ["admin"] } },
  async ({ call: send }) => {
    await send("PUT", `${hive}/strings`, { body: { files: source } });
    await send("PATCH", hive, { body: { checks: { syntax: [{ files: "app.json", syntax: "i18next" }] } } });
    const notes = { "app.json": { brand: { keep: true, tags: ["shop"] }, short: { max_length: 8 } } };
    await send("PATCH", `${hive}/notes`, { body: { files: notes } });
  },
);

beforeEach(async () => {
  ({ call } = await prepared());
});

const exported = async (query: string): Promise<Record<string, unknown>> => {
  const { json } = await call("GET", `${hive}/export?${query}`);
  return Object.fromEntries(
    Object.entries<string>(json.files).map(([name, text]) => [name, JSON.parse(text)]),
  );
};

describe("a pseudo-locale", () => {
  it("has a text for each that the locale needs, within limits, and keeps what is not to be translated", async () => {
    const files = await exported("locale=en-XA");
    expect(files).toEqual({
      "app.json": {
        greeting: expect.stringMatching(/^⟦Ĥ.+ \{\{name\}\}⟧$/),
        brand: "Skep",
        short: "Šåṽé åļļ",
        item_one: expect.stringMatching(/^⟦\{\{count\}\} .+⟧$/),
        item_other: expect.stringMatching(/^⟦\{\{count\}\} .+⟧$/),
      },
      "en.json": { title: expect.stringMatching(/^⟦Ţ.+⟧$/) },
    });
    // Arabic has six plural forms.
    const arabic = (await exported("locale=ar_xb"))["app.json"];
    expect(Object.keys(arabic ?? {})).toEqual(expect.arrayContaining(["item_zero", "item_few", "item_many"]));
    expect(await exported("locale=en-XA&tag=shop")).toEqual({ "app.json": { brand: "Skep" }, "en.json": {} });
  });

  it("follows the source texts, and the notes that it depends on", async () => {
    const textOf = async (key: string) => Object(await exported("locale=en-XA"))["app.json"][key];
    const before = await textOf("brand");
    await call("PATCH", `${hive}/notes`, { body: { files: { "app.json": { brand: { keep: null } } } } });
    expect([before, await textOf("brand")]).toEqual(["Skep", "⟦Šķķéþþ⟧"]);
    await post({ "app.json": { brand: "Hive" } });
    expect(await textOf("brand")).toBe("⟦Ĥîîṽéé⟧");
  });

  it("comes in an export of all locales that asks for it", async () => {
    expect(Object.keys(await exported(""))).toEqual(["en.json", "fr.json", "pt_BR.json"]);
    const all = await exported("pseudo=true&shape=nested");
    expect(Object.keys(all)).toEqual(["en.json", "fr.json", "pt_BR.json", "en-XA.json", "ar-XB.json"]);
    expect(all["en-XA.json"]).toMatchObject({ app: { short: "Šåṽé åļļ" } });
    const php = await call("GET", `${hive}/export?pseudo=1&format=php`);
    expect(Object.keys(php.json.files)).toContain("ar-XB/app.php");
  });

  it.each(["pseudo=true&locale=fr", "pseudo=yes"])("is refused on pseudo: %s", async (query) => {
    const { status, json } = await call("GET", `${hive}/export?${query}`);
    expect([status, Object.keys(json.errors)]).toEqual([422, ["pseudo"]]);
  });

  it("is no locale anywhere else", async () => {
    const written = await fill("en-XA", { "app.json": { brand: "X" } });
    const work = await call("POST", `${hive}/work`, { body: { locale: "en-XA" } });
    const listed = await call("GET", `${hive}/untranslated?locale=ar-XB`);
    for (const { status, json } of [written, work, listed])
      expect([status, json.code]).toEqual([422, "unknown_locale"]);
    const { json } = await call("GET", hive);
    expect(Object.keys(json.locales)).toEqual(["fr", "pt_BR"]);
  });

  it("is the locale of the Hive where that has one of its code", async () => {
    await call("POST", `${hive}/locales`, { body: { code: "en-XA" } });
    await fill("en-XA", { "app.json": { brand: "Own" } });
    expect(await exported("locale=en-XA")).toEqual({ "app.json": { brand: "Own" }, "en.json": {} });
    const all = await exported("pseudo=true");
    expect([Object.keys(all), all["en-XA.json"]]).toEqual([
      ["en.json", "fr.json", "pt_BR.json", "en-XA.json", "ar-XB.json"],
      { "app.brand": "Own" },
    ]);
  });
});

describe("a channel with pseudo-locales", () => {
  const ask = (path: string) => call("GET", path, { token: null });
  const set = async (body: object): Promise<string> =>
    (await call("PUT", `${hive}/channels/app`, { body: { public: true, ...body } })).json.path;

  it("publishes them beside its locales, and at content addresses", async () => {
    const path = await set({ locales: ["fr"], pseudo: true, shape: "flat" });
    const { files } = (await ask(`${path}manifest.json`)).json;
    expect(Object.keys(files)).toEqual(["fr.json", "en-XA.json", "ar-XB.json"]);
    const whole = await ask(`${path}en-XA.json`);
    expect(whole.json).toMatchObject({ "app.brand": "Skep", "app.short": "Šåṽé åļļ" });
    expect((await ask(files["en-XA.json"])).text).toBe(whole.text);
    expect((await ask(files["en-XA.json"].replace("en-XA", "ar-XB"))).status).toBe(404);
    expect((await ask(`${path}ar-XB/app.json`)).json).toMatchObject({ brand: "Skep" });
    await call("PATCH", `${hive}/notes`, { body: { files: { "app.json": { brand: { keep: null } } } } });
    expect((await ask(`${path}en-XA.json`)).json["app.brand"]).toBe("⟦Šķķéþþ⟧");
    const after = (await ask(`${path}manifest.json`)).json.files;
    expect([after["fr.json"], after["en-XA.json"]]).toEqual([
      files["fr.json"],
      expect.not.stringContaining(files["en-XA.json"]),
    ]);
    expect((await ask(files["en-XA.json"])).json["app.brand"]).toBe("Skep");
    expect((await call("PATCH", `${hive}/channels/app`, { body: { pseudo: null } })).json.pseudo).toBe(false);
    for (const address of [`${path}en-XA.json`, files["en-XA.json"]])
      expect((await ask(address)).status).toBe(404);
    expect(Object.keys((await ask(`${path}manifest.json`)).json.files)).toEqual(["fr.json"]);
  });

  it("has their texts of some tags alone, also at content addresses", async () => {
    const path = await set({ pseudo: true, tag: "shop", failing: "omit", state: "approved" });
    const { files } = (await ask(`${path}manifest.json`)).json;
    for (const address of [`${path}ar-XB.json`, files["ar-XB.json"]])
      expect((await ask(address)).json).toEqual({ app: { brand: "Skep" } });
  });
});
