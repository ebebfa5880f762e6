/** Receivers that mean harm: addresses inside the network, redirects, and answers without an end. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from "node:net";
import { endpoints } from "../../src/config/kinds.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toWebhookUrl } from "../../src/domain/hives/webhook.ts";
import { isPublic } from "../../src/service/outgoing-request.ts";
import { webhookSender } from "../../src/service/webhook-request.ts";

const forever = new AbortController().signal;
const send = (url: string, allowed?: string, signal = forever, timeoutMs?: number) =>
  webhookSender(
    allowed === undefined ? undefined : endpoints(allowed),
    timeoutMs,
  )({
    url: toWebhookUrl(url),
    headers: { "webhook-id": "msg_1" },
    body: '{"a":"é"}',
    signal,
  });

const receiver = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  listening(createServer(answer));

async function listening(server: Server): Promise<{ readonly url: string; readonly port: number }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port };
}

describe("addresses", () => {
  it.each([
    "ftp://example.org/",
    "https://",
    "https:///path",
    "https://user@example.org/",
    "https://user:pw@example.org/",
    "https://example.org/#part",
    "https://example.org/ x",
    "https://example.org/\nX: y",
    "https://exa\\mple.org/",
    "//example.org/",
    "javascript:alert(1)",
    `https://example.org/${"x".repeat(2_048)}`,
    "https://[::1",
    "https://example.org:99999/",
  ])("%j cannot be that of a webhook", (url) => {
    expect(() => toWebhookUrl(url)).toThrow(/^url: must/);
  });

  it.each([
    ["93.184.215.14", true],
    ["2606:2800:21f:cb07::1", true],
    ["127.0.0.1", false],
    ["10.1.2.3", false],
    ["172.31.255.255", false],
    ["192.168.0.1", false],
    ["169.254.169.254", false],
    ["100.100.100.200", false],
    ["0.0.0.0", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:93.184.215.14", false],
    ["64:ff9b::7f00:1", false],
    ["2002:7f00:1::", false],
    ["fc00::1", false],
    ["fd12:3456::1", false],
    ["fe80::1", false],
    ["ff02::1", false],
    ["2001:db8::1", false],
    ["localhost", false],
  ])("%s is public: %s", (address, expected) => expect(isPublic(address)).toBe(expected));

  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://localhost/",
  ])("%s is not connected to", async (url) => {
    expect(await send(url)).toEqual({
      kind: "failed",
      error: "it leads to an address that is not public",
    });
  });

  it("nothing is sent over http but to networks that are allowed", async () => {
    const answer = vi.fn<(request: IncomingMessage, response: ServerResponse) => void>(
      (_, response) => void response.end(),
    );
    const { url, port } = await receiver(answer);
    const refused = { kind: "failed", error: "http is refused: it must be https, or in an allowed network" };
    expect(await send(url)).toEqual(refused);
    expect(await send(url, "10.0.0.0/8")).toEqual(refused);
    expect(await send(`http://localhost:${port}/`, "10.0.0.0/8")).toEqual(refused);
    expect(answer).not.toHaveBeenCalled();
    expect(await send(url, "loopback")).toEqual({ kind: "received" });
    expect(await send(`http://localhost:${port}/`, "loopback")).toEqual({ kind: "received" });
    expect(answer).toHaveBeenCalledTimes(2);
  });
});

describe("answers", () => {
  it.each([
    [200, { kind: "received" }],
    [204, { kind: "received" }],
    [302, { kind: "failed", error: "it answered with 302; redirects are not followed" }],
    [404, { kind: "failed", error: "it answered with 404" }],
    [410, { kind: "gone" }],
    [500, { kind: "failed", error: "it answered with 500" }],
  ])("%i", async (status, outcome) => {
    let asked = 0;
    const { url } = await receiver((_, response) => {
      asked++;
      response.writeHead(status, { location: "/elsewhere" }).end();
    });
    expect(await send(url, "loopback")).toEqual(outcome);
    expect(asked).toBe(1);
  });

  it("what is no HTTP, or closes at once, is a failure", async () => {
    const { url } = await receiver((request) => void request.socket.destroy());
    expect(await send(url, "loopback")).toMatchObject({ kind: "failed" });
    expect(await send(url.replace("http:", "https:"), "loopback")).toMatchObject({ kind: "failed" });
    expect(await send("http://127.0.0.1:1/", "loopback")).toEqual({
      kind: "failed",
      error: "ECONNREFUSED",
    });
  });

  it("a receiver that never answers is left when the server stops", async () => {
    const stopping = new AbortController();
    const { url } = await receiver(() => stopping.abort());
    expect(await send(url, "loopback", stopping.signal)).toEqual({ kind: "stopped" });
  });
});

/** A receiver that answers with bytes, and goes on with more without an end; with `""` it stays open, silent. */
function rawReceiver(first: string, more: string | undefined) {
  const server = createRawServer((socket) => {
    const block = more === undefined || more === "" ? "" : more.repeat(Math.ceil(16_384 / more.length));
    const writeBlocks = (): void => {
      if (block === "") return;
      while (socket.write(block));
    };
    const answer = (): void => {
      socket.write(first);
      if (more === undefined) socket.end();
      writeBlocks();
    };
    socket
      .on("error", () => {})
      .on("drain", writeBlocks)
      .once("data", answer);
  });
  return listening(server);
}

describe("every way a response can end", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const received = { kind: "received" };
  const failed = (error: unknown = expect.any(String)) => ({ kind: "failed", error });

  /** Their bytes, what follows without an end (`""` keeps the connection open and says nothing more), the outcome. */
  it.each<[string, string, string | undefined, object]>([
    [
      "an upgrade",
      "HTTP/1.1 101 X\r\nUpgrade: y\r\nConnection: Upgrade\r\n\r\n",
      "",
      failed("it answered with 101"),
    ],
    [
      "an upgrade and much data",
      "HTTP/1.1 101 X\r\nUpgrade: y\r\nConnection: Upgrade\r\n\r\n",
      "x",
      failed("it answered with 101"),
    ],
    [
      "an upgrade that closes",
      "HTTP/1.1 101 X\r\nUpgrade: y\r\nConnection: Upgrade\r\n\r\n",
      undefined,
      failed("it answered with 101"),
    ],
    ["an upgrade to nothing that closes", "HTTP/1.1 101 X\r\n\r\n", undefined, failed()],
    [
      "an upgrade behind another answer",
      `${head}Upgrade: y\r\nConnection: Upgrade\r\n\r\n`,
      undefined,
      received,
    ],
    [
      "hints before the answer",
      `HTTP/1.1 103 X\r\nLink: y\r\n\r\nHTTP/1.1 100 X\r\n\r\n${head}\r\n`,
      undefined,
      received,
    ],
    ["hints and no answer", "HTTP/1.1 102 X\r\n\r\n", undefined, failed()],
    ["no byte", "", undefined, failed()],
    ["half a status line", "HTTP/1.1 2", undefined, failed()],
    ["no HTTP", "SSH-2.0-x\r\n", "", failed()],
    ["half of the headers", `${head}X: y\r\n`, undefined, failed()],
    ["endless headers", head, "X: y\r\n", failed()],
    ["an endless header", `${head}X: `, "y", failed()],
    ["trailers", `${chunked}1\r\nx\r\n0\r\nX: y\r\n\r\n`, "", received],
    ["endless trailers", `${chunked}0\r\n`, "X: y\r\n", received],
    ["an endless chunk", `${chunked}ffffffffff\r\n`, "x", received],
    ["endless chunks", chunked, "1\r\nx\r\n", received],
    ["an endless chunk extension", `${chunked}1;`, "x", received],
    ["a bad chunk", `${chunked}zz\r\n`, "", received],
    ["an endless body", `${head}\r\n`, "x", received],
    ["a body that is cut", `${head}Content-Length: 9\r\n\r\nx`, undefined, received],
    ["a body without length", `${head}\r\nx`, undefined, received],
    ["a body where there is none", "HTTP/1.1 204 X\r\n\r\n", "x", received],
    ["a second answer", `${head}Content-Length: 0\r\n\r\nHTTP/1.1 500 X\r\n\r\n`, "", received],
    [
      "an error that is cut",
      "HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nx",
      undefined,
      failed("it answered with 500"),
    ],
  ])("%s", async (_, first, more, outcome) => {
    const { url } = await rawReceiver(first, more);
    expect(await send(url, "loopback")).toEqual(outcome);
  });

  it.each<[string, string, string, object]>([
    ["silence", "", "", failed("it took too long")],
    ["half of the headers", `${head}X: y\r\n`, "", failed("it took too long")],
    ["endless hints", "", "HTTP/1.1 103 X\r\n\r\n", failed("it took too long")],
    ["a body that stops", `${head}Content-Length: 9\r\n\r\nx`, "", received],
  ])("%s, in time", async (_, first, more, outcome) => {
    const { url } = await rawReceiver(first, more);
    expect(await send(url, "loopback", forever, 300)).toEqual(outcome);
  });
});
