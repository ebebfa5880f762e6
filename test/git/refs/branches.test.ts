/** Branches as git sees them: loose, packed, below each other, and under git's own locks. */
import fs, { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { clashingName } from "../../../src/domain/commits/ref-name.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { isOid, type Oid } from "../../../src/domain/names.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { Branches } from "../../../src/git/refs/branches.ts";
import { openRefs } from "../../../src/git/refs/ref.ts";
import { withoutPackedRef } from "../../../src/git/refs/ref-files.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

let repo: string;
let branches: Branches;
let first: Oid;
let second: Oid;

const oidOf = async (name: string): Promise<Oid> => {
  const oid = (await git(repo, "rev-parse", name)).trim();
  if (!isOid(oid)) throw new Error(`${name} is no object`);
  return oid;
};

let made: string;

beforeAll(async () => {
  repo = made = join(realFolder(), "web.git");
  await git(".", "init", "--quiet", "--bare", "--initial-branch=main", repo);
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  const tree = (await git(repo, "hash-object", "-t", "tree", "-w", "/dev/null")).trim();
  const commit = async (...more: string[]) => (await git(repo, ...who, "commit-tree", tree, ...more)).trim();
  const one = await commit("-m", "One");
  await git(repo, "update-ref", "refs/heads/main", await commit("-m", "Two", "-p", one));
  await git(repo, ...who, "tag", "-a", "-m", "Tag", "v1", "main");
  [first, second] = [await oidOf("main~1"), await oidOf("main")];
});

beforeEach(() => {
  repo = join(realFolder(), "web.git");
  cpSync(made, repo, { recursive: true });
  branches = new Branches(openRefs(new DurableFs(fs), repo));
});

const name = toBranchName;
/** The real disk, with the names of the files that are read. */
function watched(): { disk: Disk; read: string[] } {
  const read: string[] = [];
  const readFile = (path: string): Promise<Uint8Array> => {
    read.push(path);
    return fs.promises.readFile(path);
  };
  return { disk: { ...fs, promises: { ...fs.promises, readFile } }, read };
}
const lock = {
  assertHeld: () => Promise.resolve(),
  advance: (change: () => void) => change(),
  lose: () => {},
};
const create = (text: string, next = second) => branches.create(name(text), { next, lock }, Infinity);
const time = Date.UTC(2026, 0);
const remove = (text: string, commit = second, now = time) =>
  branches.delete(name(text), commit, { now, limit: Infinity, lock });
const refs = async () =>
  (await git(repo, "for-each-ref", "--format=%(refname) %(objectname)")).trim().split("\n");
const listed = async () => Object.fromEntries(await branches.list());

describe("the branches of a repository", () => {
  it("a branch is created without reading what the others are at", async () => {
    await git(repo, "branch", "packed");
    await git(repo, "pack-refs", "--all");
    for (const one of ["one", "deep/two"]) await git(repo, "branch", one);
    const { disk, read } = watched();
    const others = new Branches(openRefs(new DurableFs(disk), repo));
    await others.create(name("new"), { next: first }, 10);
    expect(read).toEqual([]);
    for (const taken of ["one", "deep", "packed", "PACKED"])
      await expect(others.create(name(taken), { next: first }, 10)).rejects.toThrow("branch");
    expect(await oidOf("new")).toBe(first);
  });

  it("are those that git lists, loose and packed", async () => {
    await create("feature/a", first);
    await git(repo, "pack-refs", "--all");
    await create("feature/b");
    await git(repo, "update-ref", "refs/heads/feature/a", second);
    await git(repo, "update-ref", "refs/notes/x", second);
    expect(await listed()).toEqual({ main: second, "feature/a": second, "feature/b": second });
    expect(branches.ref(name("feature/a")).read()).toBe(second);
    writeFileSync(join(repo, "refs/heads/torn"), "torn\n");
    expect(Object.keys(await listed())).not.toContain("torn");
    expect(await branches.broken()).toEqual(["refs/heads/torn"]);
    expect(() => branches.ref(name("torn")).read()).toThrow("is not a commit; to repair it, remove it");
  });

  it("are not found by the names of folders, nor below branches", async () => {
    await create("a/b");
    for (const text of ["a", "a/b/c", "b"]) {
      expect(() => branches.ref(name(text)).read()).toThrow(`This Hive has no branch "${text}"`);
      expect(branches.ref(name(text)).find()).toBeUndefined();
    }
  });

  it("can be made where git has left an empty folder, also in a packed one's", async () => {
    mkdirSync(join(repo, "refs/heads/a/b/c"), { recursive: true });
    await create("a");
    expect(await git(repo, "rev-parse", "a")).toBe(`${second}\n`);
    await create("b/c");
    await git(repo, "pack-refs", "--all");
    await expect(create("b")).rejects.toSatisfy((error) => isFailure(error, "conflict"));
  });
});

describe("a deleted branch", () => {
  it.each(["loose", "packed", "packed and loose"])(
    "is gone for git, and kept in a hidden ref: %s",
    async (how) => {
      await create("feature/x", first);
      if (how !== "loose") await git(repo, "pack-refs", "--all");
      if (how !== "packed") await git(repo, "update-ref", "refs/heads/feature/x", second);
      const commit = await oidOf("refs/heads/feature/x");
      const others = (await refs()).filter((line) => !line.includes("feature"));
      await remove("feature/x", commit);
      expect(await refs()).toEqual([
        ...others.slice(0, 1),
        `refs/skep/deleted/${time}/feature/x ${commit}`,
        ...others.slice(1),
      ]);
      // What packed-refs says of the annotated tag is still right.
      expect(await git(repo, "show-ref", "--dereference", "v1")).toContain(`${second} refs/tags/v1^{}`);
      expect(await branches.deleted()).toEqual([{ name: "feature/x", commit, deleted: time }]);
      expect(await git(repo, "fsck", "--strict", "--full")).toBe("");

      const deleted = await branches.lastDeleted(name("feature/x"), time + 1_000);
      await branches.restore(deleted, { limit: Infinity, lock });
      expect(await oidOf("refs/heads/feature/x")).toBe(commit);
      expect(await branches.deleted()).toEqual([]);
      expect(existsSync(join(repo, `refs/skep/deleted/${time}`))).toBe(false);
    },
  );

  it("has a folder of its own, even if several are deleted at once", async () => {
    await create("a");
    await remove("a");
    await create("a/b");
    await remove("a/b");
    await create("a");
    await remove("a");
    expect((await branches.deleted()).map((one) => [one.name, one.deleted])).toEqual([
      ["a", time + 2],
      ["a/b", time + 1],
      ["a", time],
    ]);
  });

  it("while the clock stood at 1970 is kept from the first time that the clock is right", async () => {
    const days = (n: number): number => time + n * 86_400_000;
    const forget = (now: number) => branches.forgetDeleted({ now, lock });
    for (const one of ["a", "b"]) {
      await create(one);
      await remove(one, second, 5_000);
    }
    await forget(6_000);
    expect((await branches.deleted()).map(({ deleted }) => deleted)).toEqual([1, 0]);
    expect((await branches.lastDeleted(name("a"), days(90))).commit).toBe(second);
    await forget(days(0));
    expect((await branches.deleted()).map(({ deleted }) => deleted)).toEqual([time + 1, time]);
    await forget(days(30) - 1);
    expect(await branches.deleted()).toHaveLength(2);
    await forget(days(31));
    expect(await branches.deleted()).toEqual([]);
    expect((await refs()).filter((line) => line.includes("deleted"))).toEqual([]);
  });

  it("that moved meanwhile stays", async () => {
    await create("a", first);
    await expect(remove("a", second)).rejects.toSatisfy((error) => isFailure(error, "head-moved"));
    expect(await oidOf("refs/heads/a")).toBe(first);
  });
});

it("a line of packed-refs goes with the line about what it leads to", () => {
  const oid = "0123456789".repeat(4);
  const head = "# pack-refs with: peeled fully-peeled sorted \n";
  const [a, b, tag] = [`${oid} refs/heads/a\n`, `${oid} refs/heads/b\n`, `${oid} refs/tags/t\n^${oid}\n`];
  expect(withoutPackedRef(head + a + tag + b, "refs/tags/t")).toBe(head + a + b);
  expect(withoutPackedRef(head + a + tag + b, "refs/heads/a")).toBe(head + tag + b);
  expect(withoutPackedRef(head + a + tag + b, "refs/heads")).toBe(head + a + tag + b);
  expect(withoutPackedRef("", "refs/heads/a")).toBe("");
});

it("names clash by case, and by folders", () => {
  expect(clashingName<string>("A/x", ["a/y"])).toBe("a/y");
  expect(clashingName<string>("a/x", ["a/y", "b"])).toBeUndefined();
});
