/** A small file that can be made again: it is replaced as a whole, and always by what was to be written last. */
import type { DurableFs } from "./durable-fs.ts";

export class CacheFile {
  readonly #fs: DurableFs;
  readonly #path: string;
  /** Makes the text that is to be written after the one that is being written. */
  #next: (() => string) | undefined;
  #isWriting = false;

  constructor(fs: DurableFs, path: string) {
    this.#fs = fs;
    this.#path = path;
  }

  /** Its text, parsed; undefined when there is none that can be parsed. */
  async read<T>(parse: (value: unknown) => T): Promise<T | undefined> {
    try {
      return parse(JSON.parse((await this.#fs.readText(this.#path)) ?? ""));
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces its text, after what is being written already. A failure is ignored: it only costs time at the next start.
   * @param make is not called when another text follows at once.
   */
  async write(make: () => string): Promise<void> {
    this.#next = make;
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      for (let text = this.#take(); text !== undefined; text = this.#take()) {
        await this.#fs.writeCache(this.#path, text);
      }
    } catch {
      // The next start makes it again.
    } finally {
      this.#isWriting = false;
    }
  }

  #take(): string | undefined {
    const text = this.#next?.();
    this.#next = undefined;
    return text;
  }
}
