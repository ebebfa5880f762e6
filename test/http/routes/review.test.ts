/** Translations that wait for a review, over HTTP: who makes them wait, what ends it, and what is in git. */
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTokenId } from "../../../src/domain/names.ts";
import { removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { filesOf } from "../../../src/git/objects/tree.ts";
import { Snapshot } from "../../../src/store/content/snapshot.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  byCommand,
  type Call,
  harness,
  makeToken,
  prepareWeb,
  type TokenOptions,
} from "../../helpers/storage.ts";
import { runs } from "../../helpers/runs.ts";

const slug = toHiveSlug("web");
const base = "/api/hives/web";
let disk: Disk;
let storage: Storage;
let call: Call;
/** Tokens whose texts wait, that may approve, and that do neither. */
let model: string;
let reviewer: string;
const web = hiveAt(() => call);
const { put, translate, head, post, exported, history } = web;

const token = (options: TokenOptions): Promise<string> => makeToken(storage, options);
const read = ["read", "write"] as const;

const options = { locales: ["fr", "pt-BR=pt_BR"] };
const prepared = prepareWeb(options, async (web) => {
  ({ storage, call } = web);
  model = await token({ name: "Model", review: "always" });
  reviewer = await token({ name: "Reviewer", abilities: ["read", "approve"] });
  await put({ "a.php": { x: "X", n: { y: "Y" } }, "b.php": { z: "Z" } });
  await translate("fr", { "a.php": { x: "FX", "n.y": "FY" } });
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

const approve = (keys: readonly string[], by = reviewer, more: object = {}) =>
  call("POST", `${base}/review/approve`, { body: { locale: "fr", file: "a.php", keys, ...more }, token: by });
const reject = (keys: readonly string[], by = reviewer, more: object = { reason: "Wrong tone" }) =>
  call("POST", `${base}/review/reject`, { body: { locale: "fr", file: "a.php", keys, ...more }, token: by });
const undo = async (oid?: string) => web.undo(oid ?? (await head()));

/** `key text (approved text)` of all that waits. */
async function waiting(query = ""): Promise<string[]> {
  const { status, json } = await call("GET", `${base}/review${query}`);
  expect(status).toBe(200);
  return json.data.map(
    (one: Record<string, string | null>) => `${one.key} ${one.translation} (${one.approved})`,
  );
}

async function texts(): Promise<Record<string, unknown>> {
  const { files } = (await exported("locale=fr")).json;
  return JSON.parse(files["a.json"]);
}

async function stored(): Promise<string[]> {
  const { tree } = await storage.hives.at(slug).snapshot();
  return Array.from(filesOf(tree), ({ path }) => path).filter((path) => path.startsWith("review/"));
}

describe("a text waits", () => {
  it("that a reviewed token writes, with the text that was approved last", async () => {
    await translate("fr", { "a.php": { x: "M1" }, "b.php": { z: "MZ" } }, { token: model });
    expect(await waiting()).toEqual(["x M1 (FX)", "z MZ (null)"]);
    await translate("fr", { "a.php": { x: "M2" } }, { token: model });
    expect(await waiting("?locale=fr")).toEqual(["x M2 (FX)", "z MZ (null)"]);
    expect(await waiting("?locale=pt_BR")).toEqual([]);
    const { json } = await call("GET", `${base}/review`);
    expect(json.data[0]).toEqual({
      locale: "fr",
      file: "a.php",
      key: "x",
      source_value: "X",
      translation: "M2",
      approved: "FX",
      author: "Model",
    });
    expect(await stored()).toEqual(["review/fr/a.php.json", "review/fr/b.php.json"]);
    expect(await texts()).toMatchObject({ x: "M2" });
  });

  it("if the import that brings it says so, even where its writer is never reviewed", async () => {
    const never = await token({ review: "never", abilities: ["read", "write", "approve"] });
    const body = { files: { "a.php": { x: "W1" } }, overwrite_strategy: "overwrite" };
    const path = `${base}/translations/fr`;
    const sent = await call("POST", path, { body: { ...body, review: "always" }, token: never });
    expect(sent.status).toBe(200);
    expect(await waiting()).toEqual(["x W1 (FX)"]);
    expect((await call("POST", path, { body: { ...body, review: "never" }, token: model })).status).toBe(422);
    expect((await call("POST", path, { body, token: never })).json).toMatchObject({ updated: 0 });
    expect(await waiting()).toEqual(["x W1 (FX)"]);
  });

  it("and is not read again for a reader who has the list already", async () => {
    await translate("fr", { "a.php": { x: "M1" } }, { token: model });
    const etag = (await call("GET", `${base}/review`)).headers.get("etag") ?? "";
    const read = vi.spyOn(Snapshot.prototype, "content");
    // The fast path knows requests by their tokens.
    const again = { token: model, headers: { "if-none-match": etag } };
    expect((await call("GET", `${base}/review`, again)).status).toBe(304);
    expect(read).not.toHaveBeenCalled();
  });

  it("whose writer has lost its name with its token", async () => {
    await translate("fr", { "a.php": { x: "M1" } }, { token: model });
    const authors = async () =>
      (await call("GET", `${base}/review`)).json.data.map((one: { author: string }) => one.author);
    expect(await authors()).toEqual(["Model"]);
    const [, id = ""] = model.split("_");
    await revokeToken(storage, toTokenId(id));
    expect(await authors()).toEqual([id]);
  });

  it("whose origin is a model, unless its token says something else", async () => {
    const headers = { "x-commit-origin": "model" };
    const send = (by: string | undefined, text: string) =>
      translate("fr", { "a.php": { x: text } }, { headers, token: by });
    await send(await token({ review: "never" }), "N");
    expect(await waiting()).toEqual([]);
    await send(undefined, "M");
    expect(await waiting()).toEqual(["x M (N)"]);
    await translate("fr", { "a.php": { x: "S" } }, { headers: { "x-commit-origin": "script" } });
    expect(await waiting()).toEqual([]);
  });

  it("whoever writes it where the locale says all, also of approvers and of commands", async () => {
    const admin = await token({ abilities: ["admin"] });
    const patch = (body: object) => call("PATCH", `${base}/locales/fr`, { body, token: admin });
    expect((await patch({ review: "all" })).json).toMatchObject({ review: "all", two_people: false });
    await translate(
      "fr",
      { "a.php": { x: "A" } },
      { token: await token({ review: "never", abilities: ["admin"] }) },
    );
    expect(await waiting()).toEqual(["x A (FX)"]);
    await changeLocale(storage, slug, "fr", { customCode: toLocale("fr=fr_FR").customCode }, byCommand);
    const { json } = await call("GET", `${base}/locales`);
    expect(json.data[1]).toMatchObject({ code: "fr", custom_code: "fr_FR", review: "all" });
    await patch({ review: null });
    await translate("fr", { "a.php": { "n.y": "B" } });
    expect(await waiting()).toEqual(["x A (FX)"]);
    expect((await patch({})).status).toBe(422);
    expect((await patch({ review: "some" })).status).toBe(422);
    const source = await call("PATCH", `${base}/locales/en`, { body: { review: "all" }, token: admin });
    expect([source.status, Object.keys(source.json.errors)]).toEqual([422, ["review"]]);
  });

  it("until it is written by somebody who is not reviewed, or as it was approved", async () => {
    await translate("fr", { "a.php": { x: "M", "n.y": "MY" } }, { token: model });
    await translate("fr", { "a.php": { x: "Person" } });
    expect(await waiting()).toEqual(["n.y MY (FY)"]);
    await translate("fr", { "a.php": { "n.y": "FY" } }, { token: model });
    expect(await waiting()).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it("still when somebody writes the same text", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    const before = await head();
    await translate("fr", { "a.php": { x: "M" } });
    expect(await waiting()).toEqual(["x M (FX)"]);
    expect(await head()).toBe(before);
  });

  it("not after an edit from outside, which leaves a marker of another text", async () => {
    await translate("fr", { "a.php": { x: "M", "n.y": "MY" } }, { token: model });
    await commitOutside(
      { storage, disk, slug: "web" },
      {
        files: { "locales/fr/a.php.json": '{"x":"Outside","n":{"y":"MY"}}' },
      },
    );
    expect(await waiting()).toEqual(["n.y MY (FY)"]);
    await translate("fr", { "a.php": { "n.y": "MY2" } }, { token: model });
    const { tree } = await storage.hives.at(slug).snapshot();
    expect(Array.from(filesOf(tree), ({ path }) => path)).toContain("review/fr/a.php.json");
    expect(await waiting()).toEqual(["n.y MY2 (FY)"]);
  });

  it("not after its removal, nor does its successor have an approved text", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await call("DELETE", `${base}/translations/fr`, { body: { files: { "a.php": ["x"] } } });
    expect([await waiting(), await stored()]).toEqual([[], []]);
    await translate("fr", { "a.php": { x: "M2" } }, { token: model });
    expect(await waiting()).toEqual(["x M2 (null)"]);
    await put({ "a.php": { n: { y: "Y" } } });
    expect([await waiting(), await stored()]).toEqual([[], []]);
  });

  it("under its new name after a move, and with a renamed file", async () => {
    await translate("fr", { "a.php": { x: "M" }, "b.php": { z: "MZ" } }, { token: model });
    await put(
      { "a.php": { moved: "X", n: { y: "Y" } }, "c.php": { z: "Z" } },
      { query: "detect_moves=true" },
    );
    expect(await waiting()).toEqual(["moved M (FX)", "z MZ (null)"]);
    const body = { moves: [{ from: { file: "a.php", key: "moved" }, to: { file: "c.php", key: "far" } }] };
    expect((await call("POST", `${base}/keys/move`, { body })).status).toBe(200);
    expect(await waiting()).toEqual(["z MZ (null)", "far M (FX)"]);
  });

  it("when a reviewed token confirms it", async () => {
    await post({ "a.php": { x: "X2" } });
    const body = { locale: "fr", file: "a.php", keys: ["x", "n.y"] };
    await call("POST", `${base}/stale/confirm`, { body, token: model });
    expect(await waiting()).toEqual(["x FX (FX)"]);
    await reject(["x"]);
    expect([await waiting(), (await texts()).x]).toEqual([[], "FX"]);
    expect((await call("GET", `${base}/stale`)).json.data).toMatchObject([
      { key: "x", old_source_value: "X" },
    ]);
    await call("POST", `${base}/stale/confirm`, { body, token: model });
    const expected = { source: { other: "X2" }, translation: { other: "FX" } };
    const items = [{ file: "a.php", key: "x", expected, reject: "no" }];
    await call("POST", `${base}/work/done`, { body: { locale: "fr", items }, token: reviewer });
    expect((await call("GET", `${base}/stale`)).json.data).toMatchObject([
      { key: "x", old_source_value: "X" },
    ]);
    await call("POST", `${base}/stale/confirm`, { body, token: model });
    await approve(["x"]);
    expect([await waiting(), (await call("GET", `${base}/stale`)).json.data]).toEqual([[], []]);
  });

  it("no more when its locale goes", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await removeLocale(storage, slug, "fr", byCommand);
    expect(await stored()).toEqual([]);
  });
});

describe("an approval", () => {
  it("ends the waiting, confirms what is stale, and is one commit", async () => {
    await translate("fr", { "a.php": { x: "M", "n.y": "MY" } }, { token: model });
    await post({ "a.php": { x: "X2" } });
    const stats = async () => (await call("GET", base)).json.locales.fr;
    expect(await stats()).toMatchObject({ translated: 1, approved: 0, waiting: 2, warning: 1 });
    expect((await approve(["x", "none", "x"])).json).toEqual({ approved: 1, unknown: 1 });
    expect(await stats()).toMatchObject({ translated: 2, approved: 1, waiting: 1, warning: 0 });
    expect(await waiting()).toEqual(["n.y MY (FY)"]);
    const before = await head();
    expect((await approve(["x"])).json).toEqual({ approved: 0, unknown: 1 });
    expect(await head()).toBe(before);
    const { data } = (await history()).json;
    expect(data[0]).toMatchObject({ operation: "approve", counts: { approved: 1, unknown: 1 } });
  });

  it("needs its ability, and a token that may change the locale", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    expect((await approve(["x"], await token({ abilities: read }))).json.code).toBe("missing_ability");
    const elsewhere = await token({ abilities: ["approve"], locales: ["pt-BR"] });
    expect((await approve(["x"], elsewhere)).json.code).toBe("limited_token");
    expect(await waiting()).toEqual(["x M (FX)"]);
    expect((await approve(["x"], await token({ abilities: ["admin"] }))).json.approved).toBe(1);
  });

  it("of one's own text is refused where the locale needs two people, with all others", async () => {
    const own = await token({ abilities: ["read", "write", "approve"], review: "always" });
    await translate("fr", { "a.php": { x: "Own" } }, { token: own });
    await translate("fr", { "a.php": { "n.y": "M" } }, { token: model });
    const admin = await token({ abilities: ["admin"] });
    await call("PATCH", `${base}/locales/fr`, { body: { two_people: true }, token: admin });
    expect(await approve(["x", "n.y"], own)).toMatchObject({ status: 403, json: { code: "own_text" } });
    expect(await waiting()).toEqual(["x Own (FX)", "n.y M (FY)"]);
    expect((await approve(["n.y"], own)).json.approved).toBe(1);
    expect((await reject(["x"], own)).json.rejected).toBe(1);
    await call("PATCH", `${base}/locales/fr`, { body: { two_people: false }, token: admin });
    await translate("fr", { "a.php": { x: "Own" } }, { token: own });
    expect((await approve(["x"], own)).json.approved).toBe(1);
  });

  it("is refused where the text is another than the one that was seen", async () => {
    await translate("fr", { "a.php": { x: "M", "n.y": "MY" } }, { token: model });
    const seen = (expected: unknown) => approve(["x", "n.y"], reviewer, { expected });
    expect(await seen({ x: "FX" })).toMatchObject({ status: 409, json: { code: "expected_conflict" } });
    expect((await reject(["x"], reviewer, { reason: "no", expected: { x: "FX" } })).status).toBe(409);
    expect((await seen("x")).status).toBe(422);
    expect((await seen({ x: 1 })).status).toBe(422);
    expect((await seen({ x: "M", n: { y: "MY" } })).json.approved).toBe(2);
  });

  it("is undone: the text waits again, with the text that was approved before", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await approve(["x"]);
    const approval = await head();
    expect((await undo()).json).toMatchObject({ approvals: 1, updated: 0 });
    expect(await waiting()).toEqual(["x M (FX)"]);
    await undo();
    expect(await waiting()).toEqual([]);
    await translate("fr", { "a.php": { x: "M2" } }, { token: model });
    expect(await undo(approval)).toMatchObject({ status: 409, json: { code: "undo_conflict" } });
    await undo();
    expect([await waiting(), (await texts()).x]).toEqual([[], "M"]);
  });
});

describe("a rejection", () => {
  it("puts the approved text back, or removes the text, and keeps the reason", async () => {
    await translate("fr", { "a.php": { x: "M", "n.y": "MY" } }, { token: model });
    await call("DELETE", `${base}/translations/fr`, { body: { files: { "a.php": ["n.y"] } } });
    await translate("fr", { "a.php": { "n.y": "MY" } }, { token: model });
    expect((await reject(["x", "n.y", "none"])).json).toEqual({ rejected: 2, unknown: 1 });
    expect(await texts()).toEqual({ x: "FX" });
    expect([await waiting(), await stored()]).toEqual([[], []]);
    const { data } = (await history()).json;
    expect(data[0]).toMatchObject({ operation: "reject", message: "Wrong tone", counts: { rejected: 2 } });
    await undo();
    expect(await waiting()).toEqual(["x M (FX)", "n.y MY (null)"]);
  });

  it.each([{}, { reason: "" }, { reason: " " }, { reason: "x".repeat(1001) }, { reason: 7 }])(
    "without a usable reason is refused: %j",
    async (more) => {
      await translate("fr", { "a.php": { x: "M" } }, { token: model });
      const { status, json } = await reject(["x"], reviewer, more);
      expect([status, Object.keys(json.errors)]).toEqual([422, ["reason"]]);
      expect(await waiting()).toEqual(["x M (FX)"]);
    },
  );

  it("keeps a text stale that was", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await post({ "a.php": { x: "X2" } });
    await reject(["x"]);
    expect((await call("GET", `${base}/stale`)).json.data).toMatchObject([{ key: "x", translation: "FX" }]);
  });

  const body = { locale: "fr", file: "a.php", keys: ["x"] };
  const renewals: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["another one waits", () => translate("fr", { "a.php": { x: "M2" } }, { token: model })],
    ["the waiting one was confirmed", () => call("POST", `${base}/stale/confirm`, { body })],
    ["its writer confirmed it", () => call("POST", `${base}/stale/confirm`, { body, token: model })],
  ];
  it.each(renewals)("puts a text back as stale that became so while it waited, and %s", async (_, renew) => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await post({ "a.php": { x: "X2" } });
    await renew();
    await reject(["x"]);
    const { data } = (await call("GET", `${base}/stale`)).json;
    expect(data).toMatchObject([{ key: "x", translation: "FX", old_source_value: "X", source_value: "X2" }]);
  });

  const rejections: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["", () => reject(["x"])],
    [
      " as work",
      async () => {
        const expected = { source: { other: "X3" }, translation: { other: "M2" } };
        const items = [{ file: "a.php", key: "x", expected, reject: "no" }];
        return call("POST", `${base}/work/done`, { body: { locale: "fr", items }, token: reviewer });
      },
    ],
  ];
  it.each(rejections)(
    "puts a text back%s as stale as it was before it was replaced",
    async (_, rejecting) => {
      await post({ "a.php": { x: "X2" } });
      await translate("fr", { "a.php": { x: "M" } }, { token: model });
      await post({ "a.php": { x: "X3" } });
      await translate("fr", { "a.php": { x: "M2" } }, { token: model });
      expect((await call("GET", `${base}/stale`)).json.data).toEqual([]);
      await rejecting();
      const { data } = (await call("GET", `${base}/stale`)).json;
      expect(data).toMatchObject([
        { key: "x", translation: "FX", old_source_value: "X", source_value: "X3" },
      ]);
      await undo();
      expect([await waiting(), (await call("GET", `${base}/stale`)).json.data]).toEqual([["x M2 (FX)"], []]);
    },
  );
});

describe("an undo", () => {
  it("neither approves nor makes wait, whoever asks for it", async () => {
    await translate("fr", { "a.php": { x: "P" } });
    const person = await head();
    await translate("fr", { "a.php": { "n.y": "M1" } }, { token: model });
    await translate("fr", { "a.php": { "n.y": "M2" } }, { token: model });
    await call("POST", `${base}/undo`, { body: { commit: person }, token: model });
    expect([await waiting(), (await texts()).x]).toEqual([["n.y M2 (FY)"], "FX"]);
    await undo(await commitBefore(1));
    expect(await waiting()).toEqual(["n.y M1 (FY)"]);
  });

  it("of a new source text leaves what was approved for that one made for it", async () => {
    await post({ "a.php": { x: "X2" } });
    const renewed = await head();
    await translate("fr", { "a.php": { x: "G" } });
    // As it was before there was another source text, for which it counts from the undo on.
    await translate("fr", { "a.php": { x: "FX" } }, { token: model });
    await undo(renewed);
    expect([await waiting(), (await call("GET", `${base}/stale`)).json.data]).toEqual([["x FX (G)"], []]);
    const undone = await head();
    await reject(["x"]);
    const { data } = (await call("GET", `${base}/stale`)).json;
    expect(data).toMatchObject([{ key: "x", translation: "G", old_source_value: "X2", source_value: "X" }]);
    // And back again.
    await undo();
    await undo(undone);
    await reject(["x"]);
    expect((await call("GET", `${base}/stale`)).json.data).toEqual([]);
    expect((await texts()).x).toBe("G");
  });

  it("of what deleted a string brings its waiting translation back", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await put({ "a.php": { n: { y: "Y" } }, "b.php": { z: "Z" } });
    expect(await waiting()).toEqual([]);
    await undo();
    expect(await waiting()).toEqual(["x M (FX)"]);
  });
});

async function commitBefore(count: number): Promise<string> {
  return (await history()).json.data[count].commit;
}

describe("a branch", () => {
  const on = (method: string, path: string, body: object, by?: string) =>
    call(method, `${base}/${path}?branch=b`, { body, token: by });
  const write = (text: string, by?: string) =>
    on("POST", "translations/fr", { files: { "a.php": { x: text } }, overwrite_strategy: "overwrite" }, by);
  const merge = (into: "merge" | "update", on_conflict = "fail", by?: string) =>
    call("POST", `${base}/branches/b/${into}`, { body: { on_conflict }, ...(by && { token: by }) });
  const onApproval = { locale: "fr", file: "a.php", keys: ["x"] };

  beforeEach(() => call("POST", `${base}/branches`, { body: { name: "b" } }));

  it("brings its waiting texts into main, whoever merges", async () => {
    await write("M", model);
    expect(await waiting()).toEqual([]);
    await merge("merge", "fail", model);
    expect(await waiting()).toEqual(["x M (FX)"]);
    await undo();
    expect([await waiting(), (await texts()).x]).toEqual([[], "FX"]);
  });

  it("leaves what was approved there made for the source text that it had there", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await merge("update");
    const other = await token({ name: "Other", review: "always" });
    await write("Z");
    await write("M", other);
    await post({ "a.php": { x: "X2" } });
    await call("POST", `${base}/stale/confirm`, { body: onApproval, token: model });
    await merge("merge");
    expect([await waiting(), (await call("GET", `${base}/stale`)).json.data]).toEqual([["x M (Z)"], []]);
    await reject(["x"]);
    const { data } = (await call("GET", `${base}/stale`)).json;
    expect(data).toMatchObject([{ key: "x", translation: "Z", old_source_value: "X", source_value: "X2" }]);
  });

  it("of an unreviewed writer does not wait when a reviewed token merges it", async () => {
    await write("P");
    await merge("merge", "fail", model);
    expect([await waiting(), (await texts()).x]).toEqual([[], "P"]);
  });

  it("gets what waits in main, and brings the approval back", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await merge("update");
    expect(await waiting("?branch=b")).toEqual(["x M (FX)"]);
    await on("POST", "review/approve", onApproval, reviewer);
    expect(await waiting()).toEqual(["x M (FX)"]);
    await merge("merge");
    expect(await waiting()).toEqual([]);
  });

  it("conflicts where one side approves what the other changes", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await merge("update");
    await write("M2", model);
    await approve(["x"]);
    expect(await merge("merge")).toMatchObject({ status: 409, json: { code: "merge_conflict" } });
    expect(await merge("update")).toMatchObject({ status: 409, json: { code: "merge_conflict" } });
    expect((await merge("merge", "main")).status).toBe(200);
    expect([await waiting(), (await texts()).x]).toEqual([[], "M"]);
  });

  it("takes the other side's text with its review", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    await merge("update");
    await write("M2", model);
    await approve(["x"]);
    expect((await merge("merge", "branch")).status).toBe(200);
    expect(await waiting()).toEqual(["x M2 (FX)"]);
  });

  it("keeps reviews through moves on either side", async () => {
    await write("M", model);
    await put(
      { "a.php": { moved: "X", n: { y: "Y" } }, "b.php": { z: "Z" } },
      { query: "detect_moves=true" },
    );
    await merge("merge");
    expect(await waiting()).toEqual(["moved M (FX)"]);
    await on(
      "POST",
      "translations/fr",
      { files: { "a.php": { "n.y": "MY" } }, overwrite_strategy: "overwrite" },
      model,
    );
    await merge("update");
    expect((await waiting("?branch=b")).toSorted()).toEqual(["moved M (FX)", "n.y MY (FY)"]);
  });
});

describe("a token", () => {
  it("that is reviewed can only make tokens that are", async () => {
    const admin = await token({ abilities: ["admin"], review: "always" });
    const make = (body: object) =>
      call("POST", "/api/tokens", { body: { abilities: ["write"], ...body }, token: admin });
    expect((await make({})).json.review).toBe("always");
    for (const review of ["never", "sometimes"]) {
      const { status, json } = await make({ review });
      expect([status, Object.keys(json.errors)]).toEqual([422, ["review"]]);
    }
  });

  it("keeps its rule and its ability when the storage is opened again", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    const again = harness(openStorage({ disk, folder: storage.folder }), model);
    await again.translate("fr", { "a.php": { "n.y": "MY" } });
    const list = await again.call("GET", `${base}/review`);
    expect(list.json.data.map((one: { key: string }) => one.key)).toEqual(["x", "n.y"]);
  });
});

describe("markers that cannot be read", () => {
  it.each([
    "[]",
    "{",
    '{"x":1}',
    '{"x":{"text":"M"}}',
    '{"x":{"text":"M","approved":null,"by":"a","more":1}}',
  ])("are told as invalid content: %s", async (content) => {
    await commitOutside({ storage, disk, slug: "web" }, { files: { "review/fr/a.php.json": content } });
    expect(await call("GET", `${base}/review`)).toMatchObject({ status: 503 });
    expect((await exported("locale=fr")).status).toBe(200);
  });

  it("are taken with keys of any name", async () => {
    const names = ["__proto__", "constructor", "a.text"];
    await put({ "a.php": Object.fromEntries(names.map((name) => [name, name])) });
    await translate(
      "fr",
      { "a.php": Object.fromEntries(names.map((name) => [name, "M"])) },
      { token: model },
    );
    expect((await waiting()).toSorted()).toEqual(names.toSorted().map((name) => `${name} M (null)`));
    expect((await approve(names)).json.approved).toBe(3);
  });
});

describe("an export of approved texts", () => {
  const exported = async (query: string, by?: string) => {
    const { status, json } = await call("GET", `${base}/export?locale=fr${query}`, { token: by ?? model });
    expect(status).toBe(200);
    return { ...JSON.parse(json.files["a.json"]), ...JSON.parse(json.files["b.json"]) };
  };

  it("gives the text that was approved last, or none, or the source text", async () => {
    await translate("fr", { "a.php": { x: "M" }, "b.php": { z: "MZ" } }, { token: model });
    expect(await exported("")).toEqual({ x: "M", "n.y": "FY", z: "MZ" });
    expect(await exported("&state=approved")).toEqual({ x: "FX", "n.y": "FY" });
    expect(await exported("&state=approved&missing=leave")).toEqual({ x: "FX", "n.y": "FY" });
    expect(await exported("&state=approved&missing=source")).toEqual({ x: "FX", "n.y": "FY", z: "Z" });
    await call("DELETE", `${base}/translations/fr`, { body: { files: { "a.php": ["n.y"] } } });
    expect(await exported("&missing=source")).toEqual({ x: "M", "n.y": "Y", z: "MZ" });
  });

  it("changes when a text is approved that stays, and is of its commit", async () => {
    await translate("fr", { "a.php": { x: "M" } }, { token: model });
    const at = await head();
    const etag = async () =>
      (await call("GET", `${base}/export?locale=fr&state=approved`)).headers.get("etag");
    const before = await etag();
    await approve(["x"]);
    expect(await etag()).not.toBe(before);
    expect(await exported("&state=approved")).toMatchObject({ x: "M" });
    expect(await exported(`&state=approved&at=${at}`)).toMatchObject({ x: "FX" });
  });

  it.each(["state=waiting", "state=", "missing=none", "state=approved&state=approved"])(
    "refuses ?%s",
    async (query) => expect((await call("GET", `${base}/export?locale=fr&${query}`)).status).toBe(422),
  );

  it("is what approvals and rejections leave, over any history", async () => {
    const keys = ["x", "n.y"] as const;
    const sourceTexts: Record<string, string> = { x: "X", "n.y": "Y" };
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom("person" as const, "model" as const),
        key: fc.constantFrom(...keys),
        text: fc.constantFrom("A", "B", "C"),
      }),
      fc.record({
        kind: fc.constantFrom("approve" as const, "reject" as const, "remove" as const, "confirm" as const),
        key: fc.constantFrom(...keys),
      }),
      fc.record({ kind: fc.constant("source" as const), key: fc.constantFrom(...keys) }),
      fc.record({ kind: fc.constant("undo" as const) }),
      fc.record({ kind: fc.constant("move" as const) }),
    );
    const begin = prepareWeb(options, async (web) => {
      ({ storage, call } = web);
      await put({ "a.php": { x: "X", "n.y": "Y" } });
      return [await token({ review: "always" }), await token({ abilities: ["read", "approve"] })] as const;
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
        const { made, ...web } = await begin();
        ({ disk, storage, call } = web);
        [model, reviewer] = made;
        interface Text {
          readonly stored?: string;
          /** What a person has let through last. */
          readonly approved?: string;
          readonly waits?: boolean;
        }
        type State = Readonly<Record<string, Text>>;
        let state: State = {};
        /** The states before each commit, and those that it made, for undo. */
        let last: { readonly before: State; readonly isText: boolean } | undefined;
        let prefix = "";
        let count = 0;
        for (const one of steps) {
          const before = state;
          const was = await head();
          const text = "key" in one ? (state[one.key] ?? {}) : {};
          const named = "key" in one ? [prefix + one.key] : [];
          const change = (after: Text) => {
            if ("key" in one) state = Object.assign({}, state, { [one.key]: after });
          };
          if (one.kind === "person" || one.kind === "model") {
            const files = { "a.php": { [prefix + one.key]: one.text } };
            await translate("fr", files, { token: one.kind === "model" ? model : undefined });
            const isApproved = one.kind === "person" || one.text === text.approved;
            if (one.text !== text.stored)
              change({
                stored: one.text,
                approved: isApproved ? one.text : text.approved,
                waits: !isApproved,
              });
          } else if (one.kind === "approve") {
            await approve(named);
            if (text.waits === true) change({ stored: text.stored, approved: text.stored });
          } else if (one.kind === "reject") {
            await reject(named);
            if (text.waits === true) change({ stored: text.approved, approved: text.approved });
          } else if (one.kind === "remove") {
            await call("DELETE", `${base}/translations/fr`, { body: { files: { "a.php": named } } });
            change({});
          } else if (one.kind === "confirm") {
            const body = { locale: "fr", file: "a.php", keys: named };
            await call("POST", `${base}/stale/confirm`, { body });
          } else if (one.kind === "source") {
            const value = `${sourceTexts[one.key]}${(count += 1)}`;
            await post({ "a.php": { [prefix + one.key]: value } });
          } else if (one.kind === "move") {
            const next = `m${(count += 1)}.`;
            const moves = keys.map((key) => ({
              from: { file: "a.php", key: prefix + key },
              to: { file: "a.php", key: next + key },
            }));
            expect((await call("POST", `${base}/keys/move`, { body: { moves } })).status).toBe(200);
            prefix = next;
          } else if (last?.isText === true) {
            expect((await undo()).status).toBe(200);
            state = last.before;
          }
          if ((await head()) !== was) {
            const isText = one.kind !== "move" && one.kind !== "undo" && one.kind !== "source";
            last = { before, isText };
          }
          const wanted = (of: (text: Text) => string | undefined) =>
            Object.fromEntries(
              keys.flatMap((key) => {
                const value = of(state[key] ?? {});
                return value === undefined ? [] : [[prefix + key, value]];
              }),
            );
          const got = async (query: string) =>
            JSON.parse((await call("GET", `${base}/export?locale=fr${query}`)).json.files["a.json"]);
          expect(await got("")).toEqual(wanted(({ stored: now }) => now));
          expect(await got("&state=approved")).toEqual(wanted(({ approved }) => approved));
        }
      }),
      { numRuns: runs(20) },
    );
  });
});
