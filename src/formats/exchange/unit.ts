/** The texts that an agency gets and gives back, with their files and keys. */
import type { AppNote } from "../../domain/notes/note.ts";
import { textProblem } from "../../domain/text.ts";
import { FormatError } from "../format.ts";

/** What a tool says of a translation: a person approved it, it is finished, or somebody has to look at it. */
export type TextState = "approved" | "translated" | "review";

/** A text that is sent out to be translated, or with its translation. */
export interface ExchangeUnit {
  /** The Hive's file. */
  readonly file: string;
  readonly key: string;
  readonly source: string;
  readonly translation?: string;
  /** `waiting` for a review; `approved` if it has nothing to wait for. */
  readonly state: "missing" | "stale" | "waiting" | "approved";
  /** What is said about the text, for the translator; also the source text that a stale translation was made for. */
  readonly notes?: readonly string[];
  /** Places in the app's code. */
  readonly where?: readonly string[];
}

/** The units to write: at least one, since a valid XLIFF document is not empty. */
export interface ExchangeDocument {
  readonly sourceLocale: string;
  readonly targetLocale: string;
  readonly units: readonly ExchangeUnit[];
}

export interface ReceivedUnit {
  readonly file: string;
  readonly key: string;
  readonly source?: string;
  /** Never empty. */
  readonly translation?: string;
  /** Undefined where the file says nothing of it. */
  readonly state?: TextState;
  /** What the file says about the text. */
  readonly about?: AppNote;
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
}

export interface RefusedUnit {
  readonly file: string;
  readonly key: string;
  readonly line: number;
  /** A sentence without its subject: `has the inline element <g>, whose text is not in the file`. */
  readonly reason: string;
}

export interface ReceivedDocument {
  /** The locales that the file names; a CSV file names none. */
  readonly sourceLocale?: string;
  readonly targetLocale?: string;
  /** In the order of the file; each file and key once. */
  readonly units: readonly ReceivedUnit[];
  readonly refused: readonly RefusedUnit[];
}

/** Collects the units of a file, and refuses two different translations of one key. */
export class UnitCollector {
  readonly #units = new Map<string, ReceivedUnit>();
  readonly #refused: RefusedUnit[] = [];

  add(unit: ReceivedUnit): void {
    const problem = textProblem(unit.translation ?? "");
    if (problem !== undefined) this.refuse(unit, problem);
    const id = JSON.stringify([unit.file, unit.key]);
    const present = this.#units.get(id);
    if (present === undefined || present.translation === undefined) this.#units.set(id, unit);
    else if (unit.translation !== undefined && unit.translation !== present.translation) {
      this.refuse(unit, `has another translation on line ${present.line}`);
    }
  }

  refuse({ file, key, line }: Omit<RefusedUnit, "reason">, reason: string): void {
    this.#refused.push({ file, key, line, reason });
  }

  end(locales: Pick<ReceivedDocument, "sourceLocale" | "targetLocale"> = {}): ReceivedDocument {
    const refused = new Set(this.#refused.map(({ file, key }) => JSON.stringify([file, key])));
    const units = [...this.#units].filter(([id]) => !refused.has(id)).map(([, unit]) => unit);
    return { ...locales, units, refused: this.#refused };
  }
}

/**
 * Decodes a file by its byte order mark, else as the encoding given.
 * @throws FormatError when the bytes are not in that encoding, or the encoding is unknown.
 */
export function decodeText(bytes: Uint8Array, fallback = "utf-8"): string {
  const [first, second] = bytes;
  let encoding = fallback;
  if (first === 0xff && second === 0xfe) encoding = "utf-16le";
  else if (first === 0xfe && second === 0xff) encoding = "utf-16be";
  else if (first === 0xef && second === 0xbb) encoding = "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const message = error instanceof RangeError ? "has an unknown encoding" : "is not valid text";
    throw new FormatError(`${message} (${encoding}); save it as UTF-8`, undefined, { cause: error });
  }
}
