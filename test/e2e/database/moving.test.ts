/** A storage on its way from its folder or a backup into a database, with servers at work, and back. */
import { execFile, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import {
  acmeStorage,
  bin,
  createToken,
  git,
  request,
  skep,
  skepOk,
  startServer,
  startServerIn,
} from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const files = (key: string) => ({ files: { "a.json": { [key]: key } } });

describe.skipIf(isMissing())("a storage in a folder", () => {
  it("moves into a database while servers work on it, and comes back as a folder", async () => {
    const { url } = await testDatabase();
    const storage = await acmeStorage();
    const token = await createToken(storage);
    const server = await startServer(storage);
    await request(server, token, "POST", "/api/hives/web/strings", files("before"));
    const ended = once(server.child, "exit");
    const moved = await skep("record", "import", "--storage", storage, "--database", url);
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    expect(moved.stdout).toMatch(
      /^Moved 1 Hive with \d+ objects to postgres:\/\/127\.0\.0\.1:\d+\/\w+\. Serve/,
    );
    expect(await ended).toEqual([0, null]);
    expect(server.stderr()).toMatch(/the storage was moved to postgres:[^@]*: serve it with --database/);
    for (const args of [["serve"], ["token", "list"], ["record", "import", "--database", url]]) {
      const refused = await skep(...args, "--storage", storage);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/^skep: This storage was moved to .*\n$/),
      ]);
    }
    expect((await skep("serve", "--storage", storage, "--database", url)).stderr).toMatch(
      /is a storage of its own and no copy of a database/,
    );

    const one = await startServerIn({ SKEP_DATABASE: url }, realFolder());
    await request(one, token, "POST", "/api/hives/web/strings", files("after"));
    const folder = join(realFolder(), "back");
    expect(await skep("record", "export", folder, "--database", url)).toMatchObject({ code: 0 });
    expect(await skep("verify", "--storage", folder)).toMatchObject({ code: 0 });
    const { json } = await request(await startServer(folder), token, "GET", "/api/hives/web/strings");
    expect(json.data.map(({ key }: { key: string }) => key)).toEqual(["before", "after"]);
  });

  it("stays where it is when the database is not empty, cannot be reached, or the storage has faults", async () => {
    const { url } = await testDatabase();
    const storage = await acmeStorage();
    await skep("team", "create", "other", "--database", url);
    for (const database of [url, "postgres://skep@127.0.0.1:1/skep"]) {
      expect(await skep("record", "import", "--storage", storage, "--database", database)).toMatchObject({
        code: 1,
      });
      expect(existsSync(join(storage, "moved-to"))).toBe(false);
    }
    expect(await skep("record", "import", "--storage", storage)).toMatchObject({
      code: 1,
      stderr: "skep: Name the database with --database.\n",
    });
    expect(await skep("team", "create", "more", "--storage", storage)).toMatchObject({ code: 0 });
  });
});

describe.skipIf(isMissing())("a backup", () => {
  /** A backup of a Hive with a string and a branch, and a token. */
  async function backedUp(): Promise<{ readonly token: string; readonly dir: string }> {
    const [storage, dir] = [await acmeStorage(), join(realFolder(), "backup")];
    const token = await createToken(storage);
    const server = await startServer(storage);
    await request(server, token, "POST", "/api/hives/web/strings", files("kept"));
    await request(server, token, "POST", "/api/hives/web/branches", { name: "fix" });
    await skepOk(storage, "backup", dir);
    return { token, dir };
  }

  /** Restores a backup by a process of its own. @returns how it ended, and what it left of temporary files. */
  async function restoreIn(dir: string, url: string, started: (child: ChildProcess) => void) {
    const TMPDIR = realFolder();
    const env = { PATH: process.env.PATH, TMPDIR };
    const child = execFile(process.execPath, [bin, "restore", dir, "--database", url], { env });
    let stderr = "";
    child.stderr?.on("data", (text: string) => (stderr += text));
    started(child);
    const [code, signal]: readonly unknown[] = await once(child, "close");
    return { code, signal, stderr, left: readdirSync(TMPDIR) };
  }

  it("is restored into a database from which servers start, also after restores that were killed", async () => {
    const { token, dir } = await backedUp();
    const { url, proxy } = await testDatabase();
    const begins = (sent: Buffer): number => (sent.includes("BEGIN") ? 1 : 0);
    let transactions = 0;
    const first = await testDatabase();
    first.proxy.judge((sent) => ((transactions += begins(sent)), "pass"));
    const report =
      /^Restored the backup of .* into postgres:\/\/127\.0\.0\.1:\d+\/\w+: 1 Hive, 1 token, 1 team\.\n$/;
    expect(await skep("restore", dir, "--database", first.url)).toEqual({
      code: 0,
      stdout: expect.stringMatching(report),
      stderr: "",
    });
    for (const at of [2, Math.ceil(transactions / 2), transactions - 1]) {
      let seen = 0;
      const killed = await restoreIn(dir, url, (child) =>
        proxy.judge((sent) => ((seen += begins(sent)) >= at && child.kill("SIGKILL") ? "cut-after" : "pass")),
      );
      expect(killed.signal).toBe("SIGKILL");
      proxy.judge(() => "pass");
      // Nothing of it is there, or it is known to be incomplete.
      const { stdout, stderr } = await skep("token", "list", "--json", "--database", url);
      expect(stdout === "[]\n" || stderr.includes("do it again")).toBe(true);
    }
    expect(await skep("restore", dir, "--database", url)).toMatchObject({ code: 0, stderr: "" });
    expect(await skep("verify", "--database", url)).toMatchObject({ code: 0, stdout: "" });

    const server = await startServerIn({ SKEP_DATABASE: url }, realFolder());
    const { json } = await request(server, token, "GET", "/api/hives/web/strings");
    expect(json.data.map(({ key }: { key: string }) => key)).toEqual(["kept"]);
    const address = server.url.replace("//", `//x:${token}@`);
    const refs = await git(realFolder(), "ls-remote", `${address}/hives/web.git`);
    expect(refs).toBe(await git(realFolder(), "ls-remote", join(dir, "hives/web.git")));
  });

  it("leaves nothing in the folder for temporary files when a signal ends its restore", async () => {
    const { dir } = await backedUp();
    const { url, proxy } = await testDatabase();
    const ended = await restoreIn(dir, url, (child) =>
      proxy.judge((sent) => (sent.includes("INSERT INTO repository") && child.kill() ? "stop" : "pass")),
    );
    expect(ended).toEqual({ code: null, signal: "SIGTERM", stderr: "", left: [] });
  });

  it("is refused by a database that is not empty", async () => {
    const { dir } = await backedUp();
    const { url } = await testDatabase();
    await skep("team", "create", "other", "--database", url);
    expect(await skep("restore", dir, "--force", "--database", url)).toEqual({
      code: 1,
      stdout: "",
      stderr: "skep: The database is not empty; a storage is only brought into an empty one.\n",
    });
  });
});
