/** What is left to translate, over HTTP. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, makeToken, prepareWeb } from "../../helpers/storage.ts";

const base = "/api/hives/web";
const path = `${base}/untranslated`;
let disk: Disk;
let storage: Storage;
let call: Call;
const { post, fill } = hiveAt(() => call);

const prepared = prepareWeb({ locales: ["fr", "pt-BR=pt_BR"] }, async (web) => {
  ({ call } = web);
  await post({ "a.php": { x: "X", n: { y: "Y" }, silent: "" }, "b.php": { z: "Z" } });
  await fill("pt_BR", { "a.php": { x: "PX", "n.y": "PY" } });
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

async function left(query: string): Promise<string[]> {
  const { status, json } = await call("GET", path + query);
  expect(status).toBe(200);
  expect(json.meta.total).toBe(json.data.length);
  return json.data.map(({ file, key, state }: Record<string, string>) => `${file} ${key} ${state}`);
}

describe("GET /untranslated", () => {
  it("lists missing and stale texts with their source texts, by any code of the locale", async () => {
    await post({ "a.php": { x: "X2" } });
    for (const code of ["pt_BR", "pt-BR"]) {
      const { status, json } = await call("GET", `${path}?locale=${code}`);
      expect([status, json]).toEqual([
        200,
        {
          data: [
            {
              file: "a.php",
              key: "x",
              source_value: "X2",
              state: "stale",
              translation: "PX",
              old_source_value: "X",
            },
            {
              file: "b.php",
              key: "z",
              source_value: "Z",
              state: "missing",
              translation: null,
              old_source_value: null,
            },
          ],
          meta: { current_page: 1, last_page: 1, per_page: 100, total: 2 },
        },
      ]);
    }
  });

  it("can be asked for by state, by file and by page", async () => {
    await post({ "a.php": { x: "X2" } });
    expect(await left("?locale=pt_BR&state=missing")).toEqual(["b.php z missing"]);
    expect(await left("?locale=pt_BR&state=stale")).toEqual(["a.php x stale"]);
    expect(await left("?locale=pt_BR&state=stale,missing,stale")).toHaveLength(2);
    expect(await left("?locale=pt_BR&file=a.php")).toEqual(["a.php x stale"]);
    expect(await left("?locale=pt_BR&file=nope.php")).toEqual([]);
    const { json } = await call("GET", `${path}?locale=fr&per_page=1&page=2`);
    expect([json.data[0].key, json.meta]).toEqual([
      "n.y",
      { current_page: 2, last_page: 3, per_page: 1, total: 3 },
    ]);
  });

  it.each([
    ["", "locale"],
    ["?locale=ja", "locale"],
    ["?locale=en", "locale"],
    ["?locale=fr&state=", "state"],
    ["?locale=fr&state=missing,", "state"],
    ["?locale=fr&state=translated", "state"],
    ["?locale=fr&state=stale&state=missing", "state"],
    ["?locale=fr&at=nope", "at"],
    ["?locale=en&at=main", "locale"],
    ["?locale=fr&missing=1", "missing"],
  ])("refuses %j on %s", async (query, field) => {
    const { status, json } = await call("GET", path + query);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("has an ETag that changes with what it shows, and no sooner", async () => {
    const first = await call("GET", `${path}?locale=pt_BR`);
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await call("GET", `${path}?locale=pt_BR`, { headers })).status).toBe(304);
    await fill("fr", { "a.php": { x: "FX" } });
    expect((await call("GET", `${path}?locale=pt_BR`, { headers })).status).toBe(304);
    await post({ "a.php": { x: "X2" } });
    const changed = await call("GET", `${path}?locale=pt_BR`, { headers });
    expect([changed.status, changed.json.meta.total]).toEqual([200, 2]);
    const confirmed = await call("POST", `${base}/stale/confirm`, {
      body: { locale: "pt_BR", file: "a.php", keys: ["x"] },
    });
    expect(confirmed.status).toBe(200);
    expect(await left("?locale=pt_BR")).toEqual(["b.php z missing"]);
  });

  it("tells what was left at an earlier commit, and keeps that", async () => {
    const { headers } = await fill("fr", { "a.php": { x: "FX" } });
    const commit = headers.get("x-skep-commit") ?? "";
    await post({ "a.php": { x: "X2" } });
    await fill("fr", { "b.php": { z: "FZ" } });
    expect(await left(`?locale=fr&at=${commit}`)).toEqual(["a.php n.y missing", "b.php z missing"]);
    const then = await call("GET", `${path}?locale=fr&at=${commit}`);
    expect(then.headers.get("cache-control")).toContain("immutable");
    expect(then.headers.get("x-skep-commit")).toBe(commit);
    expect(await left("?locale=fr")).toEqual(["a.php x stale", "a.php n.y missing"]);
    const admin = await makeToken(storage, { abilities: ["admin"] });
    await call("POST", `${base}/locales`, { token: admin, body: { code: "it" } });
    expect(await left(`?locale=it&at=${commit}`)).toHaveLength(3);
  });

  it("tells what was left in a locale that has the code of another one by now", async () => {
    const token = await makeToken(storage, { abilities: ["admin"] });
    await post({ "p.json": { n_one: "One", n_other: "Some" } });
    const at = (await post({ "p.json": {} })).headers.get("x-skep-commit") ?? "";
    const keysIn = async (code: string) => {
      await call("POST", `${base}/locales`, { token, body: { code, custom_code: "x" } });
      const found = await left(`?locale=x&file=p.json&at=${at}`);
      await call("DELETE", `${base}/locales/${code}`, { token });
      return found;
    };
    expect(await keysIn("ja")).toEqual(["p.json n_other missing"]);
    expect(await keysIn("it")).toEqual(["p.json n_one missing", "p.json n_other missing"]);
  });

  it("is not answered from broken markers", async () => {
    const files = { "stale/fr/a.php.json": "{" };
    await commitOutside({ storage, disk, slug: "web" }, { files });
    const { status, json } = await call("GET", `${path}?locale=fr`);
    expect([status, json.code]).toEqual([503, "content_invalid"]);
    expect((await call("GET", `${path}?locale=fr&at=main`)).status).toBe(422);
    expect((await call("GET", `${path}?locale=pt_BR`)).status).toBe(200);
  });

  it("needs the read ability, and a Hive within reach", async () => {
    const token = await makeToken(storage, { abilities: ["write"] });
    expect((await call("GET", `${path}?locale=fr`, { token })).status).toBe(403);
    expect((await call("GET", "/api/hives/nope/untranslated?locale=fr")).status).toBe(404);
  });
});
