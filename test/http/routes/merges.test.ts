/** Merges over HTTP: a branch into main, and main into a branch. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { failure } from "../../../src/domain/errors.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { Branches } from "../../../src/git/refs/branches.ts";
import { addLocales, removeLocale } from "../../../src/service/admin/locales.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { commitOf, hiveAt } from "../../helpers/http/hive-api.ts";
import { byCommand, type Call, harness, makeToken, prepareWeb } from "../../helpers/storage.ts";

const hive = "/api/hives/web";

/** A conflict, as errors list it. */
interface Place {
  readonly locale: string;
  readonly key: string;
}
let now: number;
let disk: Disk;
let storage: Storage;
let call: Call;
const { undo } = hiveAt(() => call);

const options = { locales: ["fr", "de"], storage: { now: () => now }, token: { name: "CI" } };
const prepared = prepareWeb(options, async (web) => {
  ({ call } = web);
  await put({ a: "A", b: "B" });
  await translate({ a: "Fr A" });
  await call("POST", `${hive}/branches`, { body: { name: "feature/login" } });
});
beforeEach(async () => {
  now = Date.parse("2026-03-01T12:00:00Z");
  ({ disk, storage, call } = await prepared());
});

const branch = "feature/login";
const on = (path: string, name?: string) =>
  `${hive}${path}${name === undefined ? "" : `?branch=${encodeURIComponent(name)}`}`;
const put = (texts: object, name?: string, file = "a.php") =>
  hiveAt(() => call, "web", name).put({ [file]: texts });
const translate = (texts: object, name?: string, locale = "fr") =>
  hiveAt(() => call, "web", name).translate(locale, { "a.php": texts });
const at = (path: string, name = branch) => `${hive}/branches/${encodeURIComponent(name)}${path}`;
const merge = (body: object = {}, headers = {}, query = "") =>
  call("POST", at(`/merge${query}`), { body, headers });
const update = (body: object = {}, headers = {}) => call("POST", at("/update"), { body, headers });
const exported = async (locale: string, name?: string) => {
  const path = on(`/export`, name);
  const { json } = await call("GET", `${path}${path.includes("?") ? "&" : "?"}locale=${locale}`);
  return JSON.parse(json.files["a.json"] ?? "{}");
};
const historyOf = async (name?: string) => (await call("GET", on("/history", name))).json.data;
const counts = (json: object) =>
  Object.fromEntries(Object.entries(json).filter(([, count]) => typeof count === "number" && count > 0));

describe("a merge", () => {
  it("is made now, whatever times the branch has, so that dates still find what main was", async () => {
    const before = now;
    now = Date.parse("2099-01-01T00:00:00Z");
    await put({ a: "A", b: "B", n: "New" }, branch);
    now = before;
    const merged = await merge();
    const [last] = await historyOf();
    expect([last.commit, last.time]).toEqual([commitOf(merged), "2026-03-01T12:00:00Z"]);
    const { headers } = await call("GET", `${hive}/strings?at=2026-03-01T12:00:00Z`);
    expect(headers.get("x-skep-commit")).toBe(commitOf(merged));
  });

  it("brings what the branch changed, and keeps what main changed, as one commit with two parents", async () => {
    await put({ a: "A", b: "B", x: "Main" });
    const { headers: before } = await translate({ b: "Fr B" });
    await put({ n: "New", a: "A2", b: "B" }, branch);
    const tip = commitOf(await translate({ n: "Fr N" }, branch));
    const merged = await merge();
    expect([merged.status, counts(merged.json)]).toEqual([
      200,
      { created: 1, updated: 1, translations_created: 1 },
    ]);
    expect(await exported("en")).toEqual({ n: "New", a: "A2", b: "B", x: "Main" });
    expect(Object.keys(await exported("en"))).toEqual(["n", "a", "b", "x"]);
    expect(await exported("fr")).toEqual({ n: "Fr N", a: "Fr A", b: "Fr B" });
    const stale = await call("GET", `${hive}/stale`);
    expect(stale.json.data).toEqual([expect.objectContaining({ key: "a", old_source_value: "A" })]);
    const [last] = await historyOf();
    expect(last).toMatchObject({
      commit: commitOf(merged),
      subject: "Merge branch feature/login: 1 created, 1 updated, 1 translated",
      operation: "merge",
      strategy: "fail",
      counts: { created: 1, updated: 1, translations_created: 1 },
    });
    const { parents } = (await storage.hives.at(toHiveSlug("web")).snapshot()).commit;
    expect(parents).toEqual([before.get("x-skep-commit"), tip]);
    expect((await call("GET", at(""))).json).toMatchObject({ ahead: 0, base: tip });
  });

  it("of a branch without new commits writes nothing", async () => {
    const { headers } = await call("GET", `${hive}/strings`);
    const merged = await merge();
    expect([merged.status, counts(merged.json), commitOf(merged)]).toEqual([
      200,
      {},
      headers.get("x-skep-commit"),
    ]);
    expect(merged.json).not.toHaveProperty("merged");
  });

  it("of commits that change no text together is a commit still, and merging again is none", async () => {
    await put({ a: "A", b: "B2" }, branch);
    await put({ a: "A", b: "B1" });
    await put({ a: "A", b: "B2" });
    const merged = await merge();
    expect((await historyOf())[0]).toMatchObject({
      commit: commitOf(merged),
      subject: "Merge branch feature/login: no text changed",
    });
    const again = await merge();
    expect([commitOf(again), again.json.merged]).toEqual([commitOf(merged), commitOf(merged)]);
  });

  it("a conflict is refused with all texts, and settled where a side is named", async () => {
    await put({ a: "Main A", c: "C" });
    await put({ a: "Branch A", b: "Branch B" }, branch);
    const before = commitOf(await call("GET", `${hive}/strings`));
    const refused = await merge();
    expect([refused.status, refused.json]).toEqual([
      409,
      {
        message:
          "Changed differently in main and in the branch, so nothing was merged: en: a.php: a (and 1 more)",
        code: "merge_conflict",
        conflicts: [
          {
            locale: "en",
            file: "a.php",
            key: "a",
            reason: "text",
            base: "A",
            main: "Main A",
            branch: "Branch A",
          },
          {
            locale: "en",
            file: "a.php",
            key: "b",
            reason: "deleted",
            base: "B",
            main: null,
            branch: "Branch B",
          },
        ],
        total: 2,
      },
    ]);
    expect(commitOf(await call("GET", `${hive}/strings`))).toBe(before);
    const { json } = await merge({ on_conflict: "main" }, {}, "?dry_run=true");
    expect(counts(json)).toEqual({ settled: 2 });
    const merged = await merge({ on_conflict: "branch" });
    expect(counts(merged.json)).toEqual({ created: 1, updated: 1, settled: 2 });
    expect(await exported("en")).toEqual({ a: "Branch A", b: "Branch B", c: "C" });
    expect((await historyOf())[0].subject).toBe(
      "Merge branch feature/login: 1 created, 1 updated, 2 conflicts settled for branch",
    );
  });

  it("a conflict shows no texts to a token that cannot read", async () => {
    await put({ a: "Main A", b: "B" });
    await put({ a: "Branch A", b: "B" }, branch);
    const { call: write } = harness(storage, await makeToken(storage, { abilities: ["write"] }));
    const { json } = await write("POST", at("/merge"), { body: {} });
    expect(json.conflicts).toEqual([{ locale: "en", file: "a.php", key: "a", reason: "text" }]);
  });

  it("the undo of a merge gives main as it was, and a further merge tells that it is undone", async () => {
    await put({ a: "A2", b: "B", c: "C" }, branch);
    await put({ a: "A", b: "Main B" });
    const before = [await exported("en"), await exported("fr")];
    const merged = commitOf(await merge());
    const undone = commitOf(await undo(merged));
    expect([await exported("en"), await exported("fr")]).toEqual(before);
    const again = await merge();
    expect([counts(again.json), again.json.merged, again.json.undone_by]).toEqual([{}, merged, undone]);
    await undo(undone);
    expect(await exported("en")).toEqual({ a: "A2", b: "Main B", c: "C" });
    expect((await merge()).json).not.toHaveProperty("undone_by");
  });

  it("of new commits tells that the earlier ones stay undone", async () => {
    await put({ a: "A", b: "B", c: "C" }, branch);
    const merged = commitOf(await merge());
    const undone = commitOf(await undo(merged));
    await put({ a: "A", b: "B", c: "C", d: "D" }, branch);
    const { json } = await merge();
    expect(json).toMatchObject({ created: 1, merged, undone_by: undone });
    expect(await exported("en")).toEqual({ a: "A", b: "B", d: "D" });
  });

  it("translations into a locale that main no longer has are left out and counted", async () => {
    await translate({ a: "De A" }, branch, "de");
    await translate({ b: "Fr B" }, branch);
    await removeLocale(storage, toHiveSlug("web"), "de", byCommand);
    expect(counts((await merge()).json)).toEqual({ translations_created: 1, dropped: 1 });
  });

  it("takes If-Match, max_deletions, the quota, a message and a reference", async () => {
    await put({ b: "B" }, branch);
    const head = commitOf(await call("GET", `${hive}/strings`));
    expect((await merge({}, { "if-match": `"${"0".repeat(40)}"` })).status).toBe(412);
    const limited = await merge({}, {}, "?max_deletions=0");
    expect([limited.status, limited.json.code]).toEqual([422, "too_many_deletions"]);
    const headers = { "if-match": `"${head}"`, "x-commit-message": "Ship it", "x-commit-ref": "ci/1" };
    expect(counts((await merge({}, headers)).json)).toEqual({ deleted: 1, translations_deleted: 1 });
    expect((await historyOf())[0]).toMatchObject({ message: "Ship it", ref: "ci/1" });
    await put({ b: "B", c: "C", d: "D" }, branch);
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 2 });
    const { status, json } = await merge();
    expect([status, json.code]).toEqual([422, "quota_exceeded"]);
  });

  it("a repeated merge is answered from its commit", async () => {
    await put({ a: "A", b: "B", c: "C" }, branch);
    const headers = { "idempotency-key": "one" };
    const first = await merge({}, headers);
    const again = await merge({}, headers);
    expect([commitOf(again), again.json]).toEqual([commitOf(first), first.json]);
    expect(
      (await historyOf()).filter(({ operation }: { operation: string }) => operation === "merge"),
    ).toHaveLength(1);
  });

  it("a repeated merge tells all that the first answer told, and deletes the branch if the first came not so far", async () => {
    const branchCommits = async () => commitOf(await call("GET", at("")));
    await put({ a: "A", b: "B", c: "C" }, branch);
    await undo(commitOf(await merge()));
    await put({ a: "A", b: "B", c: "C", d: "D" }, branch);
    const headers = { "idempotency-key": "one" };
    const tip = await branchCommits();
    const first = await merge({ delete: true }, headers);
    expect(first.json).toMatchObject({ branch_deleted: true, undone_by: expect.any(String) });
    expect((await merge({ delete: true }, headers)).json).toEqual(first.json);
    await call("POST", at("/restore"));
    expect(await branchCommits()).toBe(tip);
    expect((await merge({ delete: true }, headers)).json).toEqual(first.json);
    expect((await call("GET", at(""))).status).toBe(404);
    await call("POST", at("/restore"));
    await put({ a: "A", b: "B", c: "C", d: "D", e: "E" }, branch);
    expect((await merge({ delete: true }, headers)).json).toEqual({
      ...first.json,
      branch_deleted: false,
      not_deleted: "It has further commits by now.",
    });
    const again = { "idempotency-key": "two" };
    await update({ delete: true }, again);
    expect((await update({ delete: true }, again)).json).not.toHaveProperty("branch_deleted");
    expect((await call("GET", at(""))).status).toBe(200);
  });

  it("whose branch cannot be deleted says why, and the same request again deletes it", async () => {
    for (const [key, headers] of [
      ["c", {}],
      ["d", { "idempotency-key": "one" }],
    ] as const) {
      await put({ a: "A", b: "B", [key]: "New" }, branch);
      const deletion = vi.spyOn(Branches.prototype, "delete");
      deletion.mockRejectedValueOnce(failure("disk-full", "There is no room left to store this."));
      const first = await merge({ delete: true, on_conflict: "branch" }, headers);
      deletion.mockRestore();
      const left = { branch_deleted: false, not_deleted: "There is no room left to store this." };
      expect([first.status, first.json]).toEqual([200, expect.objectContaining({ created: 1, ...left })]);
      expect((await call("GET", at(""))).status).toBe(200);
      const again = await merge({ delete: true, on_conflict: "branch" }, headers);
      expect(again.json).toMatchObject({ branch_deleted: true });
      expect(again.json).not.toHaveProperty("not_deleted");
      expect(commitOf(again)).toBe(commitOf(first));
      expect((await call("GET", at(""))).status).toBe(404);
      await call("POST", at("/restore"));
    }
  });

  it("that deletes a branch which somebody else deletes meanwhile has deleted it", async () => {
    await put({ a: "A", b: "B", c: "C" }, branch);
    const deletion = vi.spyOn(Branches.prototype, "delete");
    deletion.mockImplementationOnce(async function (this: Branches, name, commit, options) {
      await this.delete(name, commit, options);
      throw failure("head-moved", "The Hive was changed by another process.");
    });
    expect((await merge({ delete: true })).json).toMatchObject({ created: 1, branch_deleted: true });
    deletion.mockRestore();
  });

  it("that would delete the branch is refused whole with a token of some locales", async () => {
    await translate({ a: "Fr A2" }, branch);
    ({ call } = harness(storage, await makeToken(storage, { locales: ["fr"] })));
    const { status, json } = await merge({ delete: true });
    expect([status, json.code]).toEqual([403, "limited_token"]);
    expect(await exported("fr")).toEqual({ a: "Fr A" });
    expect((await merge()).json).toMatchObject({ translations_updated: 1 });
  });

  it("a dry run lists what would change, and writes nothing", async () => {
    await put({ a: "A", b: "B", c: "C" }, branch);
    const { json } = await merge({ delete: true }, {}, "?dry_run=true");
    expect(json).toMatchObject({
      created: 1,
      changes: [{ change: "created", locale: "en", file: "a.php", key: "c", before: null, after: "C" }],
      changes_total: 1,
    });
    expect([await exported("en"), (await call("GET", at(""))).status]).toEqual([{ a: "A", b: "B" }, 200]);
  });

  it("deletes the branch where that is asked for, also when nothing is left to merge", async () => {
    await put({ a: "A", b: "B", c: "C" }, branch);
    expect((await merge({ delete: true })).json).toMatchObject({ created: 1, branch_deleted: true });
    expect((await call("GET", at(""))).status).toBe(404);
    await call("POST", at("/restore"));
    expect((await merge({ delete: true })).json.branch_deleted).toBe(true);
    expect((await merge()).status).toBe(404);
    expect((await call("POST", at("/merge", "main"), { body: {} })).status).toBe(422);
  });
});

describe("conflicts that are settled each for itself", () => {
  const conflicts = async () => {
    await put({ a: "Main A", b: "Main B" });
    await put({ a: "Branch A", b: "Branch B" }, branch);
    await translate({ a: "Main Fr" });
    await translate({ a: "Branch Fr" }, branch);
  };
  const place = (key: string, locale = "en") => ({ locale, file: "a.php", key });

  it("are settled by a side or by a text of neither, and the text is made for the merged string", async () => {
    await conflicts();
    const resolutions = [
      { ...place("a"), text: "Own A" },
      { ...place("b"), take: "branch" },
      { ...place("a", "fr"), text: "Own Fr" },
    ];
    const planned = await merge({ resolutions }, {}, "?dry_run=true");
    expect(counts(planned.json)).toMatchObject({ updated: 2, translations_updated: 1, settled: 3 });
    const merged = await merge({ resolutions });
    expect(counts(merged.json)).toEqual({ updated: 2, translations_updated: 1, settled: 3 });
    expect([await exported("en"), await exported("fr")]).toEqual([
      { a: "Own A", b: "Branch B" },
      { a: "Own Fr" },
    ]);
    expect((await call("GET", `${hive}/stale`)).json.data).toEqual([]);
    expect((await historyOf())[0].subject).toBe(
      "Merge branch feature/login: 2 updated, 1 translated, 3 conflicts settled one by one",
    );
    await undo(commitOf(merged));
    expect([await exported("en"), await exported("fr")]).toEqual([
      { a: "Main A", b: "Main B" },
      { a: "Main Fr" },
    ]);
  });

  it("leave the others to on_conflict, and are 409 with these alone without it", async () => {
    await conflicts();
    const resolutions = [{ ...place("a"), take: "main" }];
    const refused = await merge({ resolutions });
    expect([
      refused.status,
      refused.json.conflicts.map(({ locale, key }: Place) => `${locale} ${key}`),
    ]).toEqual([409, ["en b", "fr a"]]);
    expect(counts((await merge({ resolutions, on_conflict: "branch" })).json)).toMatchObject({ settled: 3 });
    expect(await exported("en")).toEqual({ a: "Main A", b: "Branch B" });
  });

  it("also in an update of the branch, where main is the other side", async () => {
    await conflicts();
    const resolutions = [
      { ...place("a"), take: "main" },
      { ...place("b"), take: "branch" },
      { ...place("a", "fr"), text: "Own Fr" },
    ];
    expect((await update({ resolutions })).status).toBe(200);
    expect([await exported("en", branch), await exported("fr", branch)]).toEqual([
      { a: "Main A", b: "Branch B" },
      { a: "Own Fr" },
    ]);
  });

  it("of plural strings have a text for each form", async () => {
    await put({ item_one: "item", item_other: "items" });
    await put({ item_one: "thing", item_other: "things" }, branch);
    await translate({ item_one: "élément", item_other: "éléments" });
    await translate({ item_one: "chose", item_other: "choses" }, branch);
    const forms = ["item_one", "item_other"].flatMap((key) => [
      { ...place(key), take: "branch" },
      { ...place(key, "fr"), text: `${key} à nous` },
    ]);
    const merged = await merge({ resolutions: forms });
    expect([merged.status, merged.json]).toMatchObject([200, { settled: 4 }]);
    expect(await exported("fr")).toEqual({ item_one: "item_one à nous", item_other: "item_other à nous" });
  });

  it.each([
    ["no conflict", { key: "c", take: "main" }, "resolutions.0: there is no such conflict: en: a.php: c"],
    ["no locale", { locale: "xx", take: "main" }, "resolutions.0: there is no such conflict: xx: a.php: a"],
    ["no file", { file: "../a", take: "main" }, "resolutions.0: there is no such conflict: en: ../a: a"],
    [
      "no such note",
      { member: "note", take: "main" },
      "resolutions.0: there is no such conflict: en: a.php: a: note",
    ],
  ])("are a 422 with the place of one that names %s", async (_, own, message) => {
    await conflicts();
    const resolutions = [{ ...place("a"), ...own }];
    const { status, json } = await merge({ resolutions, on_conflict: "main" });
    expect([status, json.message]).toEqual([422, message]);
  });

  it.each([
    ["neither side nor text", [{}], "resolutions.0.take"],
    ["both", [{ take: "main", text: "Own" }], "resolutions.0.take"],
    ["an unknown side", [{ take: "ours" }], "resolutions.0.take"],
    ["an empty text", [{ text: "" }], "resolutions.0.text"],
    ["a text that nothing can hold", [{ text: "a\u0000b" }], "resolutions.0.text"],
    ["the same conflict twice", [{ take: "main" }, { take: "branch" }], "resolutions.1"],
  ])("are a 422 with %s", async (_, given, field) => {
    await conflicts();
    const resolutions = given.map((one) => ({ ...place("a"), ...one }));
    const { status, json } = await merge({ resolutions, on_conflict: "main" });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("are a 422 where there is nothing to merge", async () => {
    const { status } = await merge({ resolutions: [{ ...place("a"), take: "main" }] });
    expect(status).toBe(422);
  });

  it("are a 412 once either side has moved on", async () => {
    await conflicts();
    const tip = commitOf(await call("GET", at("")));
    const head = commitOf(await call("GET", `${hive}/strings`));
    const settled = { on_conflict: "main", commit: tip };
    await put({ a: "Branch A", b: "Branch B", c: "C" }, branch);
    const moved = await merge(settled);
    expect([moved.status, moved.json.code]).toEqual([412, "precondition_failed"]);
    await put({ a: "Main A", b: "Main B", d: "D" });
    const commit = commitOf(await call("GET", at("")));
    expect((await merge({ ...settled, commit }, { "if-match": `"${head}"` })).status).toBe(412);
    expect((await merge({ ...settled, commit })).status).toBe(200);
  });

  it("have their texts reviewed where the writer is", async () => {
    await translate({ a: "Main" });
    await translate({ a: "Branch" }, branch);
    const { call: reviewed } = harness(storage, await makeToken(storage, { review: "always" }));
    const body = { resolutions: [{ ...place("a", "fr"), text: "Own" }] };
    expect((await reviewed("POST", at("/merge"), { body })).status).toBe(200);
    const waiting = (await call("GET", `${hive}/review?locale=fr`)).json.data;
    expect(waiting).toEqual([expect.objectContaining({ key: "a" })]);
  });

  it("may not be settled in a locale that the token is not for", async () => {
    await translate({ a: "Main Fr" });
    await translate({ a: "Branch Fr" }, branch);
    const { call: limited } = harness(storage, await makeToken(storage, { locales: ["de"] }));
    const body = { resolutions: [{ ...place("a", "fr"), text: "Own Fr" }] };
    expect((await limited("POST", at("/merge"), { body })).status).toBe(403);
  });
});

describe("moves in merges", () => {
  const move = (from: string, to: string, name?: string) =>
    call("POST", on("/keys/move", name), {
      body: { moves: [{ from: { file: "a.php", key: from }, to: { file: "a.php", key: to } }] },
    });

  it("a string that the branch moved keeps what main changed of it meanwhile", async () => {
    await move("a", "login.a", branch);
    await put({ a: "Main A", b: "B" });
    await translate({ a: "Main Fr" });
    const { json } = await call("GET", at("/changes"));
    expect(json.data).toEqual([
      expect.objectContaining({ change: "moved", key: "login.a", from: { file: "a.php", key: "a" } }),
    ]);
    const merged = await merge();
    expect(counts(merged.json)).toEqual({ moved: 1 });
    expect([await exported("en"), await exported("fr")]).toEqual([
      { "login.a": "Main A", b: "B" },
      { "login.a": "Main Fr" },
    ]);
    await undo(commitOf(merged));
    expect(await exported("en")).toEqual({ a: "Main A", b: "B" });
  });

  it("moves on both sides meet through updates and merges", async () => {
    await move("a", "x", branch);
    await move("b", "y");
    expect(counts((await update()).json)).toEqual({ moved: 1 });
    await put({ a: "Main A", y: "B" });
    await translate({ x: "Branch Fr", y: "Branch Y" }, branch);
    expect(counts((await merge()).json)).toEqual({
      moved: 1,
      translations_created: 1,
      translations_updated: 1,
    });
    expect([await exported("en"), await exported("fr")]).toEqual([
      { x: "Main A", y: "B" },
      { x: "Branch Fr", y: "Branch Y" },
    ]);
    await move("y", "z");
    await put({ x: "A", y: "B2" }, branch);
    expect(counts((await merge()).json)).toEqual({ updated: 1 });
    expect(await exported("en")).toEqual({ x: "Main A", z: "B2" });
  });

  it("a string that both sides moved elsewhere is a conflict", async () => {
    await move("a", "x", branch);
    await move("a", "y");
    const { json } = await merge();
    expect(json.conflicts).toEqual([
      expect.objectContaining({ key: "x", reason: "moved", branch: "A" }),
      expect.objectContaining({ key: "y", reason: "moved", main: "A" }),
    ]);
    expect(counts((await merge({ on_conflict: "branch" })).json)).toMatchObject({ settled: 2 });
    expect(await exported("en")).toEqual({ x: "A", b: "B" });
  });
});

describe("an update", () => {
  it("brings main into the branch by the same rules, and a merge then has only what the branch changed", async () => {
    await put({ a: "A", b: "Main B", x: "X" });
    await put({ a: "Branch A", b: "B" }, branch);
    const before = commitOf(await call("GET", `${hive}/strings`));
    const updated = await update();
    expect(counts(updated.json)).toEqual({ created: 1, updated: 1 });
    expect(await exported("en", branch)).toEqual({ a: "Branch A", b: "Main B", x: "X" });
    expect((await historyOf(branch))[0]).toMatchObject({
      commit: commitOf(updated),
      operation: "update",
      subject: "Update branch feature/login from main: 1 created, 1 updated",
    });
    expect(commitOf(await call("GET", `${hive}/strings`))).toBe(before);
    expect((await call("GET", at(""))).json).toMatchObject({ base: before, ahead: 2, behind: 0 });
    expect(counts((await merge()).json)).toEqual({ updated: 1 });
    expect((await update()).json).not.toHaveProperty("merged");
  });

  it("a conflict of an update is settled for the named side, and is none in the merge", async () => {
    await put({ a: "Main A", b: "B" });
    await put({ a: "Branch A", b: "B" }, branch);
    expect((await update()).json.conflicts[0]).toMatchObject({ main: "Main A", branch: "Branch A" });
    expect(counts((await update({ on_conflict: "branch" })).json)).toEqual({ settled: 1 });
    expect(await exported("en", branch)).toEqual({ a: "Branch A", b: "B" });
    expect(counts((await merge()).json)).toEqual({ updated: 1 });
  });

  it("If-Match and Idempotency-Key of an update are about the branch", async () => {
    await put({ a: "A", b: "B", x: "X" });
    const main = commitOf(await call("GET", `${hive}/strings`));
    const tip = commitOf(await call("GET", on("/strings", branch)));
    expect((await update({}, { "if-match": `"${main}"` })).status).toBe(412);
    const headers = { "if-match": `"${tip}"`, "idempotency-key": "two" };
    const first = await update({}, headers);
    expect(first.status).toBe(200);
    expect(commitOf(await update({}, headers))).toBe(commitOf(first));
    expect((await call("POST", at("/update", "nope"), { body: {} })).status).toBe(404);
  });
});

describe("the changes of a branch", () => {
  it("are listed page by page, with what conflicts", async () => {
    await put({ a: "Main A", b: "B" });
    await put({ a: "Branch A", c: "C" }, branch);
    await translate({ c: "Fr C" }, branch);
    const { json } = await call("GET", at("/changes"));
    expect(json).toMatchObject({
      data: [
        {
          change: "updated",
          locale: "en",
          key: "a",
          before: "A",
          after: "Branch A",
          conflict: { reason: "text", main: "Main A" },
        },
        { change: "created", locale: "en", key: "c", before: null, after: "C" },
        { change: "deleted", locale: "en", key: "b", before: "B", after: null },
        { change: "created", locale: "fr", key: "c" },
      ],
      conflicts: 1,
      locales: { en: 3, fr: 1 },
      meta: { total: 4 },
    });
    const page = await call("GET", at("/changes?per_page=1&page=2"));
    expect(page.json.data).toEqual([json.data[1]]);
    const only = await call("GET", at("/changes?conflicts=true"));
    expect([only.json.data, only.json.meta.total]).toEqual([[json.data[0]], 1]);
    const etag = page.headers.get("etag") ?? "";
    const again = await call("GET", at("/changes?per_page=1&page=2"), { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    await put({ a: "A", b: "B" });
    expect((await call("GET", at("/changes"))).json.conflicts).toBe(0);
    expect((await call("GET", at("/changes", "nope"))).status).toBe(404);
  });
});

describe("a branch from when the Hive had another source locale", () => {
  /** Makes French the source locale, as somebody with git can. */
  const switchSource = () => {
    const settings = "name: web\nsource_locale: fr\nlocales:\n  - code: fr\n  - code: en\n  - code: de\n";
    return commitOutside({ storage, disk, slug: "web" }, { files: { "hive.yaml": settings } });
  };

  beforeEach(async () => {
    await translate({ a: "Fr A", b: "Fr B" });
    await call("POST", at("/update"), { body: {} });
  });

  it("is merged with the present one", async () => {
    await put({ a: "A", b: "B2", c: "C" }, branch);
    await translate({ c: "Fr C" }, branch);
    await switchSource();
    const { json } = await call("GET", at("/changes"));
    expect(json.data).toMatchObject([
      { change: "created", locale: "fr", key: "c", after: "Fr C" },
      { change: "created", locale: "en", key: "c", after: "C" },
      { change: "updated", locale: "en", key: "b", after: "B2" },
    ]);
    expect((await update()).status).toBe(200);
    expect((await merge()).json).toMatchObject({
      created: 1,
      translations_created: 1,
      translations_updated: 1,
    });
    expect(await exported("fr")).toEqual({ a: "Fr A", b: "Fr B", c: "Fr C" });
    expect(await exported("en")).toEqual({ a: "A", b: "B2", c: "C" });
  });

  it("loses no string that the present one lacks", async () => {
    await put({ a: "A", b: "B", c: "C" }, branch);
    await switchSource();
    const problem = "has no text in fr, the source locale by now; add one to the branch first";
    for (const refused of [await merge(), await update()])
      expect([refused.status, refused.json.message]).toEqual([422, `en: a.php: c: ${problem}`]);
    const files = { "a.php": { c: "Fr C" } };
    expect((await call("POST", on("/strings", branch), { body: { files } })).status).toBe(200);
    expect((await merge()).json).toMatchObject({ created: 1, translations_created: 1 });
    expect(await exported("en")).toEqual({ a: "A", b: "B", c: "C" });
  });
});

describe("a locale that main lost and got back", () => {
  it.each([{}, { a: "New A" }])("has no texts of the branch that it did not change: %o", async (texts) => {
    const web = toHiveSlug("web");
    await translate({ a: "De A" }, undefined, "de");
    expect((await update()).status).toBe(200);
    await removeLocale(storage, web, "de", byCommand);
    await translate({ b: "Fr B" }, branch);
    expect((await merge()).status).toBe(200);
    await addLocales(storage, web, [toLocale("de")], byCommand);
    await translate(texts, undefined, "de");
    await translate({ b: "Fr B2" }, branch);
    const { json } = await call("GET", at("/changes"));
    expect(json).toMatchObject({ data: [{ locale: "fr", key: "b" }], conflicts: 0 });
    expect((await merge()).status).toBe(200);
    expect(await exported("de")).toEqual(texts);
  });
});
