/** Webhooks of real servers: kills in the middle of a delivery, receivers that come back, and commits of others. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { verified } from "../../helpers/events/verify-webhook.ts";
import {
  acmeStorage,
  commitText,
  createToken,
  git,
  request,
  runSkep,
  skepOk,
  startServer,
  type RunningServer,
} from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly commit: string;
}

const soon = { timeout: 120_000, interval: 50 };
const allowed = ["--webhook-allow", "loopback"] as const;

/** A receiver on this machine, which answers as it is told to. */
async function receiver(answer: (response: ServerResponse, message: Message) => void) {
  const messages: Message[] = [];
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      const message = { headers: incoming.headers, body, commit: JSON.parse(body).data.commit };
      messages.push(message);
      answer(response, message);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    messages,
    commits: () => messages.map(({ commit }) => commit),
  };
}

async function setUp() {
  const storage = await acmeStorage();
  const token = await createToken(storage, ["admin"]);
  const commit = (server: RunningServer, text: string) => commitText(server, token, text);
  const list = async () => JSON.parse(await skepOk(storage, "webhook", "list", "--json"));
  return { storage, token, commit, list };
}

it("a server killed in the middle of a delivery sends it again, and then the rest in order", async () => {
  const { storage, commit, list } = await setUp();
  const killed: { server?: RunningServer } = {};
  // Nobody hears the answer to the second message.
  const { url, messages, commits } = await receiver((response) => {
    if (messages.length === 2) killed.server?.child.kill("SIGKILL");
    else response.end("ok");
  });
  const secret = await skepOk(storage, "webhook", "add", "web", url);
  const first = await startServer(storage, ...allowed);
  killed.server = first;
  const made = [await commit(first, "A")];
  await vi.waitFor(() => expect(commits()).toEqual(made), soon);
  made.push(await commit(first, "B"));
  await once(first.child, "exit");
  const second = await startServer(storage, ...allowed);
  made.push(await commit(second, "C"), await commit(second, "D"));
  await skepOk(storage, "locale", "add", "web", "it");
  made.push((await git(join(storage, "hives/web.git"), "rev-parse", "main")).trim());
  await vi.waitFor(() => expect(commits().slice(2)).toEqual(made.slice(1)), soon);
  expect(commits().slice(0, 2)).toEqual(made.slice(0, 2));
  for (const { headers, body } of messages) expect(verified(headers, body, secret)).toBe(true);
  await vi.waitFor(
    async () => expect((await list())[0]).toMatchObject({ state: "received", pending: 0 }),
    soon,
  );
  expect(await second.stop()).toBe(0);
});

it("a receiver that fails and then works gets everything, and the commands show how far it is", async () => {
  const { storage, token, commit, list } = await setUp();
  let isDown = true;
  const { url, commits } = await receiver((response) => response.writeHead(isDown ? 500 : 200).end());
  const server = await startServer(storage, ...allowed);
  await skepOk(storage, "webhook", "add", "acme", url);
  const [{ id }] = await list();
  // The server learns of the webhook with its next look at the settings.
  const made = [await commit(server, "A"), await commit(server, "B")];
  await vi.waitFor(async () => {
    expect((await list())[0]).toMatchObject({ state: "failed", error: "it answered with 500", pending: 1 });
  }, soon);
  expect(new Set(commits())).toEqual(new Set([made[0]]));
  const test = await runSkep("webhook", "test", id, "--storage", storage, ...allowed);
  expect(test).toMatchObject({ code: 1, stdout: "It was not received: it answered with 500\n" });
  const refused = await runSkep("webhook", "test", id, "--storage", storage);
  expect(refused.stdout).toContain("http is refused");
  isDown = false;
  const { json } = await request(server, token, "POST", `/api/webhooks/${id}/test`);
  expect(json).toEqual({ received: true, error: null });
  await vi.waitFor(() => expect(commits().slice(-2)).toEqual(made), soon);
  await skepOk(storage, "webhook", "remove", id);
  expect(await list()).toEqual([]);
});

it("a backup has the webhooks, and how far each was told", async () => {
  const { storage, commit, list } = await setUp();
  const { url, commits } = await receiver((response) => response.end());
  await skepOk(storage, "webhook", "add", "web", url);
  const server = await startServer(storage, ...allowed);
  const made = [await commit(server, "A")];
  await vi.waitFor(() => expect(commits()).toEqual(made), soon);
  await server.stop();
  const [backup, restored] = [join(realFolder(), "backup"), join(realFolder(), "restored")];
  await skepOk(storage, "backup", backup);
  await skepOk(restored, "restore", backup);
  await skepOk(restored, "verify");
  const told = JSON.parse(await skepOk(restored, "webhook", "list", "--json"));
  expect(told).toEqual(await list());
  expect(told).toMatchObject([{ state: "received", pending: 0 }]);
});
