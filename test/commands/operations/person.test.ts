/** `skep person`: roles, and the link of one who is invited at once. */
import { expect, it } from "vitest";
import { acmeStorage, skep } from "../../helpers/process.ts";

const publicUrl = ["--public-url", "https://skep.example.org"];

it("makes a person with a role, invites them in the same step, and changes the role", async () => {
  const storage = await acmeStorage();
  const run = (...args: readonly string[]) => skep("person", ...args, "--storage", storage);
  const given = ["--role", "translator", "--locale", "fr"];
  const made = await run("create", "anna", ...given, "--invite", ...publicUrl);
  expect([made.code, made.stdout]).toEqual([
    0,
    expect.stringMatching(/^https:\/\/skep\.example\.org\/invitation\?code=anna\.\S+\n$/),
  ]);
  expect(made.stderr).toMatch(
    /^Created anna\. Whoever has this link can sign in as anna, once, until 2\S+Z\. Send it safely:\n$/,
  );
  const plain = await run("create", "ben", "--name", "Ben");
  expect([plain.stdout, plain.stderr]).toEqual([
    "Created ben. They sign in once they have used an invitation: skep person invite ben\n",
    "",
  ]);
  const json = JSON.parse((await run("create", "cem", "--invite", ...publicUrl, "--json")).stdout);
  expect(json).toMatchObject({ id: "cem", name: "cem", role: "reader", invitation: { role: "reader" } });
  expect((await run("edit", "anna", "--role", "reviewer")).code).toBe(0);
  expect((await run("show", "anna")).stdout).toMatch(/role +reviewer\nabilities +read, write, approve\n/);
  expect((await run("list")).stdout).toMatch(/^TEAM +ID +ROLE +ABILITIES /);
  const both = await run("create", "dan", "--role", "lead", "--ability", "read");
  expect([both.code, both.stderr]).toEqual([2, expect.stringMatching(/^skep: --role: must not be given/)]);
  const alone = await run("create", "dan", "--invite");
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/^skep: --invite: .*--public-url/)]);
});
