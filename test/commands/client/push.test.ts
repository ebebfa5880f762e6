/** `skep push` from an app's tree to a server. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../../src/commands/program.ts";
import type { Output } from "../../../src/commands/program/output.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git } from "../../helpers/process.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}/**/*.json", "lang/{locale}.json"] });
  app.write({
    "lang/en/auth.json": json({ failed: "Wrong.", nav: { home: "Home" } }),
    "lang/en.json": json({ "Log in": "Log in" }),
    "lang/fr/auth.json": json({ failed: "Faux.", nav: { home: "Home" }, old: "Vieux" }),
    "lang/fr/gone.json": json({ a: "b" }),
  });
});

describe("a push", () => {
  it("makes the source files of the Hive equal to the app's, and offers translations the first time", async () => {
    const { code, stdout, stderr } = await app.run("push");
    expect({ code, stdout: stdout.replace(/at \w+/, "at HEAD") }).toEqual({
      code: 0,
      stdout:
        "lang/en/auth.json: 2 created\nlang/en.json: 1 created\n" +
        "web: 3 created, 0 updated, 0 deleted, 0 unchanged source strings, at HEAD.\n",
    });
    expect(stderr).toContain("This was the first push into web.");
    expect(stderr).toContain(
      "There are translations into fr here; this sends them, too:\n  skep push --translations",
    );
    expect(await app.texts("en")).toEqual({
      "auth.json": { failed: "Wrong.", "nav.home": "Home" },
      "en.json": { "Log in": "Log in" },
    });
    expect(await app.texts("fr")).toEqual({ "auth.json": {}, "en.json": {} });
  });

  it.each([
    ["y", { failed: "Faux." }],
    ["n", {}],
  ])("asks on a terminal whether to send translations, and accepts %s", async (answer, texts) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    let stderr = "";
    const write = (text: string): void => {
      stderr += text;
      if (text.endsWith(": ")) stdin.write(`${answer}\n`);
    };
    app.write({ token: app.token });
    const where = ["--config", join(app.folder, "skep.yaml"), "--token-file", join(app.folder, "token")];
    const output: Output = { stdin, stdout: { write: () => {} }, stderr: { isTTY: true, write } };
    await runCommand(["push", ...where], output);
    expect(stderr).toContain("There are translations into fr here. Send them, too? (y/N): ");
    expect(await app.texts("fr")).toMatchObject({ "auth.json": texts });
  });

  const keyed = "{ path: 'lang/{locale}.json', format: laravel-json }";
  it.each([
    ["the translations, on a terminal", "web", "'lang/{locale}.json'"],
    ["files whose keys are the texts", "web", keyed],
    ["a new Hive", "new", "'lang/{locale}.json'"],
    ["such files and a new Hive", "new", keyed],
  ])("shows each warning once, with %s", async (_, hive, pattern) => {
    app = await makeApp({
      patterns: [pattern],
      settings: "source: en\nchecks: { syntax: [{ files: '*', syntax: icu }] }\n",
      abilities: ["read", "write", "admin"],
    });
    app.write({
      token: app.token,
      "lang/en.json": '{"a": "Old",\n"a": "An {argument"}',
      "lang/fr.json": '{"a": "Ancien",\n"a": "Un {argument}"}',
      "skep.yaml": app.read("skep.yaml").replace("hive: web", `hive: ${hive}`),
    });
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    let stderr = "";
    const write = (text: string): void => {
      stderr += text;
      if (text.endsWith(": ")) stdin.write("y\n");
    };
    const where = ["--config", join(app.folder, "skep.yaml"), "--token-file", join(app.folder, "token")];
    const output: Output = { stdin, stdout: { write: () => {} }, stderr: { isTTY: true, write } };
    await runCommand(["push", "--create", ...where], output);
    const shown = Array.from(stderr.matchAll(/(?:lang\/)?\w+\.json:[^\n]*/g), ([line]) => line);
    expect(shown).toEqual([...new Set(shown)]);
    expect(shown.filter((line) => line.includes("stands again"))).toEqual([
      expect.stringContaining("lang/en.json:1"),
      expect.stringContaining("lang/fr.json:1"),
    ]);
  });

  it("prints the changes, key by key with --verbose, and nothing else", async () => {
    await app.run("push");
    app.write({ "lang/en/auth.json": json({ failed: "Not right.", added: "New", n: 3 }) });
    const { code, stdout, stderr } = await app.run("push", "--verbose");
    expect(code).toBe(0);
    expect(stdout).toContain("lang/en/auth.json: 1 created, 1 updated, 1 deleted\n");
    expect(stdout).toContain("  + added: {+New+}\n");
    expect(stdout).toContain("  - nav.home: [-Home-]\n");
    expect(stdout).toContain("lang/en/auth.json: not sent, because they are not texts: n\n");
    expect(stdout).not.toContain("lang/en.json");
    expect(stderr).toBe("");
  });

  it("writes nothing in a dry run", async () => {
    const { code, stdout } = await app.run("push", "--dry-run", "--translations");
    expect(code).toBe(0);
    expect(stdout).toContain("Dry run: nothing was written. web: 3 created");
    // A source string that the push would make is not unknown.
    expect(stdout).toContain("fr: 1 created, 0 updated, 0 skipped, 1 unknown translations.");
    expect(await app.texts("en")).toEqual({});
  });

  it("changes nothing when it is repeated", async () => {
    await app.run("push", "--translations");
    const [first, second] = [await app.run("push", "--json"), await app.run("push", "--json")];
    expect(JSON.parse(first.stdout)).toMatchObject({
      result: { created: 0, updated: 0, deleted: 0, unchanged: 3 },
    });
    expect(JSON.parse(second.stdout).commit).toBe(JSON.parse(first.stdout).commit);
  });

  it("prints file names without control sequences of terminals or CI systems", async () => {
    app.write({ "lang/fr/\u001b[31m\n::error::x.json": "{}" });
    const { stderr } = await app.run("push", "--translations");
    expect(stderr).toContain(String.raw`lang/fr/` + "\u{fffd}[31m\\n::error::x.json: was not sent");
  });

  it.each(["--translations=", "--translations=,"])("refuses %s", async (flag) => {
    expect(await app.run("push", flag)).toMatchObject({ code: 2 });
  });

  it("lists files that no pattern matches, and removes them with --prune if that is allowed", async () => {
    await app.sync({ "other.json": { a: "A", b: "B" } });
    const kept = await app.run("push");
    expect(kept.stderr).toContain(
      "other.json: is in the Hive, but no pattern matches it; skep push --prune removes it.",
    );
    const refused = await app.run("push", "--prune", "--max-deletions", "1");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^skep: --max-deletions: .*give --max-deletions 2\.?\n$/);
    expect(Object.keys(await app.texts("en"))).toContain("other.json");
    const pruned = await app.run("push", "--prune");
    expect(pruned.stdout).toContain("other.json (removed): 2 deleted\n");
    expect(Object.keys(await app.texts("en"))).toEqual(["auth.json", "en.json"]);
  });

  describe("that would delete more than half of the source strings", () => {
    const many = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [prefix + i, `Text ${i}`]));
    const before = { "auth.json": many(50, "a"), "en.json": { d: "D" } };
    beforeEach(async () => {
      await app.sync(before);
      app.write({
        "lang/en/auth.json": json({ other: "Other" }),
        "lang/en.json": json({ "Log in": "Log in" }),
      });
    });
    const problem = (): string =>
      `A push of the files in ${app.folder} would delete 51 of the 51 source strings of web. ` +
      "If the folder is right and this is meant, give --max-deletions 51.";

    it("is refused with the folder and the flag that allows it", async () => {
      expect(await app.run("push")).toEqual({
        code: 1,
        stdout: "",
        stderr: `skep: ${problem()} Nothing was sent.\n`,
      });
      expect(await app.texts("en")).toEqual(before);
    });

    it("is made without any source file if --allow-empty says so", async () => {
      rmSync(join(app.folder, "lang"), { recursive: true });
      expect((await app.run("push")).stderr).toContain("skep.yaml: no source file matches");
      expect(await app.texts("en")).toEqual(before);
      expect((await app.run("push", "--allow-empty", "--prune")).stdout).toContain("51 deleted");
    });

    it("is shown by a dry run with a warning", async () => {
      const { code, stdout, stderr } = await app.run("push", "--dry-run");
      expect([code, stderr]).toEqual([0, expect.stringContaining(problem())]);
      expect(stdout).toContain("2 created, 0 updated, 51 deleted");
    });

    it.each(["51", "100"])("is made with --max-deletions %s", async (limit) => {
      expect((await app.run("push", "--max-deletions", limit)).stdout).toContain("51 deleted");
    });

    it("is made if it moves the strings, or deletes no more than 50", async () => {
      app.write({ "lang/en/auth.json": json(many(50, "b")) });
      expect((await app.run("push")).stdout).toContain("50 moved, 1 created, 0 updated, 1 deleted");
      app.write({ "lang/en/auth.json": json({}), "lang/en.json": json({ "Log in": "Log in" }) });
      expect((await app.run("push")).stdout).toContain("0 created, 0 updated, 50 deleted");
    });
  });

  it("names the app's commit in the Hive's history", async () => {
    await git(app.folder, "init", "-q");
    await git(app.folder, "commit", "-q", "--allow-empty", "-m", "x");
    const head = (await git(app.folder, "rev-parse", "HEAD")).trim();
    await app.run("push");
    const log = await app.run("push", "--json");
    expect(JSON.parse(log.stdout).is_first).toBe(false);
    const [commit] = JSON.parse(
      await (
        await fetch(`${app.url}/api/hives/web/history`, {
          headers: { authorization: `Bearer ${app.token}` },
        })
      ).text(),
    ).data;
    expect(commit.ref).toBe(head);
  });
});

it("a push of many locales is a table, and says once what was kept back", async () => {
  const locales = ["de", "es", "fr", "it", "nl"];
  const many = await makeApp({ patterns: ["lang/{locale}.json"], locales });
  many.write({ "lang/en.json": '{"a": "A", "ok": "OK"}' });
  for (const code of locales) many.write({ [`lang/${code}.json`]: `{"a": "${code}", "ok": "OK"}` });
  many.write({ "lang/it.json": '{"a": "it", "old": "x"}' });
  await many.sync({ "en.json": { a: "A", ok: "OK" } });
  await many.translate("de", { "en.json": { a: "other" } });
  const { stdout, code } = await many.run("push", "--translations");
  expect([code, stdout.split("\n").slice(1)]).toEqual([
    0,
    [
      "LOCALE  CREATED  UPDATED  SKIPPED  UNKNOWN  SAME",
      "de                        1                 1",
      "es      1                                   1",
      "fr      1                                   1",
      "it      1                          1",
      "nl      1                                   1",
      "1 skipped, because the Hive has other texts; --overwrite replaces them.",
      "4 texts not sent (SAME): equal to the source text and maybe placeholders, so they stay in the app; --same-as-source sends them.",
      "",
    ],
  ]);
});

describe("a push of translations", () => {
  it("sends translations with a source string, and lists the others", async () => {
    const { code, stdout, stderr } = await app.run("push", "--translations");
    expect(code).toBe(0);
    expect(stdout).toContain("fr: 1 created, 0 updated, 0 skipped, 1 unknown translations.");
    expect(stdout).toContain(
      "1 text not sent (fr 1): equal to the source text and maybe placeholders, so they stay in the app; --same-as-source sends them.\n",
    );
    expect(stderr).toContain("fr: no source string for auth.json: old.");
    expect(stderr).toContain("lang/fr/gone.json: was not sent, because there is no source file for it.");
    expect((await app.texts("fr"))["auth.json"]).toEqual({ failed: "Faux." });
  });

  it("names a few of many files and keys at fault, and all files with --verbose", async () => {
    await app.run("push");
    const numbers = Array.from({ length: 12 }, (_, i) => i);
    const gone = Object.fromEntries(numbers.map((i) => [`lang/fr/gone${i}.json`, "{}"]));
    const twice = Object.fromEntries(numbers.map((i) => [`lang/en/t${i}.json`, '{"a": "A",\n"a": "B"}']));
    app.write({ ...gone, ...twice });
    const shown = await Promise.all(
      [[], ["--verbose"]].map((more) => app.run("push", "--translations", ...more)),
    );
    const count = (part: string) => shown.map(({ stderr }) => stderr.split(part).length - 1);
    expect(count("was not sent, because there is no source file")).toEqual([5, 13]);
    expect(count("and 8 more; --verbose lists all.")).toEqual([1, 0]);
    expect(count("stands again")).toEqual([10, 10]);
    expect(count("More keys stand twice; skep check names all.")).toEqual([1, 1]);
  });

  it("sends texts that equal their source with --same-as-source", async () => {
    await app.run("push", "--translations", "--same-as-source");
    expect((await app.texts("fr"))["auth.json"]).toEqual({ failed: "Faux.", "nav.home": "Home" });
  });

  it("keeps the Hive's translations unless --overwrite is given", async () => {
    await app.run("push");
    await app.translate("fr", { "auth.json": { failed: "Erreur." } });
    const kept = await app.run("push", "--translations=fr");
    expect(kept.stdout).toContain("fr: 0 created, 0 updated, 1 skipped (kept; --overwrite replaces them)");
    const replaced = await app.run("push", "--translations", "fr", "--overwrite");
    expect(replaced.stdout).toContain("fr: 0 created, 1 updated, 0 skipped, 1 unknown");
  });

  it("ends with 3 under --strict when a string is missing, and sends none of the locale", async () => {
    const { code, stderr } = await app.run("push", "--translations", "--strict");
    expect(code).toBe(3);
    expect(stderr).toBe(
      "skep: fr: 1 translation without a source string, so none was sent: auth.json: old\n",
    );
    expect((await app.texts("fr"))["auth.json"]).toEqual({});
  });

  it("is refused for a locale that the Hive lacks", async () => {
    const { code, stderr } = await app.run("push", "--translations=de");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "skep: de is not a target locale of the Hive; those are fr, pt_BR.\n",
    });
    expect(await app.texts("en")).toEqual({});
  });
});

describe("a refused push", () => {
  it("ends with 1 if no file matches, unless --allow-empty is given", async () => {
    const empty = await makeApp({ patterns: ["none/{locale}.json"] });
    const { code, stderr } = await empty.run("push");
    expect(code).toBe(1);
    expect(stderr).toContain("no source file matches none/{locale}.json with en for {locale}");
    expect((await empty.run("push", "--allow-empty")).code).toBe(0);
  });

  it("names the unreadable file and line, and sends nothing", async () => {
    app.write({ "lang/en/auth.json": '{\n  "a": "b",\n  "c"\n}\n' });
    const { code, stderr } = await app.run("push");
    expect(code).toBe(1);
    expect(stderr).toMatch(/lang\/en\/auth\.json:[34]: /);
    expect(await app.texts("en")).toEqual({});
  });

  it("ends with 2 if the source locale differs", async () => {
    const other = await makeApp({ patterns: ["lang/{locale}.json"], settings: "source: de\n" });
    const { code, stderr } = await other.run("push");
    expect(code).toBe(2);
    expect(stderr).toContain("source: the source locale of the Hive web is en, not de");
  });

  it("ends with 5 if the Hive or the token is unknown", async () => {
    expect(await app.run("push", "--hive", "nope")).toMatchObject({ code: 5, stdout: "" });
  });

  it("ends with 2 for invalid arguments", async () => {
    expect((await app.run("push", "--max-deletions", "x")).code).toBe(2);
    expect((await app.run("push", "--server", "example.org")).stderr).toMatch(
      /^skep: --server: must be the URL/,
    );
  });
});

it("a token that can only write pushes if the settings name everything", async () => {
  const writer = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"], abilities: ["write"] });
  writer.write({ "lang/en.json": json({ a: "A" }), "lang/fr.json": json({ a: "B" }) });
  expect(await writer.run("push")).toMatchObject({ code: 5 });
  writer.write({ "skep.yaml": writer.read("skep.yaml").replace("files:", "source: en\nfiles:") });
  const { code, stderr } = await writer.run("push", "--translations=fr");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "The token cannot read, so files are not compared with those of the Hive.\n",
  });
  expect(await writer.texts("fr")).toEqual({ "en.json": { a: "B" } });
});

it.each<[format: string, ending: string, source: string, target: string]>([
  ["json", "json", '{"a": "A", "n": 5, "l": ["x", 2]}', '{"a": "5", "n": "cinq", "l": ["y", "deux"]}'],
  ["json", "json", '{"a": "5", "n": 5}', '{"a": 5, "n": "5"}'],
  ["yaml", "yaml", "a: A\nn: 5\n", 'a: "5"\nn: "5"\n'],
  ["toml", "toml", 'a = "A"\nn = 5\n', 'a = "5"\nn = "5"\n'],
])(
  "texts in the place of numbers are no translations without a string in %s: %#",
  async (format, ending, source, target) => {
    const own = await makeApp({
      patterns: [`{ path: 'l/{locale}.${ending}', format: ${format} }`],
      locales: ["fr"],
    });
    own.write({ [`l/en.${ending}`]: source, [`l/fr.${ending}`]: target });
    expect(await own.run("push", "--translations", "--strict")).toMatchObject({ code: 0 });
    const { stdout } = await own.run("push", "--translations", "--dry-run", "--json");
    expect(JSON.parse(stdout).translations).toMatchObject([{ unknown: 0 }]);
    expect(stdout).toMatch(/"key": ?"n"/);
  },
);
