/** The commits that requests make, as history tells of them. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, setUpWeb } from "../../helpers/storage.ts";

let call: Call;
const { post, exported, history, fill } = hiveAt(() => call);

beforeEach(async () => {
  ({ call } = await setUpWeb());
});

const strings = "/api/hives/web/strings";

/** Sends a request and gives the commit it made, or undefined when it made none. */
async function commitOf(method: string, path: string, body: object) {
  const history = async () => (await call("GET", "/api/hives/web/history")).json;
  const before = (await history()).meta.total;
  expect((await call(method, path, { body })).status).toBe(200);
  const { data, meta } = await history();
  expect(meta.total - before).toBeLessThanOrEqual(1);
  return meta.total === before ? undefined : data[0];
}

describe("the commit of a sync", () => {
  const sync = (content: unknown) => commitOf("PUT", strings, { files: { "a.php": content } });

  it("tells what happened, with the counts that are not zero", async () => {
    expect(await sync({ a: "A", b: "B" })).toMatchObject({ subject: "Sync source strings: 2 created" });
    expect(await sync({ a: "A2", c: "C" })).toMatchObject({
      subject: "Sync source strings: 1 created, 1 updated, 1 deleted",
    });
  });

  it("that changes only the order or the shape has no counts, and is made once", async () => {
    await sync({ a: "A", nav: { home: "Home" } });
    await fill("fr", { "a.php": { a: "fa", "nav.home": "Accueil" } });
    for (const content of [
      { nav: { home: "Home" }, a: "A" },
      { "nav.home": "Home", a: "A" },
    ]) {
      expect(await sync(content)).toMatchObject({
        subject: "Sync source strings: order changed",
        operation: "sync",
        counts: { created: 0, updated: 0, unchanged: 2, deleted: 0, translations_cleared: 0 },
      });
      expect(await sync(content)).toBeUndefined();
      const { files } = (await exported("locale=fr&shape=nested")).json;
      expect(Object.keys(JSON.parse(files["a.json"]))).toEqual(Object.keys(content));
    }
  });
});

it("a commit is trusted no longer than a branch has it, also where a tag keeps it", async () => {
  await call("POST", "/api/hives/web/branches", { body: { name: "b" } });
  const { headers } = await post({ "a.php": { a: "A" } }, { query: "branch=b" });
  const commit = headers.get("x-skep-commit") ?? "";
  await call("POST", "/api/hives/web/tags", { body: { name: "v1", at: commit } });
  const operation = async () => (await call("GET", `/api/hives/web/history/${commit}`)).json.commit.operation;
  expect(await operation()).toBe("import");
  await call("DELETE", "/api/hives/web/branches/b");
  expect(await operation()).toBeNull();
});

describe("the commit of an import", () => {
  it("that adds only an empty group says so, and is made once", async () => {
    const importing = (content: unknown) => commitOf("POST", strings, { files: { "a.php": content } });
    await importing({ a: "A" });
    expect(await importing({ attributes: [] })).toMatchObject({
      subject: "Import source strings: shape changed",
      counts: { created: 0, updated: 0, unchanged: 0, translations_cleared: 0 },
    });
    expect(await importing({ attributes: [] })).toBeUndefined();
    expect(await importing({ attributes: {} })).toBeUndefined();
  });
});

describe("the origin of a commit", () => {
  const send = (headers: Record<string, string>, text = Math.random().toString()) =>
    post({ "a.php": { a: text } }, { headers });

  it("is kept as its headers say it, and finds the commit", async () => {
    await send({});
    await send({ "x-commit-origin": "person" });
    await send({ "x-commit-origin": "model", "x-commit-model": "example-1", "x-commit-prompt": "sha256:9f" });
    const history = async (query = "") => (await call("GET", `/api/hives/web/history${query}`)).json.data;
    const origins = (await history()).slice(0, 3).map(({ origin }: { origin: unknown }) => origin);
    const model = { kind: "model", name: "example-1", prompt: "sha256:9f" };
    expect(origins).toEqual([model, { kind: "person", name: null, prompt: null }, null]);
    expect(await history("?origin=model")).toMatchObject([{ origin: model }]);
    expect(await history("?origin=script")).toEqual([]);
    expect((await call("GET", "/api/hives/web/history?origin=robot")).status).toBe(422);
  });

  it.each([
    ["X-Commit-Origin", { "x-commit-origin": "robot" }],
    ["X-Commit-Origin", { "x-commit-model": "example-1" }],
    ["X-Commit-Origin", { "x-commit-prompt": "sha256:9f" }],
    ["X-Commit-Model", { "x-commit-origin": "model", "x-commit-model": "x".repeat(201) }],
    ["X-Commit-Prompt", { "x-commit-origin": "model", "x-commit-prompt": "a\tb" }],
    ["X-Commit-Model", { "x-commit-origin": "model", "x-commit-model": "\u00e2\u0080\u00aex" }],
  ])("is refused on %s for %j, and nothing is written", async (field, headers) => {
    const before = (await history()).json.meta.total;
    const { status, json } = await send(headers);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect((await history()).json.meta.total).toBe(before);
  });
});
