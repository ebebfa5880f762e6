/** Real servers and commands on one PostgreSQL database: what one has written, all others know. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openStorage } from "../../../src/service/storage.ts";
import { listen } from "../../helpers/events/listen.ts";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { bin, git, request, skepIn, startServerIn, type Served } from "../../helpers/process.ts";
import { makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const password = "for tests alone";

/** A database with the Hive `web`; its password is in a file. */
async function setUp() {
  const { url, proxy, prepare } = await testDatabase();
  const storage = openStorage((await prepare()).options);
  await makeHive(storage, "web", { locales: ["fr"] });
  const token = await makeToken(storage);
  const folder = realFolder();
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${password}\n`);
  const temporary = mkdtempSync(join(folder, "temporary-"));
  const env = {
    SKEP_DATABASE: url.replace(/(:\/\/[^:]+):[^@]*@/, "$1@"),
    SKEP_DATABASE_PASSWORD_FILE: passwordFile,
    TMPDIR: temporary,
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await skepIn(env, ...args);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout.trimEnd();
  };
  const copies: string[] = [];
  const serve = (...flags: readonly string[]) => {
    const copy = join(realFolder(), "copy");
    copies.push(copy);
    return startServerIn(env, copy, ...flags);
  };
  return { url, proxy, env, temporary, run, token, serve, copies };
}

const add = (server: Served, token: string, key: string) =>
  request(server, token, "POST", "/api/hives/web/strings", { files: { "a.json": { [key]: key } } });

async function keysOf(server: Served, token: string): Promise<readonly string[]> {
  const { json } = await request(server, token, "GET", "/api/hives/web/strings?per_page=500");
  return json.data.map(({ key }: { key: string }) => key);
}

describe.skipIf(isMissing())("two servers with one database", () => {
  it("see each other's commits, sign-ins and revoked tokens at once", async () => {
    const { token, run, serve, copies } = await setUp();
    const [a, b] = await Promise.all([serve(), serve()]);
    expect(copies.map((copy) => statSync(copy).mode & 0o077)).toEqual([0, 0]);
    const open = (signal: AbortSignal) =>
      fetch(`${b.url}/api/hives/web/events`, { headers: { authorization: `Bearer ${token}` }, signal });
    const events = await listen(open);
    for (let i = 0; i < 5; i++) {
      const [to, from] = i % 2 === 0 ? [a, b] : [b, a];
      expect(await add(to, token, `key${i}`)).toMatchObject({ status: 200 });
      expect(await keysOf(from, token)).toContain(`key${i}`);
    }
    expect((await events.take(5)).map(({ event }) => event)).toEqual(
      Array.from({ length: 5 }, () => "commit"),
    );

    const signedIn = await fetch(`${a.url}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ token }),
      headers: { accept: "text/html" },
      redirect: "manual",
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const page = await fetch(`${b.url}/hives/web`, { headers: { accept: "text/html", cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("key4")]);

    const clones = realFolder();
    for (const [name, { url }] of Object.entries({ a, b })) {
      await git(clones, "clone", "-q", url.replace("://", `://skep:${token}@`) + "/hives/web.git", name);
    }
    expect(await git(join(clones, "a"), "rev-parse", "HEAD")).toBe(
      await git(join(clones, "b"), "rev-parse", "HEAD"),
    );

    await run("token", "revoke", token.split("_")[1] ?? "");
    for (const server of [a, b])
      expect(await request(server, token, "GET", "/api/hives/web")).toMatchObject({ status: 401 });
    for (const server of [a, b]) expect(await server.stop()).toBe(0);
  });

  it("lose nothing that was acknowledged when one is killed in the middle of writes", async () => {
    const { token, run, serve } = await setUp();
    const [a, b] = await Promise.all([serve(), serve()]);
    const acknowledged = new Set<string>();
    const write = async (server: Served, name: string): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const reply = await add(server, token, `${name}${i}`).catch(() => undefined);
        if (reply === undefined) return;
        if (reply.status === 200) acknowledged.add(`${name}${i}`);
      }
    };
    const writing = Promise.all([write(a, "a"), write(a, "c"), write(b, "b")]);
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(8), { timeout: 120_000, interval: 5 });
    await a.stop("SIGKILL");
    await writing;
    const keys = await keysOf(b, token);
    expect([...acknowledged].filter((key) => !keys.includes(key))).toEqual([]);
    expect(keys.filter((key) => key.startsWith("b"))).toHaveLength(20);
    expect(await run("verify")).toBe("");
  });

  it("answer the reads that are allowed without the database, and say that it is missing", async () => {
    const { token, serve, proxy } = await setUp();
    const server = await serve("--staleness", "1h");
    const strict = await serve();
    await add(server, token, "first");
    expect([await keysOf(server, token), await keysOf(strict, token)]).toEqual([["first"], ["first"]]);
    proxy.accept(false);
    proxy.cutAll();
    expect(await keysOf(server, token)).toEqual(["first"]);
    for (const reply of [
      await add(server, token, "second"),
      await request(strict, token, "GET", "/api/hives/web/strings"),
    ]) {
      expect(reply).toMatchObject({ status: 503, json: { code: "record_unavailable" } });
      expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(reply.json.message).not.toContain("127.0.0.1");
    }
    expect((await fetch(`${strict.url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${strict.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { message: "The database does not answer." },
    ]);
    proxy.accept(true);
    await vi.waitFor(async () => expect(await add(strict, token, "third")).toMatchObject({ status: 200 }), {
      timeout: 120_000,
    });
    // It may answer what it has until it has reached the database again.
    await vi.waitFor(async () => expect(await keysOf(server, token)).toEqual(["first", "third"]), {
      timeout: 120_000,
    });
  });
});

describe.skipIf(isMissing())("a command with a database", () => {
  it("removes its copy when it ends, also by a signal", async () => {
    const { env, temporary, run } = await setUp();
    await run("hive", "list");
    expect(await skepIn(env, "hive", "create", "web", "--team", "acme")).toMatchObject({ code: 4 });
    expect(readdirSync(temporary)).toEqual([]);
    // A copy that is being made, is filled, and is read.
    for (const delay of [0, 2, 5, 10, 20, 40, 80]) {
      const backup = spawn(process.execPath, [bin, "backup", join(realFolder(), "backup")], {
        env: { PATH: process.env.PATH, ...env },
        stdio: "ignore",
      });
      await vi.waitFor(() => expect(readdirSync(temporary)).toHaveLength(1), {
        timeout: 120_000,
        interval: 1,
      });
      await sleep(delay);
      backup.kill("SIGTERM");
      await once(backup, "exit");
      expect([delay, readdirSync(temporary)]).toEqual([delay, []]);
    }
  });

  it("backs a database up, checks and compacts it, and refuses what is not possible with one", async () => {
    const { env, run } = await setUp();
    const backup = join(realFolder(), "backup");
    expect(await run("backup", backup)).toMatch(/^Backed up 1 Hive of 1 team/);
    expect(await skepIn({}, "verify", "--storage", backup)).toMatchObject({ code: 0 });
    expect(await run("maintain", "web")).toMatch(/^web: compacted \d+ changes?, from \d+ kB to \d+ kB$/);
    expect(await run("maintain")).toBe("");
    const { code, stderr } = await skepIn(env, "restore", backup);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^skep: The database is not empty; /)]);
  });

  it("never shows the password", async () => {
    const { url, env } = await setUp();
    const secret = "s3cret";
    const wrong = url.replace(/(:\/\/[^:]+):[^@]*@/, `$1:${secret}@`);
    expect(wrong).toContain(secret);
    for (const [database, ...args] of [
      [wrong, "team", "list"],
      [wrong, "serve", "--help"],
      [wrong, "serve", "--port", "0", "--storage", realFolder()],
      [`mysql://skep:${secret}@localhost/skep`, "team", "list"],
      [`postgres://skep:${secret}@localhost/skep?wrong=1`, "team", "list"],
      [`postgres://skep:${secret}@localhost:1/skep`, "team", "list"],
    ] as const) {
      const own = { TMPDIR: env.TMPDIR, SKEP_DATABASE: database ?? "" };
      const { stdout, stderr } = await skepIn(own, ...args);
      expect(stdout + stderr).not.toContain(secret);
      expect(stderr.trimEnd().split("\n").length).toBeLessThan(3);
    }
  });
});
