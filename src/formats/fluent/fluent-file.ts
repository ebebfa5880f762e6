/** The patterns of a Fluent file with their places: the texts of its messages, terms and attributes. */
import { FluentParser, type Attribute, type Pattern, type SyntaxNode } from "@fluent/syntax";
import { maxFluentDepth, tooDeepAt } from "../../domain/checks/fluent.ts";
import type { Span } from "../patch/nodes.ts";
import { errorAt } from "../patch/source-text.ts";

/** A pattern; it starts behind its indentation if it is on a line of its own. */
export interface FluentText extends Span {
  /** `message`, `-term`, `message.attribute`. */
  readonly key: string;
  readonly text: string;
  /** Behind the equals sign. */
  readonly valueStart: number;
  /** Where the dot of an attribute stands; undefined for a value. */
  readonly attributeStart: number | undefined;
}

/** A message or a term. */
export interface FluentEntry {
  readonly id: string;
  readonly comment: string | undefined;
  /** Where its comment starts, or itself. */
  readonly start: number;
  readonly nameStart: number;
  /** Behind its equals sign. */
  readonly valueStart: number;
  readonly end: number;
  readonly value: FluentText | undefined;
  readonly attributes: readonly FluentText[];
}

/** @throws FormatError with the line that is not Fluent. */
export function readFluentFile(text: string): readonly FluentEntry[] {
  const deep = tooDeepAt(text);
  if (deep !== undefined) throw errorAt(text, deep, `has brackets nested deeper than ${maxFluentDepth}`);
  return new FluentParser({ withSpans: true }).parse(text).body.flatMap((node) => {
    const [start, end] = spanOf(node);
    if (node.type === "Junk") {
      const [why] = node.annotations;
      const at = why?.span === undefined ? start : Math.min(why.span.start, text.length - 1);
      throw errorAt(text, at, `is not Fluent: ${why?.message ?? "unexpected text"}`);
    }
    if (node.type !== "Message" && node.type !== "Term") return [];
    const id = (node.type === "Term" ? "-" : "") + node.id.name;
    const textOf = (key: string, pattern: Pattern, nameEnd: number, attributeStart?: number): FluentText => {
      const [patternStart, patternEnd] = spanOf(pattern);
      const raw = text.slice(patternStart, patternEnd);
      const own = dedented(raw);
      const first = patternStart + (/^ */.exec(raw)?.[0].length ?? 0);
      const valueStart = text.indexOf("=", nameEnd) + 1;
      return { key, text: own, valueStart, start: first, end: patternEnd, attributeStart };
    };
    const [nameStart, nameEnd] = spanOf(node.id);
    const attributes = node.attributes.map((attribute: Attribute) => {
      const [, idEnd] = spanOf(attribute.id);
      return textOf(`${id}.${attribute.id.name}`, attribute.value, idEnd, spanOf(attribute)[0]);
    });
    return {
      id,
      comment: node.comment?.content,
      start,
      nameStart: nameStart - (node.type === "Term" ? 1 : 0),
      valueStart: text.indexOf("=", nameEnd) + 1,
      end,
      value: node.value === null ? undefined : textOf(id, node.value, nameEnd),
      attributes,
    };
  });
}

function spanOf({ span }: SyntaxNode): readonly [start: number, end: number] {
  return [span?.start ?? 0, span?.end ?? 0];
}

/** A pattern without the indentation that all its lines have; its first line may stand behind the equals sign. */
function dedented(raw: string): string {
  const lines = raw.split(/\r?\n/);
  const isBlock = lines[0]?.startsWith(" ") === true;
  const indented = lines.filter((line, i) => (i > 0 || isBlock) && line.trim() !== "");
  const indents = indented.map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = indents.reduce((least, one) => Math.min(least, one), Infinity);
  return lines
    .map((line, i) => (i > 0 || isBlock ? line.slice(indent) : line).replace(/^ +$/, ""))
    .join("\n");
}
