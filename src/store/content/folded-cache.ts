/** Keeps what is made of texts as long as these are in memory: making it takes longer than using it. */
import type { Evictable, MemoryBudget } from "../../disk/memory-budget.ts";
import type { FoldedTexts } from "../../domain/strings/folded-texts.ts";
import {
  foldSource,
  foldTranslation,
  type FoldedFiles,
  type FoldedSource,
} from "../../domain/queries/string-search.ts";
import type { StringFile, Texts } from "../../domain/strings/string-file.ts";
import { TextIndex } from "../../domain/memory/text-index.ts";

interface FoldedTranslation {
  readonly source: FoldedSource;
  readonly texts: FoldedTexts;
}

/** Counts what is kept with texts that are in memory. */
abstract class TextCache implements Evictable {
  readonly #memory: MemoryBudget;
  #bytes = 0;

  /** @param memory bounds it, with all else in memory. */
  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** Of all that was made since the last eviction, whether its texts are in memory still or not. */
  get bytes(): number {
    return this.#bytes;
  }

  evict(): void {
    this.#bytes = 0;
  }

  protected added(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.use(this);
  }
}

/** Folded texts, as long as their files are in memory. */
export class FoldedCache extends TextCache implements FoldedFiles {
  #sources = new WeakMap<StringFile, FoldedSource>();
  #translations = new WeakMap<Texts, FoldedTranslation>();

  override evict(): void {
    super.evict();
    this.#sources = new WeakMap();
    this.#translations = new WeakMap();
  }

  ofSource(strings: StringFile): FoldedSource {
    const kept = this.#sources.get(strings);
    if (kept !== undefined) return kept;
    const folded = foldSource(strings);
    this.#sources.set(strings, folded);
    this.added(folded.foldedKeys.bytes + folded.texts.bytes);
    return folded;
  }

  ofTranslation(strings: StringFile, texts: Texts): FoldedTexts {
    const source = this.ofSource(strings);
    const kept = this.#translations.get(texts);
    if (kept?.source === source) return kept.texts;
    const folded = foldTranslation(source, texts);
    this.#translations.set(texts, { source, texts: folded });
    this.added(folded.bytes);
    return folded;
  }
}

/** Indexes of texts, as long as the texts are in memory. A commit that changes a file gives it new texts. */
export class TextIndexCache extends TextCache {
  #indexes = new WeakMap<Texts, TextIndex | Promise<TextIndex>>();

  override evict(): void {
    super.evict();
    this.#indexes = new WeakMap();
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
    const index = await TextIndex.of(texts);
    this.#indexes.set(texts, index);
    this.added(index.bytes);
    return index;
  }
}
