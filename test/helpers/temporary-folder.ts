/**
 * Gives a test run a temporary folder of its own and removes it afterwards, all at once: removing a folder after each test
 * takes longer than many a test.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For vitest's `globalSetup`: the workers inherit the environment. @returns the teardown. */
export default function setUp(): () => void {
  const outer = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "skep-tests-"));
  process.env.TMPDIR = folder;
  return () => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
    spawnSync("rm", ["-rf", folder]);
  };
}
