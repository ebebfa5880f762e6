/** Disks that are full when a test says so. They are mounted, which only the superuser may do, and not in every container. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { realFolder } from "../storage.ts";

/** Files of PostgreSQL and of git grow by such pages. */
const page = Buffer.alloc(4096, "x");

/** @returns why it cannot be mounted. */
function mount(folder: string, options: string): string | undefined {
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  return status === 0 ? undefined : String(stderr ?? "there is no command mount").trim();
}

function unmount(folder: string): void {
  spawnSync("umount", ["--lazy", folder]);
}

/** Whether tests that need a full disk are skipped. */
export function isUnmountable(): boolean {
  const folder = realFolder();
  const problem = mount(folder, "size=1m");
  unmount(folder);
  if (problem !== undefined) console.warn(`Tests with a full disk are skipped: ${problem}`);
  return problem !== undefined;
}

export class SmallDisk {
  readonly #ballast: string;

  /** Makes a folder a disk in memory, to the end of the test. @param owner whose it is. */
  constructor(folder: string, mebibytes: number, { uid = 0, gid = 0 } = {}) {
    mkdirSync(folder, { recursive: true });
    const problem = mount(folder, `size=${mebibytes}m,mode=700,uid=${uid},gid=${gid}`);
    if (problem !== undefined) throw new Error(problem);
    onTestFinished(() => unmount(folder));
    this.#ballast = join(folder, "ballast");
  }

  /** Leaves no room. */
  fill(): void {
    try {
      for (;;) appendFileSync(this.#ballast, page);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }

  /** Makes room. */
  clear(): void {
    rmSync(this.#ballast);
  }
}
