/** How deploy/README.md upgrades and goes back, with a real storage; programs of the system, and Docker, do what concerns it. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPage } from "../docs/pages.ts";
import { bash, shell } from "../docs/shell.ts";
import { acmeStorage, createToken, request, serveInProcess } from "../helpers/process.ts";
import { skepProgram } from "../helpers/skep-program.ts";
import { realFolder } from "../helpers/storage.ts";

const page = "deploy/README.md";
const [takeOver = ""] = /(?<=`)runuser [^`]* fetch [^`]*(?=`)/.exec(readPage(page)) ?? [];
const blocks = shell(page).filter((block) => block.includes("before-0.2.0"));
const [upgrade = "", goBack = "", upgradeImage = "", goBackImage = ""] = [
  ...blocks.filter((block) => !block.includes("docker")),
  ...blocks.filter((block) => block.includes("docker")),
];

/** The usual backup, the upgrade, the way back, and how commits are taken over, if it is said. */
const ways = [
  [
    "systemd",
    "skep server backup /var/backups/skep --storage /var/lib/skep/storage",
    upgrade,
    goBack,
    takeOver,
  ],
  ["Docker", "docker compose run --rm skep server backup /backup/current", upgradeImage, goBackImage, ""],
] as const;

/** A folder of programs that stand for those which need root. */
function programs(): string {
  const folder = realFolder();
  const scripts = {
    systemctl: "exit 0",
    npm: "exit 0",
    // The folder to make is the last argument, and the command of another user follows `-u skep --`.
    install: 'mkdir -p "${@: -1}"',
    runuser: 'shift 3; exec "$@"',
    docker: `
      case "$*" in
        "compose run --rm skep "*) shift 4; exec skep "$@" ;;
        "compose run --rm --entrypoint mv skep "*) shift 6; exec mv "$@" ;;
        "compose cp "*) exec cp -r "\${3#skep:}" "$4" ;;
        "volume rm skep_storage") exec rm -r "$SKEP_STORAGE" ;;
      esac`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

it.each(ways)(
  "with %s, the commands of the page go back to the backup, beside which is what came later",
  async (...way) => {
    const [, usual, upgrading, goingBack, takingOver] = way;
    const [root, storage] = [realFolder(), await acmeStorage()];
    mkdirSync(join(root, "backups"));
    const token = await createToken(storage);
    const write = async (key: string): Promise<void> => {
      const body = { files: { "a.json": { [key]: "Text" } } };
      const { status } = await request(
        await serveInProcess(storage),
        token,
        "POST",
        "/api/hives/web/strings",
        body,
      );
      expect(status).toBe(200);
    };
    const keys = async (): Promise<readonly string[]> => {
      const { json } = await request(await serveInProcess(storage), token, "GET", "/api/hives/web/strings");
      return json.data.map(({ key }: { readonly key: string }) => key);
    };
    const path = `${await skepProgram()}:${programs()}:${process.env.PATH ?? ""}`;
    const run = (script: string) =>
      bash(
        script
          .replaceAll("/var/lib/skep/storage", storage)
          .replaceAll("skep:/storage ../storage", `skep:${storage} ${storage}`)
          .replaceAll("/var/backups", join(root, "backups"))
          .replaceAll(" /backup/", ` ${root}/backups/`)
          .replace("git pull\n", ""),
        root,
        { PATH: path, SKEP_STORAGE: storage },
      );
    await write("before");
    expect(await run(upgrading)).toMatchObject({ code: 0 });
    await write("after");
    // The timer makes a backup, with settings in a form that the earlier version does not know.
    expect(await run(usual)).toMatchObject({ code: 0 });
    const manifest = join(
      root,
      usual.includes("docker") ? "backups/current" : "backups/skep",
      "skep-backup.json",
    );
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(/format: \d+/g, "format: 999"));
    expect(await run(usual)).toMatchObject({ code: 1, stderr: expect.stringContaining("later version") });
    expect(await run(goingBack)).toMatchObject({ code: 0 });
    expect(existsSync(`${storage}-0.2.0`)).toBe(true);
    expect(await keys()).toEqual(["before"]);
    expect(await run(usual)).toMatchObject({ code: 0 });
    if (takingOver === "") return;
    expect(await run(takingOver)).toMatchObject({ code: 0 });
    expect(await keys()).toEqual(["before", "after"]);
  },
);
