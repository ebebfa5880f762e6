/** The order of a source file, whose groups are objects: these have names that are integers first, wherever they stand. */
import { groupsOf } from "./flattened-keys.ts";
import { isList, type Group, type Texts } from "./string-file.ts";

export class SourceOrder {
  readonly #texts: Pick<Texts, "keys"> | undefined;
  #ranks: ReadonlyMap<string, number> | undefined;

  /** @param texts of the source file in its order; without them it is the one that the groups have. */
  constructor(texts: Pick<Texts, "keys"> | undefined) {
    this.#texts = texts;
  }

  /** The names in a group in the order of the file. @param prefix of the flattened keys of the group. */
  namesIn(group: Group, prefix: string): readonly string[] {
    const names = Object.keys(group);
    const [first] = names;
    if (this.#texts === undefined || isList(group) || first === undefined || !isInteger(first)) return names;
    this.#ranks ??= ranksOf(this.#texts.keys());
    const ranks = this.#ranks;
    const rankOf = (name: string): number => {
      const inner = group[name];
      return ranks.get(prefix + (typeof inner === "string" ? name : `${name}.`)) ?? ranks.size;
    };
    const ranked = names.map((name) => [name, rankOf(name)] as const);
    return ranked.toSorted(([, a], [, b]) => a - b).map(([name]) => name);
  }
}

/** Whether a name may be one that objects have first; a longer one that they have in its place does no harm. */
function isInteger(name: string): boolean {
  return /^[0-9]+$/.test(name);
}

/** The places of texts by their keys, and of groups, which stand where their first text does, by their prefixes. */
function ranksOf(keys: Iterable<string>): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const key of keys) {
    for (const group of groupsOf(key)) if (!ranks.has(`${group}.`)) ranks.set(`${group}.`, ranks.size);
    ranks.set(key, ranks.size);
  }
  return ranks;
}
