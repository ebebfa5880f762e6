/** The plugin of Vite: real builds and a real development server, with a Hive of a real server. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, createLogger, createServer, type InlineConfig, type ViteDevServer } from "vite";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { skep, type SkepPluginOptions } from "../../src/apps/vite.ts";
import { acmeStorage, createToken, request, serveInProcess, type Served } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

let server: Served;
let token: string;
let app: string;

beforeEach(async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr", "--locale", "de"] });
  token = await createToken(storage);
  server = await serveInProcess(storage);
  app = realFolder();
  write({
    "skep.yaml": "hive: web\nfiles:\n  - src/locales/{locale}.json\n  - public/{locale}/*.json\n",
    "index.html": '<script type="module" src="/src/main.js"></script>\n',
    "src/main.js": 'import fr from "./locales/fr.json";\ndocument.title = fr.hello;\n',
    "src/locales/en.json": '{ "hello": "Hello" }\n',
    "src/locales/fr.json": '{ "hello": "(old)" }\n',
    "public/en/menu.json": '{ "open": "Open" }\n',
  });
  const files = { "en.json": { hello: "Hello" }, "menu.json": { open: "Open" } };
  await request(server, token, "POST", "/api/hives/web/strings", { files });
  await translate({ "en.json": { hello: "Bonjour" }, "menu.json": { open: "Ouvrir" } });
  vi.stubEnv("SKEP_SERVER", server.url);
  vi.stubEnv("SKEP_TOKEN", token);
  // Otherwise nothing is pulled for the server that Vitest starts.
  vi.stubEnv("VITEST", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), content);
  }
}

const read = (path: string): string => readFileSync(join(app, path), "utf8");

const translate = (files: object) =>
  request(server, token, "POST", "/api/hives/web/translations/fr", {
    files,
    overwrite_strategy: "overwrite",
  });

/** Vite's settings, and what it says. */
function settings(options: SkepPluginOptions): { readonly config: InlineConfig; readonly said: string[] } {
  const said: string[] = [];
  const take = (message: string): void => void (message.startsWith("skep: ") && said.push(message));
  const customLogger = { ...createLogger("silent"), info: take, warn: take };
  return { said, config: { root: app, configFile: false, customLogger, plugins: [skep(options)] } };
}

async function built(options: SkepPluginOptions = {}) {
  const { config, said } = settings(options);
  const result = await build({ ...config, build: { write: false } });
  const code = JSON.stringify(result);
  return { said, code };
}

it("a build has the texts of the Hive, and pulls once", async () => {
  const { code, said } = await built();
  expect(code).toContain("Bonjour");
  expect(said).toEqual(["skep: pulled src/locales/fr.json, public/fr/menu.json"]);
  expect([read("public/fr/menu.json"), read("src/locales/en.json")]).toEqual([
    '{ "open": "Ouvrir" }\n',
    '{ "hello": "Hello" }\n',
  ]);
  expect((await built()).said).toEqual([]);
});

it("a build takes the files as they are if it is told so, and what it is told to pull", async () => {
  expect((await built({ build: false })).code).toContain("(old)");
  await built({ locales: ["de"], missing: "source" });
  expect([read("src/locales/de.json"), read("src/locales/fr.json")]).toEqual([
    '{ "hello": "Hello" }\n',
    '{ "hello": "(old)" }\n',
  ]);
});

it("a build fails where its pull does, unless it may go on with the files that are there", async () => {
  vi.stubEnv("SKEP_TOKEN", "skep_wrong");
  await expect(built()).rejects.toThrow("token");
  const { code, said } = await built({ required: false });
  expect([code.includes("(old)"), said]).toEqual([true, [expect.stringContaining("token")]]);
  write({ "skep.yaml": "hive: web\nfiles:\n  - '{lang}.json'\n" });
  await expect(built()).rejects.toThrow("skep.yaml:3");
});

/** A development server, and how often it had pages reloaded. */
async function started(options: SkepPluginOptions, root = app) {
  const { config, said } = settings(options);
  const vite: ViteDevServer = await createServer({
    ...config,
    root,
    server: { port: 0, hmr: false, ws: false },
  });
  onTestFinished(() => vite.close());
  const sent = vi.spyOn(vite.ws, "send");
  const reloads = (): number =>
    sent.mock.calls.filter((call) => JSON.stringify(call).includes("full-reload")).length;
  return { vite, said, reloads };
}

const options = { timeout: 60_000 };

/** Changes a text of a file until something holds: a change is not seen before the file is watched. */
function changedUntil(holds: () => void, file: string, key: string): Promise<void> {
  let change = 0;
  return vi.waitFor(() => {
    write({ [file]: `{ "${key}": "Text ${change++}" }\n` });
    holds();
  }, options);
}

it("a development server pulls at its start and when the Hive changes, and has pages reloaded", async () => {
  const { vite, said, reloads } = await started({ interval: 0.05 });
  await vi.waitFor(() => expect(read("src/locales/fr.json")).toContain("Bonjour"), options);
  await vi.waitFor(() => expect(reloads()).toBeGreaterThan(0), options);
  const before = reloads();
  await translate({ "menu.json": { open: "Ouvre" } });
  await vi.waitFor(() => expect(read("public/fr/menu.json")).toContain("Ouvre"), options);
  await vi.waitFor(() => expect(reloads()).toBeGreaterThan(before), options);
  expect(said).toContain("skep: pulled public/fr/menu.json");
  expect((await vite.transformRequest("/src/locales/fr.json"))?.code).toContain("Bonjour");
});

it("a pull has pages reloaded, also where the watcher misses what it wrote", async () => {
  const plugin = skep({ interval: 0 });
  await plugin.configResolved({ root: app, command: "serve", logger: createLogger("silent") });
  const send = vi.fn<(payload: { type: "full-reload" }) => void>();
  await plugin.configureServer({ watcher: { add: () => {}, on: () => {} }, ws: { send } });
  onTestFinished(() => plugin.closeBundle());
  await vi.waitFor(() => expect(send).toHaveBeenCalledExactlyOnceWith({ type: "full-reload" }), options);
  expect(read("public/fr/menu.json")).toContain("Ouvrir");
});

it("a development server goes on without the server, and says so once", async () => {
  vi.stubEnv("SKEP_TOKEN", "skep_wrong");
  const { said, reloads } = await started({ interval: 0.01 });
  await vi.waitFor(() => expect(said).toHaveLength(1), options);
  // A change by hand has pages reloaded, also where Vite itself does not know the file as a module.
  await changedUntil(() => expect(reloads()).toBeGreaterThan(0), "public/en/menu.json", "open");
  vi.stubEnv("SKEP_TOKEN", token);
  await vi.waitFor(() => expect(read("src/locales/fr.json")).toContain("Bonjour"), options);
  expect(said.filter((line) => line.includes("token"))).toHaveLength(1);
});

it("files outside of Vite's root have pages reloaded, too", async () => {
  write({ "web/index.html": "" });
  const { reloads } = await started({ dev: false }, join(app, "web"));
  await changedUntil(() => expect(reloads()).toBeGreaterThan(0), "src/locales/en.json", "hello");
  expect(read("src/locales/fr.json")).toContain("(old)");
});

it("the server that Vitest starts pulls nothing", async () => {
  vi.stubEnv("VITEST", "true");
  const { vite } = await started({});
  await vite.close();
  expect(read("src/locales/fr.json")).toContain("(old)");
});
