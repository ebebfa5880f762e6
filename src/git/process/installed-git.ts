/** The git that is installed on the machine, started in an environment of its own. */
import { execFile, spawn, type ChildProcessByStdio } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import { failure } from "../../domain/errors.ts";
import { isSystemError } from "../../disk/disk.ts";
import { foreignConfiguration } from "./repository-config.ts";

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
 * Runs git on a repository, or without one; undefined when there is no git. It rejects when git was killed, and with
 * SkepError `content-invalid` as {@link spawnGit} throws.
 */
export type RunGit = (
  gitdir: string | undefined,
  args: readonly string[],
  options?: GitOptions,
) => Promise<GitResult | undefined>;

/** The history is what the objects say: neither replaced, nor grafted, nor fetched from elsewhere. */
export const ownObjectsOnly = {
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/nonexistent",
  GIT_NO_LAZY_FETCH: "1",
};

/** Nothing of the user's or the machine's configuration, no transport, no prompt, messages in English. */
export const gitEnvironment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "none",
  ...ownObjectsOnly,
};

const maxOutput = 64 * 1024 * 1024;
/** A storage may belong to another user than the one who runs this. No program of the repository's is run. */
const settings = ["safe.directory=*", "core.hooksPath=/dev/null", "core.fsmonitor=false"];

/**
 * The whole command line for git in a repository. git works inside the repository, so it stays with it when the folder
 * is moved, never comes to another one of the same name, and says nothing that holds a path of this machine.
 */
function argumentsFor(gitdir: string | undefined, args: readonly string[]): readonly string[] {
  if (gitdir === undefined) return args;
  if (foreignConfiguration(gitdir).length > 0) {
    const why =
      "its repository has a git configuration that Skep does not run git with; skep verify names it";
    throw failure("content-invalid", `This Hive cannot be read by git: ${why}.`);
  }
  return [...settings.flatMap((one) => ["-c", one]), "-C", gitdir, "--git-dir", ".", ...args];
}

export interface GitSpawnOptions {
  /** Instead of {@link gitEnvironment}. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it leads a process group of its own, for what starts other processes that must end with it. */
  readonly leadsGroup?: boolean;
}

/**
 * Starts git in a repository; that there is no git comes as an `error` of the process.
 * @throws SkepError `content-invalid` when the repository's configuration is not known to be harmless.
 */
export function spawnGit(
  gitdir: string,
  args: readonly string[],
  { env = gitEnvironment, leadsGroup = false }: GitSpawnOptions = {},
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn("git", argumentsFor(gitdir, args), { env, detached: leadsGroup });
}

/** A git whose complaints nobody hears. */
export type SilentGit = ChildProcessByStdio<Writable, Readable, null>;

/** The same, where nobody wants to hear what git complains about. */
export function spawnSilentGit(gitdir: string, args: readonly string[]): SilentGit {
  const stdio: ["pipe", "pipe", "ignore"] = ["pipe", "pipe", "ignore"];
  return spawn("git", argumentsFor(gitdir, args), { env: gitEnvironment, stdio });
}

/** See {@link RunGit}. */
export const runGit: RunGit = (gitdir, args, { inBackground = false, signal, timeLimitMs = 0 } = {}) =>
  new Promise((resolve, reject) => {
    const options = {
      env: gitEnvironment,
      maxBuffer: maxOutput,
      timeout: timeLimitMs,
      killSignal: "SIGKILL",
      ...(signal === undefined ? {} : { signal }),
    } as const;
    const child = execFile("git", argumentsFor(gitdir, args), options, (error, stdout, stderr) => {
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
