/** What the server says about itself, for those who say it; {@link createServerLog} is where it goes. */

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  /** @param fields what belongs to the message; never a token or a body. */
  error(fields: LogFields, message: string): void;
}

/** An error as it is logged: with its stack, and the stacks of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${describeError(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
