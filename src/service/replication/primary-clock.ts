/** The time of day of a primary, on a follower whose own clock may be wrong. */
export class PrimaryClock {
  /** What is added to the monotonic clock. */
  #offset: number | undefined;

  /** In milliseconds since 1970; by this machine's clock until the primary was heard of. */
  readonly now = (): number =>
    this.#offset === undefined ? Date.now() : Math.round(this.#offset + performance.now());

  /** @param now what the primary says, just now. */
  set(now: number): void {
    this.#offset = now - performance.now();
  }
}
