/** Where a command prints, and where it sets its exit code. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable } from "node:stream";

interface TextStream {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  /** The width of the terminal. */
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

/** The output of the command that is running. */
export function output(): Output {
  return given.getStore() ?? process;
}

/** Runs a command with an output. The real process needs no async context, which would slow down every promise. */
export function withOutput<T>(to: Output, run: () => Promise<T>): Promise<T> {
  return to === process ? run() : given.run(to, run);
}
