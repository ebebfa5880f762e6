/** Files that cannot be read: all of them are named before anything is sent or written, and sound locales go on. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/*.json"], locales: ["de", "fr", "it"] });
  app.write({
    "lang/en/a.json": '{"a":"A"}',
    "lang/en/b.json": '{"b":"B"}',
    "lang/de/a.json": '{"a":"de"}',
    "lang/fr/a.json": "{",
    "lang/fr/b.json": '{"b":"fr"}',
    "lang/it/a.json": '{"a":"it"}',
    "lang/it/b.json": '{"b":\n7x}',
  });
});

/** The lines about files at fault. */
function named(stderr: string): readonly string[] {
  return Array.from(stderr.matchAll(/lang\/(\w+\/\w\.json):\d/g), ([, file = ""]) => file);
}

it("a check names faults, and continues with the other files", async () => {
  app.write({ "lang/en/a.json": '{"a":"{{name}}"}', "lang/de/a.json": '{"a":"{{nom}}"}' });
  const { code, stdout, stderr } = await app.run("check", "--source", "en");
  expect(named(stderr)).toEqual(["fr/a.json", "it/b.json"]);
  expect(stderr).toMatch(/skep: Faults in 2 files: nothing of fr, it was checked\.\n$/);
  expect([code, stdout]).toEqual([1, expect.stringContaining("lang/de/a.json:1: error argument-extra")]);
});

it("a value that a later one of the same key replaces is named, and the later one is sent", async () => {
  app.write({ "lang/en/a.json": '{"a":"Old",\n"a":"A"}', "lang/fr/a.json": "{}", "lang/it/b.json": "{}" });
  const warning = "lang/en/a.json:1: the key a stands again in line 2, and only that one counts";
  for (const [command, ...flags] of [["check", "--source", "en"], ["push"], ["pull"], ["status"]] as const) {
    const { code, stderr } = await app.run(command, ...flags);
    expect([code, stderr.split(warning).length - 1], command).toEqual([0, 1]);
  }
  expect(await app.texts("en")).toMatchObject({ "a.json": { a: "A" } });
});

const translated = { "a.json": { a: "Neu" }, "b.json": { b: "Neu" } };

describe("faults in files of target locales", () => {
  const both = ["fr/a.json", "it/b.json"];

  it("leave their locales out of a push, which sends the others", async () => {
    const { code, stdout, stderr } = await app.run("push", "--translations");
    expect(named(stderr)).toEqual(both);
    expect(stderr).toMatch(/skep: Faults in 2 files: nothing of fr, it was sent\.\n$/);
    expect(code).toBe(1);
    expect(stdout).toContain("de: 1 created");
    expect(stdout).not.toMatch(/^(fr|it):/m);
    expect(await app.texts("de")).toMatchObject({ "a.json": { a: "de" } });
    expect(await app.texts("fr")).toEqual({ "a.json": {}, "b.json": {} });
  });

  it("do not affect a push of other locales", async () => {
    expect(await app.run("push", "--translations=de")).toMatchObject({ code: 0 });
    expect((await app.run("push")).code).toBe(0);
  });

  it("make a strict push send nothing", async () => {
    const { code, stdout, stderr } = await app.run("push", "--translations", "--strict");
    expect({ code, stdout, files: named(stderr) }).toEqual({ code: 1, stdout: "", files: both });
    expect(stderr).toMatch(/skep: Faults in 2 files: nothing was done\.\n$/);
    expect(await app.texts("en")).toEqual({});
  });

  it("leave their locales out of a pull, which writes the others", async () => {
    await app.run("push");
    for (const locale of ["de", "fr", "it"]) await app.translate(locale, translated);
    const strict = await app.run("pull", "--strict");
    expect({ ...strict, stderr: named(strict.stderr) }).toEqual({ code: 1, stdout: "", stderr: both });
    expect(app.has("lang/de/b.json")).toBe(false);
    const { code, stderr } = await app.run("pull");
    expect({ code, files: named(stderr) }).toEqual({ code: 1, files: both });
    expect(stderr).toMatch(/nothing of fr, it was pulled\.\n$/);
    expect(JSON.parse(app.read("lang/de/a.json"))).toEqual({ a: "Neu" });
    expect(JSON.parse(app.read("lang/de/b.json"))).toEqual({ b: "Neu" });
    expect(app.read("lang/fr/b.json")).toBe('{"b":"fr"}');
    expect(app.read("lang/it/a.json")).toBe('{"a":"it"}');
  });

  it("are named by status and diff beside the comparison of the other files", async () => {
    await app.run("push");
    const status = await app.run("status", "--json", "--fail-on-missing");
    expect(status.code).toBe(1);
    const { faults, files } = JSON.parse(status.stdout);
    expect(faults.map(({ locale, path }: { locale: string; path: string }) => [locale, path])).toEqual([
      ["fr", "lang/fr/a.json"],
      ["it", "lang/it/b.json"],
    ]);
    expect(files).toContainEqual(expect.objectContaining({ path: "lang/fr/a.json", local: "unreadable" }));
    expect(files).toContainEqual(expect.objectContaining({ path: "lang/de/b.json", local: null }));
    expect((await app.run("status")).stdout).toMatch(/lang\/it\/b\.json +unreadable/);
    const diff = await app.run("diff");
    expect({ code: diff.code, files: named(diff.stderr) }).toEqual({ code: 1, files: both });
  });

  it("are annotations of their lines in GitHub Actions", async () => {
    process.env.GITHUB_ACTIONS = "true";
    const { stderr } = await app
      .run("push", "--translations")
      .finally(() => delete process.env.GITHUB_ACTIONS);
    expect(stderr).toMatch(/^::error file=.*lang\/fr\/a\.json,line=1::/m);
    expect(stderr).toMatch(/^::error file=.*lang\/it\/b\.json,line=2::/m);
  });
});

describe("a fault in a source file", () => {
  beforeEach(() => app.write({ "lang/en/b.json": "[" }));

  it.each([
    ["push", ["--translations"], ["en/b.json", "fr/a.json", "it/b.json"]],
    ["push", [], ["en/b.json"]],
    ["pull", [], ["en/b.json", "fr/a.json", "it/b.json"]],
    ["status", [], ["en/b.json", "fr/a.json", "it/b.json"]],
    ["diff", ["--locale", "it"], ["en/b.json", "it/b.json"]],
  ])("ends skep %s %j after all faults were named", async (command, flags, files) => {
    const { code, stdout, stderr } = await app.run(command, ...flags);
    expect({ code, stdout, files: named(stderr) }).toEqual({ code: 1, stdout: "", files });
    expect(await app.texts("en")).toEqual({});
  });
});

it("an explicit key of YAML that cannot be kept is a fault of its own locale", async () => {
  const yaml = await makeApp({
    patterns: ["{path: 'lang/{locale}.yml', format: rails}"],
    locales: ["de", "fr", "it"],
  });
  yaml.write({
    "lang/en.yml": "en:\n  a: A\n",
    "lang/de.yml": "de:\n  a: de\n",
    "lang/fr.yml": "fr:\n  a: fr\n  ? b\n",
    "lang/it.yml": "it: {a: it,\n  ? b : c}\n",
  });
  const { code, stdout, stderr } = await yaml.run("push", "--translations");
  expect(code).toBe(1);
  expect(stderr).toMatch(/lang\/fr\.yml:3: has an explicit key \(\?\) without a text, b/);
  expect(stderr).toMatch(/lang\/it\.yml:2: has an explicit key \(\?\) in brackets, b/);
  expect(stdout).toContain("de: 1 created");
});

describe("a file that is too large", () => {
  it("is a fault like any other", async () => {
    app.write({ "lang/fr/a.json": `{"a":"${"x".repeat(64 * 1024 * 1024)}"}`, "lang/it/b.json": "{}" });
    const { code, stderr } = await app.run("push", "--translations");
    expect(stderr).toContain("lang/fr/a.json: cannot be read: it is larger than");
    expect(stderr).toMatch(/nothing of fr was sent\.\n$/);
    expect(code).toBe(1);
    expect(await app.texts("it")).toMatchObject({ "a.json": { a: "it" } });
  });
});

describe("excluded files", () => {
  it("are neither read nor written, sent nor named", async () => {
    const app2 = await makeApp({
      patterns: ["lang/{locale}/*.json"],
      locales: ["fr", "it"],
      settings: "exclude: [lang/fr/a.json, lang/it/**/*, lang/*/own.json]\n",
    });
    app2.write({
      "lang/en/a.json": '{"a":"A"}',
      "lang/en/own.json": '{"mine":"Mine"}',
      "lang/fr/a.json": "{",
      "lang/fr/own.json": "{",
      "lang/it/a.json": "{",
      "lang/it/stray.json": "{",
    });
    expect(await app2.run("push", "--translations")).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("lang/"),
    });
    expect(await app2.texts("en")).toEqual({ "a.json": { a: "A" } });
    await app2.translate("fr", { "a.json": { a: "fr" } });
    expect(await app2.run("pull")).toMatchObject({ code: 0, stderr: "" });
    expect(app2.read("lang/fr/a.json")).toBe("{");
    expect((await app2.run("status")).code).toBe(0);
  });
});

describe("a pattern that matches no source file", () => {
  const patterns = ["lang/{locale}.json", "{ path: 'res/{locale}/a.xml', source: res/a.xml }"];

  it.each(["push", "pull", "status", "diff", "check --source en"])(
    "is an error of skep %s",
    async (command) => {
      const app = await makeApp({ patterns });
      app.write({ "lang/en.json": '{"a": "A"}' });
      expect(await app.run(command)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("no source file matches res/a.xml with en for {locale}"),
      });
      expect(await app.texts("en")).toEqual({});
    },
  );

  it.each(["push", "pull", "status", "diff"])("is allowed in skep %s --allow-empty", async (command) => {
    const app = await makeApp({ patterns });
    app.write({ "lang/en.json": '{"a": "A"}' });
    expect(await app.run(command, "--allow-empty")).toMatchObject({ code: 0 });
  });
});
