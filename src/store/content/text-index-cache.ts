/** Keeps the indexes of texts that translation memory has looked through: making them takes longer than using them. */
import type { Evictable, MemoryBudget } from "../../disk/memory-budget.ts";
import { TextIndex } from "../../domain/memory/text-index.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { inSlices } from "../../slices.ts";

/** Indexes of texts, as long as the texts are in memory. A commit that changes a file gives it new texts. */
export class TextIndexCache implements Evictable {
  readonly #memory: MemoryBudget;
  #indexes = new WeakMap<Texts, TextIndex | Promise<TextIndex>>();
  #bytes = 0;

  /** @param memory bounds them, with all else in memory. */
  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** Of all indexes that were made since the last eviction, whether they are in memory still or not. */
  get bytes(): number {
    return this.#bytes;
  }

  evict(): void {
    this.#indexes = new WeakMap();
    this.#bytes = 0;
  }

  /** The index of some texts, which all callers share; a promise while it is made. */
  of(texts: Texts): TextIndex | Promise<TextIndex> {
    const known = this.#indexes.get(texts);
    if (known !== undefined) return known;
    const making = this.#make(texts);
    this.#indexes.set(texts, making);
    return making;
  }

  async #make(texts: Texts): Promise<TextIndex> {
    const index = await inSlices(TextIndex.of(texts));
    this.#indexes.set(texts, index);
    this.#bytes += index.bytes;
    this.#memory.use(this);
    return index;
  }
}
