/** Proposes patterns for `skep init`: for the files of an app's tree that look like translations. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../domain/group-by.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveLocale } from "./api/hive-api.ts";
import { planLocales, type OtherCode } from "./new-locales.ts";
import { findCandidates, home } from "./tree/candidates.ts";
import { missingSource, noCode, sourceFinder, type Candidate } from "./tree/proposed-source.ts";
import { sourceEvidence, type SourceEvidence } from "./tree/source-evidence.ts";
import { canonicalCode } from "./tree/language-code.ts";
import { parsePattern, wildcardPart } from "./tree/pattern.ts";
import type { FileEntry } from "./tree/schema.ts";
import { findTree } from "./tree/tree.ts";

/** An entry of `files` in `skep.yaml`, and what it finds. */
export interface ProposedPattern extends FileEntry {
  readonly sourceFiles: number;
  /** The codes of the other locales that have files. */
  readonly codes: readonly string[];
}

export interface Proposal {
  /** The source locale, with the code that the app's files have for it. */
  readonly source: HiveLocale;
  /** What shows that it is the source locale. */
  readonly reason: string;
  readonly targets: readonly HiveLocale[];
  readonly patterns: readonly ProposedPattern[];
  /** Patterns that have files, but none of the source locale, and why they are left out. */
  readonly withoutSource: readonly { readonly path: string; readonly reason: string }[];
  /** Codes that the Hive cannot tell from another one. */
  readonly ambiguous: readonly OtherCode[];
}

/**
 * Looks for files of translations.
 * @param source the source locale if it is known; what the files show if not.
 * @param ask is asked for the source locale where nothing shows it, with the codes that were found.
 * @throws ClientError `misuse` when the source locale is not known.
 */
export async function proposePatterns(
  folder: string,
  source?: string,
  ask?: (codes: readonly string[]) => Promise<string | undefined>,
): Promise<Proposal> {
  const found = await findCandidates(folder);
  const groups = [...groupBy(found, ({ path }) => path)];
  const { code: chosen, reason } = await chooseSource(folder, found, source, ask);
  const sourceOf = sourceFinder(groups, chosen);
  const entries: FileEntry[] = [];
  const withoutSource: { readonly path: string; readonly reason: string }[] = [];
  for (const [path, candidates] of groups.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const first = sourceOf(candidates);
    if (first === undefined) {
      withoutSource.push({ path, reason: missingSource(path, chosen) });
      continue;
    }
    const ownSource = first.code === chosen ? undefined : first.source;
    entries.push({
      path,
      source: ownSource,
      name: nameBeside(entries, ownSource ?? path, path),
      format: await formatFor(folder, first),
      locales:
        ownSource === undefined && ![chosen, noCode].includes(first.code)
          ? { [chosen]: first.code }
          : undefined,
    });
  }
  return { ...(await withLocales(folder, chosen, entries)), reason, withoutSource };
}

/** @throws ClientError `misuse` as {@link proposePatterns} does. */
async function chooseSource(
  folder: string,
  found: readonly Candidate[],
  given: string | undefined,
  ask: (codes: readonly string[]) => Promise<string | undefined> = async () => undefined,
): Promise<SourceEvidence> {
  if (given !== undefined) return { code: given, reason: "it was given" };
  if (found.length === 0) return { code: "en", reason: "nothing was found" };
  const evidence = await sourceEvidence(folder, found);
  if (evidence !== undefined) return evidence;
  const codes = [...new Set(found.map(({ code }) => code))].filter((code) => code !== noCode).toSorted();
  const answer = await ask(codes);
  if (answer !== undefined && canonicalCode(answer) !== undefined)
    return { code: answer, reason: "it was given" };
  const named = codes.slice(0, maxNamed).join(", ") + (codes.length > maxNamed ? ", …" : "");
  const problem = `No file shows which locale the source texts are in (found: ${named}); name it with --source.`;
  throw new ClientError("misuse", problem);
}

/** How many codes an error names. */
const maxNamed = 20;

async function withLocales(
  folder: string,
  source: string,
  entries: readonly FileEntry[],
): Promise<Omit<Proposal, "withoutSource" | "reason">> {
  const known = { source: { code: source, canonical: canonicalCode(source) ?? source }, targets: [] };
  const tree = await findTree({ folder, path: folder, entries, exclude: [] }, known);
  const { missing, otherCodes, ambiguous } = planLocales(tree, known);
  const patterns = entries.map((entry): ProposedPattern => {
    const own = otherCodes.filter(({ pattern }) => pattern === entry.path);
    const locales = {
      ...entry.locales,
      ...Object.fromEntries(own.map(({ locale, code }) => [locale, code])),
    };
    return {
      ...entry,
      locales: Object.keys(locales).length === 0 ? undefined : locales,
      sourceFiles: tree.files.filter(({ pattern }) => pattern === entry.path).length,
      codes: tree.foreign
        .flatMap(({ pattern, code: found }) => (pattern === entry.path ? found : []))
        .toSorted(),
    };
  });
  return { source: known.source, targets: missing, patterns, ambiguous };
}

/** The format of a file whose extension does not determine it: in Rails, YAML has the locale as its root. */
async function formatFor(folder: string, { file, code: found }: Candidate): Promise<string | undefined> {
  if (!/\.ya?ml$/.test(file)) return undefined;
  const text = await readFile(join(folder, file), "utf8");
  const roots = Array.from(text.matchAll(/^["']?([^\s"'#:][^"':\n]*)["']?:/gm), ([, name]) => name);
  return roots.length === 1 && roots[0] === found ? "rails" : undefined;
}

/** A name in the Hive for files that would otherwise have the names of another pattern's files. */
function nameBeside(entries: readonly FileEntry[], source: string, path: string): string | undefined {
  const taken = new Set(entries.map((other) => bare(other.name ?? usualName(other.source ?? other.path))));
  if (!taken.has(bare(usualName(source)))) return undefined;
  const names = path.split("/").filter((name) => name !== "{locale}");
  const short = names.filter((name) => !home.test(name)).join("/");
  return taken.has(bare(short)) ? names.join("/") : short;
}

/** What `**` matches may be no folder at all. */
function bare(name: string): string {
  return name.replaceAll("**/", "");
}

function usualName(pattern: string): string {
  return wildcardPart(parsePattern(pattern)).text;
}
