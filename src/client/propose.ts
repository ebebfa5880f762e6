/** Proposes patterns for `skep init`: for the files of an app's tree that look like translations. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../domain/group-by.ts";
import type { FormatName } from "../domain/files/file-formats.ts";
import { formatOfPath } from "../formats/formats.ts";
import { recordOf } from "../formats/patch/json-tree.ts";
import { ClientError } from "./api/client-error.ts";
import type { FaultyFile } from "./faults.ts";
import type { HiveLocale } from "./api/hive-api.ts";
import { localesToAdd, planLocales, type OtherCode } from "./new-locales.ts";
import { findCandidates, home } from "./tree/candidates.ts";
import { withoutNames } from "./tree/named-messages.ts";
import { missingSource, noCode, sourceFinder, type Candidate } from "./tree/proposed-source.ts";
import { sourcesElsewhere } from "./tree/sources-elsewhere.ts";
import { sourceEvidence, type SourceEvidence } from "./tree/source-evidence.ts";
import { canonicalCode } from "./tree/language-code.ts";
import { parsePattern, wildcardPart } from "./tree/pattern.ts";
import type { FileEntry } from "./tree/schema.ts";
import { findTree } from "./tree/tree.ts";
import type { UnreadFiles } from "./tree/unread-files.ts";

/** An entry of `files` in `skep.yaml`, and what it finds. */
export interface ProposedPattern extends FileEntry {
  readonly sourceFiles: number;
  /** The codes of the other locales that have files. */
  readonly codes: readonly string[];
}

/** What is left out, and why. */
interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

export interface Proposal {
  /** The source locale, with the code that the app's files have for it. */
  readonly source: HiveLocale;
  /** What shows that it is the source locale. */
  readonly reason: string;
  readonly targets: readonly HiveLocale[];
  readonly patterns: readonly ProposedPattern[];
  /** Patterns that have files, but none of the source locale, and why they are left out. */
  readonly withoutSource: readonly LeftOut[];
  /** Files that cannot be read, which `exclude` names. */
  readonly excluded: readonly LeftOut[];
  /** Files of translations that Skep cannot offer. */
  readonly unread: readonly UnreadFiles[];
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
  const { candidates: found, unread } = await findCandidates(folder);
  const { code: chosen, reason } = await chooseSource(folder, found, source, ask);
  const groups = await withoutNames(folder, [...groupBy(found, ({ path }) => path)], chosen);
  const sourceOf = sourceFinder(groups, chosen);
  const isAlone = ([, own]: (typeof groups)[number]): boolean => own.length === 1;
  const elsewhere = await sourcesElsewhere(
    folder,
    new Map(groups.filter(([, own]) => sourceOf(own) === undefined)),
    groups.filter(isAlone).flatMap(([, own]) => sourceOf(own) ?? []),
  );
  const taken = new Set(elsewhere.values());
  const entries: FileEntry[] = [];
  const withoutSource: LeftOut[] = [];
  for (const [path, candidates] of groups.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const own = sourceOf(candidates);
    // It is the source of another pattern.
    if (own !== undefined && taken.has(own)) continue;
    const other = elsewhere.get(path);
    const first = other ?? own;
    if (first === undefined) {
      const isKeyed = (await hasTextsAsKeys(folder, candidates)) === true;
      const advice = `; its keys are the texts, so {} in ${path.replaceAll("{locale}", chosen)} is enough`;
      withoutSource.push({ path, reason: missingSource(path, chosen) + (isKeyed ? advice : "") });
      continue;
    }
    const ownSource = other?.file ?? (first.code === chosen ? undefined : first.source);
    entries.push({
      path,
      source: ownSource,
      name: nameBeside(entries, ownSource ?? path, path),
      format: await formatFor(folder, first, candidates),
      locales:
        ownSource === undefined && ![chosen, noCode].includes(first.code)
          ? { [chosen]: first.code }
          : undefined,
    });
  }
  const { fitting, left } = await withoutCollisions(folder, localeOf(chosen), entries);
  const proposed = await withLocales(folder, localeOf(chosen), fitting);
  return { ...proposed, reason, withoutSource: [...withoutSource, ...left], unread, excluded: [] };
}

function localeOf(code: string): HiveLocale {
  return { code, canonical: canonicalCode(code) ?? code };
}

/**
 * Reads patterns as a push does, all locales included. One whose files would have the names or paths of another's gets its
 * whole path for a name, or is left out.
 */
async function withoutCollisions(
  folder: string,
  source: HiveLocale,
  entries: readonly FileEntry[],
): Promise<{ readonly fitting: readonly FileEntry[]; readonly left: readonly LeftOut[] }> {
  if ((await collisionIn(folder, source, entries)) === undefined) return { fitting: entries, left: [] };
  const fitting: FileEntry[] = [];
  const left: LeftOut[] = [];
  for (const entry of entries) {
    const whole = { ...entry, name: entry.path.replaceAll("{locale}/", "") };
    const problem = await collisionIn(folder, source, [...fitting, entry]);
    if (problem === undefined) fitting.push(entry);
    else if ((await collisionIn(folder, source, [...fitting, whole])) === undefined) fitting.push(whole);
    else left.push({ path: entry.path, reason: problem });
  }
  return { fitting, left };
}

/** Why a push could not use patterns together. */
async function collisionIn(
  folder: string,
  source: HiveLocale,
  entries: readonly FileEntry[],
): Promise<string | undefined> {
  const config = { folder, path: folder, entries, exclude: [] };
  const known = { source, targets: [] };
  try {
    await findTree(config, { source, targets: await localesToAdd(config, known) });
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return error.message.replace(`${folder}: `, "").replaceAll(`${folder}/`, "");
  }
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
  const problem = `No file shows which locale the source texts are in (found: ${named}); name it with --source-locale.`;
  throw new ClientError("misuse", problem);
}

/** How many codes an error names. */
const maxNamed = 20;

async function withLocales(
  folder: string,
  source: HiveLocale,
  entries: readonly FileEntry[],
): Promise<Pick<Proposal, "source" | "targets" | "patterns" | "ambiguous">> {
  const known = { source, targets: [] };
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

/**
 * Leaves out the files that a push could not read: `exclude` names them, and a pattern without any other source file goes.
 * @param faults of the files of a proposal.
 */
export async function withoutFaulty(
  folder: string,
  proposal: Proposal,
  faults: readonly FaultyFile[],
): Promise<Proposal> {
  const paths = [...new Set(faults.map(({ path }) => path))];
  const unread = paths.map((path) => {
    const { message = "" } = faults.find((fault) => fault.path === path) ?? {};
    return { path, reason: message.slice(message.indexOf(path) + path.length + 1).trim() };
  });
  const excluded = unread.filter(({ path }) => isPattern(path));
  const config = {
    folder,
    path: folder,
    entries: proposal.patterns,
    exclude: excluded.map(({ path }) => path),
  };
  const { files } = await findTree(config, { source: proposal.source, targets: proposal.targets });
  const sound = files.filter(({ source }) => !paths.includes(source.path));
  const isLeft = ({ path }: FileEntry): boolean => sound.some(({ pattern }) => pattern === path);
  const gone = proposal.patterns.filter((pattern) => !isLeft(pattern));
  return {
    ...proposal,
    patterns: proposal.patterns.filter(isLeft),
    withoutSource: [
      ...proposal.withoutSource,
      ...gone.map(({ path }) => ({ path, reason: "none of its source files can be read" })),
    ],
    excluded,
  };
}

function isPattern(path: string): boolean {
  try {
    return parsePattern(path).text === path && !/[*{]/.test(path);
  } catch {
    return false;
  }
}

/**
 * The format of a file whose extension does not determine it: in Rails, YAML has the locale as its root, Docusaurus has
 * each message beside its description, and go-i18n had a list of messages with ids, as Hugo may have. In
 * Laravel's JSON the keys are the texts, of which the source file may lack some.
 */
async function formatFor(
  folder: string,
  { file, code: found }: Candidate,
  candidates: readonly Candidate[],
): Promise<FormatName | undefined> {
  const usual = formatOfPath(file)?.name;
  if (usual !== "yaml" && usual !== "json") return undefined;
  const text = await readFile(join(folder, file), "utf8");
  if (usual === "json") {
    const own = textsOfJson(text);
    const same = [...(own ?? [])].filter(([key, value]) => key === value).length;
    const isKeyed = own !== undefined && same * 2 >= own.size;
    const others = candidates.filter((other) => other.file !== file);
    return isKeyed && (await hasTextsAsKeys(folder, others, own)) === true
      ? "laravel-json"
      : formatOfJson(text);
  }
  if (/^(?:[ \t]*(?:#[^\n]*)?\r?\n|---[^\n]*\n)*-[ \t]+["']?(?:id|translation)["']?:/.test(text))
    return "go-i18n";
  const roots = Array.from(text.matchAll(/^["']?([^\s"'#:][^"':\n]*)["']?:/gm), ([, name]) => name);
  return roots.length === 1 && roots[0] === found ? "rails" : undefined;
}

/** How many files are read for their keys. */
const maxKeyed = 20;

/**
 * Whether the keys of JSON files are texts, and not names.
 * @param source only keys that it lacks count.
 * @returns undefined where there are no such files.
 */
async function hasTextsAsKeys(
  folder: string,
  candidates: readonly Candidate[],
  source: ReadonlyMap<string, string> = new Map(),
): Promise<boolean | undefined> {
  const keys = new Set<string>();
  for (const { file } of candidates.filter((one) => one.file.endsWith(".json")).slice(0, maxKeyed)) {
    const texts = textsOfJson(await readFile(join(folder, file), "utf8"));
    for (const key of texts?.keys() ?? []) if (!source.has(key)) keys.add(key);
  }
  if (keys.size === 0) return undefined;
  const texts = [...keys].filter((key) => /\S\s+\S/.test(key));
  return texts.length * 2 >= keys.size;
}

/** The texts of JSON without groups; undefined where it has anything else. */
function textsOfJson(text: string): ReadonlyMap<string, string> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const texts = new Map<string, string>();
  for (const [key, one] of Object.entries(value)) {
    if (typeof one !== "string") return undefined;
    texts.set(key, one);
  }
  return texts;
}

/** The format of JSON whose messages are objects. */
function formatOfJson(text: string): FormatName | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const messages = Object.values(recordOf(value)).map(recordOf);
  if (Array.isArray(value)) {
    const haveIds = messages.every(
      ({ id, translation }) => typeof id === "string" && translation !== undefined,
    );
    return haveIds && messages.length > 0 ? "go-i18n" : undefined;
  }
  const hasDescriptions =
    messages.some(({ description }) => description !== undefined) &&
    messages.every(
      ({ message, description, ...rest }) =>
        typeof message === "string" &&
        ["string", "undefined"].includes(typeof description) &&
        Object.keys(rest).length === 0,
    );
  return hasDescriptions ? "docusaurus" : undefined;
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
