/** Streams of events of real servers: commits by other processes, restarts, and git. */
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listen, type EventClient } from "../../helpers/events/listen.ts";
import {
  acmeStorage,
  commitText,
  createToken,
  git,
  skepOk,
  startServer,
  type RunningServer,
} from "../../helpers/process.ts";

async function setUp() {
  const storage = await acmeStorage();
  const token = await createToken(storage, ["admin"]);
  const hive = join(storage, "hives/web.git");
  const commit = (server: RunningServer, text: string) => commitText(server, token, text);
  const open = (server: RunningServer, path: string, id?: string): Promise<EventClient> =>
    listen((signal) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "accept-encoding": "br, gzip",
        ...(id === undefined ? {} : { "last-event-id": id }),
      };
      return fetch(server.url + path, { headers, signal });
    });
  return { storage, token, hive, commit, open };
}

it("commits of another server, of a command and of git are told, and resumed over kills and servers", async () => {
  const { storage, hive, commit, open } = await setUp();
  const first = await startServer(storage);
  const second = await startServer(storage);
  const one = await open(first, "/api/hives/web/events");
  const all = await open(first, "/api/events");
  expect(one.response.headers.get("content-encoding")).toBeNull();
  const made = [await commit(second, "A"), await commit(first, "B")];
  await skepOk(storage, "locale", "add", "web", "it");
  made.push((await git(hive, "rev-parse", "main")).trim());
  const tree = (await git(hive, "rev-parse", "main^{tree}")).trim();
  made.push((await git(hive, "commit-tree", "-p", "main", "-m", "By hand", tree)).trim());
  await git(hive, "update-ref", "refs/heads/main", made[3] ?? "");
  for (const client of [one, all]) {
    expect((await client.take(4)).map(({ data }) => data.commit)).toEqual(made);
  }

  await first.stop("SIGKILL");
  const missed = [await commit(second, "C"), await commit(second, "D")];
  for (const [client, path] of [
    [one, "/api/hives/web/events"],
    [all, "/api/events"],
  ] as const) {
    const again = await open(second, path, client.id());
    expect((await again.take(2)).map(({ data }) => data.commit)).toEqual(missed);
  }
});

it("a server that stops ends its streams at once, whatever their clients do", async () => {
  const { storage, token, open } = await setUp();
  const server = await startServer(storage);
  const client = await open(server, "/api/events");
  // This one never reads.
  const stuck = get(`${server.url}/api/hives/web/events`, {
    headers: { authorization: `Bearer ${token}` },
    agent: new Agent({ keepAlive: true }),
  });
  stuck.on("error", () => {});
  const response = await new Promise<IncomingMessage>((resolve) => void stuck.once("response", resolve));
  expect(await server.stop()).toBe(0);
  // Without an order to end, the server would wait for them, and then cut them off.
  await once(response.resume(), "end");
  expect(response.complete).toBe(true);
  expect(await client.next()).toBeUndefined();
  expect(client.retry()).toBeGreaterThanOrEqual(1_000);
  stuck.destroy();
});

it("a stream ends soon after a command has revoked its token", async () => {
  const { storage, open, token } = await setUp();
  const server = await startServer(storage);
  const client = await open(server, "/api/hives/web/events");
  await skepOk(storage, "token", "revoke", token.split("_")[1] ?? "");
  expect(await client.next()).toBeUndefined();
});
