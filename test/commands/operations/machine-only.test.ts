/** Commands that work on the machine of a server alone. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { commands } from "../../../src/commands/table.ts";
import { acmeStorage, createToken, serveInProcess, skep, skepOk, skepWithin } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const server = "https://skep.example.org";
const machine = ["server", "database", "team"];

/** A command with something for each of its arguments. */
function lineOf(words: readonly string[], command: CommandUnknownOpts | undefined): readonly string[] {
  const given = command?.registeredArguments.filter(({ required }) => required).map(() => "acme");
  return [...words, ...(given ?? [])];
}

const all: (readonly string[])[] = [["serve"]];
for (const name of machine) {
  const group = await commands.find((one) => one.name === name)?.load();
  for (const inner of group?.commands ?? [])
    if (inner.name() !== "show") all.push(lineOf([name, inner.name()], inner));
}

async function emptyFolder(): Promise<string> {
  const folder = realFolder();
  mkdirSync(folder, { recursive: true });
  return folder;
}

describe.each(all)("skep %s %s", (...line) => {
  const name = line.slice(0, machine.includes(line[0] ?? "") ? 2 : 1).join(" ");
  const message = `skep ${name} works on the machine of the server alone, not at ${server}: run it there, or name a storage of this machine with --storage or --database.`;

  it("does not work at a server, and says where it does", async () => {
    const folder = await emptyFolder();
    const { code, stdout, stderr } = await skepWithin(folder, {}, ...line, "--server", server);
    expect([code, stdout, stderr]).toEqual([2, "", `skep: ${message}\n`]);
    if (name === "serve" || name === "server run" || name === "team update") return;
    const { stdout: json } = await skepWithin(folder, {}, ...line, "--server", server, "--json");
    expect(JSON.parse(json)).toEqual({ error: { code: "machine_only", exit: 2, server, message } });
  });

  it("says the same where there is a server alone", async () => {
    // They start something here, and look for nothing.
    if (["serve", "server run", "server settings"].includes(name)) return;
    const env = { SKEP_SERVER: server };
    const refused = { code: 2, stderr: `skep: ${message}\n` };
    expect(await skepWithin(await emptyFolder(), env, ...line)).toMatchObject(refused);
    const storage = join(await emptyFolder(), "missing");
    for (const [flags, variables] of [
      [["--storage", storage], {}],
      [[], { SKEP_STORAGE: storage }],
    ] as const) {
      const { stderr } = await skepWithin(await emptyFolder(), { ...env, ...variables }, ...line, ...flags);
      expect(stderr).not.toContain("works on the machine");
    }
  });
});

it("a storage in the usual place is worked on, even beside SKEP_SERVER", async () => {
  const folder = await emptyFolder();
  await skepOk(join(folder, "storage"), "team", "create", "acme");
  const ended = await skepWithin(folder, { SKEP_SERVER: server }, "server", "verify");
  expect(ended).toMatchObject({ code: 0, stderr: "No problems found.\n" });
});

describe("skep team", () => {
  it("changes a team by edit and by update", async () => {
    const storage = await acmeStorage({});
    const edit = (...args: readonly string[]) => skepOk(storage, "team", ...args);
    expect(await edit("edit", "acme", "--max-strings", "5", "--mail-on-commits")).toBe(
      "The team acme may hold 5 source strings.\nNew commits of the team acme carry mail addresses.",
    );
    const left = "New commits of the team acme carry no mail addresses.";
    expect(await edit("edit", "acme", "--no-mail-on-commits")).toBe(left);
    expect(await edit("update", "acme", "--mail-on-commits", "no")).toBe(left);
    expect(JSON.parse(await edit("edit", "acme", "--max-strings", "none", "--json"))).toEqual({
      name: "acme",
      string_count: 0,
      max_strings: null,
      strings_left: null,
    });
    expect(JSON.parse(await edit("create", "b", "--max-strings", "3", "--json"))).toMatchObject({
      name: "b",
      strings_left: 3,
    });
  });

  it("shows a team, here and at a server", async () => {
    const storage = await acmeStorage();
    const token = await createToken(storage);
    const env = { SKEP_TOKEN: token };
    const { url } = await serveInProcess(storage);
    const at = (...args: readonly string[]) => skepWithin("/", env, "team", "show", ...args);
    const here = await skepOk(storage, "team", "show", "--json");
    expect((await at("--server", url, "--json")).stdout.trimEnd()).toBe(here);
    expect(await at("acme", "--server", url)).toEqual({
      code: 0,
      stdout: "name         acme\nmax strings  none\n",
      stderr: "",
    });
    expect(await at("other", "--server", url)).toMatchObject({ code: 5 });
    await skepOk(storage, "team", "create", "b");
    expect(await skep("team", "show", "--storage", storage)).toMatchObject({
      code: 2,
      stderr: "skep: There are several teams (acme, b): name one.\n",
    });
    expect(await skepOk(storage, "team", "show", "b")).toMatch(/^name +b\n/);
    expect(await skep("team", "show", "nope", "--storage", storage)).toMatchObject({ code: 1 });
  });
});

it("prints results of upkeep as JSON", async () => {
  const [storage, dir] = [await acmeStorage(), join(await emptyFolder(), "backup")];
  const run = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse(await skepOk(storage, "server", ...args, "--json"));
  expect(await run("verify")).toEqual([]);
  expect(await run("maintain")).toMatchObject({ purged: 0, hives: [{ hive: "web", result: "packed" }] });
  expect(await run("backup", dir)).toMatchObject({ dir, teams: 1, hives: 1, damaged: 0, problems: [] });
  const to = `${storage}-again`;
  expect(JSON.parse((await skep("server", "restore", dir, "--storage", to, "--json")).stdout)).toMatchObject({
    restored: true,
    to,
    hives: 1,
    problems: [],
  });
});
