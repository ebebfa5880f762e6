/** The flows of the two open-source clients, as they call a server: every request by hand, over a real socket. */
import { beforeEach, describe, expect, it } from "vitest";
import { readPhpArray } from "../helpers/php.ts";
import { acmeStorage, createToken, type Served, serveInProcess, skepOk } from "../helpers/process.ts";

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any;
}

interface Client {
  readonly get: (path: string) => Promise<Answer>;
  readonly send: (method: string, path: string, body: object) => Promise<Answer>;
}

/** A client with a base URL, which it puts before every path with a slash between. */
function clientOf(base: string, token: string): Client {
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const json = { "content-type": "application/json" };
    const response = await fetch(`${base}/${path}`, {
      ...init,
      headers: init.body === undefined ? headers : { ...headers, ...json },
    });
    return { status: response.status, json: await response.json() };
  };
  return {
    get: (path) => call(path),
    send: (method, path, body) => call(path, { method, body: JSON.stringify(body) }),
  };
}

let storage: string;
let server: Served;

async function start(...hive: readonly string[]): Promise<string> {
  storage = await acmeStorage({ web: ["--name", "Web", ...hive] });
  const token = await createToken(storage);
  server = await serveInProcess(storage);
  return token;
}

describe("the Laravel package", () => {
  /** What `lang/` holds, as PHP's json_encode sends it. */
  const source = {
    "auth.php": { failed: "Wrong.", throttle: { short: "Wait.", long: "Wait :seconds s." } },
    "validation.php": {
      between: { string: "Between." },
      custom: { days: ["Mon", "Tue", "Wed"] },
      attributes: [],
      values: [],
    },
    "admin/menu.php": { home: "Home" },
    "en.json": { "Welcome, :name. Come in!": "Welcome, :name. Come in!", Bye: "Bye" },
  };
  const french = {
    "auth.php": { failed: "Faux.", throttle: { short: "Attendez." } },
    "validation.php": { custom: { days: ["lun", "mar", "mer"] }, attributes: [] },
    "en.json": { "Welcome, :name. Come in!": "Bienvenue, :name !" },
  };
  let client: Client;

  beforeEach(async () => {
    const token = await start("--locale", "fr", "--locale", "pt-BR=pt_BR");
    // The base URL has no /api; one that ends in a slash makes two in a row.
    client = clientOf(`${server.url}/`, token);
    const pushed = await client.send("PUT", "api/hives/web/strings", {
      files: source,
      conflict_strategy: "keep",
    });
    expect(pushed).toEqual({
      status: 200,
      json: { created: 10, updated: 0, unchanged: 0, deleted: 0, translations_cleared: 0 },
    });
    const translated = await client.send("POST", "api/hives/web/translations/fr", {
      files: french,
      overwrite_strategy: "overwrite",
    });
    expect(translated.json).toEqual({ created: 6, updated: 0, skipped: 0, unknown: 0 });
  });

  it("finds its Hive, the progress of its locales, and the keys", async () => {
    expect((await client.get("api/hives")).json.data).toEqual([
      {
        slug: "web",
        name: "Web",
        source_locale: "en",
        locales: ["fr", "pt_BR"],
        string_count: 10,
        empty_source: 0,
      },
    ]);
    const { json } = await client.get("api/hives/web");
    expect(json).toMatchObject({ slug: "web", name: "Web", source_locale: "en", string_count: 10 });
    expect(json.stats.fr).toMatchObject({ translated: 6, total: 10, translated_percent: 60 });
    expect(json.stats.pt_BR).toMatchObject({ empty: 10, translated_percent: 0 });
    const { total, keys } = (await client.get("api/hives/web/keys")).json;
    // As `__()` looks them up: behind the file's name without extension, bare for those of en.json.
    const lookups = keys.map(({ key, file }: { key: string; file: string | null }) =>
      file === null ? key : `${file.replace(/\.php$/, "")}.${key}`,
    );
    expect(total).toBe(10);
    expect(lookups).toEqual([
      "admin/menu.home",
      "auth.failed",
      "auth.throttle.short",
      "auth.throttle.long",
      "Welcome, :name. Come in!",
      "Bye",
      "validation.between.string",
      "validation.custom.days.0",
      "validation.custom.days.1",
      "validation.custom.days.2",
    ]);
    const { locales } = (await client.get("api/locales")).json;
    expect(locales).toContainEqual(expect.objectContaining({ code: "pt-BR", region: "BR", rtl: false }));
  });

  it("pulls one locale as PHP arrays in the shape of the source, and as JSON", async () => {
    const php = await client.get("api/hives/web/export?locale=fr&format=php");
    expect(Object.keys(php.json.files)).toEqual(["admin/menu.php", "auth.php", "en.php", "validation.php"]);
    expect(readPhpArray(php.json.files["auth.php"])).toEqual(french["auth.php"]);
    expect(readPhpArray(php.json.files["validation.php"])).toEqual({
      custom: french["validation.php"].custom,
    });
    expect(readPhpArray(php.json.files["admin/menu.php"])).toEqual([]);
    const json = await client.get("api/hives/web/export?locale=fr");
    expect(JSON.parse(json.json.files["en.json"])).toEqual(french["en.json"]);
    expect(JSON.parse(json.json.files["auth.json"])).toEqual({
      failed: "Faux.",
      "throttle.short": "Attendez.",
    });
    const nested = await client.get("api/hives/web/export?locale=fr&shape=nested");
    expect(JSON.parse(nested.json.files["auth.json"])).toEqual(french["auth.php"]);
    const own = await client.get("api/hives/web/export?locale=en&format=php");
    expect(readPhpArray(own.json.files["validation.php"])).toEqual(source["validation.php"]);
  });

  it("pulls all locales: a JSON file for each, or a folder of PHP files", async () => {
    const json = await client.get("api/hives/web/export");
    expect(Object.keys(json.json.files)).toEqual(["en.json", "fr.json", "pt_BR.json"]);
    expect(JSON.parse(json.json.files["fr.json"])).toEqual({
      "auth.failed": "Faux.",
      "auth.throttle.short": "Attendez.",
      "Welcome, :name. Come in!": "Bienvenue, :name !",
      "validation.custom.days.0": "lun",
      "validation.custom.days.1": "mar",
      "validation.custom.days.2": "mer",
    });
    const php = await client.get("api/hives/web/export?format=php");
    const names = ["admin/menu.php", "auth.php", "en.php", "validation.php"];
    expect(Object.keys(php.json.files)).toEqual(
      ["en", "fr", "pt_BR"].flatMap((code) => names.map((name) => `${code}/${name}`)),
    );
    expect(readPhpArray(php.json.files["fr/auth.php"])).toEqual(french["auth.php"]);
  });

  it("sends back what it pulled without changing anything", async () => {
    const { files } = (await client.get("api/hives/web/export?locale=fr&format=php")).json;
    const arrays = Object.fromEntries(
      Object.entries<string>(files).map(([name, code]) => [name, readPhpArray(code)]),
    );
    const again = await client.send("POST", "api/hives/web/translations/fr", {
      files: arrays,
      overwrite_strategy: "overwrite",
    });
    expect(again.json).toEqual({ created: 0, updated: 0, skipped: 6, unknown: 0 });
  });

  it("knows the team's limit by its message, and every other 422 by its own", async () => {
    await skepOk(storage, "team", "update", "acme", "--max-strings", "10");
    const limit = await client.send("POST", "api/hives/web/strings", { files: { "new.php": { one: "1" } } });
    expect(limit).toEqual({
      status: 422,
      json: {
        message: "String limit reached for your plan.",
        code: "quota_exceeded",
        details: expect.any(String),
        limit: expect.any(Number),
        used: expect.any(Number),
        requested: expect.any(Number),
      },
    });
    const wrong = await client.send("POST", "api/hives/web/strings", {
      files: { "auth.php": { failed: 5 } },
    });
    expect(wrong.status).toBe(422);
    expect(wrong.json.message).toContain("files.auth.php.failed");
  });
});

describe("the Node package", () => {
  const source = Object.fromEntries(
    Array.from({ length: 250 }, (_, i) => [
      i % 2 === 0 ? `page.item${i}` : `Sentence ${i}. Really?`,
      `Text ${i}`,
    ]),
  );
  let client: Client;

  beforeEach(async () => {
    const token = await start("--locale", "fr", "--locale", "de");
    // The base URL ends in /api.
    client = clientOf(`${server.url}/api`, token);
    const pushed = await client.send("POST", "hives/web/strings", { files: { "en.json": source } });
    expect(pushed.json).toEqual({ created: 250, updated: 0, unchanged: 0, translations_cleared: 0 });
  });

  it("sends translations as the locale's own file and pulls all locales as flat JSON", async () => {
    const french = { "page.item0": "Texte 0", "Sentence 1. Really?": "Texte 1", "no.such": "?" };
    const translated = await client.send("POST", "hives/web/translations/fr", {
      files: { "fr.json": french },
    });
    expect(translated.json).toEqual({ created: 2, updated: 0, skipped: 0, unknown: 1 });
    const { files } = (await client.get("hives/web/export")).json;
    expect(Object.keys(files)).toEqual(["en.json", "fr.json", "de.json"]);
    expect(JSON.parse(files["en.json"])).toEqual(source);
    expect(JSON.parse(files["fr.json"])).toEqual({
      "page.item0": "Texte 0",
      "Sentence 1. Really?": "Texte 1",
    });
    expect(JSON.parse(files["de.json"])).toEqual({});
    const one = (await client.get("hives/web/export?locale=fr&format=json")).json;
    expect(Object.keys(one.files)).toEqual(["en.json"]);
  });

  it("gets every string once by listing all pages, and the same count from the Hive", async () => {
    const found: [string, string][] = [];
    for (let page = 1, last = 1; page <= last; page++) {
      const { data, meta } = (await client.get(`hives/web/strings?page=${page}&per_page=100`)).json;
      last = meta.last_page;
      for (const { key, source_value: text, file } of data) {
        expect(file).toBe("en.json");
        found.push([key, text]);
      }
    }
    expect(found.length).toBe(250);
    expect(Object.fromEntries(found)).toEqual(source);
    const { json } = await client.get("hives/web");
    expect(json).toMatchObject({ string_count: 250, locales: { fr: { empty: 250, total: 250 } } });
    expect((await client.get("hives")).json.hives).toMatchObject([{ slug: "web", string_count: 250 }]);
    expect((await client.get("hives/web/keys")).json.keys[0]).toEqual({ key: "page.item0", file: null });
    expect((await client.get("locales")).json.locales.length).toBeGreaterThan(500);
  });

  it("tells the team's limit by the missing `errors`", async () => {
    await skepOk(storage, "team", "update", "acme", "--max-strings", "250");
    const limit = await client.send("PUT", "hives/web/strings", {
      files: { "en.json": { ...source, more: "More" } },
    });
    expect(limit.status).toBe(422);
    expect(limit.json).not.toHaveProperty("errors");
    const wrong = await client.send("PUT", "hives/web/strings", { files: { "en.json": { more: null } } });
    expect(wrong.status).toBe(422);
    expect(wrong.json).toHaveProperty("errors");
  });
});
