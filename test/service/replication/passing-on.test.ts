/** Changes through a follower, reads that wait for a commit, and the generations of copies. */
import net from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { demote, promote, notifyOldPrimary } from "../../../src/service/replication/promotion.ts";
import { addFollower, removeFollower } from "../../../src/service/replication/followers.ts";
import { toWebhookUrl } from "../../../src/domain/hives/webhook.ts";
import { toFollowerName, toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { listenAt } from "../../../src/http/server.ts";
import { toWebhookBody } from "../../../src/http/schemas/webhook-schemas.ts";
import { addWebhook, removeWebhook } from "../../../src/service/admin/webhooks.ts";
import { CommitEvents } from "../../../src/service/events/commit-events.ts";
import { deliverHive, hivesWithWebhooks } from "../../../src/service/events/webhook-delivery.ts";
import type { SendWebhook } from "../../../src/service/webhook-request.ts";
import { git, request, tryGit } from "../../helpers/process.ts";
import { makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";
import { follow, servePrimary, type Serving } from "./followed.ts";

const strings = "/api/hives/web/strings";
const patience = { timeout: 30_000, interval: 20 };

async function start() {
  const primary = await servePrimary();
  await makeHive(primary.storage, "web", { locales: ["fr"] });
  const token = await makeToken(primary.storage, { abilities: ["admin"] });
  return { primary, token };
}

const body = (key: string) => ({ files: { "a.php": { [key]: "x" } } });

it("a follower that sends changes on answers with their results, which it then has itself", async () => {
  const { primary, token } = await start();
  const copy = await follow(primary, { forwards: true });
  await copy.catchUp();
  for (let i = 0; i < 3; i++) {
    const written = await request(copy, token, "POST", strings, body(`k${i}`));
    expect([written.status, written.json.created]).toEqual([200, 1]);
    const read = await request(copy, token, "GET", strings);
    expect(read.headers.get("x-skep-commit")).toBe(written.headers.get("x-skep-commit"));
  }
  const made = await request(copy, token, "POST", "/api/tokens", { name: "new", abilities: ["read"] });
  expect(made.status).toBe(201);
  expect((await request(copy, made.json.token, "GET", strings)).status).toBe(200);
  expect((await request(copy, made.json.token, "POST", strings, body("no"))).status).toBe(403);
  expect((await request(copy, "nope", "POST", strings, body("no"))).status).toBe(401);

  const clone = join(copy.storage.folder, "clone");
  const settings = ["-c", `http.extraHeader=Authorization: Bearer ${token}`];
  await git(copy.storage.folder, ...settings, "clone", "-q", `${copy.url}/hives/web.git`, clone);
  await git(clone, "checkout", "-q", "-b", "feature");
  await git(clone, "commit", "-q", "--allow-empty", "-m", "Nothing");
  const { code, stderr } = await tryGit(clone, [...settings, "push", "-q", "origin", "feature"]);
  expect(stderr).not.toContain("fatal");
  expect(code).toBe(0);
  expect((await request(copy, token, "GET", `${strings}?branch=feature`)).status).toBe(200);
});

it("a follower whose primary is gone says what it knows about a change", async () => {
  const { primary, token } = await start();
  const copy = await follow(primary, { forwards: true, forwardTo: "http://127.0.0.1:9" });
  const { status, json } = await request(copy, token, "POST", strings, body("a"));
  expect([status, json.message]).toEqual([503, "The primary did not answer; nothing was changed."]);
});

it.each([
  ["is gone", async () => "http://127.0.0.1:9"],
  ["closes the connection", async () => closing()],
])("a follower whose primary %s reads a large change to its end, and answers it", async (_, forwardTo) => {
  const { primary, token } = await start();
  const copy = await follow(primary, { forwards: true, forwardTo: await forwardTo() });
  const socket = net.connect(Number(new URL(copy.url).port), "127.0.0.1").setEncoding("latin1");
  let answer = "";
  socket.on("data", (chunk: string) => (answer += chunk));
  const closed = once(socket, "close");
  const lines = [`POST ${strings} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`];
  const size = 16 * 1024 * 1024;
  socket.write([...lines, "Content-Type: application/json", `Content-Length: ${size}`, "", ""].join("\r\n"));
  await new Promise<void>((resolve, reject) => {
    socket.write(" ".repeat(size), (error) => (error ? reject(error) : resolve()));
  });
  await expect.poll(() => answer, patience).toMatch(/^HTTP\/1.1 503 /);
  socket.end();
  await closed;
});

/** A server that closes each connection at its first bytes. */
async function closing(): Promise<string> {
  const server = net.createServer((socket) => void socket.once("data", () => socket.destroy()));
  onTestFinished(() => void server.close());
  return listenAt(server, { host: "127.0.0.1", port: 0 });
}

it("a read that names a commit is answered from one that has it, and otherwise refused", async () => {
  const { primary, token } = await start();
  const copy = await follow(primary);
  await copy.catchUp();
  const first = await request(primary, token, "POST", strings, body("a"));
  const commit = first.headers.get("x-skep-commit") ?? "";
  for (const server of [copy, primary]) {
    const read = await request(server, token, "GET", `${strings}?min_commit=${commit}`);
    expect([read.status, read.headers.get("x-skep-commit")]).toEqual([200, commit]);
  }
  // One that is contained is as good.
  await request(primary, token, "POST", strings, body("b"));
  expect((await request(copy, token, "GET", `/api/hives/web/export?min_commit=${commit}`)).status).toBe(200);
  const missing = await request(copy, token, "GET", `${strings}?min_commit=${"1".repeat(40)}`);
  expect([missing.status, missing.json.code, missing.headers.get("retry-after")]).toEqual([
    503,
    "lagging",
    "1",
  ]);
  for (const wrong of ["main", commit.slice(0, 10), `${commit}&min_commit=${commit}`]) {
    expect((await request(copy, token, "GET", `${strings}?min_commit=${wrong}`)).status).toBe(422);
  }
  expect((await request(copy, token, "GET", `/api/hives?min_commit=${commit}`)).status).toBe(422);
});

it("who begins to follow is told at once when a server refuses to be followed", async () => {
  const { primary } = await start();
  const copy = await follow(primary);
  await copy.catchUp();
  const secret = `skepf_f0_${"0".repeat(40)}`;
  await expect(follow(copy, { secret })).rejects.toThrow("is a follower itself");
  await expect(follow(primary, { secret })).rejects.toThrow("does not know the secret");
});

it("only a copy that nobody follows with is promoted, and generations only grow", async () => {
  const { primary, token } = await start();
  const copy = await follow(primary);
  await copy.catchUp();
  await expect(promote(primary.storage)).rejects.toThrow("is not a copy");
  await expect(promote(memoryStorage())).rejects.toThrow();
  await expect(promote(copy.storage)).rejects.toThrow("stop it first");
  await expect(demote(copy.storage, undefined)).rejects.toThrow("is a copy");
  await copy.stop();
  expect(await promote(copy.storage)).toEqual({ generation: 2, followed: primary.url });
  await makeToken(copy.storage);

  expect(await demote(primary.storage, undefined)).toBe(2);
  await expect(makeToken(primary.storage)).rejects.toThrow("generation 2");
  await expect(demote(primary.storage, 1)).resolves.toBe(2);
  const refused = await request(primary, token, "POST", strings, body("a"));
  expect([refused.status, refused.json.code]).toEqual([503, "read_only"]);
  expect(await promote(primary.storage)).toEqual({ generation: 3, followed: undefined });
  expect((await request(primary, token, "POST", strings, body("a"))).status).toBe(200);
  await expect(demote(primary.storage, 3)).rejects.toThrow("generation 3 itself");
  await expect(demote(primary.storage, 1_004)).rejects.toThrow("No server can be of generation 1004");
  expect(await demote(primary.storage, 1_003)).toBe(1_003);
});

it("a promoted copy tells webhooks of what they had not received, and before and after only one server does", async () => {
  const { primary, token } = await start();
  const [web, team] = [toHiveSlug("web"), toTeamName("acme")];
  const deliver = async ({ storage }: Serving): Promise<readonly string[]> => {
    const told: string[] = [];
    const sendWebhook: SendWebhook = async ({ headers }) => {
      told.push(headers["webhook-id"] ?? "");
      return { kind: "received" };
    };
    Object.assign(storage, { sendWebhook });
    const events = new CommitEvents(storage);
    const options = { storage, events, format: toWebhookBody, random: Math.random, delivered: () => {} };
    for (const [slug, owner] of await hivesWithWebhooks(storage)) {
      await deliverHive(options, owner, slug, new AbortController().signal);
    }
    return told;
  };
  const url = toWebhookUrl("https://ci.example.org/hook");
  const webhook = await addWebhook(primary.storage, { team }, { url });
  const add = async (key: string): Promise<string> => {
    const { headers } = await request(primary, token, "POST", strings, body(key));
    return `msg_web_${headers.get("x-skep-commit")}`;
  };
  const received = await add("a");
  expect(await deliver(primary)).toEqual([received]);
  const missed = await add("b");
  const copy = await follow(primary);
  await copy.catchUp();
  expect(copy.storage.webhooks.list(team)).toEqual([webhook]);
  expect(copy.storage.webhooks.states(web)).toEqual(primary.storage.webhooks.states(web));
  expect((await request(copy, token, "GET", "/api/webhooks")).json.data).toMatchObject([{ pending: 1 }]);
  expect(await deliver(copy)).toEqual([]);
  await expect(removeWebhook(copy.storage, { team }, webhook.id)).rejects.toThrow("is a copy");
  await copy.stop();
  await promote(copy.storage);
  await demote(primary.storage, undefined);
  expect(await deliver(primary)).toEqual([]);
  expect(await deliver(copy)).toEqual([missed]);
});

it("an old primary is told by the one that took over, and one of an older generation is not followed", async () => {
  const { primary, token } = await start();
  const north = toFollowerName("north");
  const secret = await addFollower(primary.storage, north, true);
  const copy = await follow(primary, { secret });
  await copy.catchUp();
  await copy.stop();
  await promote(copy.storage);
  const said: string[] = [];
  const say = (fields: object, message: string): void =>
    void said.push("error" in fields ? String(fields.error) : message);
  const readOnly = await addFollower(primary.storage, toFollowerName("south"));
  const trying = notifyOldPrimary(
    copy.storage,
    { url: primary.url, secret: readOnly },
    { error: say, info: say },
  );
  await expect.poll(() => said.join(), patience).toContain("run skep demote here");
  await trying.stop();
  said.length = 0;
  const telling = notifyOldPrimary(copy.storage, { url: primary.url, secret }, { error: say, info: say });
  await expect.poll(() => said, patience).toEqual(["the old primary knows that this server took over"]);
  await telling.stop();
  expect((await request(primary, token, "POST", strings, body("a"))).json.code).toBe("read_only");

  // A follower of generation 2 refuses it even if it forgets that.
  await copy.storage.replication.change((state) => ({
    id: "",
    generation: 2,
    ...state,
    follows: primary.url,
  }));
  await primary.storage.replication.change((state) => ({ id: state?.id ?? "", generation: 1 }));
  await removeFollower(primary.storage, north);
  const reader = await addFollower(primary.storage, north);
  const again = await follow(primary, { secret: reader, folder: copy.storage.folder });
  await expect.poll(() => again.logged.join(), patience).toContain("may only read");
  expect(again.follower.isFresh()).toBe(false);
});
