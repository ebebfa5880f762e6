/**
 * What docs/operation.md and the units of deploy/ do for backups in object storage, with the real programs and a folder as
 * the storage.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root as project } from "../docs/pages.ts";
import { bash, shell } from "../docs/shell.ts";
import { acmeStorage, createToken, request, serveInProcess, skepOk } from "../helpers/process.ts";
import { eventually } from "../helpers/eventually.ts";
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

/** How deploy/README.md restores what the unit has copied. */
const [inReadme = ""] = shell("deploy/README.md").flatMap(
  (block) => /^.*restic restore .*$/m.exec(block) ?? [],
);

/** What the unit of the backup runs with what stands beside it, which begins anew, in the environment that systemd gives it. */
const lines = ["skep-backup.service", "skep-offsite.conf"]
  .flatMap((name) => readFileSync(join(project, "deploy", name), "utf8").split("\n"))
  .flatMap((line) => /^ExecStart=(.*)$/.exec(line)?.[1] ?? []);
const unit = lines.slice(lines.lastIndexOf("") + 1);
const asUnit =
  "rm -f /tmp/failed; set -a; . /etc/skep/restic; RESTIC_PASSWORD_FILE=/etc/skep/credentials/restic-password";

/** Runs of restic that a killed one stands for: the lock of one excludes nobody, that of the other everybody. */
const interrupted = [
  ["backup", "--stdin"],
  ["forget", "--keep-hourly", "24", "--prune"],
];

const repositoryOf = (root: string): readonly string[] => [
  "--no-cache",
  `--repo=${join(root, "objects")}`,
  `--password-file=${join(root, "password")}`,
];

/** Runs restic on the objects of a test. */
function resticOf(root: string, ...args: readonly string[]): void {
  execFileSync("restic", [...repositoryOf(root), "--quiet", ...args]);
}

/** Kills a run of restic that holds a lock: it waits for its input, or reads a snapshot that never comes. */
async function leaveLock(root: string, args: readonly string[]): Promise<void> {
  const endless = join(root, "objects/snapshots", "a".repeat(64));
  const locks = join(root, "objects/locks");
  const before = readdirSync(locks).length;
  execFileSync("mkfifo", [endless]);
  const child = spawn("restic", [...repositoryOf(root), ...args]);
  const exit = once(child, "exit");
  await eventually(() => expect(readdirSync(locks)).toHaveLength(before + 1));
  child.kill("SIGKILL");
  await exit;
  rmSync(endless);
}

const recipes = [
  ["restic", "by hand", resticBackup, resticRestore],
  [
    "restic",
    "beside the timer",
    [asUnit, ...unit].join("\n"),
    [inReadme, resticRestore.split("\n").at(-1)].join("\n"),
  ],
  ["rclone", "by hand", rcloneBackup, rcloneRestore],
] as const;

describe.each(recipes)("%s, %s,", (program, _, backUp, restore) => {
  it.skipIf(isMissing(program))("gives a storage back that it has copied", async () => {
    const [root, storage] = [realFolder(), await acmeStorage()];
    const token = await createToken(storage);
    const server = await serveInProcess(storage);
    await request(server, token, "POST", "/api/hives/web/strings", {
      files: { "a.json": { hello: "Hello" } },
    });
    writeFileSync(join(root, "password"), "secret\n");
    writeFileSync(join(root, "environment"), `RESTIC_REPOSITORY=${join(root, "objects")}\n`);
    mkdirSync(join(root, "objects"));
    const env = {
      PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
      SKEP_STORAGE: storage,
      RCLONE_CONFIG_OFFSITE_TYPE: "alias",
      RCLONE_CONFIG_OFFSITE_REMOTE: join(root, "objects"),
    };
    const run = (script: string, given: Readonly<Record<string, string>> = env) =>
      bash(
        script
          .replaceAll("s3:https://s3.example.org/skep", join(root, "objects"))
          .replaceAll(/\/etc\/skep\/(?:credentials\/)?restic-password/g, join(root, "password"))
          .replaceAll("/etc/skep/restic", join(root, "environment"))
          .replaceAll("--target /)", `--target ${root}/restored)`)
          .replaceAll("/var/tmp/restored/var/backups/skep", `${root}/restored${root}/backup`)
          .replaceAll("/var/tmp/", `${root}/`)
          .replaceAll(" /tmp/failed", ` ${root}/failed`)
          .replaceAll("/var/backups/skep", `${root}/backup`)
          .replaceAll("/var/lib/skep/storage", `${root}/new`),
        root,
        given,
      );
    expect(await run(backUp)).toMatchObject({ code: 0 });
    await request(server, token, "POST", "/api/hives/web/strings", { files: { "a.json": { bye: "Bye" } } });
    expect(await run(backUp)).toMatchObject({ code: 0 });
    expect(await run(restore)).toMatchObject({ code: 0 });
    expect(await texts(join(root, "new"), token)).toEqual(await texts(storage, token));
    await skepOk(join(root, "new"), "verify");
    if (program !== "restic") return;
    // Of two copies of one hour the later one stays, whichever machines made them.
    const snapshots = (): readonly string[] => readdirSync(join(root, "objects/snapshots"));
    const own = snapshots();
    resticOf(root, "backup", "--tag", "skep", "--host", "former", "--time", "2020-01-01 10:10:00", root);
    const former = snapshots().find((name) => !own.includes(name));
    resticOf(root, "backup", "--tag", "skep", "--host", "other", "--time", "2020-01-01 10:20:00", root);
    for (const args of interrupted) {
      await leaveLock(root, args);
      expect(await run(backUp)).toMatchObject({ code: 0 });
      expect(snapshots()).not.toContain(former);
    }
    if (backUp.includes(asUnit)) {
      writeFileSync(join(storage, "hives/web.git/refs/heads/main"), "damaged\n");
      const copied = snapshots();
      expect(await run(backUp)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining("Backed up 1 Hive"),
      });
      expect(snapshots()).not.toEqual(copied);
    }
    if (backUp.includes(asUnit)) {
      // As on a new machine, before the restore.
      rmSync(join(root, "backup"), { recursive: true });
      mkdirSync(join(root, "backup"));
      const copied = snapshots();
      const lost = { ...env, SKEP_STORAGE: join(root, "lost") };
      expect(await run(backUp, lost)).toMatchObject({ code: 2, stdout: "" });
      expect(snapshots()).toEqual(copied);
    }
    writeFileSync(join(root, "password"), "wrong\n");
    const { code, stderr } = await run(backUp);
    expect([code, stderr]).toEqual([1, expect.stringContaining("wrong password")]);
  });
});
