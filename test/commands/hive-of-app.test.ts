/** Commands about the history of a Hive, which take it from the app that they run in. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { acmeStorage, skepOk, skepWithin } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

let storage: string;
let app: string;
let commit: string;

beforeAll(async () => {
  storage = await acmeStorage();
  await skepOk(storage, "locale", "add", "web", "de");
  [{ commit }] = JSON.parse(await skepOk(storage, "log", "web", "--json"));
  app = realFolder();
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "skep.yaml"), "hive: web\nfiles:\n  - '{locale}.json'\n");
});

it.each([
  ["log", "log web"],
  ["log --limit 1", "log web --limit 1"],
  ["show COMMIT", "show web COMMIT"],
  ["undo COMMIT", "undo web COMMIT"],
  ["undo --origin model --since 2000-01-01", "undo web --origin model --since 2000-01-01"],
])("skep %s is skep %s in an app of that Hive", async (short, long) => {
  const run = (cwd: string, line: string, env = {}) =>
    skepWithin(cwd, env, ...line.replace("COMMIT", commit).split(" "), "--storage", storage);
  const expected = await run("/", long);
  expect(expected.stderr).not.toContain("missing required argument");
  expect(await run(app, short)).toEqual(expected);
  expect(await run("/", short, { SKEP_HIVE: "web" })).toEqual(expected);
  expect(await run("/", short)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("missing required argument"),
  });
});
