/** Rules that say something of the files of a pattern; the last one that matches a file counts. */
import { invalid } from "../errors.ts";
import { excerpt } from "../text.ts";

export interface FileRule {
  /** A pattern: `*` stands for any characters of one name, `**` for any folders. Without a slash it matches in any folder. */
  readonly files: string;
}

/** As many rules as one Hive may have, and as long as a pattern may be. */
export const maxRules = 100;
export const maxPatternLength = 200;

/** @throws SkepError `invalid` on the field for what is no pattern. */
export function checkPattern(files: string, field: string): void {
  if (files === "" || files.length > maxPatternLength || /[\p{C}\\]|\*{3}/u.test(files))
    throw invalid(field, `"${excerpt(files)}" is not a pattern such as *.json or admin/**/*.php`);
}

/** What the name of a file ends with from its last point on, as a pattern such as `*.json` has it; empty where it has none. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > name.lastIndexOf("/") ? name.slice(dot) : "";
}

/** The rule that counts for a file; undefined where none matches. */
export function lastRule<Rule extends FileRule>(rules: readonly Rule[], file: string): Rule | undefined {
  return rules.findLast(({ files }) => matchesPattern(files, file));
}

/** Whether a file is meant by a pattern of a rule: with a slash by its whole name, else by its last part. */
export function matchesPattern(pattern: string, file: string): boolean {
  const name = pattern.includes("/") ? file : file.slice(file.lastIndexOf("/") + 1);
  return pattern.includes("*") ? matches(pattern, name) : pattern === name;
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
