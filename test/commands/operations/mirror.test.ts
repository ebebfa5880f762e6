/** `skep mirror`: by ids, at a server and on a storage, and in its earlier forms. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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

/** An empty repository that takes pushes. */
async function remote(): Promise<string> {
  const folder = join(realFolder(), "remote.git");
  mkdirSync(folder, { recursive: true });
  await git(folder, "init", "--bare", "--quiet");
  return folder;
}

it("the owner of a storage mirrors to any address, by ids", async () => {
  const storage = await acmeStorage();
  const url = await remote();
  const run = (...args: readonly string[]) => skep("mirror", ...args, "--storage", storage);
  const made = await run("create", "web", url, "--branches", "--json");
  const { id, ...shown } = JSON.parse(made.stdout);
  expect(shown).toMatchObject({ hive: "web", url, branches: true, state: "waiting" });
  expect((await run("list")).stdout).toMatch(
    /^TEAM +ID +HIVE +URL +BRANCHES +STATE +PUSHED +RETRY +ERROR\nacme /,
  );
  expect((await run("push", id)).stdout).toBe("It was pushed to.\n");
  expect(JSON.parse((await run("show", id, "--json")).stdout)).toMatchObject({ state: "pushed" });
  expect((await run("edit", id, "--no-branches")).stdout).toBe(`Changed the mirror ${id}.\n`);
  await run("edit", id, "--url", join(url, "none.git"));
  const [{ id: moved }] = JSON.parse((await run("list", "--json")).stdout);
  expect(moved).not.toBe(id);
  const failed = await run("push", moved);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/^It was not pushed to: ./)]);
  expect((await run("delete", moved, "--yes")).stdout).toBe(`Deleted the mirror ${moved}.\n`);
  expect(await run("show", moved)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("no such mirror"),
  });
});

it("a token mirrors only where the operator allows it", async () => {
  const storage = await acmeStorage();
  const server = await serveInProcess(storage);
  const env = { SKEP_TOKEN: await createToken(storage, ["admin"]), SKEP_SERVER: server.url };
  const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "mirror", ...args);
  const refused = await run("create", "web", "https://git.example.org/web.git");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^skep: <url>: is refused: /)]);
  await skepOk(storage, "mirror", "create", "web", "https://git.example.org/web.git");
  expect((await run("list")).stdout).toContain("https://git.example.org/web.git");
});

it("mirrors are added, pushed to and removed by Hive and address, as they were", async () => {
  const storage = await acmeStorage();
  const url = await remote();
  const run = (...args: readonly string[]) => skepOk(storage, "mirror", ...args);
  expect(await run("add", "web", url)).toBe("Added a mirror to the Hive web.");
  expect(await run("push", "web")).toBe(`${url}: pushed`);
  expect(await run("remove", "web", url)).toBe("Removed 1 mirror of the Hive web.");
});
