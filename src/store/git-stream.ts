/** The installed git as a stream: fed while it runs and read while it writes, however much there is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { isSystemError } from "./disk.ts";
import { gitEnvironment } from "./installed-git.ts";

/**
 * Runs git on a repository with lines on its stdin; undefined when there is no git.
 * @returns what it writes, piece by piece; the stream throws when git fails.
 */
export type StreamGit = (
  gitdir: string,
  args: readonly string[],
  lines: Iterable<string>,
) => Promise<AsyncIterable<Buffer> | undefined>;

/** See {@link StreamGit}. */
export const streamGit: StreamGit = async (gitdir, args, lines) => {
  // Nobody's replacement of an object is believed.
  const all = ["--no-replace-objects", "-c", "safe.directory=*", "-C", gitdir, "--git-dir", ".", ...args];
  const child = spawn("git", all, {
    env: gitEnvironment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    if (isSystemError(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
  // A git that ends early says so by its exit code.
  child.stdin.on("error", () => {});
  Readable.from(chunked(lines)).pipe(child.stdin);
  return output();

  async function* output(): AsyncGenerator<Buffer> {
    const exit = once(child, "close");
    try {
      yield* child.stdout;
      const [code] = await exit;
      if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
    } finally {
      child.kill();
    }
  }
};

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
