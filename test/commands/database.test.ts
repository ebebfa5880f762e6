/** Commands on a database: each works on a new copy, which has nothing of a Hive before. */
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { isMissing } from "../helpers/postgres/cluster.ts";
import { testDatabase } from "../helpers/postgres/records.ts";
import { git, skep } from "../helpers/process.ts";
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
