/** The line of progress of long work on a storage. */
import type { OnStep } from "../../service/operations/verify.ts";
import { commandContext } from "../client/client-command.ts";

interface Progress {
  /** Shows what begins now, on a terminal. */
  readonly onStep: OnStep;
  /** Clears the line, before another one is printed. */
  readonly clear: () => void;
}

/** Runs long work, and clears its line at the end. @param isQuiet whether none is shown. */
export async function withProgress<T>(isQuiet: boolean, run: (progress: Progress) => Promise<T>): Promise<T> {
  const { context, clear } = commandContext(isQuiet);
  try {
    return await run({ onStep: context.progress, clear });
  } finally {
    clear();
  }
}
