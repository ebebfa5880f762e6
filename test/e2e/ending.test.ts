/** A command ends with its work done and said, or with an error; never with neither. */
import { spawnSync } from "node:child_process";
import nodeFs from "node:fs";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/service/storage.ts";
import { acmeStorage, bin, skep, skepIn, skepOk } from "../helpers/process.ts";
import { makeHive, realFolder } from "../helpers/storage.ts";

describe("with more packed Hives than git may have processes", () => {
  it("commands do all of their work with more packed Hives than git may have processes", async () => {
    const folder = realFolder();
    const storage = openStorage({ folder, disk: nodeFs });
    const slugs = ["a", "b", "c", "d", "e", "f"];
    for (const slug of slugs) await makeHive(storage, slug);
    await skepOk(folder, "maintain");
    await skepOk(folder, "hive", "delete", "f", "--yes");

    expect(await skepOk(folder, "team", "list")).toMatch(/\nacme +none +a, b, c, d, e$/);
    expect((await skepOk(folder, "hive", "list")).split("\n")).toHaveLength(6);
    expect(await skepOk(folder, "hive", "restore", "f")).toBe("Restored the Hive f.");
    const [backup, restored] = [realFolder(), realFolder()];
    await skepOk(folder, "backup", backup);
    expect(await skepOk(restored, "restore", backup)).toContain("6 Hives");
    expect((await skepOk(restored, "hive", "list")).split("\n")).toHaveLength(7);
  });
});

describe("a command", () => {
  it("that ends before it is done, because nothing is left to wait for, is an error", async () => {
    const folder = await acmeStorage({});
    const hang = "import fs from 'node:fs'; fs.promises.readdir = () => new Promise(() => {});";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hang)}` };
    const ended = await skepIn(env, "team", "list", "--storage", folder);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^skep: the command stopped before it was finished[^\n]*\n$/);
  });

  it.runIf(nodeFs.existsSync("/dev/full"))("whose result cannot be written is an error", async () => {
    const folder = await acmeStorage({});
    const full = nodeFs.openSync("/dev/full", "w");
    const args = [bin, "team", "list", "--storage", folder];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", full, "pipe"] });
    nodeFs.closeSync(full);
    expect(status).toBe(1);
    expect(stderr.toString()).toMatch(/^skep: the result could not be written: ENOSPC[^\n]*\n$/);
  });

  it("says so where there is nothing to do or to show", async () => {
    const folder = await acmeStorage({});
    const said = async (...args: string[]) => (await skep(...args, "--storage", folder)).stderr;
    expect(await said("maintain")).toBe("There is no Hive to pack.\n");
    await makeHive(openStorage({ folder, disk: nodeFs }), "web");
    expect(await said("log", "web", "--file", "no.php")).toBe("No commit matches.\n");
    expect(await said("verify")).toBe("No problems found.\n");
  });
});
