/** One address for several processes: here they are functions that get the connections. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Connections } from "../../src/http/connections.ts";
import { listenAt, maxConnections, receive } from "../../src/http/server.ts";
import { eventually } from "../helpers/eventually.ts";

async function setUp() {
  const given: { readonly worker: number; readonly connection: Socket }[] = [];
  const connections = new Connections((worker, connection) => given.push({ worker, connection }));
  const url = await connections.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => connections.close());
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  const workers = (): readonly number[] => given.map(({ worker }) => worker);
  return { connections, given, open, workers };
}

it("connections go to workers in turn, and not to one that has not taken its last", async () => {
  const { connections, open, workers } = await setUp();
  for (const worker of [1, 2]) connections.add(worker);
  for (let i = 0; i < 2; i++) await open();
  await eventually(() => expect(workers()).toHaveLength(2));
  expect(workers()).toEqual([1, 2]);
  for (let i = 0; i < 2; i++) await open();
  connections.taken(2);
  await eventually(() => expect(workers()).toHaveLength(3));
  connections.taken(2);
  await eventually(() => expect(workers()).toHaveLength(4));
  expect(workers()).toEqual([1, 2, 2, 2]);
});

it("connections wait while there is no worker", async () => {
  const { connections, open, workers } = await setUp();
  await open();
  connections.add(7);
  await eventually(() => expect(workers()).toHaveLength(1));
  expect(workers()).toEqual([7]);
});

it("a connection whose worker ends before it has taken it is closed", async () => {
  const { connections, open, workers } = await setUp();
  connections.add(1);
  const socket = await open();
  const closed = once(socket.resume(), "close");
  await eventually(() => expect(workers()).toHaveLength(1));
  connections.remove(1, { hasEnded: true });
  await closed;
  expect(socket.destroyed).toBe(true);
});

it("a worker that is ending takes what it was given, and no more", async () => {
  const { connections, open, workers } = await setUp();
  connections.add(1);
  await open();
  await eventually(() => expect(workers()).toHaveLength(1));
  connections.remove(1, { hasEnded: false });
  connections.taken(1);
  await open();
  connections.add(2);
  await eventually(() => expect(workers()).toHaveLength(2));
  expect(workers()).toEqual([1, 2]);
});

it("connections that wait are closed at the end", async () => {
  const { connections, open } = await setUp();
  const socket = await open();
  const closed = once(socket.resume(), "close");
  connections.close();
  await closed;
  expect(socket.destroyed).toBe(true);
});

/** A server that gets its connections from another one. */
async function startReceiving({ workers = 1, headers = 600_000 }) {
  const fetch = (): Response => new Response("here");
  const timeouts = { headers, request: 600_000, keepAlive: 600_000, check: 20 };
  const server = receive({ fetch, respondFast: () => false }, { workers, timeouts });
  const listener = createServer({ noDelay: true }, (socket) => server.accept(socket));
  onTestFinished(() => void listener.close());
  return { url: await listenAt(listener, { host: "127.0.0.1", port: 0 }), server };
}

/** Sends bytes; gives what came back when the connection was closed. */
async function answerTo(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("utf8");
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk: string) => (text += chunk)).write(bytes);
  await once(socket, "close");
  return text;
}

const head = "GET / HTTP/1.1\r\nHost: x\r\n";

it("connections of another process are answered, timed and drained as a server's own", async () => {
  const strict = await startReceiving({ headers: 100 });
  expect(await answerTo(strict.url, head)).toMatch(/^HTTP\/1\.1 408 /);
  const { url, server } = await startReceiving({});
  expect(await answerTo(url, `${head}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 .*here/s);
  // Idle, and closed with the server.
  const idle = answerTo(url, `${head}\r\n`);
  await (await fetch(url)).text();
  await server.close();
  expect(await idle).toMatch(/^HTTP\/1\.1 200 /);
});

it("a worker closes connections beyond its part at once", async () => {
  const { url } = await startReceiving({ workers: maxConnections });
  const idle = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  onTestFinished(() => void idle.destroy());
  await once(idle.setEncoding("utf8"), "connect");
  idle.write(`${head}\r\n`);
  await once(idle, "data");
  expect(await answerTo(url, `${head}\r\n`)).toBe("");
  idle.destroy();
  await expect.poll(() => answerTo(url, `${head}Connection: close\r\n\r\n`)).toMatch(/ 200 /);
});
