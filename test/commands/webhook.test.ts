import { expect, it } from "vitest";
import { acmeStorage, french, skep, skepOk } from "../helpers/process.ts";

const url = "https://ci.example.org/hook";

it("skep webhook takes a Hive or a team by name, asks which is meant, and shows secrets once", async () => {
  const storage = await acmeStorage({ web: french, acme: french });
  const run = (...args: readonly string[]) => skep("webhook", ...args, "--storage", storage);
  const secret = await skepOk(storage, "webhook", "add", "web", url);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const asked = await run("add", "acme", url);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toContain("acme is a Hive and a team; add --hive or --team.");
  await skepOk(storage, "webhook", "add", "acme", url, "--team");
  await skepOk(storage, "webhook", "add", "acme", url, "--hive");
  expect((await run("add", "acme", url, "--hive")).stderr).toContain("This webhook exists already.");
  expect((await run("add", "none", url)).stderr).toContain('No Hive and no team is called "none".');
  expect((await run("add", "web", "ftp://example.org")).stderr).toContain("url: must be an https URL");

  const listed = JSON.parse(await skepOk(storage, "webhook", "list", "--json"));
  const rows: readonly (readonly [string, string | null])[] = listed.map(
    ({ team, hive }: { readonly team: string; readonly hive: string | null }) => [team, hive],
  );
  expect(rows).toEqual([
    ["acme", "web"],
    ["acme", null],
    ["acme", "acme"],
  ]);
  expect(JSON.stringify(listed)).not.toContain("whsec_");
  const { id } = listed[0];
  expect(await skepOk(storage, "webhook", "rotate", id)).not.toBe(secret);
  expect(await skepOk(storage, "webhook", "remove", id)).toBe(`Removed the webhook ${id}.`);
  for (const verb of ["remove", "rotate", "test"]) {
    expect((await run(verb, id)).stderr).toContain(`There is no webhook "${id}".`);
  }
});
