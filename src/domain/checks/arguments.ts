/** Compares the arguments of a translation with those of its source text. */
import { categoriesOf } from "./categories.ts";
import { foreignIn } from "./near-misses.ts";
import {
  faultFinding,
  isFault,
  nothing,
  type Argument,
  type CheckFinding,
  type Message,
  type MessageSyntax,
  type SyntaxFault,
  type TextRange,
  type TextContext,
} from "./message.ts";

type MissingSeverity = "error" | "warning";

/** How the arguments of a syntax are compared. */
export interface ArgumentRules {
  /**
   * How bad it is to leave out an argument that has a name, one of all in the source text. Without names, the others
   * move: always an error.
   */
  readonly missing: MissingSeverity | ((argument: Argument, all: readonly Argument[]) => MissingSeverity);
  /** Whether a program can give the same value for both kinds. */
  readonly areCompatible?: (source: string, translation: string) => boolean;
  /** Whether what looks like an argument of a translation is text, which the source text writes otherwise. */
  readonly isText?: (source: string, argument: Argument) => boolean;
  /** How an argument looks in short, where it may stand around much text; as the source text has it by default. */
  readonly write?: (name: string) => string;
  /** Whether the text has the argument in a form that the program does not fill in, such as with one brace too few. */
  readonly nearMiss?: (text: string, name: string) => Argument["range"] | undefined;
}

/** Categories whose texts often do not repeat the number: "one file", "no files"; and the numbers that these words are for. */
const numberless: ReadonlyMap<string, readonly number[]> = new Map([
  ["zero", [0]],
  // In French, among others, "one" is for none, too.
  ["one", [0, 1]],
  ["two", [2]],
]);
/** More than anybody writes; what is compared with each other is bounded. */
export const maxArguments = 500;
/** A name of a number, or one that has such a word in it: `itemCount`, `num_files`. */
const numberNames =
  /^(?:n|[01])$|(?:^|[^a-z])(?:n|nb|nr|num|number|count|total|quantity|amount|size|length)(?![a-z])|(?:Num|Number|Count|Total|Quantity|Amount|Size|Length)(?![a-z])|^(?:num|nb)(?=[A-Z])/;
const numberKinds = /^(?:integer|number|plural|selectordinal|float)/;

/** The fault of a text with more arguments than are compared. */
export function surplusFault(found: readonly Argument[]): SyntaxFault | undefined {
  const surplus = found[maxArguments];
  return surplus && { fault: `has more than ${maxArguments} arguments`, range: surplus.range, isLimit: true };
}

/**
 * Whether a form may leave out the number: the categories for none, one and two, unless the language uses them for other
 * numbers, too, as Russian says "21" like "1"; and exact numbers such as `=0`.
 */
export function mayOmitNumber(form: string | undefined, locale: string): boolean {
  if (form === undefined) return false;
  const meant = numberless.get(form);
  if (meant === undefined) return form.startsWith("=");
  return (categoriesOf(locale, "cardinal")?.numbers.get(form) ?? []).every((number) =>
    meant.includes(number),
  );
}

/**
 * A syntax whose texts are compared by their arguments alone.
 * @param parts what it matches, how it is parsed and compared; `further` finds what is special to it.
 */
export function defineSyntax(parts: {
  readonly special: RegExp;
  readonly isStrict: boolean;
  readonly rules: ArgumentRules;
  readonly parse: (text: string) => Message | SyntaxFault;
  readonly further?: (source: Message, translation: Message, context: TextContext) => readonly CheckFinding[];
}): MessageSyntax {
  const { special, isStrict, rules, further } = parts;
  const parse = (text: string): Message | SyntaxFault => {
    const message: Message | SyntaxFault = special.test(text) ? parts.parse(text) : { arguments: [] };
    return isFault(message) ? message : (surplusFault(message.arguments) ?? message);
  };
  return {
    special,
    isStrict,
    parse,
    compareWith(source) {
      const from = parse(source);
      // With a source text of another syntax there is nothing to compare.
      if (isFault(from)) return () => nothing;
      return (translation, context) => {
        const to = parse(translation);
        if (isFault(to)) return [faultFinding(translation, to)];
        const optional = argumentsOf(context.sourceOther);
        const findings = haveSameArguments(from, to)
          ? numberMissing(from, to, context, optional)
          : compareArguments(from, to, { source, translation, rules, context, optional });
        return further === undefined ? findings : [...findings, ...further(from, to, context)];
      };
    },
  };

  function argumentsOf(text: string | undefined): readonly Argument[] {
    const message = text === undefined ? undefined : parse(text);
    return message === undefined || isFault(message) ? [] : message.arguments;
  }
}

/**
 * Finds that a form shows no number, as the source's form of that name, where the language uses the form for several: "21" is
 * counted like "1" in Russian, but never in English.
 */
function numberMissing(
  source: Message,
  { arguments: own }: Message,
  { form, locale, sourceOther }: TextContext,
  optional: readonly Argument[],
): readonly CheckFinding[] {
  if (form === undefined || sourceOther === undefined || !numberless.has(form) || mayOmitNumber(form, locale))
    return nothing;
  if (source.arguments.length >= optional.length) return nothing;
  const number = optional.find(
    (argument) => isNumber(argument, optional) && own.every(({ name }) => name !== argument.name),
  );
  return number === undefined ? nothing : [missingFinding(sourceOther.slice(...number.range), "warning")];
}

function haveSameArguments({ arguments: source }: Message, { arguments: translation }: Message): boolean {
  return (
    source.length === translation.length &&
    source.every(({ name, kind }, i) => name === translation[i]?.name && kind === translation[i].kind)
  );
}

interface ComparedTexts {
  readonly source: string;
  readonly translation: string;
  readonly rules: ArgumentRules;
  readonly context: TextContext;
  /** Arguments that the translation may have without having to: those of the source's form `other`. */
  readonly optional: readonly Argument[];
}

function compareArguments(
  source: Message,
  translation: Message,
  comparison: ComparedTexts,
): readonly CheckFinding[] {
  const { rules, context, optional, translation: text } = comparison;
  if (source.isCounted === true && translation.isCounted === true) {
    return compareCounted(source.arguments, translation.arguments, comparison);
  }
  const known = byName([...optional, ...source.arguments]);
  const present = byName(translation.arguments);
  const isGiven = (argument: Argument): boolean =>
    known.has(argument.name) ||
    context.given?.includes(argument.name) === true ||
    rules.isText?.(comparison.source, argument) === true;
  const extra = [...present.values()].filter((argument) => !isGiven(argument));
  const required = [...byName(source.arguments.filter(({ isShown }) => isShown !== false)).values()];
  let missing = required.filter(
    (argument) => !present.has(argument.name) && !isOmittedNumber(argument, required, context),
  );
  const findings: CheckFinding[] = [];
  const near: TextRange[] = [];
  for (const argument of present.values()) {
    const like = known.get(argument.name);
    if (like !== undefined && !isCompatible(like, argument, rules)) {
      findings.push(typeFinding(like, argument, text));
    }
  }
  for (const argument of missing) {
    const range = rules.nearMiss?.(text, argument.name);
    if (range === undefined) continue;
    missing = missing.filter((each) => each !== argument);
    const [found, expected] = [text.slice(...range), writtenIn(comparison, argument)];
    near.push(range);
    const message =
      found === expected
        ? `${found} is quoted by an apostrophe, and shown as it is; write '' for an apostrophe`
        : `"${found}" is shown as it is; the argument is written ${expected}`;
    findings.push({ check: "syntax", severity: "error", message, found, expected, range });
  }
  for (const argument of extra) {
    const [start, end] = argument.range;
    if (near.some((range) => start <= range[0] && range[1] <= end)) continue;
    // An argument that was renamed has one finding, not two.
    const [instead, ...left] = missing;
    missing = left;
    findings.push(extraFinding(argument, text, instead && writtenIn(comparison, instead)));
  }
  const severity = source.isCounted === true ? "error" : rules.missing;
  return [
    ...findings,
    ...missing.map((argument) =>
      missingFinding(
        writtenIn(comparison, argument),
        typeof severity === "string" ? severity : severity(argument, required),
      ),
    ),
  ];
}

function writtenIn({ source, rules }: ComparedTexts, { name, range }: Argument): string {
  return rules.write?.(name) ?? source.slice(...range);
}

/** Compares arguments that the program fills in by their order. */
function compareCounted(
  source: readonly Argument[],
  translation: readonly Argument[],
  comparison: ComparedTexts,
): readonly CheckFinding[] {
  const { rules, context, optional, translation: text } = comparison;
  if (source.length === translation.length) {
    const at = source.findIndex((argument, i) => !isCompatible(argument, translation[i] ?? argument, rules));
    const [like, argument] = [source[at], translation[at]];
    return like === undefined || argument === undefined ? [] : [typeFinding(like, argument, text)];
  }
  const isOther =
    optional.length === translation.length &&
    optional.every((argument, i) => isCompatible(argument, translation[i] ?? argument, rules));
  if (isOther) return [];
  if (translation.length > source.length) {
    return without(translation, source, rules).map((argument) => extraFinding(argument, text, undefined));
  }
  const missing = without(source, translation, rules);
  const last = source.at(-1);
  const isSame = missing.length === 1 && last !== undefined && missing[0]?.kind === last.kind;
  if (isSame && isOmittedNumber(last, source, context)) return [];
  return missing.map((argument) => missingFinding(writtenIn(comparison, argument), "error"));
}

/** The arguments that have no counterpart, looked for in order. */
function without(
  from: readonly Argument[],
  counterparts: readonly Argument[],
  rules: ArgumentRules,
): readonly Argument[] {
  const left = [...counterparts];
  const single = from.filter((argument) => {
    const at = left.findIndex((other) => isCompatible(argument, other, rules));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return single.length > 0 ? single : from.slice(counterparts.length);
}

function isCompatible(source: Argument, translation: Argument, rules: ArgumentRules): boolean {
  return source.kind === translation.kind || rules.areCompatible?.(source.kind, translation.kind) === true;
}

/** Whether an argument is the number of a form that need not show it. */
function isOmittedNumber(
  argument: Argument,
  all: readonly Argument[],
  { form, locale }: TextContext,
): boolean {
  return isNumber(argument, all) && mayOmitNumber(form, locale);
}

/** Whether an argument is what a plural counts; of arguments without names, a single one is. */
function isNumber({ name, kind }: Argument, all: readonly Argument[]): boolean {
  return numberNames.test(name) || numberKinds.test(kind) || (all.length === 1 && /^\d+$/.test(name));
}

function byName(all: readonly Argument[]): ReadonlyMap<string, Argument> {
  return new Map(all.map((argument) => [argument.name, argument]));
}

function typeFinding(source: Argument, { range, kind }: Argument, text: string): CheckFinding {
  const found = text.slice(...range);
  const message = `${found} is of the kind ${kind}, and of the kind ${source.kind} in the source text`;
  return { check: "argument-type", severity: "error", message, found, expected: source.kind, range };
}

/** Finds an argument that the source text lacks, and perhaps the one that it stands for. */
export function extraFinding({ range }: Argument, text: string, expected: string | undefined): CheckFinding {
  const found = text.slice(...range);
  const instead = expected === undefined ? "" : `, which has ${expected}`;
  const wrong = foreignIn(text, range);
  const reason = wrong === undefined ? "" : `; ${wrong.name} stands in it`;
  const message = `${found} is not in the source text${instead}${reason}`;
  return { check: "argument-extra", severity: "error", message, found, expected, range };
}

/** Finds that an argument of the source text is missing. */
export function missingFinding(expected: string, severity: MissingSeverity): CheckFinding {
  return {
    check: "argument-missing",
    severity,
    message: `${expected} of the source text is missing`,
    expected,
  };
}
