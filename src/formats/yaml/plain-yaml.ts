/**
 * Reads the YAML that most files of texts are: names with texts on one line or in literal blocks, nested by blanks. The
 * library makes several objects for each character that means something; here each line is matched as a whole, which takes
 * a fraction of the time. Whatever is not plain is left to the library, which also says what is wrong with it.
 */
import type { Entry, GroupNode, TreeNode } from "../patch/tree.ts";
import type { PlainRule } from "./yaml-scalars.ts";

/** What no plain file has: tabs, other line ends than those of Unix, control characters and byte order marks. */
// oxlint-disable-next-line no-control-regex -- what is looked for
const strange = /[\0-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/;

/** A line of a name and what follows it; a name in quotes has nothing that they change. */
const line = /( *)(?:([A-Za-z0-9_](?:[\w./-]|:(?=\w))*)|"([^"\\\n]+)"|'([^'\n]+)'):(?: +([^\n]*))?(?:\n|$)/y;
const blankLine = / *(?:#[^\n]*)?(?:\n|$)/y;
const start = /---\n/y;
/** Plain scalars that begin with no sign; those with `: ` and ` #` are none. */
const plain = /^[^\s\-?:,[\]{}#&*!|>'"%@`](?:(?!: |:$| #).)*$/u;
const doubleQuoted = /^"((?:[^"\\]|\\["\\n])*)"$/;
const singleQuoted = /^'((?:[^']|'')*)'$/;

/** The deepest nesting, and the longest name, that no file of texts exceeds. */
const maxDepth = 50;
const maxName = 200;

/** Thrown where a file is not plain. */
const isNotPlain = Symbol("is not plain");

/**
 * Reads a file of one mapping.
 * @param isOther tells which plain scalars are not strings.
 * @returns undefined where it is not plain.
 */
export function readPlainYaml(text: string, isOther: PlainRule): GroupNode | undefined {
  if (strange.test(text) || !text.isWellFormed()) return undefined;
  try {
    return new PlainReader(text, isOther).read();
  } catch (error) {
    if (error === isNotPlain) return undefined;
    throw error;
  }
}

/** A line of a name. */
interface NamedLine {
  readonly indent: number;
  readonly name: string;
  readonly start: number;
  /** Behind the colon. */
  readonly colon: number;
  readonly value: string;
  readonly valueStart: number;
}

class PlainReader {
  readonly #text: string;
  readonly #isOther: PlainRule;
  #at = 0;
  /** The next line of a name, which {@link #at} is behind; undefined at the end. */
  #next: NamedLine | undefined;

  constructor(text: string, isOther: PlainRule) {
    this.#text = text;
    this.#isOther = isOther;
  }

  read(): GroupNode | undefined {
    this.#passBlanks();
    start.lastIndex = this.#at;
    if (start.test(this.#text)) this.#at = start.lastIndex;
    this.#advance();
    if (this.#next === undefined) return undefined;
    const root = this.#readGroup(this.#next.indent, 1);
    return this.#next === undefined ? root : undefined;
  }

  #passBlanks(): void {
    for (;;) {
      blankLine.lastIndex = this.#at;
      if (this.#at >= this.#text.length || !blankLine.test(this.#text)) return;
      this.#at = blankLine.lastIndex;
    }
  }

  /** Reads the next line of a name. */
  #advance(): void {
    this.#passBlanks();
    if (this.#at >= this.#text.length) {
      this.#next = undefined;
      return;
    }
    line.lastIndex = this.#at;
    const found = line.exec(this.#text);
    if (found === null) throw isNotPlain;
    const [whole, blanks = "", bare, double, single, rest = ""] = found;
    const name = bare ?? double ?? single ?? "";
    if (name.length > maxName) throw isNotPlain;
    const from = this.#at + blanks.length;
    const colon = from + name.length + (bare === undefined ? 2 : 0) + 1;
    const value = withoutBlanksBehind(rest);
    const valueEnd = this.#at + whole.length - (whole.endsWith("\n") ? 1 : 0) - (rest.length - value.length);
    const valueStart = valueEnd - value.length;
    this.#at += whole.length;
    this.#next = { indent: blanks.length, name, start: from, colon, value, valueStart };
  }

  #readGroup(indent: number, depth: number): GroupNode {
    if (depth > maxDepth) throw isNotPlain;
    const entries: Entry[] = [];
    const names = new Set<string>();
    const first = this.#next?.start ?? 0;
    for (let next = this.#next; next?.indent === indent; next = this.#next) {
      if (names.has(next.name)) throw isNotPlain;
      names.add(next.name);
      const node = this.#readValue(next, depth);
      entries.push({ name: next.name, start: next.start, end: node.end, node });
    }
    if (this.#next !== undefined && this.#next.indent > indent) throw isNotPlain;
    const end = entries.at(-1)?.end ?? first;
    return { kind: "group", isList: false, start: first, end, innerStart: first, innerEnd: end, entries };
  }

  /** Reads what a name has, and the line behind that. */
  #readValue({ indent, value, colon, valueStart }: NamedLine, depth: number): TreeNode {
    if (value === "|" || value === "|-") return this.#readBlock(indent, value, valueStart);
    if (value === "") {
      this.#advance();
      const inner = this.#next?.indent ?? 0;
      if (inner > indent) return this.#readGroup(inner, depth + 1);
      return { kind: "other", start: colon, end: colon };
    }
    const end = valueStart + value.length;
    const text = scalarOf(value);
    if (text === undefined) throw isNotPlain;
    this.#refuseFurtherLines(indent);
    this.#advance();
    const isText = /^["']/.test(value) || !this.#isOther(value);
    return isText
      ? { kind: "text", text, start: valueStart, end }
      : { kind: "other", start: valueStart, end };
  }

  /** A line that is indented further may go on with a scalar. */
  #refuseFurtherLines(indent: number): void {
    const further = /(?: *\n)*( *)[^ \n]/y;
    further.lastIndex = this.#at;
    const [, blanks = ""] = further.exec(this.#text) ?? [];
    if (blanks.length > indent) throw isNotPlain;
  }

  /** Reads the lines of a literal block. */
  #readBlock(indent: number, header: string, from: number): TreeNode {
    const text = this.#text;
    const [, first = ""] = /^( +)[^ \n]/.exec(text.slice(this.#at, this.#at + maxName)) ?? [];
    const inner = first.length;
    if (inner <= indent || !text.endsWith("\n")) throw isNotPlain;
    const lines: string[] = [];
    let end = this.#at;
    /** Lines of blanks, which belong to the text if another line follows. */
    let blanks: string[] = [];
    for (let at = this.#at; at < text.length;) {
      const feed = text.indexOf("\n", at);
      const whole = text.slice(at, feed);
      const content = whole.replace(/^ +/, "");
      const depth = whole.length - content.length;
      // A line of other blanks, such as those without a break, is one of text.
      if (content !== "" && content.trim() === "") throw isNotPlain;
      if (content !== "" && depth <= indent) break;
      if (content !== "" && depth < inner) throw isNotPlain;
      at = feed + 1;
      if (content === "") blanks.push(whole);
      else {
        for (const each of [...blanks, whole]) lines.push(each.slice(inner));
        blanks = [];
        end = feed;
        this.#at = at;
      }
    }
    if (blanks.some((blank) => blank !== "")) throw isNotPlain;
    if (lines.length === 0) throw isNotPlain;
    this.#advance();
    return { kind: "text", text: lines.join("\n") + (header === "|" ? "\n" : ""), start: from, end };
  }
}

/** By hand, as an expression tries each run of blanks from each of its places. */
function withoutBlanksBehind(text: string): string {
  let end = text.length;
  while (text[end - 1] === " ") end--;
  return text.slice(0, end);
}

/** The text of a scalar on one line; undefined where it is not plain. */
function scalarOf(value: string): string | undefined {
  const [, double] = doubleQuoted.exec(value) ?? [];
  if (double !== undefined)
    return double.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
  const [, single] = singleQuoted.exec(value) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  return plain.test(value) ? value : undefined;
}
