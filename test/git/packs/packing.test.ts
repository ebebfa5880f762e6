/** Hives are packed while everything else goes on, and whatever ends the packing, nothing is lost. */
import fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { maintain } from "../../../src/service/operations/maintenance.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { runGit, type RunGit } from "../../../src/git/process/installed-git.ts";
import { Packer } from "../../../src/git/packs/packer.ts";
import { grow } from "../../helpers/grow.ts";
import { git } from "../../helpers/process.ts";
import { makeHive, memoryStorage, type Call, setUpRealWeb } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
let folder: string;
let storage: Storage;
let call: Call;
let logged: readonly object[];
let repo: string;

beforeEach(async () => {
  ({ folder, storage, call, logged } = await setUpRealWeb({ locales: ["fr"] }));
  repo = storage.hives.folderOf(web);
});

const post = async (files: unknown): Promise<void> => {
  const { status } = await call("POST", "/api/hives/web/strings", { body: { files } });
  expect([status, logged]).toEqual([200, []]);
};

async function commits(count: number, name = "k"): Promise<void> {
  for (let i = 0; i < count; i++) await post({ "a.php": { [`${name}${i}`]: "x" } });
}

/** The source keys as a process reads them that knows nothing yet. */
async function keysFromDisk(disk: Disk = fs): Promise<readonly string[]> {
  const { source } = await (await openStorage({ folder, disk }).hives.at(web).snapshot()).content("all");
  return Array.from(source.values(), ({ texts }) => [...texts.keys()]).flat();
}

async function allObjects(): Promise<readonly string[]> {
  return (await git(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")).split("\n");
}

async function counted(): Promise<Record<string, number>> {
  const lines = (await git(repo, "count-objects", "-v")).trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(": ")).map(([key, n]) => [key, Number(n)]));
}

async function expectSound(): Promise<void> {
  expect(await git(repo, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
}

const packFiles = (): readonly string[] => fs.readdirSync(join(repo, "objects/pack"));
const makePack = () => git(repo, "repack", "-d", "-q");
const age = (path: string): void => fs.utimesSync(path, new Date(0), new Date(0));

describe("packing a Hive", () => {
  it("leaves one pack with every object, also those that no commit reaches", async () => {
    await commits(2);
    await makePack();
    await commits(2, "l");
    fs.writeFileSync(join(folder, "stray"), "of a commit that is being made");
    const stray = (await git(repo, "hash-object", "-w", join(folder, "stray"))).trim();
    const [before, { count: loose }] = [await allObjects(), await counted()];
    const folders = fs.readdirSync(join(repo, "objects"));
    expect(await storage.packer.pack(web)).toEqual({ kind: "packed", loose });
    // git takes those away that it empties, and each write would have to make some of them again.
    expect(fs.readdirSync(join(repo, "objects"))).toEqual(folders);
    expect(await allObjects()).toEqual(before);
    expect(before).toContain(stray);
    expect(await counted()).toMatchObject({ count: 0, packs: 1, garbage: 0 });
    await expectSound();
    expect(await keysFromDisk()).toHaveLength(4);
    expect(await storage.packer.pack(web)).toEqual({ kind: "nothing-to-do" });
    await commits(1, "m");
    expect(await keysFromDisk()).toHaveLength(5);
  });

  it("packing ignores the repository's own settings", async () => {
    await commits(4);
    for (const [name, value] of [
      ["pack.packSizeLimit", "1m"],
      ["pack.indexVersion", "1"],
      ["repack.writeBitmaps", "true"],
      ["gc.pruneExpire", "now"],
      ["pack.depth", "4000"],
    ] as const)
      await git(repo, "config", name, value);
    const before = await allObjects();
    expect(await storage.packer.pack(web)).toMatchObject({ kind: "packed" });
    expect(await allObjects()).toEqual(before);
    expect(packFiles().map((name) => name.replace(/^.*\./, ""))).not.toContain("bitmap");
    expect(await keysFromDisk()).toHaveLength(4);
  });

  it("packing leaves a pack with a .keep file alone, and drops a multi-pack-index over removed packs", async () => {
    await commits(3);
    await makePack();
    const kept = packFiles().find((name) => name.endsWith(".pack")) ?? "";
    fs.writeFileSync(join(repo, "objects/pack", kept.replace(/pack$/, "keep")), "");
    await commits(3, "l");
    await makePack();
    await commits(3, "m");
    await git(repo, "multi-pack-index", "write");
    expect(await storage.packer.pack(web)).toMatchObject({ kind: "packed" });
    expect(packFiles()).toContain(kept);
    expect(await counted()).toMatchObject({ count: 0, packs: 2 });
    await expectSound();
    expect(await keysFromDisk()).toHaveLength(9);
  });

  it("packing does not disturb writers, readers or git", async () => {
    const done = new AbortController();
    const packer = openLocalStorage(folder).packer;
    const seen: number[] = [];
    const reading = (async () => {
      while (!done.signal.aborted) seen.push((await keysFromDisk()).length);
    })();
    const packed: unknown[] = [];
    let written = 0;
    const packing = (async () => {
      while (!done.signal.aborted) {
        const result = await packer.pack(web);
        if (result.kind === "packed") packed.push(result);
      }
    })();
    try {
      const writing = ["p", "q", "r"].map(async (name) => {
        for (let i = 0; i < 12 || packed.length < 3; i++, written++)
          await post({ "a.php": { [`${name}${i}`]: "x" } });
      });
      await Promise.all(writing);
    } finally {
      done.abort();
      await Promise.all([reading, packing]);
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(await keysFromDisk()).toHaveLength(written);
    expect(Number(await git(repo, "rev-list", "--count", "main"))).toBe(written + 1);
    await expectSound();
  });

  it("packing may replace a pack between reading its index and reading the pack", async () => {
    await commits(3);
    await makePack();
    await commits(1, "l");
    let isReplaced = false;
    const readFile = async (path: string): Promise<Uint8Array> => {
      if (path.endsWith(".pack") && !isReplaced) {
        isReplaced = true;
        expect(await storage.packer.pack(web)).toMatchObject({ kind: "packed" });
        expect(fs.existsSync(path)).toBe(false);
      }
      return fs.promises.readFile(path);
    };
    const disk: Disk = { ...fs, promises: { ...fs.promises, readFile } };
    expect(await keysFromDisk(disk)).toHaveLength(4);
    expect(isReplaced).toBe(true);
  });
});

describe("a packing that is interrupted", () => {
  it("a packing loses nothing when git is killed, at whatever moment", async () => {
    grow(repo, 60, 200);
    await makePack();
    const before = await allObjects();
    const moments = ["before it starts", "when it starts", "while it writes", "when it has ended"] as const;
    for (const [n, command] of ["pack-objects", "prune-packed"].entries()) {
      for (const [m, moment] of moments.entries()) {
        const round = n * moments.length + m;
        await commits(2, `round${round}_`);
        const killed = new AbortController();
        const packsBefore = packFiles().length;
        const killing: RunGit = async (gitdir, args, options) => {
          if (!args.includes(command)) return runGit(gitdir, args, options);
          if (moment === "before it starts") killed.abort();
          let isOver = false;
          const running = runGit(gitdir, args, options).finally(() => (isOver = true));
          // What it throws is seen by the packing, which awaits it later.
          running.catch(() => undefined);
          if (moment === "when it starts") killed.abort();
          if (moment === "while it writes") {
            await vi.waitUntil(() => isOver || packFiles().length > packsBefore, {
              timeout: 120_000,
              interval: 1,
            });
            killed.abort();
          }
          const result = await running;
          killed.abort();
          return result;
        };
        const { packer } = openStorage({ folder, disk: fs, git: { run: killing } });
        const { kind } = await packer.pack(web, killed.signal);
        if (moment === "before it starts") expect(kind).toBe("stopped");
        // The next git is not started any more; after the last one nothing is left to stop.
        if (moment === "when it has ended") expect(kind).toBe(n === 0 ? "stopped" : "packed");
        expect(await keysFromDisk()).toHaveLength(2 * round + 2);
      }
    }
    await expectSound();
    await commits(1, "last");
    expect(await storage.packer.pack(web)).toMatchObject({ kind: "packed" });
    expect(await counted()).toMatchObject({ count: 0, packs: 1 });
    expect(await allObjects()).toEqual(expect.arrayContaining([...before]));
  });

  it("a packing is started again after a kill of the process, wherever it was", async () => {
    await commits(3);
    await makePack();
    await commits(3, "l");
    const before = await allObjects();
    const dieAt = (command: string): Storage => {
      const dying: RunGit = async (gitdir, args, options) => {
        const result = args.includes(command) ? undefined : await runGit(gitdir, args, options);
        if (result === undefined) throw new Error("killed");
        return result;
      };
      return openStorage({ folder, disk: fs, git: { run: dying } });
    };
    for (const command of ["pack-objects", "prune-packed"]) {
      await expect(dieAt(command).packer.pack(web)).rejects.toThrow("killed");
      await expectSound();
      expect(await keysFromDisk()).toHaveLength(6);
    }
    // The index of a superfluous pack had just got its mark, and a pack was half written.
    await commits(1, "m");
    const superfluous = packFiles().find((name) => name.endsWith(".idx")) ?? "";
    await git(repo, "-c", "repack.writeBitmaps=false", "repack", "-a", "-q");
    const pack = (name: string): string => join(repo, "objects/pack", name);
    fs.renameSync(pack(superfluous), pack(`tmp_idx_skep_${superfluous.replace(/\.idx$/, "")}`));
    fs.writeFileSync(pack("tmp_pack_a1b2c3"), "PACK");
    fs.writeFileSync(pack("tmp_pack_young1"), "PACK");
    for (const name of packFiles()) if (name !== "tmp_pack_young1") age(pack(name));
    const problems: string[] = [];
    for await (const { problem } of verify(storage, { slug: web, repair: false })) problems.push(problem);
    expect(problems).toHaveLength(2);
    expect(problems.join("\n")).toMatch(/tmp_idx_skep_pack-.* was left[^]*tmp_pack_a1b2c3 was left/);
    expect(await storage.packer.pack(web)).toMatchObject({ kind: "packed" });
    const names = packFiles().map((name) => name.replace(/[0-9a-f]{40}/, "<hash>"));
    expect(names.toSorted()).toEqual(["pack-<hash>.idx", "pack-<hash>.pack", "tmp_pack_young1"]);
    expect(await allObjects()).toEqual(expect.arrayContaining([...before]));
    await expectSound();
  });

  it("a packing fails with git's own message, and changes nothing", async () => {
    await commits(3);
    const oid = (await git(repo, "rev-parse", "main:locales/en/a.php.json")).trim();
    const path = join(repo, "objects", oid.slice(0, 2), oid.slice(2));
    const whole = fs.readFileSync(path);
    fs.rmSync(path);
    const before = await allObjects();
    const packing = await storage.packer.pack(web);
    expect(packing.kind).toBe("failed");
    expect("reason" in packing && packing.reason).toContain(oid);
    expect(await allObjects()).toEqual(before);
    fs.writeFileSync(path, whole);
    expect(await storage.packer.pack(web)).toMatchObject({ kind: "packed" });
    await expectSound();
  });
});

describe("two packings of one Hive", () => {
  it("alternate, and would lose nothing if they did not", async () => {
    grow(repo, 100, 200);
    const other = openLocalStorage(folder).packer;
    const kinds = (await Promise.all([storage.packer.pack(web), other.pack(web)])).map(({ kind }) => kind);
    // Whoever comes second finds it locked, or all done.
    expect(kinds.filter((kind) => kind === "packed")).toHaveLength(1);

    const folderOf = (): string => repo;
    /** Told of each git that begins. */
    let begins = (): void => {};
    const telling: RunGit = (gitdir, args, options) => {
      begins();
      return runGit(gitdir, args, options);
    };
    const unlocked = [1, 2, 3].map((n) => {
      const locks = join(folder, `locks-${n}`);
      return new Packer({ fs: new DurableFs(fs), locks, folderOf, runGit: telling });
    });
    for (let round = 0; round < 3; round++) {
      await commits(2, `round${round}_`);
      const before = await allObjects();
      let begun = 0;
      const ended = new Set<number>();
      begins = () => void begun++;
      const packings = unlocked.map(async (packer, n) => {
        // All at once, then one after another's first git has begun, and after its second.
        const mayBegin = (): boolean => begun >= n * round || ended.size >= n;
        await vi.waitUntil(mayBegin, { timeout: 120_000, interval: 1 });
        await packer.pack(web);
        ended.add(n);
      });
      // git's own gc gives up when loose objects vanish under it.
      const collected = git(repo, "gc", "--quiet").catch(() => "");
      await Promise.all([...packings, collected]);
      expect(await allObjects()).toEqual(before);
      await expectSound();
    }
  });

  it("packing does not disturb git fsck of skep server verify", async () => {
    await commits(3);
    let isChecking = false;
    let isPacking = false;
    const watching: RunGit = async (gitdir, args, options) => {
      const isFsck = args.includes("fsck");
      if (isFsck) isChecking = true;
      if (args.includes("pack-objects")) isPacking = true;
      expect(isChecking && isPacking).toBe(false);
      const result = await runGit(gitdir, args, options);
      if (isFsck) isChecking = false;
      if (args.includes("prune-packed")) isPacking = false;
      return result;
    };
    const open = (): Storage => openStorage({ folder, disk: fs, git: { run: watching } });
    const packing = open().packer.pack(web);
    for await (const { problem } of verify(open(), { slug: web, repair: false })) expect(problem).toBe("");
    expect(["packed", "busy"]).toContain((await packing).kind);
  });
});

describe("a Hive that is deleted while it is packed", () => {
  it("is gone, and a new one in its place gets none of its objects", async () => {
    grow(repo, 100, 200);
    const disturbed: RunGit = async (gitdir, args, options) => {
      const running = runGit(gitdir, args, options);
      await vi.waitUntil(() => packFiles().length > 0, { timeout: 120_000, interval: 1 });
      await deleteHive(storage, web);
      await makeHive(storage, "web", { locales: ["fr"] });
      return running;
    };
    const { packer } = openStorage({ folder, disk: fs, git: { run: disturbed } });
    expect(await packer.pack(web)).toEqual({ kind: "no-repository" });
    expect(await counted()).toMatchObject({ packs: 0, garbage: 0 });
    expect(await allObjects()).toHaveLength(5);
    expect(fs.readdirSync(join(folder, "hives"))).toEqual(["web.git"]);
    expect(await storage.packer.pack(web)).toEqual({ kind: "packed", loose: 4 });
  });
});

describe("a machine without git", () => {
  it("does not pack, and says so", async () => {
    const memory = memoryStorage();
    await makeHive(memory, "web");
    expect(await memory.packer.isPossible()).toBe(false);
    expect(await memory.packer.pack(web)).toEqual({ kind: "no-git" });
    await expect(maintain(memory, undefined).next()).rejects.toThrow("git is not installed");
  });
});
