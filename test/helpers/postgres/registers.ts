/** Registers that one client each writes, and any number read: what these saw must be possible at one place and time. */

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Read extends Span {
  readonly version: number;
}

/** The versions that were written and read, in the order of one clock. */
export class Registers {
  readonly #now: () => number;
  readonly #writes = new Map<string, Span[]>();
  readonly #reads = new Map<string, Read[]>();

  /** @param now a clock that all who write and read share. */
  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Writes the next version of a register, counted from 1. @param write ends when it is acknowledged. */
  async write(name: string, write: (version: number) => Promise<void>): Promise<void> {
    const writes = this.#writes.get(name) ?? [];
    this.#writes.set(name, writes);
    const span = { start: this.#now(), end: Infinity };
    writes.push(span);
    await write(writes.length);
    span.end = this.#now();
  }

  /**
   * Reads the registers whose names begin so.
   * @param read gives their versions; what it leaves out has none, and undefined is a read that failed.
   */
  async read(prefix: string, read: () => Promise<ReadonlyMap<string, number> | undefined>): Promise<void> {
    const start = this.#now();
    const found = await read();
    const end = this.#now();
    if (found === undefined) return;
    for (const name of this.#writes.keys()) {
      if (!name.startsWith(prefix)) continue;
      const reads = this.#reads.get(name) ?? [];
      this.#reads.set(name, reads);
      reads.push({ start, end, version: found.get(name) ?? 0 });
    }
  }

  /** The reads that no order of the writes explains. */
  problems(): readonly string[] {
    return [...this.#reads].flatMap(([name, reads]) => {
      const writes = this.#writes.get(name) ?? [];
      const byEnd = reads.toSorted((a, b) => a.end - b.end);
      let [ended, seen] = [0, 0];
      return reads
        .toSorted((a, b) => a.start - b.start)
        .flatMap(({ start, end, version }) => {
          for (let one = byEnd[ended]; one !== undefined && one.end < start; one = byEnd[++ended])
            seen = Math.max(seen, one.version);
          const acknowledged = writes.filter((write) => write.end < start).length;
          const begun = writes.filter((write) => write.start < end).length;
          const least = Math.max(seen, acknowledged);
          return version >= least && version <= begun
            ? []
            : [`${name}: version ${version} was read where ${least} to ${begun} is possible`];
        });
    });
  }
}
