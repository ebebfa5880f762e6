/** The listening server on a real socket: what is no HTTP, what is too slow or too large, and the end. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { App } from "../../src/http/app.ts";
import { listen, type RunningServer, type Timeouts } from "../../src/http/server.ts";
import type { Storage } from "../../src/service/storage.ts";
import { fetchDescribed } from "../helpers/http/described.ts";
import { eventually } from "../helpers/eventually.ts";
import { holdLimit } from "../helpers/limits/held-limit.ts";
import { appOn, makeHive, makeToken, memoryStorage, watchLocks } from "../helpers/storage.ts";

interface Running extends RunningServer {
  readonly storage: Storage;
  readonly token: string;
  readonly logged: unknown[];
  readonly stats: App["stats"];
}

async function start(timeouts: Partial<Timeouts> = {}, limits = {}): Promise<Running> {
  const storage = memoryStorage();
  await makeHive(storage, "web", { locales: ["fr"] });
  const { app, logged } = appOn(storage, limits);
  const server = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    timeouts: { check: 20, closing: 500, ...timeouts },
  });
  onTestFinished(() => void server.close());
  return { ...server, storage, token: await makeToken(storage), logged, stats: app.stats };
}

/** Sends bytes as they are; gives what came back when the server closed the connection. */
async function raw(url: string, bytes: string): Promise<string> {
  const socket = open(url);
  socket.write(bytes);
  return received(socket);
}

/** @param isStubborn whether our side stays open when the server closes its own. */
function open(url: string, isStubborn = false): Socket {
  const port = Number(new URL(url).port);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: isStubborn }).setEncoding("utf8");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: string) => (text += chunk));
  await once(socket, "close");
  return text;
}

const strings = "/api/hives/web/strings";

describe("a malformed request", () => {
  const get = (path: string, more = "") =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;

  it.each<[string, number, string]>([
    ["garbage", 400, "GARBAGE\r\n\r\n"],
    ["an unknown method", 400, "FOO /healthz HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["the wish for a tunnel", 400, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n"],
    ["raw bytes in the path", 400, "GET /h\u00e4lthz HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["an address of another protocol", 400, get("ftp://x/healthz")],
    ["an address without a host", 400, get("http://")],
    ["an address that leaves its folder", 400, get("/api/hives/web/work/..")],
    ["one that does so in code", 400, get("/api/hives/web/work/%2E%2e?x")],
    ["one that stays in its folder", 400, get("/api/hives/./healthz")],
    ["a whole one that leaves its folder", 400, get("http://x/api/../healthz")],
    ["backslashes", 400, get("/docs\\..\\healthz")],
    ["no Host", 400, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["two Hosts", 400, get("/healthz", "Host: y\r\n")],
    ["two Hosts, long ago", 400, get("/healthz", "Host: y\r\n").replace("1.1", "1.0")],
    ["headers without end", 431, get("/healthz", `X: ${"x".repeat(70_000)}\r\n`)],
    ["an expectation", 417, get("/healthz", "Expect: miracles\r\n")],
    [
      "two lengths",
      400,
      `POST ${strings} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
    ],
    [
      "a length and chunks",
      400,
      `POST ${strings} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])("is answered as every other error: %s", async (_, status, bytes) => {
    const { url } = await start();
    const answer = await raw(url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [, body = ""] = answer.split("\r\n\r\n");
    const code = { 400: "malformed_request", 417: "expectation_failed", 431: "headers_too_large" }[status];
    expect(JSON.parse(body)).toEqual({ message: expect.stringMatching(/./), code });
  });

  it("never deletes a Hive for what a name within it could be", async () => {
    const { url, storage } = await start();
    const token = await makeToken(storage, { abilities: ["admin"] });
    for (const name of ["", ".", "..", "%2e%2e", "../", "..\\"]) {
      for (const part of [
        "work",
        "glossary",
        "branches",
        "pictures",
        "channels",
        "locales",
        "translations",
      ]) {
        const target = `/api/hives/web/${part}/${name}`;
        const head = `DELETE ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
        expect(await raw(url, `${head}Authorization: Bearer ${token}\r\n\r\n`)).toMatch(
          /^HTTP\/1.1 40[045] /,
        );
      }
    }
  });

  it("a header as long as a commit message may be is accepted", async () => {
    const { url, token } = await start();
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-commit-message": "x".repeat(20_000),
    };
    const reply = await fetchDescribed(url + strings, {
      method: "POST",
      headers,
      body: '{"files":{"a.php":{"a":"x"}}}',
    });
    expect(reply.status).toBe(200);
  });

  it("a precondition holds behind any number of other headers", async () => {
    const { url, token } = await start();
    const body = '{"files":{"a.php":{"a":"x"}}}';
    const lines = [
      `POST ${strings} HTTP/1.1`,
      "Host: x",
      "Connection: close",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...Array.from({ length: 5_000 }, (_, i) => `x-${i}: 1`),
      `If-Match: "${"0".repeat(40)}"`,
    ];
    expect(await raw(url, `${lines.join("\r\n")}\r\n\r\n${body}`)).toMatch(/^HTTP\/1.1 412 /);
  });
});

describe("a request that is too slow", () => {
  it("a slow request is cut off in its headers", async () => {
    const { url } = await start({ headers: 100 });
    expect(await raw(url, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow")).toMatch(
      /^HTTP\/1.1 408 [^{]*\{"message":"Request Timeout.","code":"request_timeout"\}$/,
    );
  });

  it("a slow request is cut off in its body, and not logged as an error", async () => {
    const { url, token, logged } = await start({ headers: 150, request: 150 });
    const head = `POST ${strings} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    expect(await raw(url, `${head}{"fi`)).toMatch(/^HTTP\/1.1 408 /);
    expect(logged).toEqual([]);
  });

  it("slow requests do not affect others, however many there are", async () => {
    const { url } = await start({ headers: 60_000 });
    const sockets = Array.from({ length: 300 }, () => open(url));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (const socket of sockets) socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nX");
    expect((await fetchDescribed(`${url}/healthz`)).status).toBe(200);
  });
});

describe("an abandoned connection", () => {
  const slow = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow";
  const tunnel = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n";

  it.each([
    ["of slow headers", slow, 408],
    ["that should be a tunnel", tunnel, 400],
    ["of garbage", "GARBAGE\r\n\r\n", 400],
  ])(
    "is closed after its response, though its client keeps its own side open: one %s",
    async (_, bytes, status) => {
      const headers = bytes === slow ? 50 : 60_000;
      const linger = 54_321;
      const lingering = holdLimit(linger);
      const { url, close } = await start({ headers, linger, closing: 600_000, unfinished: 600_000 });
      const socket = open(url, true);
      socket.write(bytes);
      let answer = "";
      socket.on("data", (chunk: string) => (answer += chunk));
      await once(socket, "end");
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(lingering.running()).toBe(1);
      await lingering.pass();
      // It resolves when the last connection is gone.
      expect(await close()).toBeUndefined();
    },
  );

  const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  const silent = { fetch: () => new Promise<Response>(() => {}), respondFast: () => false };

  /** Serves with a short time without traffic. */
  async function serve(app: Parameters<typeof listen>[0], options = {}): Promise<string> {
    const timeouts = { stalled: 50, check: 20, closing: 500 };
    const { url, close } = await listen(app, { host: "127.0.0.1", port: 0, timeouts, ...options });
    onTestFinished(() => void close());
    return url;
  }

  it("is closed when it has no traffic, whoever is waited for", async () => {
    expect(await raw(await serve(silent), request)).toBe("");
  });

  it("a connection is kept as long as a slow read may take, though it has no traffic", async () => {
    const unlimited = await serve(silent);
    const late = {
      fetch: async () => {
        // A later connection has had no traffic for too long by then.
        expect(await raw(unlimited, request)).toBe("");
        return new Response("late");
      },
      respondFast: () => false,
    };
    const url = await serve(late, { slowReadTimeout: 600_000 });
    expect(await (await fetch(url)).text()).toBe("late");
  });

  it("may be reset by its client, which is not logged as an error", async () => {
    const faults: unknown[] = [];
    const note = (error: unknown): void => void faults.push(error);
    process.on("uncaughtExceptionMonitor", note);
    onTestFinished(() => void process.off("uncaughtExceptionMonitor", note));
    for (const [bytes, headers] of [
      [tunnel, 60_000],
      [slow, 50],
    ] as const) {
      const { url, close } = await start({ headers, linger: 600_000, closing: 600_000 });
      const socket = open(url, true);
      socket.write(bytes);
      await once(socket, "data");
      socket.resetAndDestroy();
      await once(socket, "close");
      // It resolves because the reset has ended the connection.
      await close();
    }
    expect(faults).toEqual([]);
  });
});

describe("a body that is too large", () => {
  const head = (token: string, size: number): string =>
    `POST ${strings} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`;
  const bodyOf = (size: number): string => {
    const [start, end] = ['{"files":{"a.php":{"a":"', '"}}}'] as const;
    return start + "x".repeat(size - start.length - end.length) + end;
  };

  it("gets an error every time, by whatever client", async () => {
    const { url, token } = await start();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    // More than sockets hold: the client sends on while it is refused.
    const body = Buffer.alloc(16 * 1024 * 1024, "x");
    for (let i = 0; i < 8; i++) {
      const reply = await fetchDescribed(url + strings, { method: "POST", headers, body });
      expect([reply.status, await reply.json()]).toEqual([
        413,
        { message: "The body is larger than 1048576 bytes.", code: "body_too_large" },
      ]);
    }
    const unauthenticated = await fetchDescribed(url + strings, { method: "POST", body });
    expect(unauthenticated.status).toBe(401);
  });

  it("gets an error when it comes in chunks without a declared size", async () => {
    const { url, token } = await start();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const chunks = async function* () {
      for (let i = 0; i < 40; i++) yield Buffer.alloc(64 * 1024, "x");
    };
    const init = { method: "POST", headers, body: ReadableStream.from(chunks()), duplex: "half" as const };
    expect((await fetchDescribed(url + strings, init)).status).toBe(413);
  });

  it("a body takes no memory before it arrives, whatever it declares", async () => {
    const { url, token } = await start();
    for (let i = 0; i < 8; i++) open(url).write(head(token, 1_000_000));
    const text = bodyOf(1_000_000);
    expect(await raw(url, head(token, text.length) + text)).toMatch(/^HTTP\/1.1 200 /);
  });

  it("a body is refused if its team sends too much at once; other teams are not affected, and later ones are accepted", async () => {
    const { url, token, stats, storage } = await start();
    await makeHive(storage, "app", { team: "other", locales: ["fr"] });
    const other = await makeToken(storage, { team: "other" });
    const slow = [1, 2].map(() => open(url));
    for (const socket of slow) socket.write(head(token, 1_000_000) + "x".repeat(999_000));
    await eventually(() => expect(stats().bodyBytes).toBe(2_000_000));
    const text = bodyOf(1_000_000);
    const answer = await raw(url, head(token, text.length) + text);
    expect(answer).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 2/i);
    expect(answer).toContain('{"message":"Too many large requests at once; try again soon.","code":"busy"}');
    const theirs = head(other, text.length).replace("/web/", "/app/");
    expect(await raw(url, theirs + text)).toMatch(/^HTTP\/1.1 200 /);
    for (const socket of slow) socket.destroy();
    await eventually(() => expect(stats().bodyBytes).toBe(0));
    expect(await raw(url, head(token, text.length) + text)).toMatch(/^HTTP\/1.1 200 /);
  });

  it("a body frees its memory when its time is over", async () => {
    const { url, token, stats } = await start({ headers: 150, request: 150, linger: 20 });
    const socket = open(url, true).resume();
    socket.write(head(token, 1_000_000) + "x".repeat(500_000));
    await once(socket, "end");
    await eventually(() => expect(stats().bodyBytes).toBe(0));
  });
});

describe("the shutdown", () => {
  it("waits for requests in flight, and closes idle connections at once", async () => {
    const { url, token, close, storage } = await start({ closing: 600_000 });
    await fetchDescribed(`${url}/healthz`);
    let free = () => {};
    const held = storage.hives.lock(
      (await storage.registry.teams())[0]?.hives[0] ?? ("" as never),
      () => new Promise<void>((resolve) => (free = resolve)),
    );
    const asked = watchLocks();
    const writing = fetchDescribed(url + strings, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"files":{"a.php":{"a":"x"}}}',
    });
    await asked(2);
    const closed = close();
    // What waits to be accepted is taken first.
    await eventually(() => expect(fetch(`${url}/healthz`)).rejects.toThrow());
    free();
    expect((await writing).status).toBe(200);
    await Promise.all([closed, held]);
  });

  it("does not wait for a body that does not come", async () => {
    const unfinished = 54_321;
    const limit = holdLimit(unfinished);
    const { url, close, token, stats } = await start({ unfinished, closing: 600_000 });
    const socket = open(url);
    socket.write(
      `POST ${strings} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    await eventually(() => expect(stats().bodyBytes).toBeGreaterThan(0));
    const closed = close();
    await eventually(() => expect(limit.running()).toBe(1));
    await limit.pass();
    expect(await closed).toBeUndefined();
  });
});

it("closes connections beyond its limit at once, and takes others when these have gone", async () => {
  const app = { fetch: () => new Response("here"), respondFast: () => false };
  const server = await listen(app, { host: "127.0.0.1", port: 0, maxConnections: 1 });
  onTestFinished(() => server.close());
  const head = "GET / HTTP/1.1\r\nHost: x\r\n";
  const first = open(server.url);
  first.write(`${head}\r\n`);
  await once(first, "data");
  expect(await raw(server.url, `${head}\r\n`)).toBe("");
  first.destroy();
  await expect.poll(() => raw(server.url, `${head}Connection: close\r\n\r\n`)).toMatch(/ 200 /);
});

it("answers a request whose connection waited to be accepted when the server was told to end", async () => {
  const app = { fetch: () => new Response("here"), respondFast: () => false };
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const isConnected = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const client = `
    const { parentPort, workerData: { port, isConnected } } = require("node:worker_threads");
    const socket = require("node:net").connect(port, "127.0.0.1", () => {
      socket.write("POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\n\\r\\n");
      Atomics.store(isConnected, 0, 1);
      Atomics.notify(isConnected, 0);
    });
    let text = "";
    socket.on("data", (part) => (text += part)).on("error", ({ code }) => (text += code));
    socket.on("close", () => parentPort.postMessage(text));`;
  const workerData = { port: Number(new URL(server.url).port), isConnected };
  const worker = new Worker(client, { eval: true, workerData });
  const answer = once(worker, "message");
  // This thread is busy until the system has accepted the connection.
  Atomics.wait(isConnected, 0, 0);
  await server.close();
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /);
});
