/** The git that is installed on the machine, run in an environment of its own. */
import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { isSystemError } from "./disk.ts";

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitOptions {
  /** Lets everything else on the machine go first. */
  readonly inBackground?: boolean;
  /** Kills it. */
  readonly signal?: AbortSignal;
  /** After so many milliseconds it is killed. */
  readonly timeLimitMs?: number;
}

/**
 * Runs git on a repository; undefined when there is no git. It rejects when git was killed.
 */
export type RunGit = (
  gitdir: string,
  args: readonly string[],
  options?: GitOptions,
) => Promise<GitResult | undefined>;

/** Nothing of the user's or the machine's configuration, no prompt, messages in English. */
export const gitEnvironment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
};
const maxOutput = 64 * 1024 * 1024;

/**
 * See {@link RunGit}. A storage may belong to another user than the one who runs this. git works inside the
 * repository, so it stays with it when the folder is moved, and never comes to another one of the same name.
 */
export const runGit: RunGit = (gitdir, args, { inBackground = false, signal, timeLimitMs = 0 } = {}) =>
  new Promise((resolve, reject) => {
    // Nobody's replacement of an object is believed.
    const all = ["--no-replace-objects", "-c", "safe.directory=*", "-C", gitdir, "--git-dir", ".", ...args];
    const options = {
      env: gitEnvironment,
      maxBuffer: maxOutput,
      timeout: timeLimitMs,
      killSignal: "SIGKILL",
      ...(signal === undefined ? {} : { signal }),
    } as const;
    const child = execFile("git", all, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (isSystemError(error, "ENOENT", "EACCES")) resolve(undefined);
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
      else reject(error);
    });
    child.stdin?.end();
    if (inBackground) yieldToOthers(child.pid);
  });

function yieldToOthers(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not let us.
  }
}
