/** The drill: back up a server at work, kill it, restore, and compare. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import {
  bin,
  git,
  request,
  runSkep,
  serveInProcess,
  skep,
  skepIn,
  skepOk,
  startServer,
  type RunningServer,
  type Served,
} from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

const hives = ["web", "app", "docs"];
const locales = ["en", "fr", "pt_BR"];

async function setUp() {
  const root = realFolder();
  const storage = join(root, "storage");
  await skepOk(storage, "team", "create", "acme");
  await skepOk(storage, "team", "create", "other");
  for (const slug of hives) {
    const team = slug === "docs" ? "other" : "acme";
    const flags = ["--team", team, "--locale", "fr", "--locale", "pt-BR=pt_BR"];
    await skepOk(storage, "hive", "create", slug, ...flags);
  }
  const abilities = ["--ability", "read", "--ability", "write"];
  const tokens = {
    acme: await skepOk(storage, "token", "create", "--team", "acme", ...abilities),
    other: await skepOk(storage, "token", "create", "--team", "other", ...abilities),
  };
  const tokenOf = (slug: string): string => (slug === "docs" ? tokens.other : tokens.acme);
  return { root, storage, tokenOf };
}

type TokenOf = (slug: string) => string;

/** Writes to a Hive until told to stop; notes what was acknowledged. */
async function write(
  server: RunningServer,
  token: string,
  slug: string,
  over: AbortSignal,
  acknowledged: Set<string>,
): Promise<void> {
  for (let i = 0; !over.aborted; i++) {
    const key = `${slug}_${i}`;
    const files = { "a.php": { [key]: `Text ${i}` }, [`dir/${i % 5}.json`]: { [`n${i}`]: { deep: `${i}` } } };
    const paths = ["strings", "translations/fr", "translations/pt_BR"];
    for (const path of paths) {
      const reply = await request(server, token, "POST", `/api/hives/${slug}/${path}`, { files }).catch(
        () => undefined,
      );
      if (reply === undefined) return;
      expect(reply.status).toBe(200);
      acknowledged.add(`${path.split("/").at(-1)} ${key}`);
    }
    // The server is at work, but what a backup has to copy does not depend on how long it takes.
    await setTimeout(20);
  }
}

/** Every export of a Hive, at a commit or now. */
async function exportsOf(server: Served, token: string, slug: string, at?: string) {
  const suffix = at === undefined ? "" : `&at=${at}`;
  const queries = [
    ...locales.flatMap((locale) => ["json", "php"].map((format) => `locale=${locale}&format=${format}`)),
    "format=json",
    "format=php",
  ];
  const found: unknown[] = [];
  let commit = "";
  for (const query of queries) {
    const { status, json, headers } = await request(
      server,
      token,
      "GET",
      `/api/hives/${slug}/export?${query}${suffix}`,
    );
    expect(status).toBe(200);
    commit = headers.get("x-skep-commit") ?? "";
    found.push(json.files);
  }
  return { commit, found };
}

async function keysOf(server: Served, tokenOf: TokenOf): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const slug of hives) {
    for (const [locale, name] of [
      ["en", "strings"],
      ["fr", "fr"],
      ["pt_BR", "pt_BR"],
    ]) {
      const { json } = await request(
        server,
        tokenOf(slug),
        "GET",
        `/api/hives/${slug}/export?locale=${locale}`,
      );
      for (const key of Object.keys(JSON.parse(json.files["a.json"] ?? "{}"))) keys.add(`${name} ${key}`);
    }
  }
  return keys;
}

/** Whether all is sound, by Skep, which asks git for each repository, and by a git without Skep's settings. */
async function expectSound(storage: string): Promise<void> {
  expect(await skep("verify", "--storage", storage)).toMatchObject({ code: 0, stdout: "" });
  for (const name of fs.readdirSync(join(storage, "hives"))) {
    expect(await git(join(storage, "hives", name), "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  }
}

/** Starts writers on every Hive, and what makes and deletes others beside them; gives what ends all of it. */
function startWork(server: RunningServer, storage: string, tokenOf: TokenOf, acknowledged: Set<string>) {
  const over = new AbortController();
  const writing = hives.map((slug) => write(server, tokenOf(slug), slug, over.signal, acknowledged));
  const making = (async () => {
    for (let i = 0; !over.signal.aborted; i++) {
      await skepOk(storage, "hive", "create", `new-${i}`, "--team", i % 2 === 0 ? "acme" : "other");
      await skepOk(storage, "hive", "delete", `new-${i}`, "--yes");
      // The writers are to get on, too.
      await setTimeout(50);
    }
  })();
  return async () => {
    over.abort();
    await Promise.all([...writing, making]);
  };
}

it("skep server restore brings back all that was acknowledged before a backup of a busy server", async () => {
  const { root, storage, tokenOf } = await setUp();
  const dir = join(root, "backup");
  const server = await startServer(storage, "--pack-after", "100");
  const acknowledged = new Set<string>();

  // The next backup adds to this one, and copies Hives that are new as a whole.
  await skepOk(storage, "backup", dir);
  const endWork = startWork(server, storage, tokenOf, acknowledged);
  await vi.waitUntil(() => acknowledged.size > 20, { timeout: 120_000, interval: 5 });
  const before = new Set(acknowledged);
  expect(await skepOk(storage, "backup", dir)).toMatch(/; copied [1-9][0-9]* objects? and [0-9]+ packs?\.$/);
  await endWork();
  expect(acknowledged.size).toBeGreaterThan(before.size);
  const again = join(root, "restored");
  expect(await skepOk(again, "restore", dir)).toMatch(
    /^Restored the backup of .* into \/.*: [34] Hives, 2 tokens, 2 teams\.$/,
  );
  await expectSound(again);
  await expectSound(dir);
  const restored = await serveInProcess(again);
  const found = await keysOf(restored, tokenOf);
  expect([...before].filter((key) => !found.has(key))).toEqual([]);
  for (const slug of hives) {
    const { commit, found: exports } = await exportsOf(restored, tokenOf(slug), slug);
    // The server that was backed up had exactly this at that commit.
    expect((await exportsOf(server, tokenOf(slug), slug, commit)).found).toEqual(exports);
  }

  const stopWork = startWork(server, storage, tokenOf, acknowledged);
  const killAt = acknowledged.size + 10;
  await vi.waitUntil(() => acknowledged.size > killAt, { timeout: 120_000, interval: 5 });
  await server.stop("SIGKILL");
  await stopWork();

  // After the kill, once more: nothing is written any more, so that the copy is the storage. A git that the server was running
  // outlives it for a moment.
  await expect
    .poll(async () => skepOk(storage, "backup", dir), { timeout: 120_000 })
    .toMatch(/; copied 0 objects and 0 packs\.$/);
  const last = join(root, "last");
  await skepOk(last, "restore", dir);
  const [one, other] = [await startServer(storage), await serveInProcess(last)];
  const kept = await keysOf(other, tokenOf);
  expect([...acknowledged].filter((key) => !kept.has(key))).toEqual([]);
  for (const slug of hives) {
    expect(await exportsOf(other, tokenOf(slug), slug)).toEqual(await exportsOf(one, tokenOf(slug), slug));
  }
});

it("a backup that is killed at any moment leaves the previous one intact", async () => {
  const { root, storage, tokenOf } = await setUp();
  const dir = join(root, "backup");
  const server = await startServer(storage);
  const fill = async (name: string): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      const files = { "a.php": { [`${name}_${i}`]: "x" } };
      await request(server, tokenOf("web"), "POST", "/api/hives/web/strings", { files });
    }
  };
  await fill("first");
  await runSkep("backup", dir, "--storage", storage);
  // On a machine that is slow to tell, a backup may be over before its kill; another one is killed then.
  for (let killed = 0, round = 0; killed < 3; round++) {
    await fill(`r${round}`);
    const child = execFile(process.execPath, [bin, "backup", dir, "--storage", storage]);
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.once("exit", (_, signal) => resolve(signal)),
    );
    // The kill comes with the first change of the backup, or some changes later.
    let changes = 0;
    const watchers = [dir, join(dir, "hives/web.git"), join(dir, "hives/web.git/objects")].map((path) =>
      fs.watch(path, () => ++changes > killed * 3 && child.kill("SIGKILL")),
    );
    if ((await ended) === "SIGKILL") killed++;
    for (const watcher of watchers) watcher.close();
    const manifest = fs.readFileSync(join(dir, "skep-backup.json"), "utf8");
    const again = join(root, `restored-${round}`);
    await skepOk(again, "restore", dir);
    const { commit } = await exportsOf(await serveInProcess(again), tokenOf("web"), "web");
    expect(manifest).toContain(commit);
  }
  await skepOk(storage, "backup", dir);
  await expectSound(dir);
});

it("skep server backup works without git", async () => {
  const { root, storage, tokenOf } = await setUp();
  const PATH = realFolder();
  fs.symlinkSync(process.execPath, join(PATH, "node"));
  const server = await startServer(storage);
  const files = { "a.php": { key: "Text" } };
  await request(server, tokenOf("web"), "POST", "/api/hives/web/strings", { files });
  await skepOk(storage, "maintain", "web");
  const [dir, again] = [join(root, "backup"), join(root, "restored")];
  expect(await skepIn({ PATH }, "backup", dir, "--storage", storage)).toMatchObject({
    code: 0,
    stdout: "Backed up 3 Hives of 2 teams; copied 8 objects and 1 pack.\n",
  });
  expect(await skepIn({ PATH }, "restore", dir, "--storage", again)).toMatchObject({ code: 0, stderr: "" });
  await expectSound(again);
});

it("skep server backup reports each problem in one line", async () => {
  const { root, storage } = await setUp();
  const dir = join(root, "backup");
  await skepOk(storage, "backup", dir);
  expect(await skep("backup", storage, "--storage", storage)).toMatchObject({
    code: 1,
    stderr: "skep: dir: must be neither in the storage nor around it\n",
  });
  expect(await skep("restore", dir, "--storage", storage)).toMatchObject({
    code: 1,
    stderr: "skep: The storage is not empty: it has hives. Restore into a new one.\n",
  });
  fs.rmSync(join(dir, "hives/web.git/objects"), { recursive: true });
  const { code, stdout, stderr } = await skep("restore", dir, "--storage", join(root, "restored"));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^web: .*[^]*restored nothing\. --force restores it as it is\.\n$/);
});
