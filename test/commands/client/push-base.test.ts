/** `skep push --base`: pushes of branches beside each other. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

let app: AppTree;

async function commit(files: Readonly<Record<string, object>>): Promise<string> {
  app.write(
    Object.fromEntries(Object.entries(files).map(([path, content]) => [`lang/en/${path}`, json(content)])),
  );
  await git(app.folder, "add", ".");
  await git(app.folder, "commit", "-q", "--allow-empty", "-m", "x");
  return (await git(app.folder, "rev-parse", "HEAD")).trim();
}

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/**/*.json"] });
  await git(app.folder, "init", "-q", "-b", "main");
  await commit({ "a.json": { a: "A", b: "B" }, "old.json": { o: "O" } });
  await app.run("push");
});

describe("a push of changes", () => {
  it("keeps strings that another branch has pushed, also in a second push", async () => {
    await git(app.folder, "switch", "-q", "-c", "one");
    await commit({ "a.json": { a: "A", b: "B", one: "1" } });
    expect(await app.run("push", "--base")).toMatchObject({ code: 0 });
    await git(app.folder, "switch", "-q", "-c", "two", "main");
    // Nothing of this commit is a text, so the Hive does not know it.
    await commit({});
    await commit({ "a.json": { a: "A2", two: "2" }, "new.json": { n: "N" } });
    await git(app.folder, "rm", "-q", "lang/en/old.json");
    const { code, stdout } = await app.run("push", "--base");
    expect({ code, stdout: stdout.replaceAll(/\b[0-9a-f]{7}\b/g, "COMMIT") }).toEqual({
      code: 0,
      stdout:
        "Changes since COMMIT:\nlang/en/a.json: 1 created, 1 updated, 1 deleted\nlang/en/new.json: 1 created\n" +
        "old.json (removed): 1 deleted\n" +
        "web: 2 created, 1 updated, 2 deleted, 0 unchanged source strings, at COMMIT.\n",
    });
    const both = { "a.json": { a: "A2", one: "1", two: "2" }, "new.json": { n: "N" } };
    expect(await app.texts("en")).toEqual(both);
    await git(app.folder, "switch", "-q", "-f", "one");
    await commit({ "a.json": { a: "A", b: "B", one: "changed" } });
    expect(await app.run("push", "--base")).toMatchObject({ code: 0 });
    expect((await app.texts("en"))["a.json"]).toEqual({ a: "A2", one: "changed", two: "2" });
  });

  it("starts at the commit where the branch left the named one", async () => {
    await git(app.folder, "switch", "-q", "-c", "one");
    await commit({ "a.json": { a: "A", b: "B", one: "1" } });
    await git(app.folder, "switch", "-q", "main");
    const tip = await commit({ "a.json": { a: "A", b: "B", main: "M" } });
    await app.run("push");
    await git(app.folder, "switch", "-q", "one");
    const { stdout } = await app.run("push", "--base", "main", "--json");
    expect(JSON.parse(stdout).since).not.toBe(tip);
    expect((await app.texts("en"))["a.json"]).toEqual({ a: "A", b: "B", main: "M", one: "1" });
  });

  it("starts where the branch left the default branch if no commit of it was pushed", async () => {
    const fresh = await makeApp({ patterns: ["lang/{locale}/**/*.json"] });
    await fresh.sync({ "a.json": { a: "A", other: "O" } });
    await git(fresh.folder, "init", "-q", "-b", "main");
    fresh.write({ "lang/en/a.json": json({ a: "A" }) });
    await git(fresh.folder, "add", ".");
    await git(fresh.folder, "commit", "-q", "-m", "x");
    // On the default branch itself there is nothing to compare with.
    expect(await fresh.run("push", "--base")).toMatchObject({ code: 2 });
    await git(fresh.folder, "switch", "-q", "-c", "one");
    fresh.write({ "lang/en/a.json": json({ a: "A", one: "1" }) });
    await git(fresh.folder, "commit", "-qam", "y");
    expect(await fresh.run("push", "--base")).toMatchObject({ code: 0 });
    expect(await fresh.texts("en")).toEqual({ "a.json": { a: "A", other: "O", one: "1" } });
  });

  it("shows both texts of a conflict, and sends nothing", async () => {
    await app.sync({ "a.json": { a: "theirs", b: "B" } });
    await commit({ "a.json": { a: "mine", c: "C" } });
    const { code, stdout, stderr } = await app.run("push", "--base");
    expect({ code, stdout, stderr: stderr.replace(/since [0-9a-f]{7}/, "since COMMIT") }).toEqual({
      code: 4,
      stdout: "",
      stderr:
        'skep: a.json: a: "mine" here, "theirs" in the Hive\n' +
        "skep: 1 string changed both here and in the Hive since COMMIT, so nothing was sent. " +
        "Bring the app's files and the Hive together there, and push again.\n",
    });
    expect((await app.texts("en"))["a.json"]).toEqual({ a: "theirs", b: "B" });
  });

  it("sends nothing if nothing changed, or what to compare with is not known", async () => {
    const { code, stdout } = await app.run("push", "--base", "HEAD");
    expect(code).toBe(0);
    expect(stdout).toContain("web: 0 created, 0 updated, 0 deleted");
    for (const [since, message] of [
      ["nope", 'git knows no commit "nope"'],
      ["--output=x", ""],
      ["HEAD:lang", "git knows no commit"],
      ["--prune", "cannot be used with"],
    ] as const) {
      const refused = await app.run("push", "--base", since);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

describe("a refused push of changes", () => {
  it("says what is missing if no commit of the branch was pushed", async () => {
    await git(app.folder, "checkout", "-q", "--orphan", "other");
    await commit({ "a.json": { a: "A" } });
    const { code, stderr } = await app.run("push", "--base");
    expect(code).toBe(2);
    expect(stderr).toContain("Nothing in the history of this branch has been pushed into web. Push");
    expect((await app.run("push", "--base", "main")).stderr).toContain(
      "main and HEAD have no commit in common",
    );
    expect((await app.texts("en"))["old.json"]).toEqual({ o: "O" });
  });

  it("says in a shallow clone how to get the history", async () => {
    const first = await commit({});
    await commit({});
    const clone = realFolder();
    await git(clone, "clone", "-q", "--depth", "1", `file://${app.folder}`, "app");
    const args = ["--config", `${clone}/app/skep.yaml`];
    for (const since of [["--base"], ["--base", first]]) {
      const { code, stderr } = await app.run("push", ...args, ...since);
      expect(code).toBe(2);
      expect(stderr).toContain("This clone is shallow, and the history is needed");
    }
  });

  it("names the commit and the unreadable file", async () => {
    app.write({ "lang/en/a.json": '{\n"a" }' });
    await git(app.folder, "commit", "-qam", "broken");
    await commit({ "a.json": { a: "A" } });
    const { code, stderr } = await app.run("push", "--base", "HEAD~1");
    expect(code).toBe(1);
    expect(stderr).toMatch(/[0-9a-f]{40}:lang\/en\/a\.json:2: /);
  });
});

it("outside of a history, --base and --expected say that there is none", async () => {
  const folder = realFolder();
  cpSync(app.folder, folder, { recursive: true, filter: (path) => !path.endsWith(".git") });
  for (const said of ["no git repository", "a git repository without a commit"]) {
    for (const flags of [["--base"], ["--base", "main"], ["--translations", "--expected", "HEAD"]]) {
      const { code, stderr } = await app.run("push", "--config", join(folder, "skep.yaml"), ...flags);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`is in ${said}.`)]);
    }
    await git(folder, "init", "-q");
  }
});
