/** What runs beside a server until it is told to stop. */
export interface Background {
  /** Resolves when nothing is under way any more. */
  readonly stop: () => Promise<void>;
}
