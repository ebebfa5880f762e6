/** A task that runs in the background of a server. */
export interface Background {
  /** Stops it; resolves when nothing of it is running any more. */
  readonly stop: () => Promise<void>;
}
