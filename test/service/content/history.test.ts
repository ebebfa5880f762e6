/** The history of a Hive, read with the installed git and without it: both must answer alike. */
import nodeFs, { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { listHistory, showCommit, type HistoryQuery } from "../../../src/service/content/history.ts";
import { addLocales, removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { commitMany } from "../../helpers/grow.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { git } from "../../helpers/process.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { byCommand, realFolder, type Call, setUpRealWeb } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
let folder: string;
let call: Call;
let storage: Storage;
let repo: string;
const { put, translate } = hiveAt(() => call);

beforeEach(async () => {
  ({ folder, storage, call } = await setUpRealWeb({ locales: ["fr", "pt-BR=pt_BR"], token: { name: "CI" } }));
  repo = storage.hives.folderOf(web);
});

/** Asks with and without git, opened anew each time, and gives the one answer of both. */
async function history(query: Partial<HistoryQuery> = {}) {
  const [withGit, without] = await Promise.all(
    [openLocalStorage(folder), openStorage({ folder, disk: nodeFs })].map(async (opened) =>
      (await listHistory(opened, web, { offset: 0, limit: 100, ...query })).read(),
    ),
  );
  expect(withGit).toEqual(without);
  return withGit;
}

async function show(commit: string) {
  const page = await (await showCommit(storage, web, commit, { offset: 0, limit: 100 })).read();
  return page.entries.map(({ locale, file, key, before, after }) => [locale, file, key, before, after]);
}

const subjects = async (query: Partial<HistoryQuery> = {}) =>
  (await history(query))?.entries.map(({ subject }) => subject);

/** Makes so many commits that git is asked rather than objects read, each with another text of `a`. */
function makeMany(others: (commit: number) => object = () => ({})): void {
  commitMany(repo, 80, "locales/fr/a.php.json", (i) => ({ a: `fr ${i % 3}`, ...others(i) }));
}

describe("the history", () => {
  it.each([
    ["an escaped name", '{"n":{"\\u0061b":"x"}}', "n.ab"],
    ["a slash that need not be escaped", '{"n":{"a\\/b":"x"}}', "n.a/b"],
    ["a quote and a letter beyond ASCII", '{"a\\"é":"x"}', 'a"é'],
    ["an element of a list", '{"n":["w","x"]}', "n.1"],
    ["a name that ends with a dot", '{"n.":"x"}', "n."],
  ])("finds a key that another program wrote: %s", async (_, content, key) => {
    await commitOutside(
      { storage, disk: nodeFs, slug: "web" },
      { files: { "locales/en/a.php.json": content } },
    );
    const found = await history({ key });
    expect(found?.entries.map(({ changes }) => changes)).toEqual([
      [{ locale: "en", file: "a.php", key, before: undefined, after: "x" }],
    ]);
  });

  it("is the same whichever encoding the repository is configured for", async () => {
    await put({ "a.php": { a: "A" } });
    const before = await subjects();
    expect(before).toHaveLength(2);
    for (const name of ["i18n.logOutputEncoding", "i18n.commitEncoding"]) {
      await git(repo, "config", name, "UTF-16");
      expect(await subjects()).toEqual(before);
    }
  });

  it("lists each commit with the message of its request, newest first", async () => {
    await put(
      { "a.php": { a: "A" } },
      { headers: { "x-commit-message": "-- for the release", "x-commit-ref": "abc123" } },
    );
    const found = await history();
    expect(found?.total).toBe(2);
    expect(found?.entries[0]).toEqual({
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      time: expect.any(Number),
      author: { name: "CI", email: expect.stringContaining("@tokens.skep.invalid") },
      subject: "Sync source strings: 1 created",
      message: "-- for the release",
      operation: "sync",
      token: expect.any(String),
      strategy: "keep",
      ref: "abc123",
      counts: new Map([
        ["created", 1],
        ["updated", 0],
        ["unchanged", 0],
        ["deleted", 0],
        ["translations_cleared", 0],
      ]),
    });
    expect(found?.entries[1]).toMatchObject({ operation: "create-hive", author: { name: "skep cli" } });
  });

  it("finds the commits of a locale, a file, an operation and a time", async () => {
    await put({ "a.php": { a: "A", n: { b: "B" } }, "[x].php": { a: "X" } });
    await translate("fr", { "a.php": { a: "AA" } });
    await translate("pt_BR", { "[x].php": { a: "XX" } });
    makeMany();
    expect((await subjects({ locale: "fr" }))?.length).toBe(81);
    expect(await subjects({ locale: "pt_BR" })).toEqual(["Import pt_BR translations: 1 created"]);
    expect(await subjects({ file: "[x].php" })).toEqual([
      "Import pt_BR translations: 1 created",
      "Sync source strings: 3 created",
    ]);
    expect(await subjects({ file: "x.php" })).toEqual([]);
    expect(await subjects({ file: "*.php" })).toEqual([]);
    expect(await subjects({ operation: "sync" })).toEqual(["Sync source strings: 3 created"]);
    expect((await subjects({ since: "2000-01-01", until: "2999-12-31" }))?.length).toBe(84);
    expect(await subjects({ until: "2000-01-01T00:00:00Z" })).toEqual([]);
    expect((await subjects({ offset: 1, limit: 1 }))?.length).toBe(1);
  });

  it("follows a key through every locale, and through commits that do not change it", async () => {
    await put({ "a.php": { a: "A", n: { b: "B" } } });
    makeMany((i) => ({ n: { b: `n ${i >> 3}` } }));
    const found = await history({ file: "a.php", key: "n.b" });
    expect(found?.entries.length).toBe(11);
    expect(found?.entries.map(({ changes }) => changes)).toEqual([
      ...Array.from({ length: 9 }, (_, i) => [
        { locale: "fr", file: "a.php", key: "n.b", before: `n ${8 - i}`, after: `n ${9 - i}` },
      ]),
      [{ locale: "fr", file: "a.php", key: "n.b", before: undefined, after: "n 0" }],
      [{ locale: "en", file: "a.php", key: "n.b", before: undefined, after: "B" }],
    ]);
    await put({ "a.php": { a: "A" } });
    const [last] = (await history({ key: "n.b" }))?.entries ?? [];
    expect(last?.changes).toEqual([
      { locale: "en", file: "a.php", key: "n.b", before: "B", after: undefined },
      { locale: "fr", file: "a.php", key: "n.b", before: "n 9", after: undefined },
    ]);
  });

  it("lists the source locale's change of a key first, then the others by their codes", async () => {
    await addLocales(storage, web, [toLocale("de")], byCommand);
    await put({ "a.php": { a: "A" } });
    for (const code of ["fr", "de", "pt-BR"]) await translate(code, { "a.php": { a: code } });
    await put({ "a.php": {} });
    const [last] = (await history({ key: "a" }))?.entries ?? [];
    expect(last?.changes?.map(({ locale }) => locale)).toEqual(["en", "de", "fr", "pt_BR"]);
    expect((await show(last?.commit ?? "")).map(([locale]) => locale)).toEqual(["en", "de", "fr", "pt_BR"]);
  });

  it("is refused for a locale that the Hive neither has nor ever had", async () => {
    await put({ "a.php": { a: "A" } });
    expect(await subjects({ locale: "fr" })).toEqual([]);
    await translate("fr", { "a.php": { a: "AA" } });
    await removeLocale(storage, web, "fr", byCommand);
    expect(await subjects({ locale: "fr", key: "nope" })).toEqual([]);
    const why = 'locale: this Hive has no locale "xx" (it has en, pt_BR)';
    await expect(history({ locale: "xx" })).rejects.toThrow(why);
    const reply = await call("GET", "/api/hives/web/history?locale=xx&file=a.php");
    expect([reply.status, reply.json.message]).toEqual([422, why]);
  });

  it("shows the commit of an annotated tag by the name of the tag's object", async () => {
    await put({ "a.php": { a: "A" } });
    await call("POST", "/api/hives/web/tags", { body: { name: "v1", message: "one" } });
    const object = (await git(repo, "rev-parse", "v1")).trim();
    const commit = (await git(repo, "rev-parse", "main")).trim();
    expect(object).not.toBe(commit);
    for (const text of [object, object.slice(0, 10), "v1", commit]) {
      expect((await call("GET", `/api/hives/web/history/${text}`)).json.commit).toMatchObject({ commit });
    }
    expect((await call("GET", `/api/hives/web/strings?at=${object}`)).json.meta.total).toBe(1);
  });

  it("is extended when the Hive moves on, in the same process", async () => {
    await put({ "a.php": { a: "A" } });
    const query = { file: "a.php", key: "a", offset: 0, limit: 100 };
    const ask = async () => (await (await listHistory(storage, web, query)).read()).entries.length;
    expect(await ask()).toBe(1);
    makeMany();
    expect(await ask()).toBe(81);
    await put({ "a.php": { a: "A2" } });
    expect(await ask()).toBe(82);
    await put({ "b.php": { a: "A2" } });
    expect(await ask()).toBe(82);
    const main = (await git(repo, "rev-parse", "main~2")).trim();
    await git(repo, "update-ref", "refs/heads/main", main);
    expect(await ask()).toBe(81);
  });

  it("names a locale by its current code, and a removed one by its canonical code", async () => {
    await put({ "a.php": { a: "A" } });
    await translate("pt_BR", { "a.php": { a: "AA" } });
    await changeLocale(storage, web, "pt-BR", { customCode: toLocale("pt-BR=pt").customCode }, byCommand);
    expect((await history({ locale: "pt", key: "a" }))?.entries[0]?.changes?.[0]?.locale).toBe("pt");
    await removeLocale(storage, web, "pt", byCommand);
    const [removed, added] = (await history({ locale: "pt-BR", key: "a" }))?.entries ?? [];
    expect(removed?.changes).toEqual([
      { locale: "pt-BR", file: "a.php", key: "a", before: "AA", after: undefined },
    ]);
    expect(added?.changes?.[0]?.locale).toBe("pt-BR");
    expect(await show(removed?.commit ?? "")).toEqual([["pt-BR", "a.php", "a", "AA", undefined]]);
    await expect(history({ locale: "no such" })).rejects.toThrow("locale: this Hive has no locale");
  });

  it("follows first parents, trusts no other commits, and shows the changes of a merge", async () => {
    await put({ "a.php": { a: "A", b: "B" } });
    const clone = join(realFolder(), "clone");
    await git(repo, "clone", "--quiet", repo, clone);
    const path = join(clone, "locales/fr/a.php.json");
    mkdirSync(join(clone, "locales/fr"));
    writeFileSync(path, '{"a": "by hand", "b": "by hand"}');
    await git(clone, "add", "-A");
    await git(clone, "commit", "--quiet", "-m", "By hand", "-m", "Operation: sync\nCreated: 5");
    await translate("fr", { "a.php": { a: "by Skep", b: "by Skep" } });
    await git(clone, "fetch", "--quiet");
    await git(clone, "merge", "--quiet", "--no-commit", "-s", "ours", "origin/main");
    writeFileSync(path, '{"a": "by hand", "b": "by both"}');
    await git(clone, "commit", "--quiet", "-a", "-m", "Merge");
    await git(clone, "push", "--quiet", "origin", "HEAD:main");
    const [merge, ...others] = (await history())?.entries ?? [];
    expect([merge?.subject, others.length]).toEqual(["Merge", 3]);
    const hand = others.find(({ subject }) => subject === "By hand");
    expect(hand).toMatchObject({ message: "Operation: sync\nCreated: 5", counts: new Map() });
    expect(hand?.operation).toBe(undefined);
    expect(await show("main")).toEqual([["fr", "a.php", "b", "by hand", "by both"]]);
    const below = (await git(repo, "rev-parse", "main^2")).trim();
    const { status, json } = await call("GET", `/api/hives/web/history/${below}`);
    expect([status, json.commit.operation, json.commit.subject]).toEqual([
      200,
      null,
      "Import fr translations: 2 created",
    ]);
    expect((await history({ file: "a.php", key: "a" }))?.entries.map(({ subject }) => subject)).not.toContain(
      "Merge",
    );
    expect((await history({ file: "a.php", key: "b" }))?.entries[0]?.changes).toEqual([
      { locale: "fr", file: "a.php", key: "b", before: "by hand", after: "by both" },
    ]);
    makeMany(() => ({ b: "by both" }));
    expect((await history({ file: "a.php", key: "b" }))?.entries.length).toBe(3);
  });

  it("is available for a Hive with invalid content, and with unreadable commits", async () => {
    await put({ "a.php": { a: "A" } });
    const clone = join(realFolder(), "clone");
    await git(repo, "clone", "--quiet", repo, clone);
    writeFileSync(join(clone, "locales/en/a.php.json"), "{");
    await git(clone, "commit", "--quiet", "-a", "-m", "Break it");
    rmSync(join(clone, "hive.yaml"));
    await git(clone, "commit", "--quiet", "-a", "-m", "Break more");
    await git(clone, "push", "--quiet");
    expect(await subjects()).toEqual([
      "Break more",
      "Break it",
      "Sync source strings: 1 created",
      expect.stringContaining("Create Hive"),
    ]);
    expect(await subjects({ file: "a.php", key: "a" })).toEqual([
      "Break it",
      "Sync source strings: 1 created",
    ]);
    expect(await show("main")).toEqual([]);
  });

  it("shows only commits that a branch or a tag reaches", async () => {
    await put({ "a.php": { a: "A" } });
    const lost = (await git(repo, "commit-tree", "main^{tree}", "-m", "Lost")).trim();
    await expect(show(lost)).rejects.toMatchObject({ code: "not-found" });
    for (const text of ["HEAD", "main~1", "--help", "@{1}", "a..b", "", "0000000"]) {
      await expect(show(text)).rejects.toMatchObject({ code: "not-found" });
    }
    await git(repo, "branch", "aside", lost);
    expect(await show(lost.slice(0, 7))).toEqual([["en", "a.php", "a", undefined, "A"]]);
    await git(repo, "branch", "-D", "aside");
    await expect(show(lost)).rejects.toMatchObject({ code: "not-found" });
    await git(repo, "tag", "found", lost);
    expect(await show(lost)).toEqual([["en", "a.php", "a", undefined, "A"]]);
    expect(await show("found")).toEqual([["en", "a.php", "a", undefined, "A"]]);
    expect(await show(lost.slice(0, 7))).toEqual([["en", "a.php", "a", undefined, "A"]]);
  });
});
