/** Strings by who or what wrote their texts last. Random histories are in test/store/history/blame.test.ts. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { setUpWeb, type Call } from "../../helpers/storage.ts";

const base = "/api/hives/web";
let call: Call;
const { put, undo, history } = hiveAt(() => call);

beforeEach(async () => {
  ({ call } = await setUpWeb({ locales: ["fr", "de"] }));
  await put(
    { "a.php": { x: "X", y: "Y" }, "b.php": { z: "Z" } },
    { headers: { "x-commit-origin": "script" } },
  );
});

async function write(origin: string | undefined, texts: object, query = ""): Promise<void> {
  const { status } = await call("POST", `${base}/translations/fr${query}`, {
    body: { files: { "a.php": texts }, overwrite_strategy: "overwrite" },
    headers: origin === undefined ? {} : { "x-commit-origin": origin },
  });
  expect(status).toBe(200);
}

async function keys(origin: string, query = "&locale=fr"): Promise<string[]> {
  const { json } = await call("GET", `${base}/strings?origin=${origin}${query}`);
  return json.data.map(({ key }: { key: string }) => key);
}

describe("GET /strings?origin=", () => {
  it("lists the strings whose text an origin wrote last", async () => {
    await write("model", { x: "M", y: "M" });
    await write("person", { y: "P" });
    expect([await keys("model"), await keys("person"), await keys("script")]).toEqual([["x"], ["y"], []]);
    await write(undefined, { x: "unstated" });
    expect([await keys("model"), await keys("person")]).toEqual([[], ["y"]]);
    expect([await keys("model", "&locale=de"), await keys("script", "&locale=en")]).toEqual([
      [],
      ["x", "y", "z"],
    ]);
  });

  it("takes a text that is written once more, or that came back within one origin's commits, for the earlier one", async () => {
    await write("person", { x: "P" });
    await write("model", { x: "P" });
    await write("model", { x: "M" });
    await write("model", { x: "P" });
    expect([await keys("model"), await keys("person")]).toEqual([[], ["x"]]);
    await write("script", { x: "S" });
    await write("model", { x: "P" });
    expect([await keys("model"), await keys("person")]).toEqual([["x"], []]);
  });

  it("takes a text that an undo brought back for its earlier writer's", async () => {
    await write("model", { x: "M", y: "M" });
    await write("person", { x: "P" });
    expect([await keys("model"), await keys("person")]).toEqual([["y"], ["x"]]);
    const [{ commit }] = (await history()).json.data;
    await undo(commit, { headers: { "x-commit-origin": "script" } });
    expect([await keys("model"), await keys("person"), await keys("script")]).toEqual([["x", "y"], [], []]);
  });

  it("can be narrowed, paged and asked of an earlier state", async () => {
    await write("model", { x: "M", y: "M" });
    await call("POST", `${base}/tags`, { body: { name: "v1" } });
    await write("person", { x: "P" });
    expect(await keys("model", "&locale=fr&at=v1&per_page=1&page=2")).toEqual(["y"]);
    expect(await keys("model", "&locale=fr&file=b.php")).toEqual([]);
    const { json } = await call("GET", `${base}/strings?origin=model&locale=fr&at=v1&per_page=1`);
    expect(json.meta.total).toBe(2);
  });

  it("follows the texts of a branch through its merge", async () => {
    await call("POST", `${base}/branches`, { body: { name: "b" } });
    await write("model", { x: "M" }, "?branch=b");
    expect([await keys("model"), await keys("model", "&locale=fr&branch=b")]).toEqual([[], ["x"]]);
    await write("script", { y: "S" });
    await call("POST", `${base}/branches/b/merge`, { body: {}, headers: { "x-commit-origin": "person" } });
    expect([await keys("model"), await keys("script"), await keys("person")]).toEqual([["x"], ["y"], []]);
  });

  it("changes its ETag with the history, where the texts are the same", async () => {
    await write("model", { x: "M" });
    const path = `${base}/strings?origin=model&locale=fr`;
    const before = (await call("GET", path)).headers.get("etag") ?? "";
    await write("person", { x: "P" });
    await write("script", { x: "M" });
    const after = await call("GET", path, { headers: { "if-none-match": before } });
    expect([after.status, after.json.data]).toEqual([200, []]);
  });

  it.each([
    ["locale", "origin=model"],
    ["locale", "locale=fr"],
    ["locale", "origin=model&locale=xx"],
    ["origin", "origin=robot&locale=fr"],
  ])("is refused on %s for %s", async (field, query) => {
    const { status, json } = await call("GET", `${base}/strings?${query}`);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("reads as many files as the origin changed hands, and what is new of a history that it knows", async () => {
    const reads = vi.spyOn(BareRepo.prototype, "readBlob");
    await write("model", { x: "M" });
    for (let i = 0; i < 20; i++) await write("person", { y: `P${i}` });
    const readsOf = async (): Promise<number> => {
      reads.mockClear();
      expect(await keys("model")).toEqual(["x"]);
      return reads.mock.calls.filter(([, path]) => path === "a file").length;
    };
    expect(await readsOf()).toBeLessThanOrEqual(2);
    await write("person", { y: "last" });
    expect(await readsOf()).toBeLessThanOrEqual(2);
    expect(await readsOf()).toBe(0);
    reads.mockRestore();
  });
});
