/** A command loads what it needs and no more: the rest is most of the time that it takes to start. */
import { expect, it } from "vitest";
import { skep, skepIn, startServerIn } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

/** Has node tell on stderr of each module that it loads. */
const telling = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(
  "export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }"
));`;
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}` };

it.each([
  [0, ["--version"]],
  [0, ["--help"]],
  [2, ["nope"]],
  [2, ["--nope"]],
  [0, ["serve", "--help"]],
  [2, ["serve", "--port", "http"]],
  [2, ["team", "create"]],
  [2, ["token", "create", "--team", "acme", "--expires", "soon"]],
  [2, ["log", "--limit", "many"]],
])("help and mistakes load neither services nor libraries: %i skep %j", async (code, args) => {
  const ended = await skepIn(env, ...args);
  expect(ended.code).toBe(code);
  const loaded = ended.stderr.match(/^file:.*$/gm) ?? [];
  expect(loaded.some((url) => url.endsWith("/dist/cli.js"))).toBe(true);
  const needed =
    /\/dist\/(cli|slices|module-caches|commands\/.*|api\/nouns|config\/.*|http\/schemas\/.*|domain\/.*|client\/api\/client-error)\.js$|\/node_modules\/(?:commander|@commander-js\/extra-typings|get-east-asian-width)\//;
  expect(loaded.filter((url) => !needed.test(url))).toEqual([]);
});

it("a reading command loads no other command, no server and nothing that only writes need", async () => {
  const storage = realFolder();
  await skep("team", "create", "acme", "--storage", storage);
  const { stderr, stdout } = await skepIn(env, "team", "list", "--storage", storage);
  expect(stdout).toContain("acme");
  expect(stderr).toContain("/dist/service/storage.js");
  expect(stderr).not.toMatch(
    /\/dist\/(http\/|commands\/(serve|server|token)\.js)|node_modules\/(h3|srvx|pino|isomorphic-git|proper-lockfile)\//,
  );
});

it("a server of a folder loads nothing of databases", async () => {
  const server = await startServerIn(env, realFolder());
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toContain("/dist/service/storage.js");
  expect(server.stderr()).not.toMatch(
    /\/dist\/(service\/database|store\/postgres\/)|node_modules\/postgres\//,
  );
});
