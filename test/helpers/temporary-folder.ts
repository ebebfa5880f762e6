/**
 * Gives a test run a temporary folder of its own and removes it afterwards, all at once: removing a folder after each test
 * takes longer than many a test.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "skep-tests-";

/** For vitest's `globalSetup`: the workers inherit the environment. @returns the teardown. */
export default function setUp(): () => void {
  // Vitest calls this once for each project.
  if (basename(tmpdir()).startsWith(prefix)) return () => {};
  const outer = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // Some tests look into it as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
    spawnSync("rm", ["-rf", folder]);
  };
}
