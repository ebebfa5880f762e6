/** Streams the output of the installed git. */
import { once } from "node:events";
import type { Readable } from "node:stream";
import { unlessInvalid } from "../../domain/errors.ts";
import { gitEnvironment, startGit, type GitProcess } from "./installed-git.ts";

/**
 * Runs git on a repository with lines on its stdin.
 * @param signal stops git; the stream then throws its reason.
 * @returns its output, which throws when git fails; undefined when git is not installed, or the repository's
 * configuration is not known to be harmless.
 */
export type StreamGit = (
  gitdir: string,
  args: readonly string[],
  lines: readonly string[],
  signal?: AbortSignal,
) => Promise<AsyncIterable<Buffer> | undefined>;

/** See {@link StreamGit}. */
export const streamGit: StreamGit = async (gitdir, args, lines, signal) => {
  const git = await unlessInvalid(startGit(gitdir, args, { signal }));
  if (git === undefined) return undefined;
  git.stdin.end(lines.map((line) => `${line}\n`).join(""));
  return outputOf(git, `git ${args[0]}`, signal);
};

async function* outputOf(
  { stdout, ended, stop }: GitProcess,
  what: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  try {
    yield* stdout;
    const { code } = await ended;
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`${what} ended with ${code}`);
  } finally {
    stop();
  }
}

export interface OpenGitOptions {
  /** Its standard input; empty by default. */
  readonly input?: Uint8Array | string;
  /** Environment variables besides {@link gitEnvironment}. */
  readonly env?: Readonly<Record<string, string>>;
  /** Stops it at any time. */
  readonly signal: AbortSignal;
}

/**
 * Starts git in a repository, as the leader of a process group, and waits for the beginning of its output. When git
 * fails later, the output only ends, and git's protocol has to tell the client.
 * @returns its output, which stops the process when it is destroyed; undefined when git is not installed.
 * @throws what {@link startGit} throws; Error when git fails before its first output; the signal's reason.
 */
export async function openGit(
  gitdir: string,
  args: readonly string[],
  { input = "", env = {}, signal }: OpenGitOptions,
): Promise<Readable | undefined> {
  const git = await startGit(gitdir, args, { env: { ...gitEnvironment, ...env }, leadsGroup: true, signal });
  if (git === undefined) return undefined;
  const { stdin, stdout: output, ended, stop } = git;
  const abort = (): void => void output.destroy(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  output.on("error", () => {});
  output.once("close", () => {
    signal.removeEventListener("abort", abort);
    if (!output.readableEnded) stop();
  });
  stdin.end(input);
  await once(output, "readable");
  if (output.readableLength === 0) {
    output.resume();
    const { code, stderr } = await ended;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${stderr.trim()}`);
  }
  return output;
}

/** Splits a stream at NUL bytes. */
export async function* splitAtNul(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const piece of stream) {
    let start = 0;
    for (let end = piece.indexOf(0); end !== -1; end = piece.indexOf(0, start)) {
      const last = piece.subarray(start, end);
      yield rest.length === 0 ? last : Buffer.concat([...rest, last]);
      rest = [];
      start = end + 1;
    }
    if (start < piece.length) rest.push(piece.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
