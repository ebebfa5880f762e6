/** Commands whose answer is lost: what a second request would do twice is not sent again, and the error says so. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { acmeStorage, createToken, serveInProcess, skepWithin } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

/** A proxy that hands on what it is asked, and loses the answers to writes. */
async function losingAnswers(server: string) {
  const written: string[] = [];
  const handOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/", headers } = request;
    const body = await request.reduce((all, part) => Buffer.concat([all, part]), Buffer.alloc(0));
    const { authorization = "" } = headers;
    const sent = { authorization, ...(body.length > 0 && { "content-type": "application/json" }) };
    const answer = await fetch(server + url, {
      method,
      headers: sent,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    if (method === "GET") {
      response.writeHead(answer.status).end(text);
      return;
    }
    written.push(`${method} ${url} ${answer.status}`);
    response.destroy();
  };
  const proxy = createServer((request, response) => void handOn(request, response));
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => proxy.closeAllConnections());
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, written };
}

it.each<readonly [readonly string[], string]>([
  [["token", "create"], "POST /api/tokens 201"],
  [["webhook", "create", "https://ci.example.org/skep"], "POST /api/webhooks 201"],
  [["person", "create", "anna", "--name", "Anna"], "POST /api/people 201"],
])("%j", async (command, once) => {
  const storage = await acmeStorage();
  const server = await serveInProcess(storage);
  const proxy = await losingAnswers(server.url);
  const env = { SKEP_TOKEN: await createToken(storage, ["admin"]), SKEP_SERVER: proxy.url };
  const { code, stdout } = await skepWithin(realFolder(), env, ...command, "--json");
  expect(proxy.written).toEqual([once]);
  expect(code).toBe(6);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: "maybe_done",
    message: expect.stringMatching(
      /It may have been done nevertheless: see what is there before you repeat it\.$/,
    ),
  });
});
