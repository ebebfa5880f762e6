/** A small file that other processes may replace; it is read again only when it may have changed. */
import { currentTick } from "../ticks.ts";
import { readTextNow, statNow, type Disk, type DiskStats } from "./disk.ts";
import { basename, dirname } from "node:path";
import { failure, type SkepError } from "../domain/errors.ts";

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

export class ParsedFile<T> {
  readonly #file: WatchedFile;
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #last: { readonly text: string; readonly value: T } | undefined;

  constructor(disk: Disk, path: string, parse: (text: string) => T) {
    this.#file = new WatchedFile(disk, path);
    this.#path = path;
    this.#parse = parse;
  }

  /**
   * What the file holds now; undefined when there is none.
   * @throws SkepError `content-invalid` when it cannot be parsed.
   */
  read(): T | undefined {
    return this.#toValue(this.#file.read());
  }

  /** As {@link read}, but shared by the requests of one tick of the event loop: see {@link WatchedFile.recent}. */
  recent(): T | undefined {
    return this.#toValue(this.#file.recent());
  }

  /** To be called after the file was replaced: {@link recent} then checks it again in the same tick. */
  invalidate(): void {
    this.#file.invalidate();
  }

  #toValue(text: string | undefined): T | undefined {
    if (text === undefined) return undefined;
    if (this.#last?.text === text) return this.#last.value;
    try {
      const value = this.#parse(text);
      this.#last = { text, value };
      return value;
    } catch (cause) {
      throw invalidFile(`${basename(dirname(this.#path))}/${basename(this.#path)}`, cause);
    }
  }
}

/** The error for a file that cannot be parsed. @param path in the storage. @param cause says why. */
export function invalidFile(path: string, cause: unknown): SkepError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return failure("content-invalid", `The settings file ${path} is invalid: ${why}.`, { cause });
}
