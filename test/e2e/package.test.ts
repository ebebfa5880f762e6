/** The package as others install it: what `npm pack` puts into it, and that it runs without being built again. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { acmeStorage, createToken, startServer } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";
import { root } from "../docs/pages.ts";
import { blocks } from "../docs/shell.ts";

/** `.ci/run` says so: there it is a failure if packages cannot be had. */
const isRequired = process.env.SKEP_TEST_DEPLOY === "required";
const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number; readonly size: number }[];
}

/** Packs a copy of the project that has never been built, so that nothing left over from a build can get in. */
function pack(into: string): Packed {
  const checkout = mkdtempSync(join(into, "checkout-"));
  for (const name of readdirSync(root)) {
    if (name === "node_modules") symlinkSync(join(root, name), join(checkout, name));
    else if (!["dist", "storage", ".git"].includes(name)) {
      cpSync(join(root, name), join(checkout, name), { recursive: true });
    }
  }
  const [packed]: readonly Packed[] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", into], {
      cwd: checkout,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  if (packed === undefined) throw new Error("npm pack made nothing");
  return packed;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  file: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Ran {
  // A consumer's folder: nothing of the npm script that runs this test, and the usual cache of packages.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_cache)|^NODE_ENV$/.test(name));
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd,
    env: { ...Object.fromEntries(own), ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { code: status, stdout, stderr };
}

const unreachable = /E(NOTCACHED|NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT)/;

/** Skips a test whose packages are neither in npm's cache nor to be had from a registry. */
function skipWithoutPackages({ skip }: TestContext, { code, stderr }: Ran): void {
  const [why] = unreachable.exec(stderr) ?? [];
  if (code !== 0 && why !== undefined && !isRequired) skip(`the packages cannot be had here: ${why}`);
}

/** Checks what apps import of the installed package: that it loads, and that its types hold for the examples of the page. */
function checkParts(skep: string): void {
  const app = realFolder();
  mkdirSync(join(app, "node_modules"));
  symlinkSync(skep, join(app, "node_modules/skep"));
  for (const name of ["i18next", "vite"])
    symlinkSync(join(root, "node_modules", name), join(app, `node_modules/${name}`));
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
  const script = `const { SkepBackend } = await import("skep/i18next");
    console.log(SkepBackend.type, (await import("skep/vite")).skep().name);`;
  const loaded = run(process.execPath, ["--input-type=module", "--eval", script], app);
  expect(loaded).toEqual({ code: 0, stdout: "backend skep\n", stderr: "" });
  const examples = blocks("docs/apps.md", "ts").filter((code) => code.includes('from "skep/'));
  expect(examples.length).toBeGreaterThan(1);
  const names = examples.map((code, i) => {
    writeFileSync(join(app, `${i}.ts`), code);
    return `${i}.ts`;
  });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
  expect(run(process.execPath, [tsc, ...flags, ...names], app)).toEqual({ code: 0, stdout: "", stderr: "" });
}

describe("the packed package", () => {
  const folder = mkdtempSync(join(tmpdir(), "skep-package-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let packed: Packed;
  beforeAll(() => void (packed = pack(folder)));
  const tarball = (): string => join(folder, packed.filename);

  it("has the built program, docs and deploy files, and nothing else", () => {
    const paths = packed.files.map(({ path }) => path);
    const built =
      /^dist\/(viewer\/[^/]+|(?!viewer).*\.(js|json)|.*\/(assets|styles|reference-files)\/[a-z-]+\.(css|svg)|.*\/schema\/\d+\.sql|apps\/(i18next|vite)\.d\.ts|.*\.LICENSE)$/;
    const pages = /^(docs|deploy)\/|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/;
    expect(paths.filter((path) => !built.test(path) && !pages.test(path))).toEqual([]);
    for (const path of ["dist/cli.js", "docs/api.md", "docs/ci.md", "deploy/skep.service", "LICENSE"]) {
      expect(paths).toContain(path);
    }
    // The reference page is most of it. What grows it by more than a feature does is to be noticed.
    expect(packed.size).toBeLessThan(1_900_000);
    expect(packed.unpackedSize).toBeLessThan(5_700_000);
    const sizes = packed.files.filter(({ path }) => /^dist\/apps\/\w+\.js$/.test(path));
    expect(sizes.map(({ path }) => path)).toEqual(["dist/apps/i18next.js", "dist/apps/vite.js"]);
    for (const { size } of sizes) expect(size).toBeLessThan(4_000);
    // Apps bundle it: it is all there is, and has nothing of the server.
    expect(readFileSync(join(root, "dist/apps/i18next.js"), "utf8")).not.toMatch(/\bfrom *"|\bimport\b/);
  });

  it("is installed into an empty folder and runs, without a build and without scripts", async (context) => {
    const prefix = realFolder();
    const args = [
      "install",
      "--global",
      "--prefix",
      prefix,
      "--prefer-offline",
      "--json",
      ...quiet,
      tarball(),
    ];
    const installed = run("npm", args, prefix);
    skipWithoutPackages(context, installed);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    const { added } = JSON.parse(installed.stdout);
    expect(added).toBeLessThan(146);
    const modules = join(prefix, "lib/node_modules/skep");
    expect(readdirSync(join(modules, "node_modules"))).not.toContain("typescript");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const skep = join(prefix, "bin/skep");
    expect(run(skep, ["--version"], prefix)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    const helped = run(skep, ["--help"], prefix);
    expect(helped).toMatchObject({ code: 0, stderr: "" });
    for (const { name } of commands) expect(helped.stdout).toMatch(new RegExp(`^ +${name} `, "m"));
    // All code, in one process: no module and no package is missing.
    const code = pathToFileURL(join(modules, "dist/code/")).href;
    const script = `const { readdirSync } = await import("node:fs");
      const names = readdirSync(new URL(${JSON.stringify(code)}));
      await Promise.all(names.map((name) => import(${JSON.stringify(code)} + name)));
      process.stdout.write(String(names.length));`;
    const loaded = run(process.execPath, ["--input-type=module", "--eval", script], prefix);
    expect(loaded).toMatchObject({ code: 0, stderr: "" });
    expect(Number(loaded.stdout)).toBeGreaterThan(100);
    checkParts(modules);
    const storage = ["--storage", join(prefix, "storage")];
    expect(run(skep, ["team", "create", "acme", ...storage], prefix)).toMatchObject({ code: 0 });
    expect(run(skep, ["hive", "create", "web", "--team", "acme", ...storage], prefix)).toMatchObject({
      code: 0,
    });
    // The client, from an app's folder to the server of another storage.
    const served = await acmeStorage();
    const token = await createToken(served);
    const { url } = await startServer(served);
    const app = realFolder();
    mkdirSync(join(app, "locales"));
    writeFileSync(join(app, "locales/en.json"), '{"home": "Home"}\n');
    writeFileSync(join(app, "locales/fr.json"), '{"home": "Accueil"}\n');
    for (const command of [
      ["init", "--yes", "--server", url, "--hive", "web"],
      ["push", "--translations"],
      ["status", "--fail-on-missing"],
      ["pull"],
    ]) {
      expect(run(skep, command, app, { SKEP_TOKEN: token })).toMatchObject({ code: 0 });
    }
  });

  it("is run by npx from the tarball", (context) => {
    const cwd = realFolder();
    const args = [
      "--yes",
      "--prefer-offline",
      "--loglevel=error",
      `--package=${tarball()}`,
      "--",
      "skep",
      "--help",
    ];
    const ran = run("npx", args, cwd);
    skipWithoutPackages(context, ran);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("Usage: skep");
    expect(readdirSync(cwd)).toEqual([]);
  });
});
