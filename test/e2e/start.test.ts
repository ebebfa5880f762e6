/** A command loads what it needs and no more: the rest is most of the time that it takes to start. */
import { expect, it } from "vitest";
import { modulesIn } from "../helpers/built-modules.ts";
import { skep, skepIn, startServerIn } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

/** Has node tell on stderr of each module that it loads. */
const telling = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(
  "export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }"
));`;
/** The modules and packages that a process has told of. */
function loadedBy({ stderr }: { readonly stderr: string }): readonly string[] {
  const urls = stderr.match(/^file:.*$/gm) ?? [];
  return urls.flatMap((url) =>
    url.includes("/dist/") && !url.includes("/node_modules/") ? modulesIn(url) : [url],
  );
}

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
  const loaded = loadedBy(ended);
  expect(loaded).toContain("src/cli.ts");
  const needed =
    /^src\/(cli|slices|module-caches|own-files|commands\/.*|api\/nouns|config\/.*|http\/schemas\/.*|domain\/.*|client\/api\/client-error)\.ts$|\/node_modules\/(?:commander|@commander-js\/extra-typings|get-east-asian-width)\//;
  expect(loaded.filter((url) => !needed.test(url))).toEqual([]);
});

it("a reading command loads no other command, no server and nothing that only writes need", async () => {
  const storage = realFolder();
  await skep("team", "create", "acme", "--storage", storage);
  const ended = await skepIn(env, "team", "list", "--storage", storage);
  expect(ended.stdout).toContain("acme");
  const loaded = loadedBy(ended);
  expect(loaded).toContain("src/service/storage.ts");
  const unneeded =
    /^src\/(http\/|commands\/(serve|server|token)\.ts)|\/node_modules\/(h3|srvx|pino|isomorphic-git|proper-lockfile)\//;
  expect(loaded.filter((name) => unneeded.test(name))).toEqual([]);
});

it("a server of a folder loads nothing of databases", async () => {
  const server = await startServerIn(env, realFolder());
  expect(await server.stop()).toBe(0);
  const loaded = loadedBy({ stderr: server.stderr() });
  expect(loaded).toContain("src/service/storage.ts");
  const unneeded = /^src\/(service\/database|store\/postgres\/)|\/node_modules\/postgres\//;
  expect(loaded.filter((name) => unneeded.test(name))).toEqual([]);
});
