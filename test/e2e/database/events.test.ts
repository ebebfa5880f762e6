/** What real servers with one database tell of commits: all of it, in order, while they are killed. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { addWebhook } from "../../../src/service/admin/webhooks.ts";
import { toWebhookUrl } from "../../../src/domain/hives/webhook.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { listen, type EventClient } from "../../helpers/events/listen.ts";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { commitText, startServerIn, type RunningServer } from "../../helpers/process.ts";
import { makeHive, makeToken, realFolder } from "../../helpers/storage.ts";
import { webhookOwner } from "../../helpers/events/webhook-owner.ts";

const soon = { timeout: 120_000, interval: 50 };
const rounds = 3;

async function setUp() {
  const { url, prepare } = await testDatabase();
  const storage = openStorage((await prepare()).options);
  await makeHive(storage, "web", { locales: ["fr"] });
  const token = await makeToken(storage, { abilities: ["admin"] });
  const folders = [realFolder(), realFolder()];
  const start = (i: number): Promise<RunningServer> =>
    startServerIn({ SKEP_DATABASE: url }, folders[i] ?? "", "--webhook-allow", "loopback");
  const commit = (server: RunningServer, text: string) => commitText(server, token, text);
  return { storage, token, start, commit };
}

describe.skipIf(isMissing())("two servers with one database, which are killed in turn,", () => {
  it("send each commit once to a listener that reconnects to the other one", async () => {
    const { token, start, commit } = await setUp();
    const servers = [await start(0), await start(1)];
    const open = (server: RunningServer, path: string, id: string): Promise<EventClient> =>
      listen((signal) => {
        const headers = { authorization: `Bearer ${token}`, ...(id === "" ? {} : { "last-event-id": id }) };
        return fetch(server.url + path, { headers, signal });
      });
    const paths = ["/api/hives/web/events", "/api/events"];
    const [first] = servers;
    if (first === undefined) throw new Error("no server");
    let clients = await Promise.all(paths.map((path) => open(first, path, "")));
    for (let round = 0; round < rounds; round++) {
      const [listening, other] = [servers[round % 2], servers[(round + 1) % 2]];
      if (listening === undefined || other === undefined) throw new Error("no server");
      const made = [await commit(other, `${round} A`), await commit(listening, `${round} B`)];
      const told = async (commits: readonly string[]): Promise<void> => {
        for (const [i, client] of clients.entries()) {
          const events = await client.take(commits.length);
          expect([round, paths[i], events.map(({ data }) => data.commit)]).toEqual([
            round,
            paths[i],
            commits,
          ]);
        }
      };
      await told(made);
      await listening.stop("SIGKILL");
      const missed = [await commit(other, `${round} C`), await commit(other, `${round} D`)];
      clients = await Promise.all(paths.map((path, i) => open(other, path, clients[i]?.id() ?? "")));
      await told(missed);
      servers[round % 2] = await start(round % 2);
    }
  });

  it("deliver every commit to a webhook, in order", async () => {
    const { storage, start, commit } = await setUp();
    const received: string[] = [];
    const receiver = createServer((message, response) => {
      let body = "";
      message.setEncoding("utf8").on("data", (text: string) => (body += text));
      message.on("end", () => {
        received.push(JSON.parse(body).data.commit);
        response.end("ok");
      });
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
    const { port } = receiver.address() as AddressInfo;
    const url = toWebhookUrl(`http://127.0.0.1:${port}/`);
    await addWebhook(storage, webhookOwner(toTeamName("acme")), { url, hive: toHiveSlug("web") });
    const servers = [await start(0), await start(1)];
    const made: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const [killed, other] = [servers[round % 2], servers[(round + 1) % 2]];
      if (killed === undefined || other === undefined) throw new Error("no server");
      made.push(await commit(killed, `${round} A`), await commit(other, `${round} B`));
      await killed.stop("SIGKILL");
      made.push(await commit(other, `${round} C`));
      servers[round % 2] = await start(round % 2);
    }
    const last = made.at(-1);
    await vi.waitFor(() => expect(received).toContain(last), soon);
    // A message whose receipt was not noted comes again; none is left out, and none comes before an earlier one.
    const firsts = received.filter((one, i) => received.indexOf(one) === i);
    expect(firsts).toEqual(made);
  });
});
