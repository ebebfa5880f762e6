/**
 * Gives a test run a temporary folder of its own and removes it afterwards, all at once: removing a folder after each test
 * takes longer than many a test.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "skep-tests-";
const memory = "/dev/shm";
const neededBytes = 2 * 1024 ** 3;

/**
 * Makes the folder in memory: on a disk, waiting for fsync takes most of a run. Power cuts are tested on a disk of their
 * own (`crash-disk.ts`). The folder is on the disk if `TMPDIR` is set, which `npm run soak` does, and if the memory
 * cannot have it: where it is small or programs cannot be run from it, as in many containers.
 */
function makeFolder(): string {
  if (process.env.TMPDIR !== undefined) return mkdtempSync(join(tmpdir(), prefix));
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= neededBytes) {
      folder = mkdtempSync(join(memory, prefix));
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
  return mkdtempSync(join(tmpdir(), prefix));
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
