/** The commands of an operation: on a storage, and at a server. */
import { describe, expect, it } from "vitest";
import { realFolder } from "../../helpers/storage.ts";
import {
  acmeStorage,
  createToken,
  french,
  serveInProcess,
  skep,
  skepOk,
  skepWithin,
} from "../../helpers/process.ts";

const url = "https://ci.example.org/hook";

/** A storage, and how a command works on it: as its owner, or at its server. */
const places = {
  storage: async () => {
    const storage = await acmeStorage();
    const run = (...args: readonly string[]) => skep("webhook", ...args, "--storage", storage);
    return { storage, run, on: "" };
  },
  server: async () => {
    const storage = await acmeStorage();
    const server = await serveInProcess(storage);
    const env = { SKEP_TOKEN: await createToken(storage, ["admin"]), SKEP_SERVER: server.url };
    const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "webhook", ...args);
    return { storage, run, on: ` on ${server.url}` };
  },
};

describe.each(Object.entries(places))("webhooks of a %s", (kind, open) => {
  it("are created, listed, shown, changed, tested and deleted, and secrets are shown once", async () => {
    const { run, on } = await open();
    const made = await run("create", url, "--hive", "web");
    expect(made.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    const [, id = ""] = /Created the webhook (\w+)/.exec(made.stderr) ?? [];
    expect(made.stderr).toBe(`Created the webhook ${id}${on}. Its secret is not shown again:\n`);

    const { stdout } = await run("list", "--json");
    const listed = JSON.parse(stdout);
    expect(listed).toMatchObject([{ id, url, hive: "web", state: "received", pending: 0 }]);
    expect(stdout).not.toContain("whsec_");
    const team = kind === "storage" ? /^TEAM +/ : /^/;
    const table = (await run("list")).stdout;
    expect(table).toMatch(
      new RegExp(`${team.source}ID +HIVE +URL +STATE +PENDING +RECEIVED +RETRY +ERROR\n`),
    );
    expect(table).toContain(`${id}  web   ${url}  received\n`);

    expect((await run("edit", id, "--hive", "all")).stdout).toBe(`Changed the webhook ${id}${on}.\n`);
    expect((await run("show", id)).stdout).toMatch(
      new RegExp(`^id +${id}\nurl +${url}\nhive +all\ncomments +yes\nadded +2`),
    );
    expect(JSON.parse((await run("show", id, "--json")).stdout)).toMatchObject({ id, hive: null });
    expect((await run("rotate", id)).stdout).toMatch(/^whsec_/);
    expect((await run("resend", id)).stdout).toBe("What it has not received is sent again.\n");
    await run("edit", id, "--url", "https://receiver.invalid/");
    const tested = await run("test", id);
    expect([tested.code, tested.stdout]).toEqual([1, expect.stringMatching(/^It was not received: ./)]);

    const asked = await run("delete", id);
    expect([asked.code, asked.stderr]).toEqual([
      2,
      `skep: Delete the webhook ${id} (https://receiver.invalid/)${on}? Add --yes to do it.\n`,
    ]);
    expect((await run("delete", id, "--yes")).stdout).toBe(`Deleted the webhook ${id}${on}.\n`);
    const none = await run("list");
    expect([none.stdout, none.stderr]).toEqual(["", "There is no webhook; skep webhook create makes one.\n"]);
    expect((await run("list", "--json")).stdout).toBe("[]\n");
  });

  it("are refused with the flag and the argument at fault, and with an error as JSON", async () => {
    const { run, storage } = await open();
    const wrong = await run("create", url, "--hive", "none");
    expect([wrong.code, wrong.stderr]).toEqual([2, "skep: --hive: must be a Hive of the team\n"]);
    expect((await run("create", "ftp://example.org")).stderr).toBe("skep: <url>: must be an https URL\n");
    await run("create", url);
    const again = await run("create", url, "--json");
    expect(again.code).toBe(4);
    expect(JSON.parse(again.stdout)).toEqual({
      error: {
        code: "conflict",
        message: "This webhook exists already.",
        exit: 4,
        status: 409,
        ...(kind === "storage" ? { storage } : { server: expect.stringMatching(/^http:/) }),
      },
    });
    for (const verb of ["show", "delete", "rotate", "test", "resend", "remove"]) {
      const { code, stderr } = await run(verb, "zzz");
      expect([verb, code, stderr]).toEqual([verb, 5, 'skep: There is no webhook "zzz".\n']);
    }
    const unknown = await run("delete", "zzz", "--json");
    expect(JSON.parse(unknown.stdout).error).toMatchObject({ code: "not_found", status: 404, exit: 5 });
  });
});

it("a storage with several teams asks which is meant, unless what is named says it", async () => {
  const storage = await acmeStorage();
  await skepOk(storage, "team", "create", "zeta");
  const run = (...args: readonly string[]) => skep("webhook", ...args, "--storage", storage);
  const asked = await run("create", url, "--json");
  expect([asked.code, JSON.parse(asked.stdout).error.code]).toEqual([2, "team_needed"]);
  expect(asked.stderr).toBe("skep: There are several teams (acme, zeta): name one with --team.\n");
  await run("create", url, "--hive", "web");
  await run("create", url, "--team", "zeta");
  const teams = async (...args: readonly string[]) =>
    JSON.parse((await run("list", "--json", ...args)).stdout).map(
      (row: { readonly team?: string; readonly hive: string | null }) => [row.team, row.hive],
    );
  expect(await teams()).toEqual([
    ["acme", "web"],
    ["zeta", null],
  ]);
  expect(await teams("--team", "zeta")).toEqual([[undefined, null]]);
  const { by } = JSON.parse(await skepOk(storage, "audit", "--json"))[0];
  expect(by).toMatchObject({ command: "webhook create", token: null });
});

it("a token of another team than the one that is named is refused", async () => {
  const { run } = await places.server();
  const refused = await run("list", "--team", "zeta", "--json");
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([5, "other_team"]);
  expect((await run("list", "--team", "acme")).code).toBe(0);
});

it("skep webhook add takes a Hive or a team by name, as it did, and asks which is meant", async () => {
  const storage = await acmeStorage({ web: french, acme: french });
  const run = (...args: readonly string[]) => skep("webhook", ...args, "--storage", storage);
  expect(await skepOk(storage, "webhook", "add", "web", url)).toMatch(/^whsec_/);
  expect((await run("add", "acme", url)).stderr).toContain(
    "acme is a Hive and a team; add --hive or --team.",
  );
  await skepOk(storage, "webhook", "add", "acme", url, "--team");
  await skepOk(storage, "webhook", "add", "acme", url, "--hive");
  expect((await run("add", "acme", url, "--hive")).stderr).toContain("This webhook exists already.");
  expect((await run("add", "none", url)).stderr).toContain('No Hive and no team is called "none".');
  const listed = JSON.parse(await skepOk(storage, "webhook", "list", "--json"));
  const about = listed.map(({ team, hive }: { team: string; hive: string | null }) => [team, hive]);
  expect(about).toEqual([
    ["acme", "web"],
    ["acme", null],
    ["acme", "acme"],
  ]);
  expect(await skepOk(storage, "webhook", "remove", listed[0].id)).toContain("Deleted the webhook");
});
