/**
 * Bounds how often somebody may do something in a span of time: try to sign in, without letting a stranger lock others out,
 * or comment.
 */

const usualSpanMs = 15 * 60 * 1000;
/** How many failures each pair of a name and a place may have in that time, and how many each place. */
const maxOfName = 10;
const maxOfPlace = 100;
/** How many counts are kept. The oldest is forgotten for a new one, so that an attack cannot fill the memory. */
const maxCounts = 50_000;

interface Count {
  failures: number;
  readonly since: number;
}

/** Failures in this process. Every function gets the time in milliseconds since 1970. */
export class Attempts {
  readonly #counts = new Map<string, Count>();
  readonly #spanMs: number;
  readonly #maxOfPlace: number;

  constructor({ spanMs = usualSpanMs, ofPlace = maxOfPlace } = {}) {
    this.#spanMs = spanMs;
    this.#maxOfPlace = ofPlace;
  }

  /** Whether a count still holds. One from the future was made by a clock that was wrong. */
  #isRecent({ since }: Count, now: number): boolean {
    return since <= now && since + this.#spanMs > now;
  }

  /**
   * Counts an attempt as a failure before it is made, so that many at once are not more than one after the other.
   * @param name the id of a person, or a name for a form.
   * @param place where it comes from: a network, or a browser that is known to the name.
   * @param most how many failures the name may have at the place.
   * @returns a function that takes the failure back, because the attempt succeeded; or how many seconds to wait.
   */
  begin(name: string, place: string, now: number, most = maxOfName): (() => void) | number {
    const [ofName, ofPlace] = [JSON.stringify([place, name]), JSON.stringify([place])];
    const wait = Math.max(this.#wait(ofName, most, now), this.#wait(ofPlace, this.#maxOfPlace, now));
    if (wait > 0) return Math.ceil(wait / 1000);
    this.#add(ofName, now);
    const count = this.#add(ofPlace, now);
    return () => {
      this.#counts.delete(ofName);
      count.failures--;
    };
  }

  #wait(key: string, max: number, now: number): number {
    const count = this.#counts.get(key);
    return count === undefined || !this.#isRecent(count, now) || count.failures < max
      ? 0
      : count.since + this.#spanMs - now;
  }

  #add(key: string, now: number): Count {
    const known = this.#counts.get(key);
    if (known !== undefined && this.#isRecent(known, now)) {
      known.failures++;
      return known;
    }
    // A map keeps the order of insertion, so that its first count is the oldest.
    this.#counts.delete(key);
    const [oldest] = this.#counts.size < maxCounts ? [] : this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
    const count = { failures: 1, since: now };
    this.#counts.set(key, count);
    return count;
  }
}
