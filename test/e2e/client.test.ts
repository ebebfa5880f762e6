/** The client as it is built, against the server as it is built. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  acmeStorage,
  createToken,
  request,
  type RunningServer,
  runSkep,
  skepAt,
  startServer,
} from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

const paths = ["lang/fr/auth.php", "lang/fr/admin/calendar.php", "lang/fr.json"];

let server: RunningServer;
let token: string;
let app: string;

/** Runs a command in a folder of the app, with the token in the environment. */
function run(
  args: readonly string[],
  { below = ".", env = {} }: { below?: string; env?: Record<string, string> } = {},
) {
  return skepAt(join(app, below), { SKEP_TOKEN: token, ...env }, ...args);
}

beforeEach(async () => {
  const storage = await acmeStorage();
  token = await createToken(storage);
  server = await startServer(storage);
  app = realFolder();
  cpSync(new URL("../fixtures/laravel", import.meta.url), app, { recursive: true });
  writeFileSync(
    join(app, "skep.yaml"),
    `server: ${server.url}\nhive: web\nfiles:\n  - lang/{locale}/**/*.php\n  - lang/{locale}.json\n`,
  );
});

describe("skep push and skep pull", () => {
  it("bring a Laravel tree to the Hive, and one changed text back as one changed line", async () => {
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

  it("say in the exit code what went wrong", async () => {
    expect(await run(["push"], { env: { SKEP_TOKEN: "skep_wrong" } })).toMatchObject({ code: 5, stdout: "" });
    expect(await run(["push", "--bogus"])).toMatchObject({ code: 2, stdout: "" });
    writeFileSync(join(app, "lang/en/auth.php"), "<?php\n\nreturn [\n  'a' => foo(),\n];\n");
    const broken = await run(["push"], { env: { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: app } });
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/^::error file=lang\/en\/auth\.php,line=4::/);
    expect(await runSkep("pull")).toMatchObject({ code: 2 });
  });

  it("end with 6 when the server cannot be reached", async () => {
    await server.stop();
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
