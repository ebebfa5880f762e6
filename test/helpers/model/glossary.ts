/** What the model knows of the glossary of a Hive and the styles of its locales, which all branches share. */
import { isDeepStrictEqual } from "node:util";

/** A term of the model, which is told from others by its spelling alone. */
export interface Term {
  readonly source: string;
  /** The French translation. */
  readonly text?: string;
}

/** What a commit leaves of both. */
export interface Glossary {
  /** By their identifiers. */
  readonly terms: Map<string, Term>;
  /** By locale. */
  readonly styles: Map<string, string>;
}

export function noGlossary(): Glossary {
  return { terms: new Map(), styles: new Map() };
}

export function isSameGlossary(a: Glossary, b: Glossary): boolean {
  return isDeepStrictEqual(a, b);
}

/** A glossary after a commit was taken back, and what that did. */
interface Back {
  readonly after: Glossary;
  readonly counts: { restored: number; updated: number; deleted: number };
  /** As `locale file key`. */
  readonly conflicts: readonly string[];
}

/**
 * What becomes of a glossary when the commit between two states of it is taken back.
 * @param hasLocale whether the Hive has a locale: it takes its style along.
 */
export function glossaryBack(
  { now, left, was }: Readonly<Record<"now" | "left" | "was", Glossary>>,
  hasLocale: (locale: string) => boolean,
): Back {
  const counts = { restored: 0, updated: 0, deleted: 0 };
  const after = structuredClone(now);
  const conflicts: string[] = [];
  const back = (name: "terms" | "styles", nameOf: (id: string) => string): void => {
    const maps: Map<string, unknown>[] = [now[name], left[name], was[name], after[name]];
    const [present, base, before, result] = maps;
    for (const id of new Set([...(base?.keys() ?? []), ...(before?.keys() ?? [])])) {
      const [is, then, old] = [present?.get(id), base?.get(id), before?.get(id)];
      if (isDeepStrictEqual(then, old) || isDeepStrictEqual(is, old)) continue;
      const isBarred = name === "terms" ? is === undefined && isSpelled(now, old) : !hasLocale(id);
      if (!isDeepStrictEqual(is, then) || (old !== undefined && isBarred)) {
        conflicts.push(nameOf(id));
        continue;
      }
      if (old === undefined) result?.delete(id);
      else result?.set(id, old);
      counts[old === undefined ? "deleted" : is === undefined ? "restored" : "updated"]++;
    }
  };
  back("terms", (id) => `en glossary.json ${id}`);
  back("styles", (locale) => `${locale} style/${locale}.md `);
  return { after, counts, conflicts };
}

/** Whether there is another term of the same spelling. */
function isSpelled({ terms }: Glossary, term: unknown): boolean {
  return [...terms.values()].some(({ source }) => source === Object(term).source);
}
