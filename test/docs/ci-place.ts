/** An app in a clone of its repository, as a job of CI has it, and a server with a Hive for it. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { acmeStorage, createToken, git, serveInProcess, type Served } from "../helpers/process.ts";
import { skepProgram } from "../helpers/skep-program.ts";
import { realFolder } from "../helpers/storage.ts";
import { bash as bashIn, type Ran } from "./shell.ts";

export interface Place extends Served {
  readonly token: string;
  readonly app: string;
  readonly origin: string;
  /** The folder of the programs that scripts start. */
  readonly programs: string;
}

/** An app in a clone of its repository, and a server with an empty Hive for it. */
export async function place(
  source: string,
  locale: string,
  files: Readonly<Record<string, string>>,
): Promise<Place> {
  const storage = await acmeStorage({ web: ["--source-locale", source, "--locale", locale] });
  const printed = await createToken(storage);
  const { url } = await serveInProcess(storage);
  const [folder, bare] = [realFolder(), realFolder()];
  const origin = join(bare, "acme/app.git");
  await git(bare, "init", "--quiet", "--bare", origin);
  await git(origin, "config", "receive.advertisePushOptions", "true");
  await git(folder, "clone", "--quiet", origin, "app");
  const app = join(folder, "app");
  writeAll(app, files);
  const token = /skep_\S+/.exec(printed)?.[0] ?? "";
  return { url, token, app, origin, programs: await programs() };
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A folder of programs: `skep`, and stand-ins for what needs other servers. */
async function programs(): Promise<string> {
  const folder = await skepProgram();
  const scripts = {
    npm: 'echo "npm $*"',
    gh: 'echo "gh $*"',
    // GitLab's answer about the merge requests of a commit.
    curl: `echo '[{"source_branch": "feature/login", "state": "merged"}, {"source_branch": "x", "state": "opened"}]'`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Runs a script in an app's folder. The server and `skep` are in this process, so the script must not hold it up. */
export function bash(
  { app, url, token, origin, programs: own }: Place,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return bashIn(script, app, {
    PATH: `${own}:${process.env.PATH ?? ""}`,
    HOME: dirname(app),
    SKEP_SERVER: url,
    SKEP_TOKEN: token,
    SKEP_PACKAGE: "https://packages.example.org/skep.tgz",
    CI_SERVER_HOST: "gitlab.example.org",
    CI_PROJECT_PATH: "acme/app",
    CI_DEFAULT_BRANCH: "main",
    GITLAB_TOKEN: "secret",
    // What would go to GitLab goes to the repository of this test.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.${origin}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://oauth2:secret@gitlab.example.org/acme/app.git",
    ...env,
  });
}

/** Opens a project as its first user does. */
export async function start(at: Place, pattern: string): Promise<void> {
  writeAll(at.app, { "skep.yaml": `hive: web\nfiles:\n  - ${pattern}\n` });
  expect(await bash(at, "skep push --translations")).toMatchObject({ code: 0 });
}
