/** A fault that a verification finds in a storage. */
export interface StorageFault {
  /** A description in one line. */
  readonly problem: string;
  /** Repairs it and describes the repair; undefined if a repair could lose something. */
  readonly repair?: () => Promise<string>;
}
