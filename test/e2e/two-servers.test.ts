/** Two real servers on one storage: they see each other's commits, keep one quota, and end in order. */
import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  createToken,
  git,
  request,
  skep,
  skepOk,
  startServer,
  type RunningServer,
} from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

const soon = { timeout: 120_000, interval: 50 };

async function setUp() {
  const storage = realFolder();
  await skepOk(storage, "team", "create", "acme", "--max-strings", "60");
  for (const slug of ["web", "app"])
    await skepOk(storage, "hive", "create", slug, "--team", "acme", "--locale", "fr");
  const token = await createToken(storage);
  return { storage, token };
}

it("two servers lose nothing and keep the quota exactly, whichever writes to which Hive", async () => {
  const { storage, token } = await setUp();
  const servers = [await startServer(storage), await startServer(storage)];
  const replies = await Promise.all(
    Array.from({ length: 80 }, async (_, i) => {
      const server = servers[i % 2];
      if (server === undefined) throw new Error("no server");
      const hive = i % 4 < 2 ? "web" : "app";
      const files = { "a.php": { [`k${i}`]: "x" } };
      return {
        key: `${hive} k${i}`,
        hive,
        ...(await request(server, token, "POST", `/api/hives/${hive}/strings`, { files })),
      };
    }),
  );
  const accepted = replies.filter(({ status }) => status === 200).map(({ key }) => key);
  expect(accepted).toHaveLength(60);
  expect(replies.filter(({ status }) => status !== 200).map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, () => 422),
  );
  for (const server of servers) {
    const found = await Promise.all(
      ["web", "app"].map(async (hive) => {
        const { json } = await request(server, token, "GET", `/api/hives/${hive}/strings?per_page=500`);
        return json.data.map(({ key }: { key: string }) => `${hive} ${key}`);
      }),
    );
    expect(found.flat().toSorted()).toEqual(accepted.toSorted());
  }
  for (const slug of ["web", "app"]) {
    const repo = join(storage, "hives", `${slug}.git`);
    expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
    const commits = Number(await git(repo, "rev-list", "--count", "main"));
    expect(commits).toBe(1 + accepted.filter((key) => key.startsWith(slug)).length);
  }
});

it("two servers see a revoked token, an added locale and each other's commits at the next request", async () => {
  const { storage, token } = await setUp();
  const one = await startServer(storage);
  const other = await startServer(storage);
  const strings = "/api/hives/web/strings";
  for (const server of [one, other])
    expect((await request(server, token, "GET", strings)).json.meta.total).toBe(0);
  await request(one, token, "POST", strings, { files: { "a.php": { a: "A" } } });
  expect((await request(other, token, "GET", strings)).json.meta.total).toBe(1);
  await skepOk(storage, "locale", "add", "web", "it");
  const files = { files: { "a.php": { a: "I" } } };
  expect((await request(other, token, "POST", "/api/hives/web/translations/it", files)).json.created).toBe(1);
  await skepOk(storage, "token", "revoke", token.split("_")[1] ?? "");
  for (const server of [one, other]) expect((await request(server, token, "GET", strings)).status).toBe(401);
});

it("two servers do a request with an Idempotency-Key once, whichever gets it, killed or not", async () => {
  const { storage, token } = await setUp();
  const servers = [await startServer(storage), await startServer(storage)];
  const send = (server: RunningServer, i: number) =>
    request(
      server,
      token,
      "POST",
      "/api/hives/web/strings",
      { files: { "a.php": { [`k${i}`]: "x" } } },
      { "idempotency-key": `run-${i}` },
    );
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => Promise.all(servers.map((server) => send(server, i)))),
  );
  const created = { created: 1, updated: 0, unchanged: 0, translations_cleared: 0 };
  for (const twins of answers) {
    expect(twins.map(({ status, json }) => [status, json])).toEqual([
      [200, created],
      [200, created],
    ]);
    const [one, other] = twins.map(({ headers }) => headers.get("x-skep-commit"));
    expect(one).toBe(other);
    expect(twins.filter(({ headers }) => headers.has("idempotency-replayed"))).toHaveLength(1);
  }
  // Sent to one server that is killed meanwhile, then to the other: whether there was an answer or not.
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error("no servers");
  const cut = Array.from({ length: 10 }, (_, i) => send(first, 10 + i).catch(() => undefined));
  await Promise.race(cut);
  await first.stop("SIGKILL");
  await Promise.all(cut);
  for (let i = 10; i < 20; i++) expect((await send(second, i)).json).toEqual(created);
  const count = await git(join(storage, "hives", "web.git"), "rev-list", "--count", "main");
  expect(Number(count)).toBe(1 + 20);
});

it("two servers end with 0 after a write that waits, and at once at a second signal", async () => {
  const { storage, token } = await setUp();
  const lock = join(storage, "locks", "hive-web.lock");
  for (const patient of [true, false]) {
    const server = await startServer(storage);
    fs.mkdirSync(lock, { recursive: true });
    const renew = setInterval(() => fs.existsSync(lock) && fs.utimesSync(lock, new Date(), new Date()), 200);
    const writing = request(server, token, "POST", "/api/hives/web/strings", {
      files: { "a.php": { [`${patient}`]: "x" } },
    }).catch(() => undefined);
    // The write shows that it waits for the lock.
    await expect.poll(() => fs.existsSync(join(storage, "locks", "hive-web.waiting")), soon).toBe(true);
    const stopped = server.stop(patient ? "SIGHUP" : "SIGTERM");
    await expect.poll(() => server.stderr(), soon).toContain("a second signal stops it at once");
    if (patient) fs.rmdirSync(lock);
    else server.child.kill("SIGTERM");
    expect(await stopped).toBe(patient ? 0 : 1);
    expect((await writing)?.status).toBe(patient ? 200 : undefined);
    clearInterval(renew);
    fs.rmSync(lock, { recursive: true, force: true });
    fs.rmSync(join(storage, "locks", "hive-web.waiting"), { force: true });
  }
  expect((await skep("verify", "--storage", storage)).stderr).toContain("No problems found.");
});
