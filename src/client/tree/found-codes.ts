/** Finds the locales of a tree that the Hive does not have: files beside a source file under another code. */
import type { Entry } from "./entry.ts";
import { escapeExpression, fillPattern, type Captures } from "./pattern.ts";
import type { Listings } from "./walk.ts";

/** A code in the paths of files. */
export interface FoundCode {
  /** The path of its entry in `skep.yaml`. */
  readonly pattern: string;
  readonly code: string;
  /** The BCP 47 code of the locale. */
  readonly canonical: string;
  /** The code that these files have for that locale by their format, whatever the Hive calls it. */
  readonly ofFormat: string | undefined;
}

/** Stands for the code in a path; no path has it. */
const mark = "\0";

interface FoundOptions {
  /** What the wildcards matched of each source file. */
  readonly captured: readonly Captures[];
  /** The codes of the Hive's locales in these files. */
  readonly known: readonly string[];
  readonly isExcluded: (path: string) => boolean;
}

/** Finds codes that have a file beside a source file. */
export async function findCodes(
  listings: Listings,
  entry: Entry,
  { captured, known, isExcluded }: FoundOptions,
): Promise<readonly FoundCode[]> {
  const codes = new Map<string, string>();
  for (const captures of captured) {
    const path = fillPattern(entry.path, captures, mark);
    const names = path.split("/");
    const at = names.findIndex((name) => name.includes(mark));
    const folder = names.slice(0, at).join("/");
    if (folder !== "" && (await listings.isLinked(folder))) continue;
    const [before = "", ...after] = (names[at] ?? "").split(mark).map(escapeExpression);
    const expression = new RegExp(String.raw`^${before}(.+)${after.join(String.raw`\1`)}$`, "u");
    for (const [name, found] of await listings.read(folder === "" ? "" : `${folder}/`)) {
      if (found.isSymbolicLink()) continue;
      const [, code] = expression.exec(name) ?? [];
      if (code === undefined || known.includes(code) || codes.has(code)) continue;
      const canonical = entry.canonicalOf(code);
      if (canonical === undefined) continue;
      const file = path.replaceAll(mark, code);
      if (isExcluded(file) || (await listings.isLinked(file))) continue;
      if ((await listings.entry(file))?.isFile() === true) codes.set(code, canonical);
    }
  }
  return Array.from(codes, ([code, canonical]) => toFoundCode(entry, code, canonical));
}

function toFoundCode(entry: Entry, code: string, canonical: string): FoundCode {
  return { pattern: entry.entry.path, code, canonical, ofFormat: entry.format?.localeCode?.(canonical) };
}

/** Finds codes that are in the files themselves, of a format whose files hold all locales. */
export function foundInFiles(
  entry: Entry,
  codes: Iterable<string>,
  known: readonly string[],
): readonly FoundCode[] {
  return [...new Set(codes)].flatMap((code) => {
    const canonical = known.includes(code) ? undefined : entry.canonicalOf(code);
    return canonical === undefined ? [] : toFoundCode(entry, code, canonical);
  });
}
