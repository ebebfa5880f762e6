/** A storage is started by few commands, which say where, and never by looking for one. */
import nodeFs, { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backup } from "../../src/service/operations/backup.ts";
import { openStorage } from "../../src/service/storage.ts";
import { skep } from "../helpers/process.ts";
import { makeHive, realFolder } from "../helpers/storage.ts";

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
      const starters = "skep serve, skep team create and skep restore start one";
      expect(await skep(...args, "--storage", folder)).toEqual({
        code: 1,
        stdout: "",
        stderr: `skep: There is no storage in ${folder}; ${starters}.\n`,
      });
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  it("skep team create creates one and names its folder", async () => {
    const folder = join(realFolder(), "storage");
    const create = (name: string) => skep("team", "create", name, "--storage", folder);
    const started = `Created a storage in ${folder}.\n`;
    expect(await create("acme")).toEqual({ code: 0, stdout: "Created the team acme.\n", stderr: started });
    expect(await create("other")).toEqual({ code: 0, stdout: "Created the team other.\n", stderr: "" });
  });

  it("skep restore creates one and names its folder, unless nothing was restored", async () => {
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
      code: 1,
      stderr: `skep: There is no Hive "nope" in the storage ${folder}.\n`,
    });
  });
});
