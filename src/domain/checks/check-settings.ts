/** The settings of a Hive's checks: how strict they are, and the syntax of each file. */
import type { FileFormat, FormatName } from "../files/file-formats.ts";
import { endingOf, lastRule, maxPatternLength, type FileRule } from "../files/file-rules.ts";
import { append } from "../group-by.ts";
import type { SyntaxName } from "./syntax-names.ts";
import {
  guessSyntax,
  guessTogether,
  maxTexts,
  ownSyntax,
  signs,
  signsOf,
  votesIn,
  type NamedFile,
  type SourceTexts,
  type SyntaxGuess,
} from "./guess-syntax.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

/** Nothing is checked, findings are told, or writes that bring errors are refused. */
export const checkLevels = ["off", "warn", "refuse"] as const;
export type CheckLevel = (typeof checkLevels)[number];

export interface SyntaxRule extends FileRule {
  readonly syntax: SyntaxName;
}

export interface CheckSettings {
  readonly level: CheckLevel;
  /** The last rule that matches a file counts. */
  readonly syntax: readonly SyntaxRule[];
  /** Likewise. Files that no rule matches are of the formats that their names stand for. */
  readonly formats?: readonly FileFormat[];
}

export const defaultChecks: CheckSettings = { level: "warn", syntax: [] };

/** What rules say of files, by their texts, for each of which it is asked. */
class Answers<Answer> {
  readonly #known = moduleCache(
    new WeakCache<SourceTexts, { readonly name: string; readonly rules: object; readonly answer: Answer }>(),
  );

  /** @param find is asked where the name or the rules of a file are others than before. */
  of(file: SourceTexts, name: string, rules: object, find: () => Answer): Answer {
    const last = this.#known.get(file);
    if (last?.name === name && last.rules === rules) return last.answer;
    const answer = find();
    this.#known.set(file, { name, rules, answer });
    return answer;
  }
}

const syntaxAnswers = new Answers<SyntaxName>();
const formatAnswers = new Answers<FormatName | undefined>();

/** The syntax of a file: by the last rule that matches, else as its texts show it. */
export function syntaxOf({ syntax: rules }: CheckSettings, name: string, file: SourceTexts): SyntaxName {
  return syntaxAnswers.of(file, name, rules, () => {
    const { syntax } = lastRule(rules, name) ?? guessSyntax(name, file.texts.values());
    return syntax;
  });
}

/** The format that the settings name for a file; undefined where its name stands for it. */
export function formatOf(
  { formats }: CheckSettings,
  name: string,
  file: SourceTexts,
): FormatName | undefined {
  return formats && formatAnswers.of(file, name, formats, () => lastRule(formats, name)?.format);
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
    if (lastRule(rules, name) !== undefined) continue;
    const ending = endingOf(name);
    if (ending === "" || ending.length >= maxPatternLength) continue;
    append(byEnding, ending, { name, texts });
  }
  const proposed: ExplainedRule[] = [];
  for (const [ending, own] of byEnding) {
    if (ending.includes("*")) continue;
    const { syntax, reason } = guessTogether(ending, own);
    proposed.push({ files: `*${ending}`, syntax, reason }, ...exceptions(ending, syntax, own));
  }
  return proposed;
}

/** Files of one ending that need more rules than this mix syntaxes without an order. */
const maxExceptions = 20;
/** How many texts of files of one ending are read to find such rules. */
const maxTextsOfFiles = 20_000;

/** Rules for the folders and files of an ending whose texts are of another syntax than most. */
function exceptions(
  ending: string,
  usual: SyntaxName,
  files: readonly NamedFile[],
): readonly ExplainedRule[] {
  if (signsOf(ending) === undefined || usual === "text" || files.length < 2) return [];
  const guesses = new Map<string, SyntaxGuess>();
  /** What the files of a folder, also in folders below it, show. */
  const inFolder = new Map<string, Set<SyntaxName>>();
  let left = maxTextsOfFiles;
  for (const { name, texts } of files) {
    left -= Math.min(texts.size, maxTexts);
    const votes = left < 0 ? undefined : votesIn(signsOf(name) ?? signs, texts.values(), maxTexts);
    const guess = votes && ownSyntax(usual, votes);
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
    const rule = lastRule(sorted, name);
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
