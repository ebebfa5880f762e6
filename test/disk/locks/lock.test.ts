/** The lock: fair within a process, one holder between processes, and never trusted further than it reaches. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toCommit } from "../../../src/git/objects/git-object.ts";
import { combineLocks, type HeldLock } from "../../../src/disk/held-lock.ts";
import { Locks } from "../../../src/disk/locks/lock.ts";
import { eventually } from "../../helpers/eventually.ts";
import { git } from "../../helpers/process.ts";
import { makeHive, byCommand, realFolder } from "../../helpers/storage.ts";

function make(options = {}) {
  const folder = join(realFolder(), "locks");
  fs.mkdirSync(folder);
  return { folder, locks: new Locks(new DurableFs(fs), folder, options) };
}

/** Time that passes only when a test lets it pass: locks are acquired in time, however slow the machine is. */
function stopClock(...more: readonly ("setTimeout" | "clearTimeout" | "Date")[]): void {
  vi.useFakeTimers({ toFake: ["performance", ...more] });
  onTestFinished(() => void vi.useRealTimers());
}

/** What another process does when it takes a lock for stale: it removes the folder and makes its own. */
function takeOver(folder: string, name: string): void {
  fs.rmdirSync(join(folder, `${name}.lock`));
  fs.mkdirSync(join(folder, `${name}.lock`));
}

/** Counts from now on how often the lock file of a branch was tried to be made; other files are made in the same way. */
function countTries(lock: string): () => number {
  const links = vi.spyOn(fs.promises, "link");
  return () => links.mock.calls.filter(([, path]) => path === lock).length;
}

/** Waits without a clock: `eventually` would move one that is stopped. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

/** Waits until somebody has looked so many times more what becomes of a lock. */
function lookedAt(path: string, times = 3): Promise<void> {
  const looks = vi.spyOn(fs.promises, "stat");
  const count = (): number => looks.mock.calls.filter(([looked]) => looked === path).length;
  const before = count();
  return until(() => count() >= before + times);
}

/** What the process that took a lock over does later: it releases it, once the former holder waits for it. */
async function releaseWhenWaitedFor(folder: string, name: string): Promise<void> {
  const path = join(folder, `${name}.lock`);
  await lookedAt(path);
  // It fails if the former holder has removed the lock.
  fs.rmdirSync(path);
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
          for (let ticks = i % 3; ticks > 0; ticks--) await setImmediate();
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
    let others: readonly Promise<void>[] = [];
    await locks.hold("a", async () => {
      others = [take("1"), take("2"), take("a", "first"), take("3"), take("b", "first")];
    });
    await Promise.all(others);
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

  it("goes on after a holder that fails before it returns a promise", async () => {
    const { locks } = make();
    const failing = (): Promise<void> => {
      throw new Error("at once");
    };
    await expect(locks.hold("web", failing)).rejects.toThrow("at once");
    expect(await locks.hold("web", async () => "held")).toBe("held");
  });

  it("is not waited for longer than its timeout, and the others still get it", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { locks } = make();
    await locks.hold("a", async () => {
      const late = locks.hold("a", () => Promise.resolve("late"));
      await Promise.all([
        expect(late).rejects.toSatisfy((error) => isFailure(error, "busy") && error.data.retryAfter > 0),
        vi.advanceTimersByTimeAsync(30_000),
      ]);
    });
    expect(await locks.hold("a", () => Promise.resolve("next"))).toBe("next");
  });
});

describe("a lock between processes", () => {
  it("is waited for while another process holds it, and taken over when that one is gone", async () => {
    stopClock("Date");
    const { folder, locks } = make();
    const path = join(folder, "a.lock");
    fs.mkdirSync(path, { recursive: true });
    const dead = new Date(Date.now() - 1_999);
    fs.utimesSync(path, dead, dead);
    let isHeld = false;
    const holding = locks.hold("a", async () => void (isHeld = true));
    await lookedAt(path);
    expect(isHeld).toBe(false);
    vi.advanceTimersByTime(2);
    await holding;
    await expect.poll(() => fs.readdirSync(folder)).toEqual([]);
  });

  it("is taken over from a process that ended before the clock was set back by hours", async () => {
    const { folder, locks } = make();
    const ahead = new Date(Date.now() + 3 * 60 * 60 * 1000);
    fs.mkdirSync(join(folder, "a.lock"), { recursive: true });
    fs.utimesSync(join(folder, "a.lock"), ahead, ahead);
    stopClock();
    const held = locks.hold("a", () => Promise.resolve("held"));
    await lookedAt(join(folder, "a.lock"));
    vi.advanceTimersByTime(2_100);
    expect(await held).toBe("held");
  });

  it("is not taken from a process that renews it by a clock that is ahead", async () => {
    const { folder, locks } = make({ timeoutMs: 30_000 });
    const path = join(folder, "a.lock");
    fs.mkdirSync(path, { recursive: true });
    let renewals = 0;
    const renew = (): void => {
      const ahead = new Date(Date.now() + 3 * 60 * 60 * 1000 + ++renewals);
      fs.utimesSync(path, ahead, ahead);
    };
    renew();
    stopClock();
    const taken = locks.hold("a", () => Promise.resolve());
    const refusal = taken.catch((error: unknown) => error);
    // Each renewal is seen, and the last one is too late for the waiter.
    for (let passedMs = 0; passedMs < 30_000; passedMs += 1_900) {
      await lookedAt(path);
      vi.advanceTimersByTime(1_900);
      renew();
    }
    expect(isFailure(await refusal, "busy")).toBe(true);
  });

  it("acquiring a lock fails with busy when another process does not release it", async () => {
    stopClock("Date");
    const { folder, locks } = make({ timeoutMs: 30_000 });
    const path = join(folder, "a.lock");
    fs.mkdirSync(path, { recursive: true });
    const taken = locks.hold("a", () => Promise.resolve());
    const refusal = taken.catch((error: unknown) => error);
    await lookedAt(path);
    // The clock of the waiter alone: by the one of the disk the lock is always new.
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 30_000);
    expect(isFailure(await refusal, "busy")).toBe(true);
    await expect.poll(() => fs.readdirSync(folder)).toEqual(["a.lock"]);
  });

  it("a holder that lost the lock notices it and starts again, and the new holder keeps the lock", async () => {
    stopClock("Date");
    const { folder, locks } = make();
    let runs = 0;
    const seen: string[] = [];
    let releasing: Promise<unknown> = Promise.resolve();
    await locks.hold("a", async (lock) => {
      runs++;
      await lock.assertHeld();
      seen.push(`run ${runs}`);
      if (runs > 1) return;
      takeOver(folder, "a");
      releasing = releaseWhenWaitedFor(folder, "a").then(() => seen.push("released by the new holder"));
      await lock.assertHeld();
      seen.push("never");
    });
    await releasing;
    expect(seen).toEqual(["run 1", "released by the new holder", "run 2"]);
  });

  it("a lock that cannot be checked is given up, without an unhandled error", async () => {
    const { folder, locks } = make();
    await locks.hold("a", async (lock) => {
      // It is renewed while its folder is gone.
      fs.rmdirSync(join(folder, "a.lock"));
      await lookedAt(join(folder, "a.lock"), 1);
      await expect(lock.assertHeld()).rejects.toSatisfy((error) => isFailure(error, "lock-lost"));
    });
  });
});

describe("a lock with a version", () => {
  /** Locks of something that counts its versions; another server's changes are seen with a refresh. */
  function versioned(options = {}) {
    const state = { seen: 1, latest: 1, refreshes: 0 };
    const refresh = async () => {
      state.refreshes++;
      state.seen = state.latest;
    };
    return { state, ...make({ version: () => `v${state.seen}`, refresh, ...options }) };
  }

  it("is lost with a new version, and its function runs again after a refresh", async () => {
    const { state, locks } = versioned();
    const seen: number[] = [];
    await locks.hold("a", async (lock) => {
      seen.push(state.seen);
      await lock.assertHeld();
      if (seen.length > 1) return;
      // Another change was taken over, and there is one more by now.
      [state.seen, state.latest] = [2, 3];
      await lock.assertHeld();
    });
    expect([seen, state.refreshes]).toEqual([[1, 3], 1]);
  });

  it("keeps it over its holder's own changes, and over no other", async () => {
    const { state, locks } = versioned();
    const runs: string[] = [];
    await locks.hold("outer", async (outer) => {
      runs.push("outer");
      await locks.hold("inner", async (inner) => {
        runs.push("inner");
        const both = combineLocks(outer, inner);
        both.advance(() => (state.seen = state.latest += 1));
        await both.assertHeld();
        if (runs.length > 2) return;
        state.seen = state.latest += 1;
        both.advance(() => (state.seen = state.latest += 1));
        // The outermost lock is the one that is lost: all that was read under both of them may be different now.
        await both.assertHeld();
      });
    });
    expect(runs).toEqual(["outer", "inner", "outer", "inner"]);
  });

  it("is lost by the versions of what its holder reads, and combined locks read all that any of them does", async () => {
    const versions = new Map([["a", 1]]);
    const { locks } = versioned({
      version: (scope: readonly string[] = ["*"]) => scope.map((path) => versions.get(path) ?? 0).join(" "),
    });
    const runs = async (change: string, ...scopes: (readonly string[] | undefined)[]): Promise<number> => {
      let count = 0;
      const hold = (held: readonly HeldLock[]): Promise<void> =>
        locks.hold(
          `lock${held.length}`,
          async (lock) => {
            const all = [...held, lock];
            if (all.length < scopes.length) return hold(all);
            if (++count === 1) versions.set(change, (versions.get(change) ?? 0) + 1);
            const both = combineLocks(...all);
            expect(both.scope).toEqual(scopes.includes(undefined) ? undefined : scopes.flat());
            await both.assertHeld();
          },
          "in-order",
          scopes[held.length],
        );
      await hold([]);
      return count;
    };
    expect(await runs("a", ["a", "b"])).toBe(2);
    expect(await runs("c", ["a", "b"])).toBe(1);
    expect(await runs("a", ["a"], ["b"])).toBe(2);
    expect(await runs("b", ["a"], ["b"])).toBe(2);
    expect(await runs("*", ["a"], undefined)).toBe(2);
  });

  it("is lost when its holder is told so elsewhere", async () => {
    const { state, locks } = versioned();
    let count = 0;
    await locks.hold("a", async (lock) => {
      if (++count === 1) combineLocks(lock, lock).lose();
      await lock.assertHeld();
    });
    expect([count, state.refreshes]).toEqual([2, 1]);
  });

  it("is taken anew by each of several holders that wait for it", async () => {
    const { state, locks } = versioned();
    const assert = () => locks.hold("a", (lock) => lock.assertHeld());
    const first = locks.hold("a", async () => void (state.seen = state.latest = 2));
    await Promise.all([first, assert(), assert()]);
    expect(state.refreshes).toBe(0);
  });

  it("is not tried for longer than its timeout", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { state, locks } = versioned();
    const never = locks.hold("a", async (lock) => {
      await vi.advanceTimersByTimeAsync(20_000);
      state.seen = state.latest += 1;
      await lock.assertHeld();
    });
    await expect(never).rejects.toSatisfy((error) => isFailure(error, "busy"));
    expect(await locks.hold("a", () => Promise.resolve("next"))).toBe("next");
  });

  it("fails with the error of the refresh", async () => {
    const refresh = () => Promise.reject(new Error("no record"));
    const { state, locks } = versioned({ refresh });
    const held = locks.hold("a", async (lock) => {
      state.seen++;
      await lock.assertHeld();
    });
    await expect(held).rejects.toThrow("no record");
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
    let releasing = Promise.resolve();
    stopClock("Date");
    await storage.writer.commit(web, byCommand, (snapshot) => {
      plans++;
      if (plans === 1) {
        takeOver(join(folder, "locks"), "hive-web");
        releasing = releaseWhenWaitedFor(join(folder, "locks"), "hive-web");
      } else {
        expect(repo.main.read()).toBe(before);
      }
      return {
        result: undefined,
        change: { metadata, settings: { ...snapshot.settings, name: `plan ${plans}` } },
      };
    });
    await releasing;
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
    // A hook of somebody's makes git hold its lock until it is told to go on.
    fs.writeFileSync(
      join(gitdir, "hooks/reference-transaction"),
      '#!/bin/sh\nwhile [ "$1" = prepared ] && [ ! -e go ]; do sleep 0.02; done\n',
      { mode: 0o755 },
    );
    const tree = (await git(gitdir, "rev-parse", "main^{tree}")).trim();
    const parent = (await git(gitdir, "rev-parse", "main")).trim();
    const commit = (await git(gitdir, "commit-tree", tree, "-p", parent, "-m", "By hand")).trim();
    const updating = git(gitdir, "update-ref", "refs/heads/main", commit, parent);
    await expect.poll(() => fs.existsSync(join(gitdir, "refs/heads/main.lock"))).toBe(true);
    const tries = countTries(join(gitdir, "refs/heads/main.lock"));
    const renaming = rename(storage, "after git");
    await eventually(() => expect(tries()).toBeGreaterThan(0));
    fs.writeFileSync(join(gitdir, "go"), "");
    await Promise.all([renaming, updating]);
    const snapshot = await storage.hives.at(web).snapshot();
    expect([snapshot.settings.name, snapshot.commit.parents]).toEqual(["after git", [commit]]);
  });

  it("names the lock file of a git that is gone", async () => {
    const { storage } = await setUp();
    const lock = join(storage.hives.folderOf(web), "refs/heads/main.lock");
    fs.writeFileSync(lock, "");
    fs.utimesSync(lock, new Date(0), new Date(0));
    stopClock();
    const tries = countTries(lock);
    const waitInVain = async (): Promise<void> => {
      await until(() => tries() > 0);
      vi.advanceTimersByTime(5_100);
    };
    const [refused] = await Promise.allSettled([rename(storage, "x"), waitInVain()]);
    expect(refused).toMatchObject({
      reason: {
        message: "Another git process has refs/heads/main.lock of this Hive; if none runs, remove that file.",
      },
    });
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
    // Its patience does not end.
    stopClock();
    const tries = countTries(lock);
    let isRenamed = false;
    const renaming = rename(storage, "two").then(() => (isRenamed = true));
    await until(() => tries() > 2);
    expect(isRenamed).toBe(false);
    fs.rmSync(lock);
    await renaming;
  });
});

describe("a setting", () => {
  it("is not saved by a process that was stopped and lost its lock", async () => {
    const folder = realFolder();
    const storage = openStorage({ folder, disk: fs });
    await makeHive(storage, "web");
    const name = toTeamName("acme");
    let attempts = 0;
    let releasing = Promise.resolve();
    stopClock("Date");
    await storage.lockTeam(name, async (lock) => {
      attempts++;
      const team = await storage.registry.team(name);
      if (team === undefined) throw new Error("no team");
      if (attempts === 1) {
        takeOver(join(folder, "locks"), "team-acme");
        releasing = releaseWhenWaitedFor(join(folder, "locks"), "team-acme");
        // Meanwhile the new holder makes a Hive.
        fs.writeFileSync(join(folder, "teams/acme.yaml"), "name: acme\nhives: [web, two]\n");
        fs.writeFileSync(join(folder, "settings-version"), "2\n");
      }
      await storage.registry.saveTeam({ ...team, maxStrings: 5 }, lock);
    });
    await releasing;
    expect(attempts).toBe(2);
    expect(await storage.registry.team(name)).toEqual({ name: "acme", maxStrings: 5, hives: ["web", "two"] });
  });
});
