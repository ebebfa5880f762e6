/** A process of the installed git whose output is read as it comes, and which ends when nobody reads on. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { isSystemError } from "../../disk/disk.ts";
import { gitEnvironment, spawnGit } from "./installed-git.ts";

export interface GitProcessOptions {
  /** What it reads; nothing if not given. */
  readonly input?: Uint8Array | string;
  /** What is in its environment besides the fixed part. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it, whatever it does. */
  readonly signal: AbortSignal;
}

/** How long a process that was told to end may take to clean up behind itself, in milliseconds. */
const lastWordsMs = 2_000;
const maxStderr = 4_096;

/**
 * Starts git in a repository and waits for the beginning of its output. It runs in a process group of its own: it
 * starts others, which must end with it, and a Ctrl-C at the server's terminal is not meant for it.
 * @returns its output, which ends the process when it is destroyed; undefined when there is no git.
 * @throws SkepError as {@link spawnGit}; Error when it fails without having said anything, or is ended before.
 */
export async function startGit(
  gitdir: string,
  args: readonly string[],
  { input = "", env = {}, signal }: GitProcessOptions,
): Promise<Readable | undefined> {
  signal.throwIfAborted();
  const child = spawnGit(gitdir, args, { env: { ...gitEnvironment, ...env }, leadsGroup: true });
  try {
    await once(child, "spawn");
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
  const { stdout: output, stderr, stdin } = child;
  endTogether(child, output, signal);
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(0, maxStderr)));
  // It need not read everything: one that ends early says why.
  stdin.on("error", () => {}).end(input);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  await once(output, "readable");
  if (output.readableLength === 0) {
    output.resume();
    const code = await closed;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${said.trim()}`);
  }
  return output;
}

/** Ends the output with the signal, and the process, with what it started, with the output. */
function endTogether(child: ChildProcess, output: Readable, signal: AbortSignal): void {
  const { pid } = child;
  if (pid === undefined) return;
  const kill = (name: NodeJS.Signals): void => {
    try {
      process.kill(-pid, name);
    } catch (error) {
      if (!isSystemError(error, "ESRCH")) throw error;
    }
  };
  const stop = (): void => void output.destroy(toError(signal.reason));
  signal.addEventListener("abort", stop, { once: true });
  child.on("error", () => {});
  output.on("error", () => {});
  output.once("close", () => {
    signal.removeEventListener("abort", stop);
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (output.readableEnded) return;
    kill("SIGTERM");
    const last = setTimeout(() => kill("SIGKILL"), lastWordsMs);
    child.once("close", () => clearTimeout(last));
  });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
