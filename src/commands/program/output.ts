/** Where a command prints, and where it sets its exit code. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable } from "node:stream";

interface TextStream {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The members of `process` that a command uses. */
export interface Output {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** The source of answers to questions. */
  readonly stdin?: Readable & { readonly isTTY?: boolean };
  /** Set by a command that could not do everything. */
  exitCode?: number | string | null;
}

const given = new AsyncLocalStorage<Output>();

/** Where the command that runs now prints to: what {@link withOutput} gave it, or the process. */
export function output(): Output {
  return given.getStore() ?? process;
}

/** Runs a command with an output. The real process needs no async context, which would slow down every promise. */
export function withOutput<T>(to: Output, run: () => Promise<T>): Promise<T> {
  return to === process ? run() : given.run(to, run);
}

const written = new WeakSet<Output>();

/** Writes a part of the result on stdout. */
export function writeResult(text: string): void {
  const to = output();
  written.add(to);
  to.stdout.write(text);
}

/** Whether a command has written a part of its result, after which an error is told on stderr alone. */
export function hasResult(of: Output): boolean {
  return written.has(of);
}

const endings = new WeakMap<Output, (() => Promise<void>)[]>();

/** Has a function run when the command that is running has ended, however that is. */
export function atEnd(run: () => Promise<void>): void {
  const all = endings.get(output()) ?? [];
  endings.set(output(), [...all, run]);
}

/** Runs what is to run at the end of a command, whose output this is. */
export async function endCommand(of: Output): Promise<void> {
  for (const run of endings.get(of) ?? []) await run();
  endings.delete(of);
}
