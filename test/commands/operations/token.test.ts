/** `skep token`: what its flags say, at a server and on a storage. */
import { expect, it } from "vitest";
import { bodyOf } from "../../../src/commands/operations/members.ts";
import { commandsOf } from "../../../src/api/command-table.ts";
import { tokens } from "../../../src/api/tokens.ts";
import { realFolder } from "../../helpers/storage.ts";
import { acmeStorage, createToken, serveInProcess, skep, skepOk, skepWithin } from "../../helpers/process.ts";

it.each<[string, Readonly<Record<string, unknown>>, object]>([
  ["nothing", {}, {}],
  ["lists", { ability: ["read", "write"], hive: ["web"] }, { abilities: ["read", "write"], hives: ["web"] }],
  ["all of a list", { hive: ["all"], locale: ["all"] }, { hives: "all", locales: null }],
  ["nothing of what may be missing", { name: "none", checks: "none" }, { name: null, checks: null }],
  ["a span of time", { expires: "90d" }, { expires: "2026-04-01T00:00:00.000Z" }],
  ["no time", { expires: "never" }, { expires: null }],
  ["a time", { expires: "2030-01-31T00:00:00Z" }, { expires: "2030-01-31T00:00:00Z" }],
])("flags are members of the request: %s", (_, flags, body) => {
  const create = commandsOf(tokens).commands.find(({ verb }) => verb === "create");
  if (create === undefined) throw new Error("there is no command");
  expect(bodyOf(create, [], (name) => flags[name], Date.parse("2026-01-01"))).toEqual(body);
});

it("the owner of a storage makes tokens for anything, which are shown once and revoked", async () => {
  const storage = await acmeStorage();
  const run = (...args: readonly string[]) => skep("token", ...args, "--storage", storage);
  const made = await run(
    "create",
    "--name",
    "CI",
    "--ability",
    "read,write",
    "--hive",
    "web",
    "--expires",
    "1d",
  );
  const [, id = ""] = /^skep_([0-9a-z]+)_/.exec(made.stdout) ?? [];
  expect(made.stderr).toBe(`Created the token ${id}. It is not shown again:\n`);
  expect((await run("show", id)).stdout).toContain("abilities  read, write\nhives      web\n");
  const { stdout } = await run("list");
  expect(stdout).toMatch(/^TEAM +ID +ABILITIES +HIVES +LOCALES .* NAME\nacme +\w+ +read, write +web +all /);
  expect(JSON.parse((await run("list", "--json")).stdout)).toMatchObject([
    { team: "acme", id, expired: false },
  ]);
  expect((await run("delete", id)).stderr).toBe(`skep: Delete the token ${id} (CI)? Add --yes to do it.\n`);
  expect((await run("delete", id, "--yes")).stdout).toBe(`Revoked the token ${id}.\n`);
  expect((await run("revoke", id)).stderr).toBe(`skep: There is no token "${id}".\n`);
  expect(
    await skepOk(storage, "token", "revoke", (await createToken(storage)).split("_")[1] ?? ""),
  ).toContain("Revoked");
});

it("a token makes others that may do no more than it", async () => {
  const storage = await acmeStorage();
  const server = await serveInProcess(storage);
  const env = { SKEP_TOKEN: await createToken(storage, ["admin"], "--hive", "web"), SKEP_SERVER: server.url };
  const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "token", ...args);
  const wrong = await run("create", "--hive", "all", "--ability", "own");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("must be of read, write")]);
  // A word for no ability must not look like one for every ability.
  const all = await run("create", "--ability", "all");
  expect([all.code, all.stderr]).toEqual([
    2,
    expect.stringContaining("must be of read, write, approve, admin, none"),
  ]);
  const endless = await run("create", "--ability", "read", "--expires", "never");
  expect([endless.code, endless.stdout]).toEqual([0, expect.stringMatching(/^skep_/)]);
  const late = await run("create", "--expires", "soon");
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining("such as 90d")]);
  expect((await run("create", "--locale", "fr,??")).stderr).toMatch(/^skep: --locale: /);
  expect((await run("create", "--hive", "all")).stderr).toMatch(/^skep: --hive: /);
  expect((await run("create")).stdout).toMatch(/^skep_/);
  expect(JSON.parse((await run("list", "--json")).stdout)).toHaveLength(3);
});
