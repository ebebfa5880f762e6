/** The source files of translations that lie in another folder than these: `ui/i18n/en.json` for `resources/i18n/fr.json`. */
import { formatOfPath } from "../../formats/formats.ts";
import { noCode, type Candidate } from "./proposed-source.ts";
import { textsIn } from "./source-evidence.ts";

/** How much of the keys of a translation its source file must have, and how many at least. */
const leastShare = 0.5;
const leastKeys = 3;

/**
 * Finds the source file of patterns that have none, among those that nothing is translated of: by the keys that it shares
 * with a translation. Where several do, none is taken.
 * @param orphans the candidates of the patterns without a source file, by their paths.
 * @param alone the source files without a translation.
 * @returns the source file of each pattern that has one.
 */
export async function sourcesElsewhere(
  folder: string,
  orphans: ReadonlyMap<string, readonly Candidate[]>,
  alone: readonly Candidate[],
): Promise<ReadonlyMap<string, Candidate>> {
  const found = new Map<string, Candidate>();
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  const keysOf = ({ file, code }: Candidate): Promise<ReadonlySet<string>> => {
    const keys = known.get(file) ?? textsIn(folder, file, code).then((texts) => new Set(texts?.keys()));
    known.set(file, keys);
    return keys;
  };
  for (const [path, candidates] of orphans) {
    const [first] = candidates;
    const codes = new Set(candidates.map(({ code }) => code));
    if (first === undefined || path.includes("*") || codes.size < 2 || codes.has(noCode)) continue;
    const format = formatOfPath(first.file);
    const keys = await keysOf(first);
    const fitting: Candidate[] = [];
    for (const source of alone) {
      if (formatOfPath(source.file) !== format) continue;
      const own = await keysOf(source);
      const shared = [...keys].filter((key) => own.has(key)).length;
      if (shared >= leastKeys && shared >= leastShare * keys.size) fitting.push(source);
    }
    const [source] = fitting;
    if (source !== undefined && fitting.length === 1) found.set(path, source);
  }
  return found;
}
