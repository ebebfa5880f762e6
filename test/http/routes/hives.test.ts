import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { hiveList, hiveProgress } from "../../../src/api/hives.ts";
import { strings } from "../../../src/api/content/strings.ts";
import { worldLocales } from "../../../src/api/team/world-locales.ts";
import { authenticate } from "../../../src/service/access.ts";
import { reachableHives } from "../../../src/service/content/overviews.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { addLocales } from "../../../src/service/admin/locales.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  byCommand,
  realFolder,
  type Call,
  setUpWeb,
} from "../../helpers/storage.ts";
import fs from "node:fs";

let disk: Disk;
let folder: string;
let storage: Storage;
let call: Call;
const { fill } = hiveAt(() => call);

beforeEach(async () => {
  ({ disk, folder, storage, call } = await setUpWeb({ source: "en=en_US", locales: ["fr", "pt-BR=pt_BR"] }));
});

async function importSource(files: object, slug = "web", body: object = {}): Promise<void> {
  const { status } = await call("POST", `/api/hives/${slug}/strings`, { body: { files, ...body } });
  expect(status).toBe(200);
}

async function translate(locale: string, files: object): Promise<void> {
  const { status } = await fill(locale, files);
  expect(status).toBe(200);
}

describe("GET /api/locales", () => {
  it("gives the locales of the world with all members, and 304 when they are known", async () => {
    const { status, headers, json } = await call("GET", "/api/locales");
    expect(status).toBe(200);
    const { locales } = worldLocales.operations.listLocales.response.strict().parse(json);
    expect(locales).toContainEqual({
      code: "pt-BR",
      name: "Portuguese (Brazil)",
      region: "BR",
      rtl: false,
      is_popular: true,
    });
    expect(locales).toContainEqual({ code: "ar", name: "Arabic", region: "", rtl: true, is_popular: true });
    const again = await call("GET", "/api/locales", {
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    expect(headers.get("x-skep-commit")).toBeNull();
  });

  it("requires a token that can read", async () => {
    expect((await call("GET", "/api/locales", { token: null })).status).toBe(401);
    const writer = await makeToken(storage, { abilities: ["write"] });
    expect((await call("GET", "/api/locales", { token: writer })).status).toBe(403);
    const admin = await makeToken(storage, { abilities: ["admin"] });
    expect((await call("GET", "/api/locales", { token: admin })).status).toBe(200);
    const other = await call("POST", "/api/locales", { body: {} });
    expect([other.status, other.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("GET /api/hives", () => {
  const list = "/api/hives";

  it("gives what clients show of each Hive, under both names", async () => {
    await importSource({ "auth.php": { a: "A", b: { c: "C" }, silent: "" } });
    const { json } = await call("GET", list);
    const { hives, data } = hiveList.strict().parse(json);
    expect(hives).toEqual([
      {
        slug: "web",
        name: "web",
        source_locale: "en_US",
        locales: ["fr", "pt_BR"],
        string_count: 2,
        empty_source: 1,
      },
    ]);
    expect(data).toEqual(hives);
  });

  it("has only Hives within the token's reach", async () => {
    await makeHive(storage, "app");
    await makeHive(storage, "theirs", { team: "other" });
    const slugs = async (token?: string): Promise<readonly string[]> => {
      const { json } = await call("GET", list, token === undefined ? {} : { token });
      return json.hives.map(({ slug }: { slug: string }) => slug);
    };
    expect(await slugs()).toEqual(["web", "app"]);
    expect(await slugs(await makeToken(storage, { hives: ["app"] }))).toEqual(["app"]);
    expect(await slugs(await makeToken(storage, { team: "other" }))).toEqual(["theirs"]);
    const writer = await makeToken(storage, { abilities: ["write"] });
    expect((await call("GET", list, { token: writer })).status).toBe(403);
  });

  it("follows every change, by whomever, also when it was answered before", async () => {
    const elsewhere = openStorage({ folder, disk });
    const expectList = async (expected: readonly object[]): Promise<void> => {
      for (let i = 0; i < 2; i++) expect((await call("GET", list)).json.hives).toMatchObject(expected);
    };
    await expectList([{ slug: "web", string_count: 0 }]);
    await importSource({ "a.json": { a: "A" } });
    await expectList([{ slug: "web", string_count: 1 }]);
    await addLocales(elsewhere, toHiveSlug("web"), [toLocale("de")], byCommand);
    await expectList([{ slug: "web", locales: ["fr", "pt_BR", "de"] }]);
    await makeHive(elsewhere, "app");
    await expectList([{ slug: "web" }, { slug: "app", string_count: 0 }]);
    await deleteHive(elsewhere, toHiveSlug("web"));
    await expectList([{ slug: "app" }]);
  });

  it("is empty for a team without Hives", async () => {
    await deleteHive(storage, toHiveSlug("web"));
    expect((await call("GET", list)).json).toEqual({ hives: [], data: [] });
  });

  it("shows a Hive with broken content at its last readable commit, and the others as they are", async () => {
    const folder = realFolder();
    const real = openStorage({ folder, disk: fs });
    await makeHive(real, "web");
    await makeHive(real, "app");
    ({ call } = harness(real, await makeToken(real)));
    await importSource({ "a.json": { a: "A" } });
    const ref = join(folder, "hives/web.git/refs/heads/main");
    const good = fs.readFileSync(ref);
    fs.writeFileSync(ref, "nonsense\n");
    const broken = await call("GET", list);
    expect(broken.json.hives).toMatchObject([{ slug: "web", string_count: 1 }, { slug: "app" }]);
    expect((await call("GET", "/api/hives/web")).status).toBe(503);
    fs.writeFileSync(ref, good);
    expect((await call("GET", "/api/hives/web")).status).toBe(200);
  });

  it("reads very many unknown Hives as a slow read, which ends with its caller", async () => {
    const token = await makeToken(storage);
    const { team } = await authenticate(storage, token);
    const missing = Array.from({ length: 150 }, (_, n) => toHiveSlug(`missing-${n}`));
    const all = { ...team, hives: [...team.hives, ...missing] };
    await storage.lockTeam(team.name, (lock) => storage.registry.saveTeam(all, lock));
    const caller = await authenticate(storage, token);
    const left = AbortSignal.abort(new Error("the caller left"));
    await expect(reachableHives(storage, caller, (read) => read(left))).rejects.toThrow("the caller left");
    const { json } = await call("GET", list, { token });
    expect(json.hives).toMatchObject([{ slug: "web" }]);
  });
});

describe("GET /api/hives/{slug}", () => {
  const show = "/api/hives/web";

  it("tells how far each target locale is translated, under both names", async () => {
    await importSource({ "auth.php": { a: "A", b: "B", c: "C", silent: "" }, "en.json": { d: "D" } });
    await translate("fr", { "auth.php": { a: "x", b: "y", c: "z" } });
    const { json, headers } = await call("GET", show);
    expect(Object.keys(json)).toEqual([
      "slug",
      "name",
      "source_locale",
      "string_count",
      "empty_source",
      "max_deletions",
      "plurals",
      "push",
      "checks",
      "engines",
      "glossary",
      "locales",
      "stats",
    ]);
    const { locales, stats, ...rest } = hiveProgress.strict().parse(json);
    expect(rest).toEqual({
      max_deletions: null,
      plurals: "auto",
      push: "branches",
      engines: true,
      checks: { level: "warn", syntax: [{ files: "*.php", syntax: "laravel" }], formats: [] },
      glossary: null,
      slug: "web",
      name: "web",
      source_locale: "en_US",
      string_count: 4,
      empty_source: 1,
    });
    const none = { translated: 0, approved: 0, waiting: 0, warning: 0, inherited: 0, failing: 0 };
    expect(locales).toEqual({
      fr: {
        translated: 3,
        approved: 3,
        waiting: 0,
        warning: 0,
        empty: 1,
        inherited: 0,
        failing: 0,
        total: 4,
        translated_percent: 75,
        approved_percent: 75,
      },
      pt_BR: { ...none, empty: 4, total: 4, translated_percent: 0, approved_percent: 0 },
    });
    expect(stats).toEqual(locales);
    expect(headers.get("x-skep-commit")).toMatch(/^[0-9a-f]{40}$/);
  });

  it("counts what is stale as a warning, until it is confirmed", async () => {
    await importSource({ "a.json": { a: "A", b: "B", c: "C" } });
    await translate("fr", { "a.json": { a: "x", b: "y" } });
    await importSource({ "a.json": { a: "A, changed" } });
    expect((await call("GET", show)).json.stats.fr).toEqual({
      translated: 1,
      approved: 1,
      waiting: 0,
      warning: 1,
      empty: 1,
      inherited: 0,
      failing: 0,
      total: 3,
      translated_percent: 66.6,
      approved_percent: 33.3,
    });
    const body = { locale: "fr", file: "a.json", keys: ["a"] };
    expect((await call("POST", `${show}/stale/confirm`, { body })).status).toBe(200);
    expect((await call("GET", show)).json.stats.fr).toMatchObject({ translated: 2, warning: 0 });
  });

  it("counts zero in a Hive without strings, and is an empty object without locales", async () => {
    expect((await call("GET", show)).json.locales.fr).toMatchObject({
      total: 0,
      translated_percent: 100,
      approved_percent: 100,
    });
    await makeHive(storage, "bare", { locales: [] });
    expect((await call("GET", "/api/hives/bare")).json).toMatchObject({ locales: {}, stats: {} });
  });

  it("follows a change of one locale, and says 304 otherwise", async () => {
    await importSource({ "a.json": { a: "A" } });
    const { headers } = await call("GET", show);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    expect((await call("GET", show, { headers: known })).status).toBe(304);
    await translate("fr", { "a.json": { a: "x" } });
    const changed = await call("GET", show, { headers: known });
    expect(changed.json.locales).toMatchObject({ fr: { translated: 1 }, pt_BR: { translated: 0 } });
  });

  it("gives the same answer for a Hive out of reach and for a missing one", async () => {
    await makeHive(storage, "theirs", { team: "other" });
    for (const path of ["", "/keys"]) {
      const [theirs, none] = [
        await call("GET", `/api/hives/theirs${path}`),
        await call("GET", `/api/hives/none${path}`),
      ];
      expect(theirs.status).toBe(404);
      expect(theirs.text).toBe(none.text);
    }
  });
});

describe("GET /api/hives/{slug}/keys", () => {
  it("gives every key in the order of lists, without a file for the source locale's own", async () => {
    await importSource({
      "en.json": { "Hello. You?": "Hi" },
      "en_US.php": { only: "Only" },
      "auth.php": { nav: { home: "Home" }, silent: "", days: ["Mon"] },
    });
    const { json } = await call("GET", "/api/hives/web/keys");
    expect(strings.operations.listKeys.response.strict().parse(json)).toEqual({
      total: 5,
      keys: [
        { key: "nav.home", file: "auth.php" },
        { key: "silent", file: "auth.php" },
        { key: "days.0", file: "auth.php" },
        { key: "Hello. You?", file: null },
        { key: "only", file: null },
      ],
    });
  });
});

describe("a path with repeated slashes", () => {
  it.each(["//api//locales", "/api//hives", "/api/hives//web", "//api/hives/web//keys"])(
    "means the same as without: %s",
    async (path) => {
      const plain = await call("GET", path.replaceAll(/\/+/g, "/"));
      const { status, text } = await call("GET", path);
      expect(status).toBe(200);
      expect(text).toBe(plain.text);
    },
  );
});
