/**
 * Gives a test run a temporary folder of its own and removes it afterwards, all at once: removing a folder after each test
 * takes longer than many a test.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "skep-tests-";
const memory = "/dev/shm";
const neededBytes = 2 * 1024 ** 3;

function makeIn(parent: string): string {
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

/**
 * Removes what killed runs left: in memory it would stay until the machine starts again. A folder whose process is not
 * found is left alone for an hour, since it may be of a container that shares the memory and not the processes.
 */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^skep-tests-(\d+)-/.exec(name) ?? [];
    const path = join(parent, name);
    if (pid === undefined || isRunning(Number(pid))) continue;
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    // What cannot be removed, as it is another user's, stays.
    if (Date.now() - changed > 3_600_000) spawnSync("rm", ["-rf", path]);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/**
 * Makes the folder in memory: on a disk, waiting for fsync takes most of a run. Power cuts are tested on a disk of their
 * own (`crash-disk.ts`). The folder is on the disk if `TMPDIR` is set, which `npm run soak` does, and if the memory
 * cannot have it: where it is small or programs cannot be run from it, as in many containers.
 */
function makeFolder(): string {
  if (process.env.TMPDIR !== undefined) return makeIn(tmpdir());
  let folder: string | undefined;
  try {
    removeAbandoned(memory);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= neededBytes) {
      folder = makeIn(memory);
      const program = join(folder, "program");
      writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
      const { status } = spawnSync(program);
      rmSync(program);
      if (status === 0) return folder;
    }
  } catch {
    // Then there is no such folder, or it is not ours to write to.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return makeIn(tmpdir());
}

/** For vitest's `globalSetup`: the workers inherit the environment. @returns the teardown. */
export default function setUp(): () => void {
  // Vitest calls this once for each project.
  if (basename(tmpdir()).startsWith(prefix)) return () => {};
  const outer = process.env.TMPDIR;
  const folder = makeFolder();
  // Some tests look into it as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
    spawnSync("rm", ["-rf", folder]);
  };
}
