/** Names that shells complete, as `skep __complete` gives them. */
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { namesOf } from "../../src/commands/operations/names.ts";
import { Credentials } from "../../src/client/login/credentials.ts";
import { acmeStorage, createToken, request, serveInProcess, skepOk, skepWithin } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

let storage: string;
let folder: string;
let ids: readonly string[];

beforeAll(async () => {
  storage = await acmeStorage({ web: ["--locale", "fr", "--locale", "pt-BR=pt_BR"], app: [] });
  for (const name of ["a", "b"])
    await skepOk(storage, "webhook", "create", `https://${name}.example.org/hook`);
  const webhooks: readonly { readonly id: string }[] = JSON.parse(
    await skepOk(storage, "webhook", "list", "--json"),
  );
  ids = webhooks.map(({ id }) => id);
});

type Environment = Readonly<Record<string, string>>;

/** What is offered for the last of some words, which may be empty. */
async function offered(env: Environment, line: string): Promise<readonly string[]> {
  folder = realFolder();
  mkdirSync(folder, { recursive: true });
  return offeredIn(folder, { XDG_CACHE_HOME: join(folder, "cache"), ...env }, line);
}

async function offeredIn(cwd: string, env: Environment, line: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await skepWithin(cwd, env, "__complete", ...line.split(" "));
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((each) => each !== "");
}

const namesAlone = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.split("\t")[0] ?? "");

describe("without a place", () => {
  it.each([
    ["tea", ["team\tCreate, change, show and list teams"]],
    ["hive crea", ["create\tCreate a Hive"]],
    ["completion ", ["bash", "zsh", "fish", "powershell"]],
    ["completion zs", ["zsh"]],
    ["hive list --tra", ["--trash\tlist the deleted Hives that can be restored, on the server's machine"]],
    ["channel edit web x --fail", ["--failing"]],
    ["--storage x hive lis", ["list\tList the Hives that the token can read"]],
    ["hive delete ", []],
    ["push --hive ", []],
    ["nope ", []],
    ["verif", []],
  ])("offers what commands have: %s", async (line, words) => {
    const found = await offered({}, line);
    expect(line.includes("--fail") ? namesAlone(found) : found).toEqual(words);
  });
});

// oxfmt-ignore
const named: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["hive delete ", ["web", "app"]],
  ["hive delete w", ["web"]],
  ["log a", ["app"]],
  ["token create --hive ", ["web", "app"]],
  ["token create --hive web,", ["web,web", "web,app"]],
  ["token create --hive=w", ["--hive=web"]],
  ["token create --hive = w", ["web"]],
  ["token create --hive web --locale ", ["fr", "pt_BR"]],
  ["locale remove web ", ["fr", "pt_BR"]],
  ["locale remove web p", ["pt_BR"]],
  ["channel create web next --branch ", ["feature"]],
  ["channel show web ", ["stable"]],
  ["hive create ", []],
];

describe("at a place that is named", () => {
  // Within the first test, since a server ends with its test.
  let isReady = false;
  beforeEach(async () => {
    if (isReady) return;
    isReady = true;
    const token = await createToken(storage, ["read", "write", "admin"]);
    const server = await serveInProcess(storage);
    await request(server, token, "POST", "/api/hives/web/branches", { name: "feature" });
    await skepOk(storage, "channel", "create", "web", "stable");
  });

  it.each(named)("a storage of a variable: %s", async (line, words) => {
    expect(namesAlone(await offered({ SKEP_STORAGE: storage }, line)).toSorted()).toEqual(words.toSorted());
  });

  it.each(named)("a server of a variable: %s", async (line, words) => {
    const { url } = await serveInProcess(storage);
    const env = { SKEP_SERVER: url, SKEP_TOKEN: await createToken(storage, ["read", "write", "admin"]) };
    expect(namesAlone(await offered(env, line)).toSorted()).toEqual(words.toSorted());
  });

  it("flags, also where a variable names another place", async () => {
    const env = { SKEP_STORAGE: "/nowhere", SKEP_SERVER: "http://127.0.0.1:1" };
    expect(namesAlone(await offered(env, `hive delete --storage ${storage} w`))).toEqual(["web"]);
    const { url } = await serveInProcess(storage);
    const token = { ...env, SKEP_TOKEN: await createToken(storage) };
    expect(namesAlone(await offered(token, `token create --server ${url} --hive w`))).toEqual(["web"]);
    expect(namesAlone(await offered(token, `push --server ${url} --hive web --branch `))).toEqual([
      "feature",
    ]);
  });

  it("offers ids with what they are of", async () => {
    const { url } = await serveInProcess(storage);
    const env = { SKEP_SERVER: url, SKEP_TOKEN: await createToken(storage, ["read", "admin"]) };
    for (const place of [{ SKEP_STORAGE: storage }, env]) {
      const found = await offered(place, "webhook delete ");
      expect(namesAlone(found).toSorted()).toEqual(ids.toSorted());
      expect(found.some((line) => line.endsWith("\thttps://a.example.org/hook"))).toBe(true);
      expect(await offered(place, `webhook show ${ids[0]} `)).toEqual([]);
    }
  });
});

describe("what is only found", () => {
  async function appAt(url: string): Promise<string> {
    const app = realFolder();
    mkdirSync(app, { recursive: true });
    writeFileSync(
      join(app, "skep.yaml"),
      `server: ${url}\nhive: web\nfiles:\n  - { path: "{locale}.json" }\n`,
    );
    return app;
  }

  it("a server of skep.yaml is asked with the token of skep login, and with no other", async () => {
    const { url } = await serveInProcess(storage);
    const [app, token] = [await appAt(url), await createToken(storage)];
    const env = { XDG_CACHE_HOME: join(app, "cache"), XDG_CONFIG_HOME: join(app, "config") };
    expect(await offeredIn(app, { ...env, SKEP_TOKEN: token }, "pull --locale ")).toEqual([]);
    await new Credentials(env, () => Promise.resolve(undefined)).save(url, token);
    expect(namesAlone(await offeredIn(app, env, "pull --locale "))).toContain("fr");
  });

  it("a storage in the usual place is not opened", async () => {
    const cwd = realFolder();
    await skepOk(join(cwd, "storage"), "team", "create", "acme");
    await skepOk(join(cwd, "storage"), "hive", "create", "web", "--team", "acme");
    expect(await offeredIn(cwd, { XDG_CACHE_HOME: join(cwd, "cache") }, "hive delete ")).toEqual([]);
  });
});

describe("names", () => {
  it("are kept for a minute", async () => {
    const own = await acmeStorage();
    const { url } = await serveInProcess(own);
    const env = { SKEP_SERVER: url, SKEP_TOKEN: await createToken(own, ["read", "admin"]) };
    const cwd = realFolder();
    mkdirSync(cwd, { recursive: true });
    const ask = () => offeredIn(cwd, { ...env, XDG_CACHE_HOME: join(cwd, "cache") }, "push --hive ");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    expect(namesAlone(await ask())).toEqual(["web"]);
    await skepOk(own, "hive", "create", "later", "--team", "acme");
    expect(namesAlone(await ask())).toEqual(["web"]);
    // A file that another run is writing counts as none.
    const files = join(cwd, "cache/skep/completion");
    for (const name of readdirSync(files)) writeFileSync(join(files, name), '{"time": 1');
    expect(namesAlone(await ask()).toSorted()).toEqual(["later", "web"]);
    await skepOk(own, "hive", "create", "last", "--team", "acme");
    vi.setSystemTime(Date.now() + 60_000);
    expect(namesAlone(await ask()).toSorted()).toEqual(["last", "later", "web"]);
  });

  it("of a server that does not answer are none", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const cache = realFolder();
    const environment = { SKEP_TOKEN: "skp_x", XDG_CACHE_HOME: cache };
    const options = { folder: "/", environment, now: 0, limitMs: 10 };
    const from = { server: `http://127.0.0.1:${port}` };
    expect(await namesOf({ kind: "hives", noun: "push" }, from, options)).toEqual([]);
  });

  it.each(["http://127.0.0.1:1", "no address", ""])(
    "of a server that cannot be reached are none: %s",
    async (url) => {
      expect(await offered({ SKEP_SERVER: url, SKEP_TOKEN: "skp_x" }, "push --hive ")).toEqual([]);
    },
  );

  it("that a shell would expand are left out", async () => {
    const own = await acmeStorage();
    const token = await createToken(own);
    const server = await serveInProcess(own);
    for (const name of ["a$(id)", "a`id`", "a'b", "a/b"])
      await request(server, token, "POST", "/api/hives/web/branches", { name });
    const env = { SKEP_SERVER: server.url, SKEP_TOKEN: token };
    expect(namesAlone(await offered(env, "push --hive web --branch a"))).toEqual(["a/b"]);
  });
});
