/** The commands that look after a server, by their names and by those that they had before. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { settings } from "../../src/config/settings.ts";
import { commands, earlierCommands } from "../../src/commands/table.ts";
import type { Output } from "../../src/commands/program/output.ts";
import { runCommand } from "../../src/commands/program.ts";
import { acmeStorage, skep, skepOk, skepWithin } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

/** The command with a name such as `server verify`. */
async function commandNamed(words: string): Promise<CommandUnknownOpts | undefined> {
  const [name = "", inner] = words.split(" ");
  const outer = await commands.find((one) => one.name === name)?.load();
  return inner === undefined ? outer : outer?.commands.find((one) => one.name() === inner);
}

/** What a command takes, with what its own commands take. */
function grammarOf(command: CommandUnknownOpts | undefined): unknown {
  return {
    args: command?.registeredArguments.map((arg) => [arg.name(), arg.required, arg.description]),
    flags: command?.options.map(({ flags, description }) => [flags, description]),
    inner: command?.commands.map((one) => [one.name(), grammarOf(one)]),
  };
}

it.each(earlierCommands)(
  "skep $name is skep $now, and help does not show it",
  async ({ name, now, load }) => {
    expect(grammarOf(await load())).toEqual(grammarOf(await commandNamed(now)));
    expect((await skep("--help")).stdout).not.toMatch(new RegExp(`^  ${name} `, "m"));
    expect((await skep(name, "--help")).stdout).toContain(`Use skep ${now} instead.`);
  },
);

it("does the same by both names", async () => {
  const [storage, root] = [await acmeStorage(), realFolder()];
  await skepOk(storage, "maintain");
  for (const name of ["verify", "maintain"])
    expect(await skep("server", name, "--storage", storage)).toEqual(await skep(name, "--storage", storage));
  const [by, before] = [join(root, "by"), join(root, "before")];
  const backedUp = await skepOk(storage, "server", "backup", by);
  expect(await skepOk(storage, "backup", before)).toBe(backedUp);
  for (const [dir, name] of [
    [by, "restore"],
    [before, "server restore"],
  ] as const)
    expect(await skepOk(`${dir}-again`, ...name.split(" "), dir)).toMatch(/: 1 Hive, 0 tokens, 1 team\.$/);
  for (const name of ["database", "record"]) {
    expect(await skep(name, "renew", "--storage", storage)).toEqual({
      code: 1,
      stdout: "",
      stderr: "skep: Name the database with --database.\n",
    });
  }
});

it.each(["server", "database", "team", "branch", "glossary", "review"])(
  "skep %s shows its help",
  async (name) => {
    const { code, stdout, stderr } = await skep(name);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: skep ${name} `));
    expect(await skep(name, "nope")).toMatchObject({ code: 2, stderr: "skep: unknown command 'nope'\n" });
  },
);

interface Held {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly from: string | null;
}

describe("skep server settings", () => {
  const file = "port: 1\nbody_limit: 64MiB\nlog_level: warn\n";
  const environment = { SKEP_PORT: "2", SKEP_BODY_LIMIT: "32MiB", SKEP_PROT: "3" };

  async function heldBy(...flags: readonly string[]): Promise<ReadonlyMap<string, Held>> {
    const folder = realFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "skep-server.yaml"), file);
    writeFileSync(join(folder, "other.yaml"), "port: 5\n");
    const args = ["server", "settings", "--json", ...flags];
    const { code, stdout, stderr } = await skepWithin(folder, environment, ...args);
    const warning = "skep: SKEP_PROT is set but is not a setting of skep; skep serve --help lists them\n";
    expect([code, stderr]).toEqual([0, warning]);
    const held: readonly Held[] = JSON.parse(stdout);
    return new Map(held.map((one) => [one.name, one]));
  }

  it("shows all settings, each with what set it", async () => {
    const held = await heldBy("--port", "4", "--no-console");
    expect([...held.keys()]).toEqual(settings.map(({ key }) => key));
    const found = ["port", "console", "body_limit", "log_level", "host"].map((name) => held.get(name));
    expect(found).toEqual([
      { name: "port", value: "4", source: "flag", from: "--port" },
      { name: "console", value: "off", source: "flag", from: "--console" },
      { name: "body_limit", value: "32MiB", source: "variable", from: "SKEP_BODY_LIMIT" },
      { name: "log_level", value: "warn", source: "file", from: "skep-server.yaml" },
      { name: "host", value: "127.0.0.1", source: "default", from: null },
    ]);
  });

  it.each(["--settings", "--config"])("reads the file of %s", async (flag) => {
    expect((await heldBy(flag, "other.yaml")).get("log_level")).toMatchObject({ source: "default" });
  });

  it.each([
    ["postgres://skep:a+b@db1,db2:5432/skep", "postgres://skep:***@db1,db2:5432/skep"],
    ["postgres://skep:a/b@c?d@db1/skep", "postgres://skep:***@db1/skep"],
    [
      "postgres://skep@db1:5432/skep?sslmode=verify-full",
      "postgres://skep@db1:5432/skep?sslmode=verify-full",
    ],
    ["postgres://db1/skep?user=skep&password=x%26y&a=b", "postgres://db1/skep?user=skep&password=***&a=b"],
  ])("masks the password of %s", async (url, shown) => {
    expect((await heldBy("--database", url)).get("database")?.value).toBe(shown);
  });

  it("prints a table, and needs no storage, nor one of the same user", async () => {
    const { code, stdout } = await skep("server", "settings", "--storage", "/nowhere", "--no-console");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^SETTING +VALUE +FROM\nstorage +\/nowhere +--storage\n/);
    expect(stdout).toMatch(/^port +4488 +default$/m);
  });

  it("refuses what the server would refuse", async () => {
    const refused = "skep: --port: must be at most 65535\n";
    expect(await skep("server", "settings", "--port", "70000")).toMatchObject({ code: 2, stderr: refused });
  });
});

describe("long work", () => {
  /** What a command writes to stderr. */
  async function saidBy(args: readonly string[], isTTY: boolean): Promise<string> {
    let said = "";
    const output: Output = {
      stdout: { write: () => true },
      stderr: { isTTY, write: (text: string) => (said += text) },
    };
    await runCommand(args, output);
    expect(output.exitCode ?? 0).toBe(0);
    return said;
  }

  it.each([
    ["server verify", ["Checking the settings", "Checking web (1 of 2)", "Checking app (2 of 2)"]],
    ["server verify web", ["Checking web"]],
    ["server maintain", ["Packing web (1 of 2)", "Packing app (2 of 2)"]],
    ["server backup DIR", ["Copying web (1 of 2)", "Copying app (2 of 2)", "Checking web (1 of 2)"]],
    ["server restore BACKUP", ["Copying web (1 of 2)", "Checking the settings", "Checking app (2 of 2)"]],
  ])("skep %s shows its steps on a terminal, and nowhere else", async (line, steps) => {
    vi.stubEnv("TERM", "xterm");
    onTestFinished(() => void vi.unstubAllEnvs());
    const storage = await acmeStorage({ web: [], app: [] });
    const kept = join(realFolder(), "backup");
    if (line.includes("BACKUP")) await skepOk(storage, "server", "backup", kept);
    const run = (isTTY: boolean, ...flags: readonly string[]) => {
      const words = line.replace("DIR", join(realFolder(), "backup")).replace("BACKUP", kept).split(" ");
      const at = line.includes("BACKUP") ? join(realFolder(), "restored") : storage;
      return saidBy([...words, "--storage", at, ...flags], isTTY);
    };
    const shown = await run(true);
    const lines = shown.split("\r\u001b[2K");
    const told = lines.map((text) => text.replace(/…$/, "")).filter((text) => steps.includes(text));
    expect(told.slice(0, steps.length)).toEqual(steps);
    // The last line is cleared.
    expect(lines.at(-1)).not.toContain("…");
    for (const other of [await run(false), await run(true, "--json")]) expect(other).not.toContain("…");
  });
});
