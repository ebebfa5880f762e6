/** The real server packs Hives beside its work, and nothing that happens to it or to git matters to them. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workersIn } from "../helpers/git/stalled-clone.ts";
import { grow } from "../helpers/grow.ts";
import {
  acmeStorage,
  createToken,
  french,
  git,
  request,
  type RunningServer,
  type Served,
  serveInProcess,
  skep,
  skepIn,
  skepOk,
  startServer,
  startServerIn,
} from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

async function setUp() {
  const storage = await acmeStorage({ web: french, app: [] });
  const token = await createToken(storage);
  return { storage, token, repo: join(storage, "hives/web.git") };
}

/** Writes one string; whether that was acknowledged. */
async function write(server: RunningServer, token: string, key: string, hive = "web"): Promise<boolean> {
  const body = { files: { "a.php": { [key]: "x" } } };
  const path = `/api/hives/${hive}/strings`;
  const reply = await request(server, token, "POST", path, body).catch(() => undefined);
  if (reply !== undefined) expect(reply.status, server.stderr()).toBe(200);
  return reply !== undefined;
}

async function keysOf(server: Served, token: string): Promise<readonly string[]> {
  const { json } = await request(server, token, "GET", "/api/hives/web/export?locale=en");
  return Object.keys(JSON.parse(json.files["a.json"]));
}

async function counted(repo: string): Promise<{ readonly count: number; readonly packs: number }> {
  const lines = await git(repo, "count-objects", "-v");
  const number = (name: string): number => Number(new RegExp(`^${name}: ([0-9]+)$`, "m").exec(lines)?.[1]);
  return { count: number("count"), packs: number("packs") };
}

async function until(isSo: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}

const hasPack = (repo: string): boolean =>
  fs.readdirSync(join(repo, "objects/pack")).some((name) => name.endsWith(".idx"));

describe("skep serve", () => {
  it("packs a Hive by itself when it has grown, and only then", async () => {
    const { storage, token, repo } = await setUp();
    const app = join(storage, "hives/app.git");
    grow(app, 300, 10);
    const server = await startServer(storage, "--pack-after", "200");
    await write(server, token, "first");
    await write(server, token, "k", "app");
    await until(() => hasPack(app));
    // Its commit came first, so it was looked at before.
    expect(hasPack(repo)).toBe(false);
    for (let i = 0; i < 120; i++) await write(server, token, `k${i}`);
    await until(() => hasPack(repo));
    await until(async () => (await counted(repo)).count < 350);
    expect(await keysOf(server, token)).toHaveLength(121);
    await write(server, token, "last");
    await server.stop();
    expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
    expect(server.stderr()).not.toContain("error");
    expect(await keysOf(await serveInProcess(storage), token)).toHaveLength(122);
  });

  it("never packs if that is turned off", async () => {
    const [idle, packing] = [await setUp(), await setUp()];
    for (const { repo } of [idle, packing]) grow(repo, 300, 10);
    const server = await startServerIn({ SKEP_PACK_AFTER: "0" }, idle.storage);
    const other = await startServerIn({ SKEP_PACK_AFTER: "200" }, packing.storage);
    await write(server, idle.token, "k");
    await write(other, packing.token, "k");
    // A server that packs would have begun before the other one.
    await until(() => hasPack(packing.repo));
    expect(await server.stop()).toBe(0);
    expect(hasPack(idle.repo)).toBe(false);
  });

  it("stops git when it is stopped, and resumes packing at its next start", async () => {
    const { storage, token, repo } = await setUp();
    grow(repo, 300, 10);
    // A git that is never done with packing.
    const PATH = realFolder();
    const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const hanging = `cd '${repo}' && exec sleep 600`;
    const script = `#!/bin/sh\ncase "$*" in *pack-objects*) ${hanging} ;; *) exec '${realGit}' "$@" ;; esac\n`;
    fs.writeFileSync(join(PATH, "git"), script, { mode: 0o755 });
    const paths = { PATH: `${PATH}:${process.env.PATH}` };
    const server = await startServerIn(paths, storage, "--pack-after", "200");
    await write(server, token, "k");
    await until(() => workersIn(repo).length > 0);
    expect(await keysOf(server, token)).toEqual(["k"]);
    expect(workersIn(repo)).not.toEqual([]);
    expect(await server.stop()).toBe(0);
    expect(workersIn(repo)).toEqual([]);
    const again = await startServer(storage, "--pack-after", "200");
    await write(again, token, "l");
    await until(async () => (await counted(repo)).count < 20);
    expect(await keysOf(again, token)).toEqual(["k", "l"]);
    await again.stop();
    expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
  });

  it("loses nothing when it, or its git, is killed while it packs and others write and pack", async () => {
    const { storage, token, repo } = await setUp();
    grow(repo, 100, 200);
    const acknowledged: string[] = [];
    let killedGits = 0;
    for (let round = 0; round < 3; round++) {
      const servers = [
        await startServer(storage, "--pack-after", "1"),
        await startServer(storage, "--pack-after", "1"),
      ];
      const over = new AbortController();
      const writers = servers.map(async (server, w) => {
        for (let i = 0; !over.signal.aborted; i++) {
          const key = `r${round}_w${w}_${i}`;
          if (await write(server, token, key)) acknowledged.push(key);
          else return;
        }
      });
      const byHand = (async () => {
        while (!over.signal.aborted) {
          expect((await skep("maintain", "web", "--storage", storage)).stderr).toBe("");
        }
      })();
      const enough = { kills: killedGits + 1 + round, writes: acknowledged.length + 10 };
      // However slow the machine is, each round has gits that are killed, and writes.
      while (killedGits < enough.kills || acknowledged.length < enough.writes) {
        const [victim] = workersIn(repo);
        if (victim !== undefined && Math.random() < 0.3) {
          killedGits++;
          try {
            process.kill(victim, "SIGKILL");
          } catch {
            // It ended by itself.
          }
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await Promise.all(servers.map((server) => server.stop("SIGKILL")));
      over.abort();
      await Promise.all([...writers, byHand]);
      const found = new Set(await keysOf(await serveInProcess(storage), token));
      expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
    }
    await until(() => workersIn(repo).length === 0);
    expect(await git(repo, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
    // The lock of a server that was killed lasts until it is stale.
    let packed = "";
    await until(async () => {
      packed = await skepOk(storage, "maintain", "web");
      return packed !== "web: another process is packing or checking it";
    }, 200);
    expect(packed).toMatch(/^web: (packed \d+ loose objects|nothing to pack)$/);
    expect(await counted(repo)).toEqual({ count: 0, packs: 1 });
    expect((await skep("verify", "--storage", storage)).stdout.replaceAll(/.*tmp_(pack|idx)_.*\n/g, "")).toBe(
      "",
    );
  });
});

describe("skep server maintain", () => {
  it("packs all Hives, or one, and says what it did", async () => {
    const { storage, repo } = await setUp();
    expect(await skepOk(storage, "maintain", "web")).toBe("web: packed 4 loose objects");
    expect(await skepOk(storage, "maintain")).toBe("web: nothing to pack\napp: packed 4 loose objects");
    expect(await counted(repo)).toEqual({ count: 0, packs: 1 });
    expect((await skep("verify", "--storage", storage)).stdout).toBe("");
  });

  it("fails with one line for a Hive that is not there, or cannot be packed", async () => {
    const { storage, repo } = await setUp();
    expect(await skep("maintain", "nope", "--storage", storage)).toEqual({
      code: 1,
      stdout: "",
      stderr: `skep: There is no Hive "nope" in the storage ${storage}.\n`,
    });
    const tree = (await git(repo, "rev-parse", "main^{tree}")).trim();
    fs.rmSync(join(repo, "objects", tree.slice(0, 2), tree.slice(2)));
    const { code, stdout } = await skep("maintain", "--storage", storage);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^web: could not be packed: fatal: [^\n]*\napp: packed 4 loose objects\n$/);
    expect(stdout).not.toContain(storage);
  });
});

it("clones are sound while their Hive is written to and packed", async () => {
  const { storage, token, repo } = await setUp();
  const server = await serveInProcess(storage);
  const address = `${server.url.replace("//", `//x:${token}@`)}/hives/web.git`;
  const folder = realFolder();
  const post = async (n: number): Promise<void> => {
    const body = { files: { "auth.php": { n: `${n}` } } };
    expect((await request(server, token, "POST", "/api/hives/web/strings", body)).status).toBe(200);
  };
  await post(0);
  const clone = async (i: number): Promise<void> => {
    for (const part of [[], ["--depth", "2"], ["--filter=blob:none"]]) {
      const name = `${i}-${part.join("")}`;
      await git(folder, "clone", "--quiet", ...part, address, name);
      expect(await git(join(folder, name), "fsck", "--strict", "--full")).toBe("");
      await git(folder, "-C", name, "pull", "--quiet");
    }
  };
  let [clones, writes, packs] = [0, 0, 0];
  const state = { isDone: false };
  const cloning = async (): Promise<void> => {
    do await Promise.all([clone(clones++), clone(clones++)]);
    while (Math.min(writes, packs) < 2);
    state.isDone = true;
  };
  const writing = async (): Promise<void> => {
    while (!state.isDone) await post(++writes);
  };
  const packing = async (): Promise<void> => {
    for (; !state.isDone; packs++) await git(repo, "gc", "--quiet");
  };
  await Promise.all([cloning(), writing(), packing()]);
  expect(await git(repo, "fsck", "--strict", "--full")).toBe("");
});

describe("a machine without git", () => {
  it("the server reports a missing git once and goes on, and so does skep server maintain", async () => {
    const { storage, token, repo } = await setUp();
    grow(repo, 100, 10);
    const PATH = realFolder();
    fs.symlinkSync(process.execPath, join(PATH, "node"));
    const server = await startServerIn({ PATH }, storage, "--pack-after", "10");
    await until(() => server.stderr().includes("git"));
    for (let i = 0; i < 21; i++) await write(server, token, `k${i}`);
    expect(await keysOf(server, token)).toHaveLength(21);
    expect(server.stderr()).toContain("git is not installed: Hives are not packed");
    expect(await server.stop()).toBe(0);
    expect(server.stderr().match(/git/g)).toHaveLength(1);
    expect(await skepIn({ PATH }, "maintain", "--storage", storage)).toEqual({
      code: 1,
      stdout: "",
      stderr: "skep: Packing needs git, and git is not installed.\n",
    });
  });
});
