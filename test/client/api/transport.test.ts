/** How requests reach a server, and how its answers are unpacked. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { HttpClient } from "../../../src/client/api/http.ts";
import { transportFor } from "../../../src/client/api/transport.ts";

const answer = { text: "é".repeat(300_000) };
const bytes = Buffer.from(JSON.stringify(answer));

async function clientOf(listener: RequestListener, onRetry?: () => void): Promise<HttpClient> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  const transport = await transportFor({});
  return new HttpClient({
    server: `http://127.0.0.1:${address.port}`,
    token: "t",
    transport,
    sleep: async () => {},
    onRetry,
  });
}

const get = { method: "GET", path: "/x", schema: z.object({ text: z.string() }), hasCommit: false } as const;

describe("an answer", () => {
  it.each<[string, Record<string, string>, Buffer]>([
    ["as it is", {}, bytes],
    ["packed by gzip", { "content-encoding": "gzip" }, gzipSync(bytes)],
    ["packed by brotli", { "content-encoding": "br" }, brotliCompressSync(bytes)],
  ])("is read %s", async (_, headers, body) => {
    const http = await clientOf((_request, response) => void response.writeHead(200, headers).end(body));
    expect((await http.send(get)).data).toEqual(answer);
  });

  it.each<[string, Record<string, string>, Buffer]>([
    ["as it is", { "content-length": String(bytes.length) }, bytes],
    ["packed by gzip", { "content-encoding": "gzip" }, gzipSync(bytes)],
    ["packed by brotli", { "content-encoding": "br" }, brotliCompressSync(bytes)],
  ])("that is cut off is asked for again: %s", async (_, headers, body) => {
    let requests = 0;
    const http = await clientOf((_request, response) => {
      response.writeHead(200, headers);
      if (++requests === 2) response.end(body);
      else response.write(body.subarray(0, body.length / 2), () => response.destroy());
    });
    expect((await http.send(get)).data).toEqual(answer);
    expect(requests).toBe(2);
  });

  it("is asked for at once where the server has closed a connection that was idle", async () => {
    const ports: (number | undefined)[] = [];
    let retries = 0;
    const http = await clientOf(
      ({ socket }, response) => {
        ports.push(socket.remotePort);
        if (ports.length === 2) socket.destroy();
        else response.end(bytes);
      },
      () => retries++,
    );
    await http.send(get);
    expect((await http.send(get)).data).toEqual(answer);
    expect([ports.length, ports[0] === ports[1], retries]).toEqual([3, true, 0]);
  });

  it("that is no packed text is an error of the connection", async () => {
    const http = await clientOf(
      (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("plain"),
    );
    await expect(http.send(get)).rejects.toMatchObject({ kind: "unavailable" });
  });
});

it.each(["POST", "PUT", "DELETE"] as const)("headers and body of a %s arrive as they are", async (method) => {
  const bytesOf = (text = "") => Buffer.from(text, "latin1").toString();
  const http = await clientOf((request, response) => {
    let text = bytesOf(request.headers["x-commit-message"]?.toString());
    request
      .setEncoding("utf8")
      .on("data", (part: string) => (text += part))
      .on("end", () => response.end(JSON.stringify({ text })));
  });
  const headers = { "x-commit-message": Buffer.from("Grüße").toString("latin1") };
  const { data } = await http.send({ ...get, method, headers, body: { a: "Grüße" } });
  expect(data.text).toBe('Grüße{"a":"Grüße"}');
});

it("a redirect is not followed", async () => {
  const paths: (string | undefined)[] = [];
  const http = await clientOf((request, response) => {
    paths.push(request.url);
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  await expect(http.send(get)).rejects.toThrow("redirects to /elsewhere");
  expect(paths).toEqual(["/x"]);
});

it("a request ends when its time is over, whether the answer has begun or not", async () => {
  for (const begins of [false, true]) {
    const server = createServer((_, response) => begins && response.write("{")).listen(0, "127.0.0.1");
    onTestFinished(() => server.close().closeAllConnections());
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    const controller = new AbortController();
    const transport = await transportFor({});
    const request = { method: "GET", headers: {}, signal: controller.signal, redirect: "manual" } as const;
    const read = transport(url, request).then(async ({ body }) => {
      for await (const part of body ?? []) controller.abort(new Error(String(part.length)));
    });
    if (!begins) controller.abort(new Error("over"));
    await expect(read).rejects.toThrow();
  }
});
