/** A real server of several processes: it is to its callers, and to who runs it, what one process is. */
import fs from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Client } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  acmeStorage,
  createToken,
  french,
  git,
  request,
  type RunningServer,
  runSkep,
  skep,
  skepIn,
  skepOk,
  startServer,
} from "../helpers/process.ts";
import { makePerson, makePersonalToken, signInAs } from "../helpers/people/people.ts";
import { realFolder } from "../helpers/storage.ts";
import { openLocalStorage } from "../../src/service/storage.ts";

const strings = "/api/hives/web/strings";
const soon = { timeout: 120_000, interval: 50 };

async function makeStorage(): Promise<{ storage: string; token: string }> {
  const storage = await acmeStorage({ web: french, app: french });
  return { storage, token: await createToken(storage, ["read", "write", "admin"]) };
}

interface Line extends Record<string, unknown> {
  readonly message: string;
}

function linesOf({ stderr }: RunningServer): readonly Line[] {
  return stderr()
    .split("\n")
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
}

/** The processes of a server's workers that are running. */
function workersOf({ child }: RunningServer): readonly number[] {
  const children = fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  return children.split(" ").filter(Boolean).map(Number);
}

function isRunning(pid: number): boolean {
  // One that has ended and that its parent has not asked about is still listed.
  return (
    fs.existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  );
}

/** A connection to one worker. */
interface Connection {
  readonly worker: number;
  readonly send: (
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string> },
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  ) => Promise<{ readonly status: number; readonly json: any; readonly headers: Record<string, unknown> }>;
}

let probes = 0;

/** Connects to a server that logs each request. */
async function connect(server: RunningServer, token: string): Promise<Connection> {
  const client = new Client(server.url, { keepAliveTimeout: 60_000 });
  onTestFinished(() => client.destroy());
  const send: Connection["send"] = async (
    method,
    path,
    { token: other = token, body, headers = {} } = {},
  ) => {
    const authorization = `Bearer ${other}`;
    const response = await client.request({
      method,
      path,
      headers: { authorization, "content-type": "application/json", ...headers },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.body.text();
    const isJson = String(response.headers["content-type"]).startsWith("application/json");
    return { status: response.statusCode, json: isJson ? JSON.parse(text) : text, headers: response.headers };
  };
  const id = `probe-${probes++}`;
  await send("GET", "/healthz", { headers: { "x-request-id": id } });
  const found = await vi.waitUntil(() => linesOf(server).find((line) => line["request_id"] === id), soon);
  return { worker: Number(found["worker"]), send };
}

/** A connection to each of two workers. */
async function connectToBoth(
  server: RunningServer,
  token: string,
): Promise<readonly [Connection, Connection]> {
  const found = new Map<number, Connection>();
  for (let i = 0; i < 20 && found.size < 2; i++) {
    const connection = await connect(server, token);
    found.set(connection.worker, connection);
  }
  const [one, other] = [found.get(1), found.get(2)];
  if (one === undefined || other === undefined) throw new Error("one worker got all connections");
  return [one, other];
}

it("workers see at the next request what was changed through another one", async () => {
  const { storage, token } = await makeStorage();
  const server = await startServer(storage, "--workers", "2", "--log-level", "debug");
  const both = await connectToBoth(server, token);
  for (const [one, other] of [both, both.toReversed()]) {
    if (one === undefined || other === undefined) throw new Error("there are two");
    const total = async () => (await other.send("GET", strings)).json.meta.total;
    const before = await total();
    const body = { files: { "a.json": { [`key_${one.worker}`]: "x" } } };
    const headers = { "idempotency-key": `run-${one.worker}` };
    const written = await one.send("POST", strings, { body, headers });
    expect(written.status).toBe(200);
    expect(await total()).toBe(before + 1);
    const repeated = await other.send("POST", strings, { body, headers });
    expect(repeated.json).toEqual(written.json);
    expect(repeated.headers["idempotency-replayed"]).toBe("true");
    // A token, its session, and the end of both.
    const made = await one.send("POST", "/api/tokens", { body: { name: "ci", abilities: ["read"] } });
    const secret: string = made.json.token;
    expect((await other.send("GET", strings, { token: secret })).status).toBe(200);
    const html = { accept: "text/html", host: "x", authorization: "" };
    const signedIn = await one.send("POST", "/sign-in", {
      body: `token=${secret}`,
      headers: { ...html, origin: "http://x", "content-type": "application/x-www-form-urlencoded" },
    });
    const [cookie = ""] = String(signedIn.headers["set-cookie"]).split(";");
    const page = () => other.send("GET", "/", { headers: { ...html, cookie } });
    expect((await page()).json).toContain("web");
    expect((await one.send("DELETE", `/api/tokens/${secret.split("_")[1]}`)).status).toBe(200);
    expect((await other.send("GET", strings, { token: secret })).status).toBe(401);
    expect((await page()).json).not.toContain("Sign out");
  }
  // A person: their token sleeps while they are disabled, and their session ends, at the next request of each worker.
  const opened = openLocalStorage(storage);
  const [one, other] = both;
  const cookie = `skep=${await signInAs(opened, await makePerson(opened))}`;
  const own = await makePersonalToken(opened);
  const page = { accept: "text/html", host: "x", authorization: "", cookie };
  const seen = async ({ send }: Connection) => {
    const { status } = await send("GET", strings, { token: own });
    return [status, (await send("GET", "/account", { headers: page })).status];
  };
  for (const each of both) expect(await seen(each)).toEqual([200, 200]);
  for (const { send } of both) {
    const patch = (disabled: boolean) => send("PATCH", "/api/people/anna", { body: { disabled } });
    expect((await patch(false)).status).toBe(200);
    for (const each of both) expect((await seen(each))[0]).toBe(200);
    await patch(true);
    for (const each of both) expect(await seen(each)).toEqual([401, 303]);
  }
  await one.send("PATCH", "/api/people/anna", { body: { disabled: false } });
  expect(await seen(other)).toEqual([200, 303]);
  await one.send("DELETE", "/api/people/anna");
  for (const each of both) expect(await seen(each)).toEqual([401, 303]);
  await skepOk(storage, "token", "revoke", token.split("_")[1] ?? "");
  for (const { send } of both) expect((await send("GET", strings)).status).toBe(401);
  expect(await server.stop()).toBe(0);
});

it(
  "workers that are killed lose nothing that was acknowledged, and others take their places",
  { timeout: 120_000 },
  async () => {
    const { storage, token } = await makeStorage();
    const mirror = realFolder();
    await git(mirror, "init", "-q", "--bare");
    await skepOk(storage, "mirror", "add", "web", mirror);
    const server = await startServer(storage, "--workers", "2", "--metrics-port", "0");
    const [, metrics = ""] = /metrics are at (http:[^\s"]+)/.exec(server.stderr()) ?? [];
    const counted = async () => {
      const text = await (await fetch(metrics)).text();
      const [, count = ""] =
        /^skep_http_requests_total\{route="\/api\/hives\/:slug\/strings",method="POST",status="200"\} (\d+)$/m.exec(
          text,
        ) ?? [];
      return { text, count: Number(count) };
    };
    const acknowledged = new Set<string>();
    const ending = new AbortController();
    const write = async (name: string): Promise<void> => {
      for (let i = 0; !ending.signal.aborted; i++) {
        const hive = i % 2 === 0 ? "web" : "app";
        const key = `${hive}_${name}_${i}`;
        const files = { [`${name}.json`]: { [key]: "x" } };
        // Connections to a worker that is killed are cut.
        const reply = await request(server, token, "POST", `/api/hives/${hive}/strings`, { files }).catch(
          () => undefined,
        );
        if (reply === undefined) continue;
        expect(reply.status).toBe(200);
        acknowledged.add(key);
      }
    };
    const writing = ["a", "b", "c", "d"].map((name) => write(name));
    let scraped = 0;
    for (let kill = 0; kill < 3; kill++) {
      const before = acknowledged.size;
      await vi.waitUntil(() => acknowledged.size >= before + 10, soon);
      ({ count: scraped } = await counted());
      const [first, second] = workersOf(server);
      process.kill((kill === 1 ? second : first) ?? 0, "SIGKILL");
      const replaced = () => linesOf(server).filter(({ message }) => message.startsWith("a new worker"));
      await vi.waitUntil(() => replaced().length === kill + 1, soon);
      // What the dead one had counted is not forgotten.
      expect((await counted()).count).toBeGreaterThanOrEqual(scraped);
    }
    ending.abort();
    await Promise.all(writing);
    const found = new Set<string>();
    for (const hive of ["web", "app"]) {
      for (let page = 1, last = 1; page <= last; page++) {
        const path = `/api/hives/${hive}/strings?per_page=500&page=${page}`;
        const { json } = await request(server, token, "GET", path);
        last = json.meta.last_page;
        for (const { key } of json.data) found.add(key);
      }
    }
    expect([...acknowledged].filter((key) => !found.has(key))).toEqual([]);
    // One of them pushes for all, whoever has died.
    const main = async (gitdir: string) => (await git(gitdir, "rev-parse", "main")).trim();
    const head = await main(join(storage, "hives", "web.git"));
    await expect.poll(() => main(mirror).catch(() => ""), soon).toBe(head);
    const stateOf = async () => /skep_mirrors\{state="(\w+)"\} (\d+)/.exec((await counted()).text)?.slice(1);
    await expect.poll(stateOf, soon).toEqual(["pushed", "1"]);
    const { text } = await counted();
    for (const process of ["primary", "1", "2"])
      expect(text).toMatch(new RegExp(`^process_resident_memory_bytes\\{worker="${process}"\\} [1-9]`, "m"));
    expect((await skep("verify", "--storage", storage)).stderr).toContain("No problems found.");

    // Without their primary they end, and the port is free.
    const left = workersOf(server);
    expect(left).toHaveLength(2);
    await server.stop("SIGKILL");
    await vi.waitUntil(() => !left.some(isRunning), soon);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  },
);

it("workers end with 0 after a write that waits, and at once at a second signal", async () => {
  const { storage, token } = await makeStorage();
  const lock = join(storage, "locks", "hive-web.lock");
  for (const patient of [true, false]) {
    const server = await startServer(storage, "--workers", "2");
    const workers = workersOf(server);
    expect(linesOf(server).filter(({ message }) => message.startsWith("Skep listens"))).toHaveLength(1);
    fs.mkdirSync(lock, { recursive: true });
    const renew = setInterval(() => fs.existsSync(lock) && fs.utimesSync(lock, new Date(), new Date()), 200);
    const files = { "a.php": { [`${patient}`]: "x" } };
    const writing = request(server, token, "POST", strings, { files }).catch(() => undefined);
    await expect.poll(() => fs.existsSync(join(storage, "locks", "hive-web.waiting")), soon).toBe(true);
    // As a terminal does, which sends it to all.
    for (const pid of workers) process.kill(pid, "SIGINT");
    const stopped = server.stop("SIGINT");
    await expect.poll(() => server.stderr(), soon).toContain("a second signal stops it at once");
    if (patient) fs.rmdirSync(lock);
    else server.child.kill("SIGINT");
    expect(await stopped).toBe(patient ? 0 : 1);
    expect((await writing)?.status).toBe(patient ? 200 : undefined);
    await vi.waitUntil(() => !workers.some(isRunning), soon);
    clearInterval(renew);
    fs.rmSync(lock, { recursive: true, force: true });
    fs.rmSync(join(storage, "locks", "hive-web.waiting"), { force: true });
  }
});

describe("workers that cannot start", () => {
  it("a port that is taken is one line, as of one process", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = String(typeof address === "object" ? address?.port : address);
    const storage = await acmeStorage({});
    const start = ["serve", "--storage", storage, "--port", port, "--metrics-port", "0"];
    const [one, several] = [await runSkep(...start), await runSkep(...start, "--workers", "2")];
    const said = ({ stderr }: { stderr: string }) =>
      stderr.split("\n").filter((line) => !line.startsWith("{"));
    expect(said(several)).toEqual([
      `skep: --port: the port ${port} of 127.0.0.1 is in use by another program; give another port, or end that program`,
      "",
    ]);
    expect([one.code, said(one)]).toEqual([1, said(several)]);
    expect(several.code).toBe(1);
  });

  it("workers that end at once end the server, with one line", async () => {
    const fault = "if (process.argv[1].endsWith('worker-entry.js')) process.exit(7);";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` };
    const ended = await skepIn(env, "serve", "--storage", realFolder(), "--port", "0", "--workers", "2");
    expect(ended.code).toBe(1);
    const [started = "", line, ...more] = ended.stderr.split("\n");
    expect(started).toContain("started a storage");
    expect([line, more]).toEqual(["skep: a worker ended with 7 before it was prepared", [""]]);
  });
});
