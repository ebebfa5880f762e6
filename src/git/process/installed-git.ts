/**
 * Starts the git that is installed on the machine. All of Skep starts git here: in a closed environment, with a
 * configuration that is known to be harmless, and with limits set by the caller.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import { failure } from "../../domain/errors.ts";
import { isSystemError } from "../../disk/disk.ts";
import { unsafeConfiguration } from "./repository-config.ts";

export interface GitOptions {
  /** Its whole environment; {@link gitEnvironment} by default. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Whether it leads its own process group, for a git that starts other processes: these end with it, and with Skep. A
   * Ctrl-C at the terminal does not reach it.
   */
  readonly leadsGroup?: boolean;
  /** Runs it at the lowest priority. */
  readonly inBackground?: boolean;
  readonly signal?: AbortSignal;
  /** Stops it after so many milliseconds. */
  readonly timeLimitMs?: number;
}

export interface GitEnd {
  /** Its exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it ran into its time limit. */
  readonly isLate: boolean;
  /** The beginning of its standard error. */
  readonly stderr: string;
}

export interface GitProcess {
  /** Writing to it never fails: a git that ends early is noticed by its exit code. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has ended and all of its output was read. Never rejects. */
  readonly ended: Promise<GitEnd>;
  /** Terminates it and the processes it started, and kills those that are still running two seconds later. */
  readonly stop: () => void;
  /** Sets whether Skep's own process stays alive as long as this one; it does at first. */
  readonly keepAlive: (isKept: boolean) => void;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Git was stopped before it was done. */
export class GitEnded extends Error {
  /** Whether it ran into its time limit. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

/**
 * Runs git to its end, on a repository or without one.
 * @returns undefined when git is not installed.
 * @throws GitEnded when its signal, its time limit or another process stopped it; what {@link startGit} throws.
 */
export type RunGit = (
  gitdir: string | undefined,
  args: readonly string[],
  options?: GitOptions,
) => Promise<GitResult | undefined>;

/** Git uses the objects as they are stored: without replacements, grafts, or fetching missing ones. */
export const ownObjectsOnly = {
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/nonexistent",
  GIT_NO_LAZY_FETCH: "1",
};

/**
 * An environment without the user's and the machine's configuration, transports and prompts; messages are in English.
 */
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

/** The longest output that {@link runGit} accepts, in characters. */
const maxOutput = 64 * 1024 * 1024;
const maxStderr = 1024 * 1024;
/** How long a git that was told to end may take to clean up, in milliseconds. */
const killAfterMs = 2_000;
/** A storage may belong to another user than the one who runs Skep; and no program that the repository names is run. */
const settings = ["safe.directory=*", "core.hooksPath=/dev/null", "core.fsmonitor=false"];

/**
 * The whole command line for git in a repository. Git's working directory is the repository, so it keeps working on it
 * when the folder is moved, never opens another one of the same name, and prints no path of this machine.
 */
function argumentsFor(gitdir: string | undefined, args: readonly string[]): readonly string[] {
  if (gitdir === undefined) return args;
  if (unsafeConfiguration(gitdir).length > 0) {
    const why =
      "its repository has a git configuration that Skep does not run git with; skep server verify names it";
    throw failure("content-invalid", `This Hive cannot be read by git: ${why}.`);
  }
  return [...settings.flatMap((one) => ["-c", one]), "-C", gitdir, "--git-dir", ".", ...args];
}

/** Functions that kill the running process groups. */
const groups = new Set<() => void>();
process.on("exit", () => {
  for (const kill of groups) kill();
});

/**
 * Starts git in a repository, or without one.
 * @returns undefined when git is not installed.
 * @throws SkepError `content-invalid` when the repository's configuration is not known to be harmless; the signal's
 * reason when it has fired already; the system's error when no process can be started.
 */
export async function startGit(
  gitdir: string | undefined,
  args: readonly string[],
  { env = gitEnvironment, leadsGroup = false, inBackground = false, signal, timeLimitMs }: GitOptions = {},
): Promise<GitProcess | undefined> {
  signal?.throwIfAborted();
  const child = spawn("git", argumentsFor(gitdir, args), { env, detached: leadsGroup });
  try {
    await once(child, "spawn");
  } catch (error) {
    if (isSystemError(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
  const { pid, stdin, stdout, stderr } = child;
  child.on("error", () => {});
  stdin.on("error", () => {});
  let errorText = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    if (errorText.length < maxStderr) errorText += text;
  });
  if (inBackground) yieldToOthers(pid);

  const kill = (name: NodeJS.Signals): void => {
    if (leadsGroup && pid !== undefined) killGroup(pid, name);
    else child.kill(name);
  };
  const killNow = (): void => kill("SIGKILL");
  let isOver = false;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (isOver || killTimer !== undefined) return;
    kill("SIGTERM");
    killTimer = setTimeout(killNow, killAfterMs);
  };
  let isLate = false;
  const expire = (): void => {
    isLate = true;
    stop();
  };
  const limit = timeLimitMs === undefined ? undefined : setTimeout(expire, timeLimitMs);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  if (leadsGroup) groups.add(killNow);
  const ended = new Promise<GitEnd>((resolve) => {
    child.once("close", (code, endedBy) => {
      isOver = true;
      clearTimeout(killTimer);
      clearTimeout(limit);
      signal?.removeEventListener("abort", stop);
      groups.delete(killNow);
      resolve({ code, signal: endedBy, isLate, stderr: errorText });
    });
  });
  const keepAlive = (isKept: boolean): void => {
    for (const one of [child, stdin, stdout, stderr]) {
      if (one === child || one instanceof Socket) one[isKept ? "ref" : "unref"]();
    }
  };
  return { stdin, stdout, ended, stop, keepAlive };
}

/** See {@link RunGit}. */
export const runGit: RunGit = async (gitdir, args, options = {}) => {
  const git = await startGit(gitdir, args, options);
  if (git === undefined) return undefined;
  git.stdin.end();
  let stdout = "";
  git.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (stdout.length > maxOutput) git.stop();
    else stdout += text;
  });
  const { code, signal, isLate, stderr } = await git.ended;
  if (stdout.length > maxOutput) throw new GitEnded("git printed too much", false);
  // A git that succeeds although it was told to end has succeeded.
  const wasStopped = code !== 0 && (isLate || options.signal?.aborted === true);
  if (code !== null && !wasStopped) return { code, stdout, stderr };
  const limit = Math.round((options.timeLimitMs ?? 0) / 1_000);
  const why = isLate ? `took longer than ${limit} s` : `was ended by ${signal ?? "its caller"}`;
  throw new GitEnded(`git ${why}`, isLate);
};

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!isSystemError(error, "ESRCH")) throw error;
  }
}

function yieldToOthers(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended, or the system does not allow it.
  }
}
