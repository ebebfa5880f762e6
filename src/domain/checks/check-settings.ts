/** The settings of a Hive's checks: how strict they are, and the syntax of each file. */
import { append } from "../group-by.ts";
import { invalid } from "../errors.ts";
import { excerpt } from "../text.ts";
import { isSyntaxName, syntaxNames, type SyntaxName } from "./syntax-names.ts";
import { withoutEquivalents } from "./message.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

/** Nothing is checked, findings are told, or writes that bring errors are refused. */
export const checkLevels = ["off", "warn", "refuse"] as const;
export type CheckLevel = (typeof checkLevels)[number];

export interface SyntaxRule {
  /** A pattern: `*` stands for any characters of one name, `**` for any folders. Without a slash it matches in any folder. */
  readonly files: string;
  readonly syntax: SyntaxName;
}

export interface CheckSettings {
  readonly level: CheckLevel;
  /** The last rule that matches a file counts. */
  readonly syntax: readonly SyntaxRule[];
}

export const defaultChecks: CheckSettings = { level: "warn", syntax: [] };

/** As many rules as one Hive may have, and as long as a pattern may be. */
export const maxRules = 100;
export const maxPatternLength = 200;

/** Parses one rule. @param field names it in errors. @throws SkepError `invalid` on the field. */
export function toSyntaxRule(files: string, syntax: string, field: string): SyntaxRule {
  if (files === "" || files.length > maxPatternLength || /[\p{C}\\]|\*{3}/u.test(files)) {
    throw invalid(field, `"${excerpt(files)}" is not a pattern such as *.json or admin/**/*.php`);
  }
  if (isSyntaxName(syntax)) return { files, syntax };
  throw invalid(field, `"${excerpt(syntax)}" is not a syntax: it must be one of ${syntaxNames.join(", ")}`);
}

/** Whether a file is meant by a pattern of a rule: with a slash by its whole name, else by its last part. */
export function matchesPattern(pattern: string, file: string): boolean {
  return pattern.includes("/")
    ? matches(pattern, file)
    : matches(pattern, file.slice(file.lastIndexOf("/") + 1));
}

/** Follows all ways to match at once, so that many stars take no longer than a few. */
function matches(pattern: string, name: string): boolean {
  const tokens = pattern.match(/\*\*\/?|\*|[^*]/gu) ?? [];
  let states = closure(new Set([0]), tokens);
  for (const character of name) {
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state] ?? "";
      if (token.startsWith("**") || (token === "*" && character !== "/")) next.add(state);
      if (token === "**/" && character === "/") next.add(state + 1);
      if (token === character) next.add(state + 1);
    }
    states = closure(next, tokens);
  }
  return states.has(tokens.length);
}

/** The states that are reached without a character: a star may match none. */
function closure(states: Set<number>, tokens: readonly string[]): Set<number> {
  for (const state of states) if (tokens[state]?.startsWith("*") === true) states.add(state + 1);
  return states;
}

interface SourceTexts {
  readonly texts: ReadonlyMap<string, string>;
}

/** By the file: it is asked for each of its texts. */
const known = moduleCache(
  new WeakCache<SourceTexts, SyntaxRule & { readonly rules: readonly SyntaxRule[] }>(),
);

/** The syntax of a file: by the last rule that matches, else as its texts show it. */
export function syntaxOf({ syntax: rules }: CheckSettings, name: string, file: SourceTexts): SyntaxName {
  const last = known.get(file);
  if (last?.files === name && last.rules === rules) return last.syntax;
  const rule = rules.findLast(({ files }) => matchesPattern(files, name));
  const { syntax } = rule ?? guessSyntax(name, file.texts.values());
  known.set(file, { files: name, rules, syntax });
  return syntax;
}

/**
 * Rules for files that no rule matches, so that their syntax stays as it is when texts change: one for each ending, and
 * more for folders and files that are of another program. They belong before all others, which match what is special.
 * Where nothing shows a syntax, there is no rule yet.
 */
export function proposedRules(
  settings: CheckSettings,
  files: ReadonlyMap<string, SourceTexts>,
): readonly SyntaxRule[] {
  return explainedRules(settings, files).flatMap(({ files: pattern, syntax, reason }) =>
    reason === undefined ? [] : [{ files: pattern, syntax }],
  );
}

/** A rule that is proposed, and the ending or the text that shows its syntax. */
export interface ExplainedRule extends SyntaxRule {
  readonly reason?: string;
}

/** Rules for all endings, also for those whose texts show no syntax, which have the syntax `text` and no reason. */
export function explainedRules(
  { syntax: rules }: CheckSettings,
  files: ReadonlyMap<string, SourceTexts>,
): readonly ExplainedRule[] {
  const byEnding = new Map<string, NamedFile[]>();
  for (const [name, { texts }] of files) {
    if (rules.some((rule) => matchesPattern(rule.files, name))) continue;
    const dot = name.lastIndexOf(".");
    const ending = dot > name.lastIndexOf("/") ? name.slice(dot) : "";
    if (ending === "" || ending.length >= maxPatternLength) continue;
    append(byEnding, ending, { name, texts });
  }
  const proposed: ExplainedRule[] = [];
  for (const [ending, own] of byEnding) {
    if (ending.includes("*")) continue;
    const { syntax, reason } = guessSyntax(ending, allOf(own));
    proposed.push({ files: `*${ending}`, syntax, reason }, ...exceptions(ending, syntax, own));
  }
  return proposed;
}

interface NamedFile extends SourceTexts {
  readonly name: string;
}

function* allOf(files: readonly SourceTexts[]): Generator<string> {
  for (const { texts } of files) yield* texts.values();
}

/** Files of one ending that need more rules than this mix syntaxes without an order. */
const maxExceptions = 20;
/** As many texts of an ending are read for them. */
const maxTextsOfFiles = 20_000;

/** Rules for the folders and files of an ending whose texts are of another syntax than most. */
function exceptions(
  ending: string,
  usual: SyntaxName,
  files: readonly NamedFile[],
): readonly ExplainedRule[] {
  const own = signsOf(ending);
  if (own === undefined || usual === "text" || files.length < 2) return [];
  const guesses = new Map<string, SyntaxGuess>();
  /** What the files of a folder, also in folders below it, show. */
  const inFolder = new Map<string, Set<SyntaxName>>();
  let left = maxTextsOfFiles;
  for (const { name, texts } of files) {
    left -= Math.min(texts.size, maxTexts);
    const guess = left < 0 ? undefined : ownSyntax(usual, votesIn(own, texts.values(), maxTexts));
    if (guess === undefined) continue;
    guesses.set(name, guess);
    for (const folder of foldersOf(name))
      inFolder.set(folder, (inFolder.get(folder) ?? new Set()).add(guess.syntax));
  }
  const rules = new Map<string, ExplainedRule>();
  for (const [name, guess] of guesses) {
    if (guess.syntax === usual) continue;
    const folder = foldersOf(name).find((one) => inFolder.get(one)?.size === 1);
    const pattern = folder === undefined ? name : `${folder}/**/*${ending}`;
    if (!rules.has(pattern)) rules.set(pattern, { ...guess, files: pattern });
  }
  // A name without a folder is matched in all folders, and the last rule counts.
  const sorted = [...rules.values()].toSorted(
    (a, b) => Number(a.files.includes("/")) - Number(b.files.includes("/")),
  );
  const wrong = Array.from(guesses).flatMap(([name, { syntax }]): ExplainedRule[] => {
    const rule = sorted.findLast((one) => matchesPattern(one.files, name));
    return rule === undefined || rule.syntax === syntax ? [] : [{ files: name, syntax, reason: "its texts" }];
  });
  const all = [...sorted, ...wrong];
  return all.length > maxExceptions || !all.every((rule) => isPattern(rule.files)) ? [] : all;
}

/** Whether a pattern made of names means these alone. */
function isPattern(pattern: string): boolean {
  const names = pattern.replace("/**/*", "/");
  return pattern.length <= maxPatternLength && !/[\p{C}\\*]/u.test(names);
}

/** The folders that a file is in, the outermost first. */
function foldersOf(name: string): readonly string[] {
  const names = name.split("/").slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}

/** As many texts of one file as show that it has another syntax than the others. */
const minShown = 2;

/** Syntaxes that have an argument in the same braces: a file with such arguments alone is of each of them. */
const bracedAlike: ReadonlySet<SyntaxName> = new Set(["icu", "brace", "java"]);

/**
 * The syntax of a file among others of its ending; undefined where nothing shows it.
 * @param usual the syntax of most of these. It stays unless the file has nothing of it, and several texts of another. A word
 * behind a colon alone, as in `:smile:`, is no sign of Laravel in a file of another program.
 */
function ownSyntax(usual: SyntaxName, votes: Votes): SyntaxGuess | undefined {
  const guess = elected(votes);
  const { syntax } = guess;
  if (votes.has(usual) || (bracedAlike.has(syntax) && bracedAlike.has(usual))) return { syntax: usual };
  const isSure = syntax !== "laravel" && (votes.get(syntax)?.count ?? 0) >= minShown;
  return isSure ? guess : undefined;
}

/** Endings of which all files have one syntax. */
const byEnding: readonly (readonly [ending: string, syntax: SyntaxName])[] = [
  [".arb", "flutter"],
  [".ftl", "fluent"],
  [".php", "laravel"],
  [".po", "printf"],
  [".pot", "printf"],
  [".strings", "printf"],
  [".stringsdict", "printf"],
  [".ts", "qt"],
  [".xcstrings", "printf"],
  [".xml", "android"],
];

/** What shows a syntax in a text, the surest first. Elements `<x>`, and in XLIFF 2 such with `equiv`, are of Angular, whose plurals are ICU's. */
const signs: readonly (readonly [syntax: SyntaxName, sign: RegExp])[] = [
  [
    "icu",
    /\{\s*\w+\s*,\s*(?:plural|select|selectordinal|number|date|time)\s*[,}]|<x id="|<p[hc] id="[^"]*" equiv/,
  ],
  ["i18next", /\{\{[^{}]+\}\}|\$t\(/],
  ["rails", /%\{\w+\}|%<\w+>/],
  ["symfony", /(?<![\w%])%[a-z_][\w.]*%(?![\w%])/i],
  ["printf", /%(?:\d+\$)?(?:\(\w+\))?[+-]?\d*(?:\.\d+)?l{0,2}[sdif@u](?!\p{L})/u],
  // Arguments are counted from 1, or from 0: what has none of these is an address, such as a%26b.
  ["qt", /(?<![\d%])%L?[01](?![\d$.@]|\p{L})/u],
  ["chrome", /\$[A-Za-z_@][\w@]*\$/],
  ["brace", /\{[\w.]+\}/],
  ["laravel", /(?:^|[\s"'([>]):[a-z]\w+(?![\w:])/],
];

/** What shows a syntax in Java's files, before what shows one elsewhere. */
const javaSigns: typeof signs = [
  ["icu", /\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,/],
  ["java", /\{\d+[,}]/],
];

/** What shows a syntax in files with the name that those of browser extensions have: elsewhere `$5` is a price. */
const chromeSigns: typeof signs = [["chrome", /\$[A-Za-z_@][\w@]*\$|(?<![\w$])\$[1-9](?![\d.,])/]];

/** What shows a syntax in gettext's files, which is that of C otherwise: Lingui has ICU messages and tags by number. */
const gettextSigns: typeof signs = [
  ["icu", /<\d+\/?>/],
  ...signs.filter(([syntax]) => ["icu", "printf", "qt", "brace"].includes(syntax)),
];

/** What shows a syntax in files of PHP, which are Laravel's otherwise: Symfony's catalogs have arguments between signs. */
const phpSigns: typeof signs = signs.filter(([syntax]) => ["symfony", "laravel"].includes(syntax));

/** Endings of several programs, one of which is the usual one. */
const signsByEnding: readonly (readonly [ending: string, own: typeof signs])[] = [
  [".po", gettextSigns],
  [".pot", gettextSigns],
  [".php", phpSigns],
];

/** Whether any of them may be in a text: there are nine, and most texts have none. */
const maySign = /[{%:$]|<x |<p[hc] |<\d/;

/** As many texts of a file as show its syntax. */
const maxTexts = 2_000;

/** The first text that was written for Flutter's option `use-escaping`: nobody else doubles apostrophes, or quotes a brace. */
function escapedIn(texts: Iterable<string>): string | undefined {
  let read = 0;
  for (const text of texts) {
    if (++read > maxTexts) break;
    if (text.length < 10_000 && /''|'[{}]'/.test(text)) return text;
  }
  return undefined;
}

interface SyntaxGuess {
  readonly syntax: SyntaxName;
  /** Why, for a person: an ending, or a text that shows it; undefined where nothing shows any syntax. */
  readonly reason?: string;
}

/**
 * Proposes a file's syntax. Where its texts show several, a message of ICU decides unless more texts are of a syntax that has
 * nothing of it, else the syntax of most texts.
 * @param file its name in the Hive.
 */
export function guessSyntax(file: string, texts: Iterable<string>): SyntaxGuess {
  const lower = file.toLowerCase();
  const sure = byEnding.find(([ending]) => lower.endsWith(ending));
  if (sure !== undefined) {
    const escaped = sure[1] === "flutter" ? escapedIn(texts) : undefined;
    if (escaped !== undefined) return { syntax: "flutter-escaped", reason: escaped };
    const usual = { syntax: sure[1], reason: `files ending in ${sure[0]}` };
    const own = signsOf(file);
    const shown = own && elected(votesIn(own, texts, maxTexts));
    return shown === undefined || shown.syntax === "text" || shown.syntax === usual.syntax ? usual : shown;
  }
  return elected(votesIn(signsOf(file) ?? signs, texts, maxTexts));
}

/** What shows the syntax of a file; undefined where its ending alone does. */
function signsOf(file: string): typeof signs | undefined {
  const lower = file.toLowerCase();
  const several = signsByEnding.find(([ending]) => lower.endsWith(ending));
  if (several !== undefined) return several[1];
  if (byEnding.some(([ending]) => lower.endsWith(ending))) return undefined;
  if (lower.endsWith(".properties")) return [...javaSigns, ...signs];
  return /(?:^|\/)messages\.json$/.test(lower) ? [...chromeSigns, ...signs] : signs;
}

/** The syntaxes whose texts have nothing of ICU messages; an argument in braces may be one of them. */
const rivals = ["i18next", "printf"] as const;

type Votes = ReadonlyMap<SyntaxName, { readonly count: number; readonly example: string }>;

/** How many texts show each syntax, by the first sign that each of them has. @param limit how many texts are read. */
function votesIn(own: typeof signs, texts: Iterable<string>, limit: number): Votes {
  const votes = new Map<SyntaxName, { count: number; example: string }>();
  let read = 0;
  for (const text of texts) {
    if (++read > limit) break;
    if (text.length >= 10_000 || !maySign.test(text)) continue;
    // What ICU messages quote is no argument of theirs, and no sign of another syntax.
    const shape = withoutEquivalents(text).replaceAll(/'\{[^']*'/g, " ");
    const shown = own.find(([, sign]) => sign.test(shape))?.[0];
    if (shown === undefined) continue;
    const vote = votes.get(shown) ?? { count: 0, example: text };
    vote.count++;
    votes.set(shown, vote);
  }
  return votes;
}

/** The syntax that most texts show. */
function elected(votes: Votes): SyntaxGuess {
  const icu = votes.get("icu");
  const [syntax, vote] =
    icu !== undefined && rivals.every((rival) => icu.count >= (votes.get(rival)?.count ?? 0))
      ? (["icu", icu] as const)
      : ([...votes].toSorted(([, a], [, b]) => b.count - a.count)[0] ?? []);
  return syntax === undefined || vote === undefined ? { syntax: "text" } : { syntax, reason: vote.example };
}
