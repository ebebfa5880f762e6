/** Where a command runs, and how it tells people what it does. */

export interface CommandContext {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Called with notices for people, which are not part of the result. */
  readonly warn: (message: string) => void;
  /** Called with the name of a long step while it is running. */
  readonly progress: (message: string) => void;
}
