/** Where a command works: what is named goes before what is found, and nothing is guessed. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realFolder } from "../../helpers/storage.ts";
import { skepOk, skepWithin } from "../../helpers/process.ts";

const server = "http://127.0.0.1:1";

/** What lies in the folder: an app, a file of the server's settings, a storage in the usual place. */
type Found = "skep.yaml" | "skep-server.yaml" | "storage";

async function folderWith(found: readonly Found[]): Promise<string> {
  const folder = realFolder();
  await mkdir(folder, { recursive: true });
  const app = `server: ${server}\nhive: web\nfiles:\n  - { path: "{locale}.json" }\n`;
  if (found.includes("skep.yaml")) await writeFile(join(folder, "skep.yaml"), app);
  if (found.includes("skep-server.yaml"))
    await writeFile(join(folder, "skep-server.yaml"), "storage: ./data\n");
  if (found.includes("storage")) await skepOk(join(folder, "storage"), "team", "create", "acme");
  return folder;
}

/** The code of the error, or that a storage answered. */
async function placeOf(
  found: readonly Found[],
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<string> {
  const folder = await folderWith(found);
  const given = { SKEP_TOKEN: "skp_x", ...env };
  const { code, stdout } = await skepWithin(folder, given, "webhook", "list", "--json", ...args);
  if (code === 0) return "storage";
  const { error } = JSON.parse(stdout);
  return error.code;
}

const env = { SKEP_SERVER: server };

// One line a case.
// oxfmt-ignore
it.each<readonly [string, readonly Found[], Readonly<Record<string, string>>, readonly string[], string]>([
  ["nothing", [], {}, [], "no_target"],
  ["a flag", [], {}, ["--storage", "./none"], "not_found"],
  ["a flag before what is found", ["storage"], env, ["--storage", "./storage"], "storage"],
  ["two flags", ["storage"], {}, ["--server", server, "--storage", "./storage"], "two_targets"],
  ["a variable for the storage, even beside one for the server", ["storage"], { ...env, SKEP_STORAGE: "./storage" }, [], "storage"],
  ["a named file of settings, even beside a server", ["storage", "skep.yaml"], { SKEP_CONFIG: "none.yaml" }, [], "misuse"],
  ["a file of settings by the flag that named it before", ["skep-server.yaml"], env, ["--config", "skep-server.yaml"], "not_found"],
  ["a storage in the usual place", ["storage"], {}, [], "storage"],
  ["a file of settings, whose storage is missing", ["skep-server.yaml"], {}, [], "not_found"],
  ["a server and a storage in the usual place", ["storage"], env, [], "two_targets"],
  ["a server and a file of settings", ["skep-server.yaml", "skep.yaml"], {}, [], "two_targets"],
])("%s", async (_, found, environment, args, place) => {
  expect(await placeOf(found, environment, args)).toBe(place);
});

it.each<readonly [string, readonly Found[], Readonly<Record<string, string>>, readonly string[]]>([
  ["a flag", ["storage"], {}, ["--server", server]],
  ["a variable", [], env, []],
  ["skep.yaml", ["skep.yaml"], {}, []],
])("%s leads to the server", async (_, found, environment, args) => {
  const folder = await folderWith(found);
  const refused = await skepWithin(folder, environment, "webhook", "list", "--json", ...args);
  // Without a token nothing is sent, which would be tried again for a while.
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("There is no token")]);
});
