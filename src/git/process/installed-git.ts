/**
 * The git that is installed on the machine. All of Skep starts it here: in an environment of its own, with a harmless
 * configuration, and with the limits that its caller sets.
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
  /** Its whole environment; {@link gitEnvironment} if not given. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Whether it leads a process group of its own: one that starts other processes, which must end with it and with this
   * process. A Ctrl-C at the terminal does not reach it.
   */
  readonly leadsGroup?: boolean;
  /** Lets everything else on the machine go first. */
  readonly inBackground?: boolean;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** After so many milliseconds it is ended. */
  readonly timeLimitMs?: number;
}

/** How a git ended. */
export interface GitEnd {
  /** Its exit code; null when it was ended by a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it ran into its time limit. */
  readonly isLate: boolean;
  /** The beginning of what it complained about. */
  readonly stderr: string;
}

/** A git that runs. */
export interface GitProcess {
  /** Writing to it never fails: a git that ends early says so by its exit code. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it is gone and all of its output was read. Never rejects. */
  readonly ended: Promise<GitEnd>;
  /** Asks it and what it started to end; those that have not ended two seconds later are killed. */
  readonly stop: () => void;
  /** Says whether our own process stays alive as long as this one. It does at first. */
  readonly keepAlive: (isKept: boolean) => void;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git that was ended before it was done. */
export class GitEnded extends Error {
  /** Whether it ran into its time limit. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

/**
 * Runs git on a repository, or without one, to its end.
 * @returns undefined when there is no git.
 * @throws GitEnded when it was ended by its signal, its time limit or another process; what {@link startGit} throws.
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

/** The most that {@link runGit} takes, in characters. */
const maxOutput = 64 * 1024 * 1024;
const maxStderr = 1024 * 1024;
/** How long a git that was asked to end may take to clean up behind itself, in milliseconds. */
const killAfterMs = 2_000;
/** A storage may belong to another user than the one who runs this. No program of the repository's is run. */
const settings = ["safe.directory=*", "core.hooksPath=/dev/null", "core.fsmonitor=false"];

/**
 * The whole command line for git in a repository. git works inside the repository, so it stays with it when the folder
 * is moved, never comes to another one of the same name, and says nothing that holds a path of this machine.
 */
function argumentsFor(gitdir: string | undefined, args: readonly string[]): readonly string[] {
  if (gitdir === undefined) return args;
  if (unsafeConfiguration(gitdir).length > 0) {
    const why =
      "its repository has a git configuration that Skep does not run git with; skep verify names it";
    throw failure("content-invalid", `This Hive cannot be read by git: ${why}.`);
  }
  return [...settings.flatMap((one) => ["-c", one]), "-C", gitdir, "--git-dir", ".", ...args];
}

/** What ends the process groups that run. */
const groups = new Set<() => void>();
process.on("exit", () => {
  for (const kill of groups) kill();
});

/**
 * Starts git in a repository, or without one.
 * @returns undefined when there is no git.
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
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < maxStderr) said += text;
  });
  if (inBackground) yieldToOthers(pid);

  const kill = (name: NodeJS.Signals): void => {
    if (leadsGroup && pid !== undefined) killGroup(pid, name);
    else child.kill(name);
  };
  const killNow = (): void => kill("SIGKILL");
  let isOver = false;
  let patience: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (isOver || patience !== undefined) return;
    kill("SIGTERM");
    patience = setTimeout(killNow, killAfterMs);
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
      clearTimeout(patience);
      clearTimeout(limit);
      signal?.removeEventListener("abort", stop);
      groups.delete(killNow);
      resolve({ code, signal: endedBy, isLate, stderr: said });
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
  // One that succeeds although it was told to end has succeeded.
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
    // It has ended already, or the system does not let us.
  }
}
