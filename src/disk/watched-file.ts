/** A small file that other processes replace, read again only when it may have changed. */
import { isSystemError, type Disk, type DiskStats } from "./disk.ts";
import { currentTurn } from "./turn.ts";

/**
 * A stat younger than this is not trusted: within one tick of the file system's clock a file can be replaced twice
 * and look the same.
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
  /** The turn in which {@link recent} looked. */
  #turn = -1;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The text of the file as it is now; undefined when there is none. Usually one stat. */
  read(): string | undefined {
    const stats = this.#disk.statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (this.#last?.trusted === true && isSame(this.#last.stats, stats)) return this.#last.text;
    const text = stats === undefined ? undefined : this.#readText();
    this.#last = { stats, text, trusted: stats === undefined || isOld(stats) };
    return text;
  }

  /** As {@link read}, but looks only once in a turn of the event loop: for requests, which can only have come before. */
  recent(): string | undefined {
    const turn = currentTurn();
    if (this.#turn === turn) return this.#last?.text;
    // A look that fails is none.
    const text = this.read();
    this.#turn = turn;
    return text;
  }

  /** Says that the file was just replaced: also {@link recent} looks at it again. */
  lookAgain(): void {
    this.#turn = -1;
  }

  #readText(): string | undefined {
    try {
      return Buffer.from(this.#disk.readFileSync(this.#path)).toString("utf8");
    } catch (error) {
      if (isSystemError(error, "ENOENT")) return undefined;
      throw error;
    }
  }
}

function isSame(a: DiskStats | undefined, b: DiskStats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size;
}

function isOld(stats: DiskStats): boolean {
  const changed = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
  return BigInt(Date.now()) * 1_000_000n - changed > trustedAgeNs;
}
