/** The client commands on branches of a Hive. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git, request } from "../../helpers/process.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

let app: AppTree;

async function commit(texts: object): Promise<void> {
  app.write({ "lang/en.json": json(texts) });
  await git(app.folder, "add", ".");
  await git(app.folder, "commit", "-q", "-m", "x");
}

async function exported(branch: string, locale = "en"): Promise<unknown> {
  const path = `/api/hives/web/export?locale=${locale}&names=hive&branch=${encodeURIComponent(branch)}`;
  const { json: body } = await request(app, app.token, "GET", path);
  return body.files === undefined ? body.code : JSON.parse(body.files["en.json"]);
}

beforeEach(async () => {
  app = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"], settings: "branch: auto\n" });
  await git(app.folder, "init", "-q", "-b", "main");
  await commit({ a: "A", b: "B" });
  await app.run("push");
  await git(app.folder, "switch", "-q", "-c", "feature/login");
  await commit({ a: "A2", login: "Log in" });
});

describe("a push of a branch", () => {
  it("creates the branch of the Hive, and leaves main and its later changes", async () => {
    await app.sync({ "en.json": { a: "A", b: "B", main: "M" } });
    const dry = await app.run("push", "--dry-run");
    expect(dry.stdout).toContain("Dry run: nothing was written. web (feature/login): 1 created, 1 updated");
    expect(await exported("feature/login")).toBe("unknown_branch");
    const { code, stdout } = await app.run("push");
    expect(code).toBe(0);
    expect(stdout).toContain("web (feature/login): a new branch, made from main.\n");
    expect(stdout).toContain("web (feature/login): 1 created, 1 updated, 1 deleted");
    expect(await exported("feature/login")).toEqual({ a: "A2", login: "Log in", main: "M" });
    expect(await exported("main")).toEqual({ a: "A", b: "B", main: "M" });
    await commit({ a: "A3", login: "Sign in" });
    expect((await app.run("push")).stdout).toContain("0 created, 2 updated, 0 deleted");
    expect(await exported("feature/login")).toEqual({ a: "A3", login: "Sign in", main: "M" });
  });

  it("sends translations into the branch", async () => {
    app.write({ "lang/fr.json": json({ login: "Connexion" }) });
    expect((await app.run("push", "--translations")).stdout).toContain("fr: 1 created");
    expect(await exported("feature/login", "fr")).toEqual({ login: "Connexion" });
    expect(await exported("main", "fr")).toEqual({});
  });

  it("is refused and writes nothing if the server refuses the name", async () => {
    await app.run("push");
    for (const [name, message] of [
      ["feature", "feature"],
      ["FEATURE/login", "FEATURE/login"],
      ["a..b", "must be a name that git accepts"],
      ["a b", "--branch: must be the name of a branch"],
    ] as const) {
      const { code, stderr } = await app.run("push", "--branch", name);
      expect(code).toBeGreaterThan(0);
      expect(stderr).toContain(message);
    }
    expect(await exported("main")).toEqual({ a: "A", b: "B" });
  });
});

describe("reads of a branch", () => {
  it("a pull uses the branch, or main if the Hive does not have it, and says so", async () => {
    await app.translate("fr", { "en.json": { a: "main" } });
    const first = await app.run("pull");
    expect(first).toMatchObject({
      code: 0,
      stderr: "skep: web has no branch feature/login yet: this is about main.\n",
    });
    expect(app.read("lang/fr.json")).toBe(json({ a: "main" }));
    await app.run("push");
    const path = "/api/hives/web/translations/fr?branch=feature%2Flogin";
    const files = { "en.json": { login: "Connexion" } };
    await request(app, app.token, "POST", path, { files });
    const second = await app.run("pull");
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toContain("web (feature/login): 1 file changed");
    expect(app.read("lang/fr.json")).toBe(json({ a: "main", login: "Connexion" }));
    expect((await app.run("diff", "--exit-code")).code).toBe(0);
    expect((await app.run("diff", "--exit-code", "--branch", "main")).code).toBe(1);
  });

  it("status and untranslated use the branch", async () => {
    await app.run("push");
    const status = JSON.parse((await app.run("status", "--json")).stdout);
    expect([status.branch, status.strings]).toEqual(["feature/login", 2]);
    const { stdout } = await app.run("untranslated", "fr");
    expect(stdout).toContain("login");
    expect((await app.run("untranslated", "fr", "--branch", "main")).stdout).not.toContain("login");
  });

  it("an import into an unknown branch is refused", async () => {
    app.write({ "in.csv": "file,key,translation\nen.json,login,Connexion\n" });
    const args = ["fr", `${app.folder}/in.csv`, "--yes"];
    expect(await app.run("import", ...args)).toMatchObject({ code: 5, stdout: "" });
    await app.run("push");
    expect((await app.run("import", ...args)).code).toBe(0);
    expect(await exported("feature/login", "fr")).toEqual({ login: "Connexion" });
  });
});

it("a token that can only write pushes a branch since a named commit", async () => {
  const writer = await makeApp({
    patterns: ["{ path: 'lang/{locale}.json' }"],
    abilities: ["write"],
    settings: "source: en\nbranch: x\n",
  });
  await writer.sync({ "en.json": { a: "A" } });
  await git(writer.folder, "init", "-q", "-b", "main");
  writer.write({ "lang/en.json": json({ a: "A" }) });
  await git(writer.folder, "add", ".");
  await git(writer.folder, "commit", "-q", "-m", "x");
  writer.write({ "lang/en.json": json({ a: "A2" }) });
  for (const stdout of ["1 updated", "0 updated"]) {
    expect(await writer.run("push", "--base", "HEAD")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(stdout),
    });
  }
  expect((await writer.texts("en"))["en.json"]).toEqual({ a: "A" });
});
