/** Elements of XML that are one tag, `<a/>`. They can be read without a parser of XML, which takes long to load. */
import type { Span } from "./nodes.ts";

/** An element with the place of its end tag, which is at its end where it has none. */
export interface ElementSpan extends Span {
  readonly tag: string;
  readonly innerEnd: number;
}

/** Whether an element is one tag, without an end tag. */
export function isClosedAtOnce({ innerEnd, end }: Pick<ElementSpan, "innerEnd" | "end">): boolean {
  return innerEnd === end;
}

/** Where the `/>` of such an element starts, with the blanks before it. @param file has the element. */
export function closingAt({ start, end }: Span, file: string): number {
  return start + file.slice(start, end - "/>".length).trimEnd().length;
}
