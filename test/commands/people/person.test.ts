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
  const who = ["--team", "acme", "--name", "Anna", "--mail", "a@example.org"];
  const made = await run("create", "anna", ...who, ...rights);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Created anna\. .* skep person invite anna\n$/),
  });
  expect((await run("add", "anna", ...who, ...rights)).stderr).toContain("person");
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
  expect((await run("show", "anna")).stdout).toMatch(/^locales +fr$/m);
  await run("edit", "anna", "--hive", "all", "--mail", "none");
  expect(await stored()).toMatchObject([{ hives: "all", locales: ["fr"], mail: null }]);
  await run("edit", "anna", "--all-hives", "--all-locales", "--ability", "read", "--name", "Anna B.");
  await run("disable", "anna");
  expect(await stored()).toMatchObject([
    { name: "Anna B.", abilities: ["read"], hives: "all", locales: null, disabled: true },
  ]);
  await run("enable", "anna");
  const without = await run("invite", "anna");
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("--public-url")]);
  const invited = await run("invite", "anna", "--public-url", "https://skep.example.org/texts/");
  expect(invited.stdout).toMatch(/^https:\/\/skep\.example\.org\/texts\/invitation\?code=anna\./);
  expect(invited.stderr).toMatch(
    /^Whoever has this link can sign in as anna, once, until 2\S+\. Send it safely:\n$/,
  );
  expect((await run("list", "--json")).stdout).toMatch(/"invited_until": "2/);
  expect(await run("remove", "anna")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("(Anna B.)? Add --yes"),
  });
  expect((await run("remove", "anna", "--yes")).code).toBe(0);
  expect(await stored()).toEqual([]);
  expect((await run("edit", "anna", "--name", "X")).stderr).toContain("There is no such person");
  expect((await run("show", "ben")).stderr).toBe('skep: There is no person "ben".\n');
});
