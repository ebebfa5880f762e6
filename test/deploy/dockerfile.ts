/** The Dockerfile as data, and its steps done in folders of this machine. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Parses the instructions of a Dockerfile. @throws Error for what none is. */
export function parseDockerfile(text: string): readonly Instruction[] {
  return text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
      if (name === "") throw new Error(`no instruction: ${line}`);
      return { name, rest };
    });
}

export interface BuiltImage {
  /** The stage's file system. */
  readonly folder: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
}

/**
 * Does what a Dockerfile says, stage by stage, in a folder for each: the commands that install system packages are left
 * out, and absolute paths lead into the stage's folder.
 * @returns the stages by their names; the last one has none.
 */
export function build(instructions: readonly Instruction[], into: string): ReadonlyMap<string, BuiltImage> {
  const stages = new Map<string, BuiltImage>();
  let stage = "";
  for (const { name, rest } of instructions) {
    if (name === "FROM") {
      const folder = join(into, `stage-${stages.size}`);
      fs.mkdirSync(folder, { recursive: true });
      stage = / AS (\w+)$/.exec(rest)?.[1] ?? "";
      stages.set(stage, emptyImage(folder));
      continue;
    }
    const image = stages.get(stage);
    // What stands before the first stage is for all.
    if (image === undefined) continue;
    const inside = (path: string): string =>
      join(image.folder, path.startsWith("/") ? path : join(image.workdir, path));
    if (name === "WORKDIR") {
      fs.mkdirSync(join(image.folder, rest), { recursive: true });
      stages.set(stage, { ...image, workdir: rest });
    } else if (name === "COPY") {
      const [, other] = /^--from=(\w+) /.exec(rest) ?? [];
      const paths = rest.replace(/^--from=\w+ /, "").split(" ");
      const to = paths.at(-1) ?? "";
      for (const path of paths.slice(0, -1)) {
        const from = join(other === undefined ? root : (stages.get(other)?.folder ?? ""), path);
        const isFolder = to.endsWith("/");
        fs.cpSync(from, isFolder ? join(inside(to), path) : inside(to), { recursive: true });
      }
    } else if (name === "RUN") run(rest, image);
    else stages.set(stage, { ...image, ...setting(name, rest, image) });
  }
  return stages;
}

function emptyImage(folder: string): BuiltImage {
  return { folder, workdir: "/", env: {}, user: undefined, entrypoint: [], cmd: [], healthcheck: [] };
}

/** What is installed here, by the same command in CI: to install it again takes longer than all other steps. */
const installAll = /^npm ci (?!.*--omit)/;

function run(command: string, { folder, workdir }: BuiltImage): void {
  if (command.startsWith("apt-get ")) return;
  if (installAll.test(command)) {
    fs.symlinkSync(join(root, "node_modules"), join(folder, workdir, "node_modules"));
    return;
  }
  const here = command
    .replaceAll(/(?<= )\/(?=[a-z])/g, `${folder}/`)
    // Who the user of the image is has no meaning here.
    .replaceAll("-o node -g node ", "");
  for (const name of ["usr/local/bin"]) fs.mkdirSync(join(folder, name), { recursive: true });
  execFileSync("sh", ["-ec", here], { cwd: join(folder, workdir), stdio: ["ignore", "ignore", "pipe"] });
}

function setting(name: string, rest: string, { env }: BuiltImage): Partial<BuiltImage> {
  switch (name) {
    case "ENV":
      return { env: { ...env, ...Object.fromEntries(rest.split(" ").map((pair) => pair.split("="))) } };
    case "USER":
      return { user: rest };
    case "ENTRYPOINT":
      return { entrypoint: JSON.parse(rest) };
    case "CMD":
      return { cmd: JSON.parse(rest) };
    case "HEALTHCHECK":
      return { healthcheck: JSON.parse(rest.replace(/^.* CMD (?=\[)/, "")) };
    default:
      return {};
  }
}

/** The folder above, for those who may look at what is in it. */
export function openUp(folder: string): void {
  for (let path = folder; path !== dirname(path) && path.includes("skep-test-"); path = dirname(path)) {
    fs.chmodSync(path, 0o755);
  }
}
