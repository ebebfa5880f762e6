/** The time of a database, on this machine's monotonic clock. */

/** A difference that no clock drifts by between two questions. */
const stepMs = 1_000;

export class DatabaseClock {
  readonly #monotonic: () => number;
  readonly #stepped: (ms: number) => void;
  /**
   * The time of the database when the monotonic clock was at 0, as far as is known; before its first answer, this
   * machine's.
   */
  #base: number;
  #isMeasured = false;
  #last = -Infinity;

  /**
   * @param stepped is told when the database's clock was set, and by how much.
   * @param monotonic a clock in milliseconds that nobody can set.
   * @param machine this machine's time in milliseconds since 1970.
   */
  constructor(
    stepped: (ms: number) => void = () => {},
    monotonic: () => number = () => performance.now(),
    machine: () => number = Date.now,
  ) {
    this.#stepped = stepped;
    this.#monotonic = monotonic;
    this.#base = machine() - monotonic();
  }

  /** The time in milliseconds since 1970. It only decreases when the database's clock was set back. */
  now(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#monotonic() + this.#base));
    return this.#last;
  }

  /**
   * Takes over the database's time, as far as it contradicts what is known: an answer that took long says little.
   * @param time of the database, which it read between two times of the monotonic clock.
   */
  measured(time: number, sent: number, received: number): void {
    const [least, most] = [time - received, time - sent];
    const known = this.#isMeasured ? this.#base : (least + most) / 2;
    const base = Math.min(Math.max(known, least), most);
    const step = base - known;
    const isSet = !this.#isMeasured || Math.abs(step) >= stepMs;
    this.#base = base;
    // Small corrections let the time stand still instead. What must not go back at all, such as the dates of commits, is
    // compared with what it follows.
    if (isSet) this.#last = -Infinity;
    if (isSet && this.#isMeasured) this.#stepped(step);
    this.#isMeasured = true;
  }
}
