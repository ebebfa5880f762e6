/** Whoever wants to hear how long things took: a port, so that the store knows nothing of metrics. Calls are quick. */
export interface StoreObserver {
  /**
   * A lock was had, or was not had in time.
   * @param kind what is locked: a word of ours, never a name.
   */
  readonly lockWaited: (kind: string, ms: number) => void;
  /** A commit stands. @param ms how long making it took, from the plan on. */
  readonly committed: (ms: number) => void;
}
