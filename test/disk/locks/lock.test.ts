/** The lock: fair within a process, one holder between processes, and never trusted further than it reaches. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toCommit } from "../../../src/git/objects/git-object.ts";
import { Locks } from "../../../src/disk/locks/lock.ts";
import { git } from "../../helpers/process.ts";
import { makeHive, byCommand, realFolder } from "../../helpers/storage.ts";

function make(options = {}) {
  const folder = join(realFolder(), "locks");
  fs.mkdirSync(folder);
  return { folder, locks: new Locks(new DurableFs(fs), folder, options) };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What another process does when it takes a lock for stale: it removes the folder and makes its own. */
function takeOver(folder: string, name: string): void {
  fs.rmdirSync(join(folder, `${name}.lock`));
  fs.mkdirSync(join(folder, `${name}.lock`));
}

describe("a lock within a process", () => {
  it("is given in order of arrival, to one holder at a time", async () => {
    const { locks } = make();
    const order: number[] = [];
    let holders = 0;
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        locks.hold("a", async () => {
          expect(++holders).toBe(1);
          await sleep(i % 3);
          order.push(i);
          holders--;
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it("is given first to waiters with priority, in their order, and to no waiter twice", async () => {
    const { locks } = make();
    const order: string[] = [];
    const take = (name: string, turn?: "first") =>
      locks.hold("a", () => Promise.resolve(void order.push(name)), turn);
    const held = locks.hold("a", () => sleep(20));
    await sleep(5);
    await Promise.all([held, take("1"), take("2"), take("a", "first"), take("3"), take("b", "first")]);
    expect(order).toEqual(["a", "b", "1", "2", "3"]);
  });

  it("locks of different names are independent", async () => {
    const { locks } = make();
    expect(await locks.hold("a", () => locks.hold("b", () => Promise.resolve("both")))).toBe("both");
  });

  it("goes on after a holder that fails", async () => {
    const { locks } = make();
    await expect(locks.hold("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await locks.hold("a", () => Promise.resolve(1))).toBe(1);
  });

  it("is not waited for longer than its timeout, and the others still get it", async () => {
    const { locks } = make({ timeoutMs: 100 });
    const long = locks.hold("a", () => sleep(300).then(() => "long"));
    const late = locks.hold("a", () => Promise.resolve("late"));
    await expect(late).rejects.toSatisfy((error) => isFailure(error, "busy") && error.data.retryAfter > 0);
    expect(await long).toBe("long");
    expect(await locks.hold("a", () => Promise.resolve("next"))).toBe("next");
  });
});

describe("a lock between processes", () => {
  it("is waited for while another process holds it, and taken over when that one is gone", async () => {
    const { folder, locks } = make();
    fs.mkdirSync(join(folder, "a.lock"), { recursive: true });
    const dead = new Date(Date.now() - 1_000);
    fs.utimesSync(join(folder, "a.lock"), dead, dead);
    const start = performance.now();
    await locks.hold("a", () => Promise.resolve());
    expect(performance.now() - start).toBeGreaterThan(500);
    await expect.poll(() => fs.readdirSync(folder)).toEqual([]);
  });

  it("acquiring a lock fails with busy when another process does not release it", async () => {
    const { folder, locks } = make({ timeoutMs: 200 });
    fs.mkdirSync(join(folder, "a.lock"), { recursive: true });
    await expect(locks.hold("a", () => Promise.resolve())).rejects.toSatisfy((error) =>
      isFailure(error, "busy"),
    );
    await expect.poll(() => fs.readdirSync(folder)).toEqual(["a.lock"]);
  });

  it("a holder that lost the lock notices it and starts again, and the new holder keeps the lock", async () => {
    const { folder, locks } = make();
    let runs = 0;
    const done = locks.hold("a", async (lock) => {
      runs++;
      await lock.assertHeld();
      if (runs > 1) return runs;
      takeOver(folder, "a");
      setTimeout(() => fs.rmdirSync(join(folder, "a.lock")), 150);
      await lock.assertHeld();
      return 0;
    });
    await sleep(75);
    expect(fs.existsSync(join(folder, "a.lock"))).toBe(true);
    expect(await done).toBe(2);
  });

  it("a lock that cannot be checked is given up, without an unhandled error", async () => {
    const { folder, locks } = make();
    await locks.hold("a", async (lock) => {
      // Longer than the renewal's interval, on a folder that is gone.
      fs.rmdirSync(join(folder, "a.lock"));
      await sleep(1_200);
      await expect(lock.assertHeld()).rejects.toSatisfy((error) => isFailure(error, "lock-lost"));
    });
  });
});

describe("a change", () => {
  const web = toHiveSlug("web");

  async function setUp() {
    const folder = realFolder();
    const storage = openStorage({ folder, disk: fs });
    await makeHive(storage, "web", { locales: ["fr"] });
    const repo = new BareRepo(new DurableFs(fs), storage.hives.folderOf(web));
    return { folder, storage, repo };
  }

  const metadata = { subject: "Rename", operation: "test" };

  it("is not made under a lock that was lost, and is made once when it has the lock again", async () => {
    const { folder, storage, repo } = await setUp();
    const before = repo.main.read();
    let plans = 0;
    await storage.writer.commit(web, byCommand, (snapshot) => {
      plans++;
      if (plans === 1) {
        takeOver(join(folder, "locks"), "hive-web");
        setTimeout(() => fs.rmdirSync(join(folder, "locks", "hive-web.lock")), 50);
      } else {
        expect(repo.main.read()).toBe(before);
      }
      return {
        result: undefined,
        change: { metadata, settings: { ...snapshot.settings, name: `plan ${plans}` } },
      };
    });
    const { commit, settings } = await storage.hives.at(web).snapshot();
    expect([plans, settings.name, commit.parents]).toEqual([2, "plan 2", [before]]);
  });

  it("is planned again when another process moved the branch past every lock", async () => {
    const { storage, repo } = await setUp();
    let plans = 0;
    let outside = repo.main.read();
    await storage.writer.commit(web, byCommand, async (snapshot) => {
      plans++;
      if (plans === 1) {
        const author = { name: "x", email: "y" };
        const { tree } = snapshot.commit;
        const commit = toCommit({
          tree,
          parents: [snapshot.commit.oid],
          author,
          committer: author,
          time: 1,
          message: "m\n",
        });
        await repo.writeObjects([commit]);
        await repo.main.update({ expected: snapshot.commit.oid, next: commit.oid, prepare: async () => {} });
        outside = commit.oid;
      }
      return {
        result: undefined,
        change: { metadata, settings: { ...snapshot.settings, name: `plan ${plans}` } },
      };
    });
    const { commit, settings } = await storage.hives.at(web).snapshot();
    expect([plans, settings.name, commit.parents]).toEqual([2, "plan 2", [outside]]);
  });

  const rename = (storage: Storage, name: string) =>
    storage.writer.commit(web, byCommand, ({ settings }) => ({
      result: undefined,
      change: { metadata, settings: { ...settings, name } },
    }));

  it("waits while git has the branch locked, and never takes that lock from it", async () => {
    const { storage } = await setUp();
    const gitdir = storage.hives.folderOf(web);
    // A hook of somebody's makes git hold its lock for a while.
    fs.writeFileSync(
      join(gitdir, "hooks/reference-transaction"),
      '#!/bin/sh\n[ "$1" = prepared ] && sleep 1\nexit 0\n',
      { mode: 0o755 },
    );
    const tree = (await git(gitdir, "rev-parse", "main^{tree}")).trim();
    const parent = (await git(gitdir, "rev-parse", "main")).trim();
    const commit = (await git(gitdir, "commit-tree", tree, "-p", parent, "-m", "By hand")).trim();
    const updating = git(gitdir, "update-ref", "refs/heads/main", commit, parent);
    await expect.poll(() => fs.existsSync(join(gitdir, "refs/heads/main.lock"))).toBe(true);
    await rename(storage, "after git");
    await updating;
    const snapshot = await storage.hives.at(web).snapshot();
    expect([snapshot.settings.name, snapshot.commit.parents]).toEqual(["after git", [commit]]);
  });

  it("names the lock file of a git that is gone", { timeout: 30_000 }, async () => {
    const { storage } = await setUp();
    const lock = join(storage.hives.folderOf(web), "refs/heads/main.lock");
    fs.writeFileSync(lock, "");
    fs.utimesSync(lock, new Date(0), new Date(0));
    await expect(rename(storage, "x")).rejects.toThrow(
      "Another git process has refs/heads/main.lock of this Hive; if none runs, remove that file.",
    );
    expect(fs.readdirSync(join(lock, ".."))).toEqual(["main", "main.lock"]);
    fs.rmSync(lock);
    await rename(storage, "two");
    expect((await storage.hives.at(web).snapshot()).settings.name).toBe("two");
  });

  it("breaks a lock of the branch that a killed process of ours left behind, and not one that is alive", async () => {
    const { storage } = await setUp();
    const lock = join(storage.hives.folderOf(web), "refs/heads/main.lock");
    const { pid: dead } = spawnSync("true");
    fs.writeFileSync(lock, `skep ${hostname()} ${dead} abc def\n`);
    await rename(storage, "one");
    expect(fs.existsSync(lock)).toBe(false);
    fs.writeFileSync(lock, `skep ${hostname()} ${process.ppid} abc def\n`);
    setTimeout(() => fs.rmSync(lock), 200);
    const start = performance.now();
    await rename(storage, "two");
    expect(performance.now() - start).toBeGreaterThan(150);
  });
});

describe("a setting", () => {
  it("is not saved by a process that was stopped and lost its lock", async () => {
    const folder = realFolder();
    const storage = openStorage({ folder, disk: fs });
    await makeHive(storage, "web");
    const name = toTeamName("acme");
    let attempts = 0;
    await storage.lockTeam(name, async (lock) => {
      attempts++;
      const team = await storage.registry.team(name);
      if (team === undefined) throw new Error("no team");
      if (attempts === 1) {
        takeOver(join(folder, "locks"), "team-acme");
        setTimeout(() => fs.rmdirSync(join(folder, "locks/team-acme.lock")), 50);
        // Meanwhile the new holder makes a Hive.
        fs.writeFileSync(join(folder, "teams/acme.yaml"), "name: acme\nhives: [web, two]\n");
        fs.writeFileSync(join(folder, "settings-version"), "2\n");
      }
      await storage.registry.saveTeam({ ...team, maxStrings: 5 }, lock);
    });
    expect(attempts).toBe(2);
    expect(await storage.registry.team(name)).toEqual({ name: "acme", maxStrings: 5, hives: ["web", "two"] });
  });
});
