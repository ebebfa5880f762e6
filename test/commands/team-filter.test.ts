/** Lists of a storage with several teams, limited to one of them. */
import { beforeAll, expect, it } from "vitest";
import { toHiveSlug } from "../../src/domain/names.ts";
import { deleteHive } from "../../src/service/admin/hives.ts";
import { openLocalStorage } from "../../src/service/storage.ts";
import { skep } from "../helpers/process.ts";
import { makeHive, makeToken, realFolder } from "../helpers/storage.ts";

let folder: string;

beforeAll(async () => {
  folder = realFolder();
  const storage = openLocalStorage(folder);
  for (const team of ["acme", "rival"]) {
    for (const kind of ["web", "gone"]) await makeHive(storage, `${team}-${kind}`, { team });
    await deleteHive(storage, toHiveSlug(`${team}-gone`));
    await makeToken(storage, { team, name: `${team}-ci` });
  }
});

it.each([
  ["hive list", "slug", "web"],
  ["hive list --trash", "slug", "gone"],
  ["token list", "name", "ci"],
])("skep %s --team lists only entries of one team", async (command, field, kind) => {
  const list = async (...flags: string[]): Promise<readonly unknown[]> => {
    const { stdout } = await skep(...command.split(" "), "--json", "--storage", folder, ...flags);
    return JSON.parse(stdout).map((row: Record<string, unknown>) => row[field]);
  };
  expect((await list()).toSorted()).toEqual([`acme-${kind}`, `rival-${kind}`]);
  expect(await list("--team", "rival")).toEqual([`rival-${kind}`]);
});

it.each([
  ["hive list", 5],
  ["hive list --trash", 1],
  ["token list", 5],
])("skep %s names a missing team", async (command, code) => {
  const outcome = await skep(...command.split(" "), "--storage", folder, "--team", "other");
  expect(outcome).toMatchObject({ code, stdout: "" });
  expect(outcome.stderr).toContain('There is no team "other"');
});
