/** The `Plural-Forms` of gettext files, and the categories of the CLDR that their numbers stand for. */
import type { PluralCategory } from "../../domain/strings/plural-forms.ts";
import { FormatError } from "../patch/format-error.ts";

export interface PluralForm {
  /** The category of most of its numbers. */
  readonly category: PluralCategory;
  /** The number of the form that has the category's text: itself, or another, as a Hive has one text for each. */
  readonly holder: number;
}

/** Numbers that distinguish the plural forms of every language. */
const samples: readonly number[] = Array.from({ length: 1004 }, (_, n) =>
  n <= 1000 ? n : (n - 1000) * 1_000_000,
);

/** Expressions of gettext's manual and of the CLDR, the usual one of a language first. */
const expressions: readonly string[] = [
  "0",
  "n != 1",
  "n > 1",
  "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2",
  "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2",
  "(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2",
  "n%10==1 && (n%100<11 || n%100>19) ? 0 : n%10>=2 && (n%100<11 || n%100>19) ? 1 : 2",
  "n%10==0 || (n%100>=11 && n%100<=19) ? 0 : n%10==1 && n%100!=11 ? 1 : 2",
  "n==1 ? 0 : n==0 || (n%100>=1 && n%100<=19) ? 1 : 2",
  "n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3",
  "n==1 ? 0 : n==2 ? 1 : 2",
  "n==1 ? 0 : n==2 ? 1 : n>=3 && n<=6 ? 2 : n>=7 && n<=10 ? 3 : 4",
  "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5",
  "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5",
  "n%10!=1 || n%100==11",
  "n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n>=3 && n<=19 ? 2 : 3",
  "n==1 ? 0 : n==2 ? 1 : n==0 || (n%100>=3 && n%100<=10) ? 2 : n%100>=11 && n%100<=19 ? 3 : 4",
];

/** The forms by locale and header: the files of a locale mostly have the same header. */
const known = new Map<string, readonly PluralForm[]>();
const maxKnown = 1_000;

/**
 * The plural forms of a file, by the file's own expression.
 * @param header the value of `Plural-Forms`; two forms as in English if not given.
 * @throws FormatError when it cannot be read.
 */
export function formsOf(header: string | undefined, locale: string): readonly PluralForm[] {
  const key = `${locale} ${header}`;
  const forms = known.get(key) ?? readForms(header ?? "nplurals=2; plural=n != 1;", locale);
  if (known.size >= maxKnown) known.clear();
  known.set(key, forms);
  return forms;
}

function readForms(header: string, locale: string): readonly PluralForm[] {
  // As gettext itself does, whatever follows the expression is passed over.
  const [, count = "", expression = ""] =
    /^\s*nplurals\s*=\s*([1-9])\s*;\s*plural\s*=\s*([^;]+)(?:;|$)/.exec(header) ?? [];
  if (count === "") throw unreadable();
  const formOf = parseExpression(expression);
  // Of a language without data, the forms for one and for most numbers are known.
  const rules = rulesOf(locale) ?? new Intl.PluralRules("en");
  const numbers = Array.from({ length: Number(count) }, () => new Map<PluralCategory, number>());
  for (const n of samples) {
    const counts = numbers[formOf(n)];
    if (counts === undefined) throw new FormatError("has Plural-Forms that give more forms than they say");
    const category = rules.select(n);
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  const taken = takenBy(numbers);
  // A form that no whole number has is for fractions, and has a category that is left.
  const left = rules.resolvedOptions().pluralCategories.filter((category) => !taken.includes(category));
  const categories = numbers.map(
    (counts, form) =>
      taken[form] ?? (counts.size === 0 ? left.shift() : undefined) ?? byCount(counts)[0]?.[0] ?? "other",
  );
  return categories.map((category, form) => {
    const holder = taken.indexOf(category);
    return { category, holder: holder === -1 ? form : holder };
  });
}

type Counts = ReadonlyMap<PluralCategory, number>;

/** The category of each form, none twice: where two forms could have one, that with more of its numbers has it. */
function takenBy(forms: readonly Counts[]): (PluralCategory | undefined)[] {
  const taken: (PluralCategory | undefined)[] = forms.map(() => undefined);
  const pairs = forms.flatMap((counts, form) =>
    byCount(counts).map(([category, count]) => ({ form, category, count })),
  );
  for (const { form, category } of pairs.toSorted((a, b) => b.count - a.count)) {
    if (taken[form] === undefined && !taken.includes(category)) taken[form] = category;
  }
  return taken;
}

function byCount(counts: Counts): readonly (readonly [PluralCategory, number])[] {
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

/** The `Plural-Forms` of a locale. @throws FormatError when the language has forms that are not known here. */
export function pluralFormsOf(locale: string): string {
  const rules = rulesOf(locale);
  if (rules === undefined) throw unknownForms(locale);
  // Large numbers have a form of their own in some languages, which files there are seldom have.
  const small = samples.filter((n) => n <= 1000);
  const wanted = new Set(small.map((n) => rules.select(n)));
  for (const expression of expressions) {
    const formOf = parseExpression(expression);
    const seen = new Map<number, PluralCategory>();
    const isSame = small.every((n) => {
      const form = formOf(n);
      const category = seen.get(form) ?? rules.select(n);
      seen.set(form, category);
      return category === rules.select(n);
    });
    if (isSame && seen.size === wanted.size)
      return `nplurals=${seen.size}; plural=${seen.size > 2 ? `(${expression})` : expression};`;
  }
  throw unknownForms(locale);
}

function unknownForms(locale: string): FormatError {
  return new FormatError(
    `cannot be made for ${locale}, whose Plural-Forms are not known; make it with msginit`,
  );
}

function rulesOf(locale: string): Intl.PluralRules | undefined {
  const code = locale.replace(/[.@].*$/, "").replaceAll("_", "-");
  try {
    if (Intl.PluralRules.supportedLocalesOf(code).length > 0) return new Intl.PluralRules(code);
  } catch {
    // An invalid code has no rules either.
  }
  return undefined;
}

const token = /\s*(\d+|n|\|\||&&|[=!<>]=|[-+*/%<>!?:()])/y;
type Operator = (a: number, b: number) => number | boolean;
/** Operators of C from the loosest to the tightest. */
const levels: readonly Readonly<Record<string, Operator>>[] = [
  { "||": (a, b) => a !== 0 || b !== 0 },
  { "&&": (a, b) => a !== 0 && b !== 0 },
  { "==": (a, b) => a === b, "!=": (a, b) => a !== b },
  { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => Math.trunc(a / b), "%": (a, b) => a % b },
];
const longestExpression = 1000;

type Formula = (n: number) => number;

/** @throws FormatError when it is no expression of C about n. */
function parseExpression(source: string): Formula {
  const tokens: string[] = [];
  token.lastIndex = 0;
  const trimmed = source.trim();
  for (let match = token.exec(trimmed); match !== null; match = token.exec(trimmed))
    tokens.push(match[1] ?? "");
  const length = tokens.join("").length;
  if (length !== trimmed.replaceAll(/\s/g, "").length || length > longestExpression) throw unreadable();
  let at = 0;

  function expect(sign: string): void {
    if (tokens[at++] !== sign) throw unreadable();
  }

  function ternary(): Formula {
    const condition = binary(0);
    if (tokens[at] !== "?") return condition;
    at++;
    const yes = ternary();
    expect(":");
    const no = ternary();
    return (n) => (condition(n) === 0 ? no(n) : yes(n));
  }

  function binary(level: number): Formula {
    const operators = levels[level];
    if (operators === undefined) return unary();
    let left = binary(level + 1);
    for (let operator = operators[tokens[at] ?? ""]; operator; operator = operators[tokens[at] ?? ""]) {
      at++;
      left = combine(operator, left, binary(level + 1));
    }
    return left;
  }

  function unary(): Formula {
    const sign = tokens[at++] ?? "";
    if (sign === "!") {
      const inner = unary();
      return (n) => (inner(n) === 0 ? 1 : 0);
    }
    if (sign === "(") {
      const inner = ternary();
      expect(")");
      return inner;
    }
    if (sign === "n") return (n) => n;
    if (!/^\d+$/.test(sign)) throw unreadable();
    const value = Number(sign);
    return () => value;
  }

  const formula = ternary();
  if (at < tokens.length) throw unreadable();
  return formula;
}

function unreadable(): FormatError {
  return new FormatError("has Plural-Forms that cannot be read");
}

function combine(operator: Operator, left: Formula, right: Formula): Formula {
  return (n) => Number(operator(left(n), right(n)));
}
