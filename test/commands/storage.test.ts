/** A storage is started by few commands, which say where, and never by looking for one. */
import nodeFs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { backup } from "../../src/service/operations/backup.ts";
import { openStorage } from "../../src/service/storage.ts";
import { skep } from "../helpers/process.ts";
import { harness, makeHive, makeToken, realFolder } from "../helpers/storage.ts";

describe("without a storage", () => {
  it.each<string[]>([
    ["team", "list"],
    ["team", "update", "acme", "--max-strings", "1"],
    ["hive", "create", "web", "--team", "acme"],
    ["hive", "update", "web", "--name", "Web"],
    ["hive", "list"],
    ["hive", "list", "--trash"],
    ["hive", "delete", "web", "--yes"],
    ["hive", "restore", "web"],
    ["locale", "add", "web", "fr"],
    ["locale", "set", "web", "fr"],
    ["locale", "remove", "web", "fr", "--yes"],
    ["file", "remove", "web", "a.php", "--yes"],
    ["token", "create", "--team", "acme"],
    ["token", "list"],
    ["token", "revoke", "abcdefgh"],
    ["person", "add", "anna", "--team", "acme", "--name", "Anna"],
    ["person", "list"],
    ["person", "remove", "anna", "--yes"],
    ["mirror", "add", "web", "/srv/web.git"],
    ["mirror", "list"],
    ["mirror", "push", "web"],
    ["mirror", "remove", "web"],
    ["webhook", "list"],
    ["webhook", "test", "w1"],
    ["log", "web"],
    ["show", "web", "main"],
    ["undo", "web", "0123456"],
    ["verify"],
    ["verify", "web"],
    ["maintain"],
    ["audit"],
    ["backup", "/nonexistent/backup"],
  ])("a command says so, names the folder and creates nothing: %s %s %s", async (...args) => {
    const empty = realFolder();
    for (const folder of [empty, join(empty, "missing")]) {
      const starters = "skep serve, skep team create and skep server restore start one";
      expect(await skep(...args, "--storage", folder)).toEqual({
        code: 1,
        stdout: "",
        stderr: `skep: There is no storage in ${folder}; ${starters}.\n`,
      });
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  it.each([
    ["team", "create", "acme"],
    ["hive", "list"],
    ["serve", "--port", "0"],
  ])("a command says that a file cannot be one: %s %s", async (...args) => {
    const file = join(realFolder(), "file");
    writeFileSync(file, "");
    for (const folder of [file, join(file, "within")]) {
      expect(await skep(...args, "--storage", folder)).toEqual({
        code: 1,
        stdout: "",
        stderr: `skep: ${folder} is a file or within one: the storage must be a folder.\n`,
      });
    }
  });

  it("skep team create creates one and names its folder", async () => {
    const folder = join(realFolder(), "storage");
    const create = (name: string) => skep("team", "create", name, "--storage", folder);
    const started = `Created a storage in ${folder}.\n`;
    expect(await create("acme")).toEqual({ code: 0, stdout: "Created the team acme.\n", stderr: started });
    expect(await create("other")).toEqual({ code: 0, stdout: "Created the team other.\n", stderr: "" });
  });

  it("skep team create closes a folder that was there to other users", async () => {
    const folder = realFolder();
    chmodSync(folder, 0o755);
    await skep("team", "create", "acme", "--storage", folder);
    expect(statSync(folder).mode & 0o777).toBe(0o750);
  });

  it("skep server restore creates one and names its folder, unless nothing was restored", async () => {
    const [source, folder, target] = [realFolder(), join(realFolder(), "storage"), realFolder()];
    const storage = openStorage({ folder: source, disk: nodeFs });
    await makeHive(storage, "web");
    await backup(storage, target);
    const restore = (dir: string) => skep("restore", dir, "--storage", folder);
    expect(await restore(join(target, "no"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("backup"),
    });
    expect(existsSync(folder)).toBe(false);
    expect((await restore(target)).stdout).toContain(` into ${folder}: 1 Hive,`);
    expect((await skep("team", "list", "--storage", folder)).stdout).toMatch(/^TEAM/);
  });

  it("a command names the storage that lacks a Hive", async () => {
    const folder = realFolder();
    await makeHive(openStorage({ folder, disk: nodeFs }), "web");
    expect(await skep("log", "nope", "--storage", folder)).toMatchObject({
      code: 5,
      stderr: `skep: There is no Hive "nope" in the storage ${folder}.\n`,
    });
  });
});

it("skep log takes a key as it is shown", async () => {
  const folder = realFolder();
  const storage = openStorage({ folder, disk: nodeFs });
  await makeHive(storage, "web");
  const { call } = harness(storage, await makeToken(storage, { abilities: ["read", "write"] }));
  const files = { "menu.po": { "menu\u0004Open": "Open", "menu\u0004Close": "Close" } };
  expect((await call("POST", "/api/hives/web/strings", { body: { files } })).status).toBe(200);
  for (const rest of [[], ["--file", "menu.po"]]) {
    const { stdout } = await skep("log", "web", "--key", "menu|Open", ...rest, "--json", "--storage", folder);
    expect(JSON.parse(stdout)).toHaveLength(1);
  }
});

describe("on a folder that a process of another machine uses", () => {
  it.each<string[]>([
    ["restore", "/backup"],
    ["team", "create", "acme"],
    ["team", "list"],
  ])("a command is refused, unless it insists: %s %s %s", async (...args) => {
    // Where Skep cannot tell file systems apart, every folder may be on several machines.
    vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
    const folder = realFolder();
    await openStorage({ folder, disk: nodeFs }).registry.version.create();
    mkdirSync(join(folder, "locks/hosts"));
    const other = join(folder, "locks/hosts/elsewhere.1");
    writeFileSync(other, "elsewhere\n");
    const renewing = setInterval(() => utimesSync(other, new Date(), new Date()), 50);
    onTestFinished(() => clearInterval(renewing));
    const { stderr } = await skep(...args, "--storage", folder);
    expect(stderr).toMatch(/is in use on another machine \(elsewhere\)/);
    const insisting = await skep(...args, "--storage", folder, "--other-host", "allow");
    expect(insisting.stderr).not.toMatch(/another machine/);
  });
});
