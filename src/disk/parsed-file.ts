/** A small file that is read often; it is read and parsed again only when it may have changed. */
import { basename, dirname } from "node:path";
import { failure, type SkepError } from "../domain/errors.ts";
import type { Disk } from "./disk.ts";
import { WatchedFile } from "./watched-file.ts";

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
