/** Notes when Hives have changed, and tells when they have been quiet for long enough. What it notes may be lost. */

/** What has not changed for this long is quiet. */
export const quietMs = 1_000;
/** What changes all the time counts as quiet after this long. */
const maxDelayMs = 10_000;

interface Change {
  /** What was there then; undefined after a commit, until somebody looks. */
  readonly version: string | undefined;
  readonly first: number;
  readonly last: number;
}

/** @template Key what changes. */
export class QuietChanges<Key extends string> {
  readonly #now: () => number;
  readonly #changes = new Map<Key, Change>();

  /** @param now the time in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a commit. */
  committed(key: Key): void {
    const first = this.#changes.get(key)?.first ?? this.#now();
    this.#changes.set(key, { version: undefined, first, last: this.#now() });
  }

  /** When a change counts as quiet, if nothing changes any more. @param version what is there now. */
  quietAt(key: Key, version: string): number {
    const now = this.#now();
    const noted = this.#changes.get(key);
    // A clock that was set back must not extend the wait.
    const known = noted !== undefined && noted.last <= now ? noted : undefined;
    const isNew = known === undefined || (known.version !== undefined && known.version !== version);
    const change = { version, first: known?.first ?? now, last: isNew ? now : known.last };
    this.#changes.set(key, change);
    return Math.min(change.last + quietMs, change.first + maxDelayMs);
  }

  /** Forgets a change: those from now on belong to another one. */
  delete(key: Key): void {
    this.#changes.delete(key);
  }

  keys(): Iterable<Key> {
    return this.#changes.keys();
  }
}
