/** A problem of a storage. */
export interface Finding {
  /** A description in one line. */
  readonly problem: string;
  /** Mends it and describes what it did; undefined if that could lose something. */
  readonly repair?: () => Promise<string>;
}
