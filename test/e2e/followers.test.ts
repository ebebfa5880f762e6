/** Real primaries and followers: their processes are killed, the lines between them cut, and one takes over. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import {
  acmeStorage,
  createToken,
  git,
  request,
  type RunningServer,
  type Served,
  skep,
  skepOk,
  startServer,
  startServerIn,
} from "../helpers/process.ts";
import { openLocalStorage } from "../../src/service/storage.ts";
import { makeToken, realFolder } from "../helpers/storage.ts";

const strings = "/api/hives/web/strings";

/** A line between a follower and its primary, which can be cut, or swallow everything. */
interface Line extends Served {
  /** What it leads to. */
  target: string;
  /** Whether nothing passes, though connections stay open. */
  isDeaf: boolean;
  /** Whether that holds for what git fetches. */
  stallsFetches: boolean;
  /** How often the primary was asked for news. */
  asked: number;
  /** Cuts each connection after so many bytes from the primary. */
  cutAfter: number;
  readonly cut: () => void;
}

async function layLine(target: string): Promise<Line> {
  const open = new Set<Socket>();
  const line: Line = {
    url: "",
    target,
    isDeaf: false,
    stallsFetches: false,
    asked: 0,
    cutAfter: Infinity,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
  };
  const server = createServer((near) => {
    const far = connect(Number(new URL(line.target).port), "127.0.0.1");
    let left = line.cutAfter;
    let isStalled = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => {}).once("close", () => open.delete(socket));
    }
    const pass = (data: Buffer): void => {
      const request = data.toString("latin1");
      if (request.startsWith("GET /api/replication?")) line.asked++;
      isStalled ||= line.stallsFetches && /^\w+ \/api\/replication\/hives\//.test(request);
      if (!line.isDeaf && !isStalled) far.write(data);
    };
    near.on("data", pass).once("close", () => far.destroy());
    far
      .on("data", (data) => {
        if (line.isDeaf) return;
        left -= data.length;
        if (left < 0) near.destroy();
        else near.write(data);
      })
      .once("close", () => near.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    line.cut();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP server");
  return Object.assign(line, { url: `http://127.0.0.1:${address.port}` });
}

async function makePrimary() {
  const storage = await acmeStorage();
  const token = await createToken(storage, ["admin"]);
  const secret = await skepOk(storage, "follower", "add", "north", "--takes-over");
  return { storage, token, secret };
}

function follow(storage: string, url: string, secret: string, ...flags: string[]): Promise<RunningServer> {
  return startServerIn({ SKEP_FOLLOW_TOKEN: secret }, storage, "--follow", url, ...flags);
}

async function add(server: Served, token: string, key: string): Promise<string> {
  const files = { "a.php": { [key]: key.repeat(200) } };
  const { status, headers, json } = await request(server, token, "POST", strings, { files });
  if (status !== 200) throw new Error(JSON.stringify(json));
  return headers.get("x-skep-commit") ?? "";
}

/** Makes Node's clock two hours slow. */
const slowClock = `--import=data:text/javascript,${encodeURIComponent(
  "const now = Date.now; Date.now = () => now() - 7_200_000;",
)}`;

/** The commit that a server answers a read from; undefined when it refuses. */
async function commitAt(server: Served, token: string): Promise<string | undefined> {
  const { status, headers } = await request(server, token, "GET", `${strings}?per_page=1`);
  return status === 200 ? (headers.get("x-skep-commit") ?? undefined) : undefined;
}

const patience = { timeout: 60_000, interval: 50 };
/** Several processes start one after the other. */
const longTest = 180_000;

it(
  "a follower shows only what was committed, in its order, through cut lines and kills of both sides",
  async () => {
    const { storage, token, secret } = await makePrimary();
    const copy = realFolder();
    let primary = await startServer(storage);
    const line = await layLine(primary.url);
    let follower = await follow(copy, line.url, secret);
    const seen: string[] = [];
    const over = new AbortController();
    const reading = (async () => {
      while (!over.signal.aborted) {
        await setTimeout(20);
        const commit = await commitAt(follower, token).catch(() => undefined);
        if (commit !== undefined && seen.at(-1) !== commit) seen.push(commit);
      }
    })();
    let last = "";
    for (let i = 0; i < 30; i++) {
      // From the eighth on, no connection lives long enough for a whole fetch.
      if (i === 8) line.cutAfter = 2_000;
      if (i === 12) {
        await primary.stop("SIGKILL");
        primary = await startServer(storage);
        line.target = primary.url;
        line.cut();
      }
      if (i === 18) line.cutAfter = Infinity;
      if (i === 22) {
        await follower.stop("SIGKILL");
        follower = await follow(copy, line.url, secret);
      }
      last = await add(primary, token, `k${i}`);
    }
    await expect.poll(() => commitAt(follower, token), patience).toBe(last);
    over.abort();
    await reading;
    const made = (await git(join(storage, "hives/web.git"), "rev-list", "--reverse", "main")).split("\n");
    const places = seen.map((commit) => made.indexOf(commit));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(await git(join(copy, "hives/web.git"), "fsck", "--full", "--strict")).toBe("");
    expect((await skep("verify", "--storage", copy)).stderr).toContain("No problems found.");
  },
  longTest,
);

it(
  "a follower answers nothing that is older than allowed when its line goes dead, and goes on when it is back",
  async () => {
    const { storage, token, secret } = await makePrimary();
    const primary = await startServer(storage);
    const line = await layLine(primary.url);
    const follower = await follow(realFolder(), line.url, secret, "--max-lag", "2s");
    const first = await add(primary, token, "a");
    await expect.poll(() => commitAt(follower, token), patience).toBe(first);
    line.isDeaf = true;
    const deafSince = performance.now();
    await add(primary, token, "b");
    let lastAnswer = 0;
    for (let commit: string | undefined = first; commit !== undefined;) {
      const askedAt = performance.now();
      commit = await commitAt(follower, token);
      if (commit === undefined) continue;
      expect(commit).toBe(first);
      lastAnswer = askedAt;
    }
    expect(lastAnswer - deafSince).toBeLessThan(2_000);
    expect((await request(follower, token, "GET", strings)).json.code).toBe("lagging");
    expect((await fetch(`${follower.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${follower.url}/readyz`)).status).toBe(503);

    // Revoked while the line is dead: the follower never accepts it again.
    await skepOk(storage, "token", "revoke", token.split("_")[1] ?? "");
    const other = await createToken(storage, ["read"]);
    line.isDeaf = false;
    line.cut();
    const statuses = new Set<number>();
    await expect
      .poll(async () => {
        statuses.add((await request(follower, token, "GET", strings)).status);
        return (await request(follower, other, "GET", strings)).json.meta?.total;
      }, patience)
      .toBe(2);
    expect([...statuses].filter((status) => status !== 503 && status !== 401)).toEqual([]);
    expect((await request(follower, token, "GET", strings)).status).toBe(401);
  },
  longTest,
);

it(
  "a follower refuses a token soon after it was revoked or has expired, while a fetch hangs and its own clock is slow",
  async () => {
    const { storage, token, secret } = await makePrimary();
    const other = await createToken(storage, ["read"]);
    const primary = await startServer(storage);
    const line = await layLine(primary.url);
    const env = { SKEP_FOLLOW_TOKEN: secret, NODE_OPTIONS: slowClock };
    const follower = await startServerIn(env, realFolder(), "--follow", line.url);
    const first = await add(primary, token, "a");
    await expect.poll(() => commitAt(follower, token), patience).toBe(first);
    line.stallsFetches = true;
    await add(primary, token, "b");
    const pending = async (): Promise<number> =>
      (await request(follower, token, "GET", "/readyz")).json.pending_hives;
    await expect.poll(pending, patience).toBe(1);
    // Each request for news takes a second at most, and is answered as soon as settings change.
    await skepOk(storage, "token", "revoke", token.split("_")[1] ?? "");
    const { asked } = line;
    let lastAccepted = asked;
    const status = async (): Promise<number> => {
      const askedBefore = line.asked;
      const { status: found } = await request(follower, token, "GET", strings);
      if (found === 200) lastAccepted = askedBefore;
      return found;
    };
    await expect.poll(status, patience).toBe(401);
    expect(lastAccepted - asked).toBeLessThanOrEqual(2);
    expect([await commitAt(follower, other), await pending()]).toEqual([first, 1]);

    const short = await makeToken(openLocalStorage(storage), { lifetimeMs: 2_000 });
    const code = async (): Promise<string> => (await request(follower, short, "GET", strings)).json.code;
    await expect.poll(code, patience).toBe("expired_token");
  },
  longTest,
);

it(
  "a promoted follower takes over, and the old primary is refused and refuses changes when it comes back",
  async () => {
    const { storage: old, token, secret } = await makePrimary();
    const southern = await skepOk(old, "follower", "add", "south");
    let primary = await startServer(old);
    const [north, south] = [realFolder(), realFolder()];
    let northern = await follow(north, primary.url, secret);
    const line = await layLine(primary.url);
    let bystander = await follow(south, line.url, southern);
    const kept = await add(primary, token, "kept");
    for (const server of [northern, bystander]) {
      await expect.poll(() => commitAt(server, token), patience).toBe(kept);
    }
    expect((await skep("promote", "--storage", north)).stderr).toContain("stop it first");
    await primary.stop("SIGKILL");
    await northern.stop();
    expect((await skep("serve", "--storage", north)).stderr).toContain("is a copy of the one at");
    expect(await skepOk(north, "promote")).toContain("generation 2");

    // Nobody has told the old primary: what it accepts now is lost.
    primary = await startServer(old);
    line.target = primary.url;
    const lost = await add(primary, token, "lost");
    await expect.poll(() => commitAt(bystander, token), patience).toBe(lost);
    northern = await startServerIn({ SKEP_FOLLOW_TOKEN: secret }, north, "--fence", primary.url);
    await expect.poll(() => northern.stderr(), patience).toContain("knows that this server took over");
    await expect(add(primary, token, "refused")).rejects.toThrow("read_only");
    expect((await fetch(`${primary.url}/readyz`)).status).toBe(503);
    expect((await skep("team", "create", "other", "--storage", old)).stderr).toContain("generation 2");
    const taken = await add(northern, token, "taken");

    // The other follower leaves the old primary, which says itself that it was superseded.
    await expect.poll(() => bystander.stderr(), patience).toContain("superseded");
    await bystander.stop();
    const again = await skepOk(north, "follower", "add", "south");
    bystander = await follow(south, northern.url, again);
    // It may have the only copy of what the old primary accepted alone.
    await expect.poll(() => bystander.stderr(), patience).toContain("skep follower accept web");
    await skepOk(south, "follower", "accept", "web");
    await expect.poll(() => commitAt(bystander, token), patience).toBe(taken);
    const keys = (await request(bystander, token, "GET", strings)).json.data.map(
      ({ key }: { key: string }) => key,
    );
    expect(keys.toSorted()).toEqual(["kept", "taken"]);
    expect(await git(join(south, "hives/web.git"), "for-each-ref", "refs/skep/lost/main")).not.toBe("");
    expect((await skep("verify", "--storage", south)).stderr).toContain("No problems found.");
  },
  longTest,
);
