/** A storage is started by few commands, which say where, and never by looking for one. */
import nodeFs, { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { backupCommand } from "../../src/commands/backup.ts";
import { fileCommand } from "../../src/commands/file.ts";
import { hiveCommand } from "../../src/commands/hive.ts";
import { localeCommand } from "../../src/commands/locale.ts";
import { logCommand } from "../../src/commands/log.ts";
import { maintainCommand } from "../../src/commands/maintain.ts";
import { mirrorCommand } from "../../src/commands/mirror.ts";
import { restoreCommand } from "../../src/commands/restore.ts";
import { showCommand } from "../../src/commands/show.ts";
import { teamCommand } from "../../src/commands/team.ts";
import { tokenCommand } from "../../src/commands/token.ts";
import { undoCommand } from "../../src/commands/undo.ts";
import { verifyCommand } from "../../src/commands/verify.ts";
import { backup } from "../../src/service/backup.ts";
import { openStorage } from "../../src/service/storage.ts";
import { makeHive, realFolder } from "../helpers/storage.ts";

/** Runs a command in this process; gives what it printed. */
async function run(command: Command, ...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const write = (text: string | Uint8Array): boolean => printed.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation(write),
  );
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  await command.parseAsync(args, { from: "user" });
  return printed.join("");
}

describe("where there is no storage", () => {
  it.each<[() => Command, ...string[]]>([
    [teamCommand, "list"],
    [teamCommand, "update", "acme", "--max-strings", "1"],
    [hiveCommand, "create", "web", "--team", "acme"],
    [hiveCommand, "update", "web", "--name", "Web"],
    [hiveCommand, "list"],
    [hiveCommand, "list", "--trash"],
    [hiveCommand, "delete", "web", "--yes"],
    [hiveCommand, "restore", "web"],
    [localeCommand, "add", "web", "fr"],
    [localeCommand, "set", "web", "fr"],
    [localeCommand, "remove", "web", "fr", "--yes"],
    [fileCommand, "remove", "web", "a.php", "--yes"],
    [tokenCommand, "create", "--team", "acme"],
    [tokenCommand, "list"],
    [tokenCommand, "revoke", "abcdefgh"],
    [mirrorCommand, "add", "web", "/srv/web.git"],
    [mirrorCommand, "list"],
    [mirrorCommand, "push", "web"],
    [mirrorCommand, "remove", "web"],
    [logCommand, "web"],
    [showCommand, "web", "main"],
    [undoCommand, "web", "0123456"],
    [verifyCommand],
    [verifyCommand, "web"],
    [maintainCommand],
    [backupCommand, "/nonexistent/backup"],
  ])("a command says so, names the folder and makes nothing: %o %s %s", async (command, ...args) => {
    const empty = realFolder();
    for (const folder of [empty, join(empty, "missing")]) {
      await expect(run(command(), ...args, "--storage", folder)).rejects.toThrow(
        `There is no storage in ${folder}; skep serve, skep team create and skep restore start one.`,
      );
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  it("skep team create starts one and says where", async () => {
    const folder = join(realFolder(), "storage");
    const create = (name: string) => run(teamCommand(), "create", name, "--storage", folder);
    expect(await create("acme")).toBe(`Started a storage in ${folder}.\nMade the team acme.\n`);
    expect(await create("other")).toBe("Made the team other.\n");
  });

  it("skep restore starts one and says where, unless nothing was restored", async () => {
    const [source, folder, target] = [realFolder(), join(realFolder(), "storage"), realFolder()];
    const storage = openStorage({ folder: source, disk: nodeFs });
    await makeHive(storage, "web");
    await backup(storage, target);
    await expect(run(restoreCommand(), join(target, "no"), "--storage", folder)).rejects.toThrow("backup");
    expect(existsSync(folder)).toBe(false);
    expect(await run(restoreCommand(), target, "--storage", folder)).toContain(` into ${folder}: 1 Hive,`);
    expect(await run(teamCommand(), "list", "--storage", folder)).toMatch(/^TEAM/);
  });

  it("a Hive that is not there is told with the storage that was looked in", async () => {
    const folder = realFolder();
    await makeHive(openStorage({ folder, disk: nodeFs }), "web");
    await expect(run(logCommand(), "nope", "--storage", folder)).rejects.toThrow(
      `There is no Hive "nope" in the storage ${folder}.`,
    );
  });
});
