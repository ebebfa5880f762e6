/** Taking commits back over HTTP. */
import { beforeEach, describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName, type Oid } from "../../../src/domain/names.ts";
import { addLocales, removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { undoCommit } from "../../../src/service/content/undo.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toCommit, type GitObject } from "../../../src/git/objects/git-object.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { byCommand, type Call, makeHive, makeToken, prepareWeb } from "../../helpers/storage.ts";

const slug = toHiveSlug("web");
const base = "/api/hives/web";
let disk: Disk;
let storage: Storage;
let call: Call;
const { post, put, head, translate, undo, exported, history } = hiveAt(() => call);

const prepared = prepareWeb({ locales: ["fr", "de"] }, async (web) => {
  ({ call } = web);
  await post({ "a.php": { x: "X", n: { y: "Y" }, z: "Z" } });
  await translate("fr", { "a.php": { x: "FX", "n.y": "FY" } });
});
beforeEach(async () => {
  ({ disk, storage, call } = await prepared());
});

const outside = (commit: Parameters<typeof commitOutside>[1]) =>
  commitOutside({ storage, disk, slug }, commit);

async function treeAtHead(): Promise<Oid> {
  return (await storage.hives.at(slug).snapshot()).tree.oid;
}

async function stale(): Promise<string[]> {
  const { json } = await call("GET", `${base}/stale`);
  return json.data.map((one: Record<string, string>) => `${one.locale} ${one.key} ${one.old_source_value}`);
}

describe("POST /undo", () => {
  it.each<[string, () => Promise<unknown>, Record<string, number>]>([
    [
      "a sync",
      () => put({ "a.php": { z: "Z2", w: "W", n: { y: "Y2" } } }),
      { restored: 2, updated: 2, deleted: 1 },
    ],
    [
      "a sync of the order of one file and of a text in another",
      async () => {
        await put({ "a.php": { n: { y: "Y" }, z: "Z", x: "X", none: [] }, "b.php": { b: "B" } });
      },
      { restored: 0, updated: 0, deleted: 1 },
    ],
    [
      "a sync of the order alone",
      () => put({ "a.php": { z: "Z", n: { y: "Y" }, x: "X" } }),
      { restored: 0, updated: 0, deleted: 0 },
    ],
    ["the end of a file", () => put({ "a.php": {} }), { restored: 5, updated: 0, deleted: 0 }],
    ["a new file", () => post({ "b.php": { a: "A" } }), { restored: 0, updated: 0, deleted: 1 }],
    [
      "a translation import",
      () => translate("fr", { "a.php": { x: "F2", z: "FZ" } }),
      { restored: 0, updated: 1, deleted: 1 },
    ],
  ])("undoes %s, markers included, and redoes it", async (_, run, counts) => {
    const before = await treeAtHead();
    await run();
    const after = await treeAtHead();
    const first = await undo(await head());
    expect([first.status, first.json]).toEqual([200, { ...counts, skipped: 0 }]);
    expect(await treeAtHead()).toBe(before);
    expect((await undo(await head())).status).toBe(200);
    expect(await treeAtHead()).toBe(after);
  });

  it("undoes a merge: its difference to its first parent, and what it brought one by one", async () => {
    const before = await treeAtHead();
    const file = (content: object) => `${JSON.stringify(content, null, 2)}\n`;
    const source = file({ x: "X2", n: { y: "Y2" }, z: "Z" });
    const aside = await outside({ files: { "locales/en/a.php.json": source }, isMoved: false });
    const merge = await outside({
      files: { "locales/en/a.php.json": source, "locales/de/a.php.json": file({ x: "DX" }) },
      parents: [await head(), aside],
    });
    const merged = await treeAtHead();
    const counts = { restored: 0, updated: 2, deleted: 1, skipped: 0 };
    expect((await undo(merge)).json).toEqual(counts);
    expect(await treeAtHead()).toBe(before);
    expect((await undo(await head())).json).toMatchObject({ restored: 1, updated: 2 });
    expect(await treeAtHead()).toBe(merged);
    expect((await undo(aside)).json).toEqual({ restored: 0, updated: 2, deleted: 0, skipped: 0 });
    expect(await stale()).toEqual(["de x X2"]);
  });

  it("refuses a commit that changed only settings, which are never undone", async () => {
    const admin = await makeToken(storage, { abilities: ["admin"] });
    for (const [path, body] of [
      ["", { checks: { level: "refuse" } }],
      ["/locales/fr", { review: "all" }],
    ] as const) {
      expect((await call("PATCH", base + path, { body, token: admin })).status).toBe(200);
      const made = await head();
      const { status, json } = await undo(made);
      expect([status, json.errors?.commit]).toEqual([
        422,
        [expect.stringContaining("changed only settings")],
      ]);
      expect(await head()).toBe(made);
    }
  });

  it("undoes an older commit, and keeps what came after", async () => {
    await put({ "a.php": { x: "X", n: { y: "Y" } } });
    const commit = await head();
    await post({ "a.php": { x: "X2", w: "W" } });
    expect((await undo(commit.slice(0, 7).toUpperCase())).json).toEqual({
      restored: 1,
      updated: 0,
      deleted: 0,
      skipped: 0,
    });
    const { json } = await exported("locale=en");
    expect(JSON.parse(json.files["a.json"])).toEqual({ x: "X2", "n.y": "Y", z: "Z", w: "W" });
    expect(await stale()).toEqual(["fr x X"]);
  });
});

describe("the stale markers", () => {
  it("stale markers follow a source text that comes back, and one that is removed again", async () => {
    await post({ "a.php": { x: "X2" } });
    const changed = await head();
    expect(await stale()).toEqual(["fr x X"]);
    await undo(changed);
    expect(await stale()).toEqual([]);
    await undo(await head());
    expect(await stale()).toEqual(["fr x X"]);
  });

  it("come back with a translation that had one", async () => {
    await post({ "a.php": { x: "X2" } });
    await translate("fr", { "a.php": { x: "F2" } });
    expect(await stale()).toEqual([]);
    await undo(await head());
    expect(await stale()).toEqual(["fr x X"]);
    await put({ "a.php": { z: "Z" } });
    await undo(await head());
    expect(await stale()).toEqual(["fr x X"]);
  });

  describe("a confirmation", () => {
    const confirm = () =>
      call("POST", `${base}/stale/confirm`, { body: { locale: "fr", file: "a.php", keys: ["x", "n.y"] } });
    const nothing = { restored: 0, updated: 0, deleted: 0, skipped: 0 };
    let confirmed: Oid;
    beforeEach(async () => {
      await post({ "a.php": { x: "X2", n: { y: "Y2" } } });
      await confirm();
      confirmed = await head();
    });

    it("is taken back, and given again by the undo of that", async () => {
      const { json } = await undo(confirmed);
      expect(json).toEqual({ ...nothing, confirmations: 2 });
      expect(await stale()).toEqual(["fr x X", "fr n.y Y"]);
      const { data } = (await history()).json;
      expect(data[0].subject).toBe(`Undo ${confirmed.slice(0, 10)}: 2 confirmations taken back`);
      expect(data[0].counts).toMatchObject({ updated: 0, confirmations: 2 });
      expect((await undo(await head())).json).toEqual({ ...nothing, confirmations: 2 });
      expect(await stale()).toEqual([]);
    });

    it("is taken back of a text whose source has changed since, as what it was made for", async () => {
      await post({ "a.php": { x: "X3" } });
      expect(await stale()).toEqual(["fr x X2"]);
      expect((await undo(confirmed)).json).toMatchObject({ confirmations: 2 });
      expect(await stale()).toEqual(["fr x X", "fr n.y Y"]);
    });

    it("of what was translated since is a conflict", async () => {
      await translate("fr", { "a.php": { x: "FX2" } });
      const before = await head();
      const refused = await undo(confirmed);
      expect([refused.status, refused.json.conflicts]).toEqual([
        409,
        [{ locale: "fr", file: "a.php", key: "x" }],
      ]);
      expect(await head()).toBe(before);
      const left = await undo(confirmed, { body: { on_conflict: "skip" } });
      expect(left.json).toEqual({ ...nothing, skipped: 1, confirmations: 1 });
      expect(await stale()).toEqual(["fr n.y Y"]);
    });

    it("that a merge brought is taken back with the rest of it", async () => {
      await post({ "a.php": { x: "X4" } });
      const aside = await outside({ files: { "notes.txt": "x" }, isMoved: false });
      const files = { "stale/fr/a.php.json": undefined, "locales/en/b.php.json": '{"b": "B"}' };
      const merge = await outside({ files, parents: [await head(), aside] });
      expect(await stale()).toEqual([]);
      expect((await undo(merge)).json).toEqual({ ...nothing, deleted: 1, confirmations: 1 });
      expect(await stale()).toEqual(["fr x X2"]);
    });
  });

  it("stale markers mark a restored translation that was made for another text", async () => {
    await translate("fr", { "a.php": { x: "F2" } });
    const translated = await head();
    await post({ "a.php": { x: "X2" } });
    await undo(translated);
    expect(await stale()).toEqual(["fr x X"]);
  });

  it("there are no stale markers for a source text that was changed with git", async () => {
    await outside({ files: { "locales/en/a.php.json": '{"x": "by hand", "n": {"y": "Y"}, "z": "Z"}' } });
    expect(await stale()).toEqual([]);
    expect((await undo(await head())).json).toMatchObject({ updated: 1 });
    expect(await stale()).toEqual([]);
  });
});

describe("a text that has been changed since", () => {
  let commit: Oid;
  beforeEach(async () => {
    await put({ "a.php": { x: "X2", n: { y: "Y" }, w: "W" } });
    commit = await head();
    await post({ "a.php": { x: "X3" } });
    await translate("de", { "a.php": { w: "DW" } });
  });

  it("is listed, and nothing is done", async () => {
    const before = await head();
    for (const rest of [{}, { on_conflict: "fail" }, { on_conflict: null }]) {
      const { status, json } = await undo(commit, { body: rest });
      expect(status).toBe(409);
      expect(json).toEqual({
        message: "Changed since that commit, so nothing was undone: en: a.php: x (and 1 more)",
        code: "undo_conflict",
        conflicts: [
          { locale: "en", file: "a.php", key: "x" },
          { locale: "en", file: "a.php", key: "w" },
        ],
        total: 2,
      });
    }
    expect(await head()).toBe(before);
  });

  it("is left as it is on request", async () => {
    const { status, json } = await undo(commit, { body: { on_conflict: "skip" } });
    expect([status, json]).toEqual([200, { restored: 1, updated: 0, deleted: 0, skipped: 2 }]);
    const { files } = (await exported("locale=en")).json;
    expect(JSON.parse(files["a.json"])).toEqual({ x: "X3", "n.y": "Y", z: "Z", w: "W" });
  });

  it("an undo makes no commit when nothing is left to do", async () => {
    await undo(commit, { body: { on_conflict: "skip" } });
    const before = await head();
    expect((await undo(commit, { body: { on_conflict: "skip" } })).json).toEqual({
      restored: 0,
      updated: 0,
      deleted: 0,
      skipped: 3,
    });
    expect(await head()).toBe(before);
  });

  it("a conflict is named by custom codes; a removed locale is a conflict until it is added again", async () => {
    await translate("fr", { "a.php": { x: "F2" } });
    await changeLocale(storage, slug, "de", { customCode: toLocale("de=de_DE").customCode }, byCommand);
    await translate("de", { "a.php": { w: "DW2" } });
    const again = await head();
    await translate("de", { "a.php": { w: "DW3" } });
    expect((await undo(again)).json.conflicts).toEqual([{ locale: "de_DE", file: "a.php", key: "w" }]);
    await removeLocale(storage, slug, "fr", byCommand);
    const removed = await head();
    expect((await undo(removed)).json.conflicts).toEqual([
      { locale: "fr", file: "a.php", key: "x" },
      { locale: "fr", file: "a.php", key: "n.y" },
    ]);
    await addLocales(storage, slug, [toLocale("fr")], byCommand);
    expect((await undo(removed)).json).toEqual({ restored: 2, updated: 0, deleted: 0, skipped: 0 });
  });
});

describe("the quota", () => {
  it("holds for strings that come back, and for those alone", async () => {
    await put({ "a.php": { x: "X" } });
    const deleted = await head();
    await post({ "b.php": { a: "A" } });
    const created = await head();
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 3 });
    const { status, json } = await undo(deleted);
    expect([status, json]).toMatchObject([
      422,
      expect.objectContaining({ message: "String limit reached for your plan.", code: "quota_exceeded" }),
    ]);
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 0 });
    expect((await undo(created)).status).toBe(200);
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 3 });
    expect((await undo(deleted)).status).toBe(200);
  });

  it("counts the team's other Hives", async () => {
    await put({ "a.php": { x: "X" } });
    await makeHive(storage, "app");
    await call("POST", "/api/hives/app/strings", { body: { files: { "a.php": { a: "A" } } } });
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 3 });
    expect((await undo(await head())).json.message).toBe("String limit reached for your plan.");
  });
});

describe("a commit that cannot be undone", () => {
  const expectRefused = async (commit: unknown, why: string | RegExp) => {
    const before = await head();
    const { status, json } = await undo(commit);
    expect([status, json.message, Object.keys(json.errors)]).toEqual([
      422,
      expect.stringMatching(why),
      ["commit"],
    ]);
    expect(await head()).toBe(before);
  };

  it.each<[unknown]>([
    ["abc"],
    ["HEAD"],
    ["main~1"],
    ["--all"],
    ["g".repeat(40)],
    ["0".repeat(41)],
    [""],
    [7],
    [null],
    [undefined],
  ])("an undo of %j is refused, as it is not a commit", async (commit) => {
    await expectRefused(commit, /is not a commit|must be text/);
  });

  it("an undo of a commit that does not exist or is not on main is refused", async () => {
    await expectRefused("0".repeat(40), "is not a commit of this Hive's branch main");
    await expectRefused("0123456", "is not a commit of this Hive's branch main");
    const files = { "locales/en/a.php.json": '{"x": "aside"}' };
    await expectRefused(await outside({ files, isMoved: false }), "branch main");
    const { tree } = await storage.hives.at(slug).snapshot();
    await expectRefused(tree.oid, "branch main");
  });

  it("an undo of the first commit, or of a commit without key changes, is refused", async () => {
    const settings = await changeLocale(
      storage,
      slug,
      "de",
      { customCode: toLocale("de=de_DE").customCode },
      byCommand,
    ).then(head);
    await expectRefused(settings, "changed only settings");
    const [first] = await storage.hives.at(slug).revisions.graph.firstParents(await head());
    await expectRefused(first?.oid, "is the first commit");
  });

  it("an undo of a commit that changed only translations without a source string is refused", async () => {
    const commit = await outside({
      files: { "locales/fr/a.php.json": '{"x": "FX", "n": {"y": "FY"}, "lost": "L"}' },
    });
    await expectRefused(commit, "changed only translations that have no source string");
  });

  it("an undo of a commit with unreadable content is refused", async () => {
    const broken = await outside({ files: { "locales/en/a.php.json": "{" } });
    await outside({ files: { "locales/en/a.php.json": '{"x": "X"}' } });
    const repaired = await head();
    await expectRefused(broken, "locales/en/a.php.json");
    await expectRefused(repaired, "locales/en/a.php.json");
  });

  it("an undo of an ambiguous abbreviated commit is refused", async () => {
    const { commit, tree } = await storage.hives.at(slug).snapshot();
    const author = { name: "Somebody", email: "somebody@example.org" };
    const fields = { tree: tree.oid, parents: [commit.oid], author, committer: author };
    const byPrefix = new Map<string, GitObject>();
    let twins: GitObject[] = [];
    for (let time = 1; twins.length === 0; time++) {
      const made = toCommit({ ...fields, time, message: "A twin\n" });
      const twin = byPrefix.get(made.oid.slice(0, 7));
      if (twin !== undefined) twins = [twin, made];
      byPrefix.set(made.oid.slice(0, 7), made);
    }
    await new BareRepo(new DurableFs(disk), storage.hives.folderOf(slug)).writeObjects(twins);
    await outside({ files: { "notes.txt": "x" }, parents: twins.map(({ oid }) => oid) });
    const [twin] = twins;
    await expectRefused(twin?.oid.slice(0, 7), "is the beginning of several commits");
    await expectRefused(twin?.oid, "changed no");
  });
});

describe("the caller of an undo", () => {
  it("an undo takes a token that may write to the Hive", async () => {
    const commit = await head();
    const read = await makeToken(storage, { abilities: ["read"] });
    await makeHive(storage, "app");
    const other = await makeToken(storage, { hives: ["app"] });
    for (const token of [read, other]) {
      expect((await undo(commit, { token })).status).toBe(403);
    }
    expect((await undo(commit, { query: "dry=1" })).status).toBe(422);
    expect((await undo(commit, { body: { on_conflict: "maybe" } })).json.errors).toHaveProperty(
      "on_conflict",
    );
  });

  it("the undo command requires an existing Hive", async () => {
    const request = { commit: await head(), onConflict: "fail" } as const;
    const { result } = await undoCommit(storage, slug, request, byCommand);
    expect(result).toMatchObject({ deleted: 2 });
    await expect(undoCommit(storage, toHiveSlug("nope"), request, byCommand)).rejects.toThrow("no Hive");
  });
});

describe("on a branch, while main", () => {
  const removeDe = () => removeLocale(storage, slug, "de", byCommand);
  const addDe = () => addLocales(storage, slug, [toLocale("de")], byCommand);
  const nothing = async (): Promise<void> => {};
  const toBranch = async (texts: object): Promise<string> => {
    const { headers } = await translate("fr", { "a.php": texts }, { query: "branch=b" });
    return headers.get("x-skep-commit") ?? "";
  };

  it.each([
    ["loses a locale", nothing, removeDe],
    ["gets a locale back", removeDe, addDe],
    ["lacks a locale", removeDe, nothing],
  ])("%s, leaves the texts of that locale alone", async (_, before, after) => {
    for (const hasLater of [false, true]) {
      await translate("de", { "a.php": { x: "DX" } });
      await call("POST", `${base}/branches`, { body: { name: "b" } });
      await before();
      const commit = await toBranch({ x: "FX2" });
      if (hasLater) await toBranch({ z: "FZ" });
      await after();
      const reply = await undo(commit, { query: "branch=b" });
      expect([reply.status, reply.json]).toEqual([200, { restored: 0, updated: 1, deleted: 0, skipped: 0 }]);
      ({ disk, storage, call } = await prepared());
    }
  });
});
