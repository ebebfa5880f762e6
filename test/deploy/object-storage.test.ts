/** The recipes of docs/operation.md for backups in object storage, with the real programs and a folder as the storage. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, shell } from "../docs/shell.ts";
import { acmeStorage, createToken, request, serveInProcess, skepOk } from "../helpers/process.ts";
import { skepProgram } from "../helpers/skep-program.ts";
import { realFolder } from "../helpers/storage.ts";

const [resticBackup = "", resticRestore = "", rcloneBackup = "", rcloneRestore = ""] =
  shell("docs/operation.md");

/** Whether a program is missing, where tests may be skipped. */
function isMissing(program: string): boolean {
  return process.env.SKEP_TEST_DEPLOY !== "required" && spawnSync(program, ["version"]).error !== undefined;
}

async function texts(storage: string, token: string): Promise<unknown> {
  const { json } = await request(await serveInProcess(storage), token, "GET", "/api/hives/web/strings");
  return json.data;
}

const recipes = {
  restic: [resticBackup, resticRestore],
  rclone: [rcloneBackup, rcloneRestore],
} as const;

describe.each(Object.entries(recipes))("%s", (program, [backUp, restore]) => {
  it.skipIf(isMissing(program))("gives a storage back that it has copied", async () => {
    const [root, storage] = [realFolder(), await acmeStorage()];
    const token = await createToken(storage);
    const server = await serveInProcess(storage);
    await request(server, token, "POST", "/api/hives/web/strings", {
      files: { "a.json": { hello: "Hello" } },
    });
    writeFileSync(join(root, "password"), "secret\n");
    mkdirSync(join(root, "objects"));
    const env = {
      PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
      SKEP_STORAGE: storage,
      RCLONE_CONFIG_OFFSITE_TYPE: "alias",
      RCLONE_CONFIG_OFFSITE_REMOTE: join(root, "objects"),
    };
    const run = (script: string) =>
      bash(
        script
          .replaceAll("s3:https://s3.example.org/skep", join(root, "objects"))
          .replaceAll("/etc/skep/restic-password", join(root, "password"))
          .replaceAll("/var/tmp/restored/var/backups/skep", `${root}/restored${root}/backup`)
          .replaceAll("/var/tmp/", `${root}/`)
          .replaceAll("/var/backups/skep", `${root}/backup`)
          .replaceAll("/var/lib/skep/storage", `${root}/new`),
        root,
        env,
      );
    expect(await run(backUp)).toMatchObject({ code: 0 });
    await request(server, token, "POST", "/api/hives/web/strings", { files: { "a.json": { bye: "Bye" } } });
    expect(await run(backUp)).toMatchObject({ code: 0 });
    expect(await run(restore)).toMatchObject({ code: 0 });
    expect(await texts(join(root, "new"), token)).toEqual(await texts(storage, token));
    await skepOk(join(root, "new"), "verify");
  });
});
