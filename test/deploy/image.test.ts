/** The Dockerfile, read, and its steps done without a container. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { build, type BuiltImage, openUp, parseDockerfile, root } from "./dockerfile.ts";
import { freePort } from "./proxy.ts";
import { settings } from "../../src/config/settings.ts";
import { realFolder } from "../helpers/storage.ts";

const read = (name: string): string => fs.readFileSync(join(root, name), "utf8");
const instructions = parseDockerfile(read("Dockerfile"));
const allOf = (name: string): readonly string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

describe("the Dockerfile", () => {
  it("a linter accepts the Dockerfile", () => {
    expect(validate(read("Dockerfile"))).toEqual([]);
    expect(validate("FORM node").length).toBeGreaterThan(0);
  });

  it("uses only existing instructions, with commands as lists", () => {
    const known = ["ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL"];
    const names = new Set(instructions.map(({ name }) => name));
    expect([...names].toSorted()).toEqual([...known, "HEALTHCHECK", "ENTRYPOINT", "CMD"].toSorted());
    // With a shell in front, SIGTERM would reach the shell.
    for (const name of ["ENTRYPOINT", "CMD"]) expect(JSON.parse(allOf(name)[0] ?? "")).toBeInstanceOf(Array);
  });

  it("switches to a user of its own after all that needs root", () => {
    const names = instructions.map(({ name }) => name);
    expect(allOf("USER")).toEqual(["node"]);
    expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"));
    expect(names.lastIndexOf("COPY")).toBeLessThan(names.indexOf("USER"));
  });

  it("copies only what .dockerignore lets in, which is neither settings nor texts", () => {
    const [first, ...allowed] = read(".dockerignore").trim().split("\n");
    expect(first).toBe("*");
    const copied = allOf("COPY")
      .filter((rest) => !rest.startsWith("--from="))
      .flatMap((rest) => rest.split(" ").slice(0, -1));
    expect(new Set(allowed)).toEqual(new Set(copied.map((path) => `!${path}`)));
    for (const path of copied) expect(fs.existsSync(join(root, path)), path).toBe(true);
  });

  it("runs what its package says that it needs", () => {
    const { engines } = JSON.parse(read("package.json"));
    const [version] = allOf("ARG");
    expect(Number(version?.split("=")[1])).toBeGreaterThanOrEqual(Number.parseInt(engines.node.slice(2), 10));
    expect(allOf("FROM").every((from) => from.startsWith("node:${NODE_VERSION}-"))).toBe(true);
  });
});

/** All stages, which are built once. */
let stages: ReadonlyMap<string, BuiltImage> | undefined;

function imageOf(stage: string): BuiltImage {
  stages ??= build(instructions, realFolder());
  const image = stages.get(stage);
  if (image === undefined) throw new Error(`there is no stage ${stage}`);
  return image;
}

// Installs from the registry: CI does it.
it.skipIf(process.env.SKEP_TEST_DEPLOY !== "required")(
  "the image builds a server that answers its health check, ends by SIGTERM and does not run as root",
  { timeout: 300_000 },
  async () => {
    const image = imageOf("");
    openUp(image.folder);
    const modules = fs.readdirSync(join(image.folder, image.workdir, "node_modules"));
    const { dependencies, devDependencies } = JSON.parse(read("package.json"));
    // Of a package with a scope the folder has the scope.
    const folders = Object.keys(dependencies).map((name) => name.split("/", 1)[0]);
    expect(modules).toEqual(expect.arrayContaining(folders));
    expect(modules).not.toContain("typescript");
    expect(modules.filter((name) => name in devDependencies)).toEqual([]);

    const storage = join(image.folder, "storage");
    const isRoot = process.getuid?.() === 0;
    const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    if (isRoot) fs.chownSync(storage, 65_534, 65_534);
    const port = String(await freePort());
    const env = {
      ...image.env,
      PATH: `${join(image.folder, "usr/local/bin")}:${process.env.PATH}`,
      SKEP_PORT: port,
      SKEP_STORAGE: storage,
    };
    const [program = "", ...entry] = image.entrypoint;
    const cwd = join(image.folder, image.workdir);
    const child = spawn(program, [...entry, ...image.cmd], {
      cwd,
      env,
      ...nobody,
      stdio: ["ignore", "ignore", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exit = once(child, "exit");
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    while (!said.includes("listens on")) {
      expect(child.exitCode, said).toBe(null);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(said).toContain(`listens on http://0.0.0.0:${port}`);
    const [checker = "", ...checks] = image.healthcheck;
    const isHealthy = (): number | null => spawnSync(checker, checks, { cwd, env, ...nobody }).status;
    expect(isHealthy()).toBe(0);
    const created = spawnSync("skep", ["team", "create", "acme"], { cwd, env, ...nobody, encoding: "utf8" });
    expect([created.status, created.stderr]).toEqual([0, ""]);
    child.kill(allOf("STOPSIGNAL")[0] === "SIGTERM" ? "SIGTERM" : "SIGKILL");
    expect(await exit).toEqual([0, null]);
    expect(isHealthy()).toBe(1);
  },
);

it.skipIf(process.env.SKEP_TEST_DEPLOY !== "required")(
  "the image for CI has skep and its jobs behind no entrypoint, and takes checkouts of others",
  { timeout: 300_000 },
  () => {
    const image = imageOf("ci");
    expect(image).toMatchObject({ entrypoint: [], cmd: ["bash"], user: undefined });
    const programs = join(image.folder, "usr/local/bin");
    const env = { ...image.env, PATH: `${programs}:${process.env.PATH}`, HOME: image.folder };
    const run = (command: string) => spawnSync("bash", ["-c", command], { env, encoding: "utf8" });
    expect(run("skep --version")).toMatchObject({ status: 0, stderr: "" });
    expect(run("skep-ci")).toMatchObject({ status: 2, stderr: expect.stringContaining("skep-ci TASK") });
    expect(run("git config --get-all safe.directory").stdout).toBe("*\n");
  },
);

describe("compose.yaml", () => {
  const { services, volumes } = parse(read("compose.yaml"));

  it("builds the Dockerfile, keeps its volumes, and gives the server time to end", () => {
    const { skep } = services;
    expect(Object.keys(services)).toEqual(["skep"]);
    expect(skep.build).toBe(".");
    const mounts = skep.volumes.map((volume: string) => volume.split(":"));
    expect(mounts.map(([, path]: [string, string]) => path)).toEqual(JSON.parse(allOf("VOLUME")[0] ?? ""));
    expect(mounts.map(([name]: [string]) => name)).toEqual(Object.keys(volumes));
    expect(skep.init).toBe(true);
    expect(skep.stop_grace_period).toBe("70s");
  });

  it("opens the port to this machine only, and drops all privileges that the server does not need", () => {
    const { skep } = services;
    expect(skep.ports).toEqual([`127.0.0.1:4488:${allOf("EXPOSE")[0]}`]);
    expect(skep).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  });
});

it("the package holds the pages and the units that they speak of", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = new Set(JSON.parse(packed)[0].files.map(({ path }: { path: string }) => path));
  for (const folder of ["deploy", "docs"]) {
    const entries = fs.readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    const pages = entries.filter((name) => fs.statSync(join(root, folder, name)).isFile());
    for (const name of pages) {
      // Pictures, and pages for contributors, are for readers of the project, as ARCHITECTURE.md is, not for every
      // installation.
      const isLeftOut = /^(images|decisions)\/|^(data-model|performance|promises)\.md$/.test(name);
      expect([name, files.has(`${folder}/${name}`)]).toEqual([name, !isLeftOut]);
    }
  }
});

describe("the systemd units", () => {
  const { stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
  // Its first version that looks at files of units without a running systemd.
  const isInstalled = Number(/^systemd (\d+)/.exec(stdout ?? "")?.[1] ?? 0) >= 250;

  const dropIn = "deploy/skep-credentials.conf";
  const offsite = "deploy/skep-offsite.conf";

  /** A unit with a program that there is. */
  const withProgram = (unit: string): string =>
    unit.replaceAll(/^ExecStart=(?:skep|restic)/gm, `ExecStart=${process.execPath}`);

  /** The units, in a folder of their own, with a program that there is. @param credentials what is beside each service. */
  function copyUnits(credentials = read(dropIn)): readonly string[] {
    const folder = realFolder();
    return ["skep.service", "skep-backup.service", "skep-backup.timer"].map((name) => {
      if (name.endsWith(".service")) {
        fs.mkdirSync(join(folder, `${name}.d`));
        fs.writeFileSync(join(folder, `${name}.d`, "credentials.conf"), credentials);
      }
      if (name === "skep-backup.service") {
        fs.writeFileSync(join(folder, `${name}.d`, "offsite.conf"), withProgram(read(offsite)));
      }
      const path = join(folder, name);
      fs.writeFileSync(path, withProgram(read(`deploy/${name}`)));
      return path;
    });
  }

  it.skipIf(!isInstalled)("systemd understands the units, and their credentials", () => {
    const verify = (units: readonly string[]) => {
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...units], { encoding: "utf8" });
      return { status, about: stderr.split("\n").filter((line) => line.includes("skep")) };
    };
    expect(verify(copyUnits())).toEqual({ status: 0, about: [] });
    // It reads the file beside the unit.
    const wrong = verify(copyUnits(read(dropIn).replace("LoadCredential", "LoadCredental")));
    expect(wrong.about.join()).toContain("Unknown key");
  });

  it("have a credential for each setting that is a file with a secret", () => {
    const secrets = settings.filter(({ variable }) => /_(?:PASSWORD|SECRET)_FILE$/.test(variable));
    const lines = read(dropIn).split("\n");
    expect(secrets.length).toBeGreaterThan(2);
    for (const { variable } of secrets) {
      const [, id] =
        lines.map((line) => new RegExp(`^Environment=${variable}=%d/(.+)$`).exec(line)).find(Boolean) ?? [];
      expect(lines, variable).toContain(`LoadCredential=${id}:/etc/skep/credentials/${id}`);
    }
  });

  it.skipIf(!isInstalled)("the systemd units give the server few rights beyond its folder", () => {
    const [unit = ""] = copyUnits();
    const args = ["security", "--offline=yes", "--threshold=20", "--no-pager", unit];
    // 2.0 of 10: systemd's own word for it is "OK".
    expect(execFileSync("systemd-analyze", args, { encoding: "utf8" })).toMatch(
      /exposure level .*: [01]\.[0-9]/,
    );
  });

  it("use existing commands and settings", async () => {
    for (const name of ["skep.service", "skep-backup.service"]) {
      const unit = read(`deploy/${name}`);
      const [, args = ""] = /^ExecStart=skep (.*)$/m.exec(unit) ?? [];
      const command = args.split(" ").filter((word) => /^[a-z]+$/.test(word));
      const help = execFileSync(process.execPath, [join(root, "dist/cli.js"), ...command, "--help"], {
        encoding: "utf8",
      });
      for (const [, variable = ""] of unit.matchAll(/\b(SKEP_[A-Z_]+)=/g)) expect(help).toContain(variable);
    }
  });
});
