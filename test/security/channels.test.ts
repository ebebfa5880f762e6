/** What strangers could try at public addresses. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Storage } from "../../src/service/storage.ts";
import { makeHive, type Call, type Reply, setUpWeb } from "../helpers/storage.ts";

let storage: Storage;
let call: Call;
let base: string;
let path: string;
let address: string;

const hive = "/api/hives/web";
const ask = (where: string): Promise<Reply> => call("GET", where, { token: null });
const set = (name: string, body: object = {}) =>
  call("PUT", `${hive}/channels/${name}`, { body: { public: true, ...body } });
const addressOf = async (channel: string): Promise<string> =>
  (await ask(`${channel}manifest.json`)).json.files["fr.json"];

beforeEach(async () => {
  ({ storage, call } = await setUpWeb({ locales: ["fr"], token: { abilities: ["admin"] } }));
  await makeHive(storage, "other", { locales: ["fr"] });
  for (const slug of ["web", "other"]) {
    await call("PUT", `/api/hives/${slug}/strings`, { body: { files: { "a.php": { a: "A" } } } });
  }
  ({ path } = (await set("production")).json);
  base = path.slice(0, -"production/".length);
  address = await addressOf(path);
});

/** All refusals must be alike. */
async function expectNothing(where: string): Promise<void> {
  const { status, json, headers } = await ask(where);
  expect([where, status, json, headers.get("cache-control")]).toEqual([
    where,
    404,
    { code: "not_found", message: "Nothing is published at this address." },
    "public, max-age=1, s-maxage=2, stale-while-revalidate=1, stale-if-error=86400",
  ]);
}

describe("what is not published", () => {
  it("has one answer, whether it exists or not", async () => {
    await set("private", { public: false });
    for (const where of [
      `${base}private/fr.json`,
      `${base}nope/fr.json`,
      `${base}nope/manifest.json`,
      `${path}de.json`,
      `${path}fr/b.json`,
      `${path}fr/a.php`,
      path,
      `${path}fr`,
      `${path}fr.json/`,
      `${path}..%2Fhive.yaml`,
      `${path}fr/..%2F..%2Fa.json`,
      `${path}__proto__.json`,
      `${path}fr%2Fnope.json`,
      `${base}c/`,
      `${base}c/fr.json`,
      `${base}c/x/fr.json`,
      "/p/000000000000000000000000/production/fr.json",
      "/p/web/production/fr.json",
      "/p/__proto__/production/fr.json",
      "/p/",
    ]) {
      await expectNothing(where);
    }
  });

  it("cannot be reached by a token either, which published files ignore", async () => {
    await set("private", { public: false });
    expect((await call("GET", `${base}private/fr.json`)).status).toBe(404);
    expect((await call("GET", `${path}fr.json`, { token: "skep_x_y" })).status).toBe(200);
  });

  it("costs no look at the disk for an id that nobody has", async () => {
    await ask("/p/000000000000000000000000/production/fr.json");
    const reads = vi.spyOn(storage.publications, "by");
    const teams = vi.spyOn(storage.registry, "teams");
    const heads = vi.spyOn(storage.hives, "at");
    await expectNothing("/p/111111111111111111111111/production/fr.json");
    expect([reads.mock.calls.length, teams.mock.calls.length, heads.mock.calls.length]).toEqual([1, 0, 0]);
  });
});

describe("a content address", () => {
  it("is refused when any character of it is another, or it is bound to another name", async () => {
    const [, name = ""] = /\/c\/([^/]+)\//.exec(address) ?? [];
    for (let i = 0; i < name.length; i++) {
      const other = name[i] === "A" ? "B" : "A";
      const forged = name.slice(0, i) + other + name.slice(i + 1);
      expect([i, (await ask(address.replace(name, forged))).status]).toEqual([i, 404]);
    }
    await expectNothing(address.replace("/fr.json", "/en.json"));
    await expectNothing(address.replace(name, `${name}A`));
    await expectNothing(address.replace(name, Buffer.from(name, "base64url").toString("base64")));
  });

  it("is of its Hive and of its channel alone", async () => {
    const theirs = await call("PUT", "/api/hives/other/channels/production", { body: { public: true } });
    const [, id = ""] = /^\/p\/([^/]+)\//.exec(theirs.json.path) ?? [];
    await expectNothing(address.replace(/^\/p\/[^/]+/, `/p/${id}`));
    const staging = (await set("staging")).json.path;
    expect(await addressOf(staging)).not.toBe(address);
    await set("staging", { public: false });
    expect((await ask(address)).status).toBe(200);
  });

  it("is gone with its channel, also after it was asked for often, and for good once that was removed", async () => {
    for (let i = 0; i < 3; i++) expect((await ask(address)).status).toBe(200);
    await set("production", { public: false });
    await expectNothing(address);
    await expectNothing(`${path}fr.json`);
    await set("production");
    expect((await ask(address)).status).toBe(200);
    await call("DELETE", `${hive}/channels/production`);
    await expectNothing(address);
    await expectNothing(`${path}fr.json`);
    expect((await set("production")).json.path).toBe(path);
    await expectNothing(address);
    expect((await ask(`${path}fr.json`)).status).toBe(200);
  });
});

describe("the memory for repeated reads", () => {
  it("remembers no address with a query, of which there is no end", async () => {
    const spy = vi.spyOn(storage.publications, "by");
    await ask(`${path}fr/a.json`);
    await ask(`${path}fr/a.json`);
    const remembered = spy.mock.calls.length;
    for (let i = 0; i < 3; i++) expect((await ask(`${path}fr/a.json?v=1`)).status).toBe(200);
    expect([remembered, spy.mock.calls.length]).toEqual([1, 4]);
  });
});
