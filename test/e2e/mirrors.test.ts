/** Real servers that push Hives by real git to real remotes: bare repositories and a smart HTTP server. */
import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveGit } from "../helpers/git/git-http.ts";
import {
  commitText,
  createToken,
  git,
  runSkep,
  skep,
  skepOk,
  startServer,
  startServerIn,
  type RunningServer,
} from "../helpers/process.ts";
import { readPage } from "../docs/pages.ts";
import { realFolder } from "../helpers/storage.ts";

const soon = { timeout: 120_000, interval: 100 };

async function setUp() {
  const folder = realFolder();
  const storage = join(folder, "storage");
  await skepOk(storage, "team", "create", "acme");
  await skepOk(storage, "hive", "create", "web", "--team", "acme", "--locale", "fr");
  const token = await createToken(storage);
  const hive = join(storage, "hives/web.git");
  const commit = (server: RunningServer, text: string) => commitText(server, token, text);
  const head = async () => (await git(hive, "rev-parse", "main")).trim();
  const mirrors = async () => JSON.parse(await skepOk(storage, "mirror", "list", "--json"));
  const state = async () => (await mirrors())[0]?.state;
  return { folder, storage, hive, commit, head, mirrors, state };
}

async function makeRemote(folder: string, name = "remote.git"): Promise<string> {
  await git(folder, "init", "-q", "--bare", name);
  return join(folder, name);
}

const mainOf = (remote: string) =>
  git(remote, "rev-parse", "main").then(
    (oid) => oid.trim(),
    () => undefined,
  );

it("a remote on disk gets each commit, tag and branch, whoever made it, also over a restart", async () => {
  const { folder, storage, hive, commit, head, mirrors } = await setUp();
  const remote = await makeRemote(folder, "a remote.git");
  const server = await startServer(storage);
  await skepOk(storage, "mirror", "add", "web", `file://${folder}/a%20remote.git`, "--branches");
  await expect.poll(() => mainOf(remote), soon).toBe(await head());
  await commit(server, "A");
  await expect.poll(() => mainOf(remote), soon).toBe(await head());
  await skepOk(storage, "locale", "add", "web", "it");
  await git(hive, "tag", "-a", "-m", "first", "release/v1");
  await git(hive, "branch", "feature/login");
  await expect.poll(() => mainOf(remote), soon).toBe(await head());
  await expect.poll(() => git(remote, "tag"), soon).toBe("release/v1\n");
  await expect.poll(() => git(remote, "branch", "--list", "feature/*"), soon).toBe("  feature/login\n");
  await expect.poll(mirrors, soon).toEqual([
    {
      team: "acme",
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      hive: "web",
      url: `file://${folder}/a%20remote.git`,
      branches: true,
      added: expect.any(String),
      state: "pushed",
      commit: await head(),
      pushed: expect.any(String),
      error: null,
      attempts: 0,
      retry: null,
    },
  ]);
  expect(await server.stop()).toBe(0);
  await skepOk(storage, "locale", "add", "web", "es");
  expect((await mirrors())[0].state).toBe("waiting");
  const again = await startServer(storage);
  await expect.poll(() => mainOf(remote), soon).toBe(await head());
  await skepOk(storage, "hive", "delete", "web", "--yes");
  expect(await mirrors()).toEqual([]);
  expect(fs.readdirSync(join(storage, "mirrors"))).toEqual([]);
  expect(await again.stop()).toBe(0);
  expect(again.stderr()).not.toContain('"level":"error"');
  expect((await skep("verify", "--storage", storage)).stderr).toContain("No problems found.");
});

it("a remote brings back what came after a backup, as the page says", async () => {
  const { folder, storage, hive, commit, head, state } = await setUp();
  const remote = await makeRemote(folder);
  await skepOk(storage, "mirror", "create", "web", remote);
  const backup = join(folder, "backup");
  await skepOk(storage, "server", "backup", backup);
  const server = await startServer(storage);
  await commit(server, "A");
  const last = await head();
  await expect.poll(() => mainOf(remote), soon).toBe(last);
  await server.stop();
  fs.rmSync(storage, { recursive: true });

  await skepOk(storage, "server", "restore", backup);
  expect(await head()).not.toBe(last);
  const [, refspec = ""] = /`git -C \S+ fetch \S+ (\S+)`/.exec(readPage("docs/operation.md")) ?? [];
  await git(hive, "fetch", remote, refspec);
  expect(await head()).toBe(last);
  const again = await startServer(storage);
  await commit(again, "B");
  await expect.poll(() => mainOf(remote), soon).toBe(await head());
  await expect.poll(state, soon).toBe("pushed");
  await skepOk(storage, "server", "verify");
  await again.stop();
});

it("a remote that has diverged is never overwritten, but rejected until it fits, and pushed by hand then", async () => {
  const { folder, storage, commit, head, mirrors, state } = await setUp();
  const remote = await makeRemote(folder);
  await git(folder, "clone", "-q", remote, "work");
  await git(join(folder, "work"), "commit", "-q", "--allow-empty", "-m", "something else");
  await git(join(folder, "work"), "push", "-q", "origin", "HEAD:main");
  const before = await mainOf(remote);
  const server = await startServer(storage);
  await skepOk(storage, "mirror", "add", "web", remote);
  await expect.poll(state, soon).toBe("rejected");
  const [row] = await mirrors();
  expect(row.error).toMatch(/^main was rejected \(fetch first\)/);
  expect(row).toMatchObject({ attempts: 1, retry: null, commit: null });
  await commit(server, "A");
  await expect.poll(async () => (await mirrors())[0].attempts, soon).toBe(2);
  expect(await mainOf(remote)).toBe(before);
  const push = () => runSkep("mirror", "push", "web", "--storage", storage);
  const byHand = await push();
  expect([byHand.code, byHand.stdout]).toEqual([1, expect.stringContaining(`${remote}: main was rejected`)]);
  await git(remote, "update-ref", "-d", "refs/heads/main");
  expect(await push()).toEqual({ code: 0, stdout: `${remote}: pushed\n`, stderr: "" });
  expect([await mainOf(remote), await state()]).toEqual([await head(), "pushed"]);
  await server.stop();
  const lines = server
    .stderr()
    .split("\n")
    .filter((line) => line.includes("could not push"));
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ hive: "web", mirror: remote, kind: "rejected" });
});

it("a remote that is not there is pushed to when it comes back", async () => {
  const { folder, storage, head, mirrors, state } = await setUp();
  const server = await startServer(storage);
  const remote = join(folder, "later.git");
  await skepOk(storage, "mirror", "add", "web", remote);
  await expect.poll(state, soon).toBe("failed");
  const [row] = await mirrors();
  expect(row.error).toContain("does not appear to be a git repository");
  expect(row.error).not.toContain("\n");
  expect(Date.parse(row.retry)).toBeGreaterThan(Date.parse(row.added));
  await makeRemote(folder, "later.git");
  await expect.poll(state, soon).toBe("pushed");
  expect(await mainOf(remote)).toBe(await head());
  expect((await mirrors())[0]).toMatchObject({ error: null, attempts: 0, retry: null });
  await server.stop();
});

it("a smart HTTP server that fails and then works is pushed to with the credentials of the user's git", async () => {
  const { folder, storage, head, mirrors, state } = await setUp();
  const remote = await makeRemote(folder);
  const web = await serveGit(folder, { user: "bee", password: "s3cret-honey" });
  web.mode = "fail";
  const url = `${web.url}/remote.git`;
  await skepOk(storage, "mirror", "add", "web", url);
  const without = await startServer(storage);
  await expect.poll(async () => (await mirrors())[0].error, soon).toContain("503");
  web.mode = "serve";
  // This server's user has no credentials, and nobody is asked for them.
  await expect
    .poll(async () => (await mirrors())[0].error, soon)
    .toMatch(/could not read Username|Authentication/);
  expect(await without.stop()).toBe(0);
  const home = join(folder, "home");
  fs.mkdirSync(home);
  fs.writeFileSync(join(home, ".gitconfig"), "[credential]\n\thelper = store\n");
  fs.writeFileSync(join(home, ".git-credentials"), `http://bee:s3cret-honey@${new URL(url).host}\n`);
  const server = await startServerIn({ HOME: home }, storage);
  await expect.poll(state, soon).toBe("pushed");
  expect(await mainOf(remote)).toBe(await head());
  expect(await server.stop()).toBe(0);
  for (const text of [without.stderr(), server.stderr(), JSON.stringify(await mirrors())]) {
    expect(text).not.toContain("s3cret");
  }
});

it("a server that is told to stop ends the push in flight, and the next one takes it up", async () => {
  const { folder, storage, head, state } = await setUp();
  const remote = await makeRemote(folder);
  const web = await serveGit(folder, { user: "bee", password: "honey" });
  fs.writeFileSync(join(folder, ".netrc"), "machine 127.0.0.1 login bee password honey\n");
  web.mode = "hang";
  const url = `${web.url}/remote.git`;
  await skepOk(storage, "mirror", "add", "web", url);
  for (const signals of [1, 2]) {
    const seen = web.requests.length;
    const server = await startServerIn({ HOME: folder }, storage);
    await expect.poll(() => web.requests.length, soon).toBeGreaterThan(seen);
    expect(web.connections()).toBe(1);
    // The push itself would be waited for ten minutes: longer than this test may take.
    const stopped = server.stop();
    if (signals === 2) server.child.kill("SIGINT");
    const code = await stopped;
    if (signals === 1) expect(code).toBe(0);
    await expect.poll(() => web.connections(), soon).toBe(0);
    expect(await state()).toBe("waiting");
  }
  web.mode = "serve";
  const server = await startServerIn({ HOME: folder }, storage);
  await expect.poll(state, soon).toBe("pushed");
  expect(await mainOf(remote)).toBe(await head());
  await server.stop();
});

it("two servers never push one Hive at the same time", async () => {
  const { folder, storage, commit, head, state } = await setUp();
  const remote = await makeRemote(folder);
  const hook = [
    "#!/bin/sh",
    `mkdir '${folder}/busy' || touch '${folder}/overlap'`,
    `sleep 0.5; echo x >> '${folder}/pushes'; rmdir '${folder}/busy'`,
  ];
  fs.writeFileSync(join(remote, "hooks/pre-receive"), hook.join("\n"), { mode: 0o755 });
  await skepOk(storage, "mirror", "add", "web", remote);
  const servers = [await startServer(storage), await startServer(storage)] as const;
  for (const text of ["A", "B"]) {
    for (const server of servers) await commit(server, text + server.url);
    await expect.poll(() => mainOf(remote), soon).toBe(await head());
  }
  await expect.poll(state, soon).toBe("pushed");
  await Promise.all(servers.map((server) => server.stop()));
  expect(fs.existsSync(join(folder, "overlap"))).toBe(false);
  expect(fs.readFileSync(join(folder, "pushes"), "utf8").length).toBeGreaterThan(0);
});

it("a server without git says so once, and its mirrors do", async () => {
  const { folder, storage, mirrors, state } = await setUp();
  fs.mkdirSync(join(folder, "empty"));
  await skepOk(storage, "mirror", "add", "web", await makeRemote(folder));
  const server = await startServerIn({ PATH: join(folder, "empty") }, storage);
  await expect.poll(state, soon).toBe("no-git");
  await expect.poll(async () => (await mirrors())[0].attempts, soon).toBeGreaterThan(1);
  expect((await mirrors())[0].error).toBe("git is not installed");
  await server.stop();
  // Packing has a line of its own.
  expect(server.stderr().match(/git is not installed(?!: Hives)/g)).toHaveLength(1);
});
