/** `skep init`, with and without somebody at the terminal. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Output } from "../../../src/commands/program/output.ts";
import { runCommand } from "../../../src/commands/program.ts";
import type { Ended } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

/** A small app, in which the command is run. */
function app(): string {
  const folder = realFolder();
  mkdirSync(join(folder, "locales"));
  for (const code of ["en", "fr"]) writeFileSync(join(folder, `locales/${code}.json`), "{}");
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  return folder;
}

const yes = ["--yes", "--server", "https://skep.example.org"];

/** The slug that is proposed for an app. */
function slugOf(folder: string): string {
  return basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** Runs it; with answers as somebody who gives them on a terminal, one to each question. */
async function init(args: readonly string[], answers?: readonly (string | undefined)[]): Promise<Ended> {
  const stdin = Object.assign(new PassThrough(), { isTTY: answers !== undefined });
  const rest = [...(answers ?? [])];
  let [stdout, stderr] = ["", ""];
  const output: Output = {
    stdin,
    stdout: { write: (text: string) => (stdout += text) },
    stderr: {
      isTTY: answers !== undefined,
      write: (text: string) => {
        stderr += text;
        if (!text.endsWith(": ")) return;
        const answer = rest.shift();
        if (answer === undefined) stdin.end();
        else stdin.write(`${answer}\n`);
      },
    },
  };
  await runCommand(["init", ...args], output);
  return { code: Number(output.exitCode ?? 0), stdout, stderr };
}

it("writes the proposal with --yes, readable for others, and prints the next steps", async () => {
  const folder = app();
  const { code, stdout } = await init(["--yes", "--server", "https://skep.example.org/", "--hive", "web"]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    "\n  skep hive create web --team TEAM --source-locale en --locale fr --checks refuse\n",
  );
  expect(stdout).toContain("\n  skep push --translations --dry-run\n  skep push --translations\n");
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain(
    "server: https://skep.example.org\nhive: web\nsource: en\nfiles:\n  - locales/{locale}.json\n",
  );
});

it.each([
  ["", "Then sign in with skep login, or put a token into SKEP_TOKEN, and push:\n"],
  ["skp_x", "Then push:\n"],
])("says what is needed to push with the token %j", async (token, said) => {
  app();
  vi.stubEnv("SKEP_TOKEN", token);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await init(yes)).stdout).toContain(said);
});

it("asks for server and Hive on a terminal until the answers are valid, and shows the file", async () => {
  const folder = app();
  const { code, stderr } = await init([], ["nowhere", "http://localhost:4488", "n", "", "", "y"]);
  expect(code).toBe(0);
  expect(stderr).toContain("must be the URL of a server");
  expect(stderr).toContain("\nfiles:\n  - locales/{locale}.json\n");
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain(
    `server: http://localhost:4488\nhive: ${slugOf(folder)}\n`,
  );
});

it.each([
  ["a no", ["", "", "n"]],
  ["the end of the input", ["", "", undefined]],
])("writes nothing after %s", async (_, answers) => {
  const folder = app();
  expect(await init([], answers)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Nothing was written."),
  });
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
});

it("writes nothing without a terminal and --yes", async () => {
  const folder = app();
  expect(await init([])).toMatchObject({ code: 2, stderr: expect.stringContaining("give --yes") });
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
});

it("needs a server with --yes, from the flag or from the environment", async () => {
  const folder = app();
  expect(await init(["--yes"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no server is given"),
  });
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
  vi.stubEnv("SKEP_SERVER", "https://skep.example.org");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await init(["--yes"])).code).toBe(0);
  // The variable is not everybody's.
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain(
    "# server: https://skep.example.org # or",
  );
});

it("prints the command that creates the Hive with the codes of the app", async () => {
  const folder = app();
  for (const code of ["pt_BR", "sr@latin"]) writeFileSync(join(folder, `locales/${code}.json`), "{}");
  const { stdout } = await init(["--yes", "--server", "https://skep.example.org", "--hive", "web"]);
  expect(stdout).toContain("--locale fr,pt-BR=pt_BR,sr-latin=sr@latin --checks refuse\n");
});

it("proposes the syntax of each program where several have files of one ending", async () => {
  const folder = app();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const code of ["en", "fr"]) {
    write(`joomla/language/${code}/com_content.ini`, 'A="%s items"\nB="%1$s of %2$s"\n');
    write(`joomla/language/${code}/com_users.ini`, 'A="%d users"\nB="%s"\n');
    write(`server/i18n/${code}.ini`, "a = Hello {name}\nb = {n} files\nc = {a}\nd = {b}\ne = {c}\n");
  }
  const { stdout } = await init([...yes, "--hive", "web"]);
  expect(stdout).toContain(
    "--syntax '*.ini=brace' --syntax 'com_content.ini=printf' --syntax 'com_users.ini=printf'",
  );
});

it("tells the Hive the formats that names of files do not say", async () => {
  const folder = app();
  rmSync(join(folder, "locales"), { recursive: true });
  mkdirSync("config/locales", { recursive: true });
  for (const code of ["en", "fr"]) writeFileSync(`config/locales/${code}.yml`, `${code}:\n  a: "A"\n`);
  const { stdout } = await init([...yes, "--hive", "web"]);
  expect(stdout).toContain("--locale fr --checks refuse --file-format '*.yml=rails'\n");
  expect(readFileSync("skep.yaml", "utf8")).toContain("format: rails");
});

it("proposes settings of checks, with an example", async () => {
  const folder = app();
  const write = (code: string, texts: object) =>
    writeFileSync(join(folder, `locales/${code}.json`), JSON.stringify(texts));
  write("en", { n: "{n, plural, one {# day} other {# days}}", plain: "Plain" });
  write("fr", { n: "{n, plural, one {# jour} other {# jours}}" });
  const refuse = await init([...yes, "--hive", "web"]);
  expect(refuse.stderr).toContain(
    "*.json: icu messages, because of {n, plural, one {# day} other {# days}}\n",
  );
  expect(refuse.stderr).toContain("texts that would break the app are refused: no text has an error now");
  expect(refuse.stdout).toContain("--locale fr --checks refuse --syntax '*.json=icu'\n");
  const settings = join(folder, "skep.yaml");
  expect(readFileSync(settings, "utf8")).toContain(
    'checks:\n  syntax:\n    - files: "*.json"\n      syntax: icu\n',
  );
  // A Hive that refuses would not take what is there.
  rmSync(settings);
  write("fr", { n: "{m} jours" });
  const warn = await init([...yes, "--hive", "web"]);
  expect(warn.stderr).toMatch(
    /are stored with a warning: \d+ texts? with errors now, which skep check lists/,
  );
  expect(warn.stdout).toContain("--checks warn --syntax");
});

it("leaves out files that a push could not read, and says why", async () => {
  const folder = app();
  mkdirSync(join(folder, "config/locales"), { recursive: true });
  writeFileSync(join(folder, "locales/fr.json"), "{");
  writeFileSync(join(folder, "config/locales/en.yml"), "en:\n  a: A\n - b\n");
  const { code, stdout, stderr } = await init(yes);
  expect(code).toBe(0);
  expect(stderr).toContain(
    "  *.json: tags alone are checked, because no text shows an argument\n" +
      "  texts with broken tags are stored with a warning: not all files could be checked\n",
  );
  expect(stderr).toMatch(/ {2}locales\/fr\.json: left out by exclude:, as it cannot be read: .+/);
  expect(stderr).toMatch(/ {2}config\/locales\/en\.yml: left out by exclude:, as it cannot be read: .+/);
  expect(stderr).not.toContain("no text has an error");
  expect(stdout).toContain("--checks warn");
  const text = readFileSync(join(folder, "skep.yaml"), "utf8");
  expect(text).toContain("files:\n  - locales/{locale}.json\nexclude:\n");
  expect(text).toMatch(/exclude:\n(?: {2}- (?:config\/locales\/en\.yml|locales\/fr\.json)\n){2}$/);
});

it("leaves out files where patterns have other codes for a locale", async () => {
  const folder = app();
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  mkdirSync(join(folder, "i18n"));
  write("locales/fr.json", "{");
  write("locales/zh-CN.json", "{}");
  write("i18n/en.json", '{"b": "B"}');
  write("i18n/zh_CN.json", "{}");
  const { code, stderr } = await init(yes);
  expect([code, stderr]).toEqual([0, expect.stringContaining("locales/fr.json: left out by exclude:")]);
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain("zh-CN: zh_CN");
});

it("writes nothing when no source file can be read", async () => {
  const folder = app();
  writeFileSync(join(folder, "locales/en.json"), "{");
  const { code, stderr } = await init(yes);
  expect([code, stderr]).toEqual([1, expect.stringContaining("locales/en.json: left out")]);
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
});

it("proposes checks for files whose names are not the codes of their locales", async () => {
  const folder = app();
  mkdirSync(join(folder, "res/values"), { recursive: true });
  mkdirSync(join(folder, "res/values-b+zh+Hans"));
  const strings = (text: string): string => `<resources><string name="a">${text}</string></resources>`;
  writeFileSync(join(folder, "res/values/strings.xml"), strings("Hi %1$s"));
  writeFileSync(join(folder, "res/values-b+zh+Hans/strings.xml"), strings("Hi %1$d"));
  const { stderr } = await init(yes);
  expect(stderr).toContain("*.xml: android messages");
  expect(stderr).toContain("are stored with a warning: 1 text with errors now");
});

it("does not change an existing skep.yaml", async () => {
  const folder = app();
  writeFileSync(join(folder, "skep.yaml"), "mine");
  expect(await init(["--yes"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is there already"),
  });
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toBe("mine");
});

it.each([
  [["--server", "ftp://example.org"], "--server must be the URL of a server"],
  [["--hive", "Not A Slug"], "--hive must be the slug of a Hive"],
])("refuses %j", async (args, problem) => {
  const folder = app();
  expect(await init([...yes, ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
});

it("an app without translations is an error that says where to look", async () => {
  const folder = app();
  process.chdir(join(folder, "locales"));
  mkdirSync("empty");
  process.chdir("empty");
  expect(await init([...yes])).toMatchObject({ code: 1, stderr: expect.stringContaining("docs/ci.md") });
});

it("prints JSON for programs", async () => {
  const folder = app();
  const { stdout } = await init([...yes, "--json"]);
  expect(JSON.parse(stdout)).toEqual({
    path: join(folder, "skep.yaml"),
    source: "en",
    source_reason: "locales/en.json is there",
    patterns: [{ path: "locales/{locale}.json", source_files: 1, locales: ["fr"] }],
    without_source: [],
    excluded: [],
    unread: [],
    checks: { level: "refuse", errors: 0, syntax: [], formats: [], plain: ["*.json"], faults: [] },
    create: `skep hive create ${slugOf(folder)} --team TEAM --source-locale en --locale fr --checks refuse`,
    next: ["skep push --translations --dry-run", "skep push --translations"],
  });
});

it("asks for a source locale that nothing shows, says what shows another, and guesses none with --yes", async () => {
  const folder = app();
  renameSync(join(folder, "locales/en.json"), join(folder, "locales/de.json"));
  expect(await init(yes)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("(found: de, fr); name it with --source-locale."),
  });
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
  const { stderr, code } = await init([], ["fr", "", "", "y"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("Source locale (de, fr): ")]);
  expect(stderr).toContain("Found, with fr as the source locale, because it was given");
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain("source: fr\n");
});
