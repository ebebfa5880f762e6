/** `skep hive`: what its flags say, at a server and on a storage. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { commandsOf, type OperationCommand } from "../../../src/api/command-table.ts";
import { hives } from "../../../src/api/hives.ts";
import { bodyOf } from "../../../src/commands/operations/members.ts";
import { runCommand } from "../../../src/commands/program.ts";
import { realFolder } from "../../helpers/storage.ts";
import {
  acmeStorage,
  createToken,
  git,
  serveInProcess,
  skep,
  skepOk,
  skepWithin,
} from "../../helpers/process.ts";

function commandOf(name: string): OperationCommand {
  const command = commandsOf(hives).commands.find((one) => one.name === name);
  if (command === undefined) throw new Error(`there is no ${name}`);
  return command;
}

it.each<[string, Readonly<Record<string, unknown>>, object]>([
  ["nothing", {}, {}],
  ["a source locale", { sourceLocale: "en" }, { source_locale: "en" }],
  [
    "one with a custom code",
    { sourceLocale: "en=a=b" },
    { source_locale: { code: "en=a", custom_code: "b" } },
  ],
  [
    "locales",
    { locale: ["fr", "pt-BR=pt_BR"] },
    { locales: ["fr", { code: "pt-BR", custom_code: "pt_BR" }] },
  ],
  ["no locales", { locale: ["none"] }, { locales: null }],
  ["checks", { checks: "refuse" }, { checks: { level: "refuse" } }],
  [
    "formats of files",
    { fileFormat: ["a=b.xml=xliff"] },
    { checks: { formats: [{ files: "a=b.xml", format: "xliff" }] } },
  ],
  [
    "checks with syntaxes",
    { checks: "warn", syntax: ["*.json=icu", "a=b.json=rails"] },
    {
      checks: {
        level: "warn",
        syntax: [
          { files: "*.json", syntax: "icu" },
          { files: "a=b.json", syntax: "rails" },
        ],
      },
    },
  ],
  ["values that are called none", { plurals: "none", push: "none" }, { plurals: "none", push: "none" }],
  [
    "no limit, no glossary",
    { maxDeletions: "none", glossary: "none" },
    { max_deletions: null, glossary: null },
  ],
  ["a limit", { maxDeletions: "20" }, { max_deletions: 20 }],
])("flags are members of the request: %s", (_, flags, body) => {
  const given = (name: string): unknown => flags[name];
  expect(bodyOf(commandOf("create"), ["web"], given, 0)).toEqual({ slug: "web", ...body });
});

it("flags are named as people write them", async () => {
  const { stdout } = await skep("hive", "create", "--help");
  expect(stdout).toMatch(/--source-locale <code\[=custom_code\]>/);
  expect(stdout).toMatch(/--locale <code\[=custom_code\]>/);
  expect(stdout).toMatch(/--checks <value> .*\(choices: "off", "warn",\s+"refuse"\)/s);
  expect(stdout).toMatch(/--syntax <files=syntax>/);
  const wrong = await skep("hive", "edit", "web", "--syntax", "a=icu,b");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("It must be files=syntax.")]);
});

const places = {
  storage: async () => {
    const storage = await acmeStorage();
    const run = (...args: readonly string[]) => skep("hive", ...args, "--storage", storage);
    return { storage, run, on: "" };
  },
  server: async () => {
    const storage = await acmeStorage();
    const { url } = await serveInProcess(storage);
    const env = { SKEP_TOKEN: await createToken(storage, ["admin"]), SKEP_SERVER: url };
    const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "hive", ...args);
    return { storage, run, on: ` on ${url}` };
  },
};

describe.each(Object.entries(places))("Hives of a %s", (kind, open) => {
  it("are created, listed, shown, changed, deleted and restored", async () => {
    const { run, on } = await open();
    const settings = "--max-deletions 5 --push all --plurals none --checks refuse";
    const flags =
      `${settings} --syntax *.json=icu,a,b/*.php=laravel --file-format a.xml=xliff --source-locale en=en_US`.split(
        " ",
      );
    const made = await run(
      "create",
      "app",
      "--name",
      "The app",
      "--locale",
      "de,pt-BR=pt_BR",
      "--json",
      ...flags,
    );
    const rules = {
      max_deletions: 5,
      plurals: "none",
      push: "all",
      checks: {
        level: "refuse",
        syntax: [
          { files: "*.json", syntax: "icu" },
          { files: "a,b/*.php", syntax: "laravel" },
        ],
        formats: [{ files: "a.xml", format: "xliff" }],
      },
      glossary: null,
      engines: true,
    };
    const named = { slug: "app", name: "The app", source_locale: "en_US", string_count: 0 };
    expect(JSON.parse(made.stdout)).toEqual({ ...named, locales: ["de", "pt_BR"], ...rules });
    expect((await run("create", "old", "--glossary", "web")).stdout).toBe(`Created the Hive old${on}.\n`);

    const team = kind === "storage" ? "TEAM  " : "";
    const [of, other] = kind === "storage" ? ["acme  ", "acme  "] : ["", ""];
    expect((await run("list")).stdout).toBe(
      [
        `${team}SLUG  STRING COUNT  SOURCE LOCALE  NAME     LOCALES`,
        `${of}web                 en             web      fr`,
        `${other}app                 en_US          The app  de, pt_BR`,
        `${other}old                 en             old`,
        "",
      ].join("\n"),
    );
    const [listed] = JSON.parse((await run("list", "--json")).stdout);
    expect([listed.slug, listed.team]).toEqual(["web", kind === "storage" ? "acme" : undefined]);

    const shown = JSON.parse((await run("show", "app", "--json")).stdout);
    expect(shown).toMatchObject({ ...named, ...rules });
    expect(Object.keys(shown.locales)).toEqual(["de", "pt_BR"]);
    expect((await run("show", "app")).stdout).toBe(
      [
        "slug           app",
        "name           The app",
        "source locale  en_US",
        "max deletions  5",
        "plurals        none",
        "push           all",
        "checks         level refuse, syntax *.json=icu, a,b/*.php=laravel, formats a.xml=xliff",
        "engines        yes",
        "locales de     translated percent 100, approved percent 100",
        "locales pt_BR  translated percent 100, approved percent 100",
        "",
      ].join("\n"),
    );

    expect((await run("edit", "app", "--max-deletions", "none", "--glossary", "web")).stdout).toBe(
      `Changed the Hive app${on}.\n`,
    );
    expect(JSON.parse((await run("show", "app", "--json")).stdout)).toMatchObject({
      max_deletions: null,
      glossary: "web",
      checks: rules.checks,
    });

    const asked = await run("delete", "app");
    expect([asked.code, asked.stderr]).toEqual([
      2,
      `skep: Delete the Hive app (The app)${on}? Add --yes to do it.\n`,
    ]);
    const deleted = await run("delete", "app", "--yes");
    expect(deleted.stdout).toMatch(
      /^Deleted the Hive app.*\. Until 2\S+Z it comes back with: skep hive restore app\n$/,
    );
    expect((await run("show", "app")).code).toBe(5);
    expect((await run("restore", "app")).stdout).toBe(`Restored the Hive app${on}.\n`);
    expect(JSON.parse((await run("show", "app", "--json")).stdout)).toMatchObject({ name: "The app" });
  });

  it("are refused with the flag and the argument at fault, and with an error as JSON", async () => {
    const { run } = await open();
    const wrong = async (...args: readonly string[]): Promise<readonly [number, string]> => {
      const { code, stderr } = await run(...args);
      return [code, stderr];
    };
    expect(await wrong("create", "../x")).toEqual([2, expect.stringMatching(/^skep: <slug>: must be /)]);
    expect(await wrong("create", "app", "--locale", "fr,FR")).toEqual([
      2,
      "skep: --locale: fr is given twice\n",
    ]);
    expect(await wrong("create", "app", "--locale", "fr,x_y")).toEqual([
      2,
      expect.stringMatching(/^skep: --locale: "x_y" is not a BCP 47 /),
    ]);
    expect(await wrong("create", "app", "--source-locale", "en=../x")).toEqual([
      2,
      expect.stringMatching(/^skep: --source-locale: /),
    ]);
    expect(await wrong("create", "app", "--syntax", "*.json=nope")).toEqual([
      2,
      expect.stringMatching(/^skep: --syntax: must be one of /),
    ]);
    expect(await wrong("create", "app", "--glossary", "nope")).toEqual([
      2,
      'skep: --glossary: the team has no Hive "nope"\n',
    ]);
    expect(await wrong("create", "app", "--glossary", "web", "--source-locale", "de")).toEqual([
      2,
      'skep: --glossary: "web" has another source locale, en\n',
    ]);
    expect(await wrong("edit", "web")).toEqual([
      2,
      "skep: There is nothing to change: give --name, --max-deletions, --plurals, --push, --checks, --syntax, --file-format, --glossary, --engines.\n",
    ]);
    expect((await wrong("edit", "web", "--max-deletions", "-1"))[0]).toBe(2);
    const taken = await run("create", "web", "--json");
    expect([taken.code, JSON.parse(taken.stdout).error.code]).toEqual([4, "slug_taken"]);
    for (const args of [["show"], ["edit", "--name", "X"], ["delete"], ["delete", "--yes"], ["restore"]]) {
      const [verb = "", ...flags] = args;
      expect([args, (await run(verb, "nope", ...flags)).code]).toEqual([args, 5]);
    }
  });
});

it("one that cannot be read is deleted as others are", async () => {
  const storage = await acmeStorage();
  const gitdir = join(storage, "hives/web.git");
  const tree = (await git(gitdir, "rev-parse", "main^{tree}")).trim();
  rmSync(join(gitdir, "objects", tree.slice(0, 2), tree.slice(2)));
  const run = (...args: readonly string[]) => skep("hive", ...args, "--storage", storage);
  const asked = await run("delete", "web", "--json");
  expect([asked.code, JSON.parse(asked.stdout).error.code]).toEqual([2, "confirmation_needed"]);
  expect((await run("delete", "web", "--yes")).stdout).toContain("Deleted the Hive web.");
});

it.each([
  ["is no YAML", (path: string) => writeFileSync(path, "x: ["), "content_invalid"],
  [
    "is no file",
    (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
    "error",
  ],
])("a storage whose file %s is not one that cannot be reached", async (_, spoil, code) => {
  const storage = await acmeStorage();
  spoil(join(storage, "teams/acme.yaml"));
  for (const line of ["hive list", "hive show web", "token list", "locale list web", "log web"]) {
    const { code: exit, stdout } = await skep(...line.split(" "), "--json", "--storage", storage);
    expect([line, exit, JSON.parse(stdout).error.code]).toEqual([line, 1, code]);
  }
});

/** A terminal at which somebody answers a question. */
function terminal(answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(`${answer}\n`);
  let [out, err] = ["", ""];
  const stdout = { write: (text: string) => (out += text), isTTY: true };
  const stderr = { write: (text: string) => (err += text), isTTY: true };
  return { output: { stdin, stdout, stderr, exitCode: 0 }, said: () => [out, err] };
}

it("deleting one asks for its slug on a terminal", async () => {
  const storage = await acmeStorage();
  for (const [answer, isDeleted] of [
    ["y", false],
    ["", false],
    ["web", true],
  ] as const) {
    const { output, said } = terminal(answer);
    await runCommand(["hive", "delete", "web", "--storage", storage], output);
    const [stdout = "", stderr = ""] = said();
    expect(stderr).toContain("Delete the Hive web? Type web to do it: ");
    expect(stdout.startsWith("Deleted the Hive web.")).toBe(isDeleted);
  }
});

it("a storage with several teams asks which is meant, unless what is named says it", async () => {
  const storage = await acmeStorage();
  await skepOk(storage, "team", "create", "zeta");
  const run = (...args: readonly string[]) => skep("hive", ...args, "--storage", storage);
  const asked = await run("create", "app", "--json");
  expect([asked.code, JSON.parse(asked.stdout).error.code]).toEqual([2, "team_needed"]);
  await run("create", "app", "--team", "zeta");
  const listed = async (...flags: readonly string[]) =>
    JSON.parse((await run("list", "--json", ...flags)).stdout).map(
      ({ team, slug }: { readonly team?: string; readonly slug: string }) => [team, slug],
    );
  expect(await listed()).toEqual([
    ["acme", "web"],
    ["zeta", "app"],
  ]);
  expect(await listed("--team", "zeta")).toEqual([[undefined, "app"]]);
  expect((await run("edit", "app", "--glossary", "web")).stderr).toContain('the team has no Hive "web"');
  expect((await run("edit", "app", "--name", "App")).code).toBe(0);
  await run("delete", "app", "--yes");
  expect((await run("restore", "app", "--team", "acme")).stdout).toBe("Restored the Hive app.\n");
  await run("delete", "app", "--yes");
  expect((await run("restore", "app")).code).toBe(0);
  expect(await listed()).toEqual([
    ["acme", "web"],
    ["acme", "app"],
  ]);
});

it("deleted Hives are listed on the server's machine", async () => {
  const storage = await acmeStorage();
  await skepOk(storage, "hive", "delete", "web", "--yes");
  const run = (...args: readonly string[]) => skep("hive", "list", "--trash", ...args);
  expect((await run("--storage", storage)).stdout).toMatch(/^HIVE +TEAM .*\nweb +acme /);
  const refused = await run("--server", "https://skep.example.org", "--json");
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([2, "machine_only"]);
});

it("Hives are updated by the earlier name", async () => {
  const storage = await acmeStorage();
  const run = (...args: readonly string[]) => skepOk(storage, "hive", ...args);
  await run("update", "web", "--name", "Web", "--plurals", "nested", "--syntax", "*.json=icu");
  expect(JSON.parse(await run("show", "web", "--json"))).toMatchObject({ name: "Web", plurals: "nested" });
});
