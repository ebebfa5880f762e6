/** The settings of a Hive's checks: how strict they are, and the syntax of each file. */
import { invalid } from "../errors.ts";
import { excerpt } from "../text.ts";
import { guessSyntax } from "./syntax-guess.ts";
import { isSyntaxName, syntaxNames, type SyntaxName } from "./syntax-names.ts";

/** Nothing is checked, findings are told, or writes that bring errors are refused. */
export const checkLevels = ["off", "warn", "refuse"] as const;
export type CheckLevel = (typeof checkLevels)[number];

/** Gives the files of a pattern a syntax. */
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

/** The settings of a Hive that has none. */
export const defaultChecks: CheckSettings = { level: "warn", syntax: [] };

/** As many rules as one Hive may have, and as long as a pattern may be. */
export const maxRules = 100;
export const maxPatternLength = 200;

/**
 * Parses one rule.
 * @param field names it in errors.
 * @throws SkepError `invalid` on the field.
 */
export function toSyntaxRule(files: string, syntax: string, field: string): SyntaxRule {
  if (files === "" || files.length > maxPatternLength || /[\p{C}\\]|\*{3}/u.test(files)) {
    throw invalid(field, `"${excerpt(files)}" is not a pattern such as *.json or admin/**/*.php`);
  }
  if (isSyntaxName(syntax)) return { files, syntax };
  throw invalid(field, `"${excerpt(syntax)}" is not a syntax: it must be one of ${syntaxNames.join(", ")}`);
}

/** Whether a pattern of a rule matches the name of a file. */
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

/** The texts of a source file. */
interface SourceTexts {
  readonly texts: ReadonlyMap<string, string>;
}

/** By the file: it is asked for each of its texts. */
const known = new WeakMap<SourceTexts, SyntaxRule & { readonly rules: readonly SyntaxRule[] }>();

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
  return explainedRules(settings, files).map(({ files: pattern, syntax }) => ({ files: pattern, syntax }));
}

/** A rule that is proposed, and the ending or the text that shows its syntax. */
export interface ExplainedRule extends SyntaxRule {
  readonly reason?: string;
}

/** The same rules as {@link proposedRules} gives. */
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
    byEnding.set(ending, [...(byEnding.get(ending) ?? []), texts.values()]);
  }
  return Array.from(byEnding).flatMap(([ending, texts]) => {
    const { syntax, reason } = guessSyntax(ending, allOf(texts));
    return syntax === "none" || ending.includes("*") ? [] : [{ files: `*${ending}`, syntax, reason }];
  });
}

function* allOf(lists: readonly Iterable<string>[]): Generator<string> {
  for (const list of lists) yield* list;
}
