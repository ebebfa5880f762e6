/**
 * ICU messages: `{name}`, `{n, plural, one {…} other {…}}`, skeletons; as FormatJS and Lingui read them, and as Flutter does,
 * which has its own rules for apostrophes and for exact numbers.
 */
import { parse, TYPE, type MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import { defineSyntax, mayOmitNumber } from "./arguments.ts";
import { categoriesOfNumbers } from "./categories.ts";
import { foreignIn } from "./near-misses.ts";
import {
  faultFinding,
  maxFindings,
  withoutEquivalents,
  type Argument,
  type MessageBranch,
  type CheckFinding,
  type Choice,
  type Message,
  type MessageSyntax,
  type SyntaxFault,
  type TextContext,
  type TextRange,
} from "./message.ts";

/** The deepest nesting of braces: a parser that calls itself needs a bound. */
const maxDepth = 50;

/** More than anybody writes; each is compared with one of the source text, argument by argument. */
const maxBranches = 1_000;

/** What a person can do about an error of the parser, by its name. */
const faults: Readonly<Record<string, string>> = {
  EXPECT_ARGUMENT_CLOSING_BRACE: "an argument is not closed with }",
  EMPTY_ARGUMENT: "an argument between braces has no name",
  MALFORMED_ARGUMENT: "an argument is malformed",
  EXPECT_ARGUMENT_TYPE: "the kind of an argument is missing behind the comma",
  INVALID_ARGUMENT_TYPE: "the kind of an argument is unknown",
  UNCLOSED_QUOTE_IN_ARGUMENT_STYLE: "a quotation in an argument is not closed",
  EXPECT_SELECT_ARGUMENT_OPTIONS: "an argument has no branches",
  DUPLICATE_PLURAL_ARGUMENT_SELECTOR: "a plural has two branches of one name",
  DUPLICATE_SELECT_ARGUMENT_SELECTOR: "a selection has two branches of one name",
  INVALID_PLURAL_ARGUMENT_SELECTOR: "the name of a plural's branch is malformed",
  MISSING_OTHER_CLAUSE: "the branch other is missing",
  UNMATCHED_CLOSING_BRACE: "a closing brace } has no opening one",
};

/** What programs that read ICU messages do differently. */
interface Dialect {
  /** Gives a text of the same length that the parser reads as the program does, or why the program cannot read it. */
  readonly prepare?: (text: string) => string | SyntaxFault;
  /** The branches for an exact number that stand for the category of that name. */
  readonly aliases?: ReadonlyMap<string, string>;
}

function icuSyntax(dialect: Dialect): MessageSyntax {
  const { prepare = (text) => text, aliases = new Map<string, string>() } = dialect;
  const syntax = defineSyntax({
    special: /[{}]/,
    isStrict: true,
    rules: { missing: "error", areCompatible, write: (name) => `{${name}}`, nearMiss: quotedArgument },
    parse: (whole) => {
      const text = prepare(withoutEquivalents(whole));
      return typeof text === "string" ? parseIcu(text) : text;
    },
    further: (source, translation, context) => compareChoices(source, translation, context, aliases),
  });
  return { ...syntax, hasNamedTags: true };
}

const formatJs = icuSyntax({});

/** FormatJS takes an apostrophe in front of a tag for the beginning of a quotation, in which tags are text. */
export const icu: MessageSyntax = {
  ...formatJs,
  compareWith(source) {
    const compare = formatJs.compareWith(source);
    const isQuoted = quotedTag(source) !== undefined;
    return (translation, context) => {
      const findings = compare(translation, context);
      const fault =
        isQuoted || findings.some(({ check }) => check === "syntax") ? undefined : quotedTag(translation);
      return fault === undefined ? findings : [...findings, faultFinding(translation, fault)];
    };
  },
};

/** The fault of a tag behind an apostrophe. Tags by number, as Lingui has them, and XLIFF's elements are not FormatJS'. */
function quotedTag(text: string): SyntaxFault | undefined {
  const match = /(?<!')(?:'')*'(<\/?(?!(?:x|g|ph|bx|ex|pc|sc|ec|mrk|cp)\s)[A-Za-z][^<>]{0,200}>)/.exec(text);
  const [whole, tag] = match ?? [];
  if (match === null || whole === undefined || tag === undefined) return undefined;
  const end = match.index + whole.length;
  return {
    fault: `${tag} is quoted by an apostrophe, and shown as it is; write '' for an apostrophe`,
    range: [end - tag.length, end],
  };
}

/** Flutter takes these branches for the categories: `=1` is used wherever the language uses `one`. */
const flutterAliases: ReadonlyMap<string, string> = new Map([
  ["zero", "=0"],
  ["one", "=1"],
  ["two", "=2"],
]);

/** Messages of ARB files. Without the option `use-escaping`, an apostrophe is one wherever it stands. */
export const flutter = icuSyntax({
  prepare: (text) => text.replaceAll("'", "\u2019"),
  aliases: flutterAliases,
});

/** Messages of ARB files with the option `use-escaping`: what stands between two apostrophes is text, without exception. */
export const flutterEscaped = icuSyntax({ prepare: withoutQuotations, aliases: flutterAliases });

function withoutQuotations(text: string): string | SyntaxFault {
  const shown = text.replaceAll(/'[^']*'/g, (quotation) => "\u2019".repeat(quotation.length));
  const open = shown.indexOf("'");
  if (open === -1) return shown;
  return { fault: "an apostrophe opens a quotation that is not closed", range: [open, open + 1] };
}

/** An argument that is written in the text and was not parsed is in a quotation. */
function quotedArgument(text: string, name: string): TextRange | undefined {
  const at = text.indexOf(`{${name}}`);
  return at === -1 ? undefined : [at, at + name.length + 2];
}

/** Kinds that print a number or whatever they are given. */
const plain: ReadonlySet<string> = new Set(["any", "number", "plural", "selectordinal"]);

function areCompatible(source: string, translation: string): boolean {
  return plain.has(source) && plain.has(translation);
}

function parseIcu(text: string): Message | SyntaxFault {
  const deep = depthFault(text);
  if (deep !== undefined) return deep;
  try {
    const found: Found = { arguments: [], choices: [], literals: [] };
    collect(parse(text, { ignoreTag: true, captureLocation: true }), found);
    return branchesFault(found.choices) ?? found;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    return faultOf(text, cause);
  }
}

function depthFault(text: string): SyntaxFault | undefined {
  let depth = 0;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    depth += brace === "{" ? 1 : -1;
    if (depth > maxDepth)
      return {
        fault: `braces are nested more than ${maxDepth} deep`,
        range: [index, index + 1],
        isLimit: true,
      };
  }
  return undefined;
}

function branchesFault(choices: readonly Choice[]): SyntaxFault | undefined {
  let count = 0;
  for (const { branches, range } of choices) {
    count += branches.size;
    if (count > maxBranches) return { fault: `has more than ${maxBranches} branches`, range, isLimit: true };
  }
  return undefined;
}

function faultOf(text: string, cause: Error & { location?: unknown }): SyntaxFault {
  const range = rangeIn(cause.location, text.length);
  const wrong = foreignIn(text, range);
  const check = cause.message === "MISSING_OTHER_CLAUSE" ? "branches" : "syntax";
  const fault = faults[cause.message] ?? `not a message: ${cause.message.toLowerCase().replaceAll("_", " ")}`;
  return wrong === undefined
    ? { fault, range, check }
    : { fault: `${fault}: ${wrong.name} stands in it`, range: wrong.range };
}

/** The range of an error of the parser, which is at least one unit long where the text is. */
function rangeIn(location: unknown, length: number): TextRange {
  const [start, end] = [offsetOf(location, "start"), offsetOf(location, "end")];
  const from = Math.max(0, Math.min(start, length - 1));
  return [from, Math.min(length, Math.max(from + 1, end))];
}

function offsetOf(location: unknown, side: "start" | "end"): number {
  const point: unknown =
    typeof location === "object" && location !== null ? Reflect.get(location, side) : undefined;
  const offset: unknown =
    typeof point === "object" && point !== null ? Reflect.get(point, "offset") : undefined;
  return typeof offset === "number" ? offset : 0;
}

const kinds = {
  [TYPE.argument]: "any",
  [TYPE.number]: "number",
  [TYPE.date]: "date",
  [TYPE.time]: "time",
} as const;

interface Found extends Message {
  readonly arguments: Argument[];
  readonly choices: Choice[];
  readonly literals: TextRange[];
}

function collect(elements: readonly MessageFormatElement[], found: Found): void {
  for (const element of elements) {
    const { location } = element;
    const range: TextRange = [location?.start.offset ?? 0, location?.end.offset ?? 0];
    switch (element.type) {
      case TYPE.argument:
      case TYPE.number:
      case TYPE.date:
      case TYPE.time: {
        found.arguments.push({ name: element.value, kind: kinds[element.type], range });
        break;
      }
      case TYPE.plural:
      case TYPE.select: {
        const kind =
          element.type === TYPE.select
            ? "select"
            : element.pluralType === "ordinal"
              ? "selectordinal"
              : "plural";
        const own: Argument = { name: element.value, kind, range };
        const place = found.arguments.push(own) - 1;
        const branches = new Map<string, MessageBranch>();
        for (const [selector, { value, location: at }] of Object.entries(element.options)) {
          const before = found.arguments.length;
          collect(value, found);
          const names = new Set(found.arguments.slice(before).map(({ name }) => name));
          const ofBranch = at && { range: [at.start.offset + 1, at.end.offset - 1] as const };
          const shows = names.has(element.value) || showsNumber(value);
          branches.set(selector, { names, showsNumber: shows, ...ofBranch });
        }
        const isShown = [...branches.values()].some((branch) => branch.showsNumber);
        found.arguments[place] = { ...own, isShown };
        found.choices.push({ name: element.value, kind, branches, range });
        break;
      }
      case TYPE.tag: {
        collect(element.children, found);
        break;
      }
      case TYPE.literal: {
        found.literals.push(range);
        break;
      }
      case TYPE.pound: {
        break;
      }
    }
  }
}

/** Whether `#` stands in a branch, for the number of its own plural. */
function showsNumber(elements: readonly MessageFormatElement[]): boolean {
  return elements.some((element) => {
    if (element.type === TYPE.pound) return true;
    return (
      element.type === TYPE.select && Object.values(element.options).some(({ value }) => showsNumber(value))
    );
  });
}

/** Finds branches that no source text explains, that the language needs, or that lack what the source's branch has. */
function compareChoices(
  source: Message,
  translation: Message,
  context: TextContext,
  aliases: ReadonlyMap<string, string>,
): readonly CheckFinding[] {
  const findings: CheckFinding[] = droppedPlurals(source, translation, context);
  for (const choice of translation.choices ?? []) {
    const like = source.choices?.find(({ name, kind }) => name === choice.name && kind === choice.kind);
    if (like === undefined) continue;
    findings.push(
      ...(choice.kind === "select"
        ? compareSelectors(like, choice)
        : missingCategories(like, choice, context, aliases)),
      ...compareBranches(like, choice, translation, { locale: context.locale, aliases }),
    );
  }
  return findings;
}

/** Finds plurals that became plain numbers in a language which has several forms. */
function droppedPlurals(
  { choices = [] }: Message,
  translation: Message,
  { locale, sourceLocale = "en" }: TextContext,
): CheckFinding[] {
  if ([locale, sourceLocale].some((each) => categoriesOfNumbers(each, "cardinal").size === 1)) return [];
  const known = new Map(translation.arguments.map((each) => [each.name, each]));
  const own = new Set(translation.choices?.map(({ name }) => name));
  return choices.flatMap(({ name, kind, branches }): CheckFinding[] => {
    const argument = known.get(name);
    if (kind !== "plural" || branches.size < 2 || own.has(name) || argument === undefined) return [];
    const message = `{${name}} is a plural in the source text, and has one form for all numbers here`;
    return [
      {
        check: "branches",
        severity: "warning",
        message,
        expected: `{${name}, plural, …}`,
        range: argument.range,
      },
    ];
  });
}

function compareSelectors(source: Choice, translation: Choice): readonly CheckFinding[] {
  const extra = [...translation.branches.keys()].filter((selector) => !source.branches.has(selector));
  const missing = [...source.branches.keys()].filter((selector) => !translation.branches.has(selector));
  const findings = extra.map((selector, i) =>
    branchFinding(
      translation,
      `the branch "${selector}" of {${source.name}} is not in the source text`,
      missing[i],
    ),
  );
  const left = missing.slice(extra.length);
  return [...findings, ...(left.length === 0 ? [] : [lacking(translation, left)])];
}

/** The categories that the language needs and the plural lacks, if the source text has all of its own. */
function missingCategories(
  source: Choice,
  translation: Choice,
  context: TextContext,
  aliases: ReadonlyMap<string, string>,
): readonly CheckFinding[] {
  const { locale, sourceLocale = "en" } = context;
  if (uncovered(source, sourceLocale, aliases).length > 0) return [];
  const missing = uncovered(translation, locale, aliases);
  return missing.length === 0 ? [] : [lacking(translation, missing)];
}

/** The categories of whole numbers that a plural has no branch for, neither by name nor by exact numbers. */
function uncovered(
  { kind, branches }: Choice,
  locale: string,
  aliases: ReadonlyMap<string, string>,
): readonly string[] {
  const numbers = categoriesOfNumbers(locale, kind === "selectordinal" ? "ordinal" : "cardinal");
  return [...numbers].flatMap(([category, some]) => {
    const isThere = branches.has(category) || branches.has(aliases.get(category) ?? category);
    return isThere || some.every((number) => branches.has(`=${number}`)) ? [] : [category];
  });
}

/** Finds branches that lack an argument which the source text's branch of the same name, or `other`, has. */
function compareBranches(
  source: Choice,
  translation: Choice,
  whole: Message,
  { locale, aliases }: { readonly locale: string; readonly aliases: ReadonlyMap<string, string> },
): readonly CheckFinding[] {
  const categories = new Map(Array.from(aliases, ([category, exact]) => [exact, category]));
  const findings: CheckFinding[] = [];
  const outside = whole.arguments.filter(
    ({ range }) => range[0] < translation.range[0] || range[1] > translation.range[1],
  );
  const present = new Set(outside.map(({ name }) => name));
  const anywhere = new Set(whole.arguments.map(({ name }) => name));
  for (const [selector, branch] of translation.branches) {
    const category = categories.get(selector) ?? selector;
    const like =
      source.branches.get(selector) ??
      source.branches.get(categories.get(selector) ?? aliases.get(selector) ?? "other") ??
      source.branches.get("other");
    if (like === undefined) continue;
    const names = [...like.names].filter(
      (name) => name !== source.name && anywhere.has(name) && !branch.names.has(name) && !present.has(name),
    );
    const isNumberless = source.kind !== "select" && like.showsNumber && !branch.showsNumber;
    if (isNumberless && !present.has(source.name) && !mayOmitNumber(category, locale))
      names.push(source.name);
    for (const name of names) {
      if (findings.length === maxFindings) return findings;
      const message = `the branch "${selector}" of {${source.name}} lacks {${name}}`;
      const { range } = translation;
      findings.push({ check: "argument-missing", severity: "error", message, expected: `{${name}}`, range });
    }
  }
  return findings;
}

function lacking(choice: Choice, selectors: readonly string[]): CheckFinding {
  const names = selectors.map((selector) => `"${selector}"`).join(", ");
  const branches = selectors.length === 1 ? "branch" : "branches";
  return branchFinding(choice, `{${choice.name}} lacks the ${branches} ${names}`, selectors.join(", "));
}

function branchFinding({ range }: Choice, message: string, expected: string | undefined): CheckFinding {
  return { check: "branches", severity: "error", message, expected, range };
}
