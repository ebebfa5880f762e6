/** The git that is installed on the machine, run in an environment of its own. */
import { execFile } from "node:child_process";
import { isSystemError } from "./disk.ts";

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git on a repository; undefined when there is no git. */
export type RunGit = (gitdir: string, args: readonly string[]) => Promise<GitResult | undefined>;

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

/** See {@link RunGit}. A storage may belong to another user than the one who runs this. */
export const runGit: RunGit = (gitdir, args) =>
  new Promise((resolve, reject) => {
    const all = ["-c", "safe.directory=*", "--git-dir", gitdir, ...args];
    execFile("git", all, { env: gitEnvironment, maxBuffer: maxOutput }, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (isSystemError(error, "ENOENT")) resolve(undefined);
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
      else reject(error);
    });
  });
