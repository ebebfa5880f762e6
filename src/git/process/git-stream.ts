/** The installed git as a stream: fed while it runs and read while it writes, however much there is. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { isFailure } from "../../domain/errors.ts";
import { isSystemError } from "../../disk/disk.ts";
import { spawnSilentGit, type SilentGit } from "./installed-git.ts";

/**
 * Runs git on a repository with lines on its stdin; undefined when there is no git, or the repository's configuration
 * is not known to be harmless.
 * @param signal ends git, and then the stream throws its reason.
 * @returns what it writes, piece by piece; the stream throws when git fails.
 */
export type StreamGit = (
  gitdir: string,
  args: readonly string[],
  lines: Iterable<string>,
  signal?: AbortSignal,
) => Promise<AsyncIterable<Buffer> | undefined>;

/** See {@link StreamGit}. */
export const streamGit: StreamGit = async (gitdir, args, lines, signal) => {
  signal?.throwIfAborted();
  const child = await startGit(gitdir, args);
  if (child === undefined) return undefined;
  // A git that ends early says so by its exit code.
  child.stdin.on("error", () => {});
  Readable.from(chunked(lines)).pipe(child.stdin);
  return outputOf(child, `git ${args[0]}`, signal);
};

async function* outputOf(
  child: SilentGit,
  what: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const exit = once(child, "close");
  const stop = (): void => void child.kill();
  signal?.addEventListener("abort", stop);
  try {
    signal?.throwIfAborted();
    yield* child.stdout;
    const [code] = await exit;
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`${what} ended with ${code}`);
  } finally {
    signal?.removeEventListener("abort", stop);
    child.kill();
  }
}

async function startGit(gitdir: string, args: readonly string[]): Promise<SilentGit | undefined> {
  try {
    const child = spawnSilentGit(gitdir, args);
    await once(child, "spawn");
    return child;
  } catch (error) {
    if (isSystemError(error, "ENOENT", "EACCES") || isFailure(error, "content-invalid")) return undefined;
    throw error;
  }
}

function* chunked(lines: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** Cuts a stream into the texts that its NULs end. */
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
