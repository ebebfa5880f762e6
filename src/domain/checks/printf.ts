/**
 * Directives of printf: `%s %1$s %5.2f` (C, PHP, Java, Go), `%@ %ld` (Apple), `%(name)s` (Python), `%#@name@` and `%arg`
 * (Apple's plurals). A percent sign that begins no directive is one, unless the source text has directives.
 */
import { defineSyntax } from "./arguments.ts";
import { foreignIn } from "./near-misses.ts";
import type {
  Argument,
  CheckFinding,
  Comparison,
  Message,
  MessageSyntax,
  SyntaxFault,
  TextContext,
} from "./message.ts";

const directive = new RegExp(
  [
    String.raw`%(?:%`,
    String.raw`#@(?<variable>[\w.-]+)@`,
    String.raw`(?<substitute>arg)(?![a-zA-Z])`,
    String.raw`(?:(?<position>\d{1,3})\$|\[(?<index>\d{1,3})\]|\((?<name>[^()%]{1,100})\))?` +
      String.raw`(?:[-+#0,]|'.){0,20}(?<width>\*|\d{1,9})?(?:\.(?<precision>\*|\d{1,9})?)?` +
      String.raw`(?<length>hh|h|ll|l|q|j|z|t(?=[diouxX])|L)?(?<conversion>[a-zA-Z@]))`,
  ].join("|"),
  "uy",
);

/** What a conversion takes; others are kinds of their own. */
const kinds = new Map(
  Object.entries({ diu: "integer", eEfFgG: "float", cC: "character", sS: "text", "@": "object" }).flatMap(
    ([letters, kind]) => Array.from(letters, (letter) => [letter, kind] as const),
  ),
);
/** The letters of all languages' conversions that take a value. */
const conversions = /[diouxXeEfFgGaAcCsSpbBhHtTqvUO@]/;
/** In a text that is not known to have directives, only what nobody writes by chance is one. */
const certain = /[sd@ifu]/;

/** The kind of `%arg`, for which Xcode puts what it knows of the argument. */
const anyNumber = "number";

interface Parsed extends Message {
  /** Where percent signs stand that are neither directives nor doubled. */
  readonly loose: readonly number[];
  readonly isFormat: boolean;
  readonly foreign?: SyntaxFault;
}

function parsePrintf(text: string): Parsed {
  const found: Argument[] = [];
  const loose: number[] = [];
  const unnamed = new Set<Argument>();
  let [isFormat, isCounted, count] = [false, false, 0];
  let from = 0;
  const next = (kind: string, range: Argument["range"]): void => {
    isCounted = true;
    const argument = { name: String(++count), kind, range };
    unnamed.add(argument);
    found.push(argument);
  };
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", from)) {
    directive.lastIndex = at;
    const match = directive.exec(text);
    const {
      variable,
      substitute,
      position,
      index,
      name,
      width,
      precision,
      length = "",
      conversion = "",
    } = match?.groups ?? {};
    if (match === null || (conversion !== "" && !conversions.test(conversion))) {
      loose.push(at);
      from = at + 1;
      continue;
    }
    from = at + match[0].length;
    isFormat = true;
    const range = [at, from] as const;
    if (match[0] === "%%") continue;
    if (variable !== undefined) {
      found.push({ name: variable, kind: "variable", range });
      continue;
    }
    if (substitute !== undefined) {
      next(anyNumber, range);
      continue;
    }
    if (width === "*") next("integer", range);
    if (precision === "*") next("integer", range);
    // Python alone has names, and no conversion %S or %C, which it cannot read.
    const known = name === undefined || !/[SC]/.test(conversion) ? kinds.get(conversion) : undefined;
    const kind = (known ?? conversion) + (length === "" ? "" : ` ${length}`);
    const own = name ?? position ?? index;
    if (own === undefined) next(kind, range);
    else found.push({ name: own, kind, range });
  }
  // Beside numbered ones, as in Apple's plurals, those without a number have places of their own.
  if (isCounted && found.length > count) {
    isCounted = false;
    for (const [i, argument] of found.entries())
      if (unnamed.has(argument)) found[i] = { ...argument, name: `#${argument.name}` };
  }
  const foreign = foreignFault(text);
  return { arguments: found, loose, isFormat, isCounted, ...(foreign && { foreign }) };
}

/** Digits and marks inside a directive that programs do not read as such. */
function foreignFault(text: string): SyntaxFault | undefined {
  for (const { 0: whole, index } of text.matchAll(/%[0-9$\p{Nd}\p{Cf}]{0,6}[a-zA-Z@]/gu)) {
    const wrong = foreignIn(text, [index, index + whole.length]);
    if (wrong !== undefined) return { fault: `${wrong.name} stands in an argument`, range: wrong.range };
  }
  return undefined;
}

const rules = defineSyntax({
  special: /%/,
  isStrict: false,
  rules: { missing: "warning", areCompatible: (...pair) => pair.includes(anyNumber) },
  parse: parsePrintf,
});

export const printf: MessageSyntax = {
  ...rules,
  compareWith(source) {
    const from = parsePrintf(source);
    const compareRules = rules.compareWith(source);
    // A localization of a string catalog may have substitutions of its own.
    const compare: Comparison = (translation, context) =>
      compareRules(translation, context).map((finding) =>
        finding.check === "argument-extra" && finding.found?.startsWith("%#@")
          ? Object.assign({}, finding, { severity: "warning" })
          : finding,
      );
    return (translation, context) => compareDirectives(from, translation, context, compare);
  },
};

function compareDirectives(
  from: Parsed,
  translation: string,
  context: TextContext,
  compare: Comparison,
): readonly CheckFinding[] {
  const to = parsePrintf(translation);
  if (to.foreign !== undefined && from.foreign === undefined) {
    const { fault, range } = to.foreign;
    return [
      { check: "syntax", severity: "error", message: fault, found: translation.slice(...range), range },
    ];
  }
  const isPlain = !from.isFormat && !parsePrintf(context.sourceOther ?? "").isFormat;
  if (isPlain) {
    return compare(translation, context).filter(({ range }) => {
      return range !== undefined && isCertain(translation, range[0], range[1]);
    });
  }
  const findings = compare(translation, context);
  const [at] = to.loose;
  // A missing argument and the rest of it are one fault.
  if (at === undefined || from.loose.length > 0) return findings;
  const message = "a percent sign that begins no argument is written %%";
  const range = [at, Math.min(at + 2, translation.length)] as const;
  return [
    ...findings.filter(({ check }) => check !== "argument-missing"),
    {
      check: "syntax",
      severity: "error",
      message,
      found: translation.slice(...range),
      expected: "%%",
      range,
    },
  ];
}

/** Whether a directive in a translation, of whose source text has none, is surely one. */
function isCertain(text: string, start: number, end: number): boolean {
  return (
    certain.test(text.slice(end - 1, end)) &&
    !/[\p{L}\p{M}]/u.test(text.slice(end, end + 2)) &&
    !/\d/.test(text[start - 1] ?? "")
  );
}

export const android: MessageSyntax = {
  ...printf,
  parse: (text) => printf.parse(withoutTags(text)),
  compareWith(source) {
    const own = withoutTags(source);
    const compare = printf.compareWith(own);
    const isNumbered = unnumberedIn(own).length < 2;
    return (translation, context) => {
      const { sourceOther } = context;
      const text = withoutTags(translation);
      const findings = compare(text, {
        ...context,
        sourceOther: sourceOther && withoutTags(sourceOther),
      }).map((finding) => asItStands(translation, finding));
      const [, second] = unnumberedIn(text);
      if (!isNumbered || second === undefined || findings.length > 0) return findings;
      return [unnumberedFinding(translation, second)];
    };
  },
};

/** A finding with what stands at its place in the text. */
function asItStands(text: string, finding: CheckFinding): CheckFinding {
  const { range, found } = finding;
  return range === undefined || found === undefined ? finding : { ...finding, found: text.slice(...range) };
}

/** The arguments without numbers. Android's compiler refuses a text that has two of them. */
function unnumberedIn(text: string): readonly Argument[] {
  return parsePrintf(text).arguments.filter(({ range }) => !/^%\d+\$/.test(text.slice(...range)));
}

function unnumberedFinding(text: string, { range }: Argument): CheckFinding {
  const found = text.slice(...range);
  const message = `${found} has no number, such as %2$s: of several arguments each must have one`;
  return { check: "syntax", severity: "error", message, found, range };
}

/** A text of the same length with blanks in place of its tags, whose attributes are examples and addresses. */
function withoutTags(text: string): string {
  return text.includes("<") ? text.replaceAll(/<[^<>]*>/g, (tag) => " ".repeat(tag.length)) : text;
}
