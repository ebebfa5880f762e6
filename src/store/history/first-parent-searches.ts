/** Searches over the first parents of a tip. Results are cached, so that the next search only looks at new commits. */
import type { Oid } from "../../domain/names.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { FirstParents } from "./commit-walk.ts";
import { SizedCache } from "../../disk/memory-budget.ts";

export interface SearchedCommits {
  readonly tip: Oid;
  readonly firstParents: FirstParents;
}

/** The results of a search, by the commits at which they were found. */
export type Found<T> = ReadonlyMap<Oid, readonly T[]>;

interface Search<T> {
  /** The tips whose first parents were searched, the last one first. */
  readonly tips: readonly Oid[];
  readonly found: Found<T>;
}

/** How many searched tips a search remembers. */
const maxTips = 8;
/** How many bytes the results of all searches may take, about. */
const maxBytes = 33_554_432;
/** About how many bytes a commit takes, and each result at it. */
const bytesPerCommit = 150;
const bytesPerItem = 250;

export class FirstParentSearches<T> {
  readonly #graph: CommitGraph;
  readonly searches = new SizedCache<Promise<Search<T>>>(maxBytes);

  constructor(graph: CommitGraph) {
    this.#graph = graph;
  }

  /**
   * The results of a search at some first parents.
   * @param name identifies the search: the same name must find the same results at the same commits.
   * @param search looks at the commits that were not searched before, which are the first parents of one another.
   * @throws what the search throws; a failure is not kept.
   */
  async find(
    name: string,
    at: SearchedCommits,
    search: (commits: FirstParents) => Promise<Found<T>>,
  ): Promise<Found<T>> {
    const searching = this.#continue(this.searches.get(name), at, search);
    this.searches.set(name, searching, { size: 1 });
    try {
      const { found } = await searching;
      if (this.searches.peek(name) === searching) this.#keep(name, searching, found);
      return found;
    } catch (error) {
      if (this.searches.peek(name) === searching) this.searches.delete(name);
      throw error;
    }
  }

  /** Gives a result its size, which was not known while it was searched. */
  #keep(name: string, searching: Promise<Search<T>>, found: Found<T>): void {
    let size = 1 + bytesPerCommit * found.size;
    for (const items of found.values()) size += bytesPerItem * items.length;
    this.searches.delete(name);
    this.searches.set(name, searching, { size });
  }

  async #continue(
    before: Promise<Search<T>> | undefined,
    { tip, firstParents }: SearchedCommits,
    search: (commits: FirstParents) => Promise<Found<T>>,
  ): Promise<Search<T>> {
    const known = await before?.catch(() => undefined);
    const tips = known?.tips ?? [];
    const start = Math.max(0, ...tips.map((searched) => this.#graph.shared(firstParents, searched)));
    if (known !== undefined && start === firstParents.length) return known;
    const found = new Map([...(known?.found ?? []), ...(await search(firstParents.slice(start)))]);
    return { tips: [tip, ...tips.filter((other) => other !== tip)].slice(0, maxTips), found };
  }
}
