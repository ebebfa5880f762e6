/** `skep branch`: the commands about branches of a Hive. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { png } from "../../domain/pictures/images.ts";
import { git, request } from "../../helpers/process.ts";

let app: AppTree;

const put = (texts: object, branch = "main") =>
  request(app, app.token, "PUT", `/api/hives/web/strings?branch=${encodeURIComponent(branch)}`, {
    files: { "a.json": texts },
  });
const exported = async () => {
  const { json } = await request(app, app.token, "GET", "/api/hives/web/export?locale=en&names=hive");
  return JSON.parse(json.files["a.json"]);
};
const name = "feature/login";
const branch = (what: string, ...words: string[]) => app.run(`branch ${what}`, ...words);

beforeEach(async () => {
  app = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"], settings: "branch: auto\n" });
  await put({ a: "A", b: "B" });
});

describe("skep branch", () => {
  it("branches are created, listed, deleted and restored", async () => {
    expect(await branch("create", name)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Created the branch feature\/login at [0-9a-f]{7}\.\n$/),
    });
    expect((await branch("create", name)).code).toBe(4);
    await put({ a: "A", b: "B", c: "C" }, name);
    const list = await branch("list");
    expect(list.stdout).toMatch(
      /^BRANCH +COMMIT +AHEAD +BEHIND +CHANGED +BY\nfeature\/login +[0-9a-f]{7} {2}1 {14}\d{4}-/,
    );
    expect(JSON.parse((await branch("list", "--json")).stdout)).toMatchObject([
      { name, ahead: 1, behind: 0 },
    ]);
    expect((await branch("delete", name)).stdout).toMatch(
      /^Deleted the branch feature\/login; it can be restored/,
    );
    expect((await branch("delete", name)).code).toBe(5);
    expect((await branch("restore", name)).stdout).toContain("Restored the branch feature/login at ");
    expect((await branch("create", "old", "--from", "no-such-tag")).code).toBe(1);
  });

  it("a branch is compared with main, and merged", async () => {
    await branch("create", name);
    await put({ a: "A word", b: "B", c: "C" }, name);
    const diff = await branch("diff", name);
    expect(diff.stdout).toBe(
      "en: a.json\n  ~ a: A{+ word+}\n  + c: {+C+}\nfeature/login: changes of en 2; 0 conflicts with main.\n",
    );
    const dry = await branch("merge", name, "--dry-run");
    expect(dry.stdout).toMatch(
      /^Dry run: nothing was written\. feature\/login into main: 1 created, 1 updated, at [0-9a-f]{7}\.\n$/,
    );
    await git(app.folder, "init", "--quiet");
    await git(app.folder, "commit", "--quiet", "--allow-empty", "--message", "First");
    const merged = await branch("merge", name, "--delete", "--message", "Für Grüße");
    expect(merged.stdout).toMatch(/into main: 1 created, 1 updated, at .*\nThe branch was deleted\.\n$/);
    expect(await exported()).toEqual({ a: "A word", b: "B", c: "C" });
    const { json } = await request(app, app.token, "GET", "/api/hives/web/history");
    const ref = (await git(app.folder, "rev-parse", "HEAD")).trim();
    expect(json.data[0]).toMatchObject({ operation: "merge", message: "Für Grüße", ref });
  });

  it("what a branch changed beside the texts is named in brackets", async () => {
    await branch("create", name);
    const write = (method: string, path: string, body: object) =>
      app.manage(method, `${path}?branch=${encodeURIComponent(name)}`, body);
    await write("PATCH", "/notes", { files: { "a.json": { a: { note: "A letter" } } } });
    await write("POST", "/comments", { file: "a.json", key: "a", text: "Which?" });
    const picture = { name: "a.png", content: png(1, 1).toString("base64"), strings: ["a.json:b"] };
    await write("POST", "/pictures", picture);
    expect((await branch("diff", name)).stdout).toBe(
      "en: a.json\n  ~ a (note): {+A letter+}\n  ~ a (comments): \n  ~ b (picture): {+a.png+}\nfeature/login: changes of en 3; 0 conflicts with main.\n",
    );
  });

  it("what the app says is listed of strings that were there, and places in its code never", async () => {
    const strings = (branchName: string | undefined, texts: object, notes: object) => {
      const query = branchName === undefined ? "" : `?branch=${encodeURIComponent(branchName)}`;
      return app.manage("POST", `/strings${query}`, {
        files: { "a.json": texts },
        notes: { "a.json": notes },
      });
    };
    const said = { note: "A letter", max_length: 9 };
    await strings(undefined, { a: "A", b: "B" }, { a: { ...said, where: ["a.js:1"] }, b: said });
    await branch("create", name);
    await strings(
      name,
      { a: "A", b: "B", c: "C" },
      { a: { ...said, where: ["a.js:2"] }, b: { note: "One more", max_length: 8 }, c: said },
    );
    expect((await branch("diff", name)).stdout).toBe(
      "en: a.json\n  + c: {+C+}\n  ~ b (app note): [-A letter-]{+One more+}\n  ~ b (app max_length): [-9-]{+8+}\nfeature/login: changes of en 3; 0 conflicts with main.\n",
    );
  });

  it("conflicts are settled each for itself by a file", async () => {
    await branch("create", name);
    await put({ a: "Main A", b: "Main B" });
    await put({ a: "Branch A", b: "Branch B" }, name);
    const of = (key: string) => ({ locale: "en", file: "a.json", key });
    const file = join(app.folder, "settled.json");
    const settle = async (content: string, what = "merge") => {
      await writeFile(file, content);
      return branch(what, name, "--resolutions", file);
    };
    const half = await settle(JSON.stringify([{ ...of("a"), text: "Own A" }]));
    expect([half.code, half.stdout]).toEqual([4, expect.stringMatching(/^en: a\.json: b\n/)]);
    const none = await settle(JSON.stringify([{ ...of("c"), take: "main" }]));
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no such conflict: en: a.json: c")]);
    for (const wrong of ["{}", "[", ""]) {
      const { code, stderr } = await settle(wrong, "update");
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^skep: --resolutions: .*settled\.json/)]);
    }
    const whole = [
      { ...of("a"), text: "Own A" },
      { ...of("b"), take: "branch" },
    ];
    expect((await settle(JSON.stringify(whole))).stdout).toMatch(/: 2 updated, 2 conflicts settled, at /);
    expect(await exported()).toEqual({ a: "Own A", b: "Branch B" });
  });

  it("a conflict shows both texts and exits with 4, and --on-conflict resolves it", async () => {
    await branch("create", name);
    await put({ a: "Branch\nA", b: "B" }, name);
    await put({ a: "Main A" });
    await put({ a: "Main A", b: "B" });
    const refused = await branch("merge", name);
    expect(refused).toMatchObject({
      code: 4,
      stdout: 'en: a.json: a\n  main:   "Main A"\n  branch: "Branch\\nA"\n',
      stderr: expect.stringContaining("nothing was merged"),
    });
    const json = await branch("merge", name, "--json");
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      4,
      { conflicts: [expect.objectContaining({ key: "a", main: "Main A", reason: "text" })], total: 1 },
    ]);
    const diff = await branch("diff", name, "--conflicts");
    expect(diff.stdout).toContain('    conflict, main has "Main A"\n');
    const listed = JSON.parse((await branch("diff", name, "--json")).stdout);
    expect(listed).toMatchObject({ conflicts: 1, locales: [{ locale: "en", changes: 1 }] });
    const updated = await branch("update", name, "--on-conflict", "branch", "--json");
    expect(JSON.parse(updated.stdout)).toMatchObject({ settled: 1, dry_run: false });
    expect((await branch("merge", name)).stdout).toContain("feature/login into main: 1 updated, at");
    const again = await branch("merge", name);
    expect(again.stdout).toMatch(/no text changed, at .*\nIt was merged already, by [0-9a-f]{7}\.\n$/);
    expect((await branch("merge", name, "--on-conflict", "mine")).code).toBe(2);
  });

  it("a merge says that the undone earlier merge stays undone", async () => {
    await branch("create", name);
    await put({ a: "A", b: "B", c: "C" }, name);
    const { commit } = JSON.parse((await branch("merge", name, "--json")).stdout);
    await request(app, app.token, "POST", "/api/hives/web/undo", { commit });
    expect((await branch("merge", name)).stderr).toMatch(/was undone by [0-9a-f]{7}, and stays undone/);
  });
});
