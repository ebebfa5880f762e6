/** Reads YAML into a tree of entries with their places. Nothing is resolved: an alias stays an alias. */
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Parser,
  Scalar,
  YAMLParseError,
  type CST,
  type Document,
  type Pair,
  type ParsedNode,
} from "yaml";
import { excerpt, matchEnd } from "../../domain/text.ts";
import { maxDepth } from "../../domain/strings/string-file.ts";
import { errorAt, lineEndAt, noteKey } from "../patch/source-text.ts";
import {
  checkDepth,
  withRepeated,
  type Entry,
  type GroupNode,
  type OtherNode,
  type TreeNode,
} from "../patch/tree.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { lexemesOf } from "./yaml-lexer.ts";
import type { PlainRule } from "./yaml-scalars.ts";

/** An alias and the place of the anchor that it refers to. */
export interface Reference {
  readonly name: string;
  readonly alias: number;
  readonly anchor: number;
}

export interface YamlFile {
  /** The mapping or list that the file is; undefined when it holds nothing but comments. */
  readonly root: GroupNode | undefined;
  readonly references: readonly Reference[];
}

/**
 * Reads a file of one mapping, or of one list.
 * @param isOther tells which plain scalars are not strings.
 * @param mayRepeat whether a name below the root may stand twice in a mapping, and its last value counts.
 * @param isList whether it has to be a list, and not a mapping.
 * @throws FormatError when it is invalid YAML, something else, or cannot be patched because it has keys that are not
 * scalars, or several documents.
 */
export function readYaml(text: string, isOther: PlainRule, mayRepeat = false, isList = false): YamlFile {
  const plain = isList ? undefined : readPlainYaml(text, isOther);
  return plain === undefined
    ? readAnyYaml(text, isOther, mayRepeat, isList)
    : { root: plain, references: [] };
}

/**
 * The same by the library, which knows all of YAML, and what is wrong with it.
 * @throws FormatError as {@link readYaml} does.
 */
export function readAnyYaml(text: string, isOther: PlainRule, mayRepeat = false, isList = false): YamlFile {
  const { contents, errors } = compose(text);
  const [error] = errors;
  if (error !== undefined) {
    throw errorAt(text, error.pos[0], `is not valid YAML: ${error.message}`);
  }
  const reader = new TreeReader(text, isOther, mayRepeat);
  if (contents === null || (isScalar(contents) && contents.source === ""))
    return { root: undefined, references: [] };
  const root = reader.toNode(contents, 1);
  if (root.kind !== "group" || root.isList !== isList) {
    const wanted = isList ? "a list of messages with an id" : "a mapping of names to texts";
    throw errorAt(text, contents.range[0], `must be ${wanted}`);
  }
  return { root, references: reader.references };
}

/**
 * How deep the library's reader may nest before its tree is made, which calls itself for each level: too many levels end the
 * process. A level of a file takes up to three of the reader's.
 */
const maxOpen = 10 * maxDepth;

/** Reads the parts of a file up to one that is nested too deep. */
class BoundedParser extends Parser {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override *parse(text: string): Generator<CST.Token, void> {
    for (const lexeme of lexemesOf(text)) yield* this.next(lexeme);
    yield* this.end();
  }

  override *next(lexeme: string): Generator<CST.Token, void> {
    yield* super.next(lexeme);
    if (this.stack.length > maxOpen) throw errorAt(this.#text, this.offset, "is nested too deep");
  }
}

function compose(text: string): Pick<Document.Parsed, "contents" | "errors"> {
  const composer = new Composer({
    // Scalars stay strings, as readers differ in which are numbers; duplicate names are found by the tree itself.
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const [document, other] = composer.compose(new BoundedParser(text).parse(text), true, text.length);
  if (document === undefined) return { contents: null, errors: [] };
  if (other === undefined) return document;
  const [start, end] = other.range;
  const message = "the file has several documents";
  const error = new YAMLParseError([start, end], "MULTIPLE_DOCS", message);
  return { contents: document.contents, errors: [...document.errors, error] };
}

/** Whether a name has no value at all, so that a group could begin below it. */
export function isBlankValue(node: TreeNode): boolean {
  return node.kind === "other" && node.start === node.end;
}

/** The mark of an explicit key, after blanks, commas and comments. */
const questionMark = /(?:[\s,]|#[^\n]*\n)*\?(?=\s)/y;
const colonBehind = /[ \t]*:/y;
const colonBelow = /(?:\s|#[^\n]*\n)*:/y;

class TreeReader {
  readonly references: Reference[] = [];
  readonly #text: string;
  readonly #isOther: PlainRule;
  readonly #mayRepeat: boolean;
  readonly #anchors = new Map<string, number>();

  constructor(text: string, isOther: PlainRule, mayRepeat: boolean) {
    this.#text = text;
    this.#isOther = isOther;
    this.#mayRepeat = mayRepeat;
  }

  toNode(node: ParsedNode, depth: number): TreeNode {
    const [start, end] = node.range;
    if (isAlias(node)) {
      const anchor = this.#anchors.get(node.source);
      if (anchor === undefined)
        throw errorAt(this.#text, start, `has no anchor for *${node.source} before it`);
      this.references.push({ name: node.source, alias: start, anchor });
      return { kind: "other", start, end };
    }
    // The anchor precedes the node, and stays when the node's text changes.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, start - 1);
    if (isScalar(node)) return this.#toLeaf(node, start, end);
    const isFlow = node.flow === true;
    const entries = isSeq(node)
      ? this.#toElements(node.items, isFlow, start, depth)
      : this.#toEntries(node.items, isFlow ? start + 1 : start, isFlow, depth);
    const { tag } = node;
    const isPlain = tag === undefined || tag === "tag:yaml.org,2002:map" || tag === "tag:yaml.org,2002:seq";
    // A single pair in a list without braces cannot get a second pair.
    if (!isPlain || (isMap(node) && isFlow && this.#text[start] !== "{"))
      return { kind: "other", start, end };
    const inner = isFlow ? 1 : 0;
    const last = isFlow ? end : (entries.at(-1)?.end ?? end);
    return {
      kind: "group",
      isList: isSeq(node),
      start,
      end: last,
      innerStart: start + inner,
      innerEnd: last - inner,
      entries,
    };
  }

  #toLeaf(node: Scalar.Parsed, start: number, end: number): TreeNode {
    const { type, tag, value } = node;
    const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
    const place = { start, end: isBlock ? this.#endOfBlock(start, end) : end };
    const isText = tag === undefined ? type !== Scalar.PLAIN || !this.#isOther(node.source) : isTextTag(tag);
    if (!isText || typeof value !== "string") return { kind: "other", ...place };
    return { kind: "text", text: value, ...place };
  }

  /** The end of the last line of a block that is not blank, unless blanks could be a part of its text. */
  #endOfBlock(start: number, end: number): number {
    const source = this.#text.slice(start, end);
    const lastLine = start + source.trimEnd().length;
    const lineEnd = Math.min(lineEndAt(this.#text, lastLine), end);
    const isKept = /^[|>][0-9]*\+/.test(source) || /[ \t]/.test(this.#text.slice(lineEnd, end));
    return isKept ? start + source.replace(/\r?\n$/, "").length : lineEnd;
  }

  /** @param from where the mapping starts, inside its brackets. */
  #toEntries(
    pairs: readonly Pair<ParsedNode, ParsedNode | null>[],
    from: number,
    isFlow: boolean,
    depth: number,
  ): readonly Entry[] {
    checkDepth(depth, this.#text, from);
    const names = new Map<string, number>();
    let before = from;
    const entries = pairs.map(({ key, value }): Entry => {
      const [keyStart, keyEnd] = key.range;
      if (
        !isScalar(key) ||
        typeof key.value !== "string" ||
        key.tag !== undefined ||
        key.anchor !== undefined
      ) {
        throw errorAt(this.#text, keyStart, "has a key that is neither a plain nor a quoted word");
      }
      const name = key.value;
      // Ruby merges the mappings of all <<.
      if (!this.#mayRepeat || depth === 1 || name === "<<") noteKey(names, name, this.#text, keyStart);
      const mark = matchEnd(questionMark, this.#text, before) ?? keyStart + 1;
      const isExplicit = mark <= keyStart;
      const colon = matchEnd(isExplicit ? colonBelow : colonBehind, this.#text, keyEnd);
      if (isFlow ? isExplicit : colon === undefined) {
        const where = isFlow ? "in brackets" : "without a text";
        throw errorAt(this.#text, keyStart, `has an explicit key (?) ${where}, ${excerpt(name)}`);
      }
      const valueStart = colon ?? keyEnd;
      const node = value === null ? blankAt(valueStart) : this.#toValue(value, valueStart, depth);
      before = Math.max(node.end, valueStart);
      return { name, start: isExplicit ? mark - 1 : keyStart, end: before, node };
    });
    return withRepeated(entries);
  }

  /** A value; an empty one is right after the colon or dash. */
  #toValue(value: ParsedNode, after: number, depth: number): TreeNode {
    const node = this.toNode(value, depth + 1);
    const isBlank = isScalar(value) && value.range[0] === value.range[1] && node.kind === "other";
    return isBlank ? { ...blankAt(after), ...(hasProperties(value) ? { end: after + 1 } : {}) } : node;
  }

  #toElements(items: readonly ParsedNode[], isFlow: boolean, start: number, depth: number): readonly Entry[] {
    checkDepth(depth, this.#text, start);
    let from = start;
    return items.map((item, i) => {
      const dash = isFlow ? item.range[0] : this.#dashAfter(from);
      const node = isFlow ? this.toNode(item, depth + 1) : this.#toValue(item, dash + 1, depth);
      from = Math.max(node.end, dash + 1);
      return { name: String(i), start: dash, end: from, node };
    });
  }

  /** The dash of the next element, after blanks and comments. */
  #dashAfter(offset: number): number {
    return matchEnd(/(?:\s|#[^\n]*)*/y, this.#text, offset) ?? offset;
  }
}

function isTextTag(tag: string): boolean {
  return tag === "tag:yaml.org,2002:str" || tag === "!";
}

function hasProperties({ tag, anchor }: ParsedNode): boolean {
  return tag !== undefined || anchor !== undefined;
}

function blankAt(offset: number): OtherNode {
  return { kind: "other", start: offset, end: offset };
}
