/** A TOML file as its tables and their lines, with the places of its values. */
import { ParseError, parseTOML, type AST } from "toml-eslint-parser";
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "../patch/format-error.ts";
import type { OwnLine, Section, Sections } from "../patch/section-writer.ts";
import { errorAt } from "../patch/source-text.ts";
import { checkDepth, type Span } from "../patch/tree.ts";

/** The names from the root to a table or value. */
export type Path = readonly string[];

/** A string, or with no text anything else, which stays as it is. */
export interface TomlValue extends Span {
  readonly kind: "value";
  readonly path: Path;
  readonly text: string | undefined;
}

export interface TomlContainer extends Span {
  readonly kind: "table" | "array";
  readonly path: Path;
  readonly members: readonly TomlMember[];
}

export type TomlNode = TomlValue | TomlContainer;

/** A key and its value: on a line of its own, or in braces, where an array's element has no key. */
export interface TomlMember extends Span {
  readonly node: TomlNode;
}

export interface TomlLine extends OwnLine, TomlMember {}

/** A table in brackets with the lines below it; or the root. */
export interface TomlTable extends Section<TomlLine> {
  readonly path: Path;
}

export type TomlFile = Sections<TomlTable>;

/** A path as one string. */
export function pathKey(path: Path): string {
  return path.map((name) => `${name}\0`).join("");
}

/** The values below a node, in their order. */
export function valuesIn(node: TomlNode): readonly TomlValue[] {
  return node.kind === "value" ? [node] : node.members.flatMap((member) => valuesIn(member.node));
}

/** Parsing takes about 80 times a file's size in memory. */
const maxLength = 8 * 1024 * 1024;

/** @throws FormatError with the line of what is not TOML, or has no place for texts with keys. */
export function readTomlFile(text: string): TomlFile {
  if (text.length > maxLength) throw new FormatError(`has more than ${maxLength} characters`);
  const [program] = parse(text).body;
  const reader = new TomlReader(text);
  const root: AST.TOMLKeyValue[] = [];
  const tables: AST.TOMLTable[] = [];
  for (const node of program.body) {
    if (node.type === "TOMLTable") tables.push(node);
    else root.push(node);
  }
  const top = { path: [], header: undefined, lines: reader.lines(root, []) };
  return [top, ...tables.map((table) => reader.table(table))];
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (error instanceof ParseError) throw errorAt(text, error.index, `is not valid TOML: ${error.message}`);
    // The library overflows the stack when values are nested too deep.
    if (error instanceof RangeError) throw new FormatError("is nested too deep", undefined, { cause: error });
    throw error;
  }
}

class TomlReader {
  readonly #text: string;
  /** Where the header or line that was read last ends. */
  #floor = -1;

  constructor(text: string) {
    this.#text = text;
  }

  table({ kind, key, body, range }: AST.TOMLTable): TomlTable {
    const [start] = range;
    if (kind === "array") {
      const name = excerpt(this.#names(key).join("."));
      throw errorAt(this.#text, start, `has an array of tables, [[${name}]], whose texts have no keys`);
    }
    const path = this.#names(key);
    const header = this.#behindOthers({ start, end: this.#text.indexOf("]", key.range[1]) + 1 });
    return { path, header, lines: this.lines(body, path) };
  }

  lines(body: readonly AST.TOMLKeyValue[], path: Path): readonly TomlLine[] {
    return body.map((line) => this.#behindOthers(this.#member(line, path)));
  }

  #behindOthers<T extends Span>(line: T): T & OwnLine {
    const floor = this.#floor;
    this.#floor = line.end;
    return { ...line, floor };
  }

  #member({ key, value, range: [start, end] }: AST.TOMLKeyValue, path: Path): TomlMember {
    const node = this.#node(value, [...path, ...this.#names(key)]);
    return { start, end, node };
  }

  #names({ keys }: AST.TOMLKey): Path {
    return keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  }

  #node(value: AST.TOMLContentNode, path: Path): TomlNode {
    const [start, end] = value.range;
    checkDepth(path.length, this.#text, start);
    if (value.type === "TOMLInlineTable") {
      const members = value.body.map((member) => this.#member(member, path));
      return { kind: "table", path, start, end, members };
    }
    if (value.type === "TOMLArray") {
      const members = value.elements.map((element, i): TomlMember => {
        const [from, to] = element.range;
        const node = element.type === "TOMLValue" ? this.#node(element, [...path, String(i)]) : undefined;
        return { start: from, end: to, node: node ?? { kind: "value", path, text: undefined, start, end } };
      });
      const areTexts = members.every(({ node }) => node.kind === "value" && node.text !== undefined);
      return areTexts
        ? { kind: "array", path, start, end, members }
        : { kind: "value", path, text: undefined, start, end };
    }
    const text = value.kind === "string" ? value.value : undefined;
    return { kind: "value", path, text, start, end };
  }
}
