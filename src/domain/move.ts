/** Moves of source strings: a string gets another key or another file, and keeps its translations. */
import type { FileName } from "./names.ts";

export interface StringAddress {
  readonly file: FileName;
  readonly key: string;
}

/** A move of one string. All moves of a list are made at the same time: chains and swaps need no order. */
export interface Move {
  readonly from: StringAddress;
  readonly to: StringAddress;
}

/** Whether two addresses are of one string. */
export function isSameAddress(a: StringAddress, b: StringAddress): boolean {
  return a.file === b.file && a.key === b.key;
}

export class AddressMap<T> {
  readonly #files = new Map<FileName, Map<string, T>>();

  get({ file, key }: StringAddress): T | undefined {
    return this.#files.get(file)?.get(key);
  }

  has({ file, key }: StringAddress): boolean {
    return this.#files.get(file)?.has(key) === true;
  }

  set({ file, key }: StringAddress, value: T): this {
    const keys = this.#files.get(file) ?? new Map<string, T>();
    this.#files.set(file, keys.set(key, value));
    return this;
  }

  delete({ file, key }: StringAddress): void {
    this.#files.get(file)?.delete(key);
  }

  deleteFile(file: FileName): void {
    this.#files.delete(file);
  }

  /** What is known of the keys of one file. */
  of(file: FileName): ReadonlyMap<string, T> {
    return this.#files.get(file) ?? new Map<string, T>();
  }

  /** The files with at least one place that was ever set. */
  get files(): Iterable<FileName> {
    return this.#files.keys();
  }
}

/** Where the translations of moved strings go. */
export interface TranslationMoves {
  readonly to: AddressMap<StringAddress>;
  readonly from: AddressMap<StringAddress>;
  /** All addresses of both: what is stored there belongs to moved strings now, or to none. */
  readonly cleared: AddressMap<true>;
}

/** The moves that take strings back, in the same order. */
export function reversed(moves: readonly Move[]): readonly Move[] {
  return moves.map(({ from, to }) => ({ from: to, to: from }));
}

/**
 * Some moves, and later ones, as one list of moves: from where a string was before all of them to where it is after
 * all. A string that came to a place after another had been moved away from it is not taken for that one; a string that
 * is back where it was has not moved.
 */
export function composeMoves(first: readonly Move[], later: readonly Move[]): readonly Move[] {
  if (first.length === 0) return later;
  const next = new AddressMap<StringAddress>();
  const taken = new AddressMap<true>();
  for (const { from, to } of later) {
    next.set(from, to);
    taken.set(to, true);
  }
  const vacated = new AddressMap<true>();
  const reached = new AddressMap<true>();
  const composed: Move[] = [];
  for (const { from, to } of first) {
    vacated.set(from, true);
    reached.set(to, true);
    const last = next.get(to) ?? to;
    // A string at whose place another one arrives has been deleted in between.
    const isLeft = next.has(to) || !taken.has(to);
    if (isLeft && !isSameAddress(from, last)) composed.push({ from, to: last });
  }
  for (const move of later) if (!vacated.has(move.from) && !reached.has(move.from)) composed.push(move);
  return composed;
}
