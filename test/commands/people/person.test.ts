/** `skep person`. */
import { expect, it } from "vitest";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { skep } from "../../helpers/process.ts";
import { makeHive, realFolder } from "../../helpers/storage.ts";

it("adds, lists, changes, invites, disables and removes a person", async () => {
  const folder = realFolder();
  await makeHive(openLocalStorage(folder), "web");
  const run = (...args: string[]) => skep("person", ...args, "--storage", folder);
  const stored = async () => JSON.parse((await run("list", "--json")).stdout);
  const rights = ["--ability", "read", "--ability", "write", "--hive", "web", "--locale", "fr"];
  const added = await run(
    "add",
    "anna",
    "--team",
    "acme",
    "--name",
    "Anna",
    "--mail",
    "a@example.org",
    ...rights,
  );
  expect(added).toMatchObject({
    code: 0,
    stdout: "Added anna. Invite them: skep person invite anna --public-url https://…\n",
    stderr: expect.stringContaining("leave it out where a setting has it"),
  });
  expect(await stored()).toMatchObject([
    {
      id: "anna",
      team: "acme",
      mail: "a@example.org",
      abilities: ["read", "write"],
      hives: ["web"],
      locales: ["fr"],
    },
  ]);
  await run("edit", "anna", "--all-hives", "--all-locales", "--ability", "read", "--name", "Anna B.");
  await run("disable", "anna");
  expect(await stored()).toMatchObject([
    { name: "Anna B.", abilities: ["read"], hives: "all", locales: null, disabled: true },
  ]);
  await run("enable", "anna");
  const without = await run("invite", "anna");
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("--public-url")]);
  const invited = await run("invite", "anna", "--public-url", "https://skep.example.org/texts/");
  expect(invited.stdout).toMatch(/^https:\/\/skep\.example\.org\/texts\/invitation\?code=anna\./);
  expect((await run("list")).stdout).toContain("invited");
  expect((await run("remove", "anna")).code).toBe(1);
  expect((await run("remove", "anna", "--yes")).code).toBe(0);
  expect(await stored()).toEqual([]);
  expect((await run("edit", "anna", "--name", "X")).stderr).toContain('There is no person "anna"');
});
