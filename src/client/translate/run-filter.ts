/** Runs a command that reads lines and writes lines. Its output is bounded. */
import { spawn, type ChildProcess } from "node:child_process";
import { Readable } from "node:stream";

/** The most that one run may write: bytes of a line, bytes and lines of all. */
const maxLineBytes = 1024 * 1024;
const maxBytes = 32 * 1024 * 1024;
const maxLines = 20_000;
/** How many lines of its errors are passed on, and how much of each. */
const maxErrorLines = 50;
const maxErrorLength = 500;
/** How long a command has to end after it was asked to. */
const graceMs = 2_000;

export interface FilterCommand {
  readonly command: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onError: (line: string) => void;
}

export interface FilterRun {
  /** Its output; undefined for a line that is not UTF-8. */
  readonly lines: readonly (string | undefined)[];
  /** Why it failed, if it did. */
  readonly failure: string | undefined;
}

/** Runs a command once, with lines as its input. Never rejects. */
export async function runFilter(filter: FilterCommand, input: readonly string[]): Promise<FilterRun> {
  const { command, environment, folder, timeoutMs, signal, onError } = filter;
  if (signal?.aborted === true) return { lines: [], failure: "was stopped" };
  const { SKEP_TOKEN: _token, ...env } = environment;
  // A process group of its own, so that its child processes end with it.
  const child = spawn(command, { shell: true, cwd: folder, env, detached: process.platform !== "win32" });
  let failure: string | undefined;
  let killing: NodeJS.Timeout | undefined;
  const stop = (why: string): void => {
    failure ??= why;
    kill(child, "SIGTERM");
    killing ??= setTimeout(() => {
      kill(child, "SIGKILL");
      // Something that has left the group may hold these open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, graceMs);
  };
  const timeout = setTimeout(() => stop(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
  const onAbort = (): void => stop("was stopped");
  signal?.addEventListener("abort", onAbort);

  // It need not read its input to the end.
  child.stdin.on("error", () => {});
  Readable.from(input.map((line) => `${line}\n`)).pipe(child.stdin);
  const out = new LineSplitter(maxLineBytes);
  child.stdout.on("data", (chunk: Buffer) => {
    if (failure !== undefined) return;
    out.push(chunk);
    if (out.bytes > maxBytes || out.lines.length > maxLines || out.isTooLong)
      stop("wrote more than any answer can be");
  });
  const errors = new LineSplitter(maxErrorLength, true);
  let errorLines = 0;
  const passOn = (): void => {
    for (const line of errors.lines.splice(0)) {
      errorLines++;
      if (errorLines <= maxErrorLines && line !== undefined) onError(line);
    }
  };
  child.stderr.on("data", (chunk: Buffer) => {
    if (errorLines <= maxErrorLines) errors.push(chunk);
    passOn();
  });
  const ended = await new Promise<string | undefined>((resolve) => {
    child.on("error", ({ message }) => resolve(`cannot be started: ${message}`));
    // Processes that it has left behind must not delay the end.
    child.on("exit", () => kill(child, "SIGTERM"));
    child.on("close", (code, by) => {
      resolve(code === 0 ? undefined : code === null ? `was ended by ${by}` : `ended with exit code ${code}`);
    });
  });
  clearTimeout(timeout);
  clearTimeout(killing);
  signal?.removeEventListener("abort", onAbort);
  out.end();
  errors.end();
  passOn();
  return { lines: out.lines, failure: failure ?? ended };
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}

class LineSplitter {
  readonly lines: (string | undefined)[] = [];
  bytes = 0;
  /** Whether a line had more bytes than it may have. */
  isTooLong = false;
  readonly #max: number;
  readonly #isCut: boolean;
  #parts: Buffer[] = [];
  #size = 0;

  /** @param isCut whether longer lines are cut, and read as well as they can be. */
  constructor(max: number, isCut = false) {
    this.#max = max;
    this.#isCut = isCut;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  end(): void {
    if (this.#size > 0) this.lines.push(decoded(Buffer.concat(this.#parts), this.#isCut));
    this.#parts = [];
    this.#size = 0;
  }

  #add(part: Buffer): void {
    const room = this.#max - this.#size;
    if (part.length > room) this.isTooLong = true;
    if (room <= 0 || part.length === 0) return;
    this.#parts.push(part.subarray(0, room));
    this.#size += Math.min(part.length, room);
  }
}

function decoded(bytes: Buffer, isLoose: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: !isLoose }).decode(bytes);
  } catch {
    return undefined;
  }
}
