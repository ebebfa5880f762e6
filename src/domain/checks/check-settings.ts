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
 * Rules for files that no rule matches, one for each ending, so that their syntax stays as it is when texts change. They
 * belong before all others, which match what is special. Where nothing shows a syntax, there is no rule yet.
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
  const byEnding = new Map<string, Iterable<string>[]>();
  for (const [name, { texts }] of files) {
    if (rules.some((rule) => matchesPattern(rule.files, name))) continue;
    const dot = name.lastIndexOf(".");
    const ending = dot > name.lastIndexOf("/") ? name.slice(dot) : "";
    if (ending === "" || ending.length >= maxPatternLength) continue;
    append(byEnding, ending, texts.values());
  }
  return Array.from(byEnding).flatMap(([ending, texts]) => {
    const { syntax, reason } = guessSyntax(ending, allOf(texts));
    return ending.includes("*") ? [] : [{ files: `*${ending}`, syntax, reason }];
  });
}

function* allOf(lists: readonly Iterable<string>[]): Generator<string> {
  for (const list of lists) yield* list;
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

/** What shows a syntax in a text, the surest first. An element `<x>` is of Angular, whose plurals are ICU's. */
const signs: readonly (readonly [syntax: SyntaxName, sign: RegExp])[] = [
  ["icu", /\{\s*\w+\s*,\s*(?:plural|select|selectordinal|number|date|time)\s*[,}]|<x id="/],
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

/** Whether any of them may be in a text: there are nine, and most texts have none. */
const maySign = /[{%:$]|<x |<\d/;

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
    if (!sure[0].startsWith(".po")) return usual;
    const shown = elected(gettextSigns, texts);
    return shown.syntax === "text" ? usual : shown;
  }
  const own = lower.endsWith(".properties")
    ? [...javaSigns, ...signs]
    : /(?:^|\/)messages\.json$/.test(lower)
      ? [...chromeSigns, ...signs]
      : signs;
  return elected(own, texts);
}

/** The syntaxes whose texts have nothing of ICU messages; an argument in braces may be one of them. */
const rivals = ["i18next", "printf"] as const;

/** The syntax that most texts show, by the first sign that each of them has. */
function elected(own: typeof signs, texts: Iterable<string>): SyntaxGuess {
  const votes = new Map<SyntaxName, { count: number; example: string }>();
  let read = 0;
  for (const text of texts) {
    if (++read > maxTexts) break;
    if (text.length >= 10_000 || !maySign.test(text)) continue;
    // What ICU messages quote is no argument of theirs, and no sign of another syntax.
    const shape = withoutEquivalents(text).replaceAll(/'\{[^']*'/g, " ");
    const shown = own.find(([, sign]) => sign.test(shape))?.[0];
    if (shown === undefined) continue;
    const vote = votes.get(shown) ?? { count: 0, example: text };
    vote.count++;
    votes.set(shown, vote);
  }
  const icu = votes.get("icu");
  const [syntax, vote] =
    icu !== undefined && rivals.every((rival) => icu.count >= (votes.get(rival)?.count ?? 0))
      ? (["icu", icu] as const)
      : ([...votes].toSorted(([, a], [, b]) => b.count - a.count)[0] ?? []);
  return syntax === undefined || vote === undefined ? { syntax: "text" } : { syntax, reason: vote.example };
}
