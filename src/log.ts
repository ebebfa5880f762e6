/** What the server says about itself: one JSON object a line, on stderr. */

export interface Log {
  /** @param fields what belongs to the message; never a token or a body. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** A log to stderr. */
export function createLog(): Log {
  return {
    error: (fields, message) => {
      const line = { level: "error", time: new Date().toISOString(), message, ...fields };
      process.stderr.write(`${JSON.stringify(line)}\n`);
    },
  };
}

/** An error as it is logged: with its stack, and those of what caused it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${describeError(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
