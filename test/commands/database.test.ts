/** Commands on a database: each works on a new copy, which has nothing of a Hive before. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { endCommand } from "../../src/commands/program/output.ts";
import { namesOf, type WantedNames } from "../../src/commands/operations/names.ts";
import { eventually } from "../helpers/eventually.ts";
import { cluster, isMissing } from "../helpers/postgres/cluster.ts";
import { testDatabase } from "../helpers/postgres/records.ts";
import { git, skep, skepWithin } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

/** The names of all commands that take a Hive and may work on a database. */
async function commandsOnHives(): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = (command: CommandUnknownOpts, name: string): void => {
    const isOnDatabase = command.options.some(({ long }) => long === "--database");
    if (isOnDatabase && /^(slug|hive)$/.test(command.registeredArguments[0]?.name() ?? "")) found.push(name);
    for (const inner of command.commands) visit(inner, `${name} ${inner.name()}`);
  };
  for (const { name, load } of commands) visit(await load(), name);
  return found;
}

describe.skipIf(isMissing())("a command about a Hive", () => {
  it("finds the Hive in a database", async () => {
    const { url } = await testDatabase();
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await skep(...args, "--database", url);
      expect({ args, code, stderr }).toMatchObject({ args, code: 0 });
      return stdout;
    };
    await run("team", "create", "acme");
    await run("hive", "create", "web", "--team", "acme");
    await run("locale", "add", "web", "de");
    const mirror = realFolder();
    await git(mirror, "init", "--quiet", "--bare");
    const [{ commit }] = JSON.parse(await run("log", "web", "--json"));
    const others = [
      "locale add web fr",
      "locale set web fr=fr_FR",
      "locale create web it",
      "locale list web",
      "locale edit web it --custom-code it_IT",
      "locale delete web it --yes",
      "show web HEAD",
      "channel set web live",
      "channel list web",
      "channel remove web live",
      "channel create web next",
      "channel show web next",
      "channel edit web next --no-public",
      "channel delete web next --yes",
      "locale remove web fr --yes",
      "hive show web",
      "hive edit web --name Web",
      "hive update web --name Web",
      `mirror add web ${mirror}`,
      "mirror remove web",
      `mirror create web ${mirror}`,
      "comment list web --open",
      "server verify web",
      "server maintain web",
      "hive delete web --yes",
    ];
    const named = (line: string): string => line.slice(0, line.indexOf(" web"));
    // Those that need strings, or were run above.
    const commented = ["comment create", "comment edit", "comment delete"];
    const rest = [...commented, "file delete", "file remove", "hive create", "log", "undo"];
    expect([...others.map(named), ...rest].toSorted()).toEqual((await commandsOnHives()).toSorted());
    for (const line of others) await run(...line.split(" "));
    await run("hive", "restore", "web");
    // The glossary is that of a Hive of which the copy has nothing either.
    await run("hive", "create", "app", "--glossary", "web");
    await run("hive", "edit", "app", "--glossary", "web", "--name", "App");
    // Without strings there is nothing to undo, which only a command that found the Hive can say.
    const undone = await skep("undo", "web", commit, "--database", url);
    expect(undone).toMatchObject({ code: 2, stderr: expect.stringContaining("changed only settings") });
  });
});

describe.skipIf(isMissing())("completion", () => {
  const at = (url: string, hive?: string) => ({ storage: { database: url }, hive });
  const options = { now: 0, limitMs: 60_000 };

  it("knows the names in a database, and leaves no copy", async () => {
    const { url } = await testDatabase();
    const run = (...args: readonly string[]) => skep(...args, "--database", url);
    await run("team", "create", "acme");
    await run("hive", "create", "web", "--team", "acme", "--locale", "fr", "--locale", "pt-BR=pt_BR");
    await run("channel", "create", "web", "stable");
    const folder = emptyFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const known = { ...options, folder, environment: { XDG_CACHE_HOME: join(folder, "cache") } };
    const names = async (kind: WantedNames["kind"], noun: string) => {
      const found = await namesOf({ kind, noun }, at(url, "web"), known);
      await endCommand(process);
      return found;
    };
    expect(await names("hives", "hive")).toEqual([["web", "acme"]]);
    expect(await names("locales", "locale")).toEqual([
      ["fr", ""],
      ["pt_BR", ""],
    ]);
    expect(await names("branches", "push")).toEqual([]);
    expect(await names("channels", "channel")).toEqual([["stable", ""]]);
    // By a variable, and by a flag before a variable. It may come too late on a busy machine, and is asked again then.
    const env = { TMPDIR: folder, XDG_CACHE_HOME: join(folder, "typed"), SKEP_STORAGE: "/nowhere" };
    const typed = (line: string, more: object) => skepWithin(folder, { ...env, ...more }, ...line.split(" "));
    await eventually(async () => {
      const { stdout } = await typed("__complete hive delete w", { SKEP_DATABASE: url });
      expect(stdout).toBe("web\tacme\n");
    });
    await eventually(async () => {
      const { stdout } = await typed(`__complete hive delete --database ${url} w`, {});
      expect(stdout).toBe("web\tacme\n");
    });
    const { stdout: elsewhere } = await typed("__complete hive delete --storage /nowhere w", {
      SKEP_DATABASE: url,
    });
    expect(elsewhere).toBe("");
    await eventually(() => {
      expect(readdirSync(folder).filter((name) => name.startsWith("skep-copy-"))).toEqual([]);
    });
  });

  it("leaves a database that holds no storage as it is", async () => {
    const server = await cluster();
    const empty = await server.database();
    const storage = at(server.url(empty));
    const folder = emptyFolder();
    const environment = { XDG_CACHE_HOME: join(folder, "cache") };
    const known = { ...options, environment, folder };
    expect(await namesOf({ kind: "hives", noun: "hive" }, storage, known)).toEqual([]);
    await endCommand(process);
    const tables = "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'";
    expect(await server.sql(tables, empty)).toEqual([{ n: 0 }]);
  });
});

function emptyFolder(): string {
  const folder = realFolder();
  mkdirSync(folder, { recursive: true });
  return folder;
}

describe.skipIf(isMissing())("a command", () => {
  it("works on the folder of its flag, also where the environment names a database", async () => {
    const { url } = await testDatabase();
    const folder = join(realFolder(), "storage");
    vi.stubEnv("SKEP_DATABASE", url);
    onTestFinished(() => void vi.unstubAllEnvs());
    await skep("team", "create", "there");
    await skep("team", "create", "here", "--storage", folder);
    const teams = async (...flags: readonly string[]): Promise<unknown> => {
      const { stdout } = await skep("team", "list", "--json", ...flags);
      return JSON.parse(stdout).map(({ name }: { readonly name: string }) => name);
    };
    expect(await teams()).toEqual(["there"]);
    expect(await teams("--storage", folder)).toEqual(["here"]);
    expect(await skep("team", "list", "--storage", folder, "--database", url)).toEqual({
      code: 2,
      stdout: "",
      stderr: "skep: --storage and --database name two storages: give one of them\n",
    });
    const moved = await skep("record", "import", "--storage", folder);
    expect(moved.stderr).toMatch(/The database is not empty/);
  });

  it.each([
    ["team", "create", "acme"],
    ["team", "list"],
    ["serve", "--port", "0"],
    ["restore", "/backup"],
  ])("refuses the copy of a database as a storage: %s %s %s", async (...args) => {
    const { folder } = (await (await testDatabase()).prepare()).options;
    const { code, stderr } = await skep(...args, "--storage", folder);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is the copy of a database: use --database; /)]);
  });
});
