/** `skep channel`, whose channels belong to a Hive. */
import { describe, expect, it } from "vitest";
import { realFolder } from "../../helpers/storage.ts";
import { acmeStorage, createToken, serveInProcess, skep, skepOk, skepWithin } from "../../helpers/process.ts";

const places = {
  storage: async () => {
    const storage = await acmeStorage();
    return { run: (...args: readonly string[]) => skep("channel", ...args, "--storage", storage), on: "" };
  },
  server: async () => {
    const storage = await acmeStorage();
    const { url } = await serveInProcess(storage);
    const env = { SKEP_TOKEN: await createToken(storage, ["admin"]), SKEP_SERVER: url };
    const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "channel", ...args);
    return { run, on: ` on ${url}` };
  },
};

describe.each(Object.entries(places))("channels of a Hive on a %s", (kind, open) => {
  it("are created, listed, shown, changed and deleted", async () => {
    const { run, on } = await open();
    const made = await run("create", "web", "production", "--locale", "fr", "--no-public");
    expect(made.stderr).toBe(`Created production${on}. Its files are below\n`);
    expect(made.stdout).toMatch(/^\/p\/[0-9a-f]{24}\/production\/\n$/);
    const again = await run("create", "web", "production", "--json");
    expect([again.code, JSON.parse(again.stdout).error.code]).toEqual([4, "channel_exists"]);
    const { stdout } = await run("list", "web");
    expect(stdout).toMatch(
      /^NAME +BRANCH +AT +COMMIT +LOCALES +SHAPE .* PATH\nproduction +main +[0-9a-f]{40} +fr +nested /,
    );
    await run("edit", "web", "production", "--public", "--locale", "all", "--shape", "flat");
    expect(JSON.parse((await run("show", "web", "production", "--json")).stdout)).toMatchObject({
      name: "production",
      branch: "main",
      locales: null,
      shape: "flat",
      public: true,
    });
    const moved = await run("edit", "web", "production", "--at", "v9", "--json");
    expect([moved.code, JSON.parse(moved.stdout).error.errors]).toEqual([2, { at: [expect.any(String)] }]);
    expect((await run("delete", "web", "production")).stderr).toMatch(
      /^skep: Delete the channel production \(\/p\//,
    );
    expect((await run("delete", "web", "production", "--yes")).stdout).toBe(
      `Deleted the channel production${on}.\n`,
    );
    expect((await run("show", "web", "production")).code).toBe(5);
    const none = await run("list", "nope");
    expect([none.code, none.stderr]).toEqual([
      5,
      expect.stringContaining(kind === "storage" ? 'no Hive "nope"' : "no Hive nope"),
    ]);
  });
});

it("channels are set and removed as they were", async () => {
  const storage = await acmeStorage();
  const run = (...args: readonly string[]) => skepOk(storage, "channel", ...args);
  expect(await run("set", "web", "stable", "--locales", "fr", "--flat", "--private")).toMatch(
    /^\/p\/.*\/stable\/$/,
  );
  expect(JSON.parse(await run("list", "web", "--json"))).toMatchObject([
    { name: "stable", locales: ["fr"], shape: "flat", public: false },
  ]);
  expect(await run("remove", "web", "stable")).toBe("Removed the channel stable of the Hive web.");
});
