/** Where a command prints, and how it says that it failed. */
import { AsyncLocalStorage } from "node:async_hooks";

interface TextStream {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
}

/** What a command needs of its process: `process` itself has it. */
export interface Output {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Set by a command that did not do all that it was asked for. */
  exitCode?: number | string | null | undefined;
}

const given = new AsyncLocalStorage<Output>();

/** The output of the command that is under way. */
export function output(): Output {
  return given.getStore() ?? process;
}

/** Runs a command with an output. A process that is one command goes without the bookkeeping, which slows promises down. */
export function withOutput<T>(to: Output, run: () => Promise<T>): Promise<T> {
  return to === process ? run() : given.run(to, run);
}
