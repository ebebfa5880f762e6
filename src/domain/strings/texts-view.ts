/** Texts by key that are not stored in a Map of their own. */
export abstract class TextsView implements ReadonlyMap<string, string> {
  abstract readonly size: number;

  abstract get(key: string): string | undefined;

  abstract entries(): MapIterator<[string, string]>;

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<string> {
    for (const [, text] of this.entries()) yield text;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(visit: (text: string, key: string, texts: ReadonlyMap<string, string>) => void): void {
    for (const [key, text] of this.entries()) visit(text, key, this);
  }
}
