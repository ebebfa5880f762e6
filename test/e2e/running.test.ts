/** Running the real server: its settings, its log and its metrics. */
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  acmeStorage,
  createToken,
  request,
  type RunningServer,
  runSkep,
  skep,
  skepWithin,
  startServer,
  startServerIn,
} from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

const files = { "auth.php": { failed: "Wrong password." } };

async function makeStorage(): Promise<{ storage: string; token: string }> {
  const storage = await acmeStorage();
  return { storage, token: await createToken(storage) };
}

type Line = Record<string, unknown>;

/** What the server logged until it ended. */
async function linesOf(server: RunningServer): Promise<Line[]> {
  expect(await server.stop()).toBe(0);
  const lines = server.stderr().trimEnd().split("\n");
  return lines.map((line): Line => JSON.parse(line));
}

describe("settings", () => {
  it("come from flags, then the environment, then the file, then defaults, and unknown variables are reported", async () => {
    const storage = realFolder();
    const file = join(storage, "settings.yaml");
    writeFileSync(file, `storage: ${storage}\nlog_level: debug\nbody_limit: 5\nhost: 192.0.2.1\n`);
    const known = { SKEP_CONFIG: file, SKEP_HOST: "localhost", SKEP_LOG_LEVEL: "warn" };
    const unknown = { SKEP_PROT: "1", SKEP_SECRET: "hunter2hunter2" };
    const server = await startServerIn({ ...known, ...unknown }, storage, "--log-level", "info");
    const reply = await request(server, "x", "GET", "/healthz");
    expect(reply.status).toBe(200);
    const lines = await linesOf(server);
    // The flag goes over `warn` and `debug`: the greeting is logged, the read is not.
    expect(lines.map(({ message }) => message)).toContain(`Skep listens on ${server.url}`);
    expect(lines.filter(({ message }) => message === "request")).toEqual([]);
    const reported = lines.filter(({ level }) => level === "warn").map(({ variable }) => variable);
    expect(reported).toEqual(Object.keys(unknown));
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  it("are taken by other commands too, from skep-server.yaml in the current folder", async () => {
    const { storage } = await makeStorage();
    const cwd = realFolder();
    writeFileSync(join(cwd, "skep-server.yaml"), `storage: ${storage}\n`);
    const list = await skepWithin(cwd, {}, "hive", "list");
    expect(list.stdout).toContain("web");
    const other = await skepWithin(cwd, { SKEP_STORAGE: realFolder() }, "hive", "list");
    expect(other.stdout).not.toContain("web");
  });

  it.each<[string, Record<string, string>, string[], string]>([
    ["a flag", {}, ["--port", "x"], "--port: must be a whole number, 0 or more"],
    ["a variable", { SKEP_PORT: "70000" }, [], "SKEP_PORT: must be at most 65535"],
    ["the file", {}, ["--config", "bad.yaml"], "bad.yaml:2: port: must be a whole number, 0 or more"],
    ["a file that is not there", { SKEP_CONFIG: "no.yaml" }, [], "no.yaml: there is no such file"],
    ["a folder", { SKEP_CONFIG: "." }, [], ".: cannot be read (EISDIR)"],
  ])("that are wrong in %s end the start with one line", async (_, env, flags, line) => {
    const cwd = realFolder();
    writeFileSync(join(cwd, "bad.yaml"), "host: localhost\nport: eighty\n");
    expect(await skepWithin(cwd, env, "serve", ...flags)).toEqual({
      code: 2,
      stdout: "",
      stderr: `skep: ${line}\n`,
    });
  });

  it("are all in the help, with their variables and defaults", async () => {
    const { stdout } = await skep("serve", "--help");
    const help = stdout.replaceAll(/\s+/g, " ");
    for (const name of ["storage", "host", "port", "body-limit", "log-level", "metrics-port"]) {
      expect(help).toMatch(
        new RegExp(`--${name} <.*?default: .*?env: SKEP_${name.replaceAll("-", "_").toUpperCase()}\\)`),
      );
    }
    expect(help).toContain("SKEP_CONFIG");
  });
});

describe("the log", () => {
  it("has a line for each write and each refusal, and none for reads", async () => {
    const { storage, token } = await makeStorage();
    const server = await startServer(storage);
    const list = "/api/hives/web/strings";
    const write = await request(server, token, "POST", list, { files }, { "x-request-id": "ci-42" });
    for (let i = 0; i < 3; i++) expect((await request(server, token, "GET", list)).status).toBe(200);
    const refused = await request(server, `${token}x`, "GET", `${list}?page=2`);
    const missing = await request(server, token, "GET", "/api/hives/other/strings");
    expect([write.status, refused.status, missing.status]).toEqual([200, 401, 404]);
    const lines = (await linesOf(server)).filter(({ message }) => message === "request");
    const id = token.split("_")[1];
    const common = { level: "info", time: expect.stringMatching(/^\d{4}-.*Z$/), message: "request" };
    const rest = { ms: expect.any(Number), client: "127.0.0.1" };
    const route = "/api/hives/:slug/strings";
    expect(lines).toEqual([
      {
        ...common,
        request_id: "ci-42",
        method: "POST",
        route,
        path: list,
        status: 200,
        ...rest,
        token: id,
        hive: "web",
        commit: write.headers.get("x-skep-commit"),
      },
      {
        ...common,
        request_id: refused.headers.get("x-request-id"),
        method: "GET",
        route,
        path: list,
        status: 401,
        ...rest,
        code: "unauthenticated",
      },
      {
        ...common,
        request_id: missing.headers.get("x-request-id"),
        method: "GET",
        route,
        path: "/api/hives/other/strings",
        status: 404,
        ...rest,
        token: id,
        code: "not-found",
      },
    ]);
  });

  it("has reads at debug, also repeated ones, and no secret, wherever one is put", async () => {
    const { storage, token } = await makeStorage();
    const server = await startServer(storage, "--log-level", "debug");
    const secret = token.split("_")[2] ?? "";
    const api = "/api/hives/web/strings";
    for (let i = 0; i < 3; i++) await request(server, token, "GET", api);
    await request(server, token, "GET", api, undefined, { "x-request-id": token, "x-commit-message": token });
    await request(server, token, "POST", api, { files: { "a.json": { key: secret } } });
    await request(server, token, "POST", api, { files: { "a.json": { key: [1], [secret]: 1 } } });
    for (const path of [
      `${api}?token=${token}`,
      `/api/hives/${token}/strings`,
      `/x/https://user:${secret}@example.org/`,
      `//user:${secret}@host/`,
      `/hives/web.git/info/refs?service=${token}`,
    ]) {
      await request(server, token, "GET", path);
      await raw(server, `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${btoa(`x:${token}`)}\r\n`);
    }
    await raw(server, `GET http://user:${secret}@host/healthz HTTP/1.1\r\nHost: x\r\n`);
    const lines = await linesOf(server);
    const reads = lines.filter(({ message }) => message === "request").slice(0, 3);
    expect(new Set(reads.map(({ request_id: id }) => id)).size).toBe(3);
    const [first, ...others] = reads.map(({ request_id: _id, time: _time, ms: _ms, ...fields }) => fields);
    const read = { method: "GET", path: api, status: 200, hive: "web", token: token.split("_")[1] };
    expect(first).toMatchObject({ ...read, commit: expect.any(String) });
    expect(others).toEqual([first, first]);
    const logged = JSON.stringify(lines);
    expect(logged).toContain('"path":"/healthz"');
    expect(logged).not.toContain(secret);
    expect(logged).not.toMatch(/authorization|bearer|basic/i);
  });

  it("is text for people on request, and empty at silent", async () => {
    const { storage, token } = await makeStorage();
    const pretty = await startServer(storage, "--log-format", "pretty");
    await request(pretty, token, "POST", "/api/hives/web/strings", { files });
    expect(await pretty.stop()).toBe(0);
    expect(pretty.stderr()).toMatch(/INFO: (slow )?request\n {4}request_id: /);
    expect(pretty.stderr()).not.toContain('{"level"');
  });

  it("keeps its last lines when the process ends at once", async () => {
    const { storage, token } = await makeStorage();
    const server = await startServer(storage);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /api/hives/web/strings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await request(server, token, "POST", "/api/hives/web/strings", { files });
    server.child.kill("SIGTERM");
    await expect.poll(() => server.stderr()).toContain("Skep stops");
    expect(await server.stop("SIGTERM")).toBe(1);
    const lines = server.stderr().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(
      expect.arrayContaining(["request", expect.stringContaining("Skep stops")]),
    );
  });
});

describe("a server that is told to stop", () => {
  it("tells load balancers first, answers all that comes meanwhile, and ends kept connections with their next response", async () => {
    const { storage, token } = await makeStorage();
    const server = await startServerIn({ SKEP_DRAIN_DELAY: "1h" }, storage);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const send = async (method: string, path: string, body?: unknown) => {
      const request = httpRequest(server.url + path, {
        method,
        agent,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      });
      request.end(body === undefined ? undefined : JSON.stringify(body));
      const [response]: IncomingMessage[] = await once(request, "response");
      if (response === undefined) throw new Error("no response");
      response.resume();
      await once(response, "end");
      return [response.statusCode, response.headers.connection, request.reusedSocket];
    };
    expect(await send("GET", "/readyz")).toEqual([200, "keep-alive", false]);
    server.child.kill("SIGTERM");
    await expect.poll(() => server.stderr()).toContain("Skep stops");
    // On the connection that was kept, and on new ones.
    expect(await send("POST", "/api/hives/web/strings", { files })).toEqual([200, "close", true]);
    expect(await send("GET", "/readyz")).toEqual([503, "close", false]);
    expect(await send("GET", "/api/hives/web/strings")).toEqual([200, "close", false]);
    // The same answer again comes by another way.
    expect(await send("GET", "/api/hives/web/strings")).toEqual([200, "close", false]);
    expect(await server.stop("SIGTERM")).toBe(1);
  });

  it("listens no more when that time is over, and ends when its requests have", async () => {
    const { storage } = await makeStorage();
    const server = await startServerIn({ SKEP_DRAIN_DELAY: "1s" }, storage);
    expect(await server.stop()).toBe(0);
  });
});

/** Sends a request as it is and waits for its end. */
async function raw({ url }: RunningServer, head: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`${head}Connection: close\r\n\r\n`);
  await new Promise((resolve) => socket.resume().once("close", resolve));
}

describe("metrics", () => {
  it("count what happened, with no label that a caller chose, on a free port of the loopback address alone", async () => {
    const { storage, token } = await makeStorage();
    const server = await startServer(storage, "--metrics-port", "0", "--host", "0.0.0.0");
    const [, url = ""] = /metrics are at (http:[^\s"]+)/.exec(server.stderr()) ?? [];
    const scrape = async () => (await fetch(url)).text();
    const list = "/api/hives/web/strings";
    await request(server, token, "POST", list, { files });
    for (let i = 0; i < 4; i++) await request(server, token, "GET", list);
    const text = await scrape();
    const route = 'route="/api/hives/:slug/strings"';
    for (const line of [
      `skep_http_requests_total{${route},method="GET",status="200"} 4`,
      `skep_http_requests_total{${route},method="POST",status="200"} 1`,
      `skep_http_request_seconds_count{${route},method="POST"} 1`,
      "skep_commit_seconds_count 1",
      'skep_lock_wait_seconds_count{lock="team"} 1',
      'skep_lock_wait_seconds_count{lock="hive"} 1',
      "skep_hives_in_memory 1",
      "skep_clones_running 0",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/^skep_answers [1-9]/m);
    expect(text).toMatch(/^skep_answer_hits_total [1-9]/m);
    expect(text).toMatch(/^skep_answer_misses_total [1-9]/m);
    expect(text).toMatch(/^skep_hive_bytes [1-9]/m);
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);

    const methods = ["GET", "PROPFIND", "SEARCH", "DELETE", "REPORT"];
    for (let i = 0; i < 60; i++) {
      const paths = [
        `/nothing/evil${i}`,
        `/api/hives/evil${i}/strings`,
        `/hives/evil${i}.git/info/refs`,
        `/%ff${i}`,
      ];
      const method = methods[i % methods.length] ?? "GET";
      await raw(
        server,
        `${method} ${paths[i % 4]}?evil=${i} HTTP/1.1\r\nHost: evil${i}\r\nX-Request-Id: evil${i}\r\n`,
      );
    }
    const later = await scrape();
    expect(later).not.toMatch(/evil|web(?!hook)|acme/);
    expect(later).not.toContain(token.split("_")[1]);
    expect(later).toContain('route="unmatched"');
    expect(later).toContain('method="other"');
    const labels = [...later.matchAll(/^skep_http_requests_total\{route="([^"]*)"/gm)].map(
      ([, route]) => route,
    );
    expect(new Set(labels)).toEqual(new Set(["unmatched", "/api/hives/:slug/strings", "/hives/**"]));
    expect(later.split("\n").length - text.split("\n").length).toBeLessThan(300);

    expect(new URL(url).hostname).toBe("127.0.0.1");
    expect((await request(server, token, "GET", "/metrics")).status).toBe(404);
    expect((await fetch(new URL("/", url))).status).toBe(404);
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address, internal, family } of others) {
      if (internal || family !== "IPv4") continue;
      await expect(fetch(`http://${address}:${new URL(url).port}/metrics`)).rejects.toThrow();
    }
    const flags = ["--port", "0", "--storage", realFolder(), "--metrics-port", new URL(url).port];
    const taken = await runSkep("serve", ...flags);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain("skep: --metrics-port: the port ");
    expect(await server.stop()).toBe(0);
  });
});
