/** The branches of a message in ICU's syntax, each edited by itself: a text is split into them, and joined from them. */
import { maxCheckedLength } from "../checks/check-text.ts";
import { categoriesOfNumbers } from "../checks/categories.ts";
import { isFault, type Choice, type TextRange } from "../checks/message.ts";
import { isIcu, type SyntaxName } from "../checks/syntax-names.ts";
import { syntaxes } from "../checks/syntaxes.ts";

/** What stands in front of the choice and behind it; no branch can have one of these names. */
export const beforeChoice = "<";
export const afterChoice = ">";

/** As languages are described, whichever number of a category is the smallest. */
const inOrder = ["zero", "one", "two", "few", "many", "other"];

/** More fields than these are more work than the text. */
const maxBranches = 12;

/** A text that is one choice among forms, with what stands around it. */
export interface SplitText {
  readonly text: string;
  /** The argument that decides. */
  readonly argument: string;
  readonly kind: Choice["kind"];
  /** The texts of the branches by their names, in the order of the text, between those of its beginning and its end. */
  readonly parts: ReadonlyMap<string, string>;
  /** Where the parts stand. */
  readonly ranges: ReadonlyMap<string, TextRange>;
}

/** Splits a text. @returns undefined for one that cannot be split: then it is edited as a whole. */
export function splitText(syntax: SyntaxName, text: string): SplitText | undefined {
  if (!isIcu(syntax) || text.length > maxCheckedLength) return undefined;
  const message = syntaxes[syntax].parse(text);
  if (isFault(message)) return undefined;
  const { choices = [] } = message;
  const [choice, ...others] = choices.filter((one) => !choices.some((other) => isInside(one, other)));
  if (choice === undefined || others.length > 0 || choice.branches.size > maxBranches) return undefined;
  const inner = Array.from(choice.branches, ([name, { range }]) => [name, range] as const);
  const [start, end] = choice.range;
  const ranges = new Map<string, TextRange>([[beforeChoice, [0, start]]]);
  for (const [name, range] of inner) {
    if (range === undefined) return undefined;
    ranges.set(name, range);
  }
  ranges.set(afterChoice, [end, text.length]);
  const parts = new Map(Array.from(ranges, ([name, range]) => [name, text.slice(...range)]));
  return { text, argument: choice.name, kind: choice.kind, parts, ranges };
}

function isInside(one: Choice, other: Choice): boolean {
  return one !== other && other.range[0] <= one.range[0] && one.range[1] <= other.range[1];
}

/** The names of the branches that a translation has, or needs: those of its language stand in front of `other`. */
export function branchNames(source: SplitText, translation: SplitText | undefined, locale: string): string[] {
  const named = [...(translation ?? source).parts.keys()].filter((name) => !isAround(name));
  if (source.kind === "select") return [...new Set([...named, ...namesOf(source)])];
  const ofLanguage = categoriesOfNumbers(locale, typeOf(source.kind));
  const needed: readonly string[] = inOrder.filter((name) => ofLanguage.has(name));
  const isNeeded = (name: string): boolean => name.startsWith("=") || needed.includes(name);
  // The source text has those of its own language.
  const own = translation === undefined ? named.filter(isNeeded) : named;
  const added = needed.filter((name) => name !== "other" && !own.includes(name));
  return [...own.filter((name) => name !== "other"), ...added, "other"];
}

/** The type of the numbers that a choice is made by. */
export function typeOf(kind: Choice["kind"]): Intl.PluralRuleType {
  return kind === "selectordinal" ? "ordinal" : "cardinal";
}

function isAround(name: string): boolean {
  return name === beforeChoice || name === afterChoice;
}

function namesOf({ parts }: SplitText): string[] {
  return [...parts.keys()].filter((name) => !isAround(name));
}

/**
 * A text with other parts: all that stands between them is kept as it is. Parts that it lacks are added in front of `other`,
 * unless they are empty.
 */
export function withParts(split: SplitText, parts: ReadonlyMap<string, string>): string {
  const added = [...parts].filter(([name, text]) => text !== "" && !split.ranges.has(name));
  const names = namesOf(split);
  const last = names.findLast((name) => name !== "other") ?? names.at(-1);
  let joined = "";
  let end = 0;
  for (const [name, range] of split.ranges) {
    joined += split.text.slice(end, range[0]) + (parts.get(name) ?? split.parts.get(name) ?? "");
    end = range[1];
    if (name !== last) continue;
    // The brace that closes the branch.
    joined += split.text.slice(end, ++end);
    for (const [own, text] of added) joined += `${gapOf(split)}${own} {${text}}`;
  }
  return joined + split.text.slice(end);
}

/** What stands between two branches. */
function gapOf({ text, ranges }: SplitText): string {
  const [, first, second] = [...ranges.values()];
  const between = first !== undefined && second !== undefined ? text.slice(first[1] + 1, second[0]) : "";
  return /^\s+/.exec(between)?.[0] ?? " ";
}

/**
 * A translation of a text that has none yet: the choice of the source text, with its argument and offset, among the branches
 * that were written. @returns an empty text if none was.
 */
export function fromParts(source: SplitText, parts: ReadonlyMap<string, string>): string {
  const written = [...parts].filter(([name, text]) => !isAround(name) && text !== "");
  if (![...parts.values()].some((text) => text !== "")) return "";
  const [start, end] = [source.ranges.get(beforeChoice)?.[1] ?? 0, source.ranges.get(afterChoice)?.[0] ?? 0];
  const inner = [...source.ranges].filter(([name]) => !isAround(name)).map(([, range]) => range);
  // The name of the first branch goes with its text.
  const head = source.text.slice(start, (inner[0]?.[0] ?? 1) - 1).replace(/\S+\s*$/, "");
  const tail = source.text.slice((inner.at(-1)?.[1] ?? 0) + 1, end);
  const branches = new Map(written);
  if (!branches.has("other")) branches.set("other", "");
  const list = Array.from(branches, ([name, text]) => `${name} {${text}}`).join(gapOf(source));
  return `${parts.get(beforeChoice) ?? ""}${head}${list}${tail}${parts.get(afterChoice) ?? ""}`;
}
