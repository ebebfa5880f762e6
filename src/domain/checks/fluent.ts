/**
 * Fluent's patterns: `{ $name }`, `{ -term }`, selectors. A translation may choose other forms than its source text, or
 * none: the default variant stands for all others.
 */
import {
  FluentParser,
  Visitor,
  type Placeable,
  type SelectExpression,
  type TextElement,
  type VariableReference,
} from "@fluent/syntax";
import { defineSyntax } from "./arguments.ts";
import { TextLines } from "../long-texts.ts";
import { categoriesOfNumbers } from "./categories.ts";
import {
  maxFindings,
  type Argument,
  type MessageBranch,
  type CheckFinding,
  type Choice,
  type Message,
  type SyntaxFault,
  type TextContext,
  type TextRange,
} from "./message.ts";

export const fluent = defineSyntax({
  special: /[{}]|\n[ ]*[.*[]/,
  isStrict: true,
  rules: { missing: "warning", write: (name) => `{ $${name} }` },
  parse: parseFluent,
  further: compareChoices,
});

/** The deepest nesting of braces and parentheses: the parser calls itself. */
export const maxFluentDepth = 100;

/** Where brackets are nested too deep; entries of a file, at the starts of lines, begin without any open ones. */
export function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/\n(?=[^\s}])|[{}()]/g)) {
    if (sign === "\n") depth = 0;
    else depth = Math.max(0, depth + (sign === "{" || sign === "(" ? 1 : -1));
    if (depth > maxFluentDepth) return index;
  }
  return undefined;
}

const indent = "    ";

function parseFluent(text: string): Message | SyntaxFault {
  // At the start of a line, these would begin a variant or an attribute.
  const isInline = /^[.*[]/.test(text);
  const head = isInline ? "x = " : "x =\n";
  const lines = text
    .split("\n")
    .map((line, i) => (line.trim() === "" || (i === 0 && isInline) ? line : indent + line));
  const body = lines.join("\n");
  const code = head + body;
  const [inCode, inText] = [new TextLines(body), new TextLines(text)];
  const deep = tooDeepAt(code);
  /** The offset in the text for one in the code, whose lines are indented. */
  const offsetOf = (at: number): number => {
    const place = Math.max(0, at - head.length);
    const line = inCode.indexAt(place);
    const width = isInline && line === 0 ? 0 : indent.length;
    const column = Math.max(0, place - inCode.startOf(line) - width);
    return Math.min(text.length, inText.startOf(line) + column);
  };
  const fault = (message: string, at: number): SyntaxFault => {
    const start = Math.max(0, Math.min(offsetOf(at), text.length - 1));
    return { fault: message, range: [start, Math.min(text.length, start + 1)] };
  };
  if (deep !== undefined) return fault(`brackets are nested more than ${maxFluentDepth} deep`, deep);
  const [entry, ...others] = new FluentParser({ withSpans: true }).parse(code).body;
  const junk = [entry, ...others].find((node) => node?.type === "Junk");
  if (junk?.type === "Junk") {
    const [why] = junk.annotations;
    return fault(`not a pattern: ${why?.message ?? "unexpected text"}`, why?.span?.start ?? head.length);
  }
  if (entry?.type !== "Message" || others.length > 0 || entry.attributes.length > 0)
    return fault(
      "not a pattern: another message or attribute begins here",
      others[0]?.span?.start ?? head.length,
    );
  const collector = new Collector(({ start, end }) => [offsetOf(start), offsetOf(end)]);
  collector.visit(entry);
  return collector;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Collects the variables of a pattern, the choices that its selectors make, and its text. */
class Collector extends Visitor implements Message {
  readonly arguments: Argument[] = [];
  readonly choices: Choice[] = [];
  readonly literals: TextRange[] = [];
  readonly #rangeOf: (span: Span) => TextRange;
  /** The placeable that variables stand in, unless they only decide between variants. */
  #around: Span | undefined;

  constructor(rangeOf: (span: Span) => TextRange) {
    super();
    this.#rangeOf = rangeOf;
  }

  override visitPlaceable({ expression, span }: Placeable): void {
    const outer = this.#around;
    this.#around = expression.type === "SelectExpression" ? undefined : span;
    this.visit(expression);
    this.#around = outer;
  }

  override visitTextElement({ span }: TextElement): void {
    if (span !== undefined) this.literals.push(this.#rangeOf(span));
  }

  override visitVariableReference({ id, span }: VariableReference): void {
    const own = this.#around ?? span;
    if (own !== undefined) this.arguments.push({ name: id.name, kind: "any", range: this.#rangeOf(own) });
  }

  override visitSelectExpression({ selector, variants, span }: SelectExpression): void {
    const before = this.arguments.length;
    this.visit(selector);
    const deciding = this.arguments[before];
    if (deciding !== undefined) this.arguments[before] = { ...deciding, isShown: false };
    const name = deciding?.name;
    const branches = new Map<string, MessageBranch>();
    for (const { key, value, default: isDefault } of variants) {
      const start = this.arguments.length;
      this.visit(value);
      const names = new Set(this.arguments.slice(start).map((argument) => argument.name));
      const written = key.type === "Identifier" ? key.name : `=${key.value}`;
      const showsNumber = name !== undefined && names.has(name);
      branches.set(isDefault ? `*${written}` : written, { names, showsNumber });
    }
    if (name === undefined || span === undefined) return;
    const isPlural = [...branches.keys()].some((key) => plurals.has(key.replace("*", "")));
    this.choices.push({ name, kind: isPlural ? "plural" : "select", branches, range: this.#rangeOf(span) });
  }
}

/** A reference to a message or a term, and what it refers to; functions have capital letters. */
const reference = /\{\s*(-?[a-zA-Z][\w-]*)(?:\.[a-zA-Z][\w-]*)?\s*(?=[}(]|->)/g;

/** The names of the messages and terms that a text refers to, with the places of the references. */
function* referencesIn(text: string): Generator<{ readonly name: string; readonly range: TextRange }> {
  if (!text.includes("{")) return;
  // A literal is text. It need not be closed, so that each match begins behind the one before it.
  const code = text.replaceAll(/\{\s*"(?:[^"\\\n]|\\.)*"?/g, (literal) => " ".repeat(literal.length));
  for (const { 0: whole, 1: name = "", index } of code.matchAll(reference)) {
    if (/^[A-Z][A-Z0-9_-]*$/.test(name) && code[index + whole.length] === "(") continue;
    yield { name, range: [index, index + whole.length] };
  }
}

/** The messages and terms that a file has or refers to: those of other files are known by the references to them. */
export function knownReferences(texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const known = new Set<string>();
  for (const [key, text] of texts) {
    known.add(key.split(".", 1)[0] ?? key);
    for (const { name } of referencesIn(text)) known.add(name);
  }
  return known;
}

/** Finds references to what does not exist, which Fluent shows as they are written. */
export function unknownReferences(text: string, known: ReadonlySet<string>): readonly CheckFinding[] {
  return Array.from(referencesIn(text))
    .flatMap(({ name, range }): CheckFinding[] => {
      if (known.has(name)) return [];
      const found = text.slice(...range);
      const what = name.startsWith("-") ? "term" : "message";
      const message = `there is no ${what} ${name}, neither in the file nor in its source texts`;
      return [{ check: "argument-extra", severity: "error", message, found, range }];
    })
    .slice(0, maxFindings);
}

const plurals: ReadonlySet<string> = new Set(["zero", "one", "two", "few", "many"]);

/** The largest whole number whose category a text needs. */
const largest = 1_000;

/** Finds plurals that lack categories of their language; the default variant can stand for one. */
function compareChoices(
  source: Message,
  translation: Message,
  { locale }: TextContext,
): readonly CheckFinding[] {
  const inSource = new Set(source.choices?.flatMap(({ name: own, kind }) => (kind === "plural" ? own : [])));
  const used = [...categoriesOfNumbers(locale, "cardinal")].filter(([, [first = 0]]) => first <= largest);
  return (translation.choices ?? []).flatMap(({ name: own, kind, branches, range }): CheckFinding[] => {
    if (kind !== "plural" || !inSource.has(own)) return [];
    const missing = used.flatMap(([category, numbers]) => {
      const isThere = branches.has(category) || branches.has(`*${category}`);
      return isThere || numbers.every((number) => branches.has(`=${number}`)) ? [] : category;
    });
    const isSpare = !used.some(([category]) => branches.has(`*${category}`));
    if (missing.length <= (isSpare ? 1 : 0)) return [];
    const names = missing.map((category) => `"${category}"`).join(", ");
    const message = `{ $${own} } lacks the variants ${names}`;
    return [{ check: "branches", severity: "warning", message, expected: missing.join(", "), range }];
  });
}
