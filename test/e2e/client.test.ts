/** The client as it is built, against the server as it is built. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  acmeStorage,
  createToken,
  request,
  serveInProcess,
  skepAt,
  skepWithin,
  startServer,
  type Served,
} from "../helpers/process.ts";
import { exportsOfTools } from "../helpers/exports/tools.ts";
import { zipOfTexts } from "../helpers/exports/zip.ts";
import { freePort } from "../deploy/proxy.ts";
import { realFolder } from "../helpers/storage.ts";

const paths = ["lang/fr/auth.php", "lang/fr/admin/calendar.php", "lang/fr.json"];

interface RunOptions {
  readonly below?: string;
  readonly env?: Record<string, string>;
  /** Starts the program as it is built, if not told otherwise. */
  readonly start?: typeof skepWithin;
}

/**
 * The tree of an app whose Hive is served.
 * @param serve starts the server: in this process, where the client alone is looked at.
 */
async function setUp(serve: (storage: string) => Promise<Served> = serveInProcess) {
  const storage = await acmeStorage();
  const token = await createToken(storage);
  const server = await serve(storage);
  const app = realFolder();
  cpSync(new URL("../fixtures/laravel", import.meta.url), app, { recursive: true });
  writeFileSync(
    join(app, "skep.yaml"),
    `server: ${server.url}\nhive: web\nfiles:\n  - lang/{locale}/**/*.php\n  - lang/{locale}.json\n`,
  );
  /** Runs a command in a folder of the app, with the token in the environment. */
  const run = (args: readonly string[], { below = ".", env = {}, start = skepAt }: RunOptions = {}) =>
    start(join(app, below), { SKEP_TOKEN: token, ...env }, ...args);
  return { server, token, app, run };
}

describe("skep push and skep pull", () => {
  it("bring a Laravel tree to the Hive, and one changed text back as one changed line", async () => {
    const { server, token, app, run } = await setUp(startServer);
    const before = paths.map((path) => readFileSync(join(app, path), "utf8"));
    expect(await run(["push", "--translations", "--same-as-source"])).toMatchObject({ code: 0 });
    mkdirSync(join(app, "app/Models"), { recursive: true });
    // The settings are found upwards.
    expect(await run(["pull"], { below: "app/Models" })).toMatchObject({ code: 0 });
    expect(paths.map((path) => readFileSync(join(app, path), "utf8"))).toEqual(before);
    const body = { files: { "auth.php": { failed: "Échec." } }, overwrite_strategy: "overwrite" };
    await request(server, token, "POST", "/api/hives/web/translations/fr", body);
    expect((await run(["pull"])).stdout).toContain("lang/fr/auth.php: 1 updated\n");
    const after = readFileSync(join(app, "lang/fr/auth.php"), "utf8").split("\n");
    expect(after.filter((line, i) => line !== before[0]?.split("\n")[i])).toHaveLength(1);
  });

  it("go through the proxy of the environment, unless it is not for the server", async () => {
    const { server, run } = await setUp();
    const asked: string[] = [];
    const proxy = createServer().on("connect", ({ url = "" }, socket) => {
      asked.push(url);
      const [host, port] = url.split(":");
      const through = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        through.pipe(socket).pipe(through);
      });
      through.on("error", () => socket.destroy());
      socket.on("error", () => through.destroy());
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const env = { HTTP_PROXY: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
    expect(await run(["pull"], { env })).toMatchObject({ code: 0 });
    expect(asked).toContain(new URL(server.url).host);
    asked.length = 0;
    expect(await run(["pull"], { env: { ...env, NO_PROXY: "127.0.0.1" } })).toMatchObject({ code: 0 });
    expect(asked).toEqual([]);
  });

  it("write pseudo-locales, which a later push and status take for no locales", async () => {
    const { app, run } = await setUp(startServer);
    expect(await run(["push", "--translations", "--same-as-source"])).toMatchObject({ code: 0 });
    const before = (await run(["status"])).stdout;
    expect((await run(["pull", "--pseudo"])).stdout).toContain("lang/en-XA/auth.php: new file");
    expect(readFileSync(join(app, "lang/en-XA/auth.php"), "utf8")).toMatch(
      /'⟦Ţ.*\{count\}.*⟧\|⟦Ţ.*\{count\}.*⟧'/,
    );
    expect(readFileSync(join(app, "lang/ar-XB.json"), "utf8")).toContain("\u202e");
    expect(await run(["push", "--create", "--translations"])).toMatchObject({ code: 0 });
    expect((await run(["status"])).stdout).toBe(before);
    expect((await run(["pull", "--pseudo"])).stdout).toContain(": 0 files changed");
  });
  it("say in the exit code what went wrong", async () => {
    const { app, run } = await setUp();
    expect(await run(["push"], { env: { SKEP_TOKEN: "skep_wrong" } })).toMatchObject({ code: 5, stdout: "" });
    const start = skepWithin;
    expect(await run(["push", "--bogus"], { start })).toMatchObject({ code: 2, stdout: "" });
    writeFileSync(join(app, "lang/en/auth.php"), "<?php\n\nreturn [\n  'a' => foo(),\n];\n");
    const broken = await run(["push"], { env: { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: app }, start });
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/^::error file=lang\/en\/auth\.php,line=4::/);
    expect(await skepWithin(realFolder(), {}, "pull")).toMatchObject({ code: 2 });
  });

  it("end with 6 when the server cannot be reached", async () => {
    const { server, run } = await setUp(async () => ({ url: `http://127.0.0.1:${await freePort()}` }));
    // The waits before it tries again are cut short.
    const hurry = `import { syncBuiltinESMExports } from "node:module"; import timers from "node:timers/promises";
      const wait = timers.setTimeout; timers.setTimeout = () => wait(1); syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurry)}` };
    const { code, stderr } = await run(["pull"], { env });
    expect(code).toBe(6);
    expect(stderr).toContain("Trying again in");
    expect(stderr).toContain(`${server.url} could not be reached`);
  });
});

describe("skep import --from and skep export", () => {
  it.each([
    ["a ZIP file", "weblate", "zip", "fr: 3 new"],
    ["a folder", "tolgee", "folder", "fr: 2 new"],
    ["a file", "phrase", "file", "fr: 3 new"],
  ] as const)("take %s, and give all of it back into another Hive", async (_, tool, kind, said) => {
    const { app, run } = await setUp(startServer);
    const files = exportsOfTools.find((one) => one.tool === tool)?.files ?? {};
    const path = join(app, "export");
    if (kind === "zip") writeFileSync(path, zipOfTexts(files));
    for (const [name, content] of kind === "zip" ? [] : Object.entries(files)) {
      const file = kind === "file" ? path : join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      if (kind === "folder" || name === "app.json")
        writeFileSync(kind === "file" ? `${path}.json` : file, content);
    }
    const given = kind === "file" ? "export.json" : "export";
    const sent = await run(["import", "--from", tool, given, "--yes"]);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining(said)]);
    expect(await run(["export", "out"])).toMatchObject({ code: 0 });
    const back = await run(["import", "--from", "skep", "out", "--yes"]);
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("Nothing was sent.")]);
  });
});
