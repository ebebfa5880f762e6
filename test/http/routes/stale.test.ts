/** Stale translations over HTTP: what makes them so, what clears them, and what is in git. */
import { beforeEach, describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { addLocales, removeFile, removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { filesOf } from "../../../src/git/objects/tree.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { byCommand, type Call, harness, makeToken, prepareWeb } from "../../helpers/storage.ts";

const slug = toHiveSlug("web");
const base = "/api/hives/web";
let disk: Disk;
let storage: Storage;
let call: Call;
const web = hiveAt(() => call);
const { put, head, translate, exported } = web;

const prepared = prepareWeb({ locales: ["fr", "pt-BR=pt_BR"] }, async (web) => {
  ({ call } = web);
  await post({ "a.php": { x: "X", n: { y: "Y" } }, "b.php": { z: "Z" } });
  await translate("fr", { "a.php": { x: "FX", "n.y": "FY" } });
  await translate("pt_BR", { "a.php": { x: "PX" }, "b.php": { z: "PZ" } });
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

const post = (files: unknown, strategy = "keep") =>
  web.post(files, { body: { conflict_strategy: strategy } });
const confirm = (body: unknown) => call("POST", `${base}/stale/confirm`, { body });

async function stale(query = ""): Promise<string[]> {
  const { status, json } = await call("GET", `${base}/stale${query}`);
  expect(status).toBe(200);
  return json.data.map((one: Record<string, string>) =>
    [one.locale, one.file, one.key, one.old_source_value, one.source_value, one.translation].join(" "),
  );
}

/** The files of markers at HEAD. */
async function stored(): Promise<string[]> {
  const { tree } = await storage.hives.at(slug).snapshot();
  return Array.from(filesOf(tree), ({ path }) => path)
    .filter((path) => path.startsWith("stale/"))
    .toSorted();
}

describe("GET /stale", () => {
  it("lists what an import kept although the source text changed", async () => {
    expect(await stale()).toEqual([]);
    await post({ "b.php": { z: "Z2" }, "a.php": { n: { y: "Y2" }, x: "X2" } });
    expect(await stale()).toEqual([
      "fr a.php x X X2 FX",
      "fr a.php n.y Y Y2 FY",
      "pt_BR a.php x X X2 PX",
      "pt_BR b.php z Z Z2 PZ",
    ]);
    expect(await stored()).toEqual([
      "stale/fr/a.php.json",
      "stale/pt-BR/a.php.json",
      "stale/pt-BR/b.php.json",
    ]);
  });

  it.each(["pt_BR", "pt-BR", "PT-br"])("takes the locale as %s, and pages", async (locale) => {
    await post({ "b.php": { z: "Z2" }, "a.php": { n: { y: "Y2" }, x: "X2" } });
    expect(await stale(`?locale=${locale}`)).toEqual(["pt_BR a.php x X X2 PX", "pt_BR b.php z Z Z2 PZ"]);
    const { json } = await call("GET", `${base}/stale?locale=${locale}&per_page=1&page=2`);
    expect(json.data).toEqual([
      {
        locale: "pt_BR",
        file: "b.php",
        key: "z",
        old_source_value: "Z",
        source_value: "Z2",
        translation: "PZ",
      },
    ]);
    expect(json.meta).toEqual({ current_page: 2, last_page: 2, per_page: 1, total: 2 });
  });

  it.each(["locale=xx", "locale=en", "page=0", "per_page=x", "locale=fr&locale=fr"])(
    "refuses ?%s",
    async (query) => {
      const { status, json } = await call("GET", `${base}/stale?${query}`);
      expect([status, Object.keys(json.errors)]).toEqual([422, [query.split("=")[0]]]);
    },
  );

  it("has an ETag that changes with the markers, while that of lists and exports does not", async () => {
    await post({ "a.php": { x: "X2" } });
    const etag = async (path: string) => (await call("GET", base + path)).headers.get("etag") ?? "";
    const before = [await etag("/stale?locale=fr"), await etag("/strings"), await etag("/export?locale=fr")];
    const again = await call("GET", `${base}/stale?locale=fr`, {
      headers: { "if-none-match": before[0] ?? "" },
    });
    expect(again.status).toBe(304);
    await confirm({ locale: "fr", file: "a.php", keys: ["x"] });
    expect(await etag("/stale?locale=fr")).not.toBe(before[0]);
    expect([await etag("/strings"), await etag("/export?locale=fr")]).toEqual(before.slice(1));
  });

  it("requires the read ability", async () => {
    const token = await makeToken(storage, { abilities: ["write"] });
    expect((await call("GET", `${base}/stale`, { token })).status).toBe(403);
  });
});

describe("a marker", () => {
  beforeEach(() => post({ "a.php": { x: "X2" } }));
  const both = ["fr a.php x X X2 FX", "pt_BR a.php x X X2 PX"];

  it("is in the commit that changed the source text, and is there after a restart", async () => {
    const { call: fresh } = harness(
      openStorage({ disk, folder: storage.hives.folderOf(slug).replace(/\/hives\/.*/, "") }),
      await makeToken(storage),
    );
    const { json } = await fresh("GET", `${base}/stale`);
    expect(json.meta.total).toBe(2);
  });

  it("stays when the same texts are sent again, or skipped", async () => {
    const before = await head();
    await post({ "a.php": { x: "X2" } });
    await translate("fr", { "a.php": { x: "FX" } });
    await translate("fr", { "a.php": { x: "other" } }, { body: { overwrite_strategy: "skip" } });
    expect(await head()).toBe(before);
    expect(await stale()).toEqual(both);
  });

  it("stays with the first text, through other shapes and custom codes", async () => {
    await post({ "a.php": { x: "X3" } });
    await put({ "a.php": { "n.y": "Y", x: "X3" } });
    await changeLocale(storage, slug, "pt-BR", { customCode: toLocale("pt-BR=br").customCode }, byCommand);
    expect(await stale()).toEqual(["fr a.php x X X3 FX", "br a.php x X X3 PX"]);
    expect(await stale("?locale=br")).toEqual(["br a.php x X X3 PX"]);
  });

  it.each<[string, () => Promise<unknown>, string[]]>([
    ["another translation", () => translate("fr", { "a.php": { x: "F2" } }), both.slice(1)],
    ["the return of the source text", () => post({ "a.php": { x: "X" } }), []],
    ["the end of the string", () => put({ "a.php": { n: { y: "Y" } } }), []],
    ["the end of the file by a sync", () => put({ "a.php": {} }), []],
    ["the end of the file", () => removeFile(storage, slug, "a.php", byCommand), []],
    ["the end of the locale", () => removeLocale(storage, slug, "fr", byCommand), both.slice(1)],
    ["clear", () => post({ "a.php": { x: "X3" } }, "clear"), []],
    ["a confirmation", () => confirm({ locale: "fr", file: "a.php", keys: ["x"] }), both.slice(1)],
  ])("goes with %s", async (_, run, left) => {
    await run();
    expect(await stale()).toEqual(left);
    expect(await stored()).toHaveLength(left.length);
  });

  it("does not come back with a removed locale that is added again", async () => {
    await removeLocale(storage, slug, "fr", byCommand);
    await addLocales(storage, slug, [toLocale("fr")], byCommand);
    await translate("fr", { "a.php": { x: "FX" } });
    expect(await stale()).toEqual(both.slice(1));
  });
});

describe("POST /stale/confirm", () => {
  beforeEach(() => post({ "a.php": { x: "X2", n: { y: "Y2" } } }));

  it("counts what is confirmed and what is not stale, in one commit or none", async () => {
    const body = { locale: "pt-br", file: "a.php", keys: ["x", "n.y", "nope", "x"] };
    expect((await confirm(body)).json).toEqual({ confirmed: 1, unknown: 2 });
    const before = await head();
    expect((await confirm(body)).json).toEqual({ confirmed: 0, unknown: 3 });
    expect((await confirm({ ...body, file: "nope.php" })).json).toEqual({ confirmed: 0, unknown: 3 });
    expect((await confirm({ ...body, keys: [] })).json).toEqual({ confirmed: 0, unknown: 0 });
    expect(await head()).toBe(before);
    expect(await stale()).toEqual(["fr a.php x X X2 FX", "fr a.php n.y Y Y2 FY"]);
  });

  it("makes a translation current: the next change is detected from there", async () => {
    await confirm({ locale: "fr", file: "a.php", keys: ["x"] });
    await post({ "a.php": { x: "X3" } });
    expect(await stale("?locale=fr")).toEqual(["fr a.php x X2 X3 FX", "fr a.php n.y Y Y2 FY"]);
  });

  it.each<[unknown, string]>([
    [{ locale: "xx", file: "a.php", keys: [] }, "locale"],
    [{ locale: "en", file: "a.php", keys: [] }, "locale"],
    [{ file: "a.php", keys: [] }, "locale"],
    [{ locale: "fr", file: 1, keys: [] }, "file"],
    [{ locale: "fr", file: "a.php" }, "keys"],
    [{ locale: "fr", file: "a.php", keys: ["x", 1] }, "keys.1"],
    [[], "body"],
  ])("refuses %j", async (body, field) => {
    const { status, json } = await confirm(body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("refuses unknown parameters and tokens that only read", async () => {
    const body = { locale: "fr", file: "a.php", keys: ["x"] };
    expect((await call("POST", `${base}/stale/confirm?dry=1`, { body })).status).toBe(422);
    const token = await makeToken(storage, { abilities: ["read"] });
    expect((await call("POST", `${base}/stale/confirm`, { body, token })).status).toBe(403);
    expect(await stale("?locale=fr")).toHaveLength(2);
  });
});

describe("stale markers that a git user wrote", () => {
  const outside = (files: Record<string, string>) => commitOutside({ storage, disk, slug }, { files });

  it("are read like ours, and ignored if nothing is stale", async () => {
    await outside({
      "stale/fr/a.php.json": '{"x": "old", "n.y": "Y", "nope": "?"}',
      "stale/fr/gone.php.json": '{"x": "old"}',
      "stale/it/a.php.json": '{"x": "old"}',
      "stale/en/a.php.json": '{"x": "old"}',
    });
    expect(await stale()).toEqual(["fr a.php x old X FX"]);
  });

  it.each([
    ["stale/fr/a.php.json", "{"],
    ["stale/fr/a.php.json", '{"x": 1}'],
    ["stale/fr/a.php.json", '{"n": {"y": "old"}}'],
    ["stale/fr/a.php.json", "[]"],
    ["stale/fr/a.php", "{}"],
    ["stale/fr/.hidden.json", "{}"],
  ])("that cannot be read (%s %j) stop what needs them, and nothing else", async (path, content) => {
    const commit = await outside({ [path]: content });
    const broken = [503, `Hive content at ${commit} is invalid: ${path}`];
    for (const reply of [
      await call("GET", `${base}/stale`),
      await confirm({ locale: "fr", file: "a.php", keys: ["x"] }),
      await post({ "a.php": { x: "X2" } }),
      await translate("fr", { "a.php": { x: "F2" } }),
    ]) {
      expect([reply.status, reply.json.message]).toEqual(broken);
    }
    expect((await call("GET", `${base}/strings`)).status).toBe(200);
    expect((await exported()).status).toBe(200);
    expect((await call("GET", `${base}/stale?locale=pt_BR`)).status).toBe(200);
    expect((await translate("pt_BR", { "a.php": { x: "P2" } })).status).toBe(200);
  });
});
