/** The folder and environment of a command, and how it talks to people. */

import type { ClientError } from "./api/client-error.ts";

export interface CommandContext {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Called with each file that cannot be read while the command goes on. */
  readonly fault: (error: ClientError) => void;
  /** Called with notices for people, which are not part of the result. */
  readonly warn: (message: string) => void;
  /** Called with the name of a long step while it is running. */
  readonly progress: (message: string) => void;
}
