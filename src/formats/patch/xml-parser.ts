/** Parses XML of strangers: no document type, so no entities that multiply or fetch, and no endless nesting. */
import { SaxesParser } from "saxes";
import { FormatError } from "./format-error.ts";

/** The deepest nesting of elements that is read. */
export const maxXmlDepth = 100;

export type XmlParser = SaxesParser<{ readonly xmlns: true; readonly fileName: string }>;

/**
 * Makes a parser that knows namespaces.
 * @returns a parser that throws a FormatError when it is written what is not well-formed or has a document type.
 */
export function makeXmlParser(): XmlParser {
  const parser: XmlParser = new SaxesParser({ xmlns: true, fileName: "" });
  parser.on("error", ({ message }) => {
    const [, reason = message] = /^\d*:?\d+:\d+: ([^]*)$/.exec(message) ?? [];
    throw new FormatError(`is not well-formed XML: ${reason}`, parser.line);
  });
  parser.on("doctype", () => {
    throw new FormatError("has a document type (<!DOCTYPE>), which is not read", parser.line);
  });
  return parser;
}
