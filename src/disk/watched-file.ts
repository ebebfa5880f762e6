/** A small file that other processes may replace; it is read again only when it may have changed. */
import { currentTick } from "../ticks.ts";
import { readTextNow, statNow, type Disk, type DiskStats } from "./disk.ts";

/**
 * The stats of a file that was changed more recently than this are not trusted: within one tick of the file system's
 * clock a file can be replaced twice with equal stats.
 */
const trustedAgeNs = 50_000_000n;

interface Reading {
  readonly stats: DiskStats | undefined;
  readonly text: string | undefined;
  readonly trusted: boolean;
}

export class WatchedFile {
  readonly #disk: Disk;
  readonly #path: string;
  #last: Reading | undefined;
  /** The tick of the event loop in which {@link recent} last read the file. */
  #checkedIn = -1;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The current text of the file; undefined when there is none. Usually this takes one stat. */
  read(): string | undefined {
    const stats = statNow(this.#disk, this.#path);
    if (this.#last?.trusted === true && isSameFile(this.#last.stats, stats)) return this.#last.text;
    const text = stats === undefined ? undefined : readTextNow(this.#disk, this.#path);
    this.#last = { stats, text, trusted: canTrust(stats) };
    return text;
  }

  /** As {@link read}, but checks the file only once per tick of the event loop; see {@link beginPollPhase}. */
  recent(): string | undefined {
    const tick = currentTick();
    if (this.#checkedIn === tick) return this.#last?.text;
    // Set after the read: a check that fails does not count.
    const text = this.read();
    this.#checkedIn = tick;
    return text;
  }

  /** To be called after the file was replaced: {@link recent} then checks it again in the same tick. */
  invalidate(): void {
    this.#checkedIn = -1;
  }
}

/** Whether stats of one path, read at two times, are of the same file with the same content. */
export function isSameFile(a: DiskStats | undefined, b: DiskStats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size;
}

/** Whether a later change of the file is sure to change these stats, which were read just now. */
export function canTrust(stats: DiskStats | undefined): boolean {
  if (stats === undefined) return true;
  const changed = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
  return BigInt(Date.now()) * 1_000_000n - changed > trustedAgeNs;
}
