/** The command line as a person uses it. */
import nodeFs, { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/service/storage.ts";
import { fetchDescribed } from "../helpers/http/described.ts";
import { runSkep, skep, skepIn, skepOk, startServer } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

describe("the help", () => {
  it("exists for every command, with every argument and flag explained", async () => {
    const { code, stdout } = await runSkep("--help");
    expect(code).toBe(0);
    expect(stdout).toContain("skep team create acme");
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) [[<a-z]*/gm)].map(([, name]) => name ?? "");
    expect(commands).toEqual(
      expect.arrayContaining([
        "serve",
        "team",
        "hive",
        "locale",
        "file",
        "token",
        "log",
        "show",
        "undo",
        "mirror",
        "server",
        "database",
      ]),
    );
    for (const [command, inner] of [
      ["serve", [""]],
      ["undo", [""]],
      ["server", ["run", "backup", "restore", "verify", "maintain", "settings"]],
      ["database", ["import", "export", "renew"]],
      ["log", [""]],
      ["show", [""]],
      ["team", ["create", "edit", "show", "list"]],
      ["hive", ["create", "list", "show", "edit", "delete", "restore"]],
      ["locale", ["create", "list", "edit", "delete"]],
      ["file", ["delete"]],
      ["token", ["create", "list", "show", "delete"]],
      ["mirror", ["create", "list", "show", "edit", "push", "delete"]],
    ] as const) {
      for (const name of inner) {
        const help = await skep(command, ...(name === "" ? [] : [name]), "--help");
        expect(help.code).toBe(0);
        expect(help.stdout).toContain("--storage <dir>");
        expect(help.stdout).toContain("SKEP_STORAGE");
      }
    }
  });

  it("skep --version prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await skep("--version")).stdout.trim()).toBe(version);
  });

  it("is replaced by one line where Node.js is too old, and completion by nothing", async () => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(older)}` };
    expect(await skepIn(env, "serve")).toEqual({
      code: 1,
      stdout: "",
      stderr: "skep: Node.js 20.19 or later is needed, and this is 18.20.8\n",
    });
    // Whoever presses Tab sees nothing.
    expect(await skepIn(env, "__complete", "1", "skep")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a wrong command line", () => {
  it.each<[number, string[], string]>([
    [2, ["nope"], "unknown command 'nope'"],
    [2, ["team", "create"], "missing required argument 'team'"],
    [2, ["team", "create", "acme", "--max-string", "1"], "Did you mean --max-strings?"],
    [2, ["team", "create", "acme", "--max-strings", "-1"], "whole number"],
    [2, ["team", "update", "acme"], "--max-strings"],
    [2, ["hive", "create", "web"], "There is no team yet: skep team create makes one."],
    [2, ["serve", "--port", "70000"], "at most 65535"],
    [2, ["serve", "--pack-after", "many"], "whole number"],
    [1, ["maintain", "nope"], 'no Hive "nope"'],
    [2, ["token", "create", "--team", "acme", "--ability", "root"], "read, write, approve, admin"],
    [2, ["token", "create", "--team", "acme", "--expires", "1y"], "such as 90d"],
    [1, ["team", "create", "Acme"], "team: must be 1 to 64"],
    [1, ["team", "update", "nope", "--max-strings", "1"], 'no team "nope"'],
    [5, ["hive", "create", "web", "--team", "nope"], "skep team create nope"],
    [5, ["hive", "restore", "nope"], 'no deleted Hive "nope"'],
    [5, ["hive", "delete", "nope", "--yes"], 'no Hive "nope"'],
    [1, ["locale", "add", "nope", "fr"], 'no Hive "nope"'],
    [1, ["locale", "add", "nope", "x_y"], "not a BCP 47 language code"],
    [5, ["token", "create", "--team", "acme", "--hive", "nope"], 'no team "acme"'],
    [5, ["undo", "nope", "0123456"], 'no Hive "nope"'],
    [2, ["undo", "web"], "missing required argument 'commit'"],
    [2, ["undo", "web", "0123456", "--origin", "model", "--since", "v1"], "--origin and --since instead"],
    [2, ["undo", "web", "--origin", "model"], "--origin and --since instead"],
    [5, ["undo", "nope", "--origin", "model", "--since", "v1"], 'no Hive "nope"'],
    [5, ["token", "delete", "nope"], 'no token "nope"'],
    [1, ["serve", "--host", "256.1.1.1"], "256.1.1.1"],
  ])("exits with %i and one clear line: skep %j", async (code, args, message) => {
    const storage = realFolder();
    await openStorage({ folder: storage, disk: nodeFs }).registry.version.create();
    // A server that may start gets a process of its own, and one other shows that the process ends alike.
    const run = args.includes("--host") || args[0] === "nope" ? runSkep : skep;
    const ended = await run(...args, "--storage", storage);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toMatch(/^skep: [^\n]+\n$/);
    expect(ended.stderr).toContain(message);
  });

  it("the help is shown if a command is missing, which is no error behind a noun", async () => {
    expect(await skep()).toMatchObject({ code: 2, stderr: expect.stringContaining("Usage: skep") });
    for (const noun of ["team", "hive", "server"])
      expect(await skep(noun)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Usage: skep ${noun}`),
      });
  });
});

describe("teams, Hives, locales, files and tokens", () => {
  it("the command line makes, lists, changes and removes teams, Hives, locales, files and tokens", async () => {
    const storage = realFolder();
    const run = (...args: string[]) => skepOk(storage, ...args);
    await run("team", "create", "acme", "--max-strings", "100");
    expect((await skep("team", "create", "acme", "--storage", storage)).stderr).toContain("already");
    await run(
      "hive",
      "create",
      "web",
      "--team",
      "acme",
      "--name",
      "Web shop",
      "--source-locale",
      "en=en_US",
      "--locale",
      "fr",
    );
    await run("locale", "create", "web", "pt-BR", "--custom-code", "pt_BR");
    await run("locale", "edit", "web", "fr", "--custom-code", "fr_FR");
    expect(await run("hive", "edit", "web", "--max-deletions", "5", "--plurals", "nested")).toBe(
      "Changed the Hive web.",
    );
    expect(JSON.parse(await run("hive", "list", "--json"))).toEqual([
      {
        slug: "web",
        team: "acme",
        name: "Web shop",
        source_locale: "en_US",
        locales: ["fr_FR", "pt_BR"],
        string_count: 0,
        empty_source: 0,
      },
    ]);
    expect(await run("hive", "list")).toMatch(/^TEAM +SLUG .*\nacme +web .* en_US .*fr_FR, pt_BR/);
    expect(JSON.parse(await run("hive", "show", "web", "--json"))).toMatchObject({
      max_deletions: 5,
      plurals: "nested",
      push: "branches",
    });

    const token = await run(
      "token",
      "create",
      "--team",
      "acme",
      "--name",
      "CI",
      "--ability",
      "write",
      "--hive",
      "web",
      "--expires",
      "90d",
    );
    expect(token).toMatch(/^skep_[0-9a-z]+_[0-9A-Za-z]+$/);
    const [row] = JSON.parse(await run("token", "list", "--json"));
    expect(row).toMatchObject({
      team: "acme",
      name: "CI",
      abilities: ["write"],
      hives: ["web"],
      expired: false,
    });
    // The command says when that is, and the storage when the token was made.
    const days = (Date.parse(row.expires) - Date.parse(row.created)) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const [, id = "", secret = ""] = token.split("_");
    expect(await run("token", "list")).not.toContain(secret);
    for (const file of readdirSync(storage, { recursive: true, withFileTypes: true })) {
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), "latin1")).not.toContain(secret);
    }

    const refused = await skep("locale", "remove", "web", "fr", "--storage", storage);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "skep: Delete the locale fr (fr_FR)? Add --yes to do it.\n",
    ]);
    await run("locale", "remove", "web", "fr", "--yes");
    expect((await skep("hive", "delete", "web", "--storage", storage)).code).toBe(2);
    await run("token", "revoke", id);
    await run("team", "update", "acme", "--max-strings", "none");
    expect(JSON.parse(await run("team", "list", "--json"))).toEqual([
      { name: "acme", strings: 0, max_strings: null, hives: ["web"] },
    ]);
    await run("hive", "delete", "web", "--yes");
    expect(JSON.parse(await run("hive", "list", "--json"))).toEqual([]);
    expect(readdirSync(join(storage, "hives"))).toEqual([]);
    const trash = JSON.parse(await run("hive", "list", "--trash", "--json"));
    expect(trash).toMatchObject([{ slug: "web", team: "acme" }]);
    expect(Date.parse(trash[0].expires) - Date.parse(trash[0].deleted)).toBe(30 * 86_400_000);
    expect(await run("hive", "list", "--trash")).toMatch(/^HIVE +TEAM .*\nweb +acme /);
    expect(await run("hive", "restore", "web")).toBe("Restored the Hive web.");
    expect(JSON.parse(await run("hive", "list", "--json"))).toMatchObject([
      { slug: "web", name: "Web shop" },
    ]);
    expect(await run("hive", "list", "--trash", "--json")).toBe("[]");
  });
});

describe("skep serve", () => {
  it("says where it listens and, on an empty storage, the next three commands", async () => {
    const storage = realFolder();
    const server = await startServer(storage, "--log-format", "pretty");
    const commands = [...server.stderr().matchAll(/^ {2}skep (.*)$/gm)].map(([, command]) =>
      (command ?? "").split(" "),
    );
    expect(commands).toHaveLength(3);
    for (const command of commands) expect((await skep(...command)).code).toBe(0);
    // The flag may also stand in front of the command, or of the inner one.
    const token = JSON.parse((await skep("--storage", storage, "token", "list", "--json")).stdout);
    expect(JSON.parse((await skep("token", "--storage", storage, "list", "--json")).stdout)).toEqual(token);
    expect(token).toHaveLength(1);
    expect(await (await fetchDescribed(`${server.url}/healthz`)).json()).toEqual({ status: "ok" });
    expect(await server.stop()).toBe(0);
    const again = await startServer(storage, "--log-format", "pretty");
    expect(again.stderr()).not.toContain("skep team create");
    expect(await again.stop("SIGINT")).toBe(0);
  });

  it("listens on the loopback address only, unless it is told another", async () => {
    const server = await startServer(realFolder());
    expect(new URL(server.url).hostname).toBe("127.0.0.1");
  });
});
