/**
 * Reads what most YAML files consist of: mappings in blocks, and scalars. It takes a tenth of the time of the library,
 * which takes seconds for the megabytes of a large app.
 */
import { CST } from "yaml";
import { textProblem } from "../../domain/text.ts";
import { closingQuote } from "../patch/escapes.ts";
import { checkText, duplicateKey, lineEndAt } from "../patch/source-text.ts";
import { TextReader } from "../patch/text-reader.ts";
import { checkDepth, groupIn, type Entry, type GroupNode, type TreeNode } from "../patch/tree.ts";
import type { PlainRule } from "./yaml-scalars.ts";

/**
 * Reads a file of one mapping.
 * @param isOther tells which plain scalars are not strings.
 * @returns undefined for a file that is invalid or has anything else, such as lists, anchors and explicit keys.
 * @throws FormatError when a name stands twice, or a text cannot be stored.
 */
export function readYamlLines(text: string, isOther: PlainRule): GroupNode | undefined {
  if (textProblem(text) !== undefined || /\r(?!\n)/.test(text)) return undefined;
  return new LineReader(text, isOther).readFile();
}

const documentStart = /--- *\r?\n/y;
const documentEnd = /\.\.\.\s*$/y;
const name =
  /(?:"[^"\\\n]*"|'[^'\n]*'|(?!\.\.\.)[^\s?:,[\]{}#&*!|>'"%@`-][^:#\s]*(?: +[^:#\s]+)*):(?=[ \r\n]|$)/y;
/** The longest name that is read here; for a longer one the library gives the error. */
const longestName = 1000;
const lineRest = /(?: +#[^\n]*| *)(?:\r?\n|$)/y;
/** Characters that begin neither a plain scalar nor one in quotes or a block. */
const indicator = /[[\]{}&*!%@`,#]|[-?:](?:\s|$)/y;
const blockHeader = /[|>]([1-9]?)-? *\r?\n/y;
/** Characters that a plain scalar cannot have on a line, or that are rare. */
const notPlain = /\t|:(?: |$)/;
const onlyBlanks = /\n[ \t]+\r?(?:\n|$)/;

/** A line of a scalar. */
interface Line {
  /** Where its first character stands that is no blank. */
  readonly start: number;
  readonly indent: number;
}

class LineReader extends TextReader {
  readonly #isOther: PlainRule;
  /** The column of the name that comes next; -1 at the end of the file. */
  #column = -1;

  constructor(text: string, isOther: PlainRule) {
    super(text);
    this.#isOther = isOther;
  }

  readFile(): GroupNode | undefined {
    this.#toName();
    if (this.#column === 0 && this.skip(documentStart)) this.#toName();
    const root = this.#column === 0 ? this.#readGroup(1) : undefined;
    return this.#column === -1 ? root : undefined;
  }

  /** Reads the entries at a column. */
  #readGroup(depth: number): GroupNode | undefined {
    const start = this.at;
    const column = this.#column;
    checkDepth(depth, this.text, start);
    const entries: Entry[] = [];
    const names = new Set<string>();
    while (this.#column === column) {
      const entryStart = this.at;
      const key = this.#readName();
      if (key === undefined || key.length > longestName) return undefined;
      if (names.size === names.add(key).size) {
        const other = entries.find((entry) => entry.name === key)?.start ?? entryStart;
        throw duplicateKey(this.text, key, entryStart, other);
      }
      const node = this.#readValue(column, depth);
      if (node === undefined) return undefined;
      entries.push({ name: key, start: entryStart, end: node.end, node });
    }
    const end = entries.at(-1)?.end;
    if (end === undefined || this.#column > column) return undefined;
    return groupIn({ start, end }, entries);
  }

  /** Reads a name with its colon. */
  #readName(): string | undefined {
    const start = this.at;
    if (!this.skip(name)) return undefined;
    const quotes = this.text[start] === '"' || this.text[start] === "'" ? 1 : 0;
    return this.text.slice(start + quotes, this.at - 1 - quotes);
  }

  /** Reads the value of a name at a column, and goes to the next name. */
  #readValue(column: number, depth: number): TreeNode | undefined {
    const colon = this.at;
    if (this.#endLine()) {
      if (this.#column > column) return this.#readGroup(depth + 1);
      return { kind: "other", start: colon, end: colon };
    }
    while (this.text[this.at] === " ") this.at++;
    const start = this.at;
    const first = this.text[start];
    const isBlock = first === "|" || first === ">";
    const isQuoted = first === '"' || first === "'";
    const text = isBlock
      ? this.#readBlock(column)
      : isQuoted
        ? this.#readQuoted(first, column)
        : this.#readPlain(column);
    const end = this.at;
    if (text === undefined || !this.#endLine()) return undefined;
    const isText = isBlock || isQuoted || !this.#isOther(text);
    return isText ? { kind: "text", text, start, end } : { kind: "other", start, end };
  }

  #readPlain(column: number): string | undefined {
    const start = this.at;
    if (this.skip(indicator)) return undefined;
    const line = this.#lineFrom(start);
    const comment = line.indexOf(" #");
    const text = comment === -1 ? line : line.slice(0, comment).replace(/ +$/, "");
    if (notPlain.test(text)) return undefined;
    this.at = start + text.length;
    if (comment !== -1) return text;
    for (;;) {
      const below = this.#lineBelow(this.at, column);
      if (below === undefined || this.text[below.start] === "#") break;
      const more = this.#lineFrom(below.start);
      if (more.includes(" #") || notPlain.test(more)) return undefined;
      this.at = below.start + more.length;
    }
    return this.at === start + text.length ? text : this.#resolve(this.#tokenFrom(start, "scalar"));
  }

  #readQuoted(quote: "'" | '"', column: number): string | undefined {
    const text = this.text;
    const start = this.at;
    let at = quote === "'" ? text.indexOf("'", start + 1) : closingQuote(text, start);
    if (quote === "'") while (text[at + 1] === "'") at = text.indexOf("'", at + 2);
    if (at === -1) return undefined;
    this.at = at + 1;
    const inner = text.slice(start + 1, at);
    if (!/[\\\n]|''/.test(inner)) return inner;
    const [, ...below] = text.slice(start, this.at).split("\n");
    const isUsual = below.every(
      (line) => !line.includes("\t") && (/^ *\r?$/.test(line) || line.search(/[^ ]/) > column),
    );
    const type = quote === "'" ? "single-quoted-scalar" : "double-quoted-scalar";
    return isUsual ? this.#resolve(this.#tokenFrom(start, type)) : undefined;
  }

  #readBlock(column: number): string | undefined {
    const text = this.text;
    const start = this.at;
    const [header, further] = this.exec(blockHeader) ?? [];
    const first = this.#lineBelow(start, column);
    if (header === undefined || first === undefined) return undefined;
    const indent = further === "" ? first.indent : column + Number(further);
    for (let line: Line | undefined = first; line !== undefined; line = this.#lineBelow(this.at, column)) {
      if (line.indent < indent || text[line.start] === "\t") return undefined;
      this.at = lineEndAt(text, line.start);
    }
    const below = /\s*$|\s*\n/y;
    below.lastIndex = this.at;
    below.test(text);
    const body = text.slice(start + header.length, below.lastIndex);
    if (onlyBlanks.test(`\n${body}`)) return undefined;
    const place = { offset: start, indent: column };
    const source = text.slice(start + header.length, this.at);
    const props: CST.BlockScalar["props"] = [
      { type: "block-scalar-header", ...place, source: header.trim() },
    ];
    return this.#resolve({ type: "block-scalar", ...place, props, source });
  }

  #tokenFrom(offset: number, type: CST.FlowScalar["type"]): CST.FlowScalar {
    return { type, offset, indent: 0, source: this.text.slice(offset, this.at) };
  }

  /** The rest of a line, without blanks at its end. */
  #lineFrom(start: number): string {
    let end = lineEndAt(this.text, start);
    while (end > start && this.text[end - 1] === " ") end--;
    return this.text.slice(start, end);
  }

  /** The next line after an offset that is not empty, if it is indented further than a column. */
  #lineBelow(offset: number, column: number): Line | undefined {
    for (let feed = this.text.indexOf("\n", offset); feed !== -1; feed = this.text.indexOf("\n", feed + 1)) {
      const start = this.#skipSpaces(feed + 1);
      const first = this.text[start];
      const indent = start - feed - 1;
      if (first !== "\n" && first !== "\r")
        return first === undefined || indent <= column ? undefined : { start, indent };
    }
    return undefined;
  }

  #skipSpaces(offset: number): number {
    let at = offset;
    while (this.text[at] === " ") at++;
    return at;
  }

  /** Goes from the end of a value to the next name; false when something else stands behind the value. */
  #endLine(): boolean {
    if (!this.skip(lineRest)) return false;
    this.#toName();
    return true;
  }

  /** Goes from the start of a line to the next name, over empty lines and comments. */
  #toName(): void {
    this.#column = -1;
    while (!this.skip(documentEnd)) {
      const at = this.#skipSpaces(this.at);
      const first = this.text[at];
      if (first !== undefined && first !== "#" && first !== "\n" && first !== "\r") {
        this.#column = at - this.at;
        this.at = at;
        return;
      }
      const feed = this.text.indexOf("\n", at);
      if (feed === -1) return;
      this.at = feed + 1;
    }
  }

  /** The text of a scalar; undefined when it is invalid. */
  #resolve(token: CST.FlowScalar | CST.BlockScalar): string | undefined {
    let isValid = true;
    const { value } = CST.resolveAsScalar(token, true, () => void (isValid = false));
    // Escapes can stand for what cannot be stored.
    if (isValid) checkText(value, this.text, token.offset);
    return isValid ? value : undefined;
  }
}
