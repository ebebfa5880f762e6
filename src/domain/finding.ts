/** One thing that is wrong with a storage. */
export interface Finding {
  /** One line for people. */
  readonly problem: string;
  /** Mends it, and says what it did; undefined where that could lose something. */
  readonly repair?: () => Promise<string>;
}
