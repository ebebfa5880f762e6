/** Syncs of files that were made from an earlier state of the Hive. */
import { beforeEach, describe, expect, it } from "vitest";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, setUpWeb } from "../../helpers/storage.ts";

const strings = "/api/hives/web/strings";
let call: Call;
let base: string;
const { put, post } = hiveAt(() => call);

beforeEach(async () => {
  ({ call } = await setUpWeb({ locales: ["fr"] }));
  base = (await sync({ a: "A", b: "B" }, "", { "x-commit-ref": "app-1" })).headers.get("x-skep-commit") ?? "";
});

const sync = (texts: object, query = "", headers: Record<string, string> = {}) =>
  put({ "a.php": texts }, { query, headers });

async function texts(): Promise<Record<string, string>> {
  const { json } = await call("GET", strings);
  return Object.fromEntries(json.data.map((one: Record<string, string>) => [one.key, one.source_value]));
}

describe("a sync with a base", () => {
  it("keeps the strings that another branch added since, and counts what was sent", async () => {
    await sync({ a: "A", b: "B", other: "O" });
    const { status, json } = await sync({ a: "A2", mine: "M" }, `base=${base.slice(0, 10)}`);
    expect([status, json]).toEqual([
      200,
      { created: 1, updated: 1, unchanged: 0, translations_cleared: 0, deleted: 1 },
    ]);
    expect(await texts()).toEqual({ a: "A2", mine: "M", other: "O" });
  });

  it("finds its base by the app's commit, the newest one that names it", async () => {
    await sync({ a: "A", b: "B", other: "O" }, "", { "x-commit-ref": "app-2" });
    expect((await sync({ a: "A" }, "base_ref=app-1")).json).toMatchObject({ deleted: 1 });
    expect(await texts()).toEqual({ a: "A", other: "O" });
    expect((await sync({ a: "A" }, "base_ref=app-2")).json).toMatchObject({ deleted: 1 });
    expect(await texts()).toEqual({ a: "A" });
  });

  it("finds its base by what the app's commit sent of the source, not by what it sent afterwards", async () => {
    await sync({ a: "A2", b: "B" }, "", { "x-commit-ref": "app-2" });
    await call("POST", strings, { body: { files: { "a.php": { other: "O" } } } });
    const body = { files: { "a.php": { a: "Un" } } };
    const headers = { "x-commit-ref": "app-2" };
    expect((await call("POST", "/api/hives/web/translations/fr", { body, headers })).status).toBe(200);
    expect((await sync({ a: "A2", b: "B", mine: "M" }, "base_ref=app-2")).json).toMatchObject({ deleted: 0 });
    expect(await texts()).toEqual({ a: "A2", b: "B", other: "O", mine: "M" });
  });

  describe("by the Ref of a commit after which the Hive differed from the files", () => {
    const based = (texts: object) => sync(texts, `base=${base}`, { "x-commit-ref": "app-2" });

    it.each<[string, () => Promise<{ status: number }>, number]>([
      ["one after others added a string", () => based({ a: "A2", b: "B" }), 1],
      ["one that deletes a string", () => based({ b: "B" }), 1],
      [
        "one after others changed a string",
        async () => {
          await sync({ a: "A", b: "theirs" });
          return based({ a: "A2", b: "B" });
        },
        1,
      ],
      [
        "one after others deleted a string and added one",
        async () => {
          await sync({ a: "A", other: "O" });
          return based({ a: "A2", b: "B" });
        },
        2,
      ],
      [
        "one after others moved a string",
        async () => {
          const moves = [{ from: { file: "a.php", key: "a" }, to: { file: "a.php", key: "c" } }];
          await call("POST", "/api/hives/web/keys/move", { body: { moves } });
          return based({ a: "A2", b: "B" });
        },
        3,
      ],
      [
        "an import of a string",
        () => post({ "a.php": { c: "C" } }, { headers: { "x-commit-ref": "app-2" } }),
        3,
      ],
    ])("is refused: %s", async (_, send, differing) => {
      await sync({ a: "A", b: "B", other: "O" });
      expect((await send()).status).toBe(200);
      const before = await texts();
      const { status, json } = await sync({ a: "A2", b: "B" }, "base_ref=app-2");
      const said = expect.stringMatching(
        new RegExp(`differed from its files in ${differing} strings?, .* as base_files$`),
      );
      expect([status, json.code, json.errors]).toEqual([422, "invalid_request", { base_ref: [said] }]);
      expect(await texts()).toEqual(before);
    });

    it("is taken where the Hive then had what the files have", async () => {
      expect((await based({ a: "A2", b: "B", mine: "M" })).status).toBe(200);
      await sync({ a: "A2", b: "B", mine: "M", other: "O" });
      expect((await sync({ a: "A2", b: "B" }, "base_ref=app-2")).json).toMatchObject({ deleted: 1 });
      expect(await texts()).toEqual({ a: "A2", b: "B", other: "O" });
    });
  });

  it("finds strings where they were moved to since, also where it detects no moves itself", async () => {
    const moves = [{ from: { file: "a.php", key: "a" }, to: { file: "a.php", key: "c" } }];
    expect((await call("POST", "/api/hives/web/keys/move", { body: { moves } })).status).toBe(200);
    expect((await sync({ b: "B" }, `base=${base}`)).json).toMatchObject({ deleted: 1 });
    expect(await texts()).toEqual({ b: "B" });
  });

  it("is refused with the keys that were changed otherwise since, and changes nothing", async () => {
    await sync({ a: "theirs", b: "B" });
    const { status, json } = await sync({ a: "mine", b: "mine" }, `base=${base}`);
    expect([status, json]).toEqual([
      409,
      {
        message: "Changed since the base of this sync, so nothing was written: en: a.php: a",
        code: "base_conflict",
        conflicts: [{ locale: "en", file: "a.php", key: "a" }],
        total: 1,
      },
    ]);
    expect(await texts()).toEqual({ a: "theirs", b: "B" });
  });

  it("counts only what it deletes against the limit, and tells it in a dry run", async () => {
    await sync({ a: "A", b: "B", other: "O" });
    const { json } = await sync({ a: "A" }, `base=${base}&dry_run=true&max_deletions=1`);
    expect(json).toMatchObject({ deleted: 1, changes: [{ change: "deleted", key: "b" }] });
    expect((await sync({}, `base=${base}&max_deletions=1`)).json.code).toBe("too_many_deletions");
  });

  it("takes the base as content, whatever the Hive had", async () => {
    await sync({ a: "A", b: "B", other: "O" });
    const send = (body: object, query = "") => put({ "a.php": { a: "A2", c: "C" } }, { query, body });
    const before = { base_files: { "a.php": { a: "A", b: "B", "never.sent": "N" } } };
    const preview = (await send(before, "dry_run=true")).json;
    expect([preview.deleted, preview.warnings]).toEqual([1, undefined]);
    expect((await send(before)).json).toMatchObject({ created: 1, updated: 1, deleted: 1, unchanged: 0 });
    expect(await texts()).toEqual({ a: "A2", c: "C", other: "O" });
    await sync({ a: "theirs", c: "C", other: "O" });
    expect(await send({ base_files: { "a.php": { a: "A", c: "C" } } })).toMatchObject({
      status: 409,
      json: { code: "base_conflict", conflicts: [{ file: "a.php", key: "a" }] },
    });
    expect((await send({ base_files: { "a.php": { a: 3 } } })).status).toBe(422);
    expect((await send(before, "base=main")).json.errors).toHaveProperty("base_files");
    const imported = await call("POST", `${strings}?dry_run=1`, { body: { files: {}, ...before } });
    expect(imported.json.warnings).toEqual([expect.stringContaining("base_files")]);
  });

  it.each([
    ["base=nope", "base"],
    ["base_ref=nope", "base_ref"],
    [`base=main&base_ref=app-1`, "base_ref"],
    ["base=", "base"],
  ])("reports %s", async (query, field) => {
    const { status, json } = await sync({ a: "A" }, query);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("a base is not accepted by an import, which deletes nothing", async () => {
    expect((await post({}, { query: "base=main" })).status).toBe(422);
  });
});
