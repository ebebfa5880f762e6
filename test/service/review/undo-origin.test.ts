/** The undo of what an origin wrote: each text that is still as it left it gets back what there was before. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { makeToken, type Call, setUpWeb } from "../../helpers/storage.ts";

const base = "/api/hives/web";
let call: Call;
let admin: string;
let reader: string;
let start: string;
const { head, put, translate, post, fill, exported, history } = hiveAt(() => call);

beforeEach(async () => {
  const web = await setUpWeb({ locales: ["fr", "de"] });
  ({ call } = web);
  admin = await makeToken(web.storage, { abilities: ["admin"] });
  reader = await makeToken(web.storage, { abilities: ["read"] });
  await put({ "a.php": { x: "X", y: "Y", z: "Z" } });
  await write("person", { x: "A", y: "B" });
  start = await head();
});

function write(origin: string | undefined, texts: object, locale = "fr") {
  return translate(
    locale,
    { "a.php": texts },
    { headers: origin === undefined ? {} : { "x-commit-origin": origin } },
  );
}

const undo = (more: object = {}, query = "") =>
  call("POST", `${base}/undo${query}`, { body: { origin: "model", since: start, ...more } });

async function texts(locale = "fr"): Promise<unknown> {
  const { json } = await exported(`locale=${locale}`);
  return JSON.parse(json.files["a.json"]);
}

const waiting = async (): Promise<string[]> =>
  (await call("GET", `${base}/review`)).json.data.map(
    (one: Record<string, string | null>) => `${one["key"]} ${one["translation"]} (${one["approved"]})`,
  );

describe("an undo by origin", () => {
  it("takes back all texts that are still as a model wrote them, in all locales, by one commit", async () => {
    await write("model", { x: "M1", z: "M1" });
    await write("model", { x: "M2" });
    await write("model", { x: "MD" }, "de");
    await write("script", { y: "S" });
    const before = await head();
    const planned = await undo({}, "?dry_run=true");
    expect(planned.json).toMatchObject({ updated: 1, deleted: 2, skipped: 0, changes_total: 3 });
    expect(await head()).toBe(before);
    expect((await undo()).json).toEqual({ restored: 0, updated: 1, deleted: 2, skipped: 0 });
    expect([await texts(), await texts("de"), await waiting()]).toEqual([{ x: "A", y: "S" }, {}, []]);
    expect((await history()).json.data[0]).toMatchObject({ operation: "undo" });
    expect((await undo()).json).toEqual({ restored: 0, updated: 0, deleted: 0, skipped: 0 });
  });

  it("skips texts that somebody has changed since, and takes back what the model wrote after that", async () => {
    await write("model", { x: "M", y: "M" });
    await write("person", { x: "P", y: "P" });
    await write("model", { y: "M2" });
    expect((await undo()).json).toEqual({ restored: 0, updated: 1, deleted: 0, skipped: 1 });
    expect(await texts()).toEqual({ x: "P", y: "P" });
  });

  it("restores what a model removed", async () => {
    await call("DELETE", `${base}/translations/fr`, {
      body: { files: { "a.php": ["x"] } },
      headers: { "x-commit-origin": "model" },
    });
    expect((await undo()).json).toMatchObject({ restored: 1 });
    expect(await texts()).toEqual({ x: "A", y: "B" });
  });

  it("follows strings through moves, and leaves the moves", async () => {
    await write("model", { x: "M" });
    const moves = [{ from: { file: "a.php", key: "x" }, to: { file: "a.php", key: "moved" } }];
    expect((await call("POST", `${base}/keys/move`, { body: { moves } })).status).toBe(200);
    await write("model", { moved: "M2" });
    expect((await undo()).json).toEqual({ restored: 0, updated: 1, deleted: 0, skipped: 0 });
    expect(await texts()).toEqual({ moved: "A", y: "B" });
  });

  it("restores whether a text waited for a review, and whether it was stale", async () => {
    const headers = { "x-commit-origin": "script" };
    await call("PATCH", `${base}/locales/fr`, {
      body: { review: "all" },
      token: admin,
    });
    await translate("fr", { "a.php": { x: "W" } }, { headers });
    await post({ "a.php": { x: "X2" } });
    await write("model", { x: "M" });
    expect(await waiting()).toEqual(["x M (A)"]);
    expect((await undo()).json).toMatchObject({ updated: 1 });
    expect(await waiting()).toEqual(["x W (A)"]);
    expect((await call("GET", `${base}/stale`)).json.data).toMatchObject([
      { key: "x", translation: "W", old_source_value: "X" },
    ]);
  });

  it("takes every form of a revision, and undoes the commits that it does not reach", async () => {
    await call("POST", `${base}/tags`, { body: { name: "v1" } });
    await write("model", { x: "M" });
    expect((await undo({ since: "v1" }, "?dry_run=true")).json.updated).toBe(1);
    expect((await undo({ since: (await head()).slice(0, 10) }, "?dry_run=true")).json.updated).toBe(0);
    expect((await undo({ since: new Date().toISOString() }, "?dry_run=true")).json.updated).toBe(0);
    await call("POST", `${base}/branches`, { body: { name: "b" } });
    await fill("fr", { "a.php": { z: "Z" } }, { query: "branch=b", headers: { "x-commit-origin": "model" } });
    expect((await undo({ since: "main" }, "?dry_run=true&branch=b")).json).toMatchObject({
      updated: 0,
      deleted: 1,
    });
    const other = (await history("branch=b")).json.data[0].commit;
    expect((await undo({ since: other }, "?dry_run=true")).json.updated).toBe(0);
  });

  it("undoes the whole history for a time before the first commit", async () => {
    await write("model", { x: "M" });
    expect((await undo({ since: "1999-12-31" })).json).toEqual({
      restored: 0,
      updated: 1,
      deleted: 0,
      skipped: 0,
    });
    expect((await undo({ since: "1999-12-31T00:00:00Z", origin: "person" })).json).toMatchObject({
      deleted: 2,
    });
    expect(await texts()).toEqual({});
  });

  it("undoes texts that came with a merge, and restores the texts that they replaced", async () => {
    await call("POST", `${base}/branches`, { body: { name: "b" } });
    for (const [key, text, query, origin] of [
      ["x", "M", "?branch=b", "model"],
      ["y", "M", "?branch=b", "model"],
      ["z", "Z", "?branch=b", "script"],
      ["z", "M", "?branch=b", "model"],
      ["y", "P", "", "person"],
    ] as const) {
      await call("POST", `${base}/translations/fr${query}`, {
        body: { files: { "a.php": { [key]: text } }, overwrite_strategy: "overwrite" },
        headers: { "x-commit-origin": origin },
      });
    }
    await call("POST", `${base}/branches/b/merge`, { body: { on_conflict: "branch" } });
    expect(await texts()).toEqual({ x: "M", y: "M", z: "M" });
    expect((await undo()).json).toEqual({ restored: 0, updated: 3, deleted: 0, skipped: 0 });
    expect(await texts()).toEqual({ x: "A", y: "P", z: "Z" });
  });

  it.each([
    ["commit", { commit: "1234567" }],
    ["since", { since: undefined }],
    ["since", { since: "nope" }],
    ["origin", { origin: "robot" }],
    ["commit", { origin: undefined, since: undefined }],
  ])("is refused on %s for %j", async (field, body) => {
    const { status, json } = await undo(body);
    expect([status, Object.keys(json.errors)]).toEqual([422, expect.arrayContaining([field])]);
  });

  it("is refused to a token that may only read", async () => {
    await write("model", { x: "M" });
    const { status } = await call("POST", `${base}/undo`, {
      body: { origin: "model", since: start },
      token: reader,
    });
    expect(status).toBe(403);
  });
});
