/** Files written all or none: with every call of the file system as the last one of a process that is killed. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import * as promises from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  finishInterruptedWrites,
  writeFiles,
  type FileWrite,
  type WriteDisk,
} from "../../../src/client/tree/write-files.ts";
import { realFolder } from "../../helpers/storage.ts";

const old = { "en/a.json": "source", "fr/a.json": "a", "fr/b.json": "b", "fr/c.json": "c" };
const writes: readonly FileWrite[] = [
  { path: "fr/a.json", bytes: Buffer.from("A"), before: Buffer.from("a"), like: "en/a.json" },
  { path: "fr/b.json", bytes: Buffer.from("B"), before: Buffer.from("b"), like: "en/a.json" },
  { path: "fr/c.json", bytes: undefined, before: Buffer.from("c"), like: "en/a.json" },
  { path: "de/x/new.json", bytes: Buffer.from("N"), before: undefined, like: "en/a.json" },
];
const written = { "en/a.json": "source", "fr/a.json": "A", "fr/b.json": "B", "de/x/new.json": "N" };

function makeTree(): string {
  const folder = realFolder();
  for (const [path, text] of Object.entries(old)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** All files below a folder, hidden ones too. */
function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1).replaceAll("\\", "/"), readFileSync(path, "utf8")];
    }),
  );
}

/** A disk on which every call from number `first` to `last` fails. */
function failingDisk(first: number, last: number): WriteDisk & { readonly calls: () => number } {
  let calls = 0;
  const failing =
    <A extends unknown[], R>(call: (...parameters: A) => Promise<R>) =>
    async (...parameters: A): Promise<R> => {
      calls++;
      if (calls >= first && calls <= last) throw Object.assign(new Error("EIO: cut off"), { code: "EIO" });
      return call(...parameters);
    };
  const { chmod, copyFile, link, lstat, mkdir, open, rename, rm, rmdir } = promises;
  const wrapped = Object.fromEntries(
    Object.entries({ chmod, copyFile, link, lstat, mkdir, open, rename, rm, rmdir }).map(([name, call]) => [
      name,
      failing(call as (...parameters: unknown[]) => Promise<unknown>),
    ]),
  );
  return Object.assign(wrapped as unknown as WriteDisk, { calls: () => calls });
}

async function countCalls(): Promise<number> {
  const disk = failingDisk(Infinity, Infinity);
  await writeFiles(makeTree(), writes, disk);
  return disk.calls();
}

describe("files", () => {
  it("are written, and nothing is left beside them", async () => {
    const folder = makeTree();
    chmodSync(join(folder, "fr/a.json"), 0o640);
    await writeFiles(folder, writes);
    expect(filesOf(folder)).toEqual(written);
    expect(statSync(join(folder, "fr/a.json")).mode & 0o777).toBe(0o640);
    expect(await finishInterruptedWrites(folder)).toBe(false);
  });

  it("are all written or none, wherever the process is killed, once the next run has begun", async () => {
    const total = await countCalls();
    const outcomes = new Set<string>();
    for (let last = 1; last <= total; last++) {
      const folder = makeTree();
      await writeFiles(folder, writes, failingDisk(last, Infinity)).catch(() => {});
      await finishInterruptedWrites(folder);
      const files = filesOf(folder);
      outcomes.add("de/x/new.json" in files ? "all" : "none");
      expect([old, written], `killed at call ${last}`).toContainEqual(files);
      expect(await finishInterruptedWrites(folder)).toBe(false);
    }
    expect(outcomes).toEqual(new Set(["all", "none"]));
  });

  it("are all written or none when one call fails", async () => {
    const total = await countCalls();
    for (let call = 1; call <= total; call++) {
      const folder = makeTree();
      const failed = await writeFiles(folder, writes, failingDisk(call, call)).then(
        () => false,
        () => true,
      );
      const now = filesOf(folder);
      if (!failed) expect(now, `call ${call}`).toEqual(written);
      await finishInterruptedWrites(folder);
      expect([old, written], `call ${call}`).toContainEqual(filesOf(folder));
    }
  });

  it("are not written over what somebody wrote meanwhile", async () => {
    const folder = makeTree();
    writeFileSync(join(folder, "fr/b.json"), "theirs");
    await expect(writeFiles(folder, writes)).rejects.toMatchObject({ kind: "conflict" });
    expect(filesOf(folder)).toEqual({ ...old, "fr/b.json": "theirs" });
  });

  it("are not put over what somebody wrote after the process was killed", async () => {
    const folder = makeTree();
    const total = await countCalls();
    // The first call at which the new files are still to be put in their places, and will be.
    for (let last = total; last > 0; last--) {
      const trial = makeTree();
      await writeFiles(trial, writes, failingDisk(last, Infinity)).catch(() => {});
      const state = Object.values(filesOf(trial)).find((text) => text.includes('"state":"renaming"'));
      if (state === undefined || readFileSync(join(trial, "fr/b.json"), "utf8") !== "b") continue;
      await writeFiles(folder, writes, failingDisk(last, Infinity)).catch(() => {});
      break;
    }
    writeFileSync(join(folder, "fr/b.json"), "theirs, and longer");
    await finishInterruptedWrites(folder);
    expect(filesOf(folder)["fr/b.json"]).toBe("theirs, and longer");
  });

  it("are written through no symbolic link", async () => {
    const folder = makeTree();
    const outside = realFolder();
    symlinkSync(outside, join(folder, "de"));
    await expect(writeFiles(folder, writes)).rejects.toMatchObject({ kind: "misuse" });
    expect(filesOf(folder)).toEqual(old);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe("a journal", () => {
  const journal = (more: object) => JSON.stringify({ state: "renaming", files: [], folders: [], ...more });

  it("of a run that is under way keeps others out", async () => {
    const folder = makeTree();
    writeFileSync(join(folder, `.skep-pull-${process.ppid}-x.json`), journal({}));
    await expect(finishInterruptedWrites(folder)).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("of a run that was killed does not count as under way for ever, whoever has its process id", async () => {
    const folder = makeTree();
    const path = join(folder, `.skep-pull-${process.ppid}-x.json`);
    writeFileSync(path, journal({}));
    const then = Date.now() / 1000 - 2 * 60 * 60;
    utimesSync(path, then, then);
    expect(await finishInterruptedWrites(folder)).toBe(true);
    expect(filesOf(folder)).toEqual(old);
  });

  it.each([
    ["no JSON", "{"],
    ["another form", "{}"],
    ["a path outside", journal({ files: [{ path: "../x", stamp: null }] })],
    ["an absolute path", journal({ files: [{ path: "/etc/x", stamp: null }] })],
    ["a folder outside", journal({ folders: [".."] })],
    ["a file of git", journal({ files: [{ path: ".git/hooks/x", stamp: null }] })],
  ])("that has %s is refused", async (_, text) => {
    const folder = makeTree();
    writeFileSync(join(folder, ".skep-pull-99999999-x.json"), text);
    await expect(finishInterruptedWrites(folder)).rejects.toThrow("is not a journal of skep pull");
    expect(filesOf(folder)).toMatchObject(old);
  });

  it.each<[string, object]>([
    ["a file", { files: [{ path: "link/target", stamp: null }] }],
    ["a folder", { folders: ["link/empty"] }],
    ["a folder that is the link", { folders: ["link"] }],
  ])("leads through no symbolic link to %s", async (_, more) => {
    const folder = makeTree();
    const outside = realFolder();
    writeFileSync(join(outside, ".skep-99999999-x-0.new"), "evil");
    mkdirSync(join(outside, "empty"));
    symlinkSync(outside, join(folder, "link"));
    for (const state of ["preparing", "renaming", "undoing"]) {
      writeFileSync(join(folder, ".skep-pull-99999999-x.json"), journal({ state, ...more }));
      await expect(finishInterruptedWrites(folder)).rejects.toMatchObject({ kind: "misuse" });
      expect(readdirSync(outside)).toEqual([".skep-99999999-x-0.new", "empty"]);
    }
  });
});
