/** Keeps the folded texts of files that have been searched: folding takes longer than searching. */
import type { Evictable, MemoryBudget } from "../../disk/memory-budget.ts";
import type { FoldedTexts } from "../../domain/strings/folded-texts.ts";
import {
  foldSource,
  foldTranslation,
  type FoldedFiles,
  type FoldedSource,
} from "../../domain/strings/string-search.ts";
import type { StringFile, Texts } from "../../domain/strings/string-file.ts";

interface FoldedTranslation {
  readonly source: FoldedSource;
  readonly texts: FoldedTexts;
}

/** Folded texts, as long as their files are in memory. */
export class FoldedCache implements FoldedFiles, Evictable {
  readonly #memory: MemoryBudget;
  #sources = new WeakMap<StringFile, FoldedSource>();
  #translations = new WeakMap<Texts, FoldedTranslation>();
  #bytes = 0;

  /** @param memory bounds them, with all else in memory. */
  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** Of all that was folded since the last eviction, whether it is in memory still or not. */
  get bytes(): number {
    return this.#bytes;
  }

  evict(): void {
    this.#sources = new WeakMap();
    this.#translations = new WeakMap();
    this.#bytes = 0;
  }

  ofSource(strings: StringFile): FoldedSource {
    const kept = this.#sources.get(strings);
    if (kept !== undefined) return kept;
    const folded = foldSource(strings);
    this.#sources.set(strings, folded);
    this.#added(folded.foldedKeys.bytes + folded.texts.bytes);
    return folded;
  }

  ofTranslation(strings: StringFile, texts: Texts): FoldedTexts {
    const source = this.ofSource(strings);
    const kept = this.#translations.get(texts);
    if (kept?.source === source) return kept.texts;
    const folded = foldTranslation(source, texts);
    this.#translations.set(texts, { source, texts: folded });
    this.#added(folded.bytes);
    return folded;
  }

  #added(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.use(this);
  }
}
